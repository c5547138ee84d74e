// Pictures of Neovim and Emacs: the same hover in each, in a terminal under Xvfb that nobody sees.
import { spawn, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { environment, has, here, makeProject, measure, root, scratch, skipped, step } from './programs.mjs';

const shots = join(root, 'build/editors/screenshots');
const shown = join(root, 'docs/screenshots');
const place = { file: 'llama.torchir', line: 33, column: 84, words: ['aten::rms_norm', 'TorchScript exporter'] };
const patienceMs = 300_000;  // It hangs, however busy the machine is.
const leastBytes = 5_000;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** An X server without a screen; `display` is its name. */
async function startDisplay() {
  const child = spawn('Xvfb', ['-displayfd', '1', '-screen', '0', '1100x700x24', '-nolisten', 'tcp'],
                      { stdio: ['ignore', 'pipe', 'ignore'] });
  process.on('exit', () => child.kill());
  const number = await new Promise((done, fail) => {
    child.stdout.once('data', (data) => done(`${data}`.trim()));
    child.once('exit', () => fail(new Error('Xvfb does not start')));
  });
  return { display: `:${number}`, stop: () => child.kill() };
}

async function waitFor(file) {
  for (const end = Date.now() + patienceMs; Date.now() < end; await pause(50)) {
    if (existsSync(file) && statSync(file).size)
      return readFileSync(file, 'utf8');
  }
  throw new Error('the editor showed nothing');
}

/** The editor writes what it shows to ONNXLS_RESULTS, and stays as it is. */
async function shoot(name, command, extra) {
  const project = makeProject(name);
  copyFileSync(join(root, 'demo', place.file), join(project, place.file));
  const results = join(scratch, name, 'shown');
  const screen = await startDisplay();
  const env = {
    ...environment(name, {}), DISPLAY: screen.display, TERM: 'xterm-256color', ONNXLS_RESULTS: results, ONNXLS_STAY: '1',
    ONNXLS_LINE: `${place.line}`, ONNXLS_COLUMN: `${place.column}`, ONNXLS_WANTED: place.words[1], ...extra,
  };
  const terminal = spawn('xterm', ['-fa', 'DejaVu Sans Mono', '-fs', '11', '-geometry', '112x30+0+0', '+sb', '-b', '0', '-bw', '0',
    '-bg', '#1c1f26', '-fg', '#d8dee9', '-e', ...command, join(project, place.file)], { env, cwd: project, stdio: 'ignore' });
  try {
    const text = await waitFor(results);
    for (const words of place.words) {
      if (!text.includes(words))
        throw new Error(`"${text}" lacks "${words}"`);
    }
    await pause(500);  // It has been shown; now it gets painted.
    const file = join(shots, `${name}.png`);
    step('import', ['-display', screen.display, '-window', 'root', file]);
    step('convert', [file, '-trim', '+repage', '-dither', 'None', '-colors', '32', '-strip', `PNG8:${file}`]);
    if (statSync(file).size < leastBytes)
      throw new Error(`${file} shows nothing`);
  } finally {
    terminal.kill();
    screen.stop();
  }
}

const pictures = {
  'neovim-hover': ['nvim', '-n', '-i', 'NONE', '--clean', '--cmd', `set rtp^=${join(root, 'editors/neovim')}`,
    '--cmd', 'filetype plugin on', '--cmd', 'syntax on', '--cmd', 'set termguicolors background=dark nowrap laststatus=0',
    '-c', 'highlight NormalFloat guibg=#313846 guifg=#d8dee9', '-c', 'highlight SignColumn guibg=NONE',
    '-S', join(here, 'neovim/hover.lua')],
  'emacs-hover': ['emacs', '-nw', '-Q', '-L', join(root, 'editors/emacs'), '-l', join(here, 'emacs/shown.el')],
};

export async function runScreens({ write, only = '' }) {
  const missing = ['Xvfb', 'xterm', 'import', 'nvim', 'emacs'].filter((program) => spawnSync('which', [program]).status !== 0);
  if (missing.length || !has(['xterm', '-version'])) {
    skipped.add(`pictures of Neovim and Emacs: not installed: ${missing.join(', ')} (apt-get install xvfb xterm imagemagick)`);
    return [];
  }
  mkdirSync(shots, { recursive: true });
  const results = [];
  for (const [name, command] of Object.entries(pictures)) {
    if (name.includes(only))
      results.push(await measure(name, () => shoot(name, command)));
  }
  if (write && results.every(({ result }) => result === 'passed')) {
    for (const name of Object.keys(pictures))
      copyFileSync(join(shots, `${name}.png`), join(shown, `${name}.png`));
  }
  return [{ column: 'pictures', group: 'Pictures', isHidden: true, results }];
}

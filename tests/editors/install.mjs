// What ./dev package made, installed on bare Debian machines as docs/editors says: the demo document answers a hover on
// the command line, in Neovim, Emacs and VS Code, and nothing stays when it is removed.
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Machine, whyNoMachine } from './bare.mjs';
import { runNeovim } from './neovim.mjs';
import { has, here, measure, root, scratch, skipped, step } from './programs.mjs';
import { findHost } from './vscode/host.mjs';
import { hoverInWorkbench } from './vscode/interface.mjs';

const packages = join(root, 'build/package');
/** Line and column of an operator in demo/llama.torchir, and what its hover says. */
const demo = { file: 'llama.torchir', line: 33, column: 84, words: ['aten::rms_norm', 'TorchScript exporter'] };

function holds(text, words) {
  for (const word of words) {
    if (!text.includes(word))
      throw new Error(`"${text.trim().slice(-600)}" lacks "${word}"`);
  }
}

/** The files of ./dev package, copied to where every machine sees them; undefined if one is missing. */
function findPackages() {
  const names = existsSync(packages) ? readdirSync(packages) : [];
  const found = {
    deb: names.find((name) => /^onnxls_.*\.deb$/.test(name)),
    archive: names.find((name) => /^onnxls-.*\.tar\.gz$/.test(name)),
    vsix: names.find((name) => /^onnxls-linux-x64-.*\.vsix$/.test(name)),
  };
  if (Object.values(found).some((name) => !name))
    return undefined;
  const folder = join(scratch, 'packages');
  mkdirSync(folder);
  return Object.fromEntries(Object.entries(found).map(([kind, name]) => {
    copyFileSync(join(packages, name), join(folder, name));
    return [kind, join(folder, name)];
  }));
}

/** A folder with the demo document and its settings. */
function makeDemo(name) {
  const folder = join(scratch, name);
  mkdirSync(folder);
  copyFileSync(join(root, 'demo', demo.file), join(folder, demo.file));
  writeFileSync(join(folder, '.onnxls.json'), '{ "torch": "2.6", "opset": 13 }\n');
  return folder;
}

/** demo/session.c plays an editor; the server that it starts is the machine's. */
async function hoverOverStdio(machine, command, folder) {
  const wrapper = join(scratch, `server-${Math.random().toString(36).slice(2)}`);
  const words = [...machine.enter, command].map((word) => `'${word.replace(/'/g, `'\\''`)}'`).join(' ');
  writeFileSync(wrapper, `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  holds(step(join(root, 'build/release/demo_session'), [wrapper, join(folder, demo.file)], { timeout: 30_000 }), demo.words);
}

async function checkDemo(machine, command, folder) {
  const { code, output } = await machine.run([command, 'check', join(folder, demo.file), '--opset', '13', '--torch', '2.6']);
  if (code !== 1)
    throw new Error(`check ended with ${code}`);
  holds(output, ["'aten::rms_norm' can't be exported", 'unsupported-op']);
}

/** Emacs wants a terminal: then it has a command loop, as for people. `script` gives it one. */
async function hoverInEmacs(machine, folder, home, path = machine.environment().PATH) {
  mkdirSync(home, { recursive: true });
  copyFileSync(join(here, 'emacs/installed.el'), join(home, '.emacs'));
  const results = join(home, 'results');
  await machine.run(['script', '-qec', `emacs -nw ${join(folder, demo.file)}`, '/dev/null'], {
    HOME: home, PATH: path, TERM: 'xterm', ONNXLS_RESULTS: results, ONNXLS_LINE: `${demo.line}`, ONNXLS_COLUMN: `${demo.column}`,
    ONNXLS_WANTED: demo.words[1],
  }, { limit: 60_000 });
  holds(existsSync(results) ? readFileSync(results, 'utf8') : 'nothing was written', ['onnxls-mode', ...demo.words]);
}

/** Files that are there and belong to nobody any more. */
async function checkRemoved(machine) {
  await machine.do(['apt-get', '-q', '-y', 'purge', 'onnxls']);
  const left = await machine.do(['find', '/usr', '/etc', '-name', '*onnxls*']);
  if (left)
    throw new Error(`left behind: ${left}`);
}

async function checkLintian(deb) {
  if (!has(['lintian']))
    throw new Error('lintian is not installed (apt-get install lintian)');
  const said = step('lintian', ['--fail-on', 'error,warning', '--allow-root', deb]);
  if (said)
    throw new Error(said);
}

async function measureAll(tests, only = '') {
  const results = [];
  for (const [feature, test] of Object.entries(tests)) {
    if (feature.includes(only))
      results.push(await measure(feature, test));
  }
  return results;
}

/** The Debian package on a bare Debian 12; the editors come after it. */
async function runDebianPackage({ deb }, { large, only }) {
  const machine = new Machine('bookworm', 'deb');
  const folder = makeDemo('demo-deb');
  const column = 'Debian package on bare Debian 12';
  const results = await measureAll({
    'lintian': () => checkLintian(deb),
    'install': async () => {
      await machine.do(['apt-get', '-q', 'update']);
      await machine.install(deb);
    },
    'check of the demo': () => checkDemo(machine, '/usr/bin/onnxls', folder),
    'hover over stdio': () => hoverOverStdio(machine, '/usr/bin/onnxls', folder),
    'completion in bash': async () => {
      const script = '. /usr/share/bash-completion/completions/onnxls; COMP_WORDS=(onnxls check --format ""); COMP_CWORD=3; ' +
        '_onnxls; echo "${COMPREPLY[@]}"';
      holds(await machine.do(['bash', '-c', script]), ['text json']);
    },
    'man page': async () => holds(await machine.do(['zcat', '/usr/share/man/man1/onnxls.1.gz']), ['.TH ONNXLS 1']),
    'install Neovim and Emacs': () => machine.install('neovim', 'emacs-nox', 'elpa-eglot'),
    'hover in Emacs': () => hoverInEmacs(machine, folder, join(scratch, 'home-deb')),
    'help in Neovim': async () => {
      const { errors } = await machine.run(['nvim', '--headless', '+help onnxls-setup', '+echo expand("%:p")', '+qall']);
      holds(errors, ['/share/nvim/site/pack/onnxls/start/onnxls/doc/onnxls.txt']);
    },
  }, only);
  const neovim = (await machine.run(['nvim', '--version'])).code === 0
    ? await runNeovim({ command: [...machine.enter, 'nvim'], label: ' of the package', isInstalled: true }, { large, only })
    : [];
  results.push(...await measureAll({ 'removal': () => checkRemoved(machine) }, only));
  return [{ column, group: 'Debian package', results }, ...neovim.map((one) => ({ ...one, group: 'Neovim' }))];
}

/** The archive on a bare machine of a newer suite than it was built on, connected by install.sh. */
async function runArchive({ archive }, { only }) {
  const machine = new Machine('trixie', 'archive');
  const folder = makeDemo('demo-archive');
  const home = join(scratch, 'home-archive');
  mkdirSync(home);
  const top = join(home, 'onnxls');
  const env = { HOME: home, PATH: `${home}/.local/bin:${machine.environment().PATH}` };
  const script = (...words) => machine.do(['sh', join(top, 'install.sh'), ...words], env);
  const column = 'Archive on bare Debian 13';
  const results = await measureAll({
    'install': async () => {
      mkdirSync(top);
      await machine.do(['tar', '-xzf', archive, '-C', top, '--strip-components=1']);
    },
    'check of the demo': () => checkDemo(machine, join(top, 'bin/onnxls'), folder),
    'hover over stdio': () => hoverOverStdio(machine, join(top, 'bin/onnxls'), folder),
    'install Neovim and Emacs': async () => {
      await machine.do(['apt-get', '-q', 'update']);
      await machine.install('neovim', 'emacs-nox');
    },
    'install.sh --dry-run': async () => {
      holds(await script('--dry-run'), ['server:  would link', 'neovim:  would link', 'emacs:   would have Emacs install']);
      if (existsSync(join(home, '.local')) || existsSync(join(home, '.emacs.d')))
        throw new Error('a dry run changed something');
    },
    'install.sh': async () => {
      holds(await script(), ['server:  link', 'neovim:  link', 'emacs:   have Emacs install', "vscode:  there is no 'code'"]);
      holds(await script(), ['server:  ', 'is there already', 'neovim:  ']);
    },
    'hover in Emacs': () => hoverInEmacs(machine, folder, home, env.PATH),
    'hover in Neovim': async () => {
      const lines = join(home, 'hover.txt');
      writeFileSync(join(home, 'hover.lua'), readFileSync(join(here, 'neovim/hover.lua')));
      await machine.do(['nvim', '--headless', '-S', join(home, 'hover.lua'), join(folder, demo.file)],
                       { ...env, ONNXLS_RESULTS: lines, ONNXLS_LINE: `${demo.line}`, ONNXLS_COLUMN: `${demo.column}` });
      holds(readFileSync(lines, 'utf8'), demo.words);
    },
    'install.sh --uninstall': async () => {
      holds(await script('--uninstall'), ['server:  remove', 'neovim:  remove', 'emacs:   have Emacs delete']);
      const left = step('find', [join(home, '.local'), join(home, '.emacs.d'), '-name', '*onnxls*'].filter((word) =>
        !word.startsWith(home) || existsSync(word)));
      if (left)
        throw new Error(`left behind: ${left}`);
    },
  }, only);
  return [{ column, group: 'Archive', results }];
}

const suites = { bookworm: 'Debian 12', trixie: 'Debian 13', forky: 'Debian testing' };

/** VS Code itself in each machine that is there, with the extension that has its server in it; the window is in a browser outside. */
async function runExtension({ vsix }, { only }) {
  const folder = process.env.ONNXLS_VSCODE_DIR ?? join(root, 'build/editors/vscode');
  const host = findHost(folder);
  if (host.why) {
    skipped.add(`the extension on a bare machine: ${host.why}`);
    return [];
  }
  const groups = [];
  for (const [suite, name] of Object.entries(suites).filter(([suite]) => !whyNoMachine(suite))) {
    const machine = new Machine(suite, `vscode-${suite}`, [folder]);
    const results = await measureAll({
      'hover in VS Code': async () => {
        const project = makeDemo(`demo-vscode-${suite}`);
        holds(await hoverInWorkbench({ host: { ...host, enter: machine.enter }, scratch, vsix, project, ...demo }), demo.words);
      },
    }, only);
    groups.push({ column: `Extension in VS Code ${host.version} on bare ${name}`, group: 'Extension', results });
  }
  return groups;
}

export async function runInstall(options) {
  const why = whyNoMachine('bookworm') ?? whyNoMachine('trixie');
  const found = why ? undefined : findPackages();
  if (!found) {
    skipped.add(`installation on a bare machine: ${why ?? 'nothing in build/package (./dev package)'}`);
    return [];
  }
  return [...await runDebianPackage(found, options), ...await runArchive(found, options), ...await runExtension(found, options)];
}

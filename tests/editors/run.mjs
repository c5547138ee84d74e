#!/usr/bin/env node
// The plugins in the real editors: run.mjs [neovim|emacs] [--no-large] [--only=FEATURE]
//
// Debian 12's Neovim and Emacs, where they are installed, and those of the roots that get-newer.sh made in
// ONNXLS_EDITORS_DIR. Each test runs inside the editor and prints a line of JSON a feature; this file starts editors,
// gives them a project of their own, and draws the table. ONNXLS names another server than build/release/onnxls.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const server = process.env.ONNXLS ?? join(root, 'build/release/onnxls');
const newer = process.env.ONNXLS_EDITORS_DIR;
const suites = ['trixie', 'forky'];
const timeLimit = 240_000;
const largeNodes = 400_000;

const words = process.argv.slice(2);
const withLarge = !words.includes('--no-large');
const only = words.find((word) => word.startsWith('--only='))?.slice('--only='.length);
const wanted = words.filter((word) => !word.startsWith('-'));
if (wanted.some((word) => !['neovim', 'emacs'].includes(word))) {
  console.error('usage: run.mjs [neovim|emacs] [--no-large] [--only=FEATURE]');
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), 'onnxls-editors-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => process.exit(130));

const skipped = new Set();

/** The file's own loader runs a program of another Debian root without chroot. */
function foreign(debian, program) {
  const real = program === 'emacs' ? 'emacs-nox' : program;  // The name is a link to an absolute path.
  const loader = ['lib64/ld-linux-x86-64.so.2', 'lib/ld-linux-aarch64.so.1'].map((name) => join(debian, name))
    .find((path) => existsSync(path));
  const libraries = join(debian, 'usr/lib', readdirSync(join(debian, 'usr/lib')).find((name) => /-linux-gnu$/.test(name)));
  return { command: [loader, '--library-path', libraries, join(debian, 'usr/bin', real)], libraries };
}

function has(command) {
  return !spawnSync(command[0], [...command.slice(1), '--version'], { stdio: 'ignore' }).error;
}

/** Debian 12's editor and those of the roots, as { command, debian }. */
function installations(program) {
  const found = [];
  if (has([program]))
    found.push({ command: [program] });
  else
    skipped.add(`${program} is not installed (apt-get install --no-install-recommends neovim emacs-nox elpa-eglot elpa-lsp-mode)`);
  for (const suite of suites) {
    const debian = newer && join(newer, suite);
    if (!debian)
      skipped.add('newer editors: ONNXLS_EDITORS_DIR names no folder that tests/editors/get-newer.sh filled');
    else if (!existsSync(join(debian, 'usr/bin', program === 'emacs' ? 'emacs-nox' : program)))
      skipped.add(`${program} of Debian ${suite}: not in ${debian}`);
    else
      found.push({ ...foreign(debian, program), debian });
  }
  return found;
}

/** A fresh project: the documents, settings, and a `.git` that makes it a root. */
function makeProject(name) {
  const project = join(scratch, name, 'project');
  cpSync(join(here, 'documents'), project, { recursive: true });
  mkdirSync(join(project, '.git'));
  const { settings } = JSON.parse(readFileSync(join(here, 'expected.json')));
  writeFileSync(join(project, '.onnxls.json'), `${JSON.stringify(settings)}\n`);
  for (const folder of ['home', 'config', 'data', 'state', 'cache', 'bin'])
    mkdirSync(join(scratch, name, folder), { recursive: true });
  symlinkSync(server, join(scratch, name, 'bin/onnxls'));
  return project;
}

function environment(name, inputs) {
  const own = (folder) => join(scratch, name, folder);
  const file = own('inputs.json');
  writeFileSync(file, JSON.stringify({ ...inputs, only }));
  return {
    ...process.env, ONNXLS_TEST: file, HOME: own('home'), XDG_CONFIG_HOME: own('config'), XDG_DATA_HOME: own('data'),
    XDG_STATE_HOME: own('state'), XDG_CACHE_HOME: own('cache'), LC_ALL: 'C.UTF-8', PATH: `${own('bin')}:${process.env.PATH}`,
  };
}

let largeFile;

/** 24 MB, written once. */
function makeLarge() {
  if (!largeFile && withLarge) {
    largeFile = join(scratch, 'large.torchir');
    const made = spawnSync(process.execPath, [join(root, 'tests/bench/generate.mjs'), 'torch', `${largeNodes}`,
      '--unsupported', '20', '-o', largeFile], { encoding: 'utf8' });
    if (made.status !== 0)
      throw new Error(`generate.mjs failed: ${made.stderr}`);
  }
  return largeFile;
}

/** Standard output of a program; killed, with its children, when it takes too long. */
function run(command, args, env) {
  return new Promise((resolve) => {
    const child = spawn(command[0], [...command.slice(1), ...args], { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    const timer = setTimeout(() => {
      errors += `\nkilled after ${timeLimit / 1000} s`;
      process.kill(-child.pid, 'SIGKILL');
    }, timeLimit);
    child.stdout.on('data', (data) => { output += data; });
    child.stderr.on('data', (data) => { errors += data; });
    child.on('error', (error) => { errors += error.message; });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output, errors });
    });
  });
}

/** The lines of JSON among what an editor said. An editor that ended badly, or before its end, is a failure. */
function readResults({ code, output, errors }) {
  const results = output.split(/\r?\n/).filter((line) => line.startsWith('{"feature"')).map((line) => JSON.parse(line));
  if (code !== 0 || !results.length)
    results.push({ feature: 'the run itself', result: 'failed', ms: 0,
                   note: `exit code ${code}: ${`${output}\n${errors}`.trim().split('\n').slice(-12).join('\n')}` });
  return results;
}

async function runNeovim({ command, debian, libraries }) {
  const version = /NVIM v(\S+)/.exec(spawnSync(command[0], [...command.slice(1), '--version'], { encoding: 'utf8' }).stdout)?.[1];
  const name = `neovim-${version}`;
  const project = makeProject(name);
  const env = environment(name, {
    project, expected: join(here, 'expected.json'), grammar: join(root, 'grammar/torch-ir'), large: makeLarge(),
  });
  const args = ['--headless', '--clean', '-n', '-i', 'NONE', '--cmd', `set rtp^=${join(root, 'editors/neovim')}`,
    '--cmd', 'filetype plugin on'];
  if (debian) {
    env.VIMRUNTIME = join(debian, 'usr/share/nvim/runtime');
    args.push('--cmd', `set rtp+=${join(debian, 'usr/lib/nvim')},${join(libraries, 'nvim')}`);
  }
  const results = readResults(await run(command, [...args, '-S', join(here, 'neovim/test.lua')], env));
  return [{ column: `Neovim ${version}`, results }];
}

function elpaFolders(debian) {
  const elpa = join(debian ?? '/', 'usr/share/emacs/site-lisp/elpa');
  return existsSync(elpa) ? readdirSync(elpa).filter((name) => /-[0-9]/.test(name)).map((name) => join(elpa, name)) : [];
}

/** Where an Emacs of another root finds its own files. */
function foreignEmacs(debian) {
  const share = join(debian, 'usr/share/emacs');
  const version = readdirSync(share).find((name) => /^[0-9]/.test(name));
  const libexec = join(debian, 'usr/libexec/emacs', version);
  const machine = join(libexec, readdirSync(libexec)[0]);
  const dump = readdirSync(machine).find((name) => name.endsWith('.pdmp'));
  return {
    args: [`--dump-file=${join(machine, dump)}`],
    // It would start itself as the compiler, without the loader.
    first: ['--eval', '(setq native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil)'],
    env: { EMACSPATH: machine, EMACSLOADPATH: join(share, version, 'lisp'), EMACSDATA: join(share, version, 'etc'),
           EMACSDOC: join(share, version, 'etc') },
  };
}

/** Modes and package with eglot in one process, lsp-mode in another. */
async function runEmacs({ command, debian }) {
  const own = debian ? foreignEmacs(debian) : { args: [], first: [], env: {} };
  const version = /GNU Emacs (\S+)/.exec(spawnSync(command[0], [...command.slice(1), ...own.args, '--version'],
    { encoding: 'utf8', env: { ...process.env, ...own.env } }).stdout)?.[1];
  const elpa = elpaFolders(debian);
  const columns = [];
  for (const [client, files] of [['eglot', ['modes', 'with-eglot']], ['lsp-mode', ['with-lsp']]]) {
    if (client === 'lsp-mode' && !elpa.some((folder) => basename(folder).startsWith('lsp-mode-'))) {
      skipped.add(`lsp-mode of Emacs ${version}: elpa-lsp-mode is not installed`);
      continue;
    }
    const name = `emacs-${version}-${client}`;
    const project = makeProject(name);
    const env = { ...environment(name, {
      project, expected: join(here, 'expected.json'), grammar: join(root, 'grammar/torch-ir'),
      package: join(root, 'editors/emacs'), command: [...command, ...own.args, ...own.first], large: makeLarge(),
    }), ...own.env };
    const paths = [...elpa, join(root, 'editors/emacs'), join(here, 'emacs')].flatMap((folder) => ['-L', folder]);
    const loads = files.flatMap((file) => ['-l', join(here, 'emacs', `${file}.el`)]);
    const results = readResults(await run(command, [...own.args, '-Q', '--batch', ...own.first, ...paths, ...loads], env));
    columns.push({ column: `Emacs ${version} ${client}`, results });
  }
  return columns;
}

function draw(columns) {
  const features = [...new Set(columns.flatMap(({ results }) => results.map(({ feature }) => feature)))];
  const cell = (results, feature) => {
    const found = results.find((result) => result.feature === feature);
    if (!found || found.result === 'absent')
      return '-';
    return found.result === 'failed' ? 'FAILED' : `${Math.round(found.ms)} ms`;
  };
  const width = Math.max(...features.map((feature) => feature.length)) + 2;
  const widths = columns.map(({ column }) => Math.max(column.length, 9) + 2);
  console.log(''.padEnd(width) + columns.map(({ column }, i) => column.padStart(widths[i])).join(''));
  for (const feature of features)
    console.log(feature.padEnd(width) + columns.map(({ results }, i) => cell(results, feature).padStart(widths[i])).join(''));
}

const kinds = {
  neovim: { program: 'nvim', run: runNeovim },
  emacs: { program: 'emacs', run: runEmacs },
};

async function main() {
  if (!existsSync(server)) {
    console.error(`there is no ${server}; ./dev build makes it`);
    process.exit(2);
  }
  const columns = [];
  for (const [kind, { program, run: runEditor }] of Object.entries(kinds)) {
    if (wanted.length && !wanted.includes(kind))
      continue;
    for (const installation of installations(program))
      columns.push(...await runEditor(installation));
  }
  if (columns.length)
    draw(columns);
  let failed = 0;
  let passed = 0;
  for (const { column, results } of columns) {
    passed += results.filter(({ result }) => result === 'passed').length;
    for (const { feature, note } of results.filter(({ result }) => result === 'failed')) {
      failed++;
      console.log(`FAILED: ${column}: ${feature}: ${note}`);
    }
  }
  for (const reason of skipped)
    console.log(`skipped: ${reason}`);
  console.log(`${passed} passed, ${failed} failed, ${skipped.size} skipped`);
  process.exit(failed ? 1 : 0);
}

await main();

#!/usr/bin/env node
// The clients in the real editors: run.mjs [KIND ...] [--all] [--no-large] [--only=FEATURE] [--write-table]
//
// Debian 12's editors where they are installed, and those of the roots that get-newer.sh made in ONNXLS_EDITORS_DIR, or in
// build/editors/roots. Each test runs inside the editor and prints a line of JSON a feature; this file starts editors,
// gives them a project of their own, and draws the table. What takes root rights or minutes runs with --all. ONNXLS names
// another server than build/release/onnxls.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { runEmacs } from './emacs.mjs';
import { runHelix } from './helix.mjs';
import { runInstall } from './install.mjs';
import { runNeovim } from './neovim.mjs';
import { has, here, root, run, scratch, server, skipped } from './programs.mjs';
import { runScreens } from './screens.mjs';
import { drawTables, writeTable } from './table.mjs';
import { runVim } from './vim.mjs';

const newer = process.env.ONNXLS_EDITORS_DIR ?? join(root, 'build/editors/roots');
const suites = ['trixie', 'forky'];

/** The file's own loader runs a program of another Debian root without chroot. */
function foreign(debian, program) {
  const real = program === 'emacs' ? 'emacs-nox' : program;  // The name is a link to an absolute path.
  const loader = ['lib64/ld-linux-x86-64.so.2', 'lib/ld-linux-aarch64.so.1'].map((name) => join(debian, name))
    .find((path) => existsSync(path));
  const libraries = join(debian, 'usr/lib', readdirSync(join(debian, 'usr/lib')).find((name) => /-linux-gnu$/.test(name)));
  return { command: [loader, '--library-path', libraries, join(debian, 'usr/bin', real)], libraries };
}

/** Debian 12's editor and those of the roots, as { command, debian, libraries }. */
function installations(program, packages) {
  const found = [];
  if (packages && has([program]))
    found.push({ command: [program] });
  else if (packages)
    skipped.add(`${program} is not installed (apt-get install --no-install-recommends ${packages})`);
  for (const suite of suites) {
    const debian = join(newer, suite);
    if (!existsSync(newer))
      skipped.add('newer editors: there are none in build/editors/roots or ONNXLS_EDITORS_DIR (tests/editors/get-newer.sh)');
    else if (!existsSync(join(debian, 'usr/bin', program === 'emacs' ? 'emacs-nox' : program)))
      skipped.add(`${program} of Debian ${suite}: not in ${debian}`);
    else
      found.push({ ...foreign(debian, program), debian });
  }
  return found;
}

async function everyInstallation(program, packages, runEditor, options) {
  const columns = [];
  for (const installation of installations(program, packages))
    columns.push(...await runEditor(installation, options));
  return columns;
}

/** VS Code has a program of its own, which brings its columns in a file. */
async function runVscode({ large, only, write }) {
  const file = join(scratch, 'vscode.json');
  const words = [`--results=${file}`, ...(large ? [] : ['--no-large']), ...(only ? [`--only=${only}`] : []),
                 ...(write ? ['--update-screenshots'] : [])];
  const { output, errors, code } = await run([process.execPath], [join(here, 'vscode/run.mjs'), ...words], process.env,
                                            { limit: 1_800_000 });
  for (const [, reason] of output.matchAll(/^skipped: (.*)$/gm))
    skipped.add(reason);
  if (existsSync(file))
    return JSON.parse(readFileSync(file));
  return [{ column: 'VS Code', results: [{ feature: 'the run itself', result: 'failed', ms: 0, note: `${code}: ${output}${errors}` }] }];
}

/** `isSlow` or in need of root rights: with --all, or when it is named. */
const kinds = {
  neovim: { run: (options) => everyInstallation('nvim', 'neovim', runNeovim, options) },
  emacs: { run: (options) => everyInstallation('emacs', 'emacs-nox elpa-eglot elpa-lsp-mode', runEmacs, options) },
  vscode: { run: runVscode },
  helix: { run: (options) => everyInstallation('hx', undefined, runHelix, options) },
  vim: { run: runVim },
  screens: { run: runScreens, isSlow: true },
  install: { run: runInstall, isSlow: true },
};

function parseWords(words) {
  const options = { large: true, all: false, write: false };
  const wanted = [];
  for (const word of words) {
    if (word === '--no-large')
      options.large = false;
    else if (word === '--all')
      options.all = true;
    else if (word === '--write-table')
      options.write = true;
    else if (word.startsWith('--only='))
      options.only = word.slice('--only='.length);
    else if (kinds[word])
      wanted.push(word);
    else
      return undefined;
  }
  return { options, wanted };
}

async function main() {
  const words = parseWords(process.argv.slice(2));
  if (!words) {
    console.error(`usage: run.mjs [${Object.keys(kinds).join('|')} ...] [--all] [--no-large] [--only=FEATURE] [--write-table]`);
    process.exit(2);
  }
  if (!existsSync(server)) {
    console.error(`there is no ${server}; ./dev build makes it`);
    process.exit(2);
  }
  const { options, wanted } = words;
  const columns = [];
  for (const [kind, { run: runKind, isSlow }] of Object.entries(kinds)) {
    if (wanted.length ? wanted.includes(kind) : !isSlow || options.all)
      columns.push(...await runKind(options));
    else if (isSlow && !wanted.length)
      skipped.add(`${kind}: only with ./dev test --editors=all`);
  }
  if (columns.length)
    console.log(drawTables(columns));
  const results = columns.flatMap(({ column, results: all }) => all.map((result) => ({ column, ...result })));
  const failures = results.filter(({ result }) => result === 'failed');
  for (const { column, feature, note } of failures)
    console.log(`FAILED: ${column}: ${feature}: ${note}`);
  for (const reason of skipped)
    console.log(`skipped: ${reason}`);
  if (options.write && !failures.length)
    writeTable(columns);
  const passed = results.filter(({ result }) => result === 'passed').length;
  console.log(`${passed} passed, ${failures.length} failed, ${skipped.size} skipped`);
  process.exit(failures.length ? 1 : 0);
}

await main();

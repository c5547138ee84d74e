#!/usr/bin/env node
// The VS Code extension in VS Code itself: run.mjs [--no-large] [--only=FEATURE] [--update-screenshots] [--results=FILE]
//
// First what needs no editor; then the suite inside VS Code's extension host; then the packaged extension, as a
// person uses it, with screenshots in build/editors/screenshots. What can't run says why in one line.
// ONNXLS names another server than build/release/onnxls, ONNXLS_VSCODE_DIR what get-vscode.sh made.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { unzip } from '../../../packaging/zip.mjs';
import { checkGrammars } from './grammars.mjs';
import { findHost, openBrowser, startHost, workbenchUrl } from './host.mjs';
import { checkManifest } from './manifest.mjs';
import { runInterface } from './interface.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..', '..');
const extension = join(root, 'editors/vscode');
const server = resolve(process.env.ONNXLS ?? join(root, 'build/release/onnxls'));
const shots = join(root, 'build/editors/screenshots');
/** Those that the documentation shows. */
const shown = ['problems', 'hover', 'outline', 'python', 'operator', 'stub', 'target', 'opsets', 'picture', 'operators'];
const suiteTimeMs = 1_200_000;
const largeNodes = 400_000;

const words = process.argv.slice(2);
const valueOf = (flag) => words.find((word) => word.startsWith(flag))?.slice(flag.length);
const resultsFile = valueOf('--results=');
const only = valueOf('--only=');
if (words.some((word) => !/^--(no-large|update-screenshots|results=.*|only=.*)$/.test(word))) {
  console.error('usage: run.mjs [--no-large] [--only=FEATURE] [--update-screenshots] [--results=FILE]');
  process.exit(2);
}

const scratch = mkdtempSync(join(tmpdir(), 'onnxls-vscode-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => process.exit(130));

let passed = 0;
let failed = 0;
/** What was found, by the group that is a column of the table. */
const columns = new Map();

function report(group, { feature, result, ms, note }) {
  result === 'failed' ? failed++ : passed++;
  columns.set(group, [...columns.get(group) ?? [], { feature, result, ms: ms ?? 0, note }]);
  const time = ms === undefined ? '' : `${Math.round(ms)} ms`;
  console.log(`${result === 'failed' ? 'FAILED' : 'ok'}: ${group}: ${`${feature} ${time}`.trim()}${note ? `: ${note}` : ''}`);
}

function step(command, args, options) {
  const made = spawnSync(command, args, { encoding: 'utf8', ...options });
  if (made.status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${made.stdout}${made.stderr}`);
}

/** A fresh project: the documents, settings, and a Python source to link to. */
function makeProject(name) {
  const project = join(scratch, name);
  cpSync(join(here, '../documents'), project, { recursive: true });
  const { settings } = JSON.parse(readFileSync(join(here, '../expected.json')));
  const pathMappings = [{ from: '/home', to: '.' }];
  writeFileSync(join(project, '.onnxls.json'), `${JSON.stringify({ ...settings, pathMappings })}\n`);
  writeFileSync(join(project, 'gen2.py'), '# A line of the model.\n'.repeat(200));
  return project;
}

function makeLarge() {
  const file = join(scratch, 'large.torchir');
  step(process.execPath, [join(root, 'tests/bench/generate.mjs'), 'torch', `${largeNodes}`, '--unsupported', '20', '-o', file]);
  return file;
}

/** Inside the extension host; the server is found on the PATH. */
async function runSuite(host, large) {
  const project = makeProject(`suite-${host.version}`);
  mkdirSync(join(project, 'wrong'));
  writeFileSync(join(project, 'wrong/.onnxls.json'), '{\n  "exporter": "both",\n  "opsets": 17\n}\n');
  const bin = join(scratch, `bin-${host.version}`);
  mkdirSync(bin);
  symlinkSync(server, join(bin, 'onnxls'));
  const inputs = join(scratch, 'inputs.json');
  writeFileSync(inputs, JSON.stringify({ project, expected: join(here, '../expected.json'), large, only }));
  const started = await startHost(host, scratch, { env: { ONNXLS_TEST: inputs, PATH: `${bin}:${process.env.PATH}` } });
  const browser = await openBrowser(host, scratch, { width: 1200, height: 800 });
  try {
    const page = browser.pages()[0];
    let count = 0;
    page.on('console', (message) => {
      const text = message.text();
      const start = text.indexOf('{"feature"');
      if (start >= 0) {
        count++;
        report(`VS Code ${host.version}`, JSON.parse(text.slice(start)));
      }
    });
    const ended = new Promise((done) => page.exposeFunction('codeAutomationExit', done));
    const late = new Promise((done, fail) => {
      setTimeout(() => fail(new Error(`no end after ${suiteTimeMs / 1000} s`)), suiteTimeMs).unref();
    });
    const remote = (path) => `vscode-remote://${started.authority}${path}`;
    await page.goto(workbenchUrl(started.authority, project, [
      ['extensionDevelopmentPath', remote(extension)], ['extensionTestsPath', remote(join(here, 'suite.js'))],
    ]));
    const code = await Promise.race([ended, late]);
    if (!count || (code && !failed))
      throw new Error(`the suite ended with ${code} after ${count} results`);
  } catch (error) {
    report(`VS Code ${host.version}`, { feature: 'the run itself', result: 'failed', note: error.message });
  } finally {
    await browser.close();
    started.stop();
  }
}

/** The extension as people get it: with the server in it, and without. */
function makePackages() {
  const output = join(scratch, 'packages');
  step(join(extension, 'build.sh'), ['--server', server, '--output', output]);
  const { version } = JSON.parse(readFileSync(join(extension, 'package.json')));
  return { full: join(output, `onnxls-linux-x64-${version}.vsix`), bare: join(output, `onnxls-${version}.vsix`) };
}

/** What the extension's page leads to, in the shop as in this tree. */
function checkPage(file) {
  const page = unzip(readFileSync(file)).find(({ name }) => name === 'extension/README.md').bytes.toString();
  const { repository } = JSON.parse(readFileSync(join(extension, 'package.json')));
  const start = new URL(`${repository.url.replace(/\.git$/, '')}/`);
  const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, link]) => new URL(link));
  const astray = links.filter(({ href }) => {
    const [, path] = /^(?:raw|blob)\/HEAD\/(.*)$/.exec(href.slice(start.href.length)) ?? [];
    return !href.startsWith(start.href) || !path || !existsSync(join(root, path));
  });
  const note = links.length && !astray.length ? undefined : `of ${links.length} links these lead nowhere: ${astray.join(' ')}`;
  return { feature: 'links of the page', result: note ? 'failed' : 'passed', note };
}

/** Pictures for the documentation; fewer colours, which pngquant or ImageMagick gives them, make them a third. */
function updateScreenshots() {
  for (const name of shown) {
    const [from, to] = [join(shots, `${name}.png`), join(root, `docs/screenshots/vscode-${name}.png`)];
    mkdirSync(dirname(to), { recursive: true });
    const isSmall = spawnSync('pngquant', ['96', '--strip', '--force', '--output', to, from]).status === 0 ||
      spawnSync('convert', [from, '-dither', 'None', '-colors', '96', '-strip', `PNG8:${to}`]).status === 0;
    if (!isSmall)
      cpSync(from, to);
  }
}

/** The table that a column belongs in. */
function groupOf(column) {
  return column.endsWith('with a mouse') ? 'VS Code with a mouse' : 'VS Code';
}

/** The newest version and, where somebody got it, the oldest one that the manifest names. */
function hosts() {
  const chosen = process.env.ONNXLS_VSCODE_DIR;
  if (chosen)
    return [{ name: 'VS Code', ...findHost(resolve(chosen)) }];
  const oldest = { name: 'the oldest VS Code', ...findHost(join(root, 'build/editors/vscode-oldest')) };
  return [{ name: 'VS Code', ...findHost(join(root, 'build/editors/vscode')) }, oldest];
}

/** The extension host's tests, and those with a mouse, which know the window of the newest version. */
async function testIn(host) {
  const packages = makePackages();
  report('manifest', checkPage(packages.bare));
  for (const result of await checkGrammars(root, host))
    report('grammars', result);
  await runSuite(host, words.includes('--no-large') ? undefined : makeLarge());
  if (host.isOlder)
    return;
  for (const result of await runInterface({ host, scratch, packages, project: makeProject('project'), root, shots, only }))
    report(`VS Code ${host.version} with a mouse`, result);
  if (words.includes('--update-screenshots') && !failed)
    updateScreenshots();
}

async function main() {
  if (!existsSync(server)) {
    console.error(`there is no ${server}; ./dev build makes it`);
    process.exit(2);
  }
  for (const result of checkManifest(root, server))
    report('manifest', result);
  for (const host of hosts()) {
    if (host.why)
      console.log(`skipped: the extension in ${host.name}: ${host.why}`);
    else
      await testIn(host);
  }
  if (resultsFile)
    writeFileSync(resultsFile, JSON.stringify([...columns].map(([column, results]) => ({
      column, group: groupOf(column), isHidden: !column.startsWith('VS Code'), results,
    }))));
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}

await main();

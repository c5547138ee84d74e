// The process among others: clients that die, read slowly, or send bytes one at a time.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';

import { hasSanitizer, onWindows } from '../cli/onnxls.mjs';
import { PATIENCE_MS, binary, frame, patiently, withServer, withServerNow } from './client.mjs';
import { dump } from './document.mjs';

const uri = 'file:///robust/a.torchir';

/** Resolves when `isTrue()`; for what no event tells. */
async function until(what, isTrue) {
  for (const end = Date.now() + PATIENCE_MS; !isTrue();) {
    if (Date.now() > end)
      throw new Error(`no patience left waiting for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** A bare chroot has no /proc: there a process that can be signalled counts as running, and takes no memory. */
const hasProc = existsSync('/proc/self/status');

function isRunning(pid) {
  try {
    process.kill(pid, 0);
    return !hasProc || !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Memory in MB that the process has in RAM. */
function residentMb(pid) {
  return hasProc ? Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024 : 0;
}


function inFolder(body) {
  return async () => {
    const folder = mkdtempSync(join(tmpdir(), 'onnxls-'));
    try {
      await body(folder);
    } finally {
      rmSync(folder, { recursive: true });
    }
  };
}

/** Bodies of the messages in a byte stream. */
function bodies(bytes) {
  const found = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n\r\n', at) + 4;
    const length = Number(/Content-Length: (\d+)/.exec(bytes.toString('latin1', at, end))[1]);
    found.push(JSON.parse(bytes.toString('utf8', end, end + length)));
    at = end + length;
  }
  return found;
}

/** What a server writes when its standard input comes from `source`, a part of a shell command. */
async function play(folder, source) {
  const output = join(folder, 'output');
  const shell = spawn('sh', ['-c', `${source} > "$2"`, 'sh', binary, output], { stdio: ['ignore', 'ignore', 'inherit'] });
  const code = await new Promise((resolve) => shell.on('exit', resolve));
  return { code, messages: bodies(readFileSync(output)) };
}

/** Answers by id, and the last diagnostics. */
function gist({ code, messages }) {
  const answers = messages.filter(({ method }) => method === undefined).sort((a, b) => a.id - b.id);
  const published = messages.filter(({ method }) => method === 'textDocument/publishDiagnostics');
  return { code, answers, diagnostics: published.at(-1)?.params.diagnostics };
}

test('half a megabyte in chunks of one byte gives the same answers as in one piece, and as a file', inFolder(async (folder) => {
  const script = join(folder, 'script');
  const document = { textDocument: { uri } };
  const position = { line: 5, character: 4 };
  let id = 0;
  const ask = (method, params) => frame({ jsonrpc: '2.0', id: ++id, method, params });
  const tell = (method, params) => frame({ jsonrpc: '2.0', method, params });
  const size = 500_000;  // Each byte is two calls of the system.
  const text = dump(Math.ceil(size / 114), 1000);
  writeFileSync(script, Buffer.concat([
    ask('initialize', { processId: null, rootUri: null, capabilities: {} }),
    tell('initialized', {}),
    tell('textDocument/didOpen', { textDocument: { uri, languageId: 'torch-ir', version: 1, text } }),
    ask('textDocument/hover', { ...document, position }),
    ask('textDocument/references', { ...document, position, context: { includeDeclaration: true } }),
    tell('textDocument/didChange', { textDocument: { uri, version: 2 }, contentChanges: [{ range: { start: position, end: position }, text: 'y' }] }),
    ask('textDocument/hover', { ...document, position }),
    ask('textDocument/documentSymbol', document),
  ]));
  assert.ok(readFileSync(script).length > size);
  const fromFile = gist(await play(folder, `"$1" --stdio < ${script}`));
  const inOnePiece = gist(await play(folder, `cat ${script} | "$1"`));
  const byByte = gist(await play(folder, `dd if=${script} bs=1 status=none | "$1"`));
  assert.equal(fromFile.answers.length, id);
  assert.equal(fromFile.code, 1);
  assert.ok(fromFile.diagnostics.length > 0);
  assert.deepEqual(inOnePiece, fromFile);
  assert.deepEqual(byByte, fromFile);
}));

withServer('five thousand requests in one piece are all answered', {}, async (server) => {
  server.didOpen(uri, dump(10));
  const asked = Array.from({ length: 5000 }, (_, i) =>
    server.prepare('textDocument/hover', { textDocument: { uri }, position: { line: i % 12, character: 3 } }));
  server.raw(Buffer.concat(asked.map(({ message }) => frame(message))));
  await Promise.all(asked.map(({ answer }) => answer));
});

test('a client that does not read gets everything in the end, and costs no memory meanwhile', inFolder(async (folder) => {
  const log = join(folder, 'log');
  await withServerNow({ args: [`--log-file=${log}`] }, async (server) => {
    // One value with many uses in a file with a long name: large answers that cost little to make.
    const long = `file:///${'long/'.repeat(100)}a.torchir`;
    const uses = Array.from({ length: 8000 }, (_, i) => `  %y.${i} : Tensor = aten::relu(%x)\n`).join('');
    const params = { textDocument: { uri: long }, position: { line: 0, character: 7 }, context: { includeDeclaration: true } };
    server.didOpen(long, `graph(%x : Tensor):\n${uses}  return (%x)\n`);
    await server.diagnostics(long, 1);
    const first = await server.request('textDocument/references', params);
    assert.equal(first.length, 8002);
    const size = JSON.stringify(first).length;
    const before = residentMb(server.pid);
    server.input.pause();
    const asked = Array.from({ length: Math.ceil(110_000_000 / size) }, () => server.prepare('textDocument/references', params));
    for (const { message } of asked)
      server.send(message);
    await until('the server to stop reading', () => /reading pauses/.test(readFileSync(log, 'utf8')));
    const after = residentMb(server.pid);
    if (!hasSanitizer)
      assert.ok(after < before + 64 + 3 * size / 1e6 + 30, `${before} MB before, ${after} MB with ${size} bytes an answer`);
    server.input.resume();
    for (const { answer } of asked)
      assert.equal((await answer).length, first.length);
    assert.match(readFileSync(log, 'utf8'), /reading goes on/);
  });
}));

/** A client of its own process, which tells the server's pid and then waits to be killed. */
const clientScript = `
  const { spawn } = require('node:child_process');
  const server = spawn(process.argv[1], ['--stdio'], { stdio: ['pipe', 'pipe', 'ignore'] });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize',
                                params: { processId: process.pid, rootUri: null, capabilities: {} } });
  server.stdin.write('Content-Length: ' + body.length + '\\r\\n\\r\\n' + body);
  server.stdout.once('data', () => console.log(server.pid));
  setInterval(() => {}, 1000);
`;

test('the client is killed: the server goes', async () => {
  const client = spawn(process.execPath, ['-e', clientScript, binary], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = Number(await patiently(new Promise((resolve) => client.stdout.once('data', resolve)), 'the server to start'));
  assert.ok(isRunning(pid));
  client.kill('SIGKILL');
  await until('the server to end', () => !isRunning(pid));
});

const noNumber = onWindows('under Wine a process of Linux has no number');

for (const [name, options] of [
  ['processId', (pid) => ({ initialize: { processId: pid } })],
  ['--clientProcessId', (pid) => ({ args: [`--clientProcessId=${pid}`] })],
  ['--clientProcessId in two words', (pid) => ({ args: ['--stdio', '--clientProcessId', `${pid}`] })],
]) {
  test(`the process of ${name} dies while others hold the pipes: the server goes`, { skip: noNumber }, async () => {
    const parent = spawn('sleep', ['1000']);
    await withServerNow(options(parent.pid), async (server) => {
      await server.isAlive();
      parent.kill('SIGKILL');
      assert.deepEqual(await patiently(server.exited, 'the server to end'), { code: 1, signal: null });
    });
  });
}

test('a process that can not be seen from here is not waited for', async () => {
  const gone = spawn('true');
  await new Promise((resolve) => gone.on('exit', resolve));
  await withServerNow({ initialize: { processId: gone.pid } }, (server) => server.isAlive());
});

withServer('exit in the middle of reading a large dump', {}, async (server) => {
  server.didOpen(uri, dump(200_000));
  await server.request('shutdown');
  server.notify('exit');
  assert.deepEqual(await patiently(server.exited, 'the server to end'), { code: 0, signal: null });
  assert.equal(server.count('textDocument/publishDiagnostics'), 0);
});

const noLastWords = (hasSanitizer && 'a sanitizer has a report of its own') || onWindows('no signals');

withServer('a crash leaves what was being done', { end: false, skip: noLastWords }, async (server) => {
  server.didOpen(uri, dump(10), { version: 42 });
  await server.diagnostics(uri, 42);
  await server.at('hover', uri, 1, 3);
  server.child.kill('SIGSEGV');
  assert.deepEqual(await server.exited, { code: 101, signal: null });
  assert.match(server.stderr, /signal 11/);
  assert.match(server.stderr, /last was textDocument\/hover of file:\/\/\/robust\/a\.torchir version 42/);
});

test('flags that make no sense', async () => {
  for (const args of [['--socket=x'], ['--socket=0'], ['--socket=70000'], ['--clientProcessId=-1'], ['--nonsense'], ['serve', 'file'], ['--pipe']]) {
    const server = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    server.stderr.on('data', (data) => { said += data; });
    assert.equal(await new Promise((resolve) => server.on('close', resolve)), 2, args.join(' '));
    assert.match(said, /onnxls serve: /);
  }
});

test('standard streams that are closed', async () => {
  for (const [redirections, expected] of [['<&-', 1], ['>&- </dev/null', 1], ['<&- >&- 2>&-', 1], ['</dev/null', 1]]) {
    const shell = spawn('sh', ['-c', `exec "$1" ${redirections}`, 'sh', binary], { stdio: 'ignore' });
    assert.equal(await new Promise((resolve) => shell.on('exit', resolve)), expected, redirections);
  }
});

test('nobody listens where the server should connect', async () => {
  for (const args of [['--pipe=/nonexistent/socket'], ['--socket=1']]) {
    const server = spawn(binary, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    server.stderr.on('data', (data) => { said += data; });
    assert.equal(await new Promise((resolve) => server.on('close', resolve)), 2);
    assert.match(said, /can't connect to (\/nonexistent\/socket|1): /);
  }
});

withServer('a local socket', { transport: 'pipe', skip: onWindows('pipes have other names, which Node knows on Windows only') }, async (server) => {
  server.didOpen(uri, dump(10, 5));
  assert.equal((await server.diagnostics(uri, 1)).diagnostics.length > 0, true);
});

/** Whether each thread of the process is confined: 2 is a filter, as proc(5) says. */
function isConfined(pid) {
  const threads = readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/status`, 'utf8'));
  const confined = threads.filter((status) => /^NoNewPrivs:\t1$/m.test(status) && /^Seccomp:\t2$/m.test(status));
  assert.ok(confined.length === 0 || confined.length === threads.length);
  return confined.length > 0;
}

const canConfine = hasProc && spawnSync(binary, ['doctor'], { encoding: 'utf8' }).stdout.includes('gives up starting programs');

test('the process gives up what it does not need', { skip: !canConfine && 'nothing can be given up here' }, () => withServerNow({ initialize: false }, async (server) => {
  assert.equal(isConfined(server.pid), false);
  await server.initialize();
  server.didOpen('file:///robust/a.torchir', dump(10), { version: 1 });
  await server.diagnostics('file:///robust/a.torchir', 1);
  assert.equal(isConfined(server.pid), true);
}));

test('the client may keep it all', { skip: !canConfine && 'nothing can be given up here' }, () => withServerNow({ initialize: false }, async (server) => {
  await server.initialize({ initializationOptions: { sandbox: false } });
  assert.equal(isConfined(server.pid), false);
}));

test('a flag may, too', { skip: !canConfine && 'nothing can be given up here' }, () => withServerNow({ args: ['--no-sandbox'] }, async (server) => {
  assert.equal(isConfined(server.pid), false);
}));

// A client for tests: starts the server, speaks LSP with it, keeps every message, and checks each of them against the
// specification. `withServer()` is the way in; at its end it complains about whatever the server said wrong.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

import { checkParams, checkResult } from './metamodel.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const binary = process.env.ONNXLS ?? join(root, 'build', 'release', 'onnxls');
if (!existsSync(binary))
  throw new Error(`there is no server at ${binary}: build it, or say where it is with ONNXLS=...`);

/** A server that takes longer than this for anything hangs, however busy the machine is. */
export const PATIENCE_MS = 180_000;

export class ResponseError extends Error {
  constructor(method, { code, message }) {
    super(`${method}: ${code} ${message}`);
    this.code = code;
  }
}

export function frame(message) {
  const body = typeof message === 'string' ? message : JSON.stringify(message);
  return Buffer.from(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
}

/** Takes messages out of a stream, strictly: the server has no business to be sloppy. */
class Unframer {
  constructor(onMessage) {
    this.chunks = [];
    this.size = 0;
    this.needed = 0;
    this.length = -1;
    this.onMessage = onMessage;
  }

  feed(chunk) {
    this.chunks.push(chunk);
    this.size += chunk.length;
    while (this.size > 0 && this.size >= this.needed && this.step());
  }

  step() {
    const buffer = this.chunks.length === 1 ? this.chunks[0] : Buffer.concat(this.chunks);
    let used;
    if (this.length < 0) {
      const end = buffer.indexOf('\r\n\r\n');
      const header = end < 0 ? null : /^Content-Length: (\d+)$/.exec(buffer.toString('latin1', 0, end));
      if (end < 0) {
        this.chunks = [buffer];
        this.needed = this.size + 1;
        return false;
      }
      assert.ok(header, `a header that is none: ${buffer.toString('latin1', 0, Math.min(end, 200))}`);
      this.length = Number(header[1]);
      this.needed = this.length;
      used = end + 4;
    } else {
      this.onMessage(JSON.parse(buffer.toString('utf8', 0, this.length)));
      used = this.length;
      this.length = -1;
      this.needed = 1;
    }
    this.chunks = [buffer.subarray(used)];
    this.size -= used;
    return true;
  }
}

/** What a modern editor says that it can; tests take away and add. */
export const fullCapabilities = {
  general: { positionEncodings: ['utf-16'] },
  textDocument: {
    definition: { linkSupport: true },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    foldingRange: { lineFoldingOnly: true },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    publishDiagnostics: { relatedInformation: true, codeDescriptionSupport: true, dataSupport: true, versionSupport: true,
                          tagSupport: { valueSet: [1, 2] } },
    semanticTokens: { requests: { full: { delta: true }, range: true }, tokenTypes: [], tokenModifiers: [], formats: ['relative'] },
  },
};

export class Server {
  constructor({ args = [], env = {} } = {}) {
    this.messages = [];          // Everything the server sent, in order.
    this.problems = [];          // What was wrong with it.
    this.open = new Map();       // id -> { method, resolve, reject }
    this.answered = new Set();
    this.waiters = [];
    this.nextId = 1;
    this.stderr = '';
    this.handlers = {
      'client/registerCapability': () => null,
      'window/workDoneProgress/create': () => null,
      'workspace/codeLens/refresh': () => null,
      'workspace/configuration': ({ items }) => items.map(() => null),
      'workspace/diagnostic/refresh': () => null,
    };
    this.args = args;
    this.env = env;
    this.unframer = new Unframer((message) => this.receive(message));
  }

  /** Starts the process; `transport` is how it talks. */
  async start(transport = 'stdio') {
    if (transport === 'stdio') {
      this.spawn([...this.args], 'pipe');
      this.connect(this.child.stdout, this.child.stdin);
      return this;
    }
    const folder = transport === 'pipe' ? mkdtempSync(join(tmpdir(), 'onnxls-')) : null;
    const listener = createServer();
    await new Promise((resolve) => (folder ? listener.listen(join(folder, 's'), resolve) : listener.listen(0, '127.0.0.1', resolve)));
    const where = folder ? `--pipe=${join(folder, 's')}` : `--socket=${listener.address().port}`;
    const connected = new Promise((resolve) => listener.once('connection', resolve));
    this.spawn([where, ...this.args], 'ignore');
    this.socket = await patiently(connected, 'the server to connect');
    this.socket.setNoDelay(true);
    listener.close();
    if (folder)
      rmSync(folder, { recursive: true });
    this.connect(this.socket, this.socket);
    return this;
  }

  spawn(args, stdio) {
    this.child = spawn(binary, args, { stdio: [stdio, stdio, 'pipe'], env: { ...process.env, XDG_CACHE_HOME: '/nonexistent', ...this.env } });
    this.child.stderr.on('data', (data) => { this.stderr += data; });
    this.exited = new Promise((resolve) => this.child.on('exit', (code, signal) => {
      this.isGone = true;
      resolve({ code, signal });
    }));
    this.exited.then(({ code, signal }) => this.giveUp(`the server ended (${signal ?? code})\n${this.stderr}`));
  }

  connect(input, output) {
    this.input = input;
    this.output = output;
    output.on('error', () => {});  // It may be gone; whoever waits hears of it.
    input.on('error', () => {});
    input.on('data', (chunk) => this.unframer.feed(chunk));
  }

  get pid() { return this.child.pid; }

  giveUp(why) {
    for (const { method, reject } of this.open.values())
      reject(new Error(`${method}: ${why}`));
    this.open.clear();
    for (const waiter of this.waiters.splice(0))
      waiter.reject(new Error(`${waiter.what}: ${why}`));
  }

  complain(problems) {
    this.problems.push(...problems);
  }

  receive(message) {
    this.messages.push(message);
    if (message.jsonrpc !== '2.0')
      this.complain([`a message without jsonrpc: ${JSON.stringify(message).slice(0, 200)}`]);
    if (message.method === undefined)
      this.receiveResponse(message);
    else
      this.receiveCall(message);
    this.waiters = this.waiters.filter((waiter) => !waiter.check(message));
  }

  receiveResponse(message) {
    const extra = Object.keys(message).filter((key) => !['jsonrpc', 'id', 'result', 'error'].includes(key));
    if (extra.length || ('result' in message) === ('error' in message))
      this.complain([`a response of the wrong shape: ${JSON.stringify(message).slice(0, 200)}`]);
    if (message.id === null)
      return;
    const request = this.open.get(message.id);
    if (!request) {
      this.complain([`${this.answered.has(message.id) ? 'a second' : 'an unasked'} answer to ${JSON.stringify(message.id)}`]);
      return;
    }
    this.open.delete(message.id);
    this.answered.add(message.id);
    if (message.error) {
      request.reject(new ResponseError(request.method, message.error));
    } else {
      this.complain(checkResult(request.method, message.result));
      request.resolve(message.result);
    }
  }

  receiveCall(message) {
    this.complain(checkParams(message.method, message.params));
    if (message.id === undefined)
      return;
    const handler = this.handlers[message.method];
    if (!handler)
      this.complain([`the server asks ${message.method}, which nobody expected`]);
    else
      Promise.resolve(handler(message.params)).then((result) => {
        if (result !== undefined)
          this.send({ jsonrpc: '2.0', id: message.id, result });
      });
  }

  /** Bytes as they are. */
  raw(bytes) {
    if (!this.isGone)
      this.output.write(bytes);
  }

  send(message) {
    this.raw(frame(message));
  }

  notify(method, params) {
    this.send({ jsonrpc: '2.0', method, params });
  }

  /** A message, and the promise of its answer; `id` and `send` for those who have plans of their own. */
  prepare(method, params, id = this.nextId++) {
    const pending = new Promise((resolve, reject) => this.open.set(id, { method, resolve, reject }));
    const answer = patiently(pending, `${method} to be answered`);
    answer.catch(() => {});  // Tests that do not look at an answer need not handle its failure.
    return { id, answer, message: { jsonrpc: '2.0', id, method, params } };
  }

  request(method, params) {
    const { answer, message } = this.prepare(method, params);
    this.send(message);
    return answer;
  }

  /** Asserts that a request fails with this code. */
  async refuses(code, method, params) {
    await assert.rejects(this.request(method, params), (error) => {
      assert.equal(error.code, code, error.message);
      return true;
    });
  }

  /** The first message, of those sent already or later, that `matches`. */
  wait(what, matches, from = 0) {
    const found = this.messages.slice(from).find(matches);
    if (found)
      return Promise.resolve(found);
    const waiting = new Promise((resolve, reject) => this.waiters.push({
      what,
      reject,
      check: (message) => matches(message) && (resolve(message), true),
    }));
    return patiently(waiting, what);
  }

  notification(method, matches = () => true, from = 0) {
    return this.wait(method, (message) => message.method === method && matches(message.params), from).then(({ params }) => params);
  }

  /** Diagnostics of a version of a document. */
  diagnostics(uri, version, from = 0) {
    return this.notification('textDocument/publishDiagnostics',
                             (params) => params.uri === uri && params.version === version, from);
  }

  count(method) {
    return this.messages.filter((message) => message.method === method).length;
  }

  async initialize({ capabilities = fullCapabilities, ...rest } = {}) {
    const params = { processId: null, rootUri: null, capabilities, ...rest };
    this.initialized = await this.request('initialize', params);
    this.notify('initialized', {});
    return this.initialized;
  }

  didOpen(uri, text, { version = 1, languageId = 'torch-ir' } = {}) {
    this.notify('textDocument/didOpen', { textDocument: { uri, languageId, version, text } });
  }

  didChange(uri, version, ...contentChanges) {
    this.notify('textDocument/didChange', { textDocument: { uri, version }, contentChanges });
  }

  didClose(uri) {
    this.notify('textDocument/didClose', { textDocument: { uri } });
  }

  at(method, uri, line, character, more = {}) {
    return this.request(`textDocument/${method}`, { textDocument: { uri }, position: { line, character }, ...more });
  }

  /** The answer to a request that any server has; proves that this one is still listening. */
  async isAlive() {
    await this.refuses(-32601, '$/isAlive', {});
  }

  async shutdown() {
    await this.request('shutdown');
    this.notify('exit');
    return patiently(this.exited, 'the server to exit');
  }

  kill() {
    if (!this.isGone)
      this.child.kill('SIGKILL');
    this.socket?.destroy();
  }
}

export function range(startLine, startCharacter, endLine, endCharacter) {
  return { start: { line: startLine, character: startCharacter }, end: { line: endLine, character: endCharacter } };
}

export function patiently(promise, what, ms = PATIENCE_MS) {
  let timer;
  const late = new Promise((resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no patience left waiting for ${what}`)), ms);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

/**
 * Runs `body` with a server of its own. Options: `transport`, `args`, `env`; `initialize: false` leaves that to the body,
 * and an object is what initialize gets. The body ends the server, or leaves it running to be shut down here (not with
 * `end: false`); what it sent is checked.
 */
export async function withServerNow(options, body) {
  const server = await new Server(options).start(options.transport);
  try {
    if (options.initialize !== false)
      await server.initialize(options.initialize ?? {});
    await body(server);
    if (!server.isGone && options.end !== false)
      assert.deepEqual(await server.shutdown(), { code: 0, signal: null });
    assert.deepEqual(server.problems, []);
  } catch (error) {
    if (server.stderr)
      error.message += `\nstandard error of the server:\n${server.stderr.slice(0, 4000)}`;
    throw error;
  } finally {
    server.kill();
  }
}

/** The same as a test; `skip` says why it can't run. */
export function withServer(name, { skip = false, ...options }, body) {
  test(name, { skip }, () => withServerNow(options, body));
}

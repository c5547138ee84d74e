// A language client that stays out of the way of what it measures.
//
// Times are taken when the last byte of a message has arrived, before anything is decoded, and when the first byte of a
// message is handed to the pipe; large texts are escaped beforehand. Messages above LARGE bytes are not parsed at all:
// their id, or method and version, are read from their first and last bytes. Everything that is waited for has a limit.
import { spawn } from 'node:child_process';
import fs from 'node:fs';

const LARGE = 64 * 1024;
const EDGE = 512;
const HEADER_LIMIT = 4096;

const CAPABILITIES = {
  general: { positionEncodings: ['utf-16'] },
  textDocument: {
    synchronization: { didSave: true },
    publishDiagnostics: { versionSupport: true, relatedInformation: true, tagSupport: { valueSet: [1, 2] },
                          codeDescriptionSupport: true },
    hover: { contentFormat: ['markdown', 'plaintext'] },
    definition: { linkSupport: true },
    completion: { completionItem: { snippetSupport: true } },
    documentSymbol: { hierarchicalDocumentSymbolSupport: true },
    semanticTokens: { requests: { range: true, full: { delta: true } }, tokenTypes: [], tokenModifiers: [],
                      formats: ['relative'] },
  },
  window: { workDoneProgress: true },
  workspace: { configuration: true },
};

/** The pieces of one message; `parts` are strings or buffers that make up its body. */
export function frame(...parts) {
  const body = parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part));
  const length = body.reduce((sum, part) => sum + part.length, 0);
  return [Buffer.from(`Content-Length: ${length}\r\n\r\n`), ...body];
}

/** What is needed of a message; `message` itself only when it is small. */
function decode(body) {
  if (body.length <= LARGE) {
    const message = JSON.parse(body);
    return { id: message.id, method: message.method, version: message.params?.version, message };
  }
  const head = body.toString('latin1', 0, EDGE);
  const tail = body.toString('latin1', body.length - EDGE);
  const number = (key) => (new RegExp(`"${key}"\\s*:\\s*(\\d+)`).exec(head) ??
                           new RegExp(`"${key}"\\s*:\\s*(\\d+)[^"\\]]*\\}$`).exec(tail))?.[1];
  const method = /"method"\s*:\s*"([^"]+)"/.exec(head)?.[1];
  const id = method ? undefined : number('id');
  return { id: id && Number(id), method, version: method && Number(number('version')) };
}

/** Milliseconds that all threads of a process have computed so far; null where the system does not say. */
export function computedMs(pid) {
  try {
    const process = `/proc/${pid}`;
    const spent = (task) => Number(fs.readFileSync(`${process}/task/${task}/schedstat`, 'latin1').split(' ')[0]);
    const exact = fs.readdirSync(`${process}/task`).reduce((sum, task) => sum + spent(task), 0) / 1e6;
    // Threads that ended are in the process's own numbers only, which are rounded down to 10 ms.
    const fields = fs.readFileSync(`${process}/stat`, 'latin1').replace(/^.*\) /s, '').split(' ');
    return Math.max(exact, (Number(fields[11]) + Number(fields[12])) * 10);
  } catch {
    return null;
  }
}

export class Client {
  #child;
  #chunks = [];
  #have = 0;
  #need = 0;
  #replies = new Map();
  #publishes = [];
  #nextId = 1;
  #end = null;
  #patience;
  #isVersionless;

  /**
   * Spawns the server; `startedAt` is the moment before that. Of a server that puts no version on its diagnostics, any
   * diagnostics count as those that are waited for.
   */
  constructor(command, args, patienceMs, isVersionless = false) {
    this.#patience = patienceMs;
    this.#isVersionless = isVersionless;
    this.startedAt = performance.now();
    this.#child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
    this.#child.on('error', (error) => this.#fail(`can't start the server: ${error.message}`));
    this.#child.on('exit', (code, signal) => this.#fail(`the server ended with ${signal ?? code}`));
    this.#child.stdin.on('error', () => {});
    this.#child.stdout.on('data', (chunk) => this.#receive(chunk, performance.now()));
  }

  get pid() {
    return this.#child.pid;
  }

  #fail(why) {
    this.#end ??= why;
    for (const wait of [...this.#replies.values(), ...this.#publishes])
      wait.settle(new Error(why));
  }

  #receive(chunk, at) {
    this.#chunks.push(chunk);
    this.#have += chunk.length;
    while (this.#have > 0) {
      if (this.#need === 0 && !this.#readHeader())
        return;
      if (this.#have < this.#need)
        return;
      const all = Buffer.concat(this.#chunks);
      const body = all.subarray(0, this.#need);
      const rest = all.subarray(this.#need);
      this.#chunks = rest.length > 0 ? [rest] : [];
      this.#have = rest.length;
      this.#need = 0;
      this.#dispatch(body, at);
    }
  }

  /** Drops the header and sets #need to the length of the body after it. */
  #readHeader() {
    const all = Buffer.concat(this.#chunks);
    const end = all.indexOf('\r\n\r\n');
    if (end < 0 && all.length < HEADER_LIMIT)
      return false;
    const length = /Content-Length: (\d+)/i.exec(all.toString('latin1', 0, Math.max(end, 0)))?.[1];
    if (length === undefined) {
      this.#fail('the server sent something that is not a message');
      this.kill();
      return false;
    }
    this.#need = Number(length);
    this.#chunks = [all.subarray(end + 4)];
    this.#have = this.#chunks[0].length;
    return true;
  }

  #dispatch(body, at) {
    const { id, method, version, message } = decode(body);
    if (method === 'textDocument/publishDiagnostics')
      this.#publishes.filter((wait) => this.#isVersionless || version >= wait.version)
        .forEach((wait) => wait.settle(null, { at, body }));
    else if (method !== undefined && id !== undefined)
      this.write(frame(JSON.stringify({ jsonrpc: '2.0', id, result: message.params?.items?.map(() => null) ?? null })));
    else if (method === undefined)
      this.#replies.get(id)?.settle(null, { at, body, message });
  }

  /** A promise that is settled by a message, the server's end, or impatience. */
  #wait(what, register, unregister, extra = {}) {
    if (this.#end)
      return Promise.reject(new Error(this.#end));
    return new Promise((resolve, reject) => {
      const wait = { ...extra };
      const timer = setTimeout(() => wait.settle(new Error(`no ${what} within ${this.#patience / 1000} s`)),
                               this.#patience);
      wait.settle = (error, value) => {
        clearTimeout(timer);
        unregister(wait);
        error ? reject(error) : resolve(value);
      };
      register(wait);
    });
  }

  write(pieces) {
    this.#child.stdin.cork();
    for (const piece of pieces)
      this.#child.stdin.write(piece);
    this.#child.stdin.uncork();
  }

  notify(method, params) {
    this.write(frame(JSON.stringify({ jsonrpc: '2.0', method, params })));
  }

  /** { ms, body, message }; `message` is missing when the answer is large. */
  async request(method, params) {
    const id = this.#nextId++;
    const pieces = frame(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
    const answer = this.#wait(`answer to ${method}`, (wait) => this.#replies.set(id, wait),
                              () => this.#replies.delete(id));
    const sentAt = performance.now();
    this.write(pieces);
    const { at, body, message } = await answer;
    if (message?.error)
      throw new Error(`${method}: ${message.error.message}`);
    return { at, ms: at - sentAt, body, message };
  }

  /** Sends `pieces` and waits for the diagnostics of that version or a newer one: { ms, body }. */
  async publishedAfter(pieces, version) {
    const published = this.#wait(`diagnostics of version ${version}`, (wait) => this.#publishes.push(wait),
                                 (wait) => this.#publishes.splice(this.#publishes.indexOf(wait), 1), { version });
    const sentAt = performance.now();
    this.write(pieces);
    const { at, body } = await published;
    return { at, ms: at - sentAt, body };
  }

  /** Milliseconds from before the spawn to the answer, and what the server says of itself. */
  async initialize(initializationOptions) {
    const { at, message } = await this.request('initialize', {
      processId: process.pid, rootUri: null, capabilities: CAPABILITIES, initializationOptions,
    });
    this.notify('initialized', {});
    return { ms: at - this.startedAt, ...message.result };
  }

  /** A line of /proc/PID/status in bytes: "VmRSS", "VmHWM"; null where there is none. */
  memory(field) {
    try {
      const status = fs.readFileSync(`/proc/${this.pid}/status`, 'latin1');
      return Number(new RegExp(`^${field}:\\s*(\\d+) kB`, 'm').exec(status)[1]) * 1024;
    } catch {
      return null;
    }
  }

  cpu() {
    return computedMs(this.pid);
  }

  /** Ends the server, and kills one that is still there `limitMs` after it was told. */
  async shutdown(limitMs = 5000) {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    try {
      await this.request('shutdown', null);
      this.notify('exit', null);
      const timer = setTimeout(() => this.kill(), limitMs);
      await ended;
      clearTimeout(timer);
    } catch {
      this.kill();
    }
  }

  kill() {
    this.#child.kill('SIGKILL');
  }
}

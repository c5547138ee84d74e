// A small LSP client over stdio for tests: requests, notifications, and waiting for published diagnostics.
import { spawn } from 'node:child_process';

export class LspClient {
  #child;
  #buffer = Buffer.alloc(0);
  #waiting = new Map();
  #published = new Map();
  #watchers = [];
  #nextId = 1;
  #gone = null;

  constructor(command, { timeoutMs = 300_000, ...options } = {}) {
    this.timeoutMs = timeoutMs;
    this.#child = spawn(command[0], command.slice(1), { stdio: ['pipe', 'pipe', 'inherit'], ...options });
    this.#child.stdin.on('error', () => {});
    this.#child.stdout.on('data', (data) => this.#receive(data));
    this.#child.on('error', (error) => this.#end(error));
    this.#child.on('exit', (code, signal) => this.#end(new Error(`the server ended with ${signal ?? code}`)));
  }

  #end(error) {
    this.#gone = error;
    for (const { reject } of [...this.#waiting.values(), ...this.#watchers])
      reject(error);
  }

  #receive(data) {
    this.#buffer = Buffer.concat([this.#buffer, data]);
    for (;;) {
      const end = this.#buffer.indexOf('\r\n\r\n');
      if (end < 0)
        return;
      const length = Number(/Content-Length: (\d+)/i.exec(this.#buffer.toString('latin1', 0, end))[1]);
      if (this.#buffer.length < end + 4 + length)
        return;
      const message = JSON.parse(this.#buffer.toString('utf8', end + 4, end + 4 + length));
      this.#buffer = this.#buffer.subarray(end + 4 + length);
      this.#dispatch(message);
    }
  }

  #dispatch(message) {
    if (message.method === 'textDocument/publishDiagnostics') {
      this.#published.set(message.params.uri, message.params);
      this.#watchers = this.#watchers.filter((watcher) => !watcher.look());
    } else if (message.method !== undefined && message.id !== undefined) {
      const result = message.method === 'workspace/configuration' ? message.params.items.map(() => null) : null;
      this.#send({ id: message.id, result });
    } else if (message.method === undefined) {
      const { resolve, reject } = this.#waiting.get(message.id);
      this.#waiting.delete(message.id);
      message.error ? reject(new Error(message.error.message)) : resolve(message.result);
    }
  }

  #send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }));
    this.#child.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.#child.stdin.write(body);
  }

  /** `promise`, or an error when it takes too long. */
  #limit(what, promise) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no ${what} within ${this.timeoutMs} ms`)), this.timeoutMs);
    });
    return Promise.race([promise, late]).finally(() => clearTimeout(timer));
  }

  request(method, params) {
    if (this.#gone)
      return Promise.reject(this.#gone);
    const id = this.#nextId++;
    const answer = new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#send({ id, method, params });
    return this.#limit(`answer to ${method}`, answer);
  }

  notify(method, params) {
    this.#send({ method, params });
  }

  /** Columns are code points, as in `check --format json`. */
  async start(initializationOptions, rootUri = null) {
    const result = await this.request('initialize', {
      processId: process.pid,
      rootUri,
      workspaceFolders: rootUri ? [{ uri: rootUri, name: 'tests' }] : null,
      initializationOptions,
      capabilities: {
        general: { positionEncodings: ['utf-32'] },
        workspace: { workspaceEdit: { documentChanges: true, resourceOperations: ['create'] } },
        textDocument: {
          codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: [] } }, isPreferredSupport: true },
          publishDiagnostics: { relatedInformation: true, versionSupport: true, codeDescriptionSupport: true,
                                dataSupport: true, tagSupport: { valueSet: [1, 2] } },
          completion: { completionItem: { snippetSupport: true, insertReplaceSupport: true, preselectSupport: true,
                                          documentationFormat: ['markdown'], tagSupport: { valueSet: [1] } },
                        completionItemKind: { valueSet: Array.from({ length: 25 }, (_, i) => i + 1) } },
          signatureHelp: { signatureInformation: { documentationFormat: ['markdown'], activeParameterSupport: true,
                                                   parameterInformation: { labelOffsetSupport: true } } },
          hover: { contentFormat: ['markdown', 'plaintext'] },
          documentSymbol: { hierarchicalDocumentSymbolSupport: true },
          definition: { linkSupport: false },
          foldingRange: {}, selectionRange: {}, documentLink: {}, documentHighlight: {}, references: {},
          semanticTokens: { requests: { full: true, range: true }, formats: ['relative'], tokenTypes: [],
                            tokenModifiers: [] },
        },
      },
    });
    if (result.capabilities.positionEncoding !== 'utf-32')
      throw new Error(`the server counts columns in ${result.capabilities.positionEncoding}, not utf-32`);
    this.capabilities = result.capabilities;
    this.notify('initialized', {});
  }

  open(uri, text, languageId = 'torch-ir') {
    this.notify('textDocument/didOpen', { textDocument: { uri, languageId, version: 1, text } });
  }

  close(uri) {
    this.notify('textDocument/didClose', { textDocument: { uri } });
    this.#published.delete(uri);
  }

  /** The diagnostics of an open document, as soon as they are published. */
  diagnostics(uri) {
    if (this.#gone)
      return Promise.reject(this.#gone);
    const found = new Promise((resolve, reject) => {
      const look = () => {
        const params = this.#published.get(uri);
        if (params)
          resolve(params.diagnostics);
        return params !== undefined;
      };
      if (!look())
        this.#watchers.push({ look, reject });
    });
    return this.#limit(`diagnostics of ${uri}`, found);
  }

  async stop() {
    await this.request('shutdown', null);
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.notify('exit', null);
    await this.#limit('end of the server', ended);
  }
}

// The server's life: found, started, watched, started again after a crash, stopped.
import * as vscode from 'vscode';
import { CloseAction, ErrorAction, LanguageClient, LanguageClientOptions, Location, Position, RevealOutputChannelOn, State,
  StaticFeature, TextDocumentContentRequest } from 'vscode-languageclient/node';
import { Backoff } from './backoff';
import { Found, findServer, probeServer } from './find';
import { dumpSelector } from './languages';
import { PythonGate, notebookCells, pythonSelector, textSelector } from './python';
import { chosenSettings } from './settings';

/** From here on VS Code gets the colours of what is on the screen only: those of 400,000 lines are 28 MB of numbers. */
const manyLines = 20_000;

const guide = 'https://github.com/onnxls/onnxls/blob/main/docs/editors/vscode.md';

/** Tells the server which of its code actions end in a command of the extension. */
const ownCommands: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    capabilities.experimental = { ...capabilities.experimental as object, commands: ['onnxls.listUnsupported', 'onnxls.showReferences'] };
  },
  initialize: () => undefined,
  getState: () => ({ kind: 'static' }),
  clear: () => undefined,
};

/** docs/protocol.md, onnxls/status */
export interface Status {
  status: 'checked' | 'partly' | 'skipped';
  why: string | null;
  torch: string;
  torchFrom: string;
  exporter: string;
  exporterFrom: string;
  opset: number;
  opsetFrom: string;
}

export type Health = 'stopped' | 'starting' | 'running' | 'waiting' | 'failed';

export class Server implements vscode.Disposable {
  health: Health = 'stopped';
  /** Why it failed, or what it waits for. */
  reason = '';
  found?: Found;
  version = '';
  crashCount = 0;
  readonly python = new PythonGate();

  private client?: LanguageClient;
  private timer?: NodeJS.Timeout;
  private readonly backoff = new Backoff();
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;
  /** Starts and stops wait for each other. */
  private queue: Promise<void> = Promise.resolve();

  constructor(private readonly context: vscode.ExtensionContext, readonly log: vscode.LogOutputChannel) {}

  /** For documents: the first of them starts the server. */
  startIfStopped(): Promise<void> {
    return this.enqueue(async () => {
      if (this.health === 'stopped')
        await this.launch();
    });
  }

  /** For people: whatever was before, from now on it runs. */
  restart(): Promise<void> {
    this.backoff.forget();
    return this.enqueue(async () => {
      await this.end();
      await this.launch();
    });
  }

  stop(): Promise<void> {
    return this.enqueue(() => this.end());
  }

  get processId(): number | undefined {
    return this.client?.serverProcess?.pid;
  }

  get capabilities(): object | undefined {
    return this.client?.initializeResult?.capabilities;
  }

  /** What a command of the server answers; undefined if it does not run. */
  async execute<T>(command: string, ...args: unknown[]): Promise<T | undefined> {
    await this.startIfStopped();
    const client = this.client;
    return client ? await client.sendRequest<T>('workspace/executeCommand', { command, arguments: args }) ?? undefined : undefined;
  }

  /** Of this server alone: others that know the document have answers of their own. */
  async references(uri: string, position: Position): Promise<vscode.Location[]> {
    const params = { textDocument: { uri }, position, context: { includeDeclaration: false } };
    const found = await this.client?.sendRequest<Location[]>('textDocument/references', params);
    return await this.client?.protocol2CodeConverter.asReferences(found) ?? [];
  }

  /** Asks again for the text of a model: its file was written. */
  refreshContent(uri: vscode.Uri): void {
    for (const provider of this.client?.getFeature(TextDocumentContentRequest.method)?.getProviders() ?? []) {
      if (provider.scheme === uri.scheme)
        provider.onDidChangeEmitter.fire(uri);
    }
  }

  /** A request of our own; undefined if the server is not there, or has no answer. */
  async ask<T>(method: string, params: object): Promise<T | undefined> {
    if (this.health !== 'running')
      return undefined;
    return await this.client?.sendRequest<T | null>(method, params) ?? undefined;
  }

  /** How much of a document was judged, and for which export; undefined if the server does not have it. */
  async status(uri: string): Promise<Status | undefined> {
    if (this.health !== 'running')
      return undefined;
    return await this.client?.sendRequest<Status | null>('onnxls/status', { textDocument: { uri } }) ?? undefined;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.changed.dispose();
  }

  private enqueue(step: () => Promise<void>): Promise<void> {
    this.queue = this.queue.then(step, step);
    return this.queue;
  }

  private set(health: Health, reason = ''): void {
    this.health = health;
    this.reason = reason;
    this.changed.fire();
  }

  /** Never throws: what went wrong is the state that it leaves, and a message. */
  private async launch(): Promise<void> {
    this.set('starting');
    try {
      this.found = undefined;
      this.version = '';
      this.found = findServer(this.context);
      this.version = await probeServer(this.found.path);
    } catch (error) {
      this.fail(messageOf(error), 'Open Settings', 'How to Install');
      return;
    }
    this.log.info(`starting ${this.found.path}, from ${this.found.origin}: ${this.version.replace(/\n/g, '; ')}`);
    const client = this.makeClient(this.found.path);
    this.client = client;
    try {
      await client.start();
      if (this.client === client)
        this.set('running');
    } catch (error) {
      this.log.error(messageOf(error));
      if (this.client === client)
        this.crashed(client);
    }
  }

  private async end(): Promise<void> {
    clearTimeout(this.timer);
    const client = this.client;
    this.client = undefined;
    if (client && client.state !== State.Stopped)
      await client.stop().catch((error) => this.log.warn(`while stopping: ${messageOf(error)}`));
    await client?.dispose().catch(() => undefined);
    this.set('stopped');
  }

  private makeClient(command: string): LanguageClient {
    this.python.reset();
    const options: LanguageClientOptions = {
      documentSelector: [...dumpSelector, ...pythonSelector, ...textSelector, notebookCells],
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      diagnosticPullOptions: { onChange: true, onSave: true },
      middleware: {
        sendNotification: this.python.sendNotification,
        sendRequest: this.python.sendRequest,
        provideDocumentSemanticTokens: (document, token, next) =>
          document.lineCount > manyLines ? undefined : next(document, token),
        provideDocumentSemanticTokensEdits: (document, previous, token, next) =>
          document.lineCount > manyLines ? undefined : next(document, previous, token),
        provideWorkspaceDiagnostics: (known, token, report, next) =>
          wantsWholeWorkspace() ? next(known, token, report) : { items: [] },
        workspace: {
          configuration: (params) => params.items.map(({ scopeUri, section }) =>
            section === 'onnxls' ? chosenSettings(scopeUri ? vscode.Uri.parse(scopeUri) : undefined) : null),
        },
      },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => {
          if (this.client === client)
            this.crashed(client);
          return { action: CloseAction.DoNotRestart, handled: true, message: 'the server has ended' };
        },
      },
    };
    const freedom = vscode.workspace.getConfiguration('onnxls').get<boolean>('server.sandbox', true) ? [] : ['--no-sandbox'];
    const client: LanguageClient = new LanguageClient('onnxls', 'onnxls', { command, args: ['serve', '--stdio', ...freedom] }, options);
    client.registerFeature(ownCommands);
    return client;
  }

  /** The client was ours and its server is gone; once for each client. */
  private crashed(client: LanguageClient): void {
    this.client = undefined;
    this.crashCount++;
    const wait = this.backoff.next(Date.now());
    if (wait === undefined) {
      this.fail('The server onnxls has crashed six times within three minutes.', 'Restart', 'Show Log');
      return;
    }
    this.log.warn(`the server has ended unexpectedly; it is started again ${wait ? `in ${wait / 1000} s` : 'at once'}`);
    this.set('waiting', 'It crashed and is started again.');
    this.timer = setTimeout(() => void this.enqueue(async () => {
      await client.dispose().catch(() => undefined);
      if (this.health === 'waiting')
        await this.launch();
    }), wait);
  }

  /** Says so, and does what the reader chooses. Not awaited: a message may stay for hours. */
  private fail(message: string, ...buttons: string[]): void {
    this.log.error(message);
    this.set('failed', message);
    void vscode.window.showErrorMessage(message, ...buttons).then((choice) => {
      if (choice === 'Open Settings')
        void openSettings('onnxls.server.path');
      else if (choice === 'How to Install')
        void vscode.env.openExternal(vscode.Uri.parse(guide));
      else if (choice === 'Restart')
        void this.restart();
      else if (choice === 'Show Log')
        this.log.show();
    });
  }
}

function wantsWholeWorkspace(): boolean {
  return vscode.workspace.getConfiguration('onnxls').get('diagnosticMode') === 'workspace';
}

/** What belongs to a machine is, in a remote window, on a page of its own. */
function openSettings(query: string): Thenable<unknown> {
  const isRemote = vscode.env.remoteName !== undefined;
  return vscode.commands.executeCommand(`workbench.action.open${isRemote ? 'Remote' : ''}Settings`, { query });
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

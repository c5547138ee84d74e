// Where VS Code comes in. The server starts with the first document that is its own, not with the extension.
import * as vscode from 'vscode';
import { Position } from 'vscode-languageclient/node';
import { debugInformation } from './debugInfo';
import { compare } from './compare';
import { explainError } from './explainError';
import { importFacts } from './importFacts';
import { detectLanguages, isOurs } from './languages';
import { Models } from './models';
import { becomesRelevant } from './python';
import { Operators } from './operators';
import { Pictures } from './picture';
import { showReferences } from './references';
import { Server } from './server';
import { showStatus } from './status';
import { createStub } from './stub';
import { setOpset, setTarget } from './target';
import { Reports } from './unsupported';

let server: Server | undefined;

async function showVersion(current: Server): Promise<void> {
  await current.startIfStopped();
  if (current.found && current.version) {
    const [version, ...facts] = current.version.split('\n');
    void vscode.window.showInformationMessage(`${version} from ${current.found.origin}; ${facts.join('; ')}`);
  }
}

/** A copy that is the user's own: a saved file, which may be changed and gets its new files beside it. */
async function openSample(context: vscode.ExtensionContext): Promise<void> {
  const sample = vscode.Uri.joinPath(context.extensionUri, 'samples', 'attention.torchir');
  const copy = vscode.Uri.joinPath(context.globalStorageUri, 'attention.torchir');
  await vscode.workspace.fs.createDirectory(context.globalStorageUri);
  await vscode.workspace.fs.copy(sample, copy, { overwrite: false }).then(undefined, (error: unknown) => {
    if (!(error instanceof vscode.FileSystemError && error.code === 'FileExists'))
      throw error;
  });
  await vscode.window.showTextDocument(copy);
}

export function activate(context: vscode.ExtensionContext): Server {
  const log = vscode.window.createOutputChannel('onnxls', { log: true });
  const current = new Server(context, log);
  server = current;
  const reports = new Reports(current);
  const operators = new Operators(current);
  const pictures = new Pictures(current, context.extensionUri);
  const models = new Models(current);
  const commands: Record<string, (uri?: string | vscode.Uri) => unknown> = {
    restart: () => current.restart(),
    showLog: () => log.show(),
    showVersion: () => showVersion(current),
    copyDebugInformation: async () => {
      await vscode.env.clipboard.writeText(debugInformation(context, current));
      void vscode.window.showInformationMessage('The debug information is in the clipboard.');
    },
    setTarget: () => setTarget(current),
    setOpset: () => setOpset(current),
    showPicture: () => pictures.open(),
    listUnsupported: (uri) => reports.open(typeof uri === 'string' ? uri : undefined),
    listOperators: () => operators.open(),
    createStub: () => createStub(),
    explainError: () => explainError(current),
    importFacts: () => importFacts(current),
    openModel: (uri) => models.openCommand(uri instanceof vscode.Uri ? uri : undefined),
    compare: (uri) => compare(current, uri instanceof vscode.Uri ? uri : undefined),
    openSample: () => openSample(context),
  };
  const startFor = (document: vscode.TextDocument) => {
    if (isOurs(document))
      void current.startIfStopped();
  };
  context.subscriptions.push(log, current, reports, operators, pictures, models, showStatus(current), detectLanguages(),
    ...Object.entries(commands).map(([name, run]) => vscode.commands.registerCommand(`onnxls.${name}`, run)),
    vscode.commands.registerCommand('onnxls.showReferences', (uri: string, position: Position) => showReferences(current, uri, position)),
    vscode.workspace.onDidOpenTextDocument(startFor),
    vscode.workspace.onDidChangeTextDocument((event) => {
      if (current.health === 'stopped' && becomesRelevant(event))
        void current.startIfStopped();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => restartIfMoved(current)),
    vscode.workspace.onDidChangeConfiguration((event) => {
      // What was said about files that nobody has open goes with the client.
      if (event.affectsConfiguration('onnxls.server.path') || event.affectsConfiguration('onnxls.diagnosticMode'))
        restartIfMoved(current);
    }));
  vscode.workspace.textDocuments.forEach(startFor);
  return current;
}

/** Another path may be the server now; one that nobody has needed yet stays stopped. */
function restartIfMoved(current: Server): void {
  if (current.health !== 'stopped')
    void current.restart();
}

export function deactivate(): Promise<void> | undefined {
  return server?.stop();
}

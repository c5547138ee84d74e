// Binary models (.onnx) as documents: the server gives their text, and a click on a file opens it.
import * as vscode from 'vscode';
import { modelScheme } from './languages';
import { Server } from './server';

const viewType = 'onnxls.model';

/** The document that has the text of a model. */
export function modelUri(file: vscode.Uri): vscode.Uri {
  return file.with({ scheme: modelScheme });
}

/** VS Code has no custom editor that is a text editor: this one opens the text in its place and goes away. */
export class Models implements vscode.CustomReadonlyEditorProvider, vscode.Disposable {
  private readonly watchers = new Map<string, vscode.Disposable>();
  private readonly parts: vscode.Disposable;

  constructor(private readonly server: Server) {
    this.parts = vscode.Disposable.from(
      vscode.window.registerCustomEditorProvider(viewType, this),
      vscode.workspace.onDidOpenTextDocument((document) => this.opened(document)),
      vscode.workspace.onDidCloseTextDocument((document) => this.closed(document)));
  }

  dispose(): void {
    this.parts.dispose();
    this.watchers.forEach((watcher) => watcher.dispose());
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => undefined };
  }

  async resolveCustomEditor(document: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
    const column = panel.viewColumn;
    await this.open(document.uri, column);
    panel.dispose();
  }

  /** Of the file that is named, or one that somebody chooses. */
  async openCommand(file?: vscode.Uri): Promise<void> {
    const chosen = file ? [file] : await vscode.window.showOpenDialog({ title: 'Open Model as Text', filters: { Models: ['onnx'] } });
    if (chosen?.[0])
      await this.open(chosen[0]);
  }

  private async open(file: vscode.Uri, viewColumn?: vscode.ViewColumn): Promise<void> {
    await this.server.startIfStopped();
    const document = await vscode.workspace.openTextDocument(modelUri(file));
    await vscode.languages.setTextDocumentLanguage(document, 'onnx-text');
    await vscode.window.showTextDocument(document, { viewColumn, preview: true });
  }

  /** The text follows the file: an export that runs again is seen at once. */
  private opened(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    if (document.uri.scheme !== modelScheme || this.watchers.has(key))
      return;
    const folder = vscode.Uri.joinPath(document.uri.with({ scheme: 'file' }), '..');
    const name = document.uri.path.slice(document.uri.path.lastIndexOf('/') + 1).replace(/[[\]{}*?]/g, '[$&]');
    const watcher = vscode.workspace.createFileSystemWatcher(new vscode.RelativePattern(folder, name));
    const refresh = () => this.server.refreshContent(document.uri);
    this.watchers.set(key, vscode.Disposable.from(watcher, watcher.onDidChange(refresh), watcher.onDidCreate(refresh)));
  }

  private closed(document: vscode.TextDocument): void {
    const key = document.uri.toString();
    this.watchers.get(key)?.dispose();
    this.watchers.delete(key);
  }
}

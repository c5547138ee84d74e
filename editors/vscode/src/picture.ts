// The picture of a graph in a panel beside its text: the page of editors/page/, which asks for what it shows. The cursor
// leads the picture, and a click in the picture leads the cursor.
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { isDrawable } from './languages';
import { Server } from './server';

const scripts = ['source.js', 'scene.js', 'draw.js', 'beside.js', 'main.js'];
/** Typing goes on for a while before the picture is asked for again. */
const redrawDelayMs = 400;

interface Message {
  type: 'ready' | 'scope' | 'search' | 'words' | 'reveal' | 'save';
  id?: number;
  scope?: number;
  query?: string;
  line?: number;
  name?: string;
  data?: string;
}

export class Pictures implements vscode.Disposable {
  private panel?: vscode.WebviewPanel;
  private uri?: vscode.Uri;
  private timer?: NodeJS.Timeout;
  /** The line that a click chose: the cursor that goes there leads nowhere. */
  private revealed = -1;
  private readonly page: vscode.Uri;
  private readonly parts: vscode.Disposable;

  constructor(private readonly server: Server, extension: vscode.Uri) {
    this.page = vscode.Uri.joinPath(extension, 'dist', 'page');
    this.parts = vscode.Disposable.from(
      vscode.window.onDidChangeActiveTextEditor((editor) => this.follow(editor)),
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.lead(textEditor)),
      vscode.workspace.onDidChangeTextDocument(({ document }) => this.redrawLater(document.uri)),
      vscode.languages.onDidChangeDiagnostics(({ uris }) => this.mark(uris)));
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.panel?.dispose();
    this.parts.dispose();
  }

  async open(): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    if (!editor || !isDrawable(editor.document)) {
      void vscode.window.showInformationMessage('Open a graph first: its picture is shown beside it.');
      return;
    }
    await this.server.startIfStopped();
    this.uri = editor.document.uri;
    if (this.panel) {
      this.panel.reveal(undefined, true);
      await this.start(false);
      return;
    }
    const where = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
    const panel = vscode.window.createWebviewPanel('onnxls.picture', 'Picture', where,
      { enableScripts: true, retainContextWhenHidden: true, localResourceRoots: [this.page] });
    this.panel = panel;
    panel.onDidDispose(() => {
      this.panel = undefined;
    });
    panel.webview.onDidReceiveMessage((message: Message) => void this.answer(message));
    panel.webview.html = await this.html(panel.webview);
  }

  private async html(webview: vscode.Webview): Promise<string> {
    const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(this.page, name)).toString();
    const body = new TextDecoder().decode(await vscode.workspace.fs.readFile(vscode.Uri.joinPath(this.page, 'body.html')));
    const policy = `default-src 'none'; script-src ${webview.cspSource}; style-src ${webview.cspSource}; img-src data: blob:`;
    return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<link rel="stylesheet" href="${file('style.css')}">
</head>
<body>
${body}
${scripts.map((name) => `<script src="${file(name)}"></script>`).join('\n')}
</body>
</html>`;
  }

  /** Shows the document from its beginning; with `keeps` it is a newer text of the one that is shown. */
  private async start(keeps: boolean): Promise<void> {
    const { panel, uri } = this;
    if (!panel || !uri)
      return;
    const [picture, status] = await Promise.all([this.ask<unknown>('onnxls/graph', {}), this.server.status(uri.toString())]);
    if (uri !== this.uri)
      return;
    panel.title = `Picture of ${basename(uri.path)}`;
    const line = this.editor()?.selection.active.line;
    const meta = { file: basename(uri.path), picture, line, diagnostics: diagnosticsOf(uri), opset: status?.opset, torch: status?.torch, exporter: status?.exporter };
    void panel.webview.postMessage({ type: 'start', meta, keeps });
  }

  private ask<T>(method: string, params: object): Promise<T | undefined> {
    return this.server.ask<T>(method, { textDocument: { uri: this.uri?.toString() ?? '' }, ...params });
  }

  private async answer(message: Message): Promise<void> {
    const reply = async (result: Promise<unknown>) => this.panel?.webview.postMessage({ type: 'answer', id: message.id, result: await result });
    switch (message.type) {
      case 'ready': return this.start(false);
      case 'scope': return void reply(this.ask('onnxls/graph', { scope: message.scope }));
      case 'search': return void reply(this.ask('onnxls/graphSearch', { query: message.query }));
      case 'words': return void reply(this.ask('onnxls/graphWords', { position: { line: message.line, character: 0 } }));
      case 'reveal': return this.reveal(message.line ?? 0);
      case 'save': return this.save(message.name ?? 'graph.svg', message.data ?? '');
    }
  }

  private editor(): vscode.TextEditor | undefined {
    return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === this.uri?.toString());
  }

  private async reveal(line: number): Promise<void> {
    if (!this.uri)
      return;
    this.revealed = line;
    const range = new vscode.Range(line, 0, line, 0);
    const column = this.editor()?.viewColumn ?? vscode.ViewColumn.One;
    await vscode.window.showTextDocument(this.uri, { viewColumn: column, preserveFocus: true, selection: range });
  }

  private async save(name: string, data: string): Promise<void> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const target = await vscode.window.showSaveDialog({ defaultUri: folder && vscode.Uri.joinPath(folder, name) });
    if (target)
      await vscode.workspace.fs.writeFile(target, Buffer.from(data, 'base64'));
  }

  /** The picture is of the graph in front. */
  private follow(editor: vscode.TextEditor | undefined): void {
    if (!this.panel || !editor || !isDrawable(editor.document) || editor.document.uri.toString() === this.uri?.toString())
      return;
    this.uri = editor.document.uri;
    void this.start(false);
  }

  private lead(editor: vscode.TextEditor): void {
    const { line } = editor.selection.active;
    const isOwn = line === this.revealed;
    this.revealed = -1;
    if (this.panel && !isOwn && editor.document.uri.toString() === this.uri?.toString())
      void this.panel.webview.postMessage({ type: 'line', line });
  }

  private redrawLater(changed: vscode.Uri): void {
    if (!this.panel || changed.toString() !== this.uri?.toString())
      return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.start(true), redrawDelayMs);
  }

  private mark(uris: readonly vscode.Uri[]): void {
    const { panel, uri } = this;
    if (panel && uri && uris.some((one) => one.toString() === uri.toString()))
      void panel.webview.postMessage({ type: 'diagnostics', diagnostics: diagnosticsOf(uri) });
  }
}

function diagnosticsOf(uri: vscode.Uri): object[] {
  return vscode.languages.getDiagnostics(uri).filter(({ source }) => source === 'onnxls')
    .map(({ range, severity, message }) => ({ line: range.start.line, severity: severity + 1, message }));
}

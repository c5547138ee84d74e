// The unsupported operators of a dump as a document, which the server writes: an operator takes two lines, what it is,
// and `    lines 33, 61`, whose numbers are links.
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { isDump } from './languages';
import { Server } from './server';

const scheme = 'onnxls-report';

export class Reports implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly parts = vscode.Disposable.from(
    this.changed,
    vscode.workspace.registerTextDocumentContentProvider(scheme, this),
    vscode.languages.registerDocumentLinkProvider({ scheme }, this),
    vscode.languages.onDidChangeDiagnostics(({ uris }) => uris.forEach((uri) => this.refresh(uri))));

  constructor(private readonly server: Server) {}

  dispose(): void {
    this.parts.dispose();
  }

  async provideTextDocumentContent(report: vscode.Uri): Promise<string> {
    return await this.server.execute<string>('onnxls.unsupportedReport', report.query) ?? 'The dump is not open.\n';
  }

  provideDocumentLinks(report: vscode.TextDocument): vscode.DocumentLink[] {
    const uri = vscode.Uri.parse(report.uri.query);
    const links: vscode.DocumentLink[] = [];
    for (let i = 0; i < report.lineCount; i++) {
      const { text } = report.lineAt(i);
      for (const { 0: line, index } of /^    lines? /.test(text) ? text.matchAll(/\d+/g) : [])
        links.push(new vscode.DocumentLink(new vscode.Range(i, index, i, index + line.length), uri.with({ fragment: `L${line}` })));
    }
    return links;
  }

  /** Of the dump that a code action names, else of the one in front. */
  async open(named?: string): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    const uri = named ? vscode.Uri.parse(named) : document && isDump(document) ? document.uri : undefined;
    if (!uri) {
      void vscode.window.showInformationMessage('Open a dump first: its unsupported operators are listed.');
      return;
    }
    const report = await vscode.workspace.openTextDocument(reportOf(uri));
    await vscode.window.showTextDocument(report, vscode.ViewColumn.Beside);
  }

  private refresh(uri: vscode.Uri): void {
    const report = reportOf(uri).toString();
    const shown = vscode.workspace.textDocuments.find((document) => document.uri.toString() === report);
    if (shown)
      this.changed.fire(shown.uri);
  }
}

function reportOf(uri: vscode.Uri): vscode.Uri {
  return vscode.Uri.from({ scheme, path: `/${basename(uri.path)} unsupported operators.txt`, query: uri.toString() });
}

// The unsupported operators of a dump as a document: its diagnostics, gathered by operator.
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { isOurs } from './languages';

const scheme = 'onnxls-report';
const rules = ['unsupported-op', 'op-needs-newer-opset'];

/** docs/check.md, `data` of the rules about support. */
interface Support {
  op: string;
  opset: number;
  exporter: string;
  torch: string;
  since: number | null;
}

/** The client keeps what the server sent beside what VS Code's own class has. */
type Sent = vscode.Diagnostic & { data?: Support };

interface Operator {
  support: Support;
  isCertain: boolean;
  lines: number[];
}

function ruleOf({ code }: vscode.Diagnostic): string {
  return `${typeof code === 'object' ? code.value : code}`;
}

function gather(diagnostics: readonly Sent[]): Operator[] {
  const operators = new Map<string, Operator>();
  for (const diagnostic of diagnostics) {
    const support = diagnostic.data;
    if (diagnostic.source !== 'onnxls' || !rules.includes(ruleOf(diagnostic)) || !support)
      continue;
    const operator = operators.get(support.op) ?? { support, isCertain: false, lines: [] };
    operator.isCertain ||= diagnostic.severity === vscode.DiagnosticSeverity.Error;
    operator.lines.push(diagnostic.range.start.line + 1);
    operators.set(support.op, operator);
  }
  return [...operators.values()].sort((a, b) => b.lines.length - a.lines.length || a.support.op.localeCompare(b.support.op));
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

/** An operator takes two lines: what it is, and `    lines 33, 61`, whose numbers are links. */
export function writeReport(uri: vscode.Uri, diagnostics: readonly Sent[]): string {
  const operators = gather(diagnostics);
  const title = `Unsupported operators of ${basename(uri.path)}`;
  const first = operators[0];
  if (!first)
    return `${title}\n\nNone is reported.\n`;
  const { opset, exporter, torch } = first.support;
  const lines = [title, `to opset ${opset} with the ${exporter} exporter of torch ${torch}`];
  for (const { support, isCertain, lines: at } of operators) {
    const since = support.since === null ? 'supported at no opset' : `supported since opset ${support.since}`;
    lines.push('', `${support.op}: ${count(at.length, 'node')}, ${since}${isCertain ? '' : '; not certain'}`,
               `    line${at.length === 1 ? '' : 's'} ${at.sort((a, b) => a - b).join(', ')}`);
  }
  const limit = vscode.workspace.getConfiguration('onnxls', uri).get('maxDiagnostics', 0);
  if (limit > 0 && diagnostics.length >= limit)
    lines.push('', `There may be more: at most ${limit} diagnostics are reported (onnxls.maxDiagnostics).`);
  return [...lines, ''].join('\n');
}

export class Reports implements vscode.TextDocumentContentProvider, vscode.DocumentLinkProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly parts = vscode.Disposable.from(
    this.changed,
    vscode.workspace.registerTextDocumentContentProvider(scheme, this),
    vscode.languages.registerDocumentLinkProvider({ scheme }, this),
    vscode.languages.onDidChangeDiagnostics(({ uris }) => uris.forEach((uri) => this.refresh(uri))));

  dispose(): void {
    this.parts.dispose();
  }

  provideTextDocumentContent(report: vscode.Uri): string {
    const uri = vscode.Uri.parse(report.query);
    return writeReport(uri, vscode.languages.getDiagnostics(uri));
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

  async open(): Promise<void> {
    const document = vscode.window.activeTextEditor?.document;
    if (!document || !isOurs(document)) {
      void vscode.window.showInformationMessage('Open a dump first: its unsupported operators are listed.');
      return;
    }
    const report = await vscode.workspace.openTextDocument(reportOf(document.uri));
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

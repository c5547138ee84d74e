// The unsupported operators of a dump as a document: its diagnostics, gathered by operator.
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { isOurs } from './languages';

const scheme = 'onnxls-report';
const rules = ['unsupported-op', 'op-needs-newer-opset'];
const linesShown = 20;

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

function linkLines(uri: vscode.Uri, lines: number[]): string {
  const sorted = [...lines].sort((a, b) => a - b);
  const links = sorted.slice(0, linesShown).map((line) => `[${line}](${uri.with({ fragment: `L${line}` })})`);
  const more = sorted.length - links.length;
  return links.join(', ') + (more > 0 ? ` and ${more} more` : '');
}

export function writeReport(uri: vscode.Uri, diagnostics: readonly Sent[]): string {
  const operators = gather(diagnostics);
  const lines = [`# Unsupported operators of ${basename(uri.path)}`, ''];
  const first = operators[0];
  if (!first)
    return [...lines, 'None is reported.', ''].join('\n');
  const { opset, exporter, torch } = first.support;
  lines.push(`Exporter ${exporter} of torch ${torch}, opset ${opset}.`, '', '| operator | nodes | supported since | lines |', '|---|---|---|---|');
  for (const { support, isCertain, lines: at } of operators) {
    const since = support.since === null ? 'no opset' : `opset ${support.since}`;
    lines.push(`| \`${support.op}\`${isCertain ? '' : ' (may be)'} | ${at.length} | ${since} | ${linkLines(uri, at)} |`);
  }
  const limit = vscode.workspace.getConfiguration('onnxls', uri).get('maxDiagnostics', 0);
  if (limit > 0 && diagnostics.length >= limit)
    lines.push('', `There may be more: the server reports at most ${limit} diagnostics (setting \`onnxls.maxDiagnostics\`).`);
  return [...lines, ''].join('\n');
}

export class Reports implements vscode.TextDocumentContentProvider, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly parts = vscode.Disposable.from(
    this.changed,
    vscode.workspace.registerTextDocumentContentProvider(scheme, this),
    vscode.languages.onDidChangeDiagnostics(({ uris }) => uris.forEach((uri) => this.refresh(uri))));

  dispose(): void {
    this.parts.dispose();
  }

  provideTextDocumentContent(report: vscode.Uri): string {
    const uri = vscode.Uri.parse(report.query);
    return writeReport(uri, vscode.languages.getDiagnostics(uri));
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
  return vscode.Uri.from({ scheme, path: `/${basename(uri.path)} unsupported operators.md`, query: uri.toString() });
}

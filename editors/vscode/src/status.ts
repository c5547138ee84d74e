// What the braces of the status bar show: the opset that counts here, and how the server is.
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { dumpSelector } from './languages';
import { Health, Server, Status } from './server';
import { describeTarget, targetOf } from './settings';

const words: Record<Health, string> = {
  stopped: 'onnxls is stopped', starting: 'onnxls starts', running: 'onnxls', waiting: 'onnxls restarts', failed: 'onnxls has failed',
};

function showHealth(item: vscode.LanguageStatusItem, server: Server): void {
  const { health, version } = server;
  item.busy = health === 'starting' || health === 'waiting';
  item.text = health === 'running' ? version.split('\n')[0] ?? '' : words[health];
  item.detail = health === 'running' ? version.split('\n')[1] : server.reason;
  item.severity = health === 'failed' ? vscode.LanguageStatusSeverity.Error
    : health === 'waiting' ? vscode.LanguageStatusSeverity.Warning : vscode.LanguageStatusSeverity.Information;
  item.command = health === 'running' ? { command: 'onnxls.showLog', title: 'Show Log' }
    : { command: 'onnxls.restart', title: 'Restart' };
}

async function showTarget(item: vscode.LanguageStatusItem): Promise<void> {
  const target = await targetOf(vscode.window.activeTextEditor?.document.uri);
  item.text = target.opset === undefined ? 'Default opset' : `Opset ${target.opset}`;
  item.detail = describeTarget(target);
}

/** The target in force, always in view while a document of ours is. */
function showBar(bar: vscode.StatusBarItem, status: Status | undefined): void {
  if (!status) {
    bar.hide();
    return;
  }
  bar.text = `torch ${status.torch}, opset ${status.opset}`;
  bar.tooltip = `${status.exporter} exporter (${status.exporterFrom}) of torch ${status.torch} (${status.torchFrom}), opset ` +
    `${status.opset} (${status.opsetFrom}). Click to choose another target`;
  bar.accessibilityInformation = { label: `onnxls target: ${bar.text}` };
  bar.show();
}

const judged: Record<Status['status'], string> = {
  checked: 'Checked', partly: 'Checked in part', skipped: 'Not checked',
};

async function showCoverage(item: vscode.LanguageStatusItem, bar: vscode.StatusBarItem, server: Server): Promise<void> {
  const uri = vscode.window.activeTextEditor?.document.uri.toString();
  const status = uri === undefined ? undefined : await server.status(uri).catch(() => undefined);
  if (uri !== vscode.window.activeTextEditor?.document.uri.toString())
    return;
  showBar(bar, status);
  item.text = status ? judged[status.status] : 'onnxls has not checked this';
  item.detail = status && (status.why ?? `torch ${status.torch} (${status.torchFrom}), ${status.exporter} exporter ` +
    `(${status.exporterFrom}), opset ${status.opset} (${status.opsetFrom})`);
  item.severity = status && status.status !== 'checked' ? vscode.LanguageStatusSeverity.Warning
    : vscode.LanguageStatusSeverity.Information;
}

/** Dumps, and the Python documents that the server has. */
function selectorOf(server: Server): vscode.DocumentSelector {
  const files = server.python.uris.filter(({ scheme, path }) => scheme === 'file' && path.endsWith('.py')).map(({ fsPath }) => ({
    language: 'python', pattern: new vscode.RelativePattern(vscode.Uri.file(dirname(fsPath)), basename(fsPath)),
  }));
  return [...dumpSelector, ...files];
}

export function showStatus(server: Server): vscode.Disposable {
  const health = vscode.languages.createLanguageStatusItem('onnxls.health', dumpSelector);
  health.name = 'onnxls server';
  const target = vscode.languages.createLanguageStatusItem('onnxls.target', dumpSelector);
  target.name = 'onnxls opset';
  target.command = { command: 'onnxls.setTarget', title: 'Set Target' };
  const bar = vscode.window.createStatusBarItem('onnxls.bar', vscode.StatusBarAlignment.Right, 100);
  bar.name = 'onnxls target';
  bar.command = 'onnxls.setTarget';
  const coverage = vscode.languages.createLanguageStatusItem('onnxls.coverage', dumpSelector);
  coverage.name = 'onnxls check';
  const recheck = () => void showCoverage(coverage, bar, server);
  const files = vscode.workspace.createFileSystemWatcher('**/.onnxls.json');
  const refresh = () => void showTarget(target);
  showHealth(health, server);
  refresh();
  recheck();
  return vscode.Disposable.from(health, target, coverage, bar, files,
    server.onDidChange(() => {
      showHealth(health, server);
      recheck();
    }),
    // They come after each edit and when settings change.
    vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (uris.some((uri) => uri.toString() === vscode.window.activeTextEditor?.document.uri.toString()))
        recheck();
    }),
    vscode.window.onDidChangeActiveTextEditor(recheck),
    server.python.onDidChange(() => {
      health.selector = target.selector = coverage.selector = selectorOf(server);
    }),
    files.onDidChange(refresh), files.onDidCreate(refresh), files.onDidDelete(refresh),
    vscode.window.onDidChangeActiveTextEditor(refresh),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('onnxls'))
        refresh();
    }));
}

// What the braces of the status bar show: the opset that counts here, and how the server is.
import { basename, dirname } from 'node:path';
import * as vscode from 'vscode';
import { dumpSelector } from './languages';
import { Health, Server } from './server';
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

/** Dumps, and the Python documents that the server has. */
function selectorOf(server: Server): vscode.DocumentSelector {
  const files = server.python.uris.filter(({ scheme }) => scheme === 'file').map(({ fsPath }) => ({
    language: 'python', pattern: new vscode.RelativePattern(vscode.Uri.file(dirname(fsPath)), basename(fsPath)),
  }));
  return [...dumpSelector, ...files];
}

export function showStatus(server: Server): vscode.Disposable {
  const health = vscode.languages.createLanguageStatusItem('onnxls.health', dumpSelector);
  health.name = 'onnxls server';
  const target = vscode.languages.createLanguageStatusItem('onnxls.target', dumpSelector);
  target.name = 'onnxls opset';
  target.command = { command: 'onnxls.setOpset', title: 'Set Opset' };
  const files = vscode.workspace.createFileSystemWatcher('**/.onnxls.json');
  const refresh = () => void showTarget(target);
  showHealth(health, server);
  refresh();
  return vscode.Disposable.from(health, target, files,
    server.onDidChange(() => showHealth(health, server)),
    server.python.onDidChange(() => {
      health.selector = target.selector = selectorOf(server);
    }),
    files.onDidChange(refresh), files.onDidCreate(refresh), files.onDidDelete(refresh),
    vscode.window.onDidChangeActiveTextEditor(refresh),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('onnxls'))
        refresh();
    }));
}

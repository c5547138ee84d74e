// What stands behind the braces of the status bar: the opset that counts here, and how the server is.
import * as vscode from 'vscode';
import { documentSelector } from './languages';
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

export function showStatus(server: Server): vscode.Disposable {
  const health = vscode.languages.createLanguageStatusItem('onnxls.health', documentSelector);
  health.name = 'onnxls server';
  const target = vscode.languages.createLanguageStatusItem('onnxls.target', documentSelector);
  target.name = 'onnxls opset';
  target.command = { command: 'onnxls.setOpset', title: 'Set Opset' };
  const files = vscode.workspace.createFileSystemWatcher('**/.onnxls.json');
  const refresh = () => void showTarget(target);
  showHealth(health, server);
  refresh();
  return vscode.Disposable.from(health, target, files,
    server.onDidChange(() => showHealth(health, server)),
    files.onDidChange(refresh), files.onDidCreate(refresh), files.onDidDelete(refresh),
    vscode.window.onDidChangeActiveTextEditor(refresh),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('onnxls'))
        refresh();
    }));
}

// The command that takes facts out of the user's own Python: `onnxls db import`, and a line in .onnxls.json if wanted.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Server, messageOf } from './server';

const file = 'onnxls-facts.json';
const timeLimitMs = 6 * 60_000;

function configuredPython(): string {
  const path = vscode.workspace.getConfiguration('python').get<string>('defaultInterpreterPath', '');
  return path && !path.includes('${') ? path : 'python3';
}

/** It is run, so somebody has to have chosen it. */
function askForPython(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: 'Import Facts', value: configuredPython(),
    prompt: 'The Python interpreter that has your torch and onnx. It is run, and imports them.',
  });
}

function runImport(server: string, python: string, folder: string, token: vscode.CancellationToken): Promise<string> {
  return new Promise((done, fail) => {
    const child = execFile(server, ['db', 'import', '--python', python, '--output', join(folder, file)],
      { cwd: folder, timeout: timeLimitMs }, (error, stdout, stderr) => {
        if (error)
          fail(new Error(stderr.trim() || error.message));
        else
          done(`${stdout}${stderr}`.trim());
      });
    token.onCancellationRequested(() => child.kill());
  });
}

/** Adds the file to `db` of the workspace's settings: those of the user are not touched. */
async function use(folder: vscode.WorkspaceFolder): Promise<void> {
  const section = vscode.workspace.getConfiguration('onnxls', folder.uri);
  const set = section.inspect<string | string[]>('db')?.workspaceValue ?? [];
  const files = Array.isArray(set) ? set : [set];
  if (!files.includes(file))
    await section.update('db', [...files, file], vscode.ConfigurationTarget.Workspace);
}

export async function importFacts(server: Server): Promise<void> {
  const folder = vscode.workspace.workspaceFolders?.[0];
  if (!folder) {
    void vscode.window.showInformationMessage('Open a folder first: the facts are written into it.');
    return;
  }
  await server.startIfStopped();
  const program = server.found?.path;
  const python = program && await askForPython();
  if (!program || !python)
    return;
  try {
    const said = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Notification, title: `Importing facts from ${python}`, cancellable: true },
      (_, token) => runImport(program, python, folder.uri.fsPath, token));
    server.log.info(said);
    if (await vscode.window.showInformationMessage(`Wrote ${file}.`, 'Use It in This Workspace') !== undefined)
      await use(folder);
  } catch (error) {
    void vscode.window.showErrorMessage(`onnxls: ${messageOf(error)}`);
  }
}

// The command that compares two graphs: VS Code's own view of both texts, and beside it what differs in structure.
import { execFile } from 'node:child_process';
import { basename } from 'node:path';
import * as vscode from 'vscode';
import { modelScheme } from './languages';
import { modelUri } from './models';
import { Server, messageOf } from './server';

const timeLimitMs = 120_000;

/** 0 and 1 are answers: no difference, and some. */
function runDiff(program: string, a: string, b: string): Promise<string> {
  return new Promise((done, fail) => {
    execFile(program, ['diff', a, b], { timeout: timeLimitMs, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      if (error && error.code !== 1)
        fail(new Error(stderr.trim() || error.message));
      else
        done(stdout);
    });
  });
}

/** A file, be it shown as itself or as the text of a model. */
function fileOf(uri: vscode.Uri | undefined): vscode.Uri | undefined {
  if (uri?.scheme === modelScheme)
    return uri.with({ scheme: 'file' });
  return uri?.scheme === 'file' ? uri : undefined;
}

const shownAs = (file: vscode.Uri) => file.path.endsWith('.onnx') ? modelUri(file) : file;

export async function compare(server: Server, named?: vscode.Uri): Promise<void> {
  const a = fileOf(named ?? vscode.window.activeTextEditor?.document.uri);
  if (!a) {
    void vscode.window.showInformationMessage('Open a model or a dump first: it is compared with another one.');
    return;
  }
  await server.startIfStopped();
  const program = server.found?.path;
  const b = program && (await vscode.window.showOpenDialog({ title: `Compare ${basename(a.path)} with`, defaultUri: vscode.Uri.joinPath(a, '..') }))?.[0];
  if (!program || !b)
    return;
  try {
    const content = await runDiff(program, a.fsPath, b.fsPath);
    await vscode.commands.executeCommand('vscode.diff', shownAs(a), shownAs(b), `${basename(a.path)} \u2194 ${basename(b.path)}`);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'diff', content }), vscode.ViewColumn.Beside);
  } catch (error) {
    void vscode.window.showErrorMessage(`onnxls: ${messageOf(error)}`);
  }
}

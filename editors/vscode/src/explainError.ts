// The command that explains an exception of an export: what is selected, else what is in the clipboard, goes to `onnxls why`.
import { execFile } from 'node:child_process';
import * as vscode from 'vscode';
import { Server, messageOf } from './server';

const timeLimitMs = 60_000;

/** Exit code 1 says that no cause was found, and the answer tells what is known all the same. */
function runWhy(server: string, text: string): Promise<string> {
  return new Promise((done, fail) => {
    const child = execFile(server, ['why', '-'], { timeout: timeLimitMs, maxBuffer: 1 << 26 }, (error, stdout, stderr) => {
      if (stdout)
        done(stdout);
      else
        fail(new Error(stderr.trim() || error?.message || 'there is no answer'));
    });
    // A server that ends early says why itself.
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(text);
  });
}

async function errorText(): Promise<string> {
  const editor = vscode.window.activeTextEditor;
  const selected = editor && !editor.selection.isEmpty ? editor.document.getText(editor.selection) : '';
  return selected || vscode.env.clipboard.readText();
}

export async function explainError(server: Server): Promise<void> {
  const text = await errorText();
  if (!text.trim()) {
    void vscode.window.showInformationMessage('Copy the exception, the log or the report first.');
    return;
  }
  await server.startIfStopped();
  if (!server.found)
    return;
  try {
    const content = await runWhy(server.found.path, text);
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: 'plaintext', content }),
      { viewColumn: vscode.ViewColumn.Beside, preview: true });
  } catch (error) {
    void vscode.window.showErrorMessage(`onnxls: ${messageOf(error)}`);
  }
}

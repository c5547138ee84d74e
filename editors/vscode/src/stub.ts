// The command that writes a symbolic function for an unsupported operator: the server's code action, found for people who
// look for a command.
import * as vscode from 'vscode';
import { isDump } from './languages';

const title = /^(Create|Append) a symbolic function/;

/** Where an operator can't be exported: at the cursor's line, or anywhere if it is fine. */
function refusals(editor: vscode.TextEditor): vscode.Range[] {
  const all = vscode.languages.getDiagnostics(editor.document.uri)
    .filter(({ source, data }: vscode.Diagnostic & { data?: unknown }) => source === 'onnxls' && data !== undefined)
    .map(({ range }) => range);
  const here = all.filter(({ start }) => start.line === editor.selection.active.line);
  return here.length ? here : all;
}

async function stubsAt(uri: vscode.Uri, range: vscode.Range): Promise<vscode.CodeAction[]> {
  const actions = await vscode.commands.executeCommand<vscode.CodeAction[]>('vscode.executeCodeActionProvider', uri, range, 'quickfix');
  return (actions ?? []).filter((action) => title.test(action.title));
}

async function apply({ edit, command }: vscode.CodeAction): Promise<void> {
  if (edit) {
    await vscode.workspace.applyEdit(edit);
    const [uri] = edit.entries().at(-1) ?? [];
    if (uri)
      await vscode.window.showTextDocument(uri);
  }
  if (command)
    await vscode.commands.executeCommand(command.command, ...command.arguments ?? []);
}

export async function createStub(): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !isDump(editor.document)) {
    void vscode.window.showInformationMessage('Open a dump first: a function is written for an operator of it.');
    return;
  }
  const found = new Map<string, vscode.CodeAction>();
  for (const range of refusals(editor)) {
    for (const action of await stubsAt(editor.document.uri, range))
      found.set(action.title, action);
    if (found.size >= 20)
      break;
  }
  const titles = [...found.keys()];
  if (!titles.length) {
    void vscode.window.showInformationMessage('No operator here needs a symbolic function.');
    return;
  }
  const choice = titles.length === 1 ? titles[0] : await vscode.window.showQuickPick(titles, { title: 'Create Symbolic Function' });
  const action = choice === undefined ? undefined : found.get(choice);
  if (action)
    await apply(action);
}

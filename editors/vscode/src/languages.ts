// The languages of the extension, and how a text shows that it is one of them.
import * as vscode from 'vscode';
import { isRelevant } from './python';

export const languageIds = ['torch-ir', 'fx-graph', 'onnx-text', 'onnx-ir'];

/** Of the text of a binary model, which the server makes. */
export const modelScheme = 'onnxls-model';

/** Documents on disk, what somebody has just pasted into a new editor, and models. */
export const dumpSelector = languageIds.flatMap((language) => [
  { scheme: 'file', language },
  { scheme: 'untitled', language },
  { scheme: modelScheme, language },
]);

export function isDump(document: vscode.TextDocument): boolean {
  return vscode.languages.match(dumpSelector, document) > 0;
}

/** A graph, or a report of an export with the exported program in it. */
export function isDrawable(document: vscode.TextDocument): boolean {
  return isDump(document) || vscode.languages.match({ scheme: 'file', pattern: '**/onnx_export_*.md' }, document) > 0;
}

export function isOurs(document: vscode.TextDocument): boolean {
  return isDump(document) || isRelevant(document);
}

/** Languages that VS Code gives by name to files that may be dumps: `.txt`, `.log`, and `.fx`, which shaders are called too. */
const vagueLanguages = ['plaintext', 'log', 'hlsl'];

const lineLimit = 200;
const columnLimit = 2000;

/** In this order, for each line. The server looks further; this only has to be right when it speaks. */
const signs: [language: string, sign: RegExp][] = [
  ['torch-ir', /graph\(%/],
  ['torch-ir', /^\s*%[\w.]+[^=]* = \^?\w+::[\w.]+[([]/],
  ['torch-ir', /^\s*%[^\s[]+\[[A-Z]+\d*, [^\]]+\]/],
  ['fx-graph', /\[(?:num_users|#users)=\d/],
  ['fx-graph', /^class GraphModule\(torch\.nn\.Module\)/],
  ['fx-graph', /^ExportedProgram:/],
  ['fx-graph', / = torch\.ops\.\w+\.\w+\.\w+\(/],
  ['onnx-text', /^\s*<?\s*ir_version: \d+[,>]/],
  ['onnx-ir', /^\s*<?\s*ir_version=\d+,/],
];

/** The language that the first lines give away. */
export function sniff(document: vscode.TextDocument): string | undefined {
  for (let i = 0; i < Math.min(document.lineCount, lineLimit); i++) {
    const line = document.lineAt(i).text.slice(0, columnLimit);
    const found = signs.find(([, sign]) => sign.test(line));
    if (found)
      return found[0];
  }
  return undefined;
}

async function detect(document: vscode.TextDocument): Promise<void> {
  const isWanted = vscode.workspace.getConfiguration('onnxls').get('detectDumps', true);
  const hasScheme = document.uri.scheme === 'file' || document.uri.scheme === 'untitled';
  if (!isWanted || !hasScheme || !vagueLanguages.includes(document.languageId))
    return;
  const language = sniff(document);
  if (language)
    await vscode.languages.setTextDocumentLanguage(document, language);
}

/** Gives dumps in files with everyday names their language. One that the user chose afterwards stays. */
export function detectLanguages(): vscode.Disposable {
  const seen = new WeakSet<vscode.TextDocument>();
  const look = (document: vscode.TextDocument) => {
    if (seen.has(document))
      return;
    // An empty new editor may get its text later.
    if (document.lineCount > 1)
      seen.add(document);
    detect(document).then(undefined, () => undefined);  // It may be closed by now.
  };
  vscode.workspace.textDocuments.forEach(look);
  return vscode.Disposable.from(
    vscode.workspace.onDidOpenTextDocument(look),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document.isUntitled)
        look(document);
    }));
}

// Files that others serve, too: of Python only what mentions ONNX reaches our server, of texts only those with an exception
// of an export, of lists of packages those that name onnxscript. The others cost one look at their text.
import * as vscode from 'vscode';
import { Middleware } from 'vscode-languageclient/node';

export const pythonSelector = [
  { scheme: 'file', language: 'python' },
  { scheme: 'untitled', language: 'python' },
];

/** Where people paste exceptions. */
const textLanguages = ['plaintext', 'markdown', 'log'];

/** Lists of packages, of which `requirements.txt` is plain text where nothing knows better. */
const packageLanguages = ['pip-requirements', 'toml'];

export const textSelector = [...textLanguages, ...packageLanguages].flatMap((language) => [
  { scheme: 'file', language },
  { scheme: 'untitled', language },
]);

/** They come with their notebook, all of them or none. */
export const notebookCells = { scheme: 'vscode-notebook-cell', language: 'python' };

/** Everything of torch.onnx and onnxscript has the first in its imports; an autograd.Function may have the second alone. */
const pythonSign = /onnx|def symbolic\(/;

/** Words of exceptions that nothing but an export, a check or a session of a model raises, and a line of a list of packages. */
const errorSign =
  /torch[./]onnx[./]|ONNX export failed|Exporting the operator '|\[ONNXRuntimeError\]|onnxruntime\.capi\.|onnx_cpp2py_export\.|GuardOnDataDependentSymNode|Constraints violated \(|^onnxscript\b/m;

const packageSign = /onnxscript/;

/** What has to be in a document of that language for our server to get it; undefined: it gets it in any case. */
function signOf(languageId: string | undefined): RegExp | undefined {
  if (packageLanguages.includes(languageId ?? ''))
    return packageSign;
  return languageId === 'python' ? pythonSign : textLanguages.includes(languageId ?? '') ? errorSign : undefined;
}

const gated = [...pythonSelector, ...textSelector, notebookCells];

/** Python that mentions ONNX, in a file or in a cell, and texts with an exception of an export. */
export function isRelevant(document: vscode.TextDocument): boolean {
  return vscode.languages.match(gated, document) > 0 && (signOf(document.languageId)?.test(document.getText()) ?? false);
}

/** Looks at the lines of a change alone. */
export function becomesRelevant({ document, contentChanges }: vscode.TextDocumentChangeEvent): boolean {
  return vscode.languages.match(gated, document) > 0 &&
    contentChanges.some(({ range, text }) => touchesSign(document, range.start.line, text));
}

function touchesSign(document: vscode.TextDocument, first: number, text: string): boolean {
  const last = Math.min(first + text.split('\n').length, document.lineCount) - 1;
  for (let line = first; line <= last; line++) {
    if (signOf(document.languageId)?.test(document.lineAt(line).text))
      return true;
  }
  return false;
}

interface Params {
  textDocument?: { uri: string; languageId?: string; text?: string; version?: number };
  contentChanges?: { range?: { start: { line: number } }; text: string }[];
}

type Signature = string | { method: string };

const methodOf = (type: Signature) => typeof type === 'string' ? type : type.method;

/**
 * Stands between the client and the server. The client believes that every such document is open; the server hears of
 * one when it has something to say there.
 */
export class PythonGate {
  /** By URI: the version with which the server got it, or undefined while it has not. */
  private readonly documents = new Map<string, number | undefined>();
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event;

  /** A new server knows nothing. */
  reset(): void {
    this.documents.clear();
    this.changed.fire();
  }

  /** The documents among them that the server has. */
  get uris(): vscode.Uri[] {
    return [...this.documents].filter(([, version]) => version !== undefined).map(([uri]) => vscode.Uri.parse(uri));
  }

  readonly sendNotification: NonNullable<Middleware['sendNotification']> = async (type, next, params) => {
    const method = methodOf(type as Signature);
    const { textDocument, contentChanges = [] } = (params ?? {}) as Params;
    const sign = method === 'textDocument/didOpen' ? signOf(textDocument?.languageId) : undefined;
    if (sign && textDocument) {
      if (!this.opens(textDocument.uri, textDocument.version ?? 0, sign.test(textDocument.text ?? '')))
        return;
    } else if (textDocument && this.documents.has(textDocument.uri)) {
      const version = this.documents.get(textDocument.uri);
      if (method === 'textDocument/didClose')
        this.forget(textDocument.uri);
      if (version === undefined)
        return method === 'textDocument/didChange' ? this.openLate(textDocument.uri, contentChanges, next) : undefined;
      // It was opened with a text that has this change already.
      if (method === 'textDocument/didChange' && (textDocument.version ?? 0) <= version)
        return;
    }
    return next(type, params);
  };

  readonly sendRequest: NonNullable<Middleware['sendRequest']> = async (type, param, token, next) => {
    const uri = (param as Params | undefined)?.textDocument?.uri;
    if (uri !== undefined && this.documents.has(uri) && this.documents.get(uri) === undefined)
      return null as never;
    return next(type, param, token);
  };

  private opens(uri: string, version: number, isRelevant: boolean): boolean {
    this.documents.set(uri, isRelevant ? version : undefined);
    this.changed.fire();
    return isRelevant;
  }

  private forget(uri: string): void {
    this.documents.delete(uri);
    this.changed.fire();
  }

  /** Somebody has just written `import torch.onnx`, or pasted an exception. */
  private async openLate(uri: string, changes: NonNullable<Params['contentChanges']>,
                         next: (type: string, params: never) => Promise<void>): Promise<void> {
    const document = vscode.workspace.textDocuments.find((one) => one.uri.toString() === vscode.Uri.parse(uri).toString());
    if (!document || !changes.some(({ range, text }) => touchesSign(document, range?.start.line ?? 0, text)))
      return;
    this.opens(uri, document.version, true);
    const textDocument = { uri, languageId: document.languageId, version: document.version, text: document.getText() };
    return next('textDocument/didOpen', { textDocument } as never);
  }
}

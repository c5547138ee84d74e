// Settings on their way to the server, and the target that they add up to.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as vscode from 'vscode';

/** docs/settings.md; everything else in the section is the extension's own. */
export const serverSettings = ['torch', 'exporter', 'opset', 'runtime', 'db', 'rules', 'group', 'maxDiagnostics', 'inlayHints',
  'sourceRoots', 'pathMappings', 'workspaceIndex'];

export type Settings = Record<string, unknown>;

/**
 * What somebody has set. Defaults stay out: what the editor sends wins over `.onnxls.json`, and a default is
 * nobody's wish.
 */
export function chosenSettings(resource?: vscode.Uri): Settings {
  const section = vscode.workspace.getConfiguration('onnxls', resource);
  const chosen: Settings = {};
  for (const name of serverSettings) {
    const seen = section.inspect(name);
    const values = [seen?.workspaceFolderValue, seen?.workspaceValue, seen?.globalValue];
    if (values.some((value) => value !== undefined))
      chosen[name] = section.get(name);
  }
  return chosen;
}

/** `.onnxls.json` of the folder that a document is in; the server says what is wrong with it. */
async function fileSettings(resource?: vscode.Uri): Promise<Settings> {
  const folder = (resource && vscode.workspace.getWorkspaceFolder(resource)) ?? vscode.workspace.workspaceFolders?.[0];
  if (!folder)
    return {};
  try {
    const values: unknown = JSON.parse(await readFile(join(folder.uri.fsPath, '.onnxls.json'), 'utf8'));
    return typeof values === 'object' && values !== null ? values as Settings : {};
  } catch {
    return {};
  }
}

export interface Target {
  torch: string;  // As written; "auto" for the newest.
  exporter: string;
  opset?: number;  // The exporter's own without.
}

export async function targetOf(resource?: vscode.Uri): Promise<Target> {
  const values = { ...await fileSettings(resource), ...chosenSettings(resource) };
  return {
    torch: typeof values.torch === 'string' ? values.torch : 'auto',
    exporter: values.exporter === 'dynamo' ? 'dynamo' : 'torchscript',
    opset: typeof values.opset === 'number' ? values.opset : undefined,
  };
}

export function describeTarget({ torch, exporter }: Target): string {
  const name = exporter === 'dynamo' ? 'dynamo exporter' : 'TorchScript exporter';
  return `${name} of ${torch === 'auto' ? 'the newest known torch' : `torch ${torch}`}`;
}

// The command that chooses the opset.
import * as vscode from 'vscode';
import { runServer } from './find';
import { Server, messageOf } from './server';
import { Target, describeTarget, targetOf } from './settings';

/** The lowest that any exporter has had, and that of the dynamo exporter. */
const lowest = { torchscript: 7, dynamo: 18 };

interface Support {
  support: Record<string, { torchscript?: number[] }>;
}

function numbers(version: string): number[] {
  return version.split('.').map(Number);
}

/** The facts of a torch version: those of itself or of the one before it; the newest for "auto". */
function factsOf<T>(support: Record<string, T>, torch: string): T | undefined {
  const isAfter = (a: string, b: string) => {
    const [left, right] = [numbers(a), numbers(b)];
    return (left[0] ?? 0) - (right[0] ?? 0) || (left[1] ?? 0) - (right[1] ?? 0);
  };
  const known = Object.keys(support).sort(isAfter);
  const before = torch === 'auto' ? known : known.filter((version) => isAfter(version, torch) <= 0);
  return support[before.at(-1) ?? known[0] ?? ''];
}

/** Newest first. Addition can be exported wherever anything can, so its support tells which opsets an exporter has. */
async function opsetsOf(path: string, version: string, target: Target): Promise<number[]> {
  if (target.exporter === 'torchscript') {
    const { support } = JSON.parse(await runServer(path, 'explain', 'aten::add', '--format', 'json')) as Support;
    const opsets = factsOf(support, target.torch)?.torchscript;
    if (opsets?.length)
      return [...opsets].sort((a, b) => b - a);
  }
  const newest = Number(/opset (\d+)/.exec(version)?.[1] ?? lowest.dynamo);
  const first = target.exporter === 'dynamo' ? lowest.dynamo : lowest.torchscript;
  return Array.from({ length: newest - first + 1 }, (_, i) => newest - i);
}

type Choice = vscode.QuickPickItem & { opset?: number };

export async function setOpset(server: Server): Promise<void> {
  await server.startIfStopped();
  if (!server.found || !server.version)
    return;  // The reader has been told why.
  const resource = vscode.window.activeTextEditor?.document.uri;
  const target = await targetOf(resource);
  let opsets: number[];
  try {
    opsets = await opsetsOf(server.found.path, server.version, target);
  } catch (error) {
    void vscode.window.showErrorMessage(`onnxls: ${messageOf(error)}`);
    return;
  }
  const mark = (opset?: number) => opset === target.opset ? 'current' : undefined;
  const choices: Choice[] = [
    { label: 'No opset here', description: mark(undefined), detail: 'That of .onnxls.json, or else the exporter\'s own' },
    ...opsets.map((opset) => ({ label: `${opset}`, description: mark(opset), opset })),
  ];
  const choice = await vscode.window.showQuickPick(choices, {
    title: 'The ONNX opset to export to', placeHolder: describeTarget(target),
  });
  if (!choice)
    return;
  const where = vscode.workspace.workspaceFolders ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await vscode.workspace.getConfiguration('onnxls', resource).update('opset', choice.opset, where);
}

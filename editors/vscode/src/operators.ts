// The operators of all graphs of the workspace as a tree: operator, file, line; what can't be converted comes first.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import * as vscode from 'vscode';
import { Server, messageOf } from './server';
import { chosenSettings } from './settings';

const timeLimitMs = 120_000;
const linesShown = 500;

/** docs/ops.md, as far as it is shown. */
interface Counted {
  file: string;
  op: string;
  count: number;
  reported: number;
  lines: number[];
  torchscript: number[] | null;
  dynamo: boolean | null;
  modules?: { module: string; count: number }[];
}

interface Operator {
  kind: 'operator';
  op: string;
  files: CountedFile[];
}

interface CountedFile extends Counted {
  kind: 'file';
  uri: vscode.Uri;
}

interface Line {
  kind: 'line';
  uri: vscode.Uri;
  line: number;
}

type Item = Operator | CountedFile | Line;

const words = (count: number, what: string) => `${count} ${what}${count === 1 ? '' : 's'}`;
const sum = (files: Counted[], of: (file: Counted) => number) => files.reduce((total, file) => total + of(file), 0);

function opsetWords(opsets: number[] | null): string[] {
  if (!opsets)
    return [];
  return [opsets.length === 0 ? 'TorchScript: no opset' : `TorchScript: opsets ${opsets[0]} to ${opsets.at(-1)}`];
}

/** 0 is a table, 2 one without the files that can't be read. */
function runOps(program: string, folder: vscode.Uri): Promise<Counted[]> {
  const settings = chosenSettings(folder);
  const flags = ['torch', 'exporter', 'opset'].filter((name) => settings[name]).flatMap((name) => [`--${name}`, `${settings[name]}`]);
  return new Promise((done, fail) => {
    execFile(program, ['ops', '.', '--format', 'json', ...flags], { cwd: folder.fsPath, timeout: timeLimitMs, maxBuffer: 256 << 20 },
      (error, stdout, stderr) => {
        if (error && (error.code !== 2 || stdout.trim() === ''))
          fail(new Error(stderr.trim() || error.message));
        else
          done(JSON.parse(stdout) as Counted[]);
      });
  });
}

export class Operators implements vscode.TreeDataProvider<Item>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<undefined>();
  readonly onDidChangeTreeData = this.changed.event;
  private operators: Operator[] = [];
  private readonly view = vscode.window.createTreeView<Item>('onnxls.operators', { treeDataProvider: this, showCollapseAll: true });

  constructor(private readonly server: Server) {}

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }

  async open(): Promise<void> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    if (folders.length === 0) {
      void vscode.window.showInformationMessage('Open a folder first: the operators of its graphs are listed.');
      return;
    }
    await this.server.startIfStopped();
    const program = this.server.found?.path;
    if (!program)
      return;
    try {
      const location = { viewId: 'onnxls.operators' };
      const lists = await vscode.window.withProgress({ location }, () => Promise.all(folders.map(async ({ uri }) => {
        const list = await runOps(program, uri);
        return list.map((one): CountedFile => ({ ...one, kind: 'file', uri: vscode.Uri.file(join(uri.fsPath, one.file)) }));
      })));
      this.show(lists.flat());
      await vscode.commands.executeCommand('setContext', 'onnxls.hasOperators', true);
      await vscode.commands.executeCommand('onnxls.operators.focus');
    } catch (error) {
      void vscode.window.showErrorMessage(`onnxls: ${messageOf(error)}`);
    }
  }

  private show(files: CountedFile[]): void {
    const byName = new Map<string, Operator>();
    for (const file of files) {
      const operator = byName.get(file.op) ?? { kind: 'operator', op: file.op, files: [] };
      operator.files.push(file);
      byName.set(file.op, operator);
    }
    const reported = ({ files: all }: Operator) => sum(all, (file) => file.reported);
    const count = ({ files: all }: Operator) => sum(all, (file) => file.count);
    this.operators = [...byName.values()].sort((a, b) => Number(reported(b) > 0) - Number(reported(a) > 0) || count(b) - count(a));
    const unsupported = this.operators.filter((operator) => reported(operator) > 0).length;
    this.view.message = files.length === 0 ? 'No graph was found in the workspace.'
      : `${words(this.operators.length, 'operator')}, ${unsupported === 0 ? 'all of which can be converted' : `${unsupported} with nodes that can't be converted, or may not`}`;
    this.changed.fire(undefined);
  }

  getChildren(item?: Item): Item[] {
    if (!item)
      return this.operators;
    if (item.kind === 'operator')
      return item.files;
    return item.kind === 'file' ? item.lines.slice(0, linesShown).map((line) => ({ kind: 'line', uri: item.uri, line })) : [];
  }

  getTreeItem(item: Item): vscode.TreeItem {
    if (item.kind === 'line') {
      const made = new vscode.TreeItem(`line ${item.line}`);
      const selection = new vscode.Range(item.line - 1, 0, item.line - 1, 0);
      made.command = { title: 'Open', command: 'vscode.open', arguments: [item.uri, { selection, preserveFocus: true }] };
      return made;
    }
    const isOperator = item.kind === 'operator';
    const files = isOperator ? item.files : [item];
    const reported = sum(files, (file) => file.reported);
    const made = new vscode.TreeItem(isOperator ? item.op : item.file.replace(/^\.[\\/]/, ''), vscode.TreeItemCollapsibleState.Collapsed);
    const [first] = files;
    const nodes = words(sum(files, ({ count }) => count), 'node');
    made.description = [reported > 0 ? `${reported} of ${nodes}` : nodes, ...isOperator && first ? opsetWords(first.torchscript) : []].join(', ');
    if (isOperator)
      made.iconPath = reported > 0 ? new vscode.ThemeIcon('error', new vscode.ThemeColor('list.errorForeground')) : new vscode.ThemeIcon('pass');
    const modules = files.flatMap((file) => file.modules ?? []).slice(0, 20).map(({ module, count }) => `${module} (${count})`);
    made.tooltip = modules.length > 0 ? `In ${modules.join(', ')}` : undefined;
    return made;
  }
}

// The commands that choose what is exported with, and say what each choice would change.
import * as vscode from 'vscode';
import { Server, Status } from './server';

export type Setting = 'torch' | 'exporter' | 'opset' | 'runtime';

interface Choice {
  setting: Setting;
  value: string | number;
  current: boolean;
  errors?: number;
  warnings?: number;
  difference?: string;
  why?: string | null;
}

/** docs/protocol.md, onnxls/targets */
interface Targets extends Omit<Status, 'status' | 'why'> {
  runtime: string;
  runtimeFrom: string;
  choices: Choice[];
}

type SettingItem = vscode.QuickPickItem & { setting: Setting };
type ValueItem = vscode.QuickPickItem & { value?: string | number };

const titles: Record<Setting, string> = { torch: 'Torch', exporter: 'Exporter', opset: 'Opset', runtime: 'Runtime' };

function total({ errors = 0, warnings = 0 }: Choice): number {
  return errors * 100_000 + warnings;
}

/** The choice with the fewest problems; of several the one nearest to what is in force. */
function bestOf(choices: Choice[]): Choice | undefined {
  const now = choices.findIndex(({ current }) => current);
  const current = choices[now];
  const better = choices.map((choice, i) => ({ choice, distance: Math.abs(i - now) }))
    .filter(({ choice }) => choice.difference && current && total(choice) < total(current));
  better.sort((a, b) => total(a.choice) - total(b.choice) || a.distance - b.distance);
  return better[0]?.choice;
}

function settingItem(targets: Targets, setting: Setting): SettingItem {
  const best = bestOf(targets.choices.filter((choice) => choice.setting === setting));
  const value = targets[setting];
  return {
    setting,
    label: titles[setting],
    description: value === '' ? 'any' : `${value} (${targets[`${setting}From`]})`,
    detail: best && `${best.value}: ${best.difference}`,
  };
}

function problems({ errors, warnings }: Choice): string | undefined {
  if (errors === undefined || warnings === undefined)
    return undefined;
  const words = (count: number, what: string) => count === 0 ? [] : [`${count} ${what}${count === 1 ? '' : 's'}`];
  return [...words(errors, 'error'), ...words(warnings, 'warning')].join(', ') || 'no errors';
}

function valueItem(choice: Choice): ValueItem {
  const said = choice.difference || (choice.why ? undefined : problems(choice));
  return {
    value: choice.value,
    label: `${choice.value}`,
    description: [choice.current ? 'current' : undefined, said].filter((words) => words !== undefined).join(', '),
    detail: choice.why ?? undefined,
  };
}

async function askTargets(server: Server): Promise<Targets | undefined> {
  await server.startIfStopped();
  const uri = vscode.window.activeTextEditor?.document.uri.toString();
  const targets = uri === undefined ? undefined : await server.ask<Targets>('onnxls/targets', { textDocument: { uri } });
  if (!targets && server.health === 'running')
    void vscode.window.showInformationMessage('Open a graph, a model or a symbolic function first: the choices say what they would change in it.');
  return targets;
}

async function chooseValue(targets: Targets, setting: Setting): Promise<void> {
  const without: ValueItem = { label: `No ${setting} here`, detail: 'That of .onnxls.json, or else the default' };
  const values = targets.choices.filter((choice) => choice.setting === setting).map(valueItem);
  const choice = await vscode.window.showQuickPick([without, ...values], {
    title: `${titles[setting]} to export ${setting === 'runtime' ? 'for' : setting === 'opset' ? 'to' : 'with'}`,
    placeHolder: describe(targets), matchOnDetail: false,
  });
  if (!choice)
    return;
  const resource = vscode.window.activeTextEditor?.document.uri;
  const where = vscode.workspace.workspaceFolders ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await vscode.workspace.getConfiguration('onnxls', resource).update(setting, choice.value, where);
}

function describe({ torch, exporter, opset, runtime }: Targets): string {
  const name = exporter === 'dynamo' ? 'dynamo exporter' : 'TorchScript exporter';
  return `${name} of torch ${torch}, opset ${opset}${runtime ? `, ${runtime}` : ''}`;
}

export async function setOpset(server: Server): Promise<void> {
  const targets = await askTargets(server);
  if (targets)
    await chooseValue(targets, 'opset');
}

export async function setTarget(server: Server): Promise<void> {
  const targets = await askTargets(server);
  if (!targets)
    return;
  const settings: Setting[] = ['torch', 'exporter', 'opset', 'runtime'];
  const chosen = await vscode.window.showQuickPick(settings.map((setting) => settingItem(targets, setting)), {
    title: 'What do you export with?', placeHolder: describe(targets),
  });
  if (chosen)
    await chooseValue(targets, chosen.setting);
}

// What a bug report should say of an installation.
import { release } from 'node:os';
import * as vscode from 'vscode';
import { isOurs } from './languages';
import { Server } from './server';
import { chosenSettings } from './settings';

export function debugInformation(context: vscode.ExtensionContext, server: Server): string {
  const open = vscode.workspace.textDocuments.filter(isOurs);
  const uri = vscode.window.activeTextEditor?.document.uri;
  return [
    `extension: ${context.extension.packageJSON.version}`,
    `VS Code: ${vscode.version} (${vscode.env.appName}, ${vscode.env.remoteName ?? 'local'})`,
    `system: ${process.platform} ${process.arch} ${release()}`,
    `server: ${server.health}${server.reason ? ` (${server.reason})` : ''}, crashes: ${server.crashCount}`,
    `program: ${server.found ? `${server.found.path}, from ${server.found.origin}` : 'none'}`,
    ...server.version.split('\n').filter(Boolean),
    `trusted workspace: ${vscode.workspace.isTrusted}`,
    `settings: ${JSON.stringify(chosenSettings(uri))}`,
    `documents: ${open.map(({ languageId, lineCount }) => `${languageId} of ${lineCount} lines`).join(', ') || 'none'}`,
    `capabilities: ${JSON.stringify(server.capabilities ?? {})}`,
  ].join('\n');
}

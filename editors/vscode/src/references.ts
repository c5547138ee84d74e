// What a code lens opens: the uses that it counts, in the editor's own list.
import * as vscode from 'vscode';
import { Position } from 'vscode-languageclient/node';
import { Server } from './server';

export async function showReferences(server: Server, uri: string, position: Position): Promise<void> {
  const locations = await server.references(uri, position);
  const at = new vscode.Position(position.line, position.character);
  await vscode.commands.executeCommand('editor.action.showReferences', vscode.Uri.parse(uri), at, locations);
}

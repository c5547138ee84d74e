// Which program is the server: the setting, the one in the extension, or the one on the PATH.
import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import * as vscode from 'vscode';

const program = process.platform === 'win32' ? 'onnxls.exe' : 'onnxls';
const probeTimeMs = 10_000;

export interface Found {
  path: string;
  /** For people: "the setting onnxls.server.path". */
  origin: string;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function onPath(): string | undefined {
  // A relative entry would be seen from wherever VS Code was started.
  const folders = (process.env.PATH ?? '').split(delimiter).filter(isAbsolute);
  return folders.map((folder) => join(folder, program)).find(isProgram);
}

/** `~` and relative paths, as a setting may have them. */
function expand(path: string): string {
  if (path.startsWith('~/'))
    return join(homedir(), path.slice(2));
  return resolve(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? homedir(), path);
}

/** In a workspace that is not trusted, VS Code leaves the workspace's value of `onnxls.server.path` out. */
export function findServer(context: vscode.ExtensionContext): Found {
  const wanted = vscode.workspace.getConfiguration('onnxls').get('server.path', '').trim();
  if (wanted) {
    const path = expand(wanted);
    if (!isProgram(path))
      throw new Error(`The setting onnxls.server.path names ${path}, which is not a program.`);
    return { path, origin: 'the setting onnxls.server.path' };
  }
  const bundled = context.asAbsolutePath(join('server', program));
  if (isProgram(bundled))
    return { path: bundled, origin: 'the extension' };
  const path = onPath();
  if (!path)
    throw new Error('The server onnxls was not found: this package of the extension has none, and none is on the PATH.');
  return { path, origin: 'the PATH' };
}

/** Standard output of a short run. */
export function runServer(path: string, ...args: string[]): Promise<string> {
  return new Promise((done, fail) => {
    execFile(path, args, { timeout: probeTimeMs, maxBuffer: 16 << 20 }, (error, stdout, stderr) => {
      if (error)
        fail(new Error(`${path} ${args.join(' ')}: ${stderr.trim() || error.message}`));
      else
        done(stdout.trim());
    });
  });
}

/** What `--version` says. A program that says something else is not our server. */
export async function probeServer(path: string): Promise<string> {
  const version = await runServer(path, '--version');
  if (!/^onnxls \d/.test(version))
    throw new Error(`${path} --version does not answer as onnxls does.`);
  return version;
}

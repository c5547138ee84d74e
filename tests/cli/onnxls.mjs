// Running the binary in tests, and folders that vanish afterwards.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
export const binary = process.env.ONNXLS ?? join(root, 'build', 'release', 'onnxls');

/** Whether the binary was built with one: it needs memory and descriptors of its own. */
export const hasSanitizer = /__[at]san_init/.test(readFileSync(binary, 'latin1'));

/** Whether an emulator runs it (`./dev cross`), which takes the system's limits of a process for its own. */
export const isEmulated = readFileSync(binary, 'latin1').startsWith('#!');

/** Whether that is Wine: there are no scripts, signals, owners and modes, and names of files have a drive. */
export const isWindows = isEmulated && readFileSync(binary, 'latin1').includes('wine');

/** For a test's `skip`: why it can't run there, or false. */
export const onWindows = (why) => isWindows && `Windows: ${why}`;
export const whenEmulated = (why) => isEmulated && `an emulator runs it: ${why}`;

/** A path and a URI of this system as the program spells them. */
export const spelled = (path) => (isWindows ? `z:${path}` : path);
export const spelledUri = (path) => pathToFileURL(path).href.replace('file:///', isWindows ? 'file:///z%3A/' : 'file:///');

/** What the program said on stderr. Where there is no /proc, sanitizers begin with a line of their own. */
export function said(err) {
  return err.replace(/^==\d+==WARNING: reading executable name failed.*\n/gm, '');
}

/** Nothing is kept in the cache of whoever runs the tests, and nothing taken from it. */
const noCache = { XDG_CACHE_HOME: '/dev/null' };

/** { code, out, err }; options: cwd, input, env. What takes ten minutes hangs. */
export function onnxls(args, options = {}) {
  const result = spawnSync(binary, args, {
    encoding: 'utf8', maxBuffer: 1 << 30, timeout: 600_000, ...options, env: { ...process.env, ...noCache, ...options.env },
  });
  if (result.error && result.error.code !== 'EPIPE')  // It may well end without reading its input.
    throw result.error;
  return { code: result.status ?? result.signal, out: result.stdout, err: said(result.stderr) };
}

/**
 * Calls `work(folder)` with a new folder that holds `files` (name to text), and gives what it gives: a promise only for a
 * promise, so that what fails without one fails at its place.
 */
export function withFolder(files, work) {
  const folder = mkdtempSync(join(tmpdir(), 'onnxls-test-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  let result;
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    result = work(folder);
  } catch (error) {
    remove();
    throw error;
  }
  if (result instanceof Promise)
    return result.finally(remove);
  remove();
  return result;
}

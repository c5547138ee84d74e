// What every editor's test needs: a project of its own, an environment without the person who runs it, the large dump,
// a program that is killed when it takes too long, and the results that it printed.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const here = dirname(fileURLToPath(import.meta.url));
export const root = join(here, '..', '..');
export const server = resolve(process.env.ONNXLS ?? join(root, 'build/release/onnxls'));
export const expectedFile = join(here, 'expected.json');
export const expected = JSON.parse(readFileSync(expectedFile));

const timeLimit = 1_200_000;  // It hangs, however busy the machine is.
const largeNodes = 400_000;

export const scratch = mkdtempSync(join(tmpdir(), 'onnxls-editors-'));
process.on('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => process.exit(130));

/** Lines that say what can't run, and why. */
export const skipped = new Set();

export function has(command) {
  return !spawnSync(command[0], [...command.slice(1), '--version'], { stdio: 'ignore' }).error;
}

/** What a program prints, "" if it can't be run. */
export function saying(command, options) {
  return spawnSync(command[0], command.slice(1), { encoding: 'utf8', ...options }).stdout ?? '';
}

/** A step that has to go well. */
export function step(command, args, options) {
  const made = spawnSync(command, args, { encoding: 'utf8', maxBuffer: 64 << 20, ...options });
  if (made.status !== 0)
    throw new Error(`${command} ${args.join(' ')}: ${made.stdout}${made.stderr}${made.error ?? ''}`);
  return made.stdout;
}

/** A fresh project: the documents, settings, and a `.git` that makes it a root. */
export function makeProject(name, withServer = true) {
  const project = join(scratch, name, 'project');
  cpSync(join(here, 'documents'), project, { recursive: true });
  mkdirSync(join(project, '.git'));
  writeFileSync(join(project, '.onnxls.json'), `${JSON.stringify(expected.settings)}\n`);
  for (const folder of ['home', 'config', 'data', 'state', 'cache', 'bin'])
    mkdirSync(join(scratch, name, folder), { recursive: true });
  if (withServer)
    symlinkSync(server, join(scratch, name, 'bin/onnxls'));
  return project;
}

/** `inputs` lie in the file that ONNXLS_TEST names. */
export function environment(name, inputs) {
  const own = (folder) => join(scratch, name, folder);
  const file = own('inputs.json');
  writeFileSync(file, JSON.stringify({ expected: expectedFile, ...inputs }));
  return {
    ...process.env, ONNXLS_TEST: file, HOME: own('home'), XDG_CONFIG_HOME: own('config'), XDG_DATA_HOME: own('data'),
    XDG_STATE_HOME: own('state'), XDG_CACHE_HOME: own('cache'), LC_ALL: 'C.UTF-8', PATH: `${own('bin')}:${process.env.PATH}`,
  };
}

/** 24 MB, written once. */
export function makeLarge() {
  const file = join(scratch, 'large.torchir');
  if (!existsSync(file))
    step(process.execPath, [join(root, 'tests/bench/generate.mjs'), 'torch', `${largeNodes}`, '--unsupported', '20', '-o', file]);
  return file;
}

/** Standard output of a program; killed, with its children, when it takes too long. */
export function run(command, args, env, { limit = timeLimit, cwd } = {}) {
  return new Promise((done) => {
    const child = spawn(command[0], [...command.slice(1), ...args], { env, cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let errors = '';
    const timer = setTimeout(() => {
      errors += `\nkilled after ${limit / 1000} s`;
      process.kill(-child.pid, 'SIGKILL');
    }, limit);
    child.stdout.on('data', (data) => { output += data; });
    child.stderr.on('data', (data) => { errors += data; });
    child.on('error', (error) => { errors += error.message; });
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      done({ code: code ?? signal, output, errors });
    });
  });
}

/** The lines of JSON among what an editor said. An editor that ended badly, or says nothing unasked, is a failure. */
export function readResults({ code, output, errors }, only) {
  const results = output.split(/\r?\n/).filter((line) => line.startsWith('{"feature"')).map((line) => JSON.parse(line));
  if (code !== 0 || (!results.length && !only))
    results.push({ feature: 'the run itself', result: 'failed', ms: 0,
                   note: `exit code ${code}: ${`${output}\n${errors}`.trim().split('\n').slice(-12).join('\n')}` });
  return results;
}

/** Runs one test; what it returns is its time in ms, or else the clock's. */
export async function measure(feature, test) {
  const start = Date.now();
  try {
    const ms = await test();
    return { feature, result: 'passed', ms: typeof ms === 'number' ? ms : Date.now() - start };
  } catch (error) {
    return { feature, result: 'failed', ms: Date.now() - start, note: error.message };
  }
}

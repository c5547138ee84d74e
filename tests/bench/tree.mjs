#!/usr/bin/env node
// Many files: `onnxls check` of a folder, the first time and when nothing changed, next to ripgrep looking for two words.
//
// tree.mjs [--server FILE] [--runs N] [FOLDER]
// Without a FOLDER one is made of 10,000 files: 4,000 models, 3,000 dumps and 3,000 Python files, no two of them alike.
// Prints a row for each: seconds that went by, seconds of computing, the most memory; medians of N runs (3), in turns.
// Needs GNU time. Without `rg` its row is missing.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const corpus = join(root, 'tests/corpus');
const filesAFolder = 100;

/** The bytes of the files below a folder of the corpus whose names end so. */
function samples(folder, ending) {
  return readdirSync(join(corpus, folder), { recursive: true }).filter((name) => name.endsWith(ending)).sort()
    .map((name) => readFileSync(join(corpus, folder, name)));
}

/** A field that models may have and that says nothing: a documentation with a number. */
function modelNote(number) {
  const text = Buffer.from(String(number));
  return Buffer.concat([Buffer.from([0x32, text.length]), text]);
}

/** Writes `count` files, each a sample in turn with an end of its own. */
function writeFiles(folder, count, list, endOf, ending) {
  for (let i = 0; i < count; i++) {
    const at = join(folder, `part${Math.floor(i / filesAFolder)}`);
    mkdirSync(at, { recursive: true });
    writeFileSync(join(at, `f${i}${ending}`), Buffer.concat([list[i % list.length], endOf(i)]));
  }
}

function makeTree(folder) {
  writeFiles(join(folder, 'models'), 4000, samples('onnx', '.onnx'), modelNote, '.onnx');
  writeFiles(join(folder, 'dumps'), 3000, samples('torch-ir', '.txt'), (i) => Buffer.from(`\n# ${i}\n`), '.torchir');
  writeFiles(join(folder, 'code'), 3000, samples('symbolics_good', '.py'), (i) => Buffer.from(`\n# ${i}\n`), '.py');
}

/** { elapsed, computing, memory } of one run, in seconds and megabytes. */
function measure(command, cwd, env) {
  const result = spawnSync('time', ['-f', '\n%e %U %S %M', ...command], {
    cwd, encoding: 'utf8', maxBuffer: 1 << 30, env: { ...process.env, ...env },
  });
  const numbers = result.stderr?.trimEnd().split('\n').at(-1).split(' ').map(Number);
  if (result.error || result.status > 1 || numbers.length !== 4)  // 127 is what `time` says of a program that isn't there.
    throw new Error(`${command[0]}: ${result.error?.message ?? result.stderr}`);
  return { elapsed: numbers[0], computing: numbers[1] + numbers[2], memory: numbers[3] / 1000, out: result.stdout };
}

const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

function row(name, runs) {
  const [elapsed, computing, memory] = ['elapsed', 'computing', 'memory'].map((key) => median(runs.map((run) => run[key])));
  console.log(`${name.padEnd(32)}${elapsed.toFixed(2).padStart(10)}${computing.toFixed(2).padStart(11)}${memory.toFixed(0).padStart(8)}`);
  return computing;
}

function main(words) {
  const option = (name, otherwise) => {
    const at = words.indexOf(name);
    return at < 0 ? otherwise : words.splice(at, 2)[1];
  };
  const server = resolve(option('--server', join(root, 'build/release/onnxls')));
  const count = Number(option('--runs', 3));
  const work = mkdtempSync(join(tmpdir(), 'onnxls-tree-'));
  const folder = words[0] ?? join(work, 'tree');
  const hasRipgrep = spawnSync('rg', ['--version']).status === 0;
  const runs = { rg: [], all: [], first: [], again: [] };
  try {
    if (!words[0])
      makeTree(folder);
    const check = (env, ...flags) => measure([server, 'check', '.', '--format', 'jsonl', ...flags], folder, env);
    for (let i = 0; i < count; i++) {
      const env = { XDG_CACHE_HOME: join(work, `cache${i}`) };
      if (hasRipgrep)
        runs.rg.push(measure(['rg', '-l', 'onnx|symbolic', '.'], folder));
      runs.all.push(check(env, '--no-cache'));
      runs.first.push(check(env));
      runs.again.push(check(env));
      if (runs.again[i].out !== runs.all[i].out)
        throw new Error('what was kept says something else');
    }
    console.log(`${runs.again[0].out.match(/"status"/g)?.length ?? 0} files`);
    console.log(`${''.padEnd(32)}${'elapsed s'.padStart(10)}${'computing s'.padStart(11)}${'MB'.padStart(8)}`);
    const peer = hasRipgrep && row("rg -l 'onnx|symbolic'", runs.rg);
    const all = row('check --no-cache', runs.all);
    row('check, the first time', runs.first);
    const again = row('check, when nothing changed', runs.again);
    if (peer > 0)
      console.log(`computing, of what rg takes: ${(all / peer).toFixed(1)} times, and ${(again / peer).toFixed(1)} when nothing changed`);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

main(process.argv.slice(2));

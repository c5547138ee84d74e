// Fuzzes in turn: node tests/fuzz/run.mjs [--minutes N] [--keep] [TARGET ...]
//
// Every target (build/fuzz/tests/fuzz/fuzz_TARGET) gets its turn, and again, until N minutes of computing are spent; so do
// the unit tests that draw numbers (random_TEST), with one seed after the other. Minutes that the machine gives to others
// don't count, nor does reading the corpus at the beginning of a turn, so a busy machine tests as much as an idle one.
// What a target learnt stays (corpus.mjs) and is minimised in the end, so that each run begins where the last one stopped;
// with --keep the smallest part of it is written for other checkouts, too. What broke a target is in build/fuzz-findings,
// with what the target said.
import { spawn } from 'node:child_process';
import { createWriteStream, existsSync, mkdirSync, readFileSync, readdirSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { corpusOf, keep, keepTotals, minimise, readTotals, saveTotals } from './corpus.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const build = join(root, 'build/fuzz/tests');
const findings = join(root, 'build/fuzz-findings');
const LONGEST_TURN_S = 120;
const LOOK_MS = 500;  // How often a target is asked what it has spent.
const PATIENCE_S = 1200;  // For one input: it hangs, however busy the machine is.

function names(folder, pattern) {
  return readdirSync(folder).map((name) => pattern.exec(name)?.[1]).filter(Boolean).sort();
}

/** Unit tests whose work the seed chooses. */
function randomTests() {
  const folder = join(root, 'tests/unit');
  return names(folder, /^test_(\w+)\.c$/)
    .filter((name) => /random_share|random_is_sampled|each_corpus_dump/.test(readFileSync(join(folder, `test_${name}.c`), 'utf8')))
    .map((name) => `random_${name}`);
}

const all = [...names(join(build, 'fuzz'), /^fuzz_(\w+)$/), ...randomTests()];
const words = process.argv.slice(2);
const keepAt = words.indexOf('--keep');
const isKept = keepAt >= 0 && words.splice(keepAt, 1).length > 0;
const minutesAt = words.indexOf('--minutes');
const minutes = minutesAt < 0 ? undefined : Number(words.splice(minutesAt, 2)[1]);
const targets = words.length ? words : all;
const unknown = targets.find((name) => !all.includes(name));
if (unknown || (minutesAt >= 0 && !(minutes > 0))) {
  console.error(unknown ? `there is no target ${unknown}; there are ${all.join(', ')}` : 'usage: run.mjs [--minutes N] [--keep] [TARGET ...]');
  process.exit(2);
}
const budget = (minutes ?? targets.length) * 60;
const turn = Math.max(1, Math.min(LONGEST_TURN_S, Math.floor(budget / targets.length)));

// --- What is known of each target: of this run, and of all that used the corpus ---

const totals = readTotals();
const before = structuredClone(totals);

function totalOf(name) {
  return totals[name] ??= { executions: 0, seconds: 0, reached: 0, edges: 0, inputs: 0, findings: 0 };
}

function printTable() {
  const rows = [['target', 'executions', 'in all', 'computing hours in all', 'edges reached', 'of', 'inputs kept', 'findings']];
  const sums = { now: 0, executions: 0, seconds: 0, findings: 0 };
  for (const name of targets) {
    const total = totalOf(name);
    const now = total.executions - (before[name]?.executions ?? 0);
    rows.push([name, now, total.executions, (total.seconds / 3600).toFixed(2), total.reached, total.edges, total.inputs, total.findings]);
    sums.now += now;
    sums.executions += total.executions;
    sums.seconds += total.seconds;
    sums.findings += total.findings;
  }
  rows.push(['all', sums.now, sums.executions, (sums.seconds / 3600).toFixed(2), '', '', '', sums.findings]);
  const widths = rows[0].map((_, i) => Math.max(...rows.map((row) => String(row[i]).length)));
  for (const row of rows)
    console.log(row.map((cell, i) => i ? String(cell).padStart(widths[i]) : cell.padEnd(widths[i])).join('  ').trimEnd());
}

// --- Turns ---

let found = 0;
let child;
let isStopping = false;
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => { isStopping = true; child?.kill('SIGINT'); });

/** Numbers 11 and on of a process (proc(5)): utime, stime, cutime, cstime in ticks; undefined where there are none. */
function ticks(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1).split(' ').slice(11, 15).map(Number);
  } catch {
    return undefined;
  }
}

const clock = () => Date.now() / 1000;

/** Seconds that processors spent on programs that have ended; on Linux only, elsewhere those that went by. */
function computingSeconds() {
  const mine = ticks('self');
  return mine ? (mine[2] + mine[3]) / 100 : clock();
}

/** The same of one that runs. */
function secondsOf(pid) {
  const its = ticks(pid);
  return its ? (its[0] + its[1]) / 100 : clock();
}

/** Tells a target to end when it has spent `seconds` since it has read its corpus. */
function endAfter(seconds, target, hasBegun) {
  let begin;
  const timer = setInterval(() => {
    begin ??= hasBegun() ? secondsOf(target.pid) : undefined;
    if (begin !== undefined && secondsOf(target.pid) - begin >= seconds)
      target.kill('SIGUSR1');
  }, LOOK_MS);
  target.on('close', () => clearInterval(timer));
}

/** Runs a program to its end; its last words, and whether it ended well. What it says goes to the log. */
function run(program, args, env, log, seconds) {
  return new Promise((resolve) => {
    const out = createWriteStream(log);
    let text = '';
    let hasBegun = false;  // Noticed at once: a target that has much to say pushes the line out of what is remembered.
    const take = (data) => {
      out.write(data);
      hasBegun ||= /^#\d+\s+INITED/m.test(data);
      text = (text.slice(0, 2000) + text.slice(2000).slice(-20_000)) + data;
    };
    child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    if (seconds)
      endAfter(seconds, child, () => hasBegun);
    child.on('close', (code) => {
      child = undefined;
      out.end(() => resolve({ text, isGood: code === 0 || isStopping }));
    });
  });
}

const last = (text, pattern) => Number([...text.matchAll(pattern)].at(-1)?.[1] ?? 0);

/** What breaks a target, and where the input that did is written. */
function limits(name) {
  return ['-rss_limit_mb=4096', `-timeout=${PATIENCE_S}`, `-report_slow_units=${PATIENCE_S}`, `-artifact_prefix=${findings}/${name}-`];
}

async function fuzz(name, seconds) {
  const total = totalOf(name);
  const folder = corpusOf(name);
  const seeds = join(root, 'tests/fuzz/seeds', name);
  const log = join(findings, `${name}.log`);
  const { text, isGood } = await run(join(build, `fuzz/fuzz_${name}`),
    [...limits(name), '-print_final_stats=1', folder, ...(existsSync(seeds) ? [seeds] : [])], {}, log, seconds);
  total.executions += last(text, /stat::number_of_executed_units: (\d+)/g) || last(text, /^#(\d+)/gm);
  total.reached = Math.max(total.reached, last(text, / cov: (\d+)/g));
  total.edges = last(text, /\((\d+) inline 8-bit counters\)/g) || total.edges;
  total.inputs = readdirSync(folder).length;
  if (!isGood)
    report(name, log);
}

function report(name, log) {
  found++;
  totalOf(name).findings++;
  const kept = join(findings, `${name}-${Date.now()}.log`);
  renameSync(log, kept);
  console.log(`FOUND by ${name}: ${kept}`);
}

/** One seed after the other, and with each all of the test's work. */
async function draw(name, seconds) {
  const test = name.replace('random_', 'test_');
  const log = join(findings, `${name}.log`);
  const until = computingSeconds() + seconds;
  do {
    const seed = String(Date.now() % 2 ** 31);
    const { isGood } = await run(join(build, 'unit', test), [], { ONNXLS_SEED: seed, ONNXLS_SAMPLE: '100' }, log);
    totalOf(name).executions += isStopping ? 0 : 1;
    if (!isGood) {
      console.log(`ONNXLS_SEED=${seed} ONNXLS_SAMPLE=100 build/fuzz/tests/unit/${test}`);
      report(name, log);
      return;
    }
  } while (computingSeconds() < until && !isStopping);
}

/** For corpus.mjs: chooses inputs of a folder that together reach what all of them reach; with `-use_counters=0` that is
    each edge once, else how often counts. An input that breaks the target is left out of what is chosen, and libFuzzer ends
    as if nothing had happened; so it is looked for in the log, the place that says where such inputs were written. */
function mergeOf(name, ...more) {
  return async (folder, from) => {
    const log = join(findings, `${name}.log`);
    const { isGood } = await run(join(build, `fuzz/fuzz_${name}`), ['-merge=1', ...limits(name), ...more, folder, from], {}, log);
    if (readFileSync(log, 'utf8').includes('Test unit written to'))
      report(name, log);
    return isGood && !isStopping;
  };
}

mkdirSync(findings, { recursive: true });
const start = computingSeconds();
for (let i = 0; computingSeconds() - start < budget && !isStopping; i++) {
  const name = targets[i % targets.length];
  const begin = computingSeconds();
  await (name.startsWith('random_') ? draw : fuzz)(name, turn);
  totalOf(name).seconds += computingSeconds() - begin;
  saveTotals(totals);
}
for (const name of targets) {
  if (isStopping || name.startsWith('random_'))
    continue;
  await minimise(name, mergeOf(name));
  totalOf(name).inputs = readdirSync(corpusOf(name)).length;
  if (isKept)
    await keep(name, mergeOf(name, '-use_counters=0'));
}
saveTotals(totals);
if (isKept)
  keepTotals();
printTable();
process.exitCode = found > 0 ? 1 : 0;

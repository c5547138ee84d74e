// Runs every test of the project and says what came of it: `node tests/run.mjs [SUITE ...]`.
// What a suite printed is kept in build/test-logs/SUITE.log; of one that failed, the failures are shown.
// The binaries are build/dev (with sanitizers) and build/release; `./dev test` builds both first.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const logs = join(root, 'build', 'test-logs');
const jobs = availableParallelism?.() ?? cpus().length;
const timeLimit = 5 * 60 * 1000;  // For one program.
const longTimeLimit = 40 * 60 * 1000;
const shownLines = 60;

/** What to show of a suite that failed: failed tests of TAP, else the end. */
function excerpt(output) {
  const failures = [...output.matchAll(/^ *not ok .*\n(?: +.*\n)*/gm)].map(([text]) => text);
  const lines = (failures.length ? failures.join('') : output).trimEnd().split('\n');
  return (failures.length ? lines.slice(0, shownLines) : lines.slice(-shownLines)).join('\n');
}

/** Runs one command; resolves to { code, output }, and kills it when its time is up. */
function run(command, env = {}, limit = timeLimit) {
  return new Promise((resolve) => {
    const child = spawn(command[0], command.slice(1), {
      cwd: root, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true,
    });
    let output = '';
    const timer = setTimeout(() => {
      output += `\nkilled after ${limit / 1000} s\n`;
      process.kill(-child.pid, 'SIGKILL');
    }, limit);
    child.stdout.on('data', (data) => { output += data; });
    child.stderr.on('data', (data) => { output += data; });
    child.on('error', (error) => { output += `${error.message}\n`; });
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, output });
    });
  });
}

/** Adds up every match's first group. */
function sum(output, pattern) {
  return [...output.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);
}

/** A command that ended badly, or that tested nothing, without naming a failed test is one failure. */
function settle({ code, output }, passed, failed, skipped = 0) {
  const silent = failed === 0 && (code !== 0 || passed + skipped === 0);
  return { output, passed, failed: silent ? 1 : failed, skipped };
}

/** Programs that print "N passed, N failed" as their last line, and perhaps ", N skipped" behind it. */
async function script(command, env, limit) {
  const result = await run(command, env, limit);
  const last = [...result.output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)].pop();
  return settle(result, Number(last?.[1] ?? 0), Number(last?.[2] ?? 0), Number(last?.[3] ?? 0));
}

/** Files of Node's own test runner, one at a time: they start servers and measure time. */
async function nodeTests(folder, env) {
  const files = readdirSync(join(root, folder)).filter((name) => name.endsWith('.test.mjs'));
  const all = { output: '', passed: 0, failed: 0 };
  for (const file of files.sort()) {
    const result = await run(['node', '--test', '--test-reporter=tap', join(folder, file)], env);
    add(all, settle(result, sum(result.output, /^# pass (\d+)/gm),
                    sum(result.output, /^# (?:fail|cancelled) (\d+)/gm)));
  }
  return all;
}

function add(all, part) {
  all.output += part.output;
  all.passed += part.passed;
  all.failed += part.failed;
}

/** Commands that say with their exit code whether all is well, each of them one test. */
async function steps(...commands) {
  const all = { output: '', passed: 0, failed: 0 };
  for (const command of commands) {
    const result = await run(command);
    result.output = `== ${command.join(' ')}\n${result.output}`;
    add(all, { output: result.output, passed: result.code === 0 ? 1 : 0, failed: result.code === 0 ? 0 : 1 });
  }
  return all;
}

/** A test of CTest's list; cmocka says how many tests are in it, others count as one. */
async function listedTest({ name, command }) {
  const result = await run(command);
  const passed = sum(result.output, /^\[ {2}PASSED {2}\] (\d+) test/gm);
  const failed = sum(result.output, /^\[ {2}FAILED {2}\] [^\n]*?(\d+) test/gm);
  result.output = `== ${name}\n${result.output}`;
  return settle(result, passed === 0 && failed === 0 && result.code === 0 ? 1 : passed, failed);
}

/** Everything that CMake registered with add_test(). */
async function ctest(build) {
  const list = execFileSync('ctest', ['--test-dir', join(root, build), '--show-only=json-v1'],
                            { encoding: 'utf8', maxBuffer: 64 << 20 });
  const waiting = JSON.parse(list).tests.filter((test) => test.command);
  const all = { output: '', passed: 0, failed: 0 };
  const worker = async () => {
    for (let test = waiting.shift(); test; test = waiting.shift())
      add(all, await listedTest(test));
  };
  await Promise.all(Array.from({ length: jobs }, worker));
  return all;
}

const checked = { ONNXLS: join(root, 'build/dev/onnxls') };
const fast = { ONNXLS: join(root, 'build/release/onnxls') };
const suites = {
  tidy: () => script(['node', 'tests/tidy/tidy.mjs']),
  grammar: () => steps(['sh', 'grammar/generate.sh', '--check'], ['sh', 'grammar/generate.sh', '--test']),
  unit: () => ctest('build/dev'),
  cases: () => script(['node', 'tests/cases/run.mjs'], checked),
  fixes: () => script(['node', 'tests/cases/fixes.mjs'], checked),
  cli: () => nodeTests('tests/cli', checked),
  truth: () => script(['node', 'tests/truth/agree.mjs'], fast),
  'truth of the parser': () => script(['node', 'tests/truth/parse_ir.mjs'], fast),
  stubs: () => script(['node', 'tests/truth/stubs.mjs'], fast),
  bench: () => nodeTests('tests/bench'),
  'protocol (sanitizers)': () => nodeTests('tests/protocol', checked),
  'protocol (release)': () => nodeTests('tests/protocol', fast),
  // The editors that are on this machine; `./dev test --editors=all` gets more of them first.
  editors: () => process.env.ONNXLS_EDITORS === 'all'
    ? script(['node', 'tests/editors/run.mjs', '--all'], fast, longTimeLimit)
    : script(['node', 'tests/editors/run.mjs', '--no-large'], fast, longTimeLimit),
};

function chosenSuites(words) {
  const names = Object.keys(suites);
  const chosen = words.length ? names.filter((name) => words.some((word) => name.startsWith(word))) : names;
  if (!chosen.length) {
    console.error(`there is no suite '${words.join(' ')}'; there are ${names.join(', ')}`);
    process.exit(2);
  }
  return chosen;
}

async function main() {
  mkdirSync(logs, { recursive: true });
  let passed = 0;
  let failed = 0;
  let skipped = 0;
  for (const name of chosenSuites(process.argv.slice(2))) {
    const start = Date.now();
    const result = await suites[name]();
    const seconds = ((Date.now() - start) / 1000).toFixed(1);
    const log = join(logs, `${name.replace(/\W+/g, '-')}.log`);
    writeFileSync(log, result.output);
    console.log(`${name.padEnd(24)}${String(result.passed).padStart(6)} passed` +
                `${String(result.failed).padStart(5)} failed${seconds.padStart(9)} s` +
                `${result.skipped ? `, ${result.skipped} skipped` : ''}`);
    for (const [line] of result.output.matchAll(/^skipped: .*$/gm))
      console.log(`  ${line}`);
    if (result.failed)
      console.log(`${excerpt(result.output)}\n(all of it: ${log})`);
    passed += result.passed;
    failed += result.failed;
    skipped += result.skipped ?? 0;
  }
  console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  process.exit(failed ? 1 : 0);
}

await main();

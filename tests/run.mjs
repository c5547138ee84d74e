// Runs every test of the project and says what came of it: `node tests/run.mjs [quick | on TARGET] [SUITE ...] [--seed=N]`.
// `on TARGET` takes build/TARGET/run/onnxls, which runs a program for another system (./dev cross).
// What a suite printed is kept in build/test-logs/SUITE.log; of one that failed, the failures are shown.
// The binaries are build/dev (with sanitizers) and build/release; `./dev test` builds both first, `./dev test quick`
// only build/dev. Random tests do a share of their work (tests/unit/random_numbers.h); the seed is that of the commit,
// so that a commit always gives the same result, and another one looks elsewhere.
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const logs = join(root, 'build', 'test-logs');
const jobs = availableParallelism?.() ?? cpus().length;
const timeLimit = 20 * 60 * 1000;  // For one program: it hangs, however busy the machine is.
const longTimeLimit = 60 * 60 * 1000;
const shownLines = 60;

/** What to show of a suite that failed: failed tests of TAP, else the end. */
function excerpt(output) {
  const failures = [...output.matchAll(/^ *not ok .*\n(?: +.*\n)*/gm)].map(([text]) => text);
  const lines = (failures.length ? failures.join('') : output).trimEnd().split('\n');
  return (failures.length ? lines.slice(0, shownLines) : lines.slice(-shownLines)).join('\n');
}

/** As many programs run side by side as there are processors: no test depends on how busy the machine is. */
const waiting = [];
let free = jobs;

async function takeTurn() {
  if (free > 0)
    free--;
  else
    await new Promise((resolve) => waiting.push(resolve));
}

function endTurn() {
  const next = waiting.shift();
  if (next)
    next();
  else
    free++;
}

/** Runs one command when its turn comes; resolves to { code, output }, and kills it when its time is up. */
async function run(command, env = {}, limit = timeLimit) {
  await takeTurn();
  try {
    return await runNow(command, env, limit);
  } finally {
    endTurn();
  }
}

function runNow(command, env, limit) {
  return new Promise((resolve) => {
    const start = Date.now();
    const child = spawn(command[0], command.slice(1), {
      cwd: root, env: { ...process.env, ...random, ...env }, stdio: ['ignore', 'pipe', 'pipe'], detached: true,
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
      resolve({ code, output, ms: Date.now() - start });
    });
  });
}

/** Adds up every match's first group. */
function sum(output, pattern) {
  return [...output.matchAll(pattern)].reduce((total, match) => total + Number(match[1]), 0);
}

/** A command that ended badly, or that tested nothing, without naming a failed test is one failure. */
function settle({ code, output, ms }, passed, failed, skipped = 0) {
  const silent = failed === 0 && (code !== 0 || passed + skipped === 0);
  const isBad = silent || failed > 0;
  return { output, bad: isBad ? output : '', ms, passed, failed: silent ? 1 : failed, skipped };
}

/** The sum of what several programs gave. */
function together(results) {
  const all = { output: '', bad: '', ms: 0, passed: 0, failed: 0, skipped: 0 };
  for (const result of results) {
    for (const key of Object.keys(all))
      all[key] += result[key];
  }
  return all;
}

/** Programs that print "N passed, N failed" as their last line, and perhaps ", N skipped" after it. */
async function script(command, env, limit) {
  const result = await run(command, env, limit);
  const last = [...result.output.matchAll(/^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/gm)].pop();
  return settle(result, Number(last?.[1] ?? 0), Number(last?.[2] ?? 0), Number(last?.[3] ?? 0));
}

/** Files of Node's own test runner; `names` says which, all if nothing is said. */
async function nodeTests(folder, env, names) {
  const files = testsOf(folder).filter((name) => !names || names.includes(name));
  return together(await Promise.all(files.sort().map(async (file) => {
    const result = await run(['node', '--test', '--test-reporter=tap', join(folder, `${file}.test.mjs`)], env);
    return settle(result, sum(result.output, /^# pass (\d+)/gm), sum(result.output, /^# (?:fail|cancelled) (\d+)/gm),
                  sum(result.output, /^# skipped (\d+)/gm));
  })));
}

/** Commands that say with their exit code whether all is well, each of them one test; one after the other. */
async function steps(...commands) {
  const results = [];
  for (const command of commands) {
    const result = await run(command);
    result.output = `== ${command.join(' ')}\n${result.output}`;
    results.push(settle(result, result.code === 0 ? 1 : 0, result.code === 0 ? 0 : 1));
  }
  return together(results);
}

/** A test of CTest's list; cmocka says how many tests are in it, others count as one. */
async function listedTest({ name, command }) {
  const result = await run(command);
  const passed = sum(result.output, /^\[ {2}PASSED {2}\] (\d+) test/gm);
  const failed = sum(result.output, /^\[ {2}FAILED {2}\] [^\n]*?(\d+) test/gm);
  result.output = `== ${name}\n${result.output}`;
  return settle(result, passed === 0 && failed === 0 && result.code === 0 ? 1 : passed, failed);
}

/** What CMake registered with add_test(): all, or those whose names are wanted. */
async function ctest(build, isWanted = () => true) {
  const list = execFileSync('ctest', ['--test-dir', join(root, build), '--show-only=json-v1'],
                            { encoding: 'utf8', maxBuffer: 64 << 20 });
  const tests = JSON.parse(list).tests.filter((test) => test.command && isWanted(test.name));
  return together(await Promise.all(tests.map(listedTest)));
}

const isDeep = (name) => name.startsWith('deep_');
const isOwnSuite = (name) => isDeep(name) || name === 'cost';
const testsOf = (folder) => readdirSync(join(root, folder)).filter((name) => name.endsWith('.test.mjs'))
  .map((name) => name.replace('.test.mjs', ''));
const cliTests = (isWanted) => testsOf('tests/cli').filter(isWanted);
/** One of `share` files, another one with each seed. */
const isDrawn = (share) => (_, i) => (i + Number(seed)) % share === 0;

const checked = { ONNXLS: join(root, 'build/dev/onnxls') };
// Looking for leaks is half of what a short run takes, and memory that a program leaves when it ends does no harm: unit
// tests, cases and sessions look for them.
const short = { ...checked, ASAN_OPTIONS: 'detect_leaks=0' };
const fast = { ONNXLS: join(root, 'build/release/onnxls') };
const suites = {
  tidy: () => script(['node', 'tests/tidy/tidy.mjs']),
  grammar: () => steps(['sh', 'grammar/generate.sh', '--check'], ['sh', 'grammar/generate.sh', '--test']),
  unit: () => ctest('build/dev'),
  cases: () => script(['node', 'tests/cases/run.mjs'], checked),
  // What a fix makes of a text is the same with sanitizers, and takes ten times as long: a share of them.
  fixes: () => script(['node', 'tests/cases/fixes.mjs'], { ...fast, ONNXLS_SAMPLE: '100' }),
  'fixes (sanitizers)': () => script(['node', 'tests/cases/fixes.mjs'], short),
  cli: () => nodeTests('tests/cli', fast, cliTests((name) => !isOwnSuite(name))),
  // Nearly all of their time with sanitizers is that of starting the program some thousand times: an eighth of them.
  'cli (sanitizers)': () => nodeTests('tests/cli', short, cliTests((name) => !isOwnSuite(name)).filter(isDrawn(8))),
  // How work grows with a text is the same with sanitizers, and takes ten times as long.
  'cost of long texts': () => nodeTests('tests/cli', fast, ['cost']),
  // Texts that nest deep take the program with sanitizers a second or more each: all without, and a share with them.
  'deep texts': () => nodeTests('tests/cli', { ...fast, ONNXLS_SAMPLE: '100' }, cliTests(isDeep)),
  'deep texts (sanitizers)': () => nodeTests('tests/cli', short, cliTests(isDeep)),
  truth: () => script(['node', 'tests/truth/agree.mjs'], fast),
  'truth of dynamo': () => script(['node', 'tests/truth/dynamo.mjs'], fast),
  'types under dynamo': () => script(['node', 'tests/truth/dynamo_types.mjs'], fast),
  'truth of export calls': () => script(['node', 'tests/truth/export_calls.mjs'], fast),
  'truth of torchvision': () => script(['node', 'tests/truth/vision_models.mjs']),
  'truth of migrations': () => script(['node', 'tests/truth/migrations.mjs'], fast),
  outcomes: () => script(['node', 'tests/truth/outcomes.mjs'], fast),
  kernels: () => script(['node', 'tests/truth/kernels.mjs'], fast),
  'truth of the parser': () => script(['node', 'tests/truth/parse_ir.mjs'], fast),
  mistakes: () => script(['node', 'tests/truth/mistakes.mjs'], fast),
  'fixes of mistakes': () => script(['node', 'tests/truth/mistake_fixes.mjs'], fast),
  stubs: () => script(['node', 'tests/truth/stubs.mjs'], fast),
  bench: () => nodeTests('tests/bench'),
  // The server's threads and memory are attacked by unit tests and by fuzzing, too: a fifth of the sessions.
  'protocol (sanitizers)': () => nodeTests('tests/protocol', checked, testsOf('tests/protocol').filter(isDrawn(5))),
  'protocol (release)': () => nodeTests('tests/protocol', fast),
  // The editors that are on this machine; `./dev test --editors=all` gets more of them first.
  editors: () => process.env.ONNXLS_EDITORS === 'all'
    ? script(['node', 'tests/editors/run.mjs', '--all'], fast, longTimeLimit)
    : script(['node', 'tests/editors/run.mjs', '--no-large'], fast, longTimeLimit),
};

/** These take longer than all other unit tests, and seldom fail. */
const slowUnitTests = ['unread', 'operator_facts', 'requirements', 'features_limits', 'layout'].map((name) => `unit/test_${name}`);

/** What a change usually breaks, in less than a minute; the program with sanitizers does all of it. */
const quickSuites = {
  tidy: () => script(['node', 'tests/tidy/tidy.mjs', '--quick']),
  unit: () => ctest('build/dev', (name) => name.startsWith('unit/') && !slowUnitTests.includes(name)),
  cases: () => script(['node', 'tests/cases/run.mjs'], checked),
  cli: () => nodeTests('tests/cli', short, ['definitions', 'help', 'rules']),
  protocol: () => nodeTests('tests/protocol', checked, ['diagnostics', 'lifecycle', 'sync']),
};

/**
 * What runs a program, and only that: hardening and packages are looked at on their own systems, and how much work deep
 * nesting takes is the same on all, while an emulator needs hours for it.
 */
function suitesOn(target) {
  const launched = { ONNXLS: join(root, 'build', target, 'run', 'onnxls') };
  const names = cliTests((name) => !isOwnSuite(name) && !['hardening', 'packaging'].includes(name));
  return {
    cases: () => script(['node', 'tests/cases/run.mjs'], launched),
    cli: () => nodeTests('tests/cli', launched, names),
    protocol: () => nodeTests('tests/protocol', launched),
  };
}

/** These need a machine's display or its ports for themselves. */
const aloneSuites = ['editors'];

function chosenSuites(words) {
  const all = isQuick ? quickSuites : target ? suitesOn(target) : suites;
  const names = Object.keys(all);
  const chosen = words.length ? names.filter((name) => words.some((word) => name.startsWith(word))) : names;
  if (!chosen.length) {
    console.error(`there is no suite '${words.join(' ')}'; there are ${names.join(', ')}${isQuick ? '' : ', and quick'}`);
    process.exit(2);
  }
  return Object.fromEntries(chosen.map((name) => [name, all[name]]));
}

/** The first digits of the commit; 1 where there is none. */
function commitSeed() {
  try {
    return Number.parseInt(execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8', stdio: 'pipe' }).slice(0, 7), 16);
  } catch {
    return 1;
  }
}

function report(name, result) {
  const log = join(logs, `${name.replace(/\W+/g, '-')}.log`);
  writeFileSync(log, result.output);
  console.log(`${name.padEnd(24)}${String(result.passed).padStart(6)} passed` +
              `${String(result.failed).padStart(5)} failed${(result.ms / 1000).toFixed(1).padStart(9)} s` +
              `${result.skipped ? `, ${result.skipped} skipped` : ''}`);
  for (const [line] of result.output.matchAll(/^skipped: .*$/gm))
    console.log(`  ${line}`);
  if (result.failed)
    console.log(`${excerpt(result.bad)}\n(all of it: ${log})`);
  return result;
}

const flag = /^--seed=(\d+)$/;
const isQuick = process.argv[2] === 'quick';
const target = process.argv[2] === 'on' ? process.argv[3] : '';
const words = process.argv.slice(target ? 4 : isQuick ? 3 : 2).filter((word) => !flag.test(word));
const seed = process.argv.map((word) => flag.exec(word)?.[1]).find(Boolean) ?? commitSeed();
const random = { ONNXLS_SEED: `${seed}`, ONNXLS_SAMPLE: isQuick ? '3' : '20' };

async function main() {
  const start = Date.now();
  mkdirSync(logs, { recursive: true });
  console.log(`seed ${seed}`);
  const chosen = Object.entries(chosenSuites(words));
  const isAlone = ([name]) => aloneSuites.includes(name);
  const results = await Promise.all(chosen.filter((suite) => !isAlone(suite))
    .map(async ([name, test]) => report(name, await test())));
  for (const [name, test] of chosen.filter(isAlone))
    results.push(report(name, await test()));
  const { passed, failed, skipped } = together(results);
  console.log(`after ${((Date.now() - start) / 1000).toFixed(0)} s:`);
  console.log(`${passed} passed, ${failed} failed${skipped ? `, ${skipped} skipped` : ''}`);
  process.exit(failed ? 1 : 0);
}

await main();

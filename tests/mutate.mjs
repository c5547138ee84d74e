// Which one-line mistakes does no test notice? `node tests/mutate.mjs FOLDER [N] [--seed=N]`, or `./dev mutate`: makes N
// (20) mutants of the C files below FOLDER, one after the other, builds each and runs the quick tests on it. The seed is
// printed. Everything happens in a copy of the tree, build/mutate, so that nothing here changes.
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const copy = join(root, 'build', 'mutate');
const timeLimit = 15 * 60 * 1000;  // For the tests of one mutant.

/** What a change is called, where it may be made, and what comes instead. */
const operators = [
  ['comparison', /(?<=[\w)\]] )(<=|>=|<|>)(?= [\w(*-])/g, (sign) => (sign.endsWith('=') ? sign[0] : `${sign}=`)],
  ['equality', /(?<= )(==|!=)(?= )/g, (sign) => (sign === '==' ? '!=' : '==')],
  ['and, or', /(?<= )(&&|\|\|)(?= |$)/g, (sign) => (sign === '&&' ? '||' : '&&')],
  ['sum', /(?<=[\w)\]] )([+-])(?= [\w(*])/g, (sign) => (sign === '+' ? '-' : '+')],
  ['number', /(?<![\w.])(\d+)(?![\w.])/g, (number) => `${Number(number) + 1}`],
  ['condition', /(?<=\b(?:if|while) \()(.+)(?=\)(?: \{)?$)/g, (condition) => `!(${condition})`],
  ['result', /(?<=\breturn )(true|false)(?=;)/g, (value) => (value === 'true' ? 'false' : 'true')],
  ['statement', /(?<=^ +)([\w>.[\]-]+(?:\(.*\)| [+|&-]?= .*|\+\+|--);)$/g, () => ';'],
];

/** The line with comments and the insides of texts and characters blanked, of the same length. */
function withoutTexts(line) {
  return line.replace(/"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|\/\/.*$/g, (text) => (text.startsWith('//') ? ' ' : '_').repeat(text.length));
}

/** [{ path, line, text, kind }] of everything that could be changed in a file. */
function mutantsOf(path) {
  const mutants = [];
  const lines = readFileSync(join(root, path), 'utf8').split('\n');
  lines.forEach((text, i) => {
    if (!text.startsWith('  ') || /^ *(?:#|case |static const|assert|[\w>.-]*(?:free|done|release)\()/.test(text))
      return;  // Declarations, tables, and memory, of which only sanitizers know.
    const bare = withoutTexts(text).replace(/ +$/, '');
    for (const [kind, pattern, change] of operators) {
      for (const match of bare.matchAll(pattern)) {
        const end = match.index + match[0].length;
        mutants.push({ path, line: i, kind, text: text.slice(0, match.index) + change(text.slice(match.index, end)) + text.slice(end) });
      }
    }
  });
  return mutants;
}

/** xorshift32: the same numbers for a seed on every machine. */
function numbers(seed) {
  let state = (Math.imul(seed + 1, 0x9e3779b1) >>> 0) || 1;
  return (limit) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % limit;
  };
}

/** In a session of its own, all of which ends with it: a mutant may hang, and ignore that its test has ended. */
function run(command) {
  const result = spawnSync('setsid', command, { cwd: copy, encoding: 'utf8', maxBuffer: 1 << 28, timeout: timeLimit });
  try {
    process.kill(-result.pid, 'SIGKILL');
  } catch {
    // Nothing is left.
  }
  return result;
}

function build(target = 'all') {
  return run(['cmake', '--build', 'build/dev', '--target', target, '--', '--quiet']).status === 0;
}

/** The tree as it is, built without sanitizers: what they would find is for the tests of every day. */
function prepare() {
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  for (const path of files.split('\n').filter((name) => name && existsSync(join(root, name)))) {
    const target = join(copy, path);
    const text = readFileSync(join(root, path));
    if (existsSync(target) && readFileSync(target).equals(text))
      continue;
    mkdirSync(dirname(target), { recursive: true });
    cpSync(join(root, path), target);
  }
  if (!existsSync(join(copy, 'node_modules')))
    symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  const configured = run(['cmake', '--preset', 'dev', '-D', 'ONNXLS_SANITIZE=', '-D', 'CMAKE_C_FLAGS_DEBUG=-g0']);
  if (configured.status !== 0 || !build())
    throw new Error('the tree can not be built');
}

/** Cheap ones first, with what they need. No tidy: it sees how a line is written, not what it does. */
const tests = [
  { target: 'onnxls', suites: ['cases'] },
  { target: 'all', suites: ['unit'] },
  { target: 'all', suites: ['cli', 'protocol'] },
];

/** What notices it: a suite, or 'no program' for the compiler; undefined if nothing does. */
function noticedBy() {
  for (const { target, suites } of tests) {
    if (!build(target))
      return 'no program';
    if (run(['node', 'tests/run.mjs', 'quick', ...suites]).status !== 0)
      return suites.join(' and ');
  }
  return undefined;
}

/** What came of one mutant, as noticedBy() says. The copy is as before afterwards. */
function tryMutant({ path, line, text }) {
  const file = join(copy, path);
  const before = readFileSync(file, 'utf8');
  const lines = before.split('\n');
  lines[line] = text;
  writeFileSync(file, lines.join('\n'));
  try {
    return noticedBy();
  } finally {
    writeFileSync(file, before);
  }
}

function main() {
  const words = process.argv.slice(2).filter((word) => !word.startsWith('--seed='));
  const folder = words[0]?.replace(/\/$/, '');
  const count = Number(words[1] ?? 20);
  const seed = Number(process.argv.find((word) => word.startsWith('--seed='))?.slice(7) ?? Date.now() % 1e6);
  const files = execFileSync('git', ['ls-files', `${folder}/*.c`], { cwd: root, encoding: 'utf8' }).split('\n').filter(Boolean);
  if (!folder || !files.length || !(count > 0)) {
    console.error('usage: ./dev mutate FOLDER [N] [--seed=N]; FOLDER has C files');
    process.exit(2);
  }
  console.log(`seed ${seed}`);
  prepare();
  const waiting = noticedBy();
  if (waiting)
    throw new Error(`${waiting} fails without a mutant`);
  const below = numbers(seed);
  const mutants = files.flatMap(mutantsOf);
  const survivors = [];
  for (let made = 0; made < count && mutants.length;) {
    const [mutant] = mutants.splice(below(mutants.length), 1);
    const by = tryMutant(mutant);
    if (by === 'no program')
      continue;
    made++;
    const what = `${mutant.path}:${mutant.line + 1}: ${mutant.kind}: ${mutant.text.trim()}`;
    console.log(by ? `noticed by ${by}: ${what}` : `NOTICED BY NO TEST: ${what}`);
    if (!by)
      survivors.push(what);
  }
  build();
  console.log(`${survivors.length} of ${count} mutants were noticed by no test`);
}

main();

// Lets one allocation or one system call of the program fail, each in a run of its own: `node tests/fault/run.mjs [all] [WORD]`.
//
// Whatever fails, the program ends by itself with one of its exit codes and says so, an answer that looks whole is whole, and
// a file that it writes holds the old text or the new one. Without `all` a sample is tried, chosen by the seed.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, openSync, closeSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const binary = process.env.ONNXLS ?? join(root, 'build', 'release', 'onnxls');
const library = process.env.FAULTS ?? join(root, 'build', 'release', 'tests', 'fault', 'faults.so');
const words = process.argv.slice(2);
const triesAll = words.includes('all');
const wanted = words.find((word) => word !== 'all');
const SAMPLE = 60;  // Of each kind and scenario, where not all are tried.
const PATIENCE_MS = 120_000;  // To end what hangs, on a busy machine, too.

const dump = 'graph(%x : Float(2, 3)):\n  %y : Tensor = aten::rms_norm(%x)\n  return (%z)\n';
const python = 'import torch\n\ndef f(g, x):\n    return g.op("Relu", x, alpha=1.0)\n\n' +
  'torch.onnx.register_custom_op_symbolic("aten::relu", f, 9)\ntorch.onnx.export(m, x, "f.onnx", opset_version="9")\n';
const message = (body) => `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
const tell = (method, params, id) => message(JSON.stringify({ jsonrpc: '2.0', id, method, params }));
const uri = 'file:///fault/a.torchir';
const session = tell('initialize', { processId: null, rootUri: null, capabilities: {} }, 1) + tell('initialized', {}) +
  tell('textDocument/didOpen', { textDocument: { uri, languageId: 'torch-ir', version: 1, text: dump } }) +
  tell('textDocument/hover', { textDocument: { uri }, position: { line: 1, character: 22 } }, 2) +
  tell('textDocument/documentSymbol', { textDocument: { uri } }, 3) + tell('shutdown', null, 4) + tell('exit', null);

/** Answers as Python with torch and onnx does, as far as `db import` asks; nothing fails in it. */
const interpreter = `#!/bin/sh
if [ "$1" = -c ]; then echo 'onnxls-python 3011'; exit 0; fi
for output; do :; done
case "$1" in
*export_onnx.py) echo '{"version":1,"sources":["onnx 9"],"onnx":[{"domain":"d","op":"F","since":1}]}' > "$output" ;;
*) echo '{"version":1,"sources":["torch 2.30"],"torch":[{"version":"2.30","schemas":["a::b(Tensor x) -> Tensor"]}]}' > "$output" ;;
esac
`;

const scenarios = [
  { name: 'check', args: ['check', 'a.torchir', 'b.py'] },
  { name: 'check a folder', args: ['check', '.', '--format', 'json'], settings: '{ "opset": 17 }' },
  { name: 'check a model', args: ['check', 'm.onnx'] },
  { name: 'fix', args: ['check', 'b.py', '--fix'], writes: 'b.py' },
  { name: 'baseline', args: ['check', 'b.py', '--baseline', 'known.json', '--update-baseline'], writes: 'known.json',
    isOneOf: (text) => JSON.parse(text).version === 1 },  // Without the findings of a file that can't be read.
  { name: 'show', args: ['show', 'm.onnx'] },
  { name: 'ops', args: ['ops', 'a.torchir'] },
  { name: 'explain', args: ['explain', 'aten::relu'] },
  { name: 'why', args: ['why', '-'], input: 'Traceback (most recent call last):\n  File "a.py", line 1, in f\nValueError: x\n' },
  { name: 'init', args: ['init'], writes: '.onnxls.json' },
  { name: 'db import', args: ['db', 'import', '--python', './python'], writes: 'onnxls-facts.json', before: { 'onnxls-facts.json': '{"old": 1}\n' },
    program: interpreter },
  { name: 'serve', args: ['serve'], input: session, isServer: true },
];

/** One run in a new folder: what it printed, how it ended, what it left behind. */
function attempt(scenario, kind, at) {
  const cwd = mkdtempSync(join(tmpdir(), 'onnxls-fault-'));
  try {
    writeFileSync(join(cwd, 'a.torchir'), dump);
    writeFileSync(join(cwd, 'b.py'), python);
    writeFileSync(join(cwd, 'm.onnx'), readFileSync(join(root, scenarioModel)));
    for (const [name, text] of Object.entries(scenario.before ?? {}))
      writeFileSync(join(cwd, name), text);
    if (scenario.program)
      writeFileSync(join(cwd, 'python'), scenario.program, { mode: 0o755 });
    if (scenario.settings)
      writeFileSync(join(cwd, '.onnxls.json'), scenario.settings);
    mkdirSync(join(cwd, 'counts'));
    const counts = join(cwd, 'counts', 'n');
    const fd = openSync(counts, 'w');
    const env = { ...process.env, XDG_CACHE_HOME: join(cwd, 'counts'), LD_PRELOAD: library, FAULT_KIND: kind, FAULT_COUNT_FD: '3', ...(at ? { FAULT_AT: String(at) } : {}) };
    const result = spawnSync(binary, scenario.args, {
      cwd, env, encoding: 'utf8', timeout: PATIENCE_MS, input: scenario.input ?? '', stdio: ['pipe', 'pipe', 'pipe', fd],
    });
    closeSync(fd);
    const count = Number(readFileSync(counts, 'utf8') || NaN);
    rmSync(join(cwd, 'counts'), { recursive: true });
    const left = Object.fromEntries(readdirSync(cwd).map((name) => [name, readFileSync(join(cwd, name), 'latin1')]));
    return { code: result.status, signal: result.signal, out: result.stdout, err: result.stderr, count, left };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

const scenarioModel = 'tests/corpus/onnx/cond.onnx';

/** What is wrong with the run, or nothing. */
function judge(scenario, whole, run) {
  if (run.code === null || ![0, 1, 2].includes(run.code))
    return `ended with ${run.signal ?? run.code}`;
  if (run.code === 2 && whole.code !== 2 && run.err === '')
    return 'ended with 2 without a word';
  if (run.code === whole.code && !scenario.isServer && run.out !== whole.out)
    return `ended with ${run.code}, but the answer is another one`;
  for (const [name, text] of Object.entries(run.left)) {
    const before = name === '.onnxls.json' ? scenario.settings : { 'a.torchir': dump, 'b.py': python, python: scenario.program, ...scenario.before }[name];
    const isOld = before !== undefined && text === before;
    const isNew = whole.left[name] !== undefined && (text === whole.left[name] || (scenario.isOneOf?.(text) && run.code === 2));
    if (name !== 'm.onnx' && !isOld && !isNew && !(scenario.writes && name.startsWith('.') && name.includes('onnxls')))
      return `left half of ${name} behind: ${text}`;
  }
  return undefined;
}

/** Numbers from 1 to count: all, or a sample that the seed chooses. */
function chosen(count) {
  if (triesAll || count <= SAMPLE)
    return Array.from({ length: count }, (_, i) => i + 1);
  let state = Number(process.env.ONNXLS_SEED ?? 1) >>> 0;
  const numbers = new Set();
  while (numbers.size < SAMPLE) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    numbers.add(1 + state % count);
  }
  return [...numbers].sort((a, b) => a - b);
}

let passed = 0;
let failed = 0;
for (const scenario of scenarios.filter(({ name }) => !wanted || name.includes(wanted))) {
  for (const kind of ['memory', 'system']) {
    const whole = attempt(scenario, kind);
    if (!(whole.count > 0)) {
      console.log(`FAILED: ${scenario.name}, ${kind}: no call was counted: ${whole.err}`);
      failed++;
      continue;
    }
    const numbers = chosen(whole.count);
    const wrong = numbers.map((at) => [at, judge(scenario, whole, attempt(scenario, kind, at))]).filter(([, what]) => what);
    for (const [at, what] of wrong)
      console.log(`FAILED: ${scenario.name}: ${kind} ${at}: ${what}`);
    console.log(`${scenario.name}: ${kind}: ${numbers.length} of ${whole.count} calls failed, ${numbers.length - wrong.length} times as it should`);
    passed += numbers.length - wrong.length;
    failed += wrong.length;
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

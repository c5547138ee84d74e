// Does `check --runtime` refuse a node exactly where a session of that release does? ort_kernels.tsv has what sessions of
// onnxruntime-node said of one node of each operator, type and opset: `ok`, `NI` (no kernel), `inv` (a type that the schema
// doesn't allow) or `other` (an opset that the release doesn't know). It was asked apart from symbolics-db/records/onnx/kernels.txt.
// Erf of version 13 takes floats only since onnx 1.20, whose schemas count for check; older releases know the wider one.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.env.ONNXLS ?? join(here, '..', '..', 'build', 'release', 'onnxls');
const [head, ...lines] = readFileSync(join(here, 'ort_kernels.tsv'), 'utf8').trim().split('\n').map((line) => line.split('\t'));
const releases = head.slice(3);
const binaryOperators = ['Add', 'Mod', 'Pow'];

function model(op, type, opset) {
  const second = binaryOperators.includes(op);
  const attributes = op === 'Mod' && ['float', 'double', 'float16', 'bfloat16'].includes(type) ? ' <fmod = 1>' : '';
  const result = op === 'IsNaN' ? 'bool' : type;
  return `<ir_version: 8, opset_import: ["" : ${opset}]>\ng (${type}[2] x${second ? `, ${type}[2] z` : ''}) => (${result}[2] y) {\n` +
    `  y = ${op}${attributes}(x${second ? ', z' : ''})\n}\n`;
}

/** By file: the lines (from 0) of errors of the two kinds. */
function verdicts(folder, release) {
  const out = execFileSync(binary, ['check', '--format', 'json', '--exit-zero', '--max-diagnostics', '0', '--runtime',
    `onnxruntime ${release}`, folder], { maxBuffer: 1 << 30, stdio: ['ignore', 'pipe', 'ignore'] });
  const found = new Map();
  for (const d of JSON.parse(out).diagnostics.filter((d) => d.severity === 'error'))
    found.set(basename(d.file), { ...found.get(basename(d.file)), [d.rule === 'runtime-refuses-model' ? (d.line === 1 ? 'other' : 'NI') : 'inv']: true });
  return found;
}

const folder = mkdtempSync(join(tmpdir(), 'onnxls-kernels-'));
let wrong = 0;
let right = 0;
try {
  lines.forEach(([op, type, opset], i) => writeFileSync(join(folder, `${i}.onnxtxt`), model(op, type, opset)));
  releases.forEach((release, column) => {
    const found = verdicts(folder, release);
    lines.forEach((line, i) => {
      const said = found.get(`${i}.onnxtxt`) ?? { ok: true };
      const wanted = line[3 + column];
      const isErf = wanted === 'NI' && said.inv && line[0] === 'Erf';
      if (isErf || (said[wanted] && (wanted !== 'ok' || Object.keys(said).length === 1))) {
        right++;
      } else {
        wrong++;
        console.log(`onnxruntime ${release}: ${line.slice(0, 3).join(' ')}: ${wanted}, and check says ${Object.keys(said)}`);
      }
    });
  });
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${right} passed, ${wrong} failed`);
process.exit(wrong > 0 || right === 0 ? 1 : 0);

// Does `check` find what the real exporter refuses of calls of torch.onnx.export() and of what they export, and nothing in
// those that export? Each line of export_calls.jsonl, argument_kinds.jsonl and model_scripts.jsonl is a file with the
// outcome under torch 2.14: it `exports`, `fails`, or `differs`: it exports something else than was asked for. `missed` are
// those that we don't find yet.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.env.ONNXLS ?? join(here, '..', '..', 'build', 'release', 'onnxls');
const rows = ['export_calls', 'argument_kinds', 'model_scripts'].flatMap((name) =>
  readFileSync(join(here, `${name}.jsonl`), 'utf8').trim().split('\n').map((line) => JSON.parse(line)));
const folder = mkdtempSync(join(tmpdir(), 'onnxls-calls-'));
const count = { right: 0, wrong: 0, found: 0, bad: 0, said: 0 };
try {
  rows.forEach((row, i) => writeFileSync(join(folder, `case_${i}.py`), row.text));
  const out = execFileSync(binary, ['check', '--format', 'json', '--torch', '2.14', '--exit-zero', '--max-diagnostics', '0', folder],
    { maxBuffer: 1 << 28, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  const said = new Map();
  for (const d of JSON.parse(out).diagnostics.filter((d) => d.severity === 'error' || d.severity === 'warning'))
    said.set(basename(d.file), d.message);
  rows.forEach((row, i) => {
    const message = said.get(`case_${i}.py`);
    const isBad = row.outcome !== 'exports';
    const isExpected = (message !== undefined) === (isBad && !row.missed);
    isExpected ? count.right++ : count.wrong++;
    count.bad += isBad;
    count.said += message !== undefined;
    count.found += isBad && message !== undefined;
    if (!isExpected)
      console.log(`${row.name}: it ${row.outcome}${row.missed ? ' (missed so far)' : ''}, and we say ${message ?? 'nothing'}`);
  });
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`precision ${count.found} of ${count.said}, recall ${count.found} of ${count.bad}`);
console.log(`${count.right} passed, ${count.wrong} failed`);
process.exit(count.right === 0 || count.wrong > 0 ? 1 : 0);

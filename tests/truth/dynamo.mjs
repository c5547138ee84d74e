// Is every exported program that the real dynamo exporter refuses for want of a function an error that names the very
// overload, and none that it exports? Asks `check` for each program of dynamo.jsonl at the opsets at which the real exporter
// was run: `refused` has the overload that it named, or null.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.env.ONNXLS ?? join(here, '..', '..', 'build', 'release', 'onnxls');
const run = promisify(execFile);

/** The parts that are named in errors, by file. */
async function reported(folder, opset) {
  const { stdout } = await run(binary, ['check', '--format', 'json', '--torch', '2.14', '--opset', opset, '--exit-zero',
    '--max-diagnostics', '0', folder], { maxBuffer: 1 << 30 });
  const errors = JSON.parse(stdout).diagnostics.filter((d) => d.severity === 'error' ||
    d.rule === 'unsupported-op' && d.severity === 'warning');
  const byFile = new Map();
  for (const d of errors)
    byFile.set(basename(d.file), [...(byFile.get(basename(d.file)) ?? []), d.data?.part]);
  return byFile;
}

const rows = readFileSync(join(here, 'dynamo.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
const folder = mkdtempSync(join(tmpdir(), 'onnxls-dynamo-'));
let passed = 0;
let failed = 0;
try {
  rows.forEach((row) => writeFileSync(join(folder, row.file), row.text));
  for (const opset of ['18', '23']) {
    const errors = await reported(folder, opset);
    for (const row of rows.filter((row) => opset in row.refused)) {
      const parts = errors.get(row.file) ?? [];
      const wanted = row.refused[opset];
      const isRight = wanted ? parts.includes(wanted) : parts.length === 0;
      isRight ? passed++ : failed++;
      if (!isRight)
        console.log(`opset ${opset}, ${row.file}: ${wanted ?? 'exported'}, and we say ${parts.join(', ') || 'nothing'}`);
    }
  }
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(passed === 0 || failed > 0 ? 1 : 0);

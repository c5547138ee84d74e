// Is every call that the real exporter refuses an error, and none that it exports? Asks `check` for each dump of
// outcomes.jsonl, a sample of PyTorch's operator database, at the opsets at which the real exporter was run. `missed` are
// the opsets of pairs that no record explains yet.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.env.ONNXLS ?? join(here, '..', '..', 'build', 'release', 'onnxls');
const run = promisify(execFile);

/** Names of the files with an error. */
async function reported(folder, torch, opset) {
  const { stdout } = await run(binary, ['check', '--format', 'json', '--torch', torch, '--opset', opset, '--exporter',
    'torchscript', '--exit-zero', '--max-diagnostics', '0', folder], { maxBuffer: 1 << 30 });
  return new Set(JSON.parse(stdout).diagnostics.filter((d) => d.severity === 'error').map((d) => basename(d.file)));
}

async function compare(folder, torch, rows) {
  const counts = { found: 0, missed: 0, wrong: 0, exported: 0, known: 0, stale: 0 };
  for (const opset of new Set(rows.flatMap((row) => Object.keys(row.refused)))) {
    const errors = await reported(folder, torch, opset);
    for (const row of rows.filter((row) => opset in row.refused)) {
      const said = errors.has(row.file);
      const isKnown = row.missed?.includes(opset) ?? false;
      if (isKnown && said)
        console.log(`torch ${torch}, opset ${opset}, ${row.file}: listed as missed, and found`);
      if (isKnown)
        counts[said ? 'stale' : 'known']++;
      if (isKnown)
        continue;
      const key = row.refused[opset] ? (said ? 'found' : 'missed') : (said ? 'wrong' : 'exported');
      counts[key]++;
      if (key === 'wrong' || key === 'missed')
        console.log(`torch ${torch}, opset ${opset}, ${row.file}: ${key === 'wrong' ? 'exported, and an error' : 'refused, and no error'}`);
    }
  }
  return counts;
}

const all = readFileSync(join(here, 'outcomes.jsonl'), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
const total = { right: 0, wrong: 0 };
for (const torch of new Set(all.map((row) => row.torch))) {
  const folder = mkdtempSync(join(tmpdir(), 'onnxls-outcomes-'));
  try {
    const rows = all.filter((row) => row.torch === torch);
    rows.forEach((row) => writeFileSync(join(folder, row.file), row.text));
    const { found, missed, wrong, exported, known, stale } = await compare(folder, torch, rows);
    console.log(`torch ${torch}: ${found} of ${found + missed + known} refused pairs are errors, ${wrong} of ${wrong + exported} exported ones`);
    total.right += found + exported;
    total.wrong += wrong + missed + stale + (found === 0 ? 1 : 0);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Is each export that doesn't come out right in the runtime warned of, but for those `missed` so far, and none that does? */
async function compareValues(rows, exporter) {
  const folder = mkdtempSync(join(tmpdir(), 'onnxls-values-'));
  try {
    rows.forEach((row) => writeFileSync(join(folder, row.file), row.text));
    const { torch, opset, runtime } = rows[0];
    const { stdout } = await run(binary, ['check', '--format', 'json', '--torch', torch, '--opset', opset, '--runtime', runtime,
      '--exporter', exporter, '--exit-zero', '--max-diagnostics', '0', folder], { maxBuffer: 1 << 30 });
    const found = JSON.parse(stdout).diagnostics.filter((d) => d.severity === 'error' || d.severity === 'warning');
    const warned = new Set(found.map((d) => basename(d.file)));
    const wrong = rows.filter((row) => warned.has(row.file) !== (row.result !== 'same' && !row.missed));
    wrong.forEach((row) => console.log(`${row.file}: ${row.result} in ${runtime}, and ${warned.has(row.file) ? 'a' : 'no'} warning`));
    total.right += rows.length - wrong.length;
    total.wrong += wrong.length;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Rows that name no opset were run at that of the first one. */
for (const [list, exporter] of [['values.jsonl', 'torchscript'], ['dynamo_values.jsonl', 'dynamo']]) {
  const rows = readFileSync(join(here, list), 'utf8').trim().split('\n').map((line) => JSON.parse(line));
  const opsetOf = (row) => row.opset ?? rows[0].opset;
  for (const opset of new Set(rows.map(opsetOf)))
    await compareValues(rows.filter((row) => opsetOf(row) === opset).map((row) => ({ ...rows[0], ...row })), exporter);
}
console.log(`${total.right} passed, ${total.wrong} failed`);
process.exit(total.right === 0 || total.wrong > 0 ? 1 : 0);

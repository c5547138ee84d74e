// Wrong symbolic functions, and what real exporters said of them (tests/corpus/symbolic_errors/manifest.tsv): how many
// does `check` find? Where the exporter complained of nothing, an error would be a false one.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const folder = join(root, 'tests', 'corpus', 'symbolic_errors');
const binary = process.env.ONNXLS ?? join(root, 'build', 'release', 'onnxls');

/** [{ file, mistake, torch, when, text, rules }]; rules are those that would be right, none for nothing to find. */
function readManifest() {
  const [head, ...lines] = readFileSync(join(folder, 'manifest.tsv'), 'utf8').trimEnd().split('\n');
  const names = head.split('\t');
  return lines.map((line) => {
    const row = Object.fromEntries(line.split('\t').map((cell, i) => [names[i], cell]));
    return { ...row, rules: row.rules === '-' ? [] : row.rules.split(' ') };
  });
}

/** The diagnostics of each file: Map of name to list. */
function check(torch, files) {
  const args = ['check', '--format', 'json', '--torch', torch, '--opset', '17', '--exporter', 'torchscript', '--exit-zero',
    '--severity', 'hint', '--max-diagnostics', '0', ...files];
  const { stdout, stderr } = spawnSync(binary, args, { cwd: folder, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (!stdout)
    throw new Error(stderr || `${binary} said nothing`);
  const byFile = new Map(files.map((file) => [file, []]));
  for (const diagnostic of JSON.parse(stdout).diagnostics)
    byFile.get(diagnostic.file).push(diagnostic);
  return byFile;
}

function verdictOf(row, diagnostics) {
  const accepted = /^(no error|silently)/.test(row.when);
  if (accepted && diagnostics.some(({ severity }) => severity === 'error'))
    return 'FALSE ERROR';
  if (!row.rules.length)
    return diagnostics.length ? 'beside' : 'nothing to find';
  return diagnostics.some(({ rule }) => row.rules.includes(rule)) ? 'found' : 'missed';
}

const rows = readManifest();
const counts = { found: 0, missed: 0, 'nothing to find': 0, beside: 0, 'FALSE ERROR': 0 };
for (const torch of new Set(rows.map((row) => row.torch))) {
  const mine = rows.filter((row) => row.torch === torch);
  const byFile = check(torch, mine.map((row) => `${row.file}.py`));
  for (const row of mine) {
    const diagnostics = byFile.get(`${row.file}.py`);
    const verdict = verdictOf(row, diagnostics);
    counts[verdict]++;
    const said = diagnostics.map(({ line, severity, rule }) => `${line}: ${severity} ${rule}`).join(', ');
    console.log([torch.padEnd(5), row.file.padEnd(32), row.when.slice(0, 20).padEnd(20), verdict.padEnd(16),
      said || (verdict === 'missed' ? `(wanted: ${row.rules.join(' or ')})` : '')].join(' ').trimEnd());
  }
}
console.log(`found ${counts.found} of ${counts.found + counts.missed}; nothing to find in ${counts['nothing to find']}, ` +
  `something else said in ${counts.beside}; ${counts['FALSE ERROR']} false errors`);
process.exitCode = counts['FALSE ERROR'] ? 1 : 0;

// Is each call warned of of which the dynamo exporter makes a model that can't be run or gives something else, and none that
// comes out right? Asks `check` for an exported program of each call of dynamo_types.jsonl, or of the file that is named, as
// symbolics-db/tools/consequences/measure_dynamo_types.py writes them. What random numbers, or none at all, gave is no failure.
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.env.ONNXLS ?? join(here, '..', '..', 'build', 'release', 'onnxls');
const printed = { Float: 'f32', Double: 'f64', Half: 'f16', BFloat16: 'bf16', Byte: 'u8', Char: 'i8', Short: 'i16', Int: 'i32',
  Long: 'i64', Bool: 'b8', ComplexFloat: 'c64' };
const tensor = new RegExp(`\\b(${Object.keys(printed).join('|')})(\\[[\\d, ]*\\])`, 'g');
const opset = '18';

/** The program of one call, with its tensors as inputs. */
function program(call) {
  const inputs = [];
  const code = call.replace(tensor, (_, type, sizes) => {
    inputs.push(`x${inputs.length}: "${printed[type]}${sizes}"`);
    return `x${inputs.length - 1}`;
  });
  return ['ExportedProgram:', '    class GraphModule(torch.nn.Module):', `        def forward(self, ${inputs.join(', ')}):`,
    `            y = torch.ops.${code}`, '            return (y,)', ''].join('\n');
}

const file = process.argv[2] ?? join(here, 'dynamo_types.jsonl');
const rows = readFileSync(file, 'utf8').trim().split('\n').map((line) => JSON.parse(line))
  .filter((row) => row.op && ['same', 'load', 'run', 'differs', 'refused'].includes(row.result));
const folder = mkdtempSync(join(tmpdir(), 'onnxls-types-'));
const counts = { found: 0, missed: 0, right: 0, wrong: 0 };
try {
  rows.forEach((row, i) => writeFileSync(join(folder, `${i}.ep.txt`), program(row.calls[0])));
  const { stdout } = await promisify(execFile)(binary, ['check', '--format', 'json', '--torch', '2.14', '--opset', opset, '--runtime',
    'onnxruntime 1.23', '--exit-zero', '--max-diagnostics', '0', folder], { maxBuffer: 1 << 30 });
  const warned = new Set(JSON.parse(stdout).diagnostics.filter((d) => d.severity === 'error' || d.severity === 'warning')
    .map((d) => Number.parseInt(basename(d.file))));
  rows.forEach((row, i) => {
    const key = row.result === 'same' ? (warned.has(i) ? 'wrong' : 'right') : (warned.has(i) ? 'found' : 'missed');
    counts[key]++;
    if (key === 'wrong' || key === 'missed')
      console.log(`${row.calls[0]}: ${row.result} ${row.detail}, and ${warned.has(i) ? 'a' : 'no'} warning`);
  });
} finally {
  rmSync(folder, { recursive: true });
}
console.log(`${counts.found} of ${counts.found + counts.missed} that go wrong are warned of, ${counts.wrong} of ${counts.wrong + counts.right} right ones`);
console.log(`${counts.found + counts.right} passed, ${counts.missed + counts.wrong} failed`);
process.exit(counts.found === 0 || counts.missed + counts.wrong > 0 ? 1 : 0);

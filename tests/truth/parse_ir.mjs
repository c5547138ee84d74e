// Where torch's own parser takes a text, `check` reports no error of syntax or names: parse_ir.jsonl has what parse_ir.py
// made of graphs of the corpus, with the verdict of torch 2.6.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const binary = process.env.ONNXLS ?? join(here, '..', '..', 'build', 'release', 'onnxls');
const rules = ['syntax', 'undefined-value', 'duplicate-value'];

/** Errors of the rules about text and names, by file. */
function errorsOf(folder, files) {
  const args = ['check', '--format', 'json', '--exit-zero', '--max-diagnostics', '0', '--severity', 'hint', ...files];
  const { diagnostics } = JSON.parse(execFileSync(binary, args, { cwd: folder, maxBuffer: 1 << 28 }));
  const errors = new Map(files.map((file) => [file, []]));
  for (const diagnostic of diagnostics) {
    if (diagnostic.severity === 'error' && rules.includes(diagnostic.rule ?? diagnostic.code))
      errors.get(diagnostic.file).push(diagnostic);
  }
  return errors;
}

function main() {
  const records = readFileSync(join(here, 'parse_ir.jsonl'), 'utf8').trimEnd().split('\n').map((line) => JSON.parse(line));
  const folder = mkdtempSync(join(tmpdir(), 'parse_ir-'));
  const files = records.map((record, i) => `${i}.torchir`);
  records.forEach((record, i) => writeFileSync(join(folder, files[i]), record.text));
  const errors = errorsOf(folder, files);
  rmSync(folder, { recursive: true });
  let passed = 0;
  let found = 0;
  records.forEach((record, i) => {
    const said = errors.get(files[i]);
    found += !record.accepted && said.length > 0;
    if (!record.accepted || !said.length) {
      passed++;
      return;
    }
    console.log(`torch takes it (${record.how}):`);
    for (const { range, line, message } of said)
      console.log(`  ${line ?? range?.start?.line}: ${message}`);
    console.log(process.env.SHOW ? record.text : '');
  });
  // A reader that takes everything would pass, too.
  const refused = records.filter((record) => !record.accepted).length;
  console.log(`of ${refused} texts that torch refuses, ${found} have an error`);
  const failed = records.length - passed + (found === 0);
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed ? 1 : 0);
}

main();

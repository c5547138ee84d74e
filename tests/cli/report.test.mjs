// Reports and logs of the dynamo exporter as documents: verdict, kind and status; none that failed is clean.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onnxls, root, withFolder } from './onnxls.mjs';

const corpus = join(root, 'tests/corpus/errors');
const expected = JSON.parse(readFileSync(join(corpus, 'expected.json'), 'utf8'));

function check(args, options) {
  const { code, out } = onnxls(['check', ...args, '--format', 'json'], options);
  return { code, ...JSON.parse(out) };
}

const failures = (diagnostics) => diagnostics.filter(({ rule }) => rule === 'export-failed');

for (const name of Object.keys(expected).filter((name) => /^dynamo_.*(report\.md|console\.txt)$/.test(name))) {
  test(name, () => {
    const { code, diagnostics, files } = check([join(corpus, name)]);
    const [finding] = expected[name].findings.filter(({ message }) => message);
    const hasFailed = expected[name].export === 'failed';
    assert.equal(files[0].kind, 'onnx-report');
    assert.equal(files[0].exporter, 'dynamo');
    assert.equal(code, hasFailed ? 1 : 0);
    assert.equal(failures(diagnostics).length > 0, hasFailed);
    if (!hasFailed)
      return;
    const [{ message }] = failures(diagnostics);
    for (const word of [finding.stage, finding.operator, finding.place].filter((word) => word))
      assert.ok(message.includes(word), `${word} in ${message}`);
  });
}

test('in a folder reports are found, and pages that quote a log are not', () => {
  const name = 'onnx_export_2026_conversion.md';
  const files = { [name]: readFileSync(join(corpus, 'dynamo_custom_op.report.md'), 'utf8'),
                  'README.md': '# Notes\n\n    [torch.onnx] Translate the graph into ONNX... ❌\n' };
  return withFolder(files, (cwd) => {
    const { files: checked, code } = check(['.'], { cwd });
    assert.deepEqual(checked.map(({ file }) => file.replace('./', '')), [name]);
    assert.equal(code, 1);
  });
});

test('a log that is cut off is checked in part', () => {
  const input = '[torch.onnx] Obtain model graph for `M()` with `torch.export.export(..., strict=False)`...\n';
  const { code, files } = check(['-'], { input });
  assert.deepEqual([code, files[0].status], [0, 'partly']);
  assert.match(files[0].why, /how the export ended/);
});

test('ops counts the operators of the program in a report', () => {
  const { out, code } = onnxls(['ops', join(corpus, 'dynamo_custom_op.report.md')]);
  assert.equal(code, 0);
  assert.match(out, /nope_ops::f/);
});

// Notebooks on the command line: code cells, what they printed, and files that are none.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onnxls, withFolder } from './onnxls.mjs';

const lines = (text) => text.split(/(?<=\n)/);
const code = (text, outputs = []) => ({ cell_type: 'code', execution_count: null, metadata: {}, outputs, source: lines(text) });
const stream = (text) => ({ output_type: 'stream', name: 'stdout', text: lines(text) });
const notebook = (cells, metadata = { language_info: { name: 'python' } }) =>
  JSON.stringify({ cells, metadata, nbformat: 4, nbformat_minor: 5 }, null, 1);

const symbolic = 'import torch.onnx\ndef elu(g, x, alpha, scale, input_scale):\n    return g.op("Elu", x, alpha=1.0)';
const register = '%%time\n!pip install onnx\ntorch.onnx.register_custom_op_symbolic("aten::elu", elu, 9)';
const graph = 'some words\ngraph(%x : Tensor):\n  %y : Tensor = aten::nosuchop(%x)\n  return (%y)\n';

/** Writes a notebook, and runs `check` with JSON on it. */
function check(folder, text, ...flags) {
  writeFileSync(join(folder, 'a.ipynb'), text);
  const run = onnxls(['check', '--torch', '2.6', '--opset', '13', '--format', 'json', ...flags, 'a.ipynb'], { cwd: folder });
  return { ...run, found: JSON.parse(run.out).diagnostics };
}

test('a finding has its cell and its place in the file', () => withFolder({}, async (folder) => {
  const text = notebook([{ cell_type: 'markdown', metadata: {}, source: ['# 🎉 onnx'] }, code(symbolic), code(register)]);
  const { code: exit, found } = check(folder, text);
  assert.equal(exit, 1);
  assert.deepEqual(found.map(({ rule }) => rule), ['missing-attribute-suffix']);
  assert.deepEqual(found[0].cell, { number: 2, line: 3, column: 27, output: false });
  const line = text.split('\n')[found[0].line - 1];
  assert.equal(line.slice(found[0].column - 1, found[0].endColumn - 1), 'alpha');
  const { out } = onnxls(['check', '--torch', '2.6', 'a.ipynb'], { cwd: folder });
  assert.match(out, /^a\.ipynb:\d+:\d+: error: cell 2, line 3: Attribute 'alpha'/m);
}));

test('in a folder those are read that speak of an export, with ONNX or without', () => withFolder({}, (folder) => {
  const model = 'import torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n        return -x\n';
  writeFileSync(join(folder, 'a.ipynb'), notebook([code(model),
    code('torch.export.export(M(), (torch.ones(2),), dynamic_shapes={"y": None})')]));
  writeFileSync(join(folder, 'training.ipynb'), notebook([code(model), code('M()(torch.ones(2))')]));
  const { out, err } = onnxls(['check', '--torch', '2.14', '--format', 'json', '.'], { cwd: folder });
  assert.deepEqual(JSON.parse(out).diagnostics.map(({ rule }) => rule), ['dynamic-shapes-structure']);
  assert.match(err, /in 1 file /);
}));

test('a fix is written into the JSON', () => withFolder({}, async (folder) => {
  check(folder, notebook([code(symbolic)]), '--fix');
  const { cells } = JSON.parse(readFileSync(join(folder, 'a.ipynb'), 'utf8'));
  assert.equal(cells[0].source.join(''), symbolic.replace('alpha=', 'alpha_f='));
}));

test('what cells printed is judged where it was printed', () => withFolder({}, async (folder) => {
  const picture = { output_type: 'display_data', metadata: {}, data: { 'image/png': 'A'.repeat(3_000_000), 'text/plain': ['<Figure>'] } };
  const text = notebook([code('print(1)', [stream(graph), picture])]);
  const { found } = check(folder, text);
  assert.deepEqual(found.map(({ rule, cell }) => [rule, cell]),
    [['unsupported-op', { number: 1, line: 3, column: 17, output: true }]]);
  assert.equal(text.split('\n')[found[0].line - 1].slice(found[0].column - 1, found[0].endColumn - 1), 'aten::nosuchop');
}));

test('a traceback through the exporter is an export that failed; another one is none', () => withFolder({}, async (folder) => {
  const failed = (frame, last) => ({ output_type: 'error', ename: 'E', evalue: '', traceback: [
    '\u001b[0;31mUnsupportedOperatorError\u001b[0m                  Traceback (most recent call last)',
    `File \u001b[0;32m${frame}:506\u001b[0m, in \u001b[0;36mexport\u001b[0;34m(model)\u001b[0m\n\u001b[1;32m    505\u001b[0m x\n`, last] });
  const message = "\u001b[0;31mUnsupportedOperatorError\u001b[0m: Exporting the operator 'aten::fft_fft' to ONNX opset version 13 is not supported. Please feel free to request support or submit a pull request on PyTorch GitHub: https://github.com/pytorch/pytorch/issues.";
  const { found } = check(folder, notebook([code('x', [failed('/usr/lib/python3/dist-packages/torch/onnx/utils.py', message)]),
    code('y', [failed('/usr/lib/python3/json/decoder.py', 'KeyError: onnx')])]));
  assert.deepEqual(found.map(({ rule, cell: { number, output } }) => [rule, number, output]), [['export-failed', 1, true]]);
  assert.match(found[0].message, /aten::fft_fft/);
}));

test('what is no notebook is said', () => withFolder({}, async (folder) => {
  const whole = notebook([code(symbolic), code(register)]);
  for (const [text, words] of [['', /begins with/], [whole.slice(0, -100), /not the JSON of a notebook.*line \d+, column \d+/i],
    [whole.replace('"metadata":', '"metadata"'), /a colon was expected/],
    [notebook([code(symbolic)], { kernelspec: { language: 'R' } }), /whose code is R and not Python/]]) {
    const { err, found } = check(folder, text);
    assert.match(`${err}${found.map(({ message }) => message)}`, words);
  }
}));

test('a notebook of nbformat 3 is read', () => withFolder({}, async (folder) => {
  const text = JSON.stringify({ nbformat: 3, metadata: {}, worksheets: [{ cells: [
    { cell_type: 'code', language: 'python', input: lines(symbolic), outputs: [] }] }] });
  const { found } = check(folder, text);
  assert.deepEqual(found.map(({ rule, cell }) => [rule, cell.line]), [['missing-attribute-suffix', 3]]);
}));

test('functions that a notebook registers count for dumps beside it', () => withFolder({}, async (folder) => {
  writeFileSync(join(folder, '.onnxls.json'), '{"torch": "2.6", "opset": 13}');
  writeFileSync(join(folder, 'm.torchir'), graph);
  writeFileSync(join(folder, 'a.ipynb'), notebook([code('import torch.onnx\ndef f(g, x):\n    return g.op("Relu", x)\n'
    + 'torch.onnx.register_custom_op_symbolic("aten::nosuchop", f, 9)')]));
  const { out, code: exit } = onnxls(['check', 'm.torchir', 'a.ipynb'], { cwd: folder });
  assert.equal(exit, 0, out);
}));

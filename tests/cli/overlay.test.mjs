// docs/overlay.schema.json against overlays that the program takes and refuses.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { onWindows, onnxls, root, withFolder } from './onnxls.mjs';
import { mismatch } from './schema.mjs';

const schema = JSON.parse(readFileSync(join(root, 'docs/overlay.schema.json'), 'utf8'));

/** Does the program take the facts? */
function isTaken(cwd, overlay) {
  writeFileSync(join(cwd, 'own.json'), JSON.stringify(overlay));
  const { code, err } = onnxls(['db', 'list'], { cwd });
  assert.equal(code === 0, err === '', err);
  return code === 0;
}

/** Overlays that are taken; seeds without an ending are what once broke the program. */
function examples() {
  const text = readFileSync(join(root, 'docs/facts.md'), 'utf8');
  const blocks = [...text.matchAll(/```json\n([^]*?)```/g)].map((match) => JSON.parse(match[1]));
  const seeds = join(root, 'tests/fuzz/seeds/overlay_json');
  const written = readdirSync(seeds).filter((name) => name.endsWith('.json')).map((name) => JSON.parse(readFileSync(join(seeds, name), 'utf8')));
  return [...blocks.filter((block) => 'version' in block), ...written];
}

const whole = {
  version: 1,
  torch: [{
    version: '2.20', exporters: { torchscript: { opsets: [9, 22], default: 18 }, dynamo: { opsets: [18, 23], default: 18 } },
    suffixes: ['i', 'f'], schemas: ['my::f(Tensor x) -> Tensor'], random: ['my::f'],
    torchscript: { 'my::f': [9, 11], 'my::g': { registered: [9], blocked: [9] } },
    dynamo: { functions: [{ name: 'my::f.out', opset: 18, complex: true }], decomposed: ['my::g'] },
    outcomes: [{ op: 'my::f', kind: 'wrong', opsets: [9, 11], condition: 'rank($0) == 0', reason: 'it is {0.dtype}',
      way_out: 'Don\'t.', runtime: 'onnxruntime-1.21,1.23' }],
  }],
  onnx: [{
    domain: 'my', op: 'F', since: 1, min_input: 1, max_input: null,
    inputs: [{ name: 'X', type: 'T', option: 'variadic', homogeneous: false, min_arity: 1 }],
    outputs: [{ name: 'Y', type: 'T' }],
    attributes: [{ name: 'p', type: 'float', default: 0.5 }, { name: 'to', type: 'int', required: true }],
    type_constraints: [{ name: 'T', types: ['tensor(float)'] }],
  }],
  summaries: { 'my::F': 'Does it.' },
  phrases: { 'my::F.p': 'how much' },
};

test('overlays of the documentation and of the tests fit the schema, and are taken', () => withFolder(
  { '.onnxls.json': '{"db": "own.json"}' }, (cwd) => {
    const all = [...examples(), whole];
    assert.ok(all.length >= 3);
    for (const overlay of all) {
      assert.equal(mismatch(schema, overlay), null);
      assert.ok(isTaken(cwd, overlay));
    }
  }));

/** `whole` with the value at `path` replaced; without it if the value is undefined. */
function changed(path, value) {
  const copy = structuredClone(whole);
  const keys = path.split('/');
  const last = keys.pop();
  const parent = keys.reduce((at, key) => at[key], copy);
  if (value === undefined)
    delete parent[last];
  else
    parent[last] = value;
  return copy;
}

test('what once broke the program is refused', () => withFolder({ '.onnxls.json': '{"db": "own.json"}' }, (cwd) => {
  const seed = join(root, 'tests/fuzz/seeds/overlay_json/version_of_many_digits');
  const overlay = JSON.parse(readFileSync(seed, 'utf8'));
  assert.notEqual(mismatch(schema, overlay), null);
  assert.ok(!isTaken(cwd, overlay));
}));

test('what the schema refuses, the program refuses', () => withFolder({ '.onnxls.json': '{"db": "own.json"}' }, (cwd) => {
  const cases = [
    ['version', 2], ['version', undefined], ['onxx', []], ['torch', {}], ['torch/0/version', undefined], ['torch/0/version', '2'], ['torch/0/version', '2.06'], ['torch/0/version', '700000.1'],
    ['torch/0/version', 2.20], ['torch/0/opsets', [1]], ['torch/0/exporters/caffe2', { opsets: [1, 2], default: 1 }],
    ['torch/0/exporters/dynamo/default', undefined], ['torch/0/exporters/dynamo/opsets', [18]],
    ['torch/0/exporters/dynamo/opsets', [18, 64]], ['torch/0/suffixes', 'i'], ['torch/0/outcomes', {}], ['torch/0/outcomes/0/kind', 'bad'],
    ['torch/0/outcomes/0/opsets', []], ['torch/0/outcomes/0/opsets', ['x']], ['torch/0/outcomes/0/reason', undefined],
    ['torch/0/outcomes/0/runtime', 'tensorrt'], ['torch/0/outcomes/0/why', ''], ['torch/0/outcomes/0/op', 'f'], ['torch/0/schemas/0', 7], ['torch/0/random/0', 'f'],
    ['torch/0/torchscript/my::f', []], ['torch/0/torchscript/my::f', [64]], ['torch/0/torchscript/my::f', [9, 9]],
    ['torch/0/torchscript/my::g', { blocked: [9] }], ['torch/0/torchscript/my::g', { registered: [9], since: 9 }],
    ['torch/0/dynamo/functions/0/opset', undefined], ['torch/0/dynamo/functions/0/opset', '18'], ['torch/0/dynamo/functions/0/name', 'f'],
    ['torch/0/dynamo/decomposed/0', 'g'], ['onnx/0/domain', undefined], ['onnx/0/since', -1], ['onnx/0/since', 10001],
    ['onnx/0/inputs/0/type', undefined], ['onnx/0/inputs/0/option', 'optonal'], ['onnx/0/attributes/0/type', 'double'],
    ['onnx/0/attributes/0/typ', 'float'], ['onnx/0/min_input', 1001], ['onnx/0/type_constraints/0/types', []], ['summaries', []],
    ['summaries/my::F', 7], ['phrases/my::F.p', null],
  ];
  for (const [path, value] of cases) {
    const overlay = changed(path, value);
    const shown = `${path}: ${JSON.stringify(value)}`;
    assert.notEqual(mismatch(schema, overlay), null, shown);
    assert.ok(!isTaken(cwd, overlay), shown);
  }
}));

test('null stands for a member that is left out', () => withFolder({ '.onnxls.json': '{"db": "own.json"}' }, (cwd) => {
  for (const path of ['torch/0/exporters', 'torch/0/suffixes', 'torch/0/schemas', 'torch/0/random', 'torch/0/torchscript', 'torch/0/dynamo',
    'torch/0/outcomes', 'torch/0/outcomes/0/way_out', 'torch/0/outcomes/0/runtime',
    'torch/0/dynamo/functions', 'torch/0/dynamo/decomposed', 'torch/0/torchscript/my::g/blocked', 'onnx/0/inputs', 'onnx/0/min_input',
    'onnx/0/attributes', 'onnx/0/type_constraints', 'onnx/0/inputs/0/option', 'onnx/0/inputs/0/homogeneous']) {
    const overlay = changed(path, null);
    assert.equal(mismatch(schema, overlay), null, path);
    assert.ok(isTaken(cwd, overlay), path);
  }
}));

const python = ['/usr/bin/python3', 'python3'].find((path) => spawnSync(path, ['-c', 'import torch']).status === 0 ||
                                                              spawnSync(path, ['-c', 'import onnx.defs']).status === 0);

test('what `db import` writes fits the schema', {
  skip: onWindows('the interpreter is no program of Windows') || (!python && 'no interpreter with torch or onnx here'),
}, () => withFolder({}, (cwd) => {
  const { code, err } = onnxls(['db', 'import', '--python', python, '-o', 'own.json'], { cwd });
  assert.equal(code, 0, err);
  assert.ok(existsSync(join(cwd, 'own.json')));
  assert.equal(mismatch(schema, JSON.parse(readFileSync(join(cwd, 'own.json'), 'utf8'))), null);
}));

test('what is made of an operator that the overlay calls random is not folded', () => withFolder({ '.onnxls.json': '{"db": "own.json", "torch": "2.14"}' }, (cwd) => {
  const dump = 'graph(%x : Tensor):\n  %1 : int = prim::Constant[value=2]()\n  %2 : Tensor = my::noise(%1)\n' +
    '  %3 : Tensor = aten::lgamma(%2)\n  %4 : Tensor = aten::mul(%x, %3)\n  return (%4)\n';
  const refused = (random) => {
    const torch = [{ version: '2.14', schemas: ['my::noise(int n) -> Tensor'], torchscript: { 'my::noise': [9] }, random }];
    writeFileSync(join(cwd, 'own.json'), JSON.stringify({ version: 1, torch }));
    const { out } = onnxls(['check', '--format', 'json', '-'], { cwd, input: dump });
    return JSON.parse(out).diagnostics.map(({ message }) => message.split('\'')[1]);
  };
  assert.deepEqual(refused(['my::noise']), ['aten::lgamma']);
  assert.deepEqual(refused([]), []);
}));

test('operators of an overlay are checked in Python like those of ONNX', () => withFolder({
  '.onnxls.json': '{"db": "own.json"}',
  'own.json': JSON.stringify(examples()[0]),
  'fused.py': `from torch.onnx import register_custom_op_symbolic

def fused(g, x, p):
    return g.op("my.domain::Fused", x, x, q_f=1.0)

def near(g, x, p):
    return g.op("my.domain::Fusedd", g.op("my.domain::Elsewhere", x))

register_custom_op_symbolic("my::fused", fused, 11)
register_custom_op_symbolic("my::near", near, 11)
`,
}, (cwd) => {
  const { code, out } = onnxls(['check', 'fused.py'], { cwd });
  assert.equal(code, 1);
  assert.match(out, /fused.py:4:17: error: 'Fused' takes 1 input .* 2 given/);
  assert.match(out, /fused.py:4:43: error: 'Fused' has no attribute 'q'/);
  assert.match(out, /fused.py:7:17: warning: The facts have no operator 'my.domain::Fusedd'; did you mean 'my.domain::Fused'/);
  assert.doesNotMatch(out, /Elsewhere/);
}));

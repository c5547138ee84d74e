// What the checker of onnx passes in a model, and a session does not load or loads as something else.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onnxls, root, withFolder } from './onnxls.mjs';
import { message } from './wire.mjs';

const tensorType = message([1, message([1, 1], [2, message([1, message([1, 2])])])]);
const value = (name) => message([1, name], [2, tensorType]);

/** Adds 2 floats that lie in `w.bin`. */
function model(...entries) {
  const external = entries.map(([key, text]) => [13, message([1, key], [2, text])]);
  const tensor = message([1, 2], [2, 1], [8, 'w'], ...external, [14, 1]);
  const graph = message([1, message([1, 'x'], [1, 'w'], [2, 'y'], [4, 'Add'])], [2, 'g'], [5, tensor], [11, value('x')], [12, value('y')]);
  return message([1, 8], [7, graph], [8, message([1, ''], [2, 17])]);
}

const whole = model(['location', 'w.bin'], ['offset', '4'], ['length', '8']);
const short = model(['location', 'w.bin'], ['offset', '8'], ['length', '8']);
const unbounded = model(['location', 'w.bin'], ['offset', '8']);
const files = { 'w.bin': Buffer.alloc(12), 'whole.onnx': whole, 'short.onnx': short, 'unbounded.onnx': unbounded };

function severities(cwd, ...flags) {
  const { out } = onnxls(['check', 'whole.onnx', 'short.onnx', 'unbounded.onnx', '--format', 'json', ...flags], { cwd });
  return JSON.parse(out).diagnostics.map(({ file, rule, severity }) => `${file.replace(/^\.\//, '')} ${rule} ${severity}`);
}

test('a file of values that ends too early is a warning, and an error of a session', () => withFolder(files, (cwd) => {
  assert.deepEqual(severities(cwd), ['short.onnx tensor-data warning', 'unbounded.onnx tensor-data warning']);
  assert.deepEqual(severities(cwd, '--runtime', 'onnxruntime 1.23'),
                   ['short.onnx tensor-data error', 'unbounded.onnx tensor-data error']);
}));

test('a session does not know overloads', () => {
  const text = `<ir_version: 10, opset_import: ["" : 17, "my" : 1]>
g (float[2] x) => (float[2] y) { y = my.f:v2(x) }
<domain: "my", overload: "v2", opset_import: ["" : 17]>
f (a) => (r) { r = Neg(a) }
<domain: "my", opset_import: ["" : 17]>
f (a) => (r) { r = Relu(a) }
`;
  return withFolder({ 'a.onnxtxt': text }, (cwd) => {
    assert.doesNotMatch(onnxls(['check', 'a.onnxtxt'], { cwd }).out, /overloads/);
    const { out } = onnxls(['check', 'a.onnxtxt', '--runtime', 'onnxruntime 1.23'], { cwd });
    assert.match(out, /a\.onnxtxt:4:1: warning: onnxruntime 1\.23 doesn't know overloads: of the functions `f` the last one/);
  });
});

/** An Add of `x` and of floats whose raw data has so many bytes, an initializer or a Constant. */
function rawModel(dims, bytes, isConstant) {
  const tensor = (name) => message(...dims.map((size) => [1, size]), [2, 1], [8, name], [9, Buffer.alloc(bytes)]);
  const constant = [1, message([2, 'w'], [4, 'Constant'], [5, message([1, 'value'], [5, tensor('')], [20, 4])])];
  const add = [1, message([1, 'x'], [1, 'w'], [2, 'y'], [4, 'Add'])];
  const nodes = isConstant ? [constant, add] : [add, [5, tensor('w')]];
  return message([1, 8], [7, message(...nodes, [2, 'g'], [11, value('x')], [12, value('y')])], [8, message([1, ''], [2, 17])]);
}

test('raw data of another length is a warning, and an error of a session, whatever the shape', () => {
  const models = {};
  for (const [name, dims, bytes] of [['scalar', [], 3], ['longer', [], 7], ['list', [2], 7], ['more', [2], 13], ['right', [2], 8]]) {
    models[`${name}.onnx`] = rawModel(dims, bytes, false);
    models[`${name}_c.onnx`] = rawModel(dims, bytes, true);
  }
  return withFolder(models, (cwd) => {
    const found = (...flags) => JSON.parse(onnxls(['check', '.', '--format', 'json', ...flags], { cwd }).out).diagnostics
      .map(({ file, rule, severity }) => `${file.replace(/^\.\//, '').replace('.onnx', '')} ${rule} ${severity}`).sort();
    const wrong = ['list', 'list_c', 'longer', 'longer_c', 'more', 'more_c', 'scalar', 'scalar_c'];
    assert.deepEqual(found(), wrong.map((name) => `${name} tensor-data warning`));
    assert.deepEqual(found('--runtime', 'onnxruntime 1.21'), wrong.map((name) => `${name} tensor-data error`));
  });
});

test('values without an element type: what onnx refuses, and what a session does', () => {
  const shape = [2, message([1, message([1, 2])])];
  const undefinedValue = (name) => message([1, name], [2, message([1, message([1, 0], shape)])]);
  const sequence = (name) => message([1, name], [2, message([4, message([1, message([1, message([1, 0])])])])]);
  const relu = (from, to) => [1, message([1, from], [2, to], [4, 'Relu'])];
  const w = [5, message([1, 2], [2, 1], [8, 'w'], [9, Buffer.alloc(8)])];
  const io = [[11, value('x')], [12, value('y')]];
  const made = [1, message([2, 'k'], [4, 'Constant'], [5, message([1, 'value'], [5, w[1]], [20, 4])])];
  const graph = (...fields) => message([1, 8], [7, message(...fields, [2, 'g'])], [8, message([1, ''], [2, 17])]);
  const branch = message(relu('x', 'q'), relu('q', 'r'), [2, 's'], [12, value('r')], [13, undefinedValue('q')]);
  const choose = [1, message([1, 'c'], [2, 'y'], [4, 'If'], [5, message([1, 'then_branch'], [6, branch], [20, 5])],
                             [5, message([1, 'else_branch'], [6, branch], [20, 5])])];
  const models = {
    'between.onnx': graph(relu('x', 'z'), relu('z', 'y'), [13, undefinedValue('z')], ...io),
    'branch.onnx': graph(choose, [5, message([2, 9], [8, 'c'], [9, Buffer.from([1])])], ...io),
    'constant.onnx': graph([1, message([1, 'x'], [1, 'w'], [2, 'y'], [4, 'Add'])], w, [13, undefinedValue('w')], ...io),
    'input.onnx': graph(relu('x', 'y'), ...io, [11, undefinedValue('unused')]),
    'given.onnx': graph(relu('x', 'y'), w, ...io, [12, undefinedValue('w')]),
    'made.onnx': graph(relu('x', 'y'), made, ...io, [12, undefinedValue('k')]),
    'nowhere.onnx': graph(relu('x', 'y'), [13, undefinedValue('q')], [13, undefinedValue('x')], [13, undefinedValue('y')], ...io),
    'output.onnx': graph(relu('x', 'y'), [11, value('x')], [12, undefinedValue('y')]),
    'sequence.onnx': graph([1, message([1, 'x'], [2, 'z'], [4, 'SequenceConstruct'])], relu('x', 'y'), [13, sequence('z')], ...io),
    'unused.onnx': graph(relu('x', 'y'), w, [13, undefinedValue('w')], ...io),
  };
  return withFolder(models, (cwd) => {
    const errors = (...flags) => [...new Set(JSON.parse(onnxls(['check', '.', '--format', 'json', ...flags], { cwd }).out).diagnostics
      .filter(({ severity }) => severity === 'error').map(({ file, rule }) => `${file.replace(/^\.\//, '').replace('.onnx', '')} ${rule}`))].sort();
    assert.deepEqual(errors(), ['constant shape-mismatch']);
    assert.deepEqual(errors('--runtime', 'onnxruntime 1.21'),
                     [...['between', 'branch'].map((name) => `${name} runtime-refuses-model`), 'constant shape-mismatch',
                      ...['input', 'output', 'sequence'].map((name) => `${name} runtime-refuses-model`)]);
  });
});

/** The rows of facts/contributed.def by name. */
function listed() {
  const text = readFileSync(join(root, 'server/facts/contributed.def'), 'utf8');
  const rows = text.matchAll(/^OP\((\w+), (\w+), (\w+), (\w+), (\w+), (\w+), (\w+),\s*((?:"[^"]*"\s*)+),\s*((?:"[^"]*"\s*)+)\)/gm);
  const joined = (cell) => [...cell.matchAll(/"([^"]*)"/g)].map(([, part]) => part).join('');
  return new Map([...rows].map(([, name, , ...cells]) => [name, {
    counts: cells.slice(0, 4).map((cell) => (cell === 'MANY' ? Infinity : Number(cell))),
    needed: Number(cells[4]),
    attributes: joined(cells[5]).split(' ').filter(Boolean),
    types: joined(cells[6]),
  }]));
}

/** What a release says of its own (symbolics-db/tools/kernels/contributed.py). */
function asked(release) {
  const text = readFileSync(join(root, `tests/facts/contributed_${release}.tsv`), 'utf8');
  return new Map(text.trimEnd().split('\n').map((line) => line.split('\t')).map(([name, ...cells]) => [name, {
    counts: cells.slice(0, 4).map((cell) => (cell === '*' ? Infinity : Number(cell))),
    needed: cells[4] === '-' ? 0 : cells[4].split(',').reduce((bits, at) => bits + 2 ** at, 0),
    attributes: cells[5] === '-' ? [] : cells[5].split(' '),
    types: cells[6],
  }]));
}

/** Parameters and constraints, without the conditions of kernels, the marks of shapes, and what is of the other release. */
function typesOf(text, other) {
  const [params, constraints] = text.split(' ; ');
  return [params.replace(/=(?= |$)/g, ''), ...constraints.split(' ').map((word) => {
    const [name, list] = word.split('=');
    return `${name}=${list.split(',').filter((type) => !type.endsWith(other)).map((type) => type.replace(/[+-]$/, '')).sort().join(',')}`;
  })];
}

test('operators of com.microsoft are those of the newest release that was asked', () => {
  const bare = ({ attributes, types, ...row }) =>
    ({ ...row, types: typesOf(types, '-'), attributes: attributes.map((word) => word.replace('+', '').replace('!-', '')).sort() });
  const newest = asked('1.23');
  const ours = listed();
  assert.deepEqual([...ours.keys()].sort(), [...newest.keys()].sort());
  for (const [name, row] of ours)
    assert.deepEqual(bare(row), bare(newest.get(name)), name);
});

test('and nothing that the oldest one takes is refused by counts or names', () => {
  const ours = listed();
  const otherInputs = new Set(['QMoE']);
  for (const [name, { counts, needed, attributes, types }] of asked('1.21')) {
    const row = ours.get(name);
    const mine = new Set(typesOf(row.types, '+').slice(1));
    const lost = typesOf(types, '+').slice(1).filter((word) => !mine.has(word) && !/^(QK|V)=/.test(word));
    assert.deepEqual(otherInputs.has(name) ? [] : lost, [], name);
    assert.ok(row.counts[0] <= counts[0] && row.counts[1] >= counts[1] && row.counts[2] <= counts[2] && row.counts[3] >= counts[3], name);
    assert.equal(row.needed & ~needed, 0, name);
    const names = row.attributes.filter((word) => !word.endsWith('+')).map((word) => word.split(':')[0]);
    assert.deepEqual(attributes.map((word) => word.split(':')[0]).filter((word) => !names.includes(word)), [], name);
  }
});

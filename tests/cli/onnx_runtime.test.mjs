// What the checker of onnx passes in a model, and a session does not load or loads as something else.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onnxls, withFolder } from './onnxls.mjs';
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

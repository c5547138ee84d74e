import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onnxls, withFolder } from './onnxls.mjs';

const dump = 'graph(%x : Float(2, 3)):\n  %y : Float(2, 3) = aten::relu(%x)\n  return (%y)\n';
const outcome = (version, reason) => ({ op: 'aten::relu', kind: 'no-kernel', opsets: [17, 18, 20], condition: 'dtype($0) == "Float"',
  reason, runtime: `onnxruntime-${version}` });
const facts = JSON.stringify({ version: 1, torch: [{ version: '2.6', outcomes: [outcome('1.21', 'made up'), outcome('1.23', 'of the newer one')] }] });
const files = { 'a.torchir': dump, 'own.json': facts, '.onnxls.json': '{"db": "own.json", "torch": "2.6"}' };

test('what only one version of a runtime can\'t run is reported for that one', () => withFolder(files, (cwd) => {
  const check = (...flags) => onnxls(['check', 'a.torchir', '--opset', '17', ...flags], { cwd });
  assert.equal(check().out, '');
  assert.match(check('--runtime', 'onnxruntime 1.21').out, /made up\. \[no-runtime-kernel\]/);
  assert.doesNotMatch(check('--runtime', 'onnxruntime 1.21').out, /newer/);
  assert.match(check('--runtime', 'onnxruntime==1.23.2').out, /of the newer one/);
  assert.match(check('--runtime', 'onnxruntime==1.23.2').err, /runtime onnxruntime==1\.23\.2: --runtime\)/);
}));

test('a version in which no models were run is checked as the nearest older one', () => withFolder(files, (cwd) => {
  const check = (runtime) => onnxls(['check', 'a.torchir', '--opset', '17', '--runtime', runtime], { cwd });
  assert.match(check('onnxruntime 1.22').out, /made up/);
  assert.match(check('onnxruntime 1.22').err, /were not run in onnxruntime 1\.22; dumps are checked as onnxruntime 1\.21, the nearest older/);
  assert.match(check('onnxruntime 1.8').err, /dumps are checked as onnxruntime 1\.21, the oldest/);
  assert.doesNotMatch(check('onnxruntime 1.21.3').err, /checked as/);
}));

test('a runtime that nobody knows is refused, as a flag and as a setting', () => withFolder({ ...files, '.onnxls.json': '{"runtime": "tensorrt"}' }, (cwd) => {
  assert.deepEqual([2, true], ((r) => [r.code, /--runtime can't be 'x'/.test(r.err)])(onnxls(['check', 'a.torchir', '--runtime', 'x'], { cwd })));
  const result = onnxls(['check', 'a.torchir'], { cwd });
  assert.equal(result.code, 2);
  assert.match(result.err, /"runtime" in \.onnxls\.json is "tensorrt"; it must be a runtime such as "onnxruntime 1\.21"/);
}));

test('the setting counts, and a flag wins over it', () => withFolder({ ...files, '.onnxls.json': '{"db": "own.json", "torch": "2.6", "opset": 17, "runtime": "onnxruntime 1.23"}' }, (cwd) => {
  assert.match(onnxls(['check', 'a.torchir'], { cwd }).out, /of the newer one/);
  assert.match(onnxls(['check', 'a.torchir', '--runtime', 'onnxruntime 1.21'], { cwd }).out, /made up/);
}));

const model = (opset, ir) => `<ir_version: ${ir}, opset_import: ["" : ${opset}, "my" : 99]>\ng (float[2] x) => (float[2] y) {\n  y = Relu(x)\n}\n`;

test('a model is refused where the runtime refuses it, and only if one is named', () =>
  withFolder({ 'a.onnxtxt': model(22, 11), 'b.onnxtxt': model(27, 10) }, (cwd) => {
    const check = (name, ...flags) => onnxls(['check', name, ...flags], { cwd });
    const opset = /opset \d+; (\d+) is the newest that it knows\. \[runtime-refuses-model\]/;
    const ir = /IR version 11; (\d+) is the newest/;
    assert.equal(check('a.onnxtxt').code, 0);
    assert.equal(check('a.onnxtxt', '--runtime', 'onnxruntime').code, 0);
    const old = check('a.onnxtxt', '--runtime', 'onnxruntime 1.20');
    assert.deepEqual([old.code, opset.exec(old.out)[1], ir.exec(old.out)[1]], [1, '21', '10']);
    assert.match(check('a.onnxtxt', '--runtime', 'onnxruntime 1.22').out, ir);
    assert.doesNotMatch(check('a.onnxtxt', '--runtime', 'onnxruntime 1.22').out, opset);
    assert.equal(check('a.onnxtxt', '--runtime', 'onnxruntime 1.23').code, 0);
    assert.match(check('b.onnxtxt', '--runtime', 'onnxruntime 1.28').out, /onnxruntime 1\.28 was not tried, and 1\.27, the nearest that was, takes no model of opset 27; 26/);
  }));

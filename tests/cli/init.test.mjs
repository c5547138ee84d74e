// `onnxls init` and `onnxls doctor`.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { binary, isEmulated, onWindows, onnxls, withFolder } from './onnxls.mjs';

const exporting = (...calls) => `import torch\n${calls.map((rest) => `torch.onnx.export(m, x, "a.onnx"${rest})\n`).join('')}`;

/** The settings that init writes for these files, and what it says. */
const written = (files) => withFolder(files, (cwd) => {
  const { code, err } = onnxls(['init'], { cwd });
  assert.equal(code, 0, err);
  const settings = JSON.parse(readFileSync(join(cwd, '.onnxls.json'), 'utf8'));
  assert.equal(onnxls(['check', '.'], { cwd }).err.includes('.onnxls.json is'), false);
  return { settings, err };
});

test('what all exports agree on is written', async () => {
  const { settings, err } = await written({
    'requirements.txt': 'torch==2.6.0\n',
    'a.py': exporting(', opset_version=17'),
    'b/c.py': exporting(', opset_version=17, dynamo=False'),
  });
  assert.deepEqual(settings, { exporter: 'torchscript', opset: 17, rules: {} });
  assert.match(err, /^torch: 2\.6, as requirements\.txt pins it; /m);
});

test('the torch version decides which exporter an export takes', async () => {
  const pinned = (version) => ({ 'requirements.txt': `torch==${version}\n`, 'a.py': exporting(', opset_version=18') });
  assert.equal((await written(pinned('2.14.0'))).settings.exporter, 'dynamo');
  assert.equal((await written(pinned('2.6.0'))).settings.exporter, 'torchscript');
  const { 'a.py': unpinned } = pinned('');
  assert.deepEqual((await written({ 'a.py': unpinned })).settings, { opset: 18, rules: {} });
});

test('what they differ in is left out, and that is said', async () => {
  const { settings, err } = await written({
    'a.py': exporting(', opset_version=11, dynamo=False', ', opset_version=17, dynamo=True', ''),
  });
  assert.deepEqual(settings, { rules: {} });
  assert.match(err, /^exporter: 1 of the exports take the TorchScript exporter, 1 the dynamo exporter, so it is not written$/m);
  assert.match(err, /^opset: exports name different ones, 11 to 17, so it is not written$/m);
});

test('a settings file that is there stays, and so does a folder that is not', () => withFolder({ '.onnxls.json': '{}' }, (cwd) => {
  const { code, err } = onnxls(['init'], { cwd });
  assert.equal(code, 2);
  assert.match(err, /is there already; it is left as it is$/m);
  assert.equal(readFileSync(join(cwd, '.onnxls.json'), 'utf8'), '{}');
  assert.match(onnxls(['init', 'nowhere'], { cwd }).err, /nowhere: No such file or directory/);
  assert.equal(existsSync(join(cwd, 'nowhere')), false);
}));

test('doctor says what is in force and where it comes from', { skip: onWindows('Wine has a PATH of its own') }, () => withFolder({
  '.onnxls.json': '{ "opset": 15, "runtime": "onnxruntime 1.21" }', 'requirements.txt': 'torch==2.6.0\n', 'a.py': exporting(''), 'b.torchir': 'graph():\n',
}, (cwd) => {
  const { code, out } = onnxls(['doctor'], { cwd, env: { PATH: '' } });
  assert.equal(code, 0);
  assert.ok(isEmulated || out.includes(existsSync('/proc/self') ? binary : 'of which /proc does not say the path'));
  for (const line of ['editors    find no onnxls', 'torch      2.6 (requirements.txt)', 'exporter   torchscript (default)',
    'opset      15 (.onnxls.json)', 'runtime    onnxruntime 1.21 (.onnxls.json)'])
    assert.ok(out.includes(`\n${line}`), line);
  assert.match(out, /^workspace .*: Python files about exporting: 1; graphs and models: 1$/m);
}));

test('doctor says what is wrong with the settings', () => withFolder({ '.onnxls.json': '{ "opset": "x" }' }, (cwd) => {
  const { code, out, err } = onnxls(['doctor'], { cwd });
  assert.equal(code, 2);
  assert.match(err, /"opset" in \.onnxls\.json is "x"/);
  assert.match(out, /^program /m);
}));

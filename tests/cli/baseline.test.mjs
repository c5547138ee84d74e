// A baseline takes what is known out of a report, whatever moved, and says what is over.
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onnxls, root, withFolder } from './onnxls.mjs';
import { mismatch } from './schema.mjs';

const schema = JSON.parse(readFileSync(join(root, 'docs/baseline.schema.json'), 'utf8'));
const dump = (...lines) => `graph(%x : Tensor):\n${lines.map((line, i) => `  %${i + 1} : Tensor = ${line}(%x)\n`).join('')}  return (${lines.map((_, i) => `%${i + 1}`).join(', ')})\n`;
const flags = ['--torch', '2.6', '--select', 'unsupported-op'];

function check(cwd, ...args) {
  return onnxls(['check', '.', ...flags, '--baseline', 'known.json', ...args], { cwd });
}

const entries = (cwd) => JSON.parse(readFileSync(join(cwd, 'known.json'), 'utf8')).findings;

const files = { 'a.torchir': dump('aten::lgamma', 'aten::relu', 'aten::lgamma'), 'sub/b.torchir': dump('aten::rms_norm') };

test('what is written is known, and clean', () => withFolder(files, (cwd) => {
  const written = check(cwd, '--update-baseline');
  assert.deepEqual([written.code, written.out], [0, '']);
  const text = JSON.parse(readFileSync(join(cwd, 'known.json'), 'utf8'));
  assert.equal(mismatch(schema, text), null);
  assert.deepEqual(text.findings.map(({ file, rule }) => [file, rule]), [
    ['a.torchir', 'unsupported-op'], ['a.torchir', 'unsupported-op'], ['sub/b.torchir', 'unsupported-op']]);
  const { code, out, err } = check(cwd);
  assert.deepEqual([code, out], [0, '']);
  assert.match(err, /nothing found in 2 files .*3 known from the baseline/);
  assert.doesNotMatch(err, /no longer/);
}));

test('what is new is told, though all lines have moved', () => withFolder(files, (cwd) => {
  check(cwd, '--update-baseline');
  writeFileSync(join(cwd, 'a.torchir'), dump('aten::relu', 'aten::lgamma', 'aten::rms_norm', 'aten::lgamma'));
  const { code, out } = check(cwd);
  assert.equal(code, 1);
  assert.deepEqual(out.trimEnd().split('\n').filter((line) => line.includes('error')).map((line) => line.slice(0, 13)), ['./a.torchir:4']);
}));

test('one more of the same is new', () => withFolder(files, (cwd) => {
  check(cwd, '--update-baseline');
  writeFileSync(join(cwd, 'a.torchir'), dump('aten::lgamma', 'aten::lgamma', 'aten::lgamma'));
  assert.equal(check(cwd).out.match(/error:/g).length, 1);
}));

test('what is over is said, and taken out when asked', () => withFolder(files, (cwd) => {
  check(cwd, '--update-baseline');
  writeFileSync(join(cwd, 'a.torchir'), dump('aten::lgamma'));
  rmSync(join(cwd, 'sub/b.torchir'));
  const { code, err } = check(cwd);
  assert.equal(code, 0);
  assert.match(err, /known\.json: no longer occurs: a\.torchir: 'aten::lgamma'.*\[unsupported-op\]/);
  assert.match(err, /known\.json: no longer occurs: sub\/b\.torchir: /);
  assert.match(err, /2 of 3 entries no longer occur; --update-baseline takes them out/);
  check(cwd, '--update-baseline');
  assert.deepEqual(entries(cwd).map((entry) => entry.file), ['a.torchir']);
  assert.doesNotMatch(check(cwd).err, /no longer/);
}));

test('files and rules that a run is not about keep their entries', () => withFolder(files, (cwd) => {
  check(cwd, '--update-baseline');
  const some = onnxls(['check', 'a.torchir', '--torch', '2.6', '--select', 'syntax', '--baseline', 'known.json'], { cwd });
  assert.equal(some.code, 0);
  assert.doesNotMatch(some.err, /no longer/);
  onnxls(['check', 'a.torchir', ...flags, '--baseline', 'known.json', '--update-baseline'], { cwd });
  assert.equal(entries(cwd).length, 3);
}));

test('the folder of the run does not matter', () => withFolder(files, (cwd) => {
  check(cwd, '--update-baseline');
  const { code, err } = onnxls(['check', 'b.torchir', ...flags, '--baseline', '../known.json'], { cwd: join(cwd, 'sub') });
  assert.equal(code, 0, err);
  assert.match(err, /1 known from the baseline/);
}));

test('many known findings do not hide a new one', () => withFolder({
  'a.torchir': dump(...Array(20).fill('aten::lgamma')), '.onnxls.json': '{"maxDiagnostics":5}',
}, (cwd) => {
  check(cwd, '--update-baseline');
  assert.equal(entries(cwd).length, 20);
  writeFileSync(join(cwd, 'a.torchir'), dump(...Array(20).fill('aten::lgamma'), 'aten::rms_norm'));
  assert.match(check(cwd).out, /^\.\/a\.torchir:22:/);
}));

test('a file that is no baseline is refused', () => withFolder(files, (cwd) => {
  const refused = [[undefined, /there is no baseline known\.json/], ['{', /is not JSON/], ['[]', /is no baseline/],
    ['{"version":2,"findings":[]}', /is no baseline/], ['{"version":1,"findings":[{"file":"a","rule":"b","fingerprint":"xyz"}]}', /is no baseline/]];
  for (const [text, words] of refused) {
    if (text !== undefined)
      writeFileSync(join(cwd, 'known.json'), text);
    const { code, out, err } = check(cwd);
    assert.deepEqual([code, out], [2, ''], text);
    assert.match(err, words);
  }
  assert.equal(onnxls(['check', '.', '--update-baseline'], { cwd }).code, 2);
}));

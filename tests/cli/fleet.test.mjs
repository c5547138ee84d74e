// Many files: lists of them, parts of them, and a record for each.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onnxls, withFolder } from './onnxls.mjs';

const dump = 'graph(%x : Tensor):\n  %y : Tensor = aten::lgamma(%x)\n  return (%y)\n';
const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`d${i % 4}/m${i}.torchir`, dump]));

function records(args, options) {
  const { code, out, err } = onnxls(['check', '--torch', '2.6', '--format', 'jsonl', ...args], options);
  const lines = out.trimEnd().split('\n').map((line) => JSON.parse(line));
  return { code, err, files: lines.filter((line) => line.status), lines };
}

test('--files-from reads names from a file or standard input, lines or NUL', () => withFolder({
  'a.torchir': dump, 'with blank.torchir': dump, 'list': 'a.torchir\n\nwith blank.torchir\n',
}, (cwd) => {
  const wanted = ['a.torchir', 'with blank.torchir'];
  const names = (result) => result.files.map((record) => record.file);
  assert.deepEqual(names(records(['--files-from', 'list'], { cwd })), wanted);
  assert.deepEqual(names(records(['--files-from', '-'], { cwd, input: 'a.torchir\nwith blank.torchir' })), wanted);
  assert.deepEqual(names(records(['--files-from=-'], { cwd, input: 'a.torchir\0with blank.torchir\0' })), wanted);
  assert.deepEqual(names(records(['a.torchir', '--files-from', '-'], { cwd, input: 'with blank.torchir\n' })), wanted);
}));

test('an empty list is no mistake, one that can not be read is', () => withFolder({}, (cwd) => {
  const { code, err } = onnxls(['check', '--files-from', '-'], { cwd, input: '' });
  assert.equal(code, 0);
  assert.match(err, /nothing was checked in 0 files/);
  assert.equal(onnxls(['check', '--files-from', 'nowhere'], { cwd }).code, 2);
  assert.match(onnxls(['check', '-', '--files-from', '-'], { cwd, input: '' }).err, /either a document or the list/);
}));

test('every file has a record, also one that is not there', () => withFolder({ 'a.torchir': dump, 'z.torchir': dump }, (cwd) => {
  const { code, files, err } = records(['a.torchir', 'gone.torchir', 'z.torchir'], { cwd });
  assert.equal(code, 2);
  assert.deepEqual(files.map(({ file, status }) => [file, status]), [
    ['a.torchir', 'checked'], ['gone.torchir', 'skipped'], ['z.torchir', 'checked']]);
  assert.match(files[1].why, /No such file/);
  assert.match(err, /^onnxls: gone\.torchir: No such file or directory$/m);
}));

test('--timeout-work gives up what takes more work, which depends on the text alone', () => {
  const line = '  %y : Tensor = aten::lgamma(%x)\n';
  const large = (bytes) => `graph(%x : Tensor):\n${line.repeat(Math.floor(bytes / line.length) - 2)}  return (%y)\n`;
  const python = (bytes) => `import torch\ntorch.onnx.export(1, 2)\n${'x = 1\n'.repeat(bytes / 6)}`;
  withFolder({ 'a.torchir': large(1e6), 'b.torchir': large(1.1e6), 'c.py': python(120e3), 'd.py': python(130e3) }, (cwd) => {
    const states = (...args) => records(['.', ...args], { cwd }).files.map((file) => file.status).join(' ');
    assert.equal(states(), 'checked checked checked checked');
    assert.equal(states('--timeout-work', '1'), 'checked skipped checked skipped');
    assert.equal(states('--timeout-work', '2'), 'checked checked checked checked');
    const { code, err, files } = records(['.', '--timeout-work', '1'], { cwd });
    assert.equal(code, 2);
    assert.match(err, /^onnxls: \.\/b\.torchir: given up, as it takes more work than --timeout-work 1 allows$/m);
    assert.match(files[1].why, /^given up/);
  });
});

test('shards together are all files, none of them twice', () => withFolder(many, (cwd) => {
  const seen = [];
  for (let i = 1; i <= 3; i++) {
    const { code, files } = records(['.', '--shard', `${i}/3`], { cwd });
    assert.equal(code, 1);
    assert.ok(files.length > 4, `${files.length} files in ${i}/3`);
    seen.push(...files.map((record) => record.file));
  }
  assert.deepEqual(seen.sort(), Object.keys(many).map((name) => `./${name}`).sort());
}));

test('a file is in the same shard however it is named, and whatever lies beside it', () => withFolder(many, (cwd) => {
  const [one] = records(['.', '--shard', '2/3'], { cwd }).files;
  const name = one.file.slice(2);
  assert.deepEqual(records([name, '--shard', '2/3'], { cwd }).files.map((record) => record.file), [name]);
  assert.deepEqual(records([name, '--shard', '1/3'], { cwd }).files, []);
}));

test('functions of files in other shards count as support', () => withFolder({
  'm.torchir': dump, 'm2.torchir': dump, 'm3.torchir': dump,
  's.py': 'from torch.onnx import register_custom_op_symbolic\n\n\ndef lgamma(g, self):\n    return g.op("my::Lgamma", self)\n\n\n' +
    'register_custom_op_symbolic("aten::lgamma", lgamma, 9)\n',
}, (cwd) => {
  for (let i = 1; i <= 4; i++)
    assert.equal(records(['.', '--shard', `${i}/4`], { cwd }).lines.filter((line) => line.rule === 'unsupported-op').length, 0);
}));

test('a shard is I/N', () => withFolder({ 'a.torchir': dump }, (cwd) => {
  for (const word of ['0/2', '3/2', '1', 'a/b', '1/0', '/']) {
    const { code, err } = onnxls(['check', 'a.torchir', '--shard', word], { cwd });
    assert.equal(code, 2);
    assert.match(err, /it is I\/N/);
  }
}));

const bad = dump.replaceAll('lgamma', 'rms_norm');

/** The output of each of `count` shards, as files of the folder. */
function shards(cwd, format, count) {
  return Array.from({ length: count }, (_, i) => {
    const { out } = onnxls(['check', 'd0', 'd1', 'd2', 'd3', '--torch', '2.6', '--format', format, '--shard', `${i + 1}/${count}`], { cwd });
    writeFileSync(join(cwd, `part${i}`), out);
    return `part${i}`;
  });
}

test('shards of JSON lines together are one run', () => withFolder({ ...many, 'd2/bad.torchir': bad, 'd1/none.torchir': 'x\n' }, (cwd) => {
  const parts = shards(cwd, 'jsonl', 3);
  const whole = onnxls(['check', 'd0', 'd1', 'd2', 'd3', '--torch', '2.6', '--format', 'jsonl'], { cwd });
  const merged = onnxls(['merge', ...parts.reverse()], { cwd });
  assert.deepEqual([merged.code, merged.err], [1, '']);
  const inOrder = (text) => text.trimEnd().split('\n').map((line) => JSON.parse(line));
  assert.deepEqual(inOrder(merged.out), inOrder(whole.out));
  assert.equal(onnxls(['merge', ...parts, parts[0]], { cwd }).out, merged.out);
}));

test('a shard that did not end is named, and what it has is kept', () => withFolder(many, (cwd) => {
  const parts = shards(cwd, 'jsonl', 2);
  const text = readFileSync(join(cwd, parts[1]), 'utf8');
  const all = onnxls(['merge', ...parts], { cwd }).out.match(/"status"/g).length;
  writeFileSync(join(cwd, parts[1]), text.slice(0, text.length / 2));
  const { code, out, err } = onnxls(['merge', ...parts], { cwd });
  assert.equal(code, 2);
  assert.match(err, /^onnxls merge: part1 is not complete: .* run it again$/m);
  const kept = out.match(/"status"/g).length;
  assert.ok(kept > 20 && kept < all, `${kept} of ${all}`);
  for (const line of out.trimEnd().split('\n'))
    JSON.parse(line);
}));

test('parts that do not belong together are said', () => withFolder({ 'a.torchir': dump, 'b.torchir': dump }, (cwd) => {
  const part = (name, ...args) => writeFileSync(join(cwd, name), onnxls(['check', '--format', 'jsonl', ...args], { cwd }).out);
  part('a1', 'a.torchir', '--torch', '2.6');
  part('a2', 'a.torchir', '--torch', '2.14');
  part('b', 'b.torchir', '--torch', '2.14');
  part('ab', 'a.torchir', 'b.torchir', '--torch', '2.6');
  const says = (words, ...parts) => {
    const { code, err } = onnxls(['merge', ...parts], { cwd });
    assert.equal(code, 2);
    assert.match(err, words);
  };
  says(/a2 says something else of a\.torchir/, 'a1', 'a2');
  says(/b was checked against something else/, 'a1', 'b');
  says(/ab has 1 files in common/, 'a1', 'ab');
  says(/nowhere: No such file/, 'a1', 'nowhere');
}));

test('shards of SARIF together are one run', () => withFolder({ ...many, 'd2/bad.torchir': bad }, (cwd) => {
  const parts = shards(cwd, 'sarif', 3);
  const whole = JSON.parse(onnxls(['check', 'd0', 'd1', 'd2', 'd3', '--torch', '2.6', '--format', 'sarif'], { cwd }).out);
  const { code, out, err } = onnxls(['merge', ...parts, parts[0]], { cwd });
  assert.deepEqual([code, err], [1, '']);
  const merged = JSON.parse(out);
  const sorted = (log) => log.runs[0].results.map((result) => JSON.stringify(result)).sort();
  assert.deepEqual(sorted(merged), sorted(whole));
  merged.runs[0].results = whole.runs[0].results;
  assert.deepEqual(merged, whole);
  writeFileSync(join(cwd, parts[2]), readFileSync(join(cwd, parts[2]), 'utf8').slice(0, -40));
  assert.equal(onnxls(['merge', ...parts], { cwd }).code, 2);
  assert.equal(onnxls(['merge', parts[0], 'd2/bad.torchir'], { cwd }).code, 2);
}));

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { binary, onWindows, onnxls, root, withFolder } from './onnxls.mjs';
import { attribute, entry, Float, floats, message, model, nest, node, packed, tensorType, value } from './wire.mjs';

const corpus = join(root, 'tests/corpus/onnx');

/** Compares with a file; UPDATE=1 writes it. */
function same(name, text) {
  const path = join(corpus, name);
  if (process.env.UPDATE)
    writeFileSync(path, text);
  assert.equal(text, readFileSync(path, 'utf8'), name);
}

function run(bytes, flags) {
  const cwd = mkdtempSync(join(tmpdir(), 'onnxls-show-'));
  try {
    writeFileSync(join(cwd, 'm.onnx'), bytes);
    return onnxls(['show', 'm.onnx', ...flags], { cwd });
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

function show(bytes, ...flags) {
  const { code, out, err } = run(bytes, flags);
  assert.deepEqual([code, err], [0, '']);
  return out;
}

function refused(bytes, ...flags) {
  const { code, err } = run(bytes, flags);
  assert.equal(code, 2, err);
  assert.match(err, /^onnxls: m\.onnx: .*\n$/);
  return err.slice('onnxls: m.onnx: '.length, -1);
}

const relu = node('Relu', ['x'], ['y']);
const small = message([1, relu], [2, 'g'], [11, value('x', tensorType(1, [2]))], [12, value('y', tensorType(1, [2]))]);

/** One of each thing that the syntax has, and of most that it has not. */
function everything() {
  const tensor = (type, dims, ...more) => message(...dims.map((dim) => [1, dim]), [2, type], ...more);
  const inner = message([1, node('Identity', ['a/b'], ['seq'])], [2, 'then'], [12, value('seq')],
    [5, tensor(7, [1], [7, packed(3)], [8, 'k'])]);
  const sparse = message([1, tensor(1, [1], [4, floats(2)], [8, 's'])], [2, tensor(7, [1], [7, packed(4)])], [3, packed(9)]);
  const nodes = [
    message([1, 'x'], [1, ''], [1, 'float'], [2, 'a/b'], [2, ''], [3, 'la"bel\\'], [4, 'Foo'], [7, 'my.dom'], [8, 'v2'],
      [6, 'made by\nhand'], [9, entry('pkg.torch.onnx.stack_trace', 'File "m.py", line 7, in forward\r\n  return y')],
      [5, attribute('f', 1, 2, new Float(1))], [5, attribute('i', 2, 3, -1)], [5, attribute('s', 3, 4, 'q"\\\nn')],
      [5, attribute('fs', 6, 7, floats(0.1, 2), new Float(1e-45))], [5, attribute('is', 7, 8, packed(1, -2n), 3)],
      [5, attribute('ss', 8, 9, 'a', '')], [5, attribute('none', 7, 8)],
      [5, attribute('tp', 13, 14, message([4, message([1, message([5, message([1, 8], [2, tensorType(10, ['n-1', null])])])])]))],
      [5, message([1, 'r'], [20, 2], [21, 'p'])], [5, message([1, 'no.type'], [3, 4])]),
    node('Constant', [], ['c'], [5, attribute('value', 4, 5, tensor(10, [2], [9, Buffer.from([0, 60, 0, 192])], [8, 'odd name']))]),
    node('Constant', [], ['d'], [5, attribute('sparse_value', 11, 22, sparse)]),
    node('If', ['c'], ['e'], [5, attribute('then_branch', 5, 6, inner)], [5, attribute('axis', 2, 3, 0)],
      [5, attribute('more', 10, 11, inner, message([2, 'two words']))]),
    node('Block.1', ['c'], [], [7, 'has-dash']),
  ];
  const graph = message(...nodes.map((each) => [1, each]), [2, 'main graph'],
    [5, tensor(22, [3], [5, packed(0x21, 0x0F)], [8, 'int4'])],
    [5, tensor(1, [2, 3], [8, 'w'], [13, entry('location', 'w.bin')], [13, entry('offset', '0')], [14, 1], [12, 'far away'])],
    [5, tensor(8, [2], [6, 'é'], [6, Buffer.from([0xFF, 0x41, 0])], [8, 'words'])],
    [5, tensor(14, [1], [4, floats(1, -2)], [8, 'z'])],
    [5, tensor(1, [], [9, floats(0.5)], [8, 'scalar'])],
    [5, tensor(1, [100], [9, Buffer.alloc(400)], [8, 'large'])],
    [5, tensor(99, [1], [9, 'abcd'], [8, 'what'])],
    [10, 'a graph'], [11, value('x', tensorType(1, ['N', 'h/2', 3]))], [11, value('float', tensorType(7))],
    [11, value('q', message([9, message([1, tensorType(1, [])])], [6, 'IMAGE']), [3, 'documented'])],
    [11, value('o', message([7, message([1, 'd'], [2, 'n'])]))], [12, value('e', message([8, message([1, 1])]))],
    [13, value('mystery')], [14, message([1, 'x'], [2, entry('SCALE_TENSOR', 's')])], [15, sparse], [16, entry('k', 'v')]);
  const func = message([1, 'Foo'], [4, 'a'], [5, 'b'], [6, 'p'], [7, node('Cast', ['a'], ['b'], [5, message([1, 'to'], [20, 2], [21, 'p'])])],
    [8, 'doc'], [9, message([2, 18])], [10, 'my.dom'], [11, attribute('q', 1, 2, new Float(2))],
    [12, value('a', tensorType(1))], [13, 'v2'], [14, entry('m', 'n')]);
  return model(graph, [2, 'me'], [3, ''], [5, 3], [6, 'the "model"'], [14, entry('k"', 'v')], [25, func], [99, 5],
    [20, message([2, message([1, relu], [2, 'step'])], [4, entry('w', 'w2')])]);
}

test('everything there is has its text', () => {
  same('everything.txt', show(everything()));
  same('everything_full.txt', show(everything(), '--full'));
});

test('real models: control flow, sequences, what dynamo writes', () => {
  const names = readdirSync(corpus).filter((name) => name.endsWith('.onnx'));
  assert.ok(names.length >= 3);
  for (const name of names) {
    const { code, out, err } = onnxls(['show', join(corpus, name)]);
    assert.deepEqual([code, err], [0, ''], name);
    same(name.replace('.onnx', '.txt'), out);
  }
});

test('how many values are shown', () => {
  const initializer = (count) => model(message([5, message([1, count], [2, 1], [9, Buffer.alloc(4 * count)], [8, 'w'])]));
  assert.match(show(initializer(16)), /w = \{0, 0, /);
  assert.match(show(initializer(17)), /w = \{\} {2}# left out: 17 values, 68 bytes\n/);
  assert.match(show(initializer(17), '--weights', '17'), /w = \{0, 0, /);
  assert.match(show(initializer(1), '--weights=0'), /w = \{\} {2}# left out: 1 values, 4 bytes\n/);
  assert.match(show(initializer(17), '--full'), /w = \{0, 0, /);
  assert.match(show(initializer(17), '--hash'),
    /# left out: 17 values, 68 bytes; sha256 1751ac12e70e15b4f76c16775cd329ae55973b612521dab2de828a5cdb6c8ab3\n/);
});

test('a long string is not a text for people', () => {
  const engine = model(message([1, node('Engine', [], [], [5, attribute('blob', 3, 4, 'x'.repeat(5000))])]));
  assert.match(show(engine), /blob: string = ""> \(\) {2}# left out: a string of 5000 bytes\n/);
  assert.ok(show(engine, '--full').includes('x'.repeat(5000)));
});

test('one graph by its name', () => {
  const out = onnxls(['show', join(corpus, 'if_script.onnx'), '--graph', 'sub_graph']).out;
  assert.match(out, /^sub_graph \(\) => \(/);
  assert.ok(!out.includes('ir_version'));
  assert.equal(show(everything(), '--graph', 'Foo').split('\n')[1], '   domain: "my.dom",');
  assert.equal(refused(everything(), '--graph', 'foo'), "no graph or function of the name 'foo' is in there");
});

test('fields come in any order and in pieces', () => {
  const head = message([11, value('x', tensorType(1, [2]))], [2, 'old name']);
  const tail = message([2, 'g'], [12, value('y', tensorType(1, [2]))], [1, relu]);
  const pieces = message([8, message([2, 21], [1, ''])], [7, head], [1, 9], [7, tail], [1, 10]);
  assert.equal(show(pieces), show(model(small)));
});

test('what is not a model is named', () => {
  const cut = model(small).subarray(0, 40);
  const rows = [
    ['', /^empty/],
    ['version https://git-lfs.github.com/spec/v1\noid sha256:12\nsize 345\n', /^a Git LFS pointer.*345 bytes.*git lfs pull$/],
    [gzipSync(model(small)), /^compressed with gzip.*gunzip/],
    [Buffer.from('PK\x03\x04 archive/data.pkl'), /torch\.save/],
    [Buffer.from('PK\x03\x04 model.onnx'), /^a zip archive/],
    [Buffer.from('\x20\0\0\0ORTM\0\0\0\0'), /ONNX Runtime's own format/],
    [Buffer.concat([Buffer.from([9, 0, 0, 0, 0, 0, 0, 0]), Buffer.from('{"a": {}}rest')]), /^safetensors/],
    [small, /^a bare GraphProto.*make_model/],
    [message([1, 2], [2, 1], [9, floats(1, 2)], [8, 'input_0']), /^a TensorProto.*input_0\.pb/],
    ['ir_version: 8\ngraph {\n}\n', /^protobuf as text.*textproto/],
    ['{ "irVersion": "8" }', /^JSON.*format="json"/],
    ['<\n   ir_version: 8,\n   opset_import: ["" : 17]\n>\ng () => () {}\n', /^ONNX text already/],
    ['<!DOCTYPE html>\n<html>', /^a web page/],
    ['graph(%x : Tensor):\n  return (%x)\n', /^text, and no model/],
    [Buffer.alloc(100), /^zeros from the first byte on/],
    [cut, /^the file ends too early, after 40 bytes.*get it again/],
  ];
  for (const [bytes, expected] of rows)
    assert.match(refused(bytes), expected);
});

test('hostile models are refused at once, with the place', () => {
  const types = nest(message(), (inner) => message([4, message([1, inner])]), 2000);
  const graphs = nest(message(), (inner) => message([1, message([5, attribute('b', 5, 6, inner)])]), 1000);
  const rows = [
    [model(message([11, value('x', types)])), /^messages nested more than 100 deep.* in graph\.input\[0\]\.type\.sequence_type\..*more/],
    [model(graphs), /^messages nested more than 100 deep/],
    [Buffer.concat([message([1, 8]), Buffer.from([0x28]), Buffer.alloc(1 << 20, 0xFF)]), /^damaged: a number of more than 10 bytes at byte 3$/],
    [Buffer.concat([Buffer.from([8]), Buffer.alloc(1 << 20, 0xFF)]), /^damaged: a number of more than 10 bytes at byte 1$/],
    [model(message([1, relu], [1, Buffer.from([0x2A, 0x7F])])), /^damaged: a length that goes past the end at byte 21 in graph\.node\[1\]$/],
    [model(message([1, node('Op', [], [], [5, attribute('is', 7, 8, Buffer.from([5, 0xFF]))])])), /^damaged: a number is cut off at byte \d+, in a list of values$/],
  ];
  for (const [bytes, expected] of rows)
    assert.match(refused(bytes), expected);
  assert.match(show(model(message([5, message([1, 1n << 40n], [1, 1n << 40n], [2, 1], [8, 'w'], [9, 'abcd'])]))),
    /w = \{\} {2}# the dimensions multiply to more than 2\^63; /);
});

test('weights are jumped over', () => withFolder({}, (cwd) => {
  // 3 GB that are not on the disk.
  const size = 3 * 2 ** 30;
  const inner = message([2, 1], [8, 'w'], [1, size / 4]);
  const varint = (number) => message([1, BigInt(number)]).subarray(1);
  const raw = Buffer.concat([inner, Buffer.from([0x4A]), varint(size)]);
  const graph = Buffer.concat([message([2, 'g']), Buffer.from([0x2A]), varint(raw.length + size), raw]);
  writeFileSync(join(cwd, 'm.onnx'), Buffer.concat([message([1, 8]), Buffer.from([0x3A]), varint(graph.length + size), graph]));
  truncateSync(join(cwd, 'm.onnx'), readFileSync(join(cwd, 'm.onnx')).length + size);
  const { out } = onnxls(['show', 'm.onnx'], { cwd });
  assert.match(out, /^# larger than 2 GB/);
  assert.match(out, /float\[805306368\] w = \{\} {2}# left out: 805306368 values, 3221225472 bytes\n/);
}));

test('exit codes and what is not a file', () => withFolder({ 'm.onnx': model(small) }, (cwd) => {
  const code = (...args) => onnxls(['show', ...args], { cwd });
  symlinkSync('m.onnx', join(cwd, 'link.onnx'));
  copyFileSync(join(cwd, 'm.onnx'), join(cwd, 'no ending'));
  assert.equal(code('m.onnx').code, 0);
  assert.equal(code('link.onnx').out, code('m.onnx').out);
  assert.equal(code('no ending').out, code('m.onnx').out);
  writeFileSync(join(cwd, 'm.onnx.data'), floats(1, 2, 3));
  assert.match(code('m.onnx.data').err, /no ONNX model.*external data of a model: name the \.onnx beside it/);
  assert.match(code('.').err, /a folder; name a file in it/);
  assert.match(code('missing').err, /missing: No such file/);
  assert.match(code('/dev/null').err, /no regular file/);
  assert.match(code('m.onnx', 'm.onnx').err, /one model at a time/);
  assert.match(code('m.onnx', '--weight', '3').err, /did you mean '--weights'/);
  assert.match(code('m.onnx', '--weights', 'all').err, /can't be 'all'/);
  for (const args of [[], ['.'], ['missing'], ['m.onnx', 'm.onnx'], ['m.onnx', '--weights', '-1']])
    assert.equal(code(...args).code, 2, args.join(' '));
}));

test('models come from standard input and pipes, too', { skip: onWindows('there are no such pipes') }, () => withFolder({ 'm.onnx': model(small) }, (cwd) => {
  const input = readFileSync(join(cwd, 'm.onnx'));
  const piped = (words) => {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', words.replaceAll('onnxls', `"${binary}"`)], { cwd, encoding: 'utf8' });
    return [status, stdout, stderr];
  };
  const shown = onnxls(['show', 'm.onnx'], { cwd }).out;
  assert.equal(onnxls(['show', '-'], { cwd, input }).out, shown);
  assert.deepEqual(piped('onnxls show <(cat m.onnx)').slice(0, 2), [0, shown]);
  assert.match(onnxls(['show', '-'], { cwd, input: 'hello\n' }).err, /-: text, and no model/);
  assert.equal(onnxls(['check', '-'], { cwd, input }).code, onnxls(['check', 'm.onnx'], { cwd }).code);
  assert.match(onnxls(['check', '-'], { cwd, input: input.subarray(0, 12) }).out, /<stdin>:1:1: error: .*too early, after 12 bytes/);
  assert.deepEqual(piped('onnxls diff m.onnx <(cat m.onnx)').slice(0, 2), [0, 'no difference\n']);
}));

test('check reads a model, and says where in the text of show something is wrong', () => {
  const graph = message([1, node('Relu', ['x'], ['y'])], [2, 'g'], [11, value('x', tensorType(1, [2]))],
    [12, value('y', tensorType(1, [3]))]);
  return withFolder({}, (cwd) => {
    writeFileSync(join(cwd, 'm.onnx'), model(graph));
    const { code, out } = onnxls(['check', 'm.onnx', '--format', 'json'], { cwd });
    const { diagnostics, files } = JSON.parse(out);
    assert.equal(code, 1, out);
    assert.equal(files[0].status, 'checked');
    const lines = onnxls(['show', 'm.onnx'], { cwd }).out.split('\n');
    assert.deepEqual(diagnostics.map(({ rule }) => rule), ['shape-mismatch']);
    assert.match(lines[diagnostics[0].line - 1].slice(diagnostics[0].column - 1), /^y = Relu/);
    const before = readFileSync(join(cwd, 'm.onnx'));
    onnxls(['check', '--fix', 'm.onnx'], { cwd });
    assert.deepEqual(readFileSync(join(cwd, 'm.onnx')), before);
    writeFileSync(join(cwd, 'named otherwise'), before);
    assert.equal(onnxls(['check', 'named otherwise'], { cwd }).code, 1);
    writeFileSync(join(cwd, 'empty.onnx'), '');
    const empty = onnxls(['check', 'empty.onnx'], { cwd });
    assert.match(empty.err, /empty\.onnx: .*empty/);
    assert.equal(empty.code, 2);
    mkdirSync(join(cwd, 'damaged'));
    writeFileSync(join(cwd, 'damaged', 'head.onnx'), Buffer.from(before).fill(0xff, 0, 16));
    for (const operand of ['damaged/head.onnx', 'damaged']) {
      const damaged = onnxls(['check', operand], { cwd });
      assert.match(damaged.out, /head\.onnx:1:1: error: The model can't be read: no ONNX model/);
      assert.equal(damaged.code, 1);
    }
    writeFileSync(join(cwd, 'dump.onnx'), 'graph(%x : Tensor):\n  return (%x)\n');
    assert.equal(onnxls(['check', 'dump.onnx'], { cwd }).code, 0);  // A text is read for what it is, whatever its name.
  });
});

test('what a model says in its documentation switches no rule off', () => {
  const graph = message([1, node('Foo', ['x'], ['y'], [6, 'one\nonnxls: ignore'])], [2, 'onnxls: ignore'], [10, 'two\nonnxls: ignore-file'],
    [1, node('Foo', ['x'], ['z'], [6, 'three # onnxls: ignore'])], [11, value('x', tensorType(1, [2]))], [12, value('y', tensorType(1, [2]))]);
  return withFolder({}, (cwd) => {
    writeFileSync(join(cwd, 'm.onnx'), model(graph));
    writeFileSync(join(cwd, 'm.onnxtxt'), onnxls(['show', 'm.onnx'], { cwd }).out);
    const said = (name) => onnxls(['check', name], { cwd }).out.replaceAll(`${name}:`, '');
    assert.equal(said('m.onnx').match(/unknown-onnx-op/g).length, 2);
    assert.equal(said('m.onnxtxt'), said('m.onnx'));
  });
});

test('what is refused of a model depends on who meets it', () => withFolder({}, (cwd) => {
  const tensor = (type, dims, ...more) => message(...dims.map((dim) => [1, dim]), [2, type], ...more);
  const ends = (type) => [[2, 'g'], [11, value('x', tensorType(1, [2]))], [12, value('y', tensorType(type, [2]))]];
  const foo = message([1, 'x'], [2, 'y'], [4, 'Foo'], [7, 'my']);
  const sparse = (name) => message([1, tensor(1, [1], [4, floats(2)], [8, name])], [2, tensor(7, [1], [7, packed(1)])], [3, packed(2)]);
  const said = (graph) => {
    writeFileSync(join(cwd, 'm.onnx'), model(graph, [8, message([1, 'my'], [2, 1])]));
    return onnxls(['check', 'm.onnx', '--severity', 'error'], { cwd }).out;
  };
  assert.equal(said(message([1, foo], ...ends(27))), '');
  assert.match(said(message([1, relu], ...ends(27))), /element type 27 of an input or output is none/);
  assert.equal(said(message([1, relu], ...ends(1), [5, tensor(1, [1], [4, floats(2)], [8, 'a'])], [15, sparse('b')])), '');
  assert.match(said(message([1, relu], ...ends(1), [5, tensor(1, [1], [4, floats(2)], [8, 'a'])], [15, sparse('a')])), /another initializer has its name: a/);
  assert.match(said(message([1, relu], ...ends(1), [15, sparse('b')], [15, sparse('b')])), /another initializer has its name: b/);
}));

// What is not clean, or can't be judged, never passes for clean: each of these gets a finding, a reason, or both.
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { onWindows, onnxls, withFolder } from './onnxls.mjs';

const graph = `graph(%x : Float(2, 3, strides=[3, 1], requires_grad=0, device=cpu)):
  %1 : int = prim::Constant[value=1]()
  %y : Tensor = aten::add(%x, %x, %1)
  %z : Tensor = aten::relu(%y)
  return (%z)
`;
const lines = graph.split('\n');
const calls = `graph(%self : __torch__.Net, %x : Float(1)):
  %y : Tensor = prim::CallMethod[name="forward"](%self, %x)
  return (%y)
`;
const fx = `graph():
    %x : [num_users=1] = placeholder[target=x]
    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})
    return (relu,)
`;
const program = `ExportedProgram:
    class GraphModule(torch.nn.Module):
        def forward(self, x: "f32[2, 3]"):
             # File: m.py:3 in forward, code: return x.relu()
            relu: "f32[2, 3]" = torch.ops.aten.relu.default(x);  x = None
            return (relu,)
`;
const onnxText = '<ir_version: 8, opset_import: ["" : 17]>\nagraph (float[N] x) => (float[N] y) {\n   y = Relu (x)\n}\n';
const onnxIr = `<
    ir_version=10,
    opset_imports={'': 18},
    producer_name='pytorch',
>
graph(
    name=main_graph,
    inputs=(
        %"x"<FLOAT,[2,3]>
    ),
    outputs=(
        %"y"<FLOAT,[2,3]>
    ),
) {
    0 |  # node_relu
         %"y"<FLOAT,[2,3]> ⬅️ ::Relu(%"x")
    return %"y"<FLOAT,[2,3]>
}
`;
const traceback = 'Traceback (most recent call last):\n  File "a.py", line 7, in <module>\n    export()\n' +
  '  File "/usr/lib/torch/onnx/utils.py", line 516, in export\nRuntimeError: no\n';
const bytes = (...parts) => Buffer.concat(parts.map((part) => Buffer.from(part)));
/** A model with one Relu. */
const model = bytes([8, 8, 18, 1], 'p', [58, 29, 10, 9, 10, 1], 'x', [18, 1], 'y', [34, 0], [18, 1], 'g',
                    [90, 6, 10, 1], 'x', [18, 1, 0], [98, 3, 10, 1], 'y', [66, 4, 10, 0, 16, 17]);
const symbolic = `import torch
from torch.onnx import register_custom_op_symbolic

def lgamma(g, x):
    return g.op("Relu", x)

register_custom_op_symbolic("aten::lgamma", lgamma, 9)
`;
const export_ = 'import torch\ntorch.onnx.export(model, (x,), "m.onnx", opset_version=17)\n';
const notebook = (source) => JSON.stringify({ cells: [{ cell_type: 'code', metadata: {}, outputs: [], execution_count: null, source: [source] }],
                                              metadata: {}, nbformat: 4, nbformat_minor: 5 });
const utf16 = (text) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
const swapped = (text) => Buffer.concat([Buffer.from([0xfe, 0xff]), Buffer.from(text, 'utf16le').swap16()]);

const inputs = {
  // Nothing, or no text.
  'empty.torchir': '',
  'empty.onnx': '',
  'empty.fx': '',
  'blank.torchir': ' \n\t\n\n',
  'bom.torchir': '\ufeff',
  'zeros.torchir': Buffer.alloc(4096),
  'random.torchir': Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919 + (i >> 3) * 104729) % 256)),
  'gzip.torchir': gzipSync(graph),
  'graph.torchir.gz': gzipSync(graph),
  'zip.torchir': bytes('PK\x03\x04', Buffer.alloc(60)),
  'elf.torchir': bytes('\x7fELF', Buffer.alloc(60)),
  'png.torchir': bytes([0x89], 'PNG\r\n\x1a\n', Buffer.alloc(60)),
  'utf16.torchir': utf16(graph),
  'utf16be.torchir': swapped(graph),
  'utf16.py': utf16(export_),
  'nul.torchir': graph.replace('relu', 're\0lu'),
  'pickle.pt': bytes([0x80, 2, 0x8a, 0x0a, 0x6c, 0xfc], Buffer.alloc(40)),
  // Pointers and pages in the place of files.
  'lfs.onnx': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
  'lfs.torchir': 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n',
  'page.onnx': '<!DOCTYPE html>\n<html><body>404</body></html>\n',
  'page.torchir': '<!DOCTYPE html>\n<html><body>404</body></html>\n',
  'error.onnx': '{"error": "not found"}',
  // Graphs that are not whole.
  'calls.torchir': calls,
  'functions.torchir': calls.replace('CallMethod', 'CallFunction'),
  'cut_in_line.torchir': graph.slice(0, graph.indexOf('relu(')),
  'cut_in_header.torchir': 'graph(%x : Float(2, 3),\n',
  'no_header.torchir': lines.slice(2).join('\n'),
  'garbled.torchir': graph.replace('%y : Tensor = aten::add', '%y :@@@ aten add'),
  'no_colon.torchir': graph.replace('%y : Tensor', '%y Tensor'),
  'one_colon.torchir': graph.replace('aten::add', 'aten:add'),
  'words.torchir': graph.replace('  %z', 'Epoch 1: 10%\n  %z'),
  'no_name.torchir': graph.replace('%y : Tensor', ': Tensor'),
  'ellipsis.torchir': graph.replace(lines[2], '  ...'),
  'twice.torchir': graph.replace('%z :', '%y :'),
  'wrapped.torchir': graph.replace('aten::add(%x,', 'aten::a\ndd(%x,'),
  'quoted.torchir': graph.replace('relu', 'lgamma').replaceAll(/^/gm, '> '),
  'numbered.torchir': graph.replace('relu', 'lgamma').split('\n').map((line, i) => `${i + 1}: ${line}`).join('\n'),
  'repr.torchir': JSON.stringify(graph),
  'html.torchir': graph.replaceAll('%', '&#37;'),
  'mangled.torchir': graph.replaceAll('%', ''),
  'new_op.torchir': graph.replace('aten::relu', 'aten::lgamma'),
  'unknown_op.torchir': graph.replace('aten::relu', 'aten::reluu'),
  'foreign.torchir': graph.replace('aten::relu', 'my::relu'),
  // Other languages.
  'fx_cut.fx': fx.slice(0, fx.indexOf('kwargs')),
  'fx_garbled.fx': fx.replace('call_function[target', 'call_fun@@ction[tar'),
  'fx_undefined.fx': fx.replace('(%x,)', '(%w,)'),
  'program_cut.txt': program.slice(0, program.indexOf('torch.ops')),
  'program_undefined.txt': program.replace('default(x)', 'default(w)'),
  'onnx_text_cut.onnxtxt': onnxText.slice(0, -6),
  'onnx_text_wrong.onnxtxt': onnxText.replace('Relu', 'Relu['),
  'onnx_ir_cut.onnxir': onnxIr.slice(0, -40),
  'textproto.onnxtxt': 'ir_version: 7\nproducer_name: "pytorch"\ngraph {\n  node {\n    input: "x"\n    op_type: "Reluu"\n',
  'report.md': '# PyTorch ONNX Conversion Report\n\n```\n❌ Obtain model graph with `torch.export.export`\n```\n',
  'failure.log': 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\ntorch.onnx.errors.UnsupportedOperatorError: no\n',
  'graph_failure.log': `${graph}${traceback}`,
  'program_failure.log': `${program}\n${traceback}`,
  'program_failure_in_windows.log': `${program}\n${traceback.replaceAll('/', '\\')}`,
  'warning.log': 'UserWarning: something\n',
  'netron.json': '{"graph": {"node": []}}',
  'state.dict': 'OrderedDict([("weight", tensor([[1.]]))])\n',
  // Models.
  'cut.onnx': model.subarray(0, 12),
  'damaged.onnx': bytes(model.subarray(0, 8), [0xff, 0xff, 0xff, 0xff], model.subarray(12)),
  'tail.onnx': bytes(model, 'tail that is no field'),
  'text.onnx': graph.replace('relu', 'lgamma'),
  'tensor.onnx': bytes([8, 2, 16, 1, 34, 4], [0, 0, 128, 63]),
  // Python.
  'cut.py': symbolic.slice(0, symbolic.indexOf(', x)\n\n')),
  'brackets.py': `import onnx\nx = ${'{'.repeat(3000)}\n`,
  'indented.py': 'import onnx\n  def f(:\n',
  'merge.py': `${export_}<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> b\n`,
  'export.ipynb': notebook('import torch\ntorch.onnx.export(m, x, "f", opset_version="17")'),
  'broken.ipynb': '{"cells": [',
};

/** A word about it: more than that nothing was found. */
function hasWord({ out, err }) {
  const isPlain = /^onnxls: nothing found in \d+ files? \([^)]*\)\n$/.test(err);
  return out.length > 0 || (err.length > 0 && !isPlain);
}

test('the list is long enough', () => assert.ok(Object.keys(inputs).length >= 60));

for (const [name, content] of Object.entries(inputs)) {
  test(name, () => withFolder({}, (cwd) => {
    writeFileSync(join(cwd, name), content);
    const named = onnxls(['check', name], { cwd });
    assert.ok([0, 1, 2].includes(named.code), `${named.code}: ${named.err}`);
    assert.ok(named.code > 0 || hasWord(named), 'exit 0 without a word');
    const { files, diagnostics } = JSON.parse(onnxls(['check', '--format', 'json', name], { cwd }).out);
    assert.ok(files[0].status !== 'checked' || diagnostics.length > 0, 'checked, and nothing found');
    assert.equal(files[0].status === 'checked', files[0].why === null);
    const found = onnxls(['check', '.'], { cwd });
    assert.ok(found.code > 0 || hasWord(found), 'in a folder: exit 0 without a word');
    const piped = onnxls(['check', '-'], { cwd, input: content });
    assert.ok(piped.code > 0 || hasWord(piped), 'on standard input: exit 0 without a word');
  }));
}

test('an export that failed beside a graph is an error', () => withFolder({}, (cwd) => {
  for (const name of Object.keys(inputs).filter((name) => /^(graph|program)_failure/.test(name))) {
    writeFileSync(join(cwd, name), inputs[name]);
    const { code, out } = onnxls(['check', name], { cwd });
    assert.equal(code, 1);
    assert.match(out, /error: The export failed: RuntimeError: no\. Place: a\.py:7 in <module> \[export-failed\]/);
  }
}));

test('ONNX text under the name of a binary model is told, and judged all the same', () => withFolder({
  'a.onnx': onnxText, 'b.onnx': onnxText.replace('Relu', 'Reluu'), 'c.onnxtxt': onnxText,
}, (cwd) => {
  const { code, out } = onnxls(['check', '.'], { cwd });
  assert.equal(code, 1);
  assert.match(out, /^\.\/a\.onnx:1:1: error: This is ONNX text under the name of a binary model/m);
  assert.match(out, /^\.\/b\.onnx:1:1: error: This is ONNX text/m);
  assert.match(out, /^\.\/b\.onnx:3:\d+: error: .*Reluu/m);
  assert.doesNotMatch(out, /c\.onnxtxt/);
}));

test('a damaged model has a finding, and what is no model has none', () => withFolder({}, (cwd) => {
  const check = (name, content) => {
    writeFileSync(join(cwd, name), content);
    const { code, out } = onnxls(['check', '--format', 'json', name], { cwd });
    const { diagnostics, files } = JSON.parse(out);
    return [code, files[0].status, diagnostics.map(({ rule, line, message }) => `${rule} ${line}: ${message}`)];
  };
  for (const name of ['a.onnx', 'a.bin']) {
    const [code, status, found] = check(name, model.subarray(0, 12));
    assert.deepEqual([code, status, found.length], [1, 'partly', 1]);
    assert.match(found[0], /^syntax 1: The model can't be read: the file ends too early, after 12 bytes; .*byte 6\)\.$/);
  }
  assert.match(check('b.onnx', bytes(model.subarray(0, 12), [0x7f], model.subarray(13)))[2][0], /can't be read: .* at byte 13 in graph\.node\[0\]\.$/);
  const types = (levels) => (levels === 0 ? Buffer.from([10, 2, 8, 1]) : field(4, field(1, types(levels - 1))));
  const field = (number, content) => {
    const length = content.length < 128 ? [content.length] : [content.length & 127 | 128, content.length >> 7];
    return Buffer.concat([Buffer.from([number << 3 | 2, ...length]), content]);
  };
  const deep = Buffer.concat([Buffer.from([8, 8]), field(7, field(11, field(2, types(80)))), field(8, Buffer.from([16, 17]))]);
  assert.match(check('deep.onnx', deep)[2][0], /^syntax 1: The model can't be read: messages nested more than 100 deep/);
  assert.deepEqual(check('c.onnx', inputs['tensor.onnx']), [2, 'skipped', []]);
  assert.deepEqual(check('weights.data', model.subarray(0, 12)), [2, 'skipped', []]);
  assert.deepEqual([2, ''], (({ code, out }) => [code, out])(onnxls(['ops', 'a.onnx'], { cwd })));
}));

test('what is no file, or can not be read', { skip: onWindows('Wine leaves links out that lead nowhere') }, () => withFolder({}, (cwd) => {
  mkdirSync(join(cwd, 'empty'));
  mkdirSync(join(cwd, 'links'));
  symlinkSync('nowhere', join(cwd, 'links', 'a.torchir'));
  mkdirSync(join(cwd, 'loop'));
  symlinkSync('a.torchir', join(cwd, 'loop', 'a.torchir'));
  for (const [path, code] of [['gone', 2], ['empty', 0], ['links', 2], ['loop', 2], ['links/a.torchir', 2], ['loop/a.torchir', 2], ['', 2]]) {
    const result = onnxls(['check', path], { cwd });
    assert.equal(result.code, code, `${path}: ${result.err}`);
    assert.ok(hasWord(result), path);
  }
}));

test('Python in which nothing is about exporting', () => withFolder({ 'empty.py': '', 'a.py': 'print("nothing")\n' }, (cwd) => {
  const { code, err } = onnxls(['check', 'empty.py', 'a.py'], { cwd });
  assert.equal(code, 0);
  assert.match(err, /nothing found in 2 files .*; in 2 of them nothing is about exporting$/m);
}));

test('files without permission', { skip: process.getuid() === 0 && 'root may read all' }, () => withFolder({ 'd/a.torchir': graph, 'p/a.py': export_ }, (cwd) => {
  for (const path of ['d/a.torchir', 'p/a.py']) {
    chmodSync(join(cwd, path), 0);
    assert.equal(onnxls(['check', path], { cwd }).code, 2);
    assert.equal(onnxls(['check', path[0]], { cwd }).code, 2);
  }
}));

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onnxls, root, withFolder } from './onnxls.mjs';
import { mismatch } from './schema.mjs';

const schema = JSON.parse(readFileSync(join(root, 'docs/ops.schema.json'), 'utf8'));

function ops(args, options) {
  const { code, out, err } = onnxls(['ops', ...args, '--format', 'json'], options);
  assert.equal(code, 0, err);
  const list = JSON.parse(out);
  assert.equal(mismatch(schema, list), null);
  return list;
}

const small = `graph(%x : Tensor):
  %1 : int = prim::Constant[value=1]()
  %y : Tensor = aten::lgamma(%x)
  %z : Tensor = aten::relu(%y)
  %2 : Tensor = aten::relu(%z)
  %3 : int = aten::Int(%2)
  %a : Tensor = aten::scaled_dot_product_attention(%2, %2, %2, %3)
  return (%a)
`;

test('the table of a small dump', () => withFolder({ 'a.torchir': small }, (cwd) => {
  const { code, out, err } = onnxls(['ops', 'a.torchir', '--torch', '2.14', '--opset', '13'], { cwd });
  assert.equal(code, 0);
  assert.equal(err, '');
  assert.equal(out, `a.torchir: 6 nodes of 5 operators, for the TorchScript exporter of torch 2.14 at opset 13
2 operators with 2 nodes can't be converted, or may not: see onnxls check

  operator                             nodes   9 10 11 12 13 14 15 16 17 18 19 20  dynamo  lines
                                                          ^^
! aten::lgamma                             1   -  -  -  -  -  -  -  -  -  -  -  -  -       3
! aten::scaled_dot_product_attention       1   -  -  -  -  -  +  +  +  +  +  +  +  +       7
  aten::relu                               2   +  +  +  +  +  +  +  +  +  +  +  +  +       4, 5
  aten::Int                                1   ~  ~  ~  ~  ~  ~  ~  ~  ~  ~  ~  ~  ?       6
  prim::Constant                           1   +  +  +  +  +  +  +  +  +  +  +  +  ?       2

  aten::relu runs in ONNX Runtime when this is not so: \`self\` is BFloat16 (onnxruntime 1.21, 1.23)

+ can be converted at this opset   * by a function of the workspace   - can't
~ removed or rewritten before
! check reports it   dynamo: + has a function, parts: taken apart by torch.export, - has none, ? not known
`);
}));

test('the modules of an operator', () => {
  const line = (number, scope) => `  %${number} : Float(2) = aten::relu(%x)${scope ? `, scope: ${scope}` : ''}\n`;
  const scopes = ['__module.a', '__module.a/__module.a.0', '', '__module.a', 'Net::/Block::b/ReLU::act', '__module.a'];
  const text = `graph(%x : Float(2)):\n${scopes.map((scope, i) => line(i, scope)).join('')}  return (%1)\n`;
  withFolder({ 'a.torchir': text }, (cwd) => {
    const [relu] = ops(['a.torchir'], { cwd });
    assert.deepEqual(relu.modules, [{ module: 'a', count: 3 }, { module: 'a.0', count: 1 }, { module: 'act', count: 1 }]);
    assert.equal(relu.count, 6);
  });
});

test('the JSON of a small dump', () => withFolder({ 'a.torchir': small }, (cwd) => {
  const [lgamma, attention, relu, int] = ops(['a.torchir', '--torch', '2.14', '--opset', '13'], { cwd });
  assert.deepEqual(lgamma, { file: 'a.torchir', op: 'aten::lgamma', count: 1, reported: 1, lines: [3], torchscript: [],
    workspace: [], removed: false, dynamo: false, conditions: [] });
  assert.deepEqual(attention.torchscript, [14, 15, 16, 17, 18, 19, 20]);
  assert.deepEqual([relu.count, relu.lines, relu.reported], [2, [4, 5], 0]);
  assert.deepEqual([int.removed, int.dynamo, int.conditions], [true, null, []]);
  assert.deepEqual(relu.conditions.map(({ kind, when, runtime }) => [kind, when, runtime]),
                   [['no-runtime-kernel', '`self` is BFloat16', 'onnxruntime 1.21, 1.23']]);
}));

test('conditions of operators: the simplest of each kind, and how many more; none of the workspace', () => withFolder(
  { 'a.torchir': 'graph(%x : Tensor):\n  %1 : int = prim::Constant[value=1]()\n'
      + '  %y : Tensor = aten::scatter_add(%x, %1, %x, %x)\n  %z : Tensor = aten::elu(%y, %1, %1, %1)\n  return (%z)\n',
    'own.py': 'from torch.onnx import register_custom_op_symbolic\n\n\ndef fn(g, self, alpha, scale, input_scale):\n'
      + '    return g.op("Relu", self)\n\n\nregister_custom_op_symbolic("aten::elu", fn, 9)\n' }, (cwd) => {
    const target = ['--torch', '2.6', '--opset', '15'];
    const { out } = onnxls(['ops', 'a.torchir', ...target], { cwd });
    assert.match(out, /^ {2}aten::scatter_add exports when this is not so: `dim` is computed in the graph$/m);
    assert.match(out, /^ {2}aten::scatter_add comes out right when this is not so: `self` has dimensions, /m);
    assert.match(out, /^ {2}aten::elu exports when this is not so: `alpha` is computed in the graph; and 5 more cases$/m);
    const [scatter, elu] = ops(['a.torchir', 'own.py', ...target], { cwd }).filter(({ op }) => op.startsWith('aten'));
    assert.equal(scatter.op === 'aten::elu' ? scatter.conditions.length : elu.conditions.length, 0);
}));

const own = (name, opset) => `from torch.onnx import register_custom_op_symbolic


def fn(g, self):
    return g.op("Relu", self)


register_custom_op_symbolic("${name}", fn, ${opset})
`;

test('functions of the workspace count', async () => {
  const files = { 'dumps/a.torchir': small, 'src/ops.py': own('aten::lgamma', 12) + own('aten::relu', 13) };
  const row = (text, name) => text.split('\n').find((line) => line.includes(` ${name} `));
  const flags = ['--torch', '2.14', '--opset', '13'];
  const lgamma = [12, 13, 14, 15, 16, 17, 18, 19, 20];
  await withFolder({ ...files, '.onnxls.json': '{}' }, (cwd) => {
    const { code, out, err } = onnxls(['ops', 'dumps/a.torchir', ...flags], { cwd });
    assert.deepEqual([code, err], [0, '']);
    assert.match(out, /^1 operator with 1 node can't be converted/m);
    assert.match(row(out, 'aten::lgamma'), /^  aten::lgamma  .* 1   -  -  -  \*  \*  \*  \*  \*  \*  \*  \*  \*  -       3$/);
    assert.match(row(out, 'aten::relu'), /^  aten::relu  .* 2   \+  \+  \+  \+  \*  \*  \*  \*  \*  \*  \*  \*  \+       4, 5$/);
    const list = ops(['dumps/a.torchir', ...flags], { cwd });
    const get = (name) => list.find(({ op }) => op === name);
    assert.deepEqual([get('aten::lgamma').torchscript, get('aten::lgamma').workspace, get('aten::lgamma').reported], [lgamma, lgamma, 0]);
    assert.deepEqual(get('aten::relu').workspace, [13, 14, 15, 16, 17, 18, 19, 20]);
    assert.equal(get('aten::relu').torchscript.length, 14);
    assert.deepEqual(get('aten::Int').workspace, []);
  });
  // Without settings those of the Python files that are named, or found in folders that are; they are not listed.
  await withFolder(files, (cwd) => {
    for (const [args, opsets] of [[['dumps/a.torchir'], []], [['dumps/a.torchir', 'src/ops.py'], lgamma], [['.'], lgamma],
                                  [['src', 'dumps'], lgamma]]) {
      const list = ops([...args, ...flags], { cwd });
      assert.deepEqual([...new Set(list.map(({ file }) => file.split('/').pop()))], ['a.torchir']);
      assert.deepEqual(list.find(({ op }) => op === 'aten::lgamma').workspace, opsets, args.join(' '));
    }
    const alone = onnxls(['ops', 'src/ops.py'], { cwd });
    assert.match(alone.err, /ops lists the operators of graphs/);
  });
});

function corpus(...folders) {
  return folders.flatMap((folder) => readdirSync(join(root, 'tests/corpus/torch-ir', folder))
    .map((name) => join(root, 'tests/corpus/torch-ir', folder, name)));
}

test('counts and lines are those of the text', () => {
  const files = corpus('torch-2.x/2.6/ts', 'torch-2.x/2.14/ts');
  const listed = ops(files);
  for (const file of files) {
    const lines = readFileSync(file, 'utf8').split('\n');
    // Nodes as they are printed: results, " = ", kind.
    const want = new Map();
    lines.forEach((line, i) => {
      const kind = /^ *(?:%.*? )?= ([\w.]+::\w+|\^\w+)[[(]/.exec(line)?.[1];
      if (kind)
        want.set(kind, [...want.get(kind) ?? [], i + 1]);
    });
    const got = new Map(listed.filter((row) => row.file === file).map(({ op, lines: at }) => [op, at]));
    for (const [kind, at] of want)
      assert.deepEqual(got.get(kind), at, `${file}: ${kind}`);
    for (const [kind, at] of got)
      assert.ok(at.every((line) => lines[line - 1].includes(kind)), `${file}: ${kind}`);
  }
});

test('what is reported is what check reports', () => {
  const files = corpus('torch-2.x/2.14/ts');
  const flags = [...files, '--opset', '9', '--torch', '2.14'];
  const { diagnostics } = JSON.parse(onnxls(['check', ...flags, '--format', 'json']).out);
  const all = ops(flags);
  for (const file of files) {
    const want = new Map();
    for (const { data, file: where } of diagnostics) {
      if (data && where === file)
        want.set(data.op, (want.get(data.op) ?? 0) + 1);
    }
    const listed = all.filter((row) => row.file === file);
    assert.deepEqual(new Map(listed.filter((op) => op.reported).map((op) => [op.op, op.reported]).sort()), new Map([...want].sort()), file);
    const first = listed.findIndex((op) => op.reported === 0);
    assert.ok(first === -1 || listed.slice(first).every((op) => op.reported === 0), 'what is reported comes first');
  }
});

test('marks are what explain says', () => {
  const list = ops([join(root, 'demo/llama.torchir'), '--torch', '2.14']);
  for (const { op, torchscript, removed } of list) {
    const support = JSON.parse(onnxls(['explain', op, '--format', 'json']).out).support['2.14'];
    if (!removed)
      assert.deepEqual(torchscript, support.torchscript, op);
  }
  assert.ok(list.length > 10);
});

test('ONNX-lowered and printable graphs have versions', () => {
  for (const [file, name] of [['onnx_ir/many_ops.op18.txt', 'onnx::'], ['onnx_text/many_ops.op18.printable.txt', '']]) {
    const list = ops([join(root, 'tests/corpus/torch-ir/torch-2.x/2.14', file), '--opset', '18', '--torch', '2.14']);
    const split = list.find(({ op }) => op === `${name}Split`);
    assert.equal(split.since, 18);
    assert.deepEqual(split.deprecated, false);
    assert.ok(split.torchscript.includes(9) && split.dynamo);
  }
});

test('an operator that is younger than the opset has no version', () => withFolder(
  { 'a.txt': 'graph(%x : Float(2)):\n  %y : Float(2) = onnx::Gelu(%x)\n  %z : Float(2) = onnx::Upsample(%y)\n  return (%z)\n' },
  (cwd) => {
    const [gelu, upsample] = ops(['a.txt', '--opset', '13', '--torch', '2.14'], { cwd });
    assert.deepEqual([gelu.since, gelu.torchscript], [null, [20]]);
    assert.deepEqual([upsample.deprecated, upsample.torchscript], [true, [7, 8, 9]]);
  }));

test('several files, standard input and what fails', () => withFolder({ 'a.torchir': small, 'b.torchir': small }, (cwd) => {
  assert.deepEqual([...new Set(ops(['.'], { cwd }).map(({ file }) => file))], ['./a.torchir', './b.torchir']);
  assert.equal(ops(['-'], { cwd, input: small })[0].file, '<stdin>');
  const empty = onnxls(['ops', '-', '--format', 'json'], { cwd, input: '' });
  assert.deepEqual([empty.code, JSON.parse(empty.out)], [2, []]);
  assert.match(empty.err, /<stdin>: the file is empty/);
  const failed = onnxls(['ops', 'a.torchir', 'missing', '--format', 'json'], { cwd });
  assert.equal(failed.code, 2);
  assert.match(failed.err, /missing: No such file/);
  assert.equal(JSON.parse(failed.out).length, 5);
  assert.equal(onnxls(['ops', 'a.torchir', '--opset', '99'], { cwd }).code, 2);
  assert.match(onnxls(['ops', 'a.torchir', '--opset', '40'], { cwd }).err, /has opsets 7 to 20/);
  assert.equal(onnxls(['ops'], { cwd }).code, 2);
}));

const newerModel = '<ir_version: 8, opset_import: ["" : 17]>\ng (double[2] x, float[2,3] z) => (double[2] y, float[3] w) {\n' +
  '  y = Cos(x)\n  w = ReduceMean<axes = [0], keepdims = 0>(z)\n}\n';

test('a model: what breaks at newer opsets, and which runtimes load it', () => withFolder({ 'a.onnxtxt': newerModel }, (cwd) => {
  const text = onnxls(['ops', 'a.onnxtxt'], { cwd }).out;
  assert.match(text, /a model of opset 17\n/);
  assert.match(text, /at 18 {2}onnx::ReduceMean: `axes` is an input \(optional\), no longer an attribute\n/);
  assert.doesNotMatch(text, /at 22 {2}onnx::Cos/);  // Only more types.
  assert.match(text, /IR version 8 are taken by 1\.12 on; kernels for all nodes: /);
  assert.match(text, /no kernel in 1\.12 to [\d.]+: Cos with T = double, line 3\n/);
  const [cos, mean] = ops(['a.onnxtxt'], { cwd });
  assert.deepEqual([cos.breaks, cos.no_kernel.includes('1.20'), cos.no_kernel.includes('1.30')], [[], true, false]);
  assert.deepEqual([mean.breaks.map(({ opset }) => opset), mean.no_kernel], [[18], []]);
  assert.equal(cos.since, 7);
}));

test('of a model it is said what breaks at another opset', () => {
  const nodes = 't = LayerNormalization(x, s) u = ReduceMean <axes: ints = [1]> (t) y = HardSwish(u)';
  const text = `<ir_version: 8, opset_import: ["" : 17]>\ng (float[2,3] x, float[3] s) => (float[2,1] y) { ${nodes} }\n`;
  return withFolder({ 'a.onnxtxt': text }, (cwd) => {
    const at = (...flags) => onnxls(['ops', 'a.onnxtxt', ...flags], { cwd }).out;
    assert.match(at('--opset', '18'), /\nWhat breaks at opset 18:\n  at 18  onnx::ReduceMean: `axes` is an input [^\n]*\n\nONNX Runtime: opset 18 is taken by /);
    assert.match(at('--opset', '20'), /\nWhat breaks at opset 20:\n  at 18  onnx::ReduceMean: [^\n]*\n\n/);
    assert.match(at('--opset', '15'), /\nWhat breaks at opset 15:\n  before 17  onnx::LayerNormalization: there is no such operator\n\n/);
    assert.doesNotMatch(at('--opset', '17'), /breaks/);
    assert.match(at(), /\nWhat breaks at opsets above 17:\n/);
  });
});

test('an attribute that an opset takes away breaks only nodes that have it', () => {
  const head = '<ir_version: 8, opset_import: ["" : 11]>\ng (float[2,4] x) => (float w, float[2,2] a, float[2,2] b, float[2,4] s) {\n';
  const text = (sum, soft) => `${head}  w = ReduceSum <keepdims = 0${sum}> (x)\n  a, b = Split <axis = 1> (x)\n  s = Softmax${soft} (x)\n}\n`;
  return withFolder({ 'a.onnxtxt': text('', ' <axis = 1>'), 'b.onnxtxt': text(', axes = [0, 1]', '') }, (cwd) => {
    const broken = (file) => ops([file], { cwd }).map(({ op, breaks }) => [op, breaks.map(({ opset }) => opset)]);
    assert.deepEqual(broken('a.onnxtxt'), [['onnx::ReduceSum', []], ['onnx::Softmax', []], ['onnx::Split', [18]]]);
    assert.deepEqual(broken('b.onnxtxt'), [['onnx::ReduceSum', [13]], ['onnx::Softmax', [13]], ['onnx::Split', [18]]]);
  });
});

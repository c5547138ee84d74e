import assert from 'node:assert/strict';
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { changes, Random, readModel, rename, reorder, writeModel } from './model_pairs.mjs';
import { onnxls, root, withFolder } from './onnxls.mjs';
import { mismatch } from './schema.mjs';
import { attribute, Float, floats, message, model, node, tensorType, value } from './wire.mjs';

const schema = JSON.parse(readFileSync(join(root, 'docs/diff.schema.json'), 'utf8'));
const corpus = join(root, 'tests/corpus');

/** The two files compared: what it says, as JSON that fits its schema. */
async function compare(a, b, endings = ['.onnx', '.onnx']) {
  return withFolder({ [`a${endings[0]}`]: a, [`b${endings[1]}`]: b }, (cwd) => {
    const { code, out, err } = onnxls(['diff', '--format', 'json', `a${endings[0]}`, `b${endings[1]}`], { cwd });
    assert.equal(err, '');
    const said = JSON.parse(out);
    assert.equal(mismatch(schema, said, schema), null);
    assert.equal(code, said.same ? 0 : 1);
    return said;
  });
}

const brief = (said) => said.differences.map((d) => [d.kind, d.what, d.op, ...d.changes.map((c) => [c.what, c.name, c.a, c.b])]);

/** A model with two like branches, a long chain, constants, and values that nobody uses. */
function built() {
  const tensor = (name, dims, ...numbers) => message(...dims.map((d) => [1, d]), [2, 1], [8, name], [9, floats(...numbers)]);
  const nodes = [
    node('Conv', ['x', 'w1'], ['c1'], [3, 'conv1'], [5, attribute('strides', 7, 8, 1, 1)]), node('Relu', ['c1'], ['r1']),
    node('Conv', ['x', 'w2'], ['c2'], [3, 'conv2'], [5, attribute('strides', 7, 8, 1, 1)]), node('Relu', ['c2'], ['r2']),
    node('Sub', ['r1', 'r2'], ['s0'], [3, 'sub']), node('Shape', ['s0'], ['unused']),
    ...Array.from({ length: 12 }, (_, i) => node(i % 3 ? 'Relu' : 'Neg', [`s${i}`], [`s${i + 1}`])),
    node('Softmax', ['s12'], ['y'], [5, attribute('axis', 2, 3, 1)]),
  ];
  const weights = Array.from({ length: 27 }, (_, i) => i / 8);
  return model(message(...nodes.map((n) => [1, n]), [2, 'g'], [5, tensor('w1', [1, 3, 3, 3], ...weights)],
    [5, tensor('w2', [1, 3, 3, 3], ...weights.map((w) => w + 1))],
    [11, value('x', tensorType(1, [1, 3, 8, 8]))], [12, value('y', tensorType(1, [1, 1, 6, 6]))]));
}

const models = { built: built() };
for (const name of readdirSync(join(corpus, 'onnx')).filter((n) => n.endsWith('.onnx')))
  models[name] = readFileSync(join(corpus, 'onnx', name));

for (const [name, bytes] of Object.entries(models)) {
  test(`${name}: other names and another order are no difference`, async () => {
    for (let seed = 0; seed < 4; seed++) {
      const other = readModel(bytes);
      rename(other, new Random(seed));
      reorder(other, new Random(seed));
      const said = await compare(bytes, writeModel(other));
      assert.deepEqual(brief(said), []);
      assert.ok(said.renamedValues > 0);
    }
  });

  for (const [kind, change] of Object.entries(changes)) {
    test(`${name}: ${kind}, and nothing else`, async () => {
      const random = new Random(kind.length * 7);
      const other = readModel(bytes);
      rename(other, random);
      reorder(other, random);
      const want = change(other, random);
      if (!want)
        return;
      const said = await compare(bytes, writeModel(other));
      assert.equal(said.differences.length, 1, JSON.stringify(brief(said)));
      const [found] = said.differences;
      assert.deepEqual([found.kind, found.changes.map((c) => c.what)], [want.kind, want.changes]);
      assert.equal(found.what, want.what ?? found.what);
      const line = found.b ?? found.a;
      const word = want.op ?? want.name;
      assert.ok(line.text.includes(word) || found.name === want.name, `${line.text} has no ${word}`);
    });
  }
}

/** What onnx's printer makes of the numbers. */
const sixDigits = (text) => text.replace(/\d+\.\d+(e[-+]?\d+)?/g, (number) => String(Number(Number(number).toPrecision(6))));

test('of a text with six digits, as onnx prints it, the rest is no difference', async () => {
  const third = (count) => floats(...Array.from({ length: count }, (_, i) => (i + 1) / 3));
  const bytes = model(message([1, node('Conv', ['x', 'w', 'b'], ['c'])],
    [1, node('LeakyRelu', ['c'], ['y'], [5, attribute('alpha', 1, 2, new Float(1 / 3))])], [2, 'g'],
    [5, message([1, 2], [1, 3], [1, 3], [1, 3], [2, 1], [8, 'w'], [9, third(54)])], [5, message([1, 2], [2, 1], [8, 'b'], [9, third(2)])],
    [11, value('x', tensorType(1, [1, 3, 8, 8]))], [12, value('y', tensorType(1, [1, 2, 6, 6]))]));
  await withFolder({ 'a.onnx': bytes }, async (cwd) => {
    const text = sixDigits(onnxls(['show', '--full', 'a.onnx'], { cwd }).out);
    const changed = { 'same.onnxtxt': text, 'few.onnxtxt': text.replace('{0.333333, 0.666667}', '{0.333334, 0.666667}'),
      'many.onnxtxt': text.replace('17.6667', '17.6668'), 'alpha.onnxtxt': text.replace('= 0.333333>', '= 0.333332>') };
    for (const [name, other] of Object.entries(changed)) {
      writeFileSync(join(cwd, name), other);
      for (const files of [['a.onnx', name], [name, 'a.onnx']]) {
        const { code, out, err } = onnxls(['diff', '--format', 'json', ...files], { cwd });
        assert.match(err, /onnxtxt: its floats have 6 digits at most/);
        assert.equal(code, name === 'same.onnxtxt' ? 0 : 1, out);
        assert.equal(JSON.parse(out).differences.length, code, `${name}: ${out}`);
      }
    }
    writeFileSync(join(cwd, 'whole.onnxtxt'), onnxls(['show', '--full', 'a.onnx'], { cwd }).out.replace('0.33333334, ', '0.33333337, '));
    const { code, err } = onnxls(['diff', 'a.onnx', 'whole.onnxtxt'], { cwd });
    assert.deepEqual([code, err], [1, '']);
  });
});

// --- Dumps ---

const renameDump = (text) => text.replace(/%([A-Za-z0-9_.]+)/g, (_, name) => `%v_${name}_`);

const dumps = { 'graph.torchir': `graph(%x : Float(2, 3, strides=[3, 1]), %w : Float(3)):
  %2 : int = prim::Constant[value=1]()
  %3 : Float(2, 3) = aten::add(%x, %w, %2), scope: M::/A::a # m.py:3:0
  %4 : bool = prim::Constant[value=0]()
  %5 : Float(2, 3) = prim::If(%4)
    block0():
      %6 : Float(2, 3) = aten::relu(%3)
      -> (%6)
    block1():
      %7 : Float(2, 3) = aten::neg(%3)
      -> (%7)
  %8 : Float(2, 3) = aten::mul(%5, %3), scope: M::/B::b # m.py:4:0
  return (%8)
` };

test('dumps: names are no difference, one changed line is one', async () => {
  for (const text of Object.values(dumps)) {
    const other = renameDump(text);
    assert.deepEqual(brief(await compare(text, other, ['.torchir', '.torchir'])), []);
    assert.deepEqual(brief(await compare(text, other.replace('value=1', 'value=2'), ['.torchir', '.torchir'])),
      [['changed', 'node', 'prim::Constant', ['attribute', 'value', '1', '2']]]);
    assert.deepEqual(brief(await compare(text, other.replace('aten::relu', 'aten::tanh'), ['.torchir', '.torchir'])),
      [['changed', 'node', 'aten::relu', ['operator', null, 'aten::relu', 'aten::tanh']]]);
    assert.deepEqual(brief(await compare(text, other.replace('Float(3)', 'Float(1)'), ['.torchir', '.torchir'])),
      [['changed', 'input', null, ['type', '%w', 'Float(3)', 'Float(1)']]]);
    const dropped = text.replace(/.*aten::neg.*\n/, '').replace('(%7)', '(%3)');
    assert.deepEqual(brief(await compare(text, dropped, ['.torchir', '.torchir'])), [['removed', 'node', 'aten::neg']]);
    const moved = text.replace('aten::mul(%5, %3)', 'aten::mul(%3, %5)');
    assert.deepEqual(brief(await compare(text, moved, ['.torchir', '.torchir'])),
      [['changed', 'node', 'aten::mul', ['input', '0', '%5', '%3'], ['input', '1', '%3', '%5']]]);
  }
});

test('dumps: the module itself is known by its type, whatever it is called', async () => {
  const text = `graph(%self : __torch__.M, %x.1 : Tensor, %flag.1 : bool):
  %4 : Tensor = aten::relu(%x.1)
  %5 : Tensor = prim::CallMethod[name="f"](%self, %4, %flag.1)
  return (%5)
`;
  assert.deepEqual(brief(await compare(text, renameDump(text), ['.torchir', '.torchir'])), []);
});

test('weights are inputs of the graph that a model was made of, and initializers of the model', async () => {
  const floatsOf = (name, dims) => [5, message(...dims.map((d) => [1, d]), [2, 1], [8, name], [9, floats(...Array(dims.reduce((a, b) => a * b)).fill(1.5))])];
  const bytes = model(message([1, node('Gemm', ['x', 'w', 'b'], ['h'])], [1, node('ATen', ['h'], ['y'], [7, 'org.pytorch.aten'])], [2, 'g'],
    floatsOf('w', [3, 2]), floatsOf('b', [2]), [11, value('x', tensorType(1, [2, 3]))], [12, value('y', tensorType(1, [2, 2]))]));
  const graph = `graph(%x : Float(2, 3),
      %w : Float(3, 2),
      %b : Float(2)):
  %h : Float(2, 2) = onnx::Gemm(%x, %w, %b)
  %y : Float(2, 2) = aten::ATen(%h)
  return (%y)
`;
  const printable = `graph g (
  %x[FLOAT, 2x3]
) initializers (
  %w[FLOAT, 3x2]
  %b[FLOAT, 2]
) {
  %h = Gemm(%x, %w, %b)
  %y = ATen(%h)
  return %y
}
`;
  for (const text of [graph, printable]) {
    assert.deepEqual(brief(await compare(bytes, text, ['.onnx', '.txt'])), []);
    assert.deepEqual(brief(await compare(text, bytes, ['.txt', '.onnx'])), []);
    const other = (await compare(bytes, text.replace('Gemm', 'MatMul'), ['.onnx', '.txt'])).differences;
    assert.deepEqual(other.map((d) => [d.kind, d.what]), [['changed', 'node']]);
  }
});

/** What onnx's parser makes of it, printed by onnx.helper.printable_graph. */
const nested = { '.onnxtxt': `<ir_version: 8, opset_import: ["" : 17, "d" : 1]>
g (float[2] x, bool c, int64 n) => (float[2] y, float[2] k) {
   a = If (c) <then_branch = sub () => (float[2] r) {
      i = If (c) <then_branch = ib () => (float[2] r3) { r3 = Cos (x) }, else_branch = jb () => (float[2] r4) { r4 = Tan (x) }>
      r = Add (i, x)
   }, else_branch = sub () => (float[2] r2) {
      q = Neg (x)
      r2 = Mul (q, x)
   }>
   l, "", s = Loop (n, "", a, a, a) <body = lb (int64 it, bool ci, float[2] v, u, float[2] z) => (bool co, float[2] vo, float[2] uo, float[2] zo) {
      co = Identity (ci)
      vo = Add (v, a)
      uo = Abs (u)
      zo = Exp (z)
   }>
   f = d.f (l)
   k = Sin (s)
   y = Sub (f, a)
}
<domain: "d", opset_import: ["" : 17]>
f (p) => (q) {
   q = Sqrt (p)
}
`, '.txt': `graph g (
  %x[FLOAT, 2]
  %c[BOOL, scalar]
  %n[INT64, scalar]
) {
  %a = If[else_branch = <graph sub>, then_branch = <graph sub>](%c)
  %l, %, %s = Loop[body = <graph lb>](%n, %, %a, %a, %a)
  %f = f(%l)
  %k = Sin(%s)
  %y = Sub(%f, %a)
  return %y, %k
}

graph sub {
  %i = If[else_branch = <graph jb>, then_branch = <graph ib>](%c)
  %r = Add(%i, %x)
  return %r
}

graph ib {
  %r3 = Cos(%x)
  return %r3
}

graph jb {
  %r4 = Tan(%x)
  return %r4
}

graph sub {
  %q = Neg(%x)
  %r2 = Mul(%q, %x)
  return %r2
}

graph lb (
  %it[INT64, scalar]
  %ci[BOOL, scalar]
  %v[FLOAT, 2]
  %u[]
  %z[FLOAT, 2]
) {
  %co = Identity(%ci)
  %vo = Add(%v, %a)
  %uo = Abs(%u)
  %zo = Exp(%z)
  return %co, %vo, %uo, %zo
}
` };

test('graphs that a printable graph prints after their nodes are inside of these, and functions that it leaves out are said', async () => {
  const text = nested['.txt'];
  for (const endings of [['.onnxtxt', '.txt'], ['.txt', '.onnxtxt']]) {
    const said = await compare(nested[endings[0]], nested[endings[1]], endings);
    assert.deepEqual([brief(said), said.renamedValues, said.functionsNotCompared], [[], 0, 1]);
  }
  for (const [line, other] of [['Cos', 'Cosh'], ['Tan', 'Atan'], ['Mul(%q, %x)', 'Div(%q, %x)'], ['Exp', 'Log'], ['Sin', 'Sinh']]) {
    const said = await compare(nested['.onnxtxt'], text.replace(line, other), ['.onnxtxt', '.txt']);
    assert.deepEqual(said.differences.map((d) => [d.kind, d.what]), [['changed', 'node']], JSON.stringify(brief(said)));
  }
  // Nobody awaits a graph of another name, and the one that is missing is told at its node.
  const cut = await compare(text, text.replace('graph lb (', 'graph of_another_text ('), ['.txt', '.txt']);
  assert.ok(cut.differences.length > 0);
});

test('values in a print of onnx_ir are those of the model, in other brackets', async () => {
  const sizes = message([1, 2], [2, 7], [8, 'sizes'], [9, Buffer.from(new BigInt64Array([-1n, 2n]).buffer)]);
  const bytes = model(message([1, node('Reshape', ['x', 'sizes'], ['y'])], [2, 'g'], [5, sizes],
    [11, value('x', tensorType(1, [4]))], [12, value('y', tensorType(1, [2, 2]))]));
  const print = (numbers) => `<
    ir_version=10,
    opset_imports={'': 21},
>
graph(
    name=g,
    inputs=(
        %"x"<FLOAT,[4]>
    ),
    outputs=(
        %"y"<FLOAT,[2,2]>
    ),
    initializers=(
        %"sizes"<INT64,[2]>{Tensor<INT64,[2]>(array([${numbers}]), name='sizes')}
    ),
) {
    0 |  # n0
         %"y"<FLOAT,[2,2]> ⬅️ ::Reshape(%"x", %"sizes"{[${numbers}]})
    return %"y"<FLOAT,[2,2]>
}
`;
  assert.deepEqual(brief(await compare(bytes, print('-1,  2'), ['.onnx', '.txt'])), []);
  assert.deepEqual(brief(await compare(bytes, print('-1,  4'), ['.onnx', '.txt'])).map(([kind]) => kind), ['changed']);
});

test('a dump is the same as itself', async () => {
  for (const folder of ['fx', 'torch-ir/torch-2.x/2.14/ts', 'torch-ir/torch-2.x/2.6/ts']) {
    for (const name of readdirSync(join(corpus, folder)).filter((n) => n.endsWith('.txt')).slice(0, 12)) {
      const path = join(corpus, folder, name);
      const { code, out, err } = onnxls(['diff', path, path]);
      assert.deepEqual([code, out], err ? [2, ''] : [0, 'no difference\n'], `${path}: ${out}${err}`);
    }
  }
});

test('of two languages only operators and what joins them are compared', async () => {
  const torch = `graph(%self : __torch__.M, %x : Float(2, 3)):
  %w : Tensor = prim::GetAttr[name="weight"](%self)
  %1 : int = prim::Constant[value=1]()
  %2 : Float(2, 3) = aten::add(%x, %w, %1)
  %3 : Float(2, 3) = aten::relu(%2)
  return (%3)
`;
  const fx = `class GraphModule(torch.nn.Module):
    def forward(self, p_weight: "f32[3]", x: "f32[2, 3]"):
        add: "f32[2, 3]" = torch.ops.aten.add.Tensor(x, p_weight)
        relu: "f32[2, 3]" = torch.ops.aten.relu.default(add)
        return (relu,)
`;
  const said = await compare(torch, fx, ['.torchir', '.fx']);
  assert.deepEqual([said.operatorsOnly, brief(said)], [true, []]);
  const other = await compare(torch, fx.replace('aten.relu', 'aten.tanh'), ['.torchir', '.fx']);
  assert.deepEqual(brief(other), [['changed', 'node', 'aten::relu', ['operator', null, 'aten::relu', 'aten::tanh']]]);
});

// --- Texts and models ---

test('a model is the same as its text, whole or not', async () => {
  for (const [name, bytes] of Object.entries(models)) {
    await withFolder({ 'm.onnx': bytes }, (cwd) => {
      for (const flags of [['--full'], ['--hash'], ['--weights', '3', '--hash'], []]) {
        writeFileSync(join(cwd, 'm.onnxtxt'), onnxls(['show', 'm.onnx', ...flags], { cwd }).out);
        const { code, out } = onnxls(['diff', 'm.onnx', 'm.onnxtxt'], { cwd });
        assert.equal(code, 0, `${name} ${flags}: ${out}`);
        assert.match(out, /^no difference\n/);
      }
    });
  }
});

test('what a text leaves out without a hash is said not to be compared', () => withFolder({ 'm.onnx': built() }, (cwd) => {
  writeFileSync(join(cwd, 'm.onnxtxt'), onnxls(['show', 'm.onnx'], { cwd }).out);
  const { out } = onnxls(['diff', 'm.onnx', 'm.onnxtxt'], { cwd });
  assert.match(out, /^no difference\nvalues of 2 constants are not compared/);
}));

test('a Constant node and an initializer with its values are one', async () => {
  const text = (constant, initializer) => `<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (float[2] y)${initializer} {
${constant}   y = Add (x, c)
}
`;
  const said = await compare(text('   c = Constant <value = float[2] {1, 2.5}> ()\n', ''), text('', ' <float[2] c = {1.0, 2.50}>'),
    ['.onnxtxt', '.onnxtxt']);
  assert.deepEqual(brief(said), [['changed', 'node', 'onnx::Constant', ['kind', null, 'Constant node', 'initializer']]]);
});

test('what is said twice is no difference to itself', async () => {
  const text = '<ir_version: 8, opset_import: ["" : 17, "" : 16], metadata_props: ["k": "a", "k": "b"]>\ng (float[2] x) => (float[2] y) {\n   y = Neg (x)\n}\n';
  assert.deepEqual(brief(await compare(text, text, ['.onnxtxt', '.onnxtxt'])), []);
  assert.deepEqual(brief(await compare(text, text.replace('16', '15'), ['.onnxtxt', '.onnxtxt'])),
    [['changed', 'model', null, ['value', null, '16', '15']]]);
});

test('the order of inputs counts where their types tell them apart', async () => {
  const text = (inputs) => `<ir_version: 8, opset_import: ["" : 17]>
g (${inputs}) => (float[2] y) {
   t = Cast <to = 1> (i)
   y = Add (x, t)
}
`;
  const said = await compare(text('float[2] x, int64[2] i'), text('int64[2] i, float[2] x'), ['.onnxtxt', '.onnxtxt']);
  assert.equal(said.same, false);
});

test('outputs are known by what makes them, wherever they are in the signature', async () => {
  const text = (outputs, made = 'Neg') => `<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (${outputs}) {
   a = Relu (x)
   b = ${made} (x)
   c = Abs (x)
}
`;
  const three = text('float[2] a, float[2] b, float[2] c');
  const told = async (other) => brief(await compare(three, other, ['.onnxtxt', '.onnxtxt']));
  assert.deepEqual(await told(text('float[2] a, float[2] c')), [['removed', 'output', null]]);
  assert.deepEqual(await told(text('float[2] b, float[2] a, float[2] c')), [['changed', 'output', null, ['place', null, '1', '0']]]);
  assert.deepEqual(await told(text('float[2] a, float[2] b, float[2] c', 'Relu')),
    [['changed', 'node', 'onnx::Neg', ['operator', null, 'onnx::Neg', 'onnx::Relu']]]);
});

test('inputs are known by what takes them, where there is one more', async () => {
  const text = (inputs, sum = 'a, b') => `<ir_version: 8, opset_import: ["" : 17]>
g (${inputs}) => (float[2] y) {
   a = Relu (x)
   b = Neg (z)
   y = Sub (${sum})
}
`;
  const two = text('float[2] x, float[2] z');
  const told = async (other) => brief(await compare(two, other, ['.onnxtxt', '.onnxtxt']));
  assert.deepEqual(await told(text('float[3] new, float[2] x, float[2] z')), [['added', 'input', null]]);
  assert.deepEqual(await told(text('float[2] x, int64 new, float[2] z')), [['added', 'input', null]]);
  assert.deepEqual(await told(text('float[2] x, float[2] z', 'b, a')),
    [['changed', 'node', 'onnx::Sub', ['input', '0', 'a', 'b'], ['input', '1', 'b', 'a']]]);
});

test('twins are told apart by what uses them, where that is the same', async () => {
  const text = (product) => `<ir_version: 8, opset_import: ["" : 17]>
g (float[2,2] q, float[2,2] k, float s) => (float[2,2] y) {
   t = Sqrt (s)
   u = Sqrt (s)
   a = Mul (q, t)
   b = Mul (k, u)
   y = MatMul (${product})
}
`;
  const said = await compare(text('a, b'), text('b, a'), ['.onnxtxt', '.onnxtxt']);
  assert.deepEqual(brief(said), [['changed', 'node', 'onnx::MatMul', ['input', '0', 'a', 'b'], ['input', '1', 'b', 'a']]]);
});

test('a node that was added with a new input is told once, and who uses it is not', async () => {
  const text = (body) => `<ir_version: 8, opset_import: ["" : 17]>
g (float[2] x) => (float[2] y) {
${body}}
`;
  const said = await compare(text('   a = Relu (x)\n   y = Neg (a)\n'), text('   a = Relu (x)\n   b = Exp (a)\n   c = Abs (b)\n   y = Neg (c)\n'),
    ['.onnxtxt', '.onnxtxt']);
  assert.deepEqual(brief(said), [['added', 'node', 'onnx::Exp'], ['added', 'node', 'onnx::Abs']]);
});

test('what changed is named once', () => withFolder({
  'a.onnxtxt': '<ir_version: 8, opset_import: ["" : 17]>\ng (float[2] x) => (float[2] y) { y = Neg (x) }\n',
  'b.onnxtxt': '<ir_version: 8, opset_import: ["" : 17]>\ng (float[2] x) => (float[n] y) { y = Neg (x) }\n',
}, (cwd) => assert.match(onnxls(['diff', 'a.onnxtxt', 'b.onnxtxt'], { cwd }).out, /\n {6}type: float\[2\] -> float\[n\]\n/)));

test('words, exit codes and files that are none', () => withFolder({
  'a.onnxtxt': '<ir_version: 8, opset_import: ["" : 17]>\ng (float[2] x) => (float[2] y) {\n   ["/l1/act/Relu"] y = Relu (x)\n}\n',
  'b.onnxtxt': '<ir_version: 8, opset_import: ["" : 18]>\ng (float[2] in) => (float[2] out) {\n   ["/l1/act/Elu"] out = Elu (in)\n}\n',
  'none.txt': 'nothing here\n', 'cut.onnx': built().subarray(0, 300),
}, (cwd) => {
  const said = onnxls(['diff', 'a.onnxtxt', 'b.onnxtxt'], { cwd });
  assert.deepEqual([said.code, said.err], [1, '']);
  assert.equal(said.out, `--- a.onnxtxt
+++ b.onnxtxt

model
  changed opset of ai.onnx
      value: 17 -> 18
    - 1: <ir_version: 8, opset_import: ["" : 17]>
    + 1: <ir_version: 8, opset_import: ["" : 18]>

l1.act
  changed onnx::Relu /l1/act/Relu
      operator: onnx::Relu -> onnx::Elu
    - 3: ["/l1/act/Relu"] y = Relu (x)
    + 3: ["/l1/act/Elu"] out = Elu (in)

2 differences: 0 added, 0 removed, 2 changed
2 values are called otherwise, which is no difference: x -> in, y -> out
`);
  assert.equal(onnxls(['diff', 'a.onnxtxt', '-'], { cwd, input: readFileSync(join(cwd, 'a.onnxtxt')) }).code, 0);
  for (const args of [[], ['a.onnxtxt'], ['a.onnxtxt', 'a.onnxtxt', 'a.onnxtxt'], ['a.onnxtxt', 'none.txt'], ['a.onnxtxt', 'cut.onnx'],
    ['a.onnxtxt', 'gone.onnx'], ['a.onnxtxt', '.'], ['--format', 'yaml', 'a.onnxtxt', 'b.onnxtxt']]) {
    const { code, out, err } = onnxls(['diff', ...args], { cwd });
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, /\S/, args.join(' '));
  }
}));

test('values in other files are compared by their bytes, and a file that is missing is told of', () => {
  const type = message([1, message([1, 1], [2, message([1, message([1, 2])])])]);
  const value = (name) => message([1, name], [2, type]);
  const model = (...entries) => {
    const external = entries.map(([key, text]) => [13, message([1, key], [2, text])]);
    const tensor = message([1, 2], [2, 1], [8, 'w'], ...external, [14, 1]);
    const graph = message([1, message([1, 'x'], [1, 'w'], [2, 'y'], [4, 'Add'])], [2, 'g'], [5, tensor], [11, value('x')], [12, value('y')]);
    return message([1, 8], [7, graph], [8, message([1, ''], [2, 17])]);
  };
  const files = {
    'a.bin': Buffer.from([1, 2, 3, 4, 5, 6, 7, 8]), 'b.bin': Buffer.from([0, 0, 1, 2, 3, 4, 5, 6, 7, 8]),
    'a.onnx': model(['location', 'a.bin']), 'b.onnx': model(['location', 'b.bin'], ['offset', '2'], ['length', '8']),
    'c.onnx': model(['location', 'b.bin']), 'gone.onnx': model(['location', 'gone.bin']),
    'above.onnx': model(['location', '../a.bin']),
  };
  return withFolder(files, (cwd) => {
    const diff = (a, b) => onnxls(['diff', a, b], { cwd });
    assert.deepEqual([diff('a.onnx', 'b.onnx').code, diff('a.onnx', 'b.onnx').err], [0, '']);
    assert.equal(diff('a.onnx', 'c.onnx').code, 1);
    assert.match(diff('a.onnx', 'gone.onnx').err, /^onnxls: gone\.onnx: the values of 1 tensor lie in files that could not be read; /);
    assert.equal(diff('gone.onnx', 'gone.onnx').code, 0);
    assert.match(diff('above.onnx', 'above.onnx').err, /^onnxls: above\.onnx: the values of 1 tensor lie in files that could not be read; /);
  });
});

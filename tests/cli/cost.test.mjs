// What a rule asks of one place must not grow with the file: twice the text may take twice the computing time. Each shape
// made some question quadratic once, which is 16 times for four times the text; a busy machine doubles what is measured.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { binary, withFolder } from './onnxls.mjs';
import { message, model, node, tensorType, value } from './wire.mjs';

const head = 'import torch\nfrom torch.onnx import register_custom_op_symbolic as reg\n';
const lines = (count, line) => Array.from({ length: count }, (_, i) => line(i)).join('');
const body = (count, line, rest = 'return x') =>
  `${head}def f(g, x, y):\n    a = b = x\n${lines(count, line)}    ${rest}\nreg("my::f", f, 11)\n`;

const captured = 'import torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n        return -x\n';

const python = {
  'branches on a value': (n) => body(n, (i) => `    if y == ${i}:\n        return g.op("Relu", x)\n`),
  'clauses': (n) => body(n, (i) => `    ${i ? 'elif' : 'if'} y == ${i}:\n        return g.op("Relu", x)\n`),
  'branches on the opset': (n) => body(n, (i) => `    if g.opset >= ${i % 20}:\n        y = g.op("Relu", y)\n`),
  'sums': (n) => body(n, (i) => `    a${i + 1} = a${i} + a${i}\n`, 'return g.op("my::R", x, a_i=a1)'),
  'lines with a backslash alone': (n) => `${head}x = 1 ${'\\\n'.repeat(50 * n)}\n`,
  'lines with blanks and a backslash': (n) => `${head}x = 1 ${'\\\n '.repeat(50 * n)}\n`,
  'members of a class': (n) => `class C:\n${lines(n, (i) => `    a${i} = ${i}\n`)}${body(n, (i) => `    y = g.op("my::R", y, a_i=C.a${i})\n`)}`,
  'members of objects': (n) => head + lines(n, (i) => `class C${i}:\n    def __init__(self):\n        self.a = ${i}\n`) +
    lines(n, (i) => `c${i} = C${i}()\ndef f${i}(g, x):\n    return g.op("my::R", x, a_i=c${i}.a)\nreg("my::f${i}", f${i}, 11)\n`),
  'elements of a table': (n) => `TYPES = {${lines(n, (i) => `"a${i}": ${i},`)}}\n${body(n, (i) => `    y = g.op("my::R", y, a_i=TYPES["a${i}"])\n`)}`,
  'functions that register': (n) => head + lines(n, (i) => `def r${i}(name):\n    reg("my::" + name, f, 11)\nr${i}("f${i}")\n`),
  'many calls of one that registers': (n) =>
    `${head}def r(name):\n${lines(n, () => '    reg("my::" + name, f, 11)\n')}${lines(n, (i) => `r("f${i}")\n`)}`,
  'decorators that register': (n) => `${head}def r(name):\n    def wrap(f):\n        reg(name, f, 11)\n        return f\n    return wrap\n` +
    lines(n, (i) => `@r("my::f${i}")\ndef f${i}(g, x):\n    return x\n`),
  'calls of functions that are called once': (n) => head + lines(n, (i) => `def f${i}(g, x):\n    return f${i + 1}(g, x)\n`),
  'calls of a helper that raises': (n) => body(n, () => '    torch.onnx.symbolic_helper._unimplemented("a", "b")\n', 'return g.op("Relu", x)'),
  'one long sum': (n) => body(1, () => `    z = ${Array(n).fill('x').join(' + ')}\n`),
  'registrations': (n) => head + lines(n, (i) => `def f${i}(g, x):\n    return g.op("Relu", x)\nreg("my::f${i}", f${i}, 11)\n`),
  'registrations of one function': (n) => `${head}def f(g, x):\n    return x\n${lines(n, (i) => `reg("my::f${i}", f, 11)\n`)}`,
  'autograd functions': (n) => head + lines(n, (i) => `class A${i}(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def symbolic(g, x):
        return g.op("Relu", x)
`),
  'exports': (n) => head + lines(n, () => 'torch.onnx.export(m, (x,), "m.onnx", opset_version=13, input_names=["a"])\n'),
  'parameters': (n) => `${head}def f(g, ${Array.from({ length: 5 * n }, (_, i) => `a${i}`).join(', ')}):\n    return g.op("Concat", a1)\nreg("my::f", f, 11)\n`,
  'functions that no exporter has': (n) => `import torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n` +
    `${lines(n, (i) => `        y${i + 1} = torch.special.i0e(x) + y${i}\n`)}        return y${n}\ntorch.onnx.export(M(), torch.rand(2), "m.onnx", dynamo=False)\n`,
  'one long chain of calls': (n) => `import torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n        return x${'.permute(1, 0)'.repeat(n)}\n` +
    'torch.onnx.export(M(), torch.randn(2, 3), "m.onnx", dynamo=False)\n',
  'methods of a class that is exported': (n) => `import torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n` +
    `${lines(n, (i) => `        x = self.f${i}(x)\n`)}        return x\n${lines(n, (i) => `    def f${i}(self, x):\n        return x\n`)}` +
    'torch.onnx.export(M(), torch.randn(2, 3), "m.onnx", dynamo=False)\n',
  'lists of modules that hold others': (n) => `import torch\nclass M(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n` +
    `        a = []\n        b = []\n${lines(n, (i) => `        a.extend(b)\n        b.extend(a)\n`)}        self.layers = torch.nn.ModuleList(a)\n` +
    '    def forward(self, x):\n        for layer in self.layers:\n            x = layer(x)\n        return x\n' +
    'torch.onnx.export(M(), torch.randn(2, 3), "m.onnx", dynamo=False)\n',
  'calls before a hook': (n) => `import torch\nclass M(torch.nn.Module):\n    def forward(self, x):\n${lines(n, (i) => `        x = torch.relu(x + ${i})\n`)}` +
    '        return x\ntorch.onnx.export(M(), (torch.randn(2, 3),), "m.onnx", dynamo=True)\nother.register_forward_hook(print)\n',
  'keys of a ShapesCollection': (n) => `${captured}shapes = torch.export.ShapesCollection()\nx = torch.randn(2)\n` +
    `${lines(n, (i) => `x${i} = torch.randn(2)\nshapes[x${i}] = {0: torch.export.Dim("d${i}")}\n`)}` +
    'torch.export.export(M(), (x,), dynamic_shapes=shapes)\n',
  'a key of a ShapesCollection that is set again': (n) => `${captured}shapes = torch.export.ShapesCollection()\nx = torch.randn(2)\n` +
    `${lines(n, () => 'shapes[x] = {0: torch.export.Dim("d")}\n')}torch.export.export(M(), (x,), dynamic_shapes=shapes)\n`,
  'calls of torch.cond()': (n) => `${captured}def f(x):\n    return x\n${lines(n, () => 'torch.cond(x > 0, f, f, (x, 1))\n')}`,
  'operators of torch': (n) => body(n, () => '    x = g.op("aten::relu", x)\n'),
};

const graph = (nodes, result) => `graph(%x : Tensor):\n${nodes}  return (${result})\n`;
const dumps = {
  'one name defined again and again': (n) => graph(lines(n, () => '  %y : Tensor = aten::lgamma(%x)\n'), '%y'),
  'one name that each line defines and uses': (n) => graph(lines(n, () => '  %x : Tensor = aten::lgamma(%x)\n'), '%x'),
  'values that nobody uses': (n) => graph(lines(n, (i) => `  %y${i} : Tensor = aten::lgamma(%x)\n`), '%x'),
  'values that the last line uses': (n) => graph(lines(n, (i) => `  %y${i} : Tensor = aten::lgamma(%x)\n`), lines(n, (i) => `%y${i}, `)),
  'values that nothing defines': (n) => graph(lines(n, (i) => `  %y${i} : Tensor = aten::lgamma(%z${i})\n`), '%x'),
  'values that are defined later': (n) => graph(lines(n, (i) => `  %y${i} : Tensor = aten::lgamma(%y${i + 1})\n`), '%y0'),
  'graphs': (n) => lines(n / 2, () => graph('  %y : Tensor = aten::lgamma(%x)\n', '%y')),
  'blocks': (n) => graph(lines(n, (i) => `  %y${i} : Tensor = prim::If(%x)\n    block0():\n      -> (%x)\n    block1():\n      -> (%y${i - 1})\n`), '%x'),
  'parameters of forward()': (n) => `class GraphModule(torch.nn.Module):\n    def forward(self${lines(n, (i) => `, p_${i}: "f32[4]"`)}):\n` +
    `${lines(n, (i) => `        y_${i}: "f32[4]" = torch.ops.aten.relu.default(p_${i})\n`)}        return (${lines(n, (i) => `y_${i}, `)})\n`,
};

const untyped = message([4, message([1, message([1, message()])])]);  // seq(undefined)
const numbers = (n) => Array.from({ length: n }, (_, i) => i);
const models = {
  'inputs that hold what has no type': (n) => model(message(...numbers(n).map((i) => [1, node('Neg', [`v${i}`], [`v${i + 1}`])]), [2, 'g'],
    ...numbers(n).map((i) => [11, value(`x${i}`, untyped)]), [11, value('v0', tensorType(1, [1]))], [12, value(`v${n}`, tensorType(1, [1]))])),
};

/** Seconds of computing. */
function cost(name, cwd) {
  const { status } = spawnSync('sh', ['-c', `"${binary}" check --no-cache -j1 ${name} >out 2>&1; code=$?; times >>times; exit $code`], { cwd });
  assert.ok(status === 0 || status === 1, `exit code ${status}`);
  const times = spawnSync('tail', ['-1', 'times'], { cwd, encoding: 'utf8' }).stdout;
  const [, minutes, seconds] = /^(\d+)m([\d.]+)s/.exec(times);
  return 60 * Number(minutes) + Number(seconds);
}

// Clocks of computing tell hundredths of a second, so that little is no sign of anything.
const isLinear = (one, four) => four < 9 * one + 0.15;

function staysLinear(shapes, file, few, many) {
  for (const [name, shape] of Object.entries(shapes)) {
    test(`${name}: linear`, () => withFolder({}, (cwd) => {
      writeFileSync(join(cwd, `few_${file}`), shape(few));
      writeFileSync(join(cwd, `many_${file}`), shape(many));
      let one = Infinity;
      let four = Infinity;
      // The least of two runs is what the short text takes; the long one runs again only where it seems to be too slow.
      for (let i = 0; i < 3 && (i === 0 || !isLinear(one, four)); i++) {
        one = Math.min(one, cost(`few_${file}`, cwd), i === 0 ? cost(`few_${file}`, cwd) : Infinity);
        four = Math.min(four, cost(`many_${file}`, cwd));
      }
      assert.ok(isLinear(one, four), `${one} s, and for four times as much ${four} s`);
    }));
  }
}

staysLinear(python, 'a.py', 4000, 16_000);
staysLinear(dumps, 'a.torchir', 20_000, 80_000);
staysLinear(models, 'a.onnx', 10_000, 40_000);

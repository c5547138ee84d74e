// Texts that nest deeper than a 16-bit number counts, of every construct that can nest: each a function of how often.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { test } from 'node:test';
import { binary, said, withFolder } from './onnxls.mjs';

const lines = (count, line) => Array.from({ length: count }, (_, i) => line(i)).join('');

/** Levels of indentation are what costs here, so only as many as fit in a text of 2 MB, whatever was asked for. */
const indented = (header) => (count) =>
  lines(Math.min(count, 2000), (i) => `${' '.repeat(i)}${header}\n`) + lines(count, () => `${' '.repeat(100)}${header}\n`);

const python = {
  'open (': (n) => `x = ${'('.repeat(n)}`,
  'open [': (n) => `x = ${'['.repeat(n)}`,
  'open {': (n) => `x = ${'{'.repeat(n)}`,
  'mixed brackets': (n) => `x = ${'([{'.repeat(n / 3)}`,
  'parentheses': (n) => `x = ${'('.repeat(n)}1${')'.repeat(n)}\n`,
  'lists': (n) => `x = ${'['.repeat(n)}${']'.repeat(n)}\n`,
  'tuples': (n) => `x = ${'('.repeat(n)}${',)'.repeat(n)}\n`,
  'dictionaries': (n) => `x = ${'{1: '.repeat(n)}1${'}'.repeat(n)}\n`,
  'sets': (n) => `x = ${'{'.repeat(n)}1${'}'.repeat(n)}\n`,
  'closing brackets': (n) => `x = 1${')'.repeat(n)}\n`,
  'unclosed calls': (n) => `x = ${'f('.repeat(n)}`,
  'calls in calls': (n) => `x = ${'f('.repeat(n)}${')'.repeat(n)}\n`,
  'keyword arguments': (n) => `x = ${'f(a='.repeat(n)}1${')'.repeat(n)}\n`,
  'star arguments': (n) => `x = ${'f(*'.repeat(n)}1${')'.repeat(n)}\n`,
  'operator calls': (n) => `def f(g, x):\n    return ${'g.op("Relu", '.repeat(n)}x${')'.repeat(n)}\n`,
  'not': (n) => `x = ${'not '.repeat(n)}1\n`,
  'not, in what builds a model': (n) => `import torch
class Net(torch.nn.Module):
    def __init__(self, a=3):
        super().__init__()
        self.layers = torch.nn.ModuleList()
        if ${'not '.repeat(n)}a:
            self.layers.append(torch.nn.Linear(4, 3))
    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x
torch.onnx.export(Net(), torch.randn(1, 3), "m.onnx")
`,
  'minus': (n) => `x = ${'-'.repeat(n)}1\n`,
  'tilde': (n) => `x = ${'~'.repeat(n)}1\n`,
  'star': (n) => `x = ${'*'.repeat(n)}y\n`,
  'await': (n) => `x = ${'await '.repeat(n)}y\n`,
  'lambda': (n) => `x = ${'lambda: '.repeat(n)}1\n`,
  'yield': (n) => `x = ${'yield '.repeat(n)}\n`,
  'subscripts': (n) => `x = y${'[0]'.repeat(n)}\n`,
  'subscripts in subscripts': (n) => `x = ${'y['.repeat(n)}0${']'.repeat(n)}\n`,
  'attributes': (n) => `x = y${'.a'.repeat(n)}\n`,
  'calls of calls': (n) => `x = y${'()'.repeat(n)}\n`,
  'methods': (n) => `x = y${'.a()'.repeat(n)}\n`,
  'assignments': (n) => `${'x = '.repeat(n)}1\n`,
  'named expressions': (n) => `x = ${'(y := '.repeat(n)}1${')'.repeat(n)}\n`,
  'annotations': (n) => `x: ${'List['.repeat(n)}int${']'.repeat(n)} = 1\n`,
  'sums': (n) => `x = ${'1 + '.repeat(n)}1\n`,
  'powers': (n) => `x = ${'2 ** '.repeat(n)}1\n`,
  'matrix products': (n) => `x = ${'a @ '.repeat(n)}a\n`,
  'comparisons': (n) => `x = ${'1 < '.repeat(n)}1\n`,
  'conjunctions': (n) => `x = ${'a and '.repeat(n)}a\n`,
  'alternatives and conjunctions': (n) => `x = ${'a or b and '.repeat(n / 2)}a\n`,
  'conditional expressions': (n) => `x = ${'1 if a else '.repeat(n)}1\n`,
  'comprehensions': (n) => `x = ${'[y for y in '.repeat(n)}z${']'.repeat(n)}\n`,
  'clauses of a comprehension': (n) => `x = [y ${'for y in z '.repeat(n)}]\n`,
  'conditions of a comprehension': (n) => `x = [y for y in z ${'if y '.repeat(n)}]\n`,
  'slices': (n) => `x = y[${'1:'.repeat(n)}]\n`,
  'one list': (n) => `x = [${'1, '.repeat(n)}]\n`,
  'one call': (n) => `x = f(${'1, '.repeat(n)})\n`,
  'one list with mistakes': (n) => `x = [${'1, ) $ '.repeat(n)}]\n`,
  'one dictionary with mistakes': (n) => `x = {${'1: 2 3, '.repeat(n)}}\n`,
  'strings': (n) => `x = ${'"a" '.repeat(n)}\n`,
  'format strings, open': (n) => `x = ${'f"{'.repeat(n)}`,
  'format strings': (n) => `x = ${`f"{f'{`.repeat(n / 2)}1${`}'}"`.repeat(n / 2)}\n`,
  'format specifications': (n) => `x = f"{1${':{1'.repeat(n)}${'}'.repeat(n)}}"\n`,
  'quotes': (n) => `x = ${'"'.repeat(n)}\n`,
  'escapes': (n) => `x = "${'\\n'.repeat(n)}"\n`,
  'continuations': (n) => `x = ${'\\\n'.repeat(n)}1\n`,
  'continued sums': (n) => `x = ${'1 + \\\n'.repeat(n)}1\n`,
  'backslashes': (n) => `x = ${'\\ '.repeat(n)}1\n`,
  'garbage': (n) => `${'$ ? ` '.repeat(n)}\n`,
  'garbage and brackets': (n) => `x = ${'( $ '.repeat(n)}\n`,
  'if x:': (n) => 'if x:'.repeat(n),
  'if x: with blanks': (n) => 'if x: '.repeat(n),
  'with a:': (n) => 'with a: '.repeat(n),
  'with a, b': (n) => `with ${'a, '.repeat(n)}b:\n  pass\n`,
  'while x:': (n) => 'while x: '.repeat(n),
  'for x in y:': (n) => 'for x in y: '.repeat(n),
  'try:': (n) => 'try: '.repeat(n),
  'def f():': (n) => 'def f(): '.repeat(n),
  'class A:': (n) => 'class A: '.repeat(n),
  'match x:': (n) => 'match x:\n case '.repeat(n),
  'patterns': (n) => `match x:\n  case ${'['.repeat(n)}1${']'.repeat(n)}:\n    pass\n`,
  'else:': (n) => 'else: '.repeat(n),
  'elif': (n) => `if a:\n  pass\n${'elif a:\n  pass\n'.repeat(n)}`,
  'elif with opsets': (n) => `def f(g, x):\n  if g.opset > 9:\n    pass\n${'  elif g.opset == 9:\n    g.op("Relu", x)\n'.repeat(n)}`,
  'except': (n) => `try:\n  pass\n${'except A:\n  pass\n'.repeat(n)}`,
  'decorators': (n) => `${'@a\n'.repeat(n)}def f():\n  pass\n`,
  'decorators in a line': (n) => `${'@'.repeat(n)}a\ndef f():\n  pass\n`,
  'parameters': (n) => `def f(${'a, '.repeat(n)}):\n  pass\n`,
  'parameters in parameters': (n) => `def f${'('.repeat(n)}a${')'.repeat(n)}:\n  pass\n`,
  'imports': (n) => `from a import ${'b, '.repeat(n)}c\n`,
  'dotted imports': (n) => `import a${'.a'.repeat(n)}\n`,
  'relative imports': (n) => `from ${'.'.repeat(n)} import a\n`,
  'print chevrons': (n) => `${'print >> '.repeat(n)}a\n`,
  'semicolons': (n) => `${'x = 1; '.repeat(n)}\n`,
  'statements': (n) => 'x = 1\n'.repeat(n),
  'functions': (n) => 'def f():\n  pass\n'.repeat(n),
  'methods of a class': (n) => `class A:\n${'  def f(self):\n    pass\n'.repeat(n)}`,
  'statements of a function': (n) => `def f():\n${'  x = 1\n'.repeat(n)}`,
  'indented if': indented('if x:'),
  'indented class': indented('class A:'),
  'indented def': indented('def f(g, x):'),
  'indented with': indented('with a:'),
  'stairs': (n) => lines(n, (i) => `${' '.repeat(i % 100)}x\n`),
  'globals': (n) => `def f():\n  global ${'a, '.repeat(n)}b\n`,
  'deletions': (n) => `del ${'(a, '.repeat(n)}\n`,
  'type arguments': (n) => `type A${'[B'.repeat(n)} = 1\n`,
  'asserts': (n) => 'assert '.repeat(n),
  'return': (n) => `def f():\n  ${'return '.repeat(n)}\n`,
};

const graph = (line) => `graph(%0 : Tensor):\n${line}\n  return (%0)\n`;

const dumps = {
  'open List[': (n) => graph(`  %1 : ${'List['.repeat(n)}`),
  'List[]': (n) => graph(`  %1 : ${'List['.repeat(n)}int${']'.repeat(n)} = prim::ListConstruct()`),
  'Tuple()': (n) => graph(`  %1 : ${'Tuple('.repeat(n)}int${')'.repeat(n)} = prim::TupleConstruct()`),
  'Dict()': (n) => graph(`  %1 : ${'Dict(int, '.repeat(n)}int${')'.repeat(n)} = prim::DictConstruct()`),
  'optional types': (n) => graph(`  %1 : int${'?'.repeat(n)} = prim::Constant()`),
  'array types': (n) => graph(`  %1 : int${'[]'.repeat(n)} = prim::ListConstruct()`),
  'bracketed types': (n) => graph(`  %1 : ${'('.repeat(n)}int${')'.repeat(n)} = prim::Constant()`),
  'dimensions': (n) => graph(`  %1 : Float(${'2, '.repeat(n)}3) = aten::relu(%0)`),
  'Future()': (n) => graph(`  %1 : ${'Future('.repeat(n)}int${')'.repeat(n)} = prim::fork()`),
  'attributes': (n) => graph(`  %1 : int = prim::Constant[${'a=1, '.repeat(n)}b=1](%0)`),
  'attributes in attributes': (n) => graph(`  %1 : int = prim::Constant${'[a='.repeat(n)}1${']'.repeat(n)}(%0)`),
  'lists as attributes': (n) => graph(`  %1 : int = prim::Constant[a=${'['.repeat(n)}1${']'.repeat(n)}]()`),
  'tensors as attributes': (n) => graph(`  %1 : Tensor = prim::Constant[value={${'1, '.repeat(n)}1}]()`),
  'braces': (n) => graph(`  %1 : Tensor = prim::Constant[value=${'{'.repeat(n)}1${'}'.repeat(n)}]()`),
  'open brackets': (n) => graph(`  %1 : Tensor = prim::Constant${'['.repeat(n)}`),
  'open parentheses': (n) => graph(`  %1 : Tensor = aten::relu${'('.repeat(n)}`),
  'parentheses': (n) => graph(`  %1 : Tensor = aten::relu${'('.repeat(n)}%0${')'.repeat(n)}`),
  'inputs': (n) => graph(`  %1 : Tensor = aten::cat(${'%0, '.repeat(n)}%0)`),
  'lists of inputs': (n) => graph(`  %1 : Tensor = aten::cat(${'(%0)'.repeat(n)}`),
  'outputs': (n) => graph(`  ${lines(n, (i) => `%a${i} : Tensor, `)}%1 : Tensor = aten::split(%0)`),
  'scopes': (n) => graph(`  %1 : Tensor = aten::relu(%0), scope: ${'A::a/'.repeat(n)}B::b # m.py:1:0`),
  'dotted scopes': (n) => graph(`  %1 : Tensor = aten::relu(%0), scope: __module${'.a'.repeat(n)} # m.py:1:0`),
  'double colons': (n) => graph(`  %1 : Tensor = aten${'::a'.repeat(n)}(%0)`),
  'equals signs': (n) => graph(`  %1 : Tensor ${'= '.repeat(n)}aten::relu(%0)`),
  'values': (n) => graph(`  ${'%1 '.repeat(n)}`),
  'percent signs': (n) => graph(`  ${'%'.repeat(n)}`),
  'colons': (n) => graph(`  %1 ${': '.repeat(n)}Tensor = aten::relu(%0)`),
  'quotes': (n) => graph(`  %1 : str = prim::Constant[value=${'"'.repeat(n)}]()`),
  'escapes': (n) => graph(`  %1 : str = prim::Constant[value="${'\\n'.repeat(n)}"]()`),
  'garbage': (n) => graph(`  ${'$ ? ` '.repeat(n)}`),
  'operators in operators': (n) => graph(`  %1 : Tensor = ${'aten::relu('.repeat(n)}%0${')'.repeat(n)}`),
  'PythonOp': (n) => graph(`  %1 : Tensor = ^F${'('.repeat(n)}1${')'.repeat(n)}(%0)`),
  'PythonOp with arguments': (n) => graph(`  %1 : Tensor = ^F(${'1, '.repeat(n)}1)(%0)`),
  'hashes': (n) => graph(`  %1 : Tensor = aten::relu(%0) ${'# a '.repeat(n)}`),
  'returns': (n) => `graph(%0 : Tensor):\n  return (${'%0, '.repeat(n)}%0)\n`,
  'headers': (n) => `${'graph('.repeat(n)}\n${graph('')}`,
  'parameters': (n) => `graph(${lines(n, (i) => `%${i} : Tensor,\n      `)}%z : Tensor):\n  return (%0)\n`,
  'arrows': (n) => graph(`    ${'-> ('.repeat(n)}`),
  'blocks': (n) => graph(`  %1 : int = prim::If(%0)\n${lines(Math.min(n, 1000), (i) => `${' '.repeat(i)}    block0():\n`)}`),
  'blocks in a line': (n) => graph(`    ${'block0('.repeat(n)}${'): '.repeat(n)}`),
  'log prefixes': (n) => graph(`${'[rank0]: '.repeat(n)}%1 : Tensor = aten::relu(%0)`),
  'types of objects': (n) => graph(`  %1 : ${'__torch__.a'.repeat(n)} = prim::GetAttr[name="a"](%0)`),
  'lines of many names': (n) => graph(lines(n, (i) => `  %n${i} : Tensor = aten::relu(%0)\n`)),
};

const fxGraph = (line) => `graph():
    %x : [num_users=1] = placeholder[target=x]
${line}
    return (x,)
`;
const fxCode = (line) => `class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[2, 3]"):
        relu: "f32[2, 3]" = torch.ops.aten.relu.default(x);  x = None
${line}
        return (relu,)
`;
const node = (args) => fxGraph(`    %y : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = ${args}, kwargs = {})`);

const fx = {
  'parentheses': (n) => node(`${'('.repeat(n)}%x${')'.repeat(n)}`),
  'open parentheses': (n) => node('('.repeat(n)),
  'lists': (n) => node(`${'['.repeat(n)}%x${']'.repeat(n)}`),
  'dictionaries': (n) => node(`${'{a: '.repeat(n)}%x${'}'.repeat(n)}`),
  'slices': (n) => node(`(${'slice('.repeat(n)}%x${')'.repeat(n)})`),
  'arguments': (n) => node(`(${'%x, '.repeat(n)})`),
  'values': (n) => node('%x '.repeat(n)),
  'percent signs': (n) => fxGraph('%'.repeat(n)),
  'targets': (n) => fxGraph(`    %y : [num_users=1] = ${'call_function[target='.repeat(n)}`),
  'dotted targets': (n) => fxGraph(`    %y : [num_users=1] = call_function[target=torch${'.ops'.repeat(n)}](args = (%x,), kwargs = {})`),
  'users': (n) => fxGraph(`    %y : ${'[num_users=1] '.repeat(n)}`),
  'quotes': (n) => node(`(${"'".repeat(n)})`),
  'escapes': (n) => node(`('${"\\'".repeat(n)}')`),
  'garbage': (n) => fxGraph(`    ${'$ ? ` '.repeat(n)}`),
  'headers': (n) => `${'graph():\n'.repeat(n)}${fxGraph('')}`,
  'headers in a line': (n) => `${'graph():'.repeat(n)}\n${fxGraph('')}`,
  'returns': (n) => fxGraph(`    return ${'(x, '.repeat(n)}`),
  'types': (n) => fxCode(`        y: "${'f32['.repeat(n)}" = torch.ops.aten.relu.default(x)`),
  'calls': (n) => fxCode(`        y = ${'torch.relu('.repeat(n)}x${')'.repeat(n)}`),
  'methods': (n) => fxCode(`        y = x${'.relu()'.repeat(n)}`),
  'subscripts': (n) => fxCode(`        y = x${'[0]'.repeat(n)}`),
  'sums': (n) => fxCode(`        y = ${'x + '.repeat(n)}x`),
  'assignments': (n) => fxCode(`        ${'y = '.repeat(n)}x`),
  'forgotten': (n) => fxCode(`        y = torch.relu(x);  ${'x = '.repeat(n)}None`),
  'semicolons': (n) => fxCode(`        ${'y = torch.relu(x);  '.repeat(n)}`),
  'parameters': (n) => `class GraphModule(torch.nn.Module):\n    def forward(${'self, '.repeat(n)}):\n        return (x,)\n`,
  'continuations': (n) => fxCode(`        y = ${'\\\n'.repeat(n)}x`),
  'definitions': (n) => fxCode(`        ${'def forward(self): '.repeat(n)}`),
  'log prefixes': (n) => `${'V1122 10:03:07.071000 1 a.py:1] [0/0] [__graph_code] '.repeat(n / 10)}graph():\n`,
  'colours': (n) => fxCode(`        ${'\x1b[31m'.repeat(n)}y = torch.relu(x)`),
};

const onnxGraph = (line) => `<ir_version: 8, opset_import: ["" : 17]>\nagraph (float[N] x) => (float[N] y) {\n   ${line}\n   y = Relu (x)\n}\n`;

const onnxText = {
  'angle brackets': (n) => `${'<'.repeat(n)}ir_version: 8>\n${onnxGraph('')}`,
  'square brackets': (n) => `<opset_import: ${'['.repeat(n)}"" : 17${']'.repeat(n)}>\n${onnxGraph('')}`,
  'braces': (n) => onnxGraph(`${'{'.repeat(n)}${'}'.repeat(n)}`),
  'open braces': (n) => onnxGraph('{'.repeat(n)),
  'graphs in attributes': (n) => onnxGraph(`${'z = If (x) <then_branch = g () => (float[N] a) { '.repeat(n / 10)}`),
  'attributes': (n) => onnxGraph(`z = Relu <${'a = 1, '.repeat(n)}b = 1> (x)`),
  'lists': (n) => onnxGraph(`z = Relu <a = ${'['.repeat(n)}1${']'.repeat(n)}> (x)`),
  'tensors': (n) => onnxGraph(`z = Constant <value = float[1] {${'1, '.repeat(n)}1}> ()`),
  'inputs': (n) => onnxGraph(`z = Concat <axis = 0> (${'x, '.repeat(n)}x)`),
  'outputs': (n) => onnxGraph(`${'z, '.repeat(n)}z = Split (x)`),
  'calls': (n) => onnxGraph(`z = ${'Relu ('.repeat(n)}x${')'.repeat(n)}`),
  'assignments': (n) => onnxGraph(`${'z = '.repeat(n)}Relu (x)`),
  'types': (n) => onnxGraph(`z = Relu <t: type_proto = ${'seq('.repeat(n)}float${')'.repeat(n)}> (x)`),
  'dimensions': (n) => `<ir_version: 8, opset_import: ["" : 17]>\nagraph (float[${'N,'.repeat(n)}M] x) => (float[N] y) {\n}\n`,
  'strings': (n) => onnxGraph(`z = Relu <s = ${'"a" '.repeat(n)}> (x)`),
  'quotes': (n) => onnxGraph('"'.repeat(n)),
  'escapes': (n) => onnxGraph(`z = Relu <s = "${'\\"'.repeat(n)}"> (x)`),
  'headers': (n) => 'agraph (float[N] x) => '.repeat(n / 4),
  'garbage': (n) => onnxGraph('$ ? ` '.repeat(n)),
};

/** By group: `{ file, texts: [[name, text(count)]] }`. Those of Python are cut where a name begins a group: a file of
 * tests has five minutes, on a busy machine and with sanitizers, too. */
const cuts = { brackets: 'open (', operators: 'not', strings: 'comprehensions', statements: 'if x:', definitions: 'else:' };
const names = Object.keys(python);
const starts = Object.values(cuts).map((name) => names.indexOf(name));
const pythonGroups = Object.keys(cuts).map((group, i) => [group, {
  file: 'deep.py',
  texts: names.slice(starts[i], starts[i + 1]).map((name) => [name, (count) => `import onnx\n${python[name](count)}`]),
}]);
export const deepTexts = {
  ...Object.fromEntries(pythonGroups),
  dumps: { file: 'deep.torchir', texts: Object.entries(dumps) },
  fx: { file: 'deep.fx', texts: Object.entries(fx) },
  'ONNX text': { file: 'deep.onnxtxt', texts: Object.entries(onnxText) },
};

/** More than a 16-bit number counts. */
export const DEEP = 66_000;

/** Runs `onnxls check FILE`; resolves to { code, err }, where `code` is the signal if one ended it. */
function check(cwd, file) {
  return new Promise((resolve, reject) => {
    const child = spawn(binary, ['check', file], { cwd, stdio: ['ignore', 'ignore', 'pipe'] });
    let err = '';
    child.stderr.on('data', (data) => { err += data; });
    child.on('error', reject);
    child.on('close', (code, signal) => resolve({ code: code ?? signal, err: said(err) }));
  });
}

const seed = Number(process.env.ONNXLS_SEED ?? 1);
const percent = Number(process.env.ONNXLS_SAMPLE ?? 100);

/** Whether this text is of those that a run with that seed takes: every hundredth seed begins again. */
const isSampled = (i) => (i * 37 + seed) % 100 < percent;

/** Checks the texts of a group: the program says what it found, or that it gave something up, and ends. */
export function testDeep(group) {
  const file = deepTexts[group].file;
  const texts = deepTexts[group].texts.filter((_, i) => isSampled(i));
  test(`deep nesting, ${group}`, { concurrency: availableParallelism() }, async (t) => {
    await Promise.all(texts.map(([name, make]) => t.test(name, () => withFolder({ [file]: make(DEEP) }, async (cwd) => {
      const { code, err } = await check(cwd, file);
      assert.ok([0, 1, 2].includes(code), `${code}: ${err}`);
      const isSkipped = /: (?:no graph in there|the graph|ONNX text|an FX graph)/.test(err);
      assert.equal(code === 2, isSkipped || /: (line|lines) .* (?:too tangled to be parsed|deeper than 200 brackets)/.test(err), err);
    }))));
  });
}

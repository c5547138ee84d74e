// What limits leave out is said, and never depends on how busy the machine is.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { binary, hasSanitizer, onnxls, whenEmulated, withFolder } from './onnxls.mjs';

const wrong = 'import torch\ntorch.onnx.export(torch.nn.ReLU(), 1, "f", opset_version="9")\n';
const tangled = `def f():\n    x = ${'1%,'.repeat(20_000)}1\n`;
const tangledDump = 'graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)\n' +
  `  %z : Tensor = aten::cat(${'(%x)'.repeat(8000)}\n  %a : Tensor = aten::relu(%b)\n  return (%y)\n`;
const large = `${wrong}${'# Nothing.\n'.repeat(1_600_000)}`;

test('Python that takes too much work is named, and the rest is checked', () =>
  withFolder({ 'a.py': `${wrong}${tangled}\ndef g():\n    pass\n` }, (cwd) => {
    const result = onnxls(['check', 'a.py'], { cwd });
    assert.equal(result.code, 2);
    assert.match(result.out, /^a\.py:2:/m);
    assert.match(result.err, /^onnxls: a\.py:3: lines 3 to 5 are too tangled to be parsed, and were not checked; /m);
    assert.match(result.err, /; 1 file not checked$/m);
  }));

test('what nests deeper than Python takes is left out, and the statements around it are checked', () => {
  const deep = { brackets: `${'['.repeat(70_000)}${']'.repeat(70_000)}`, calls: `${'f('.repeat(3000)}")"${')'.repeat(3000)}`, signs: `${'- '.repeat(9000)}1` };
  for (const [name, value] of Object.entries(deep)) {
    withFolder({ 'a.py': `import torch\nx = ${value}\ntorch.onnx.export(torch.nn.ReLU(), 1, "f", opset_version="9")\n` }, (cwd) => {
      const result = onnxls(['check', 'a.py'], { cwd });
      assert.equal(result.code, 2, name);
      assert.match(result.out, /^a\.py:3:/m, name);
      assert.doesNotMatch(result.out, /^a\.py:2:.*error/m, name);
      assert.match(result.err, /^onnxls: a\.py:2: line 2 nests deeper than 200 brackets or signs, and what is deeper was not checked; /m, name);
    });
  }
});

test('a line of a dump that takes too much work is named, and the rest is checked', () =>
  withFolder({ 'a.torchir': tangledDump }, (cwd) => {
    const result = onnxls(['check', 'a.torchir'], { cwd });
    assert.equal(result.code, 2);
    assert.match(result.out, /^a\.torchir:3:\d+: error: .*\[syntax\]\na\.torchir:4:.*%b/m);
    assert.match(result.err, /^onnxls: a\.torchir:3: line 3 is too tangled to be parsed, and was not checked; /m);
  }));

test('Python that is too large is named, whether it was named or found', () =>
  withFolder({ 'a/large.py': large, 'a/small.py': wrong }, (cwd) => {
    for (const operand of ['a', 'a/large.py']) {
      const result = onnxls(['check', operand], { cwd });
      assert.equal(result.code, 2);
      assert.match(result.err, /^onnxls: a\/large\.py:1: larger than 16 MB, so nothing in it was checked; split it /m);
    }
  }));

/** Functions with so many lists in turn, of some 250 kinds and lengths: hardly one is like one of the last few. */
function varied(count) {
  const kinds = ['1', '1.', '""', 'None', 'True'];
  const kindsOf = (i) => kinds.filter((_, bit) => ((i % 31) + 1) >> bit & 1);
  const list = (i) => [...kindsOf(i), ...Array(i % 8).fill(kindsOf(i)[0])];
  const functions = Array.from({ length: count / 10 }, (_, f) => [`def f${f}(g, x):`,
    ...Array.from({ length: 10 }, (_, i) => `    a = [${list(f * 10 + i).join(',')}]`)].join('\n'));
  return `import torch.onnx\n${functions.join('\n')}\n`;
}

test('Python with more different values than are kept is judged in part', () =>
  withFolder({ 'few.py': varied(1000), 'many.py': varied(90_000) }, (cwd) => {
    const check = (name) => onnxls(['check', name, '--severity', 'info', '--one-line'], { cwd });
    assert.doesNotMatch(check('few.py').out, /partly-checked/);
    assert.match(check('many.py').out, /^many\.py:1:1: info: The file holds so many different values .* \[partly-checked\]$/m);
  }));

test('exports and autograd functions beyond the limit are named, and those before it are checked', () => {
  const exports = (count) => `import torch\n${'torch.onnx.export(torch.nn.ReLU(), torch.ones(1), "f", opset_version="9")\n'.repeat(count)}`;
  const symbolic = '    @staticmethod\n    def symbolic(g, x):\n        return g.op("Relu", x)\n';
  const autograds = (count) => `import torch\n${Array.from({ length: count }, (_, i) => `class F${i}(torch.autograd.Function):\n${symbolic}`).join('')}`;
  return withFolder({ 'a.py': exports(300), 'b.py': exports(301), 'c.py': autograds(500), 'd.py': autograds(501) }, (cwd) => {
    const check = (name) => onnxls(['check', name, '--severity', 'info', '--one-line', '--max-diagnostics', '0'], { cwd }).out;
    assert.doesNotMatch(check('a.py') + check('c.py'), /partly-checked/);
    const beyond = check('b.py');
    assert.match(beyond, /^b\.py:1:1: info: The file has more than 300 exports, and those from line 302 on were not checked; split it\. \[partly-checked\]$/m);
    assert.equal(beyond.match(/export-opset-type/g).length, 300);
    assert.match(check('d.py'), /^d\.py:1:1: info: The file has more than 500 autograd functions, and those from line 2002 on were not checked; /m);
  });
});

test('of a list of names the first 256 are looked at', () => {
  const names = (count) => `import torch\ntorch.onnx.export(torch.nn.Linear(3, 2), (torch.randn(4, 3),), "m.onnx", input_names=[${'"x", '.repeat(count)}1])\n`;
  return withFolder({ 'a.py': names(255), 'b.py': names(256) }, (cwd) => {
    const check = (name) => onnxls(['check', name, '--torch', '2.6', '--one-line'], { cwd }).out;
    assert.match(check('a.py'), /input_names has to hold strings, and this is 1\./);
    assert.doesNotMatch(check('b.py'), /has to hold strings/);
  });
});

test('formats for programs tell of what was not checked', () => withFolder({ 'a.py': tangled + wrong }, (cwd) => {
  const args = ['check', 'a.py', '--format'];
  const lines = onnxls([...args, 'jsonl'], { cwd }).out.trim().split('\n');
  assert.equal(JSON.parse(lines.at(-1)).summary.failed, 1);
  assert.equal(JSON.parse(onnxls([...args, 'sarif'], { cwd }).out).runs[0].invocations[0].executionSuccessful, false);
  const junit = onnxls([...args, 'junit'], { cwd }).out;
  assert.match(junit, /<error type="unreadable" message="[^"]*too tangled/);
  assert.match(junit, /<testsuite name="a\.py" tests="3" failures="1" errors="1" /);
  assert.equal(junit.match(/<testsuite /g).length, 1);
  assert.match(onnxls([...args, 'github'], { cwd }).out, /too tangled/);
}));

test('ops tells of a line that takes too much work', () => withFolder({ 'a.torchir': tangledDump }, (cwd) => {
  const result = onnxls(['ops', 'a.torchir'], { cwd });
  assert.equal(result.code, 2);
  assert.match(result.out, /aten::relu/);
  assert.match(result.err, /a\.torchir:3: line 3 is too tangled/);
}));

/** Functions of which each calls the next one twice. */
function doubled(levels) {
  const header = '<domain: "f", opset_import: ["" : 17, "f" : 1]>\n';
  const bodies = Array.from({ length: levels }, (_, i) => `${header}A${i} (a) => (c) { b = f.A${i + 1}(a) c = f.A${i + 1}(b) }\n`);
  return `<ir_version: 8, opset_import: ["" : 17, "f" : 1]>\ng (float[2] x) => (float[2] y) { y = f.A0(x) }\n${bodies.join('')}`
    + `${header}A${levels} (a) => (c) { c = Relu(a) }\n`;
}

test('calls that stand for too many nodes are told of', () => withFolder({ 'a.onnxtxt': doubled(20), 'b.onnxtxt': doubled(10) }, (cwd) => {
  const result = onnxls(['check', 'a.onnxtxt', 'b.onnxtxt', '--format', 'json'], { cwd });
  assert.equal(result.code, 2);
  assert.match(result.err, /^onnxls: a\.onnxtxt:3: calls of the functions from line 3 on stand for more than 1000000 nodes/m);
  assert.deepEqual(JSON.parse(result.out).files.map(({ status }) => status), ['partly', 'checked']);
}));

test('a word that makes a Python file ours is found wherever it is in a large one', () => {
  const files = {};
  for (let i = 0; i < 8; i++)
    files[`a/f${i}.py`] = `${'#'.repeat(256 * 1024 - 8 + i)}\nonnx = 1\n`;
  return withFolder(files, (cwd) => {
    assert.match(onnxls(['check', 'a'], { cwd }).err, /in 8 files/);
  });
});

test('a process without enough memory says what it was doing', { skip: (hasSanitizer && 'a sanitizer needs memory of its own') || whenEmulated('the limit would be its own') }, () => {
  const text = `graph(%x : Tensor):\n${'  %y : Tensor = aten::relu(%x) # m.py:1:1\n'.repeat(400_000)}  return (%y)\n`;
  return withFolder({ 'large.torchir': text }, (cwd) => {
    const result = spawnSync('sh', ['-c', 'ulimit -v 30000 && exec "$0" check large.torchir', binary], { cwd, encoding: 'utf8' });
    assert.equal(result.status, 2);
    assert.match(result.stderr, /^onnxls: out of memory: \d+ bytes more were refused; .*\n(.*\n)*onnxls: +(in|at the same time in) check of large\.torchir\n/);
  });
});

// Operators that the workspace defines, in C++ and in Python, in `check` and `explain`.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onnxls, withFolder } from './onnxls.mjs';

const library = `#include <torch/library.h>
TORCH_LIBRARY(mylib, m) {
  m.def("foo(Tensor x, float a=1.5) -> Tensor");
  m.def("bar(Tensor x,"
        " int[] dims) -> (Tensor, Tensor)", &bar);
  m.def("shown_twice(Tensor x) -> Tensor");
}
TORCH_LIBRARY_IMPL(mylib, CPU, m) { m.impl("foo", &foo); }
`;
const graph = `ExportedProgram:
    class GraphModule(torch.nn.Module):
        def forward(self, x: "f32[2, 3]"):
            foo: "f32[2, 3]" = torch.ops.mylib.foo.default(x, 2.5);  x = None
            return (foo,)
`;
const table = `import torch


def foo_in_onnx(x, a=1.5):
    return x


torch.onnx.export(model, (x,), custom_translation_table={torch.ops.mylib.foo.default: foo_in_onnx})
`;
const calls = `import torch
import torch.onnx


def one(x):
    return torch.ops.mylib.foo(x, 1.0, 2)


def two(x):
    return torch.ops.mylib.bar.default(x)


def three(x):
    return torch.ops.mylib.foo(x, a=2.0), torch.ops.mylib.bar(x, [1]), torch.ops.mylib.shown_twice(x, 1)
`;

function messages(args, cwd) {
  const { diagnostics } = JSON.parse(onnxls(['check', '--format', 'json', ...args], { cwd }).out);
  return diagnostics.map(({ file, line, rule, message }) => `${file}:${line} ${rule}: ${message}`);
}

test('explain knows schemas of C++, and where they are', () =>
  withFolder({ '.onnxls.json': '{}', 'src/ops.cpp': library }, (cwd) => {
    const { code, out } = onnxls(['explain', 'mylib::bar'], { cwd });
    assert.equal(code, 0);
    assert.match(out, /^ *mylib::bar\(Tensor x, int\[\] dims\) -> \(Tensor, Tensor\)\n/);
    assert.match(out, /src\/ops\.cpp:4 +defined/);
    assert.match(onnxls(['explain', 'mylib::foo'], { cwd }).out, /src\/ops\.cpp:8 +implemented/);
    assert.equal(onnxls(['explain', 'mylib::fo'], { cwd }).code, 2);
  }));

test('calls in Python have to fit', () => withFolder({ 'ops.cu': library, 'm.py': calls }, (cwd) => {
  const schema = 'Its schema is mylib::';
  assert.deepEqual(messages(['.'], cwd), [
    `./m.py:6 custom-op: mylib::foo can't be called so: 3 arguments are given by position, and it takes 2. ${schema}foo(Tensor x, float a=1.5) -> Tensor.`,
    `./m.py:10 custom-op: mylib::bar can't be called so: 'dims' is missing. ${schema}bar(Tensor x, int[] dims) -> (Tensor, Tensor).`,
    `./m.py:14 custom-op: mylib::shown_twice can't be called so: 2 arguments are given by position, and it takes 1. ${schema}shown_twice(Tensor x) -> Tensor.`,
  ]);
  assert.deepEqual(messages(['m.py'], cwd), []);
}));

test('two schemas of one name are none', () => {
  const other = 'TORCH_LIBRARY_FRAGMENT(mylib, m) { m.def("shown_twice(Tensor x, int k) -> Tensor"); }\n';
  return withFolder({ 'ops.cu': library, 'other.h': other, 'm.py': calls }, (cwd) => {
    assert.equal(messages(['.'], cwd).filter((line) => line.includes('shown_twice')).length, 0);
  });
});

test('a table of translations counts in a graph', () => withFolder({ 'g.ep.txt': graph, 'ops.cpp': library }, (cwd) =>
  assert.match(messages(['.'], cwd).join(), /custom_translation_table has a function/)));

test('no finding where a table has the overload', () =>
  withFolder({ 'g.ep.txt': graph, 'ops.cpp': library, 'export.py': table }, (cwd) => {
    assert.deepEqual(messages(['.'], cwd), []);
  }));

test('a C++ file by itself is read and clean', () => withFolder({ 'ops.cpp': library }, (cwd) => {
  const report = JSON.parse(onnxls(['check', '--format', 'json', 'ops.cpp'], { cwd }).out);
  assert.deepEqual(report.files.map(({ kind, status }) => [kind, status]), [['cpp', 'checked']]);
}));

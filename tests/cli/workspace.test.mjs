// Symbolic functions of the workspace in `check` and `explain`.
import assert from 'node:assert/strict';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onWindows, onnxls, root, withFolder } from './onnxls.mjs';
import { mismatch } from './schema.mjs';

const dump = 'graph(%x : Tensor):\n  %y : Tensor = aten::lgamma(%x)\n  return (%y)\n';
const symbolic = (name = 'aten::lgamma') => `import torch
from torch.onnx import register_custom_op_symbolic


def fn(g, self):
    return g.op("Relu", self)


register_custom_op_symbolic("${name}", fn, [9, 13])
`;

/** The operators that `check` refuses. */
function refused(args, cwd) {
  const report = JSON.parse(onnxls(['check', '--format', 'json', ...args], { cwd }).out);
  return report.diagnostics.filter(({ rule }) => rule === 'unsupported-op').map(({ data }) => data.op);
}

test('a stub that nobody has filled in stays visible', () => {
  const stub = symbolic().replace('    return', '    # TODO: make the result of ONNX operators. Until then the model holds a node\n    return');
  const later = dump.replace('lgamma', 'relu').replace('return', '%z : Tensor = aten::lgamma_(%y)\n  return');
  return withFolder({ 'a.torchir': dump, 'b.torchir': later, 'stub.py': stub, 'done.py': symbolic() }, (cwd) => {
    const { code, out } = onnxls(['check', '--opset', '13', 'a.torchir', 'b.torchir', 'stub.py'], { cwd });
    assert.equal(code, 1);
    const words = "is converted by a stub that still has its TODO: the model gets a node that no runtime knows\\. \\[unsupported-op\\]\n";
    assert.match(out, new RegExp(`^a\\.torchir:2:17: warning: 'aten::lgamma' ${words}b\\.torchir:3:\\d+: warning: 'aten::lgamma_' ${words}`));
    assert.doesNotMatch(onnxls(['check', '--opset', '13', 'a.torchir', 'stub.py', 'done.py'], { cwd }).out, /TODO/);
  });
});

test('functions count if their file is checked, too', () => withFolder({ 'a.torchir': dump, 'src/ops.py': symbolic() }, (cwd) => {
  assert.deepEqual(refused(['a.torchir'], cwd), ['aten::lgamma']);
  assert.deepEqual(refused(['a.torchir', 'src/ops.py'], cwd), []);
  assert.deepEqual(refused(['.'], cwd), []);
}));

test('a symbolic function that a decorator of another file gets the name for counts', () => {
  const registry = `from torch.onnx import register_custom_op_symbolic


def converts(op, since):
    def wrap(function):
        register_custom_op_symbolic("aten::" + op, function, since)
        return function
    return wrap
`;
  const ops = (decorator) => `from registry import converts


${decorator}
def lgamma(g, self):
    return g.op("Relu", self)
`;
  for (const [decorator, wanted] of [['@converts("lgamma", 9)', []], ['@converts("aten::lgamma", 9)', []], ['@converts("erf", 9)', ['aten::lgamma']],
    ['@converts("lgamma", 15)', ['aten::lgamma']]]) {
    withFolder({ 'a.torchir': dump, 'registry.py': registry, 'ops.py': ops(decorator) }, (cwd) => {
      const report = JSON.parse(onnxls(['check', '--format', 'json', '--torch', '2.6', '--opset', '13', '.'], { cwd }).out);
      assert.deepEqual(report.diagnostics.filter(({ severity }) => severity === 'error').map(({ data }) => data.op), wanted, decorator);
    });
  }
});

test('functions count if they lie below the settings', () =>
  withFolder({ '.onnxls.json': '{}', 'dumps/a.torchir': dump, 'src/ops.py': symbolic() }, (cwd) => {
    assert.deepEqual(refused(['dumps/a.torchir'], cwd), []);
    assert.deepEqual(refused(['a.torchir'], join(cwd, 'dumps')), []);
  }));

const registering = (lines) => `from torch.onnx import register_custom_op_symbolic as reg, unregister_custom_op_symbolic as unreg


def fn(g, self):
    return g.op("Relu", self)


${lines}
`;

test('names that are put together count', () => {
  for (const line of ['NS = "aten"\nreg(f"{NS}::lgamma", fn, 13)', 'for op in ["lgamma", "erfinv"]:\n    reg("aten::" + op, fn, 13)',
    'for op in ("lgamma",):\n    reg("aten::%s" % op, fn, 13)', 'for op in {"lgamma": 1}:\n    reg("aten::{}".format(op), fn, 13)']) {
    withFolder({ 'a.torchir': dump, 'ops.py': registering(line) }, (cwd) => assert.deepEqual(refused(['.'], cwd), [], line));
  }
});

test('what is unregistered does not count', () => {
  const unregistered = 'reg("aten::lgamma", fn, 9)\nunreg("aten::lgamma", 9)';
  withFolder({ 'a.torchir': dump, 'ops.py': registering(unregistered) },
             (cwd) => assert.deepEqual(refused(['.'], cwd), ['aten::lgamma']));
  const between = 'import torch\nreg("aten::lgamma", fn, 9)\ntorch.onnx.export(m, (x,), "m.onnx")\nunreg("aten::lgamma", 9)';
  withFolder({ 'a.torchir': dump, 'ops.py': registering(between) }, (cwd) => assert.deepEqual(refused(['.'], cwd), []));
});

// A file to the system, which root could wait in for ever; others can't open it.
test('what blocks is not waited for', { skip: onWindows('no files that block') || (!existsSync('/proc/kmsg') && 'no /proc/kmsg') }, () =>
  withFolder({ 'a.torchir': dump, 'x.txt': '' }, (cwd) => {
    symlinkSync('/proc/kmsg', join(cwd, 'k.log'));
    const { code, err } = onnxls(['check', '.'], { cwd });
    assert.equal(typeof code, 'number', err);
  }));

test('workspaceIndex switches that off', () =>
  withFolder({ '.onnxls.json': '{"workspaceIndex":false}', 'a.torchir': dump, 'src/ops.py': symbolic() }, (cwd) => {
    assert.deepEqual(refused(['a.torchir'], cwd), ['aten::lgamma']);
    assert.deepEqual(refused(['a.torchir', 'src'], cwd), []);
  }));

const explain = (args, cwd) => onnxls(['explain', ...args], { cwd });
const schema = JSON.parse(readFileSync(join(root, 'docs/explain.schema.json'), 'utf8'));

function explainJson(word, cwd) {
  const value = JSON.parse(explain([word, '--format', 'json'], cwd).out);
  assert.equal(mismatch(schema, value), null);
  return value;
}

test('explain says where the workspace registers an operator', () =>
  withFolder({ '.onnxls.json': '{}', 'src/ops.py': symbolic(), 'src/own.py': symbolic('my::op') }, (cwd) => {
    const lgamma = { name: 'aten::lgamma', opsets: [9, 13], function: 'fn', file: 'src/ops.py', line: 9 };
    assert.deepEqual(explainJson('aten::lgamma', cwd).workspace, [lgamma]);
    assert.deepEqual(explainJson('aten::lgamma_', cwd).workspace, [lgamma]);
    assert.deepEqual(explainJson('lgamma', join(cwd, 'src')).workspace, [{ ...lgamma, file: 'ops.py' }]);
    assert.deepEqual(explainJson('aten::elu', cwd).workspace, []);
    const { out } = explain(['aten::lgamma', '--opset', '11'], cwd);
    assert.match(out, /exporter of torch \S+ converts it at opset 11 with a symbolic function of the\sworkspace\./);
    assert.match(out, /Registered in this workspace\n {2}src\/ops\.py:9 +opsets 9 and 13\n/);
    assert.match(explain(['aten::lgamma', '--format', 'markdown'], cwd).out, /- `src\/ops\.py:9`: opsets 9 and 13\n/);
    // An operator that only the workspace knows.
    assert.deepEqual(explainJson('my::op', cwd).workspace.map(({ file }) => file), ['src/own.py']);
    const unknown = explain(['my::other'], cwd);
    assert.deepEqual([unknown.code, unknown.out], [2, '']);
  }));

test('explain searches nothing without settings', () => withFolder({ 'ops.py': symbolic() }, (cwd) => {
  assert.deepEqual(explainJson('aten::lgamma', cwd).workspace, []);
  assert.doesNotMatch(explain(['aten::lgamma'], cwd).out, /workspace/);
}));

test('an export in another file keeps operators that ONNX lacks', async () => {
  const plugin = symbolic('my::decode').replace('"Relu"', '"DecodePoints"');
  const exporting = (type) => `import torch\n\n\ndef export(model, x):\n    torch.onnx.export(model, (x,), "m.onnx", operator_export_type=torch.onnx.OperatorExportTypes.${type})\n`;
  const verdict = (files) => withFolder(files, (cwd) => JSON.parse(onnxls(['check', '--format', 'json', 'ops.py', 'run.py'], { cwd }).out)
    .diagnostics.filter(({ file }) => file === 'ops.py').map(({ severity, rule }) => `${severity} ${rule}`));
  assert.deepEqual(await verdict({ 'ops.py': plugin, 'run.py': exporting('ONNX') }), ['error unknown-onnx-op']);
  assert.deepEqual(await verdict({ 'ops.py': plugin, 'run.py': exporting('ONNX_ATEN_FALLBACK') }), ['info plugin-operator']);
  assert.deepEqual(await verdict({ 'ops.py': plugin, 'run.py': exporting('ONNX').replace('operator_export_type', 'enable_onnx_checker=False, operator_export_type') }), ['info plugin-operator']);
  // What the file itself exports is not written so.
  assert.ok((await verdict({ 'ops.py': `${plugin}\n${exporting('ONNX')}`, 'run.py': exporting('ONNX_ATEN_FALLBACK') })).includes('error unknown-onnx-op'));
});

test('functions of other files are called as they are', async () => {
  const helpers = `import torch


def number():
    return 0.5


def nothing(g):
    g.op("Constant", value_t=torch.tensor(1.0))


def one(g, value):
    return g.op("Constant", value_t=torch.tensor(value))


def leaky(g, x, alpha):
    return g.op("LeakyRelu", x, alpha_f=alpha)
`;
  const calling = (expression) => `import helpers
from torch.onnx import register_custom_op_symbolic


def frac(g, x):
    return ${expression}


register_custom_op_symbolic("aten::frac", frac, 9)
`;
  const found = (expression) => withFolder({ 'helpers.py': helpers, 'a.py': calling(expression) }, (cwd) =>
    JSON.parse(onnxls(['check', '--format', 'json', '--torch', '2.6', '.'], { cwd }).out).diagnostics
      .map(({ rule, message }) => `${rule}: ${message.split(/[;:,]/)[0]}`));
  assert.deepEqual(await found('g.op("Add", x, helpers.one(g, 1.0))'), []);
  assert.deepEqual(await found('helpers.leaky(g, x, 0.5)'), []);
  assert.deepEqual(await found('g.op("Add", x, helpers.number())'), ["python-value-as-input: Input 2 of 'Add' is a Python float"]);
  assert.deepEqual(await found('g.op("Add", x, helpers.nothing(g))'), ["python-value-as-input: Input 2 of 'Add' is None"]);
  assert.deepEqual(await found('g.op("Add", x, helpers.one(g))'), ["helper-call: 'one' needs 2 arguments"]);
  assert.deepEqual(await found('helpers.leaky(g, x, x)'), ["helper-call: 'leaky' makes an attribute of argument 3"]);
});

const gate = `import torch


class Gate(torch.nn.Module):
    def forward(self, x, scale=None):
        return x * 2 if x.mean() > 0 else x


class Other(torch.nn.Module):
    def forward(self, x):
        return x * 2 if x.mean() > 0 else x
`;
const stack = `import torch

from .gate import Gate


class Stack(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.gate = Gate()

    def forward(self, x, mask):
        return self.gate(x) + mask
`;
const exporting = (args, rest = '') => `import torch

from nets.stack import Stack

model = Stack().eval()
torch.onnx.export(model, ${args}, "m.onnx", dynamo=True${rest})
`;
/** RULE FILE:LINE of what is found in a model that lies in several files. */
const inModel = (files) => withFolder({ 'nets/gate.py': gate, 'nets/stack.py': stack, ...files }, (cwd) =>
  JSON.parse(onnxls(['check', '--format', 'json', '--torch', '2.14', '.'], { cwd }).out).diagnostics
    .map(({ rule, file, line }) => `${rule} ${file.slice(2)}:${line}`));
const both = '(torch.randn(2, 3), torch.ones(3))';

test('registrations from tables of other files count', () => {
  const files = {
    'a.torchir': dump, 'names.py': 'LGAMMA = "aten::lgamma"\nTABLE = [(LGAMMA, 9)]\n',
    'ops.py': symbolic().replace('register_custom_op_symbolic("aten::lgamma", fn, [9, 13])', 'for name, opset in TABLE:\n    register_custom_op_symbolic(name, fn, opset)')
      .replace('import torch\n', 'import torch\nfrom names import TABLE\n'),
  };
  return withFolder(files, (cwd) => {
    assert.deepEqual(refused(['a.torchir', 'names.py'], cwd), ['aten::lgamma']);
    assert.deepEqual(refused(['.'], cwd), []);
  });
});

test('constants of other files are known', () => {
  const script = (imports, value) => `import torch\n${imports}\ntorch.onnx.export(model, args, "m.onnx", opset_version=${value}, dynamo=False)\n`;
  const files = {
    'a/export.py': script('from config import OPSET', 'OPSET'), 'a/config.py': 'OPSET = 31\n',
    'b/export.py': script('from .options import settings', 'settings.OPSET'), 'b/options/__init__.py': 'from . import settings\n',
    'b/options/settings.py': 'OPSET = 32\n',
    'c/export.py': script('from config import OPSET', 'OPSET'), 'c/deeper/config.py': 'OPSET = 33\n',
    'd/export.py': script('from models import OPSET', 'OPSET'),
    'd/models.py': 'import torch.nn as nn\nOPSET = 34\nclass Net(nn.Module):\n    def forward(self, x):\n        return x\n',
  };
  return withFolder(files, (cwd) => {
    const { out } = onnxls(['check', '.', '--torch', '2.6'], { cwd });
    assert.deepEqual([...out.matchAll(/^(\S+?):.*Opset (\d+)/gm)].map(([, file, opset]) => [file, opset]),
                     [['./a/export.py', '31'], ['./b/export.py', '32'], ['./d/export.py', '34']]);
    assert.match(onnxls(['check', 'c', '--torch', '2.6'], { cwd }).out, /Opset 33/);
    assert.match(onnxls(['check', 'a/export.py', 'a/config.py', '--torch', '2.6'], { cwd }).out, /Opset 31/);
  });
});

test('models of other files are judged as exports run them', async () => {
  assert.deepEqual(await inModel({}), []);
  assert.deepEqual(await inModel({ 'export.py': exporting(both) }), ['data-dependent nets/gate.py:6']);
  // What is not known to be a tensor decides nothing.
  assert.deepEqual(await inModel({ 'export.py': exporting('(torch.randn(2, 3), mask)') }), []);
  // The trace keeps the branch that was taken.
  assert.deepEqual(await inModel({ 'export.py': exporting(both).replace('dynamo=True', 'dynamo=False') }),
    ['traced-constant nets/gate.py:6']);
  // The package hands a class on.
  assert.deepEqual(await inModel({ 'nets/__init__.py': 'from .stack import Stack\n', 'export.py': exporting(both).replace('nets.stack', 'nets') }),
    ['data-dependent nets/gate.py:6']);
  // Two of that name are below it: either may be meant.
  assert.deepEqual(await inModel({ 'nets/old.py': stack, 'export.py': exporting(both).replace('nets.stack', 'nets') }), []);
  assert.deepEqual(await inModel({ 'export.py': exporting(both) + 'model.forward = other\n' }), []);
});

test('the parameters of a forward() in another file are known', async () => {
  assert.deepEqual(await inModel({ 'export.py': exporting('(torch.randn(2, 3),)') }), ['export-args-count export.py:6']);
  assert.deepEqual(await inModel({ 'export.py': exporting(both, ', dynamic_shapes={"x": {0: "n"}, "m": None}').replace('Stack().eval()', 'Stack()') }),
    ['dynamic-shapes-structure export.py:6', 'data-dependent nets/gate.py:6']);
});

test('models that no export reaches are said not to be about exporting', () =>
  withFolder({ 'nets/gate.py': gate, 'nets/stack.py': stack, 'other/gate.py': gate.replace('x.mean() > 0', '(') }, (cwd) => {
    assert.match(onnxls(['check', '.'], { cwd }).err, /nothing found in 3 files .*; in 3 of them nothing is about exporting$/m);
    writeFileSync(join(cwd, 'export.py'), exporting(both));
    const { out, err } = onnxls(['check', '--torch', '2.14', '.'], { cwd });
    assert.match(out, /^\.\/nets\/gate\.py:6:\d+: error: .*\[data-dependent\]$/m);
    assert.match(err, /in 4 files .*; in 1 of them nothing is about exporting$/m);
  }));

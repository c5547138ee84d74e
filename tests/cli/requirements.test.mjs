// The torch version that a workspace pins is the one that is checked for, and the summary says where it came from.
import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onnxls, withFolder } from './onnxls.mjs';

const graph = 'graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)\n  return (%y)\n';
const summary = (args, cwd) => /\((torch .*?),/.exec(onnxls(['check', ...args, 'a.torchir'], { cwd }).err)?.[1];

test('files of a workspace pin the version', () => {
  for (const [name, text] of [['requirements.txt', 'torch==2.6.0+cu124\n'], ['uv.lock', '[[package]]\nname = "torch"\nversion = "2.6.0"\n'],
    ['pyproject.toml', '[project]\ndependencies = ["torch==2.6.0"]\n'], ['environment.yml', 'dependencies:\n  - pytorch=2.6\n'],
    ['Dockerfile', 'RUN pip install torch==2.6.0\n'], ['requirements-export.txt', 'torch==2.6\n'],
    ['requirements/base.txt', 'torch==2.6\n'], ['docker/Dockerfile.gpu', 'FROM pytorch/pytorch:2.6.0-cuda12.4-cudnn9-runtime\n'],
    ['requirements.txt', Buffer.from('\ufefftorch==2.6\r\n', 'utf16le')], ['Pipfile', '[packages]\ntorch = "==2.6.0"\n']])
    withFolder({ 'a.torchir': graph, [name]: text }, (cwd) => assert.equal(summary([], cwd), `torch 2.6: ${name}`));
});

test('an environment counts more, flags and settings most', () => withFolder({ 'a.torchir': graph, 'requirements.txt': 'torch==1.13.1\n' }, (cwd) => {
  assert.equal(summary([], cwd), 'torch 1.13: requirements.txt');
  assert.equal(summary(['--torch', '2.14'], cwd), 'torch 2.14: --torch');
  mkdirSync(join(cwd, '.venv/lib/python3.12/site-packages/torch-2.6.0+cpu.dist-info'), { recursive: true });
  assert.equal(summary([], cwd), 'torch 2.6: .venv');
}));

test('the first file by name that pins one', () => withFolder({ 'a.torchir': graph, 'requirements-a.txt': 'numpy\n',
  'requirements-c.txt': 'torch==1.13\n', 'requirements-b.txt': 'torch==2.6\n' }, (cwd) =>
  assert.equal(summary([], cwd), 'torch 2.6: requirements-b.txt')));

test('a version without facts of its own is named beside the one that serves', () => withFolder({ 'a.torchir': graph,
  'Dockerfile': 'RUN pip install torch==1.12.1\n' }, (cwd) => {
  assert.equal(summary([], cwd), 'torch 1.13: Dockerfile says 1.12');
  assert.equal(summary(['--torch', '2.7'], cwd), 'torch 2.6: --torch says 2.7');
  assert.equal(summary(['--torch', '2.9.1'], cwd), 'torch 2.14: --torch says 2.9.1');
}));

test('a tree of PyTorch is of its own version', () => {
  for (const [name, text] of [['torch/version.py', "debug = False\n__version__ = '2.6.0+cpu'\n"], ['version.txt', '2.6.0a0\n'], ['setup.py', "version = '2.6.0a0'\n"]])
    withFolder({ 'a.torchir': graph, 'fork/b.torchir': graph, 'fork/torch/onnx/__init__.py': '', [`fork/${name}`]: text, 'requirements.txt': 'torch==2.14\n', 'fork/requirements.txt': 'torch==1.13.1\n' },
               (cwd) => assert.deepEqual(targets([], cwd), ['./a.torchir: 2.14 requirements.txt', `./fork/b.torchir: 2.6 fork/${name}`]));
  withFolder({ 'a.torchir': graph, 'torch/version.py': "__version__ = '2.6.0'\n" }, (cwd) => assert.equal(summary([], cwd), 'torch 2.14: default'));
});

test('an environment of Windows', () => withFolder({ 'a.torchir': graph, 'env/Lib/site-packages/torch-2.6.0.dist-info/METADATA': '' }, (cwd) =>
  assert.equal(summary([], cwd), 'torch 2.6: env')));

test('settings count more, and their folder is looked at', () => {
  withFolder({ 'a.torchir': graph, '.onnxls.json': '{"torch":"2.14"}', 'requirements.txt': 'torch==2.6\n' },
             (cwd) => assert.equal(summary([], cwd), 'torch 2.14: .onnxls.json'));
  withFolder({ 'sub/a.torchir': graph, '.onnxls.json': '{}', 'requirements.txt': 'torch==2.6\n' },
             (cwd) => assert.equal(summary([], join(cwd, 'sub')), 'torch 2.6: requirements.txt'));
});

test('a range says nothing', () => withFolder({ 'a.torchir': graph, 'requirements.txt': 'torch>=2.0\n' },
                                              (cwd) => assert.equal(summary([], cwd), 'torch 2.14: default')));

const monorepo = { 'a.torchir': graph, 'requirements.txt': 'torch==2.6\nonnxscript==0.5.0\nonnxruntime==1.20.1\n', 'old/deep/b.torchir': graph,
  'old/pyproject.toml': '[project]\ndependencies = ["torch==1.13.1"]\n', 'new/c.torchir': graph, 'new/constraints.txt': 'onnxruntime==1.21\n',
  'new/export/Dockerfile': 'FROM pytorch/pytorch:2.14.0\n', 'new/export/d.torchir': graph };
const targets = (args, cwd) => JSON.parse(onnxls(['check', '--format', 'json', ...args, '.'], { cwd }).out).files
  .filter(({ kind }) => kind === 'torch-ir').map(({ file, torch, torchFrom }) => `${file}: ${torch} ${torchFrom}`);

test('a folder that pins versions of its own is a project of its own', () => withFolder(monorepo, (cwd) => {
  assert.deepEqual(targets([], cwd), ['./a.torchir: 2.6 requirements.txt', './new/c.torchir: 2.6 requirements.txt',
    './new/export/d.torchir: 2.14 new/export/Dockerfile', './old/deep/b.torchir: 1.13 old/pyproject.toml']);
  assert.match(onnxls(['check', '.'], { cwd }).err, /torch 2\.6: requirements\.txt, .*; below folders that pin their own: torch 2\.14 \(new\/export\/Dockerfile\), torch 1\.13 \(old\/pyproject\.toml\)\n/);
  assert.deepEqual(targets(['--torch', '2.6'], cwd).filter((line) => !line.endsWith('2.6 --torch')), []);
  assert.match(onnxls(['check', 'b.torchir'], { cwd: join(cwd, 'old/deep') }).err, /torch 2\.14: default/);
  writeFileSync(join(cwd, '.onnxls.json'), '{}');
  assert.match(onnxls(['check', 'b.torchir'], { cwd: join(cwd, 'old/deep') }).err, /\(torch 1\.13: old\/pyproject\.toml, .*\)\n/);
  assert.match(onnxls(['doctor'], { cwd: join(cwd, 'old') }).out, /torch +1\.13 \(old\/pyproject\.toml\)/);
  writeFileSync(join(cwd, '.onnxls.json'), '{"torch":"2.14"}');
  assert.deepEqual(targets([], cwd).filter((line) => !line.endsWith('2.14 .onnxls.json')), []);
}));

test('an environment is hidden, and pins all the same', () => withFolder({ 'a.torchir': graph, 'requirements.txt': 'torch==2.6\n',
  'old/b.torchir': graph, 'old/.venv/lib/python3.11/site-packages/torch-1.13.1.dist-info/METADATA': '' }, (cwd) =>
  assert.deepEqual(targets([], cwd), ['./a.torchir: 2.6 requirements.txt', './old/b.torchir: 1.13 old/.venv'])));

test('what settings ask for and the torch of a folder does not have is asked of the folder around it', () => withFolder(monorepo, (cwd) => {
  assert.deepEqual(targets(['--opset', '18'], cwd).slice(3), ['./old/deep/b.torchir: 2.6 requirements.txt']);
  assert.deepEqual(targets(['--exporter', 'dynamo'], cwd).slice(3), ['./old/deep/b.torchir: 2.6 requirements.txt']);
}));

test('the version of ONNX Runtime, too, unless somebody names one', () =>
  withFolder({ 'a.torchir': graph, 'requirements.txt': 'torch==2.6\nonnxruntime-gpu==1.20.1\n' }, (cwd) => {
    const runtime = (...args) => /runtime (.*?)\)/.exec(onnxls(['check', ...args, 'a.torchir'], { cwd }).err)?.[1];
    assert.equal(runtime(), 'onnxruntime 1.20: requirements.txt');
    assert.equal(runtime('--runtime', 'onnxruntime 1.21'), 'onnxruntime 1.21: --runtime');
  }));

test('a torch older than the facts is not judged as the oldest of them', () => withFolder({
  'requirements.txt': 'torch==1.8.1\n',
  'old.py': `import torch
from torch.onnx import register_custom_op_symbolic
from torch.onnx.symbolic_helper import _export_onnx_opset_version

def gelu(g, self):
    return g.op("com.microsoft::Gelu", self)

register_custom_op_symbolic("aten::gelu", gelu, 1)
torch.onnx.export(torch.nn.GELU(), torch.ones(2), "a.onnx", example_outputs=torch.ones(2))
`,
}, (cwd) => {
  const { out, err } = onnxls(['check', 'old.py'], { cwd });
  assert.equal(out, '');
  assert.match(err, /nothing is known of torch 1\.8/);
  assert.match(onnxls(['check', '--torch', '1.13', 'old.py'], { cwd }).out, /removed-export-argument/);
}));

const fx = `graph():
    %x : [num_users=1] = placeholder[target=x]
    %histc : [num_users=1] = call_function[target=torch.ops.aten.histc.default](args = (%x, 4, -1.0, 1.0), kwargs = {})
    return (histc,)
`;

test('what the dynamo exporter can depends on the onnxscript of the workspace', async () => {
  const found = (onnxscript) => withFolder({ 'a.fx': fx, 'requirements.txt': `torch==2.14.1\n${onnxscript}\n` },
                                           (cwd) => onnxls(['check', 'a.fx'], { cwd }).out);
  assert.match(await found('onnxscript==0.6.2'), /'aten\.histc\.default' can't be exported: .* of torch 2\.14 with onnxscript 0\.6\.2 has no function for it\. onnxscript 0\.7\.0 has one\./);
  assert.equal(await found('onnxscript==0.7.0'), '');
  assert.equal(await found('onnxscript'), '');
});

test('doctor says that torch and onnxscript do not go together', async () => {
  const doctor = (requirements) => withFolder(requirements, (cwd) => onnxls(['doctor'], { cwd }).out);
  assert.match(await doctor({ 'pyproject.toml': '[project]\ndependencies = ["torch==2.11"]\n', 'constraints.txt': 'onnxscript==0.5.4\n' }),
               /^onnxscript 0\.5\.4 \(constraints\.txt\): too old for the torch that is asked for, which needs 0\.6\.0 or newer$/m);
  assert.match(await doctor({ 'requirements.txt': 'torch==2.11\nonnxscript==0.6.0\n' }), /^onnxscript 0\.6\.0 \(requirements\.txt\)$/m);
  assert.doesNotMatch(await doctor({ 'requirements.txt': 'torch==2.11\n' }), /onnxscript/);
});

test('check of a folder looks at lists of packages that name both', () => withFolder({
  'requirements.txt': 'torch==2.11\nonnxscript==0.5.4\n', 'sub/requirements.txt': 'torch==2.11\n', 'sub/a.torchir': graph,
}, (cwd) => {
  const { code, out, err } = onnxls(['check', '.'], { cwd });
  assert.equal(code, 1);
  assert.match(out, /^\.\/requirements\.txt:2:1: warning: .*\[release-pair\]\n$/);
  assert.match(err, /1 warning in 2 files/);
}));

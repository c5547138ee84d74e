// From an operator to the function of the installed torch or onnxscript that converts it, and from a scope to its class:
// files below the source roots, which no editor has open and no folder of the workspace holds.
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after } from 'node:test';
import { withServer } from './client.mjs';

const root = mkdtempSync(join(tmpdir(), 'onnxls-test-'));
after(() => rmSync(root, { recursive: true, force: true }));
for (const [name, text] of Object.entries({
  'torch/onnx/symbolic_opset9.py': 'x = 1\n\n@_onnx_symbolic("aten::relu6")\ndef relu6(g, input):\n    pass\n\n'
    + '@_onnx_symbolic("aten::relu")\n@quantized\ndef relu(g, input):\n    return g.op("Relu", input)\n',
  'torch/onnx/symbolic_opset14.py': '@_onnx_symbolic("aten::relu")\ndef relu(g, input):\n    return g.op("Relu", input)\n',
  'torch/onnx/_internal/exporter/_torchlib/ops/nn.py': '@onnx_impl(aten.gelu.default, trace_only=True)\ndef aten_gelu(self):\n    pass\n',
  'onnxscript/function_libs/torch_lib/ops/core.py': '@torch_op("aten::relu6", trace_only=True)\ndef aten_relu6(self):\n    pass\n\n'
    + '@torch_op(("aten::relu.default", "aten::relu_"))\ndef aten_relu(self):\n    pass\n',
  'nets/blocks.py': 'import torch\n\nclass Blocks:\n    pass\n\n\nclass Block(torch.nn.Module):\n    pass\n',
})) {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
}

const uri = 'file:///installed/a.torchir';
const dump = 'graph(%x : Float(2, 3)):\n  %y : Float(2, 3) = aten::relu_(%x), scope: nets.net.Net::/nets.blocks.Block::b\n'
  + '  %z : Float(2, 3) = aten::relu6(%y)\n  %u : Float(2, 3) = aten::gelu(%z)\n  return (%u)\n';
const fx = 'graph():\n    %x : [num_users=1] = placeholder[target=x]\n'
  + '    %relu : [num_users=1] = call_function[target=torch.ops.aten.relu.default](args = (%x,), kwargs = {})\n'
  + '    %gelu : [num_users=1] = call_function[target=torch.ops.aten.gelu.default](args = (%relu,), kwargs = {})\n    return (gelu,)\n';

function at(opset) {
  return { initialize: { initializationOptions: { torch: '2.6', exporter: 'torchscript', opset, sourceRoots: [root] } } };
}

/** `file:line` of each place. */
async function find(server, method, document, line, character) {
  const found = await server.at(method, document, line, character);
  return found.map((place) => `${place.uri.replace(`file://${root}/`, '')}:${place.range.start.line + 1}`);
}

for (const [opset, file, line] of [[13, 'torch/onnx/symbolic_opset9.py', 9], [14, 'torch/onnx/symbolic_opset14.py', 2]]) {
  withServer(`opset ${opset} leads to the function that it chooses`, at(opset), async (server) => {
    server.didOpen(uri, dump);
    assert.deepEqual(await find(server, 'implementation', uri, 1, 25), [`${file}:${line}`]);
    assert.deepEqual(await find(server, 'implementation', uri, 2, 25), ['torch/onnx/symbolic_opset9.py:4']);
    assert.deepEqual(await find(server, 'implementation', uri, 3, 25), []);
  });
}

withServer('an FX graph leads to translations', at(18), async (server) => {
  server.didOpen(uri, fx, { languageId: 'fx-graph' });
  assert.deepEqual(await find(server, 'implementation', uri, 2, 65), ['onnxscript/function_libs/torch_lib/ops/core.py:6']);
  assert.deepEqual(await find(server, 'implementation', uri, 3, 65), ['torch/onnx/_internal/exporter/_torchlib/ops/nn.py:2']);
});

withServer('a scope leads to its class', at(18), async (server) => {
  server.didOpen(uri, dump);
  assert.deepEqual(await find(server, 'typeDefinition', uri, 1, 72), ['nets/blocks.py:7']);
  assert.deepEqual(await find(server, 'typeDefinition', uri, 1, 50), []);
});

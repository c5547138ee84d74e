import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onnxls, root, withFolder } from './onnxls.mjs';
import { mismatch } from './schema.mjs';

const schema = JSON.parse(readFileSync(join(root, 'docs/why.schema.json'), 'utf8'));
const corpus = join(root, 'tests/corpus/errors');
const expected = JSON.parse(readFileSync(join(corpus, 'expected.json'), 'utf8'));

function why(args, options) {
  const { code, out, err } = onnxls(['why', ...args, '--format', 'json'], options);
  const answer = JSON.parse(out);
  assert.equal(mismatch(schema, answer), null);
  assert.equal(err, '');
  return { code, ...answer };
}

const paste = (input) => why(['-'], { input });

test('every text of the corpus is expected', () => {
  assert.deepEqual(Object.keys(expected).sort(), readdirSync(corpus).filter((name) => name !== 'expected.json').sort());
});

for (const [name, wanted] of Object.entries(expected)) {
  test(name, () => {
    const { code, findings, inputs } = why([join(corpus, name)]);
    assert.equal(code, wanted.code);
    assert.equal(inputs[0].export, wanted.export);
    const shown = findings.map(({ message, stage, exporter, operator, argument, file, line }) =>
      ({ message, stage, exporter, operator, argument, place: file && `${file}:${line}` }));
    assert.deepEqual(shown, wanted.findings);
    for (const word of wanted.says ?? [])
      assert.ok(findings.some(({ cause, fix }) => `${cause} ${fix}`.includes(word)), word);
  });
}

const unsupported = "Exporting the operator 'aten::tile' to ONNX opset version 17 is not supported.";

test('the text for people', () => withFolder({ 'crash.txt': `Traceback (most recent call last):
  File "model.py", line 4, in forward
    y = x.tile(2)
torch.onnx.errors.UnsupportedOperatorError: ${unsupported}
` }, (cwd) => {
  const { code, out, err } = onnxls(['why', 'crash.txt'], { cwd });
  assert.equal(err, '');
  assert.equal(code, 0);
  const lines = out.trimEnd().split('\n');
  assert.equal(lines[0], `crash.txt:4: ${unsupported}`);
  assert.ok(lines.every((line) => line.length <= 100));
  assert.match(out, /^ {2}cause {4}The TorchScript exporter has no symbolic function for aten::tile at opset 17\./m);
  assert.match(out, /^ {2}fix {6}Upgrade to torch 2\.6 or newer\./m);
  assert.match(out, /^ {2}place {4}model\.py:4 in forward$/m);
  assert.match(out, /^ {2}operator aten::tile$/m);
  assert.match(out, /^ {2}stage {4}conversion \(torchscript exporter\)$/m);
}));

test('what a decomposition of one\'s own raises, above what torch.fx says of the node', () => {
  const { code, findings } = paste(`Traceback (most recent call last):
  File "model.py", line 12, in <module>
    ep = ep.run_decompositions({torch.ops.aten.silu.default: bad})
  File "/usr/lib/python3/dist-packages/torch/export/exported_program.py", line 1555, in run_decompositions
    return _decompose_exported_program(
  File "model.py", line 6, in bad
    raise RuntimeError("not for half")
RuntimeError: not for half

While executing %silu : [num_users=1] = call_function[target=torch.ops.aten.silu.default](args = (%x,), kwargs = {})
Original traceback:
File "model.py", line 10, in forward
    return torch.nn.functional.silu(x)
`);
  assert.equal(code, 0);
  assert.equal(findings.length, 1);
  const [{ stage, operator, file, line, cause }] = findings;
  assert.deepEqual({ stage, operator, place: `${file}:${line}` },
                   { stage: 'decomposition', operator: 'aten.silu.default', place: 'model.py:6' });
  assert.match(cause, /RuntimeError: not for half/);
});

test('what an operator of torch.ops wants is no matter of scripting', () => {
  for (const said of [`mill::grind() is missing value for argument 'by'. Declaration: mill::grind(Tensor x, float by) -> Tensor`,
                      `mill::grind() Expected a value of type 'float' for argument 'by' but instead found type 'str'.`]) {
    const { findings } = paste(`RuntimeError: ${said}\n`);
    assert.equal(findings[0].argument, 'by');
    assert.notEqual(findings[0].exporter, 'torchscript');
    assert.match(findings[0].cause, /operator of torch\.ops/);
  }
});

test('cut off at any byte, it never fails and never says something else', () => {
  const text = readFileSync(join(corpus, 'dynamo_no_function.console.txt'), 'utf8');
  for (let end = 0; end < text.length; end += 97) {
    for (const part of [text.slice(0, end), text.slice(end)]) {
      const { code, findings } = paste(part);
      assert.ok(code === 0 || code === 1);
      for (const { operator } of findings)
        assert.ok('prims.bessel_i0e.default'.startsWith(operator ?? ''), operator);
    }
  }
});

test('line ends, colours, quote marks and log prefixes make no difference', () => {
  const plain = `RuntimeError: ${unsupported}\n`;
  const wanted = paste(plain).findings[0];
  for (const text of [plain.replaceAll('\n', '\r\n'), `\x1b[31m${plain}\x1b[0m`, `> ${plain}`, `> > ${plain}`, `# ${plain}`,
    `2026-01-01T00:00:00.0000000Z ${plain}`, `[rank0]: ${plain}`, `E   ${plain}`, plain.replaceAll(' is not', '\n   is not'),
    '```\n' + plain + '```\n', `\uFEFF${plain}`, plain.replaceAll("'", '&#39;'), plain.replaceAll("'", '&#x27;'),
    plain.replaceAll(' ', '&nbsp;'), plain.replaceAll(' ', '\u00A0')]) {
    const { findings } = paste(text);
    assert.equal(findings.length, 1, text);
    for (const key of ['cause', 'fix', 'operator', 'stage', 'message'])
      assert.equal(findings[0][key], wanted[key]);
  }
});

const crash = readFileSync(join(corpus, 'torch2.6_dims_eq.txt'), 'utf8');
const prefixed = (prefix) => crash.trimEnd().split('\n').map((line, i) => prefix(i) + line).join('\n');

for (const [form, text] of Object.entries({
  'gh run view': prefixed((i) => `export\tRun export.py\t2026-11-20T08:01:${10 + i % 50}.1234567Z `),
  'Jenkins': prefixed(() => '[2026-11-20T08:01:02.123Z] '),
  'GitLab': prefixed(() => '2026-11-20T08:01:02.123456Z 01O '),
  'Kubernetes': prefixed(() => '2026-11-20T08:01:02.123456789Z stderr F '),
  'journalctl': prefixed(() => 'Nov 23 07:44:12 build-07 python3[2931]: '),
  'Ray': prefixed(() => '(TrainWorker pid=2931, ip=10.0.0.4) '),
  'srun -l': prefixed(() => '12: '),
  'mpirun': prefixed(() => '[1,0]<stderr>:'),
  'logging': prefixed((i) => `2026-11-23 07:44:12,${100 + i} - exporter - ERROR - `),
  'line numbers': prefixed((i) => `${String(i + 1).padStart(5)}  `),
  'an indented block': prefixed(() => '      '),
  'a JSON record': JSON.stringify({ severity: 'ERROR', message: crash }),
  'a JSON record for each line': crash.trimEnd().split('\n').map((log) => JSON.stringify({ log: `${log}\n`, stream: 'stderr' })).join('\n'),
  'a progress bar before': `Exporting:   0%|          | 0/2 [00:00<?, ?it/s]${crash}`,
  'a progress bar that was drawn over': `Exporting:  50%|\u2588\u2588   | 1/2 [00:00<00:00,  9.71it/s]\r${crash}`,
})) {
  test(`a log: ${form}`, () => {
    const shown = (text) => paste(text).findings.map(({ message, cause, fix, stage, file, line }) => ({ message, cause, fix, stage, file, line }));
    assert.deepEqual(shown(text), shown(crash));
  });
}

test('UTF-16 of PowerShell', () => withFolder({}, (cwd) => {
  const little = Buffer.from(`\uFEFFRuntimeError: ${unsupported} \u2705 \u{1F600}\r\n`, 'utf16le');
  for (const input of [little, Buffer.from(little).swap16()])
    assert.equal(why(['-'], { cwd, input }).findings[0].operator, 'aten::tile');
}));

test('the other exporter is a way out only where it has functions for all parts', () => {
  const answer = (op) => paste(`RuntimeError: Exporting the operator 'aten::${op}' to ONNX opset version 17 is not supported.\n`).findings[0];
  for (const op of ['linalg_eigvals', 'special_bessel_j1']) {
    assert.doesNotMatch(answer(op).fix, /dynamo/);
    assert.match(answer(op).cause, /has no function for a part of it/);
  }
  assert.match(answer('diff').fix, /takes it apart and exports its parts/);
});

test('what is not known is not guessed at', () => {
  const { code, findings } = paste('RuntimeError: something else about aten::polar\n');
  assert.equal(code, 1);
  assert.equal(findings[0].cause, null);
  assert.equal(findings[0].operator, 'aten::polar');
  assert.match(findings[0].known, /something else/);
  assert.deepEqual(paste('all is well\n').findings, []);
  assert.equal(paste('').code, 1);
});

test('an export() of others is not that of torch', () => {
  const causeOf = (name) => paste(`TypeError: ${name}() got an unexpected keyword argument 'opset_version'\n`).findings[0].cause;
  for (const name of ['run_export', 'Trainer.export', 'YOLO.export'])
    assert.equal(causeOf(name), null);
  assert.equal(causeOf('export'), 'The export() of the installed torch that is called has no argument opset_version.');
});

test('a failed step without a message is no success', () => {
  const { code, findings, inputs } = paste('[torch.onnx] Translate the graph into ONNX... ❌\n');
  assert.equal(code, 1);
  assert.equal(inputs[0].export, 'failed');
  assert.equal(findings[0].stage, 'conversion');
});

test('code and graphs are for check', () => {
  const notes = (text) => paste(text).inputs[0].notes.join('\n');
  assert.match(notes('import torch\n'), /onnxls check/);
  assert.match(notes('graph(%x : Tensor):\n  return (%x)\n'), /onnxls check/);
  const { findings, inputs } = paste(`# RuntimeError: ${unsupported}\nimport torch\n`);
  assert.equal(findings[0].operator, 'aten::tile');
  assert.equal(inputs[0].notes.length, 1);
});

test('warnings are the cause where nothing else is', () => {
  const warning = "model.py:3: TracerWarning: Converting a tensor to a Python boolean might cause the trace to be incorrect.\n";
  const alone = paste(warning);
  assert.equal(alone.code, 0);
  assert.deepEqual([alone.findings[0].warning, alone.findings[0].file, alone.findings[0].line], [true, 'model.py', 3]);
  const { findings } = paste(`${warning}RuntimeError: ${unsupported}\n`);
  assert.deepEqual(findings.map((finding) => finding.warning), [false]);
});

test('several texts, and one that is unreadable', () => withFolder({ 'a.txt': unsupported, 'b.txt': 'nothing', 'c.onnx': '\0\x01' }, (cwd) => {
  const { findings, inputs, code } = why(['a.txt', 'b.txt'], { cwd });
  assert.equal(code, 1);
  assert.deepEqual(inputs.map(({ input, has_cause }) => [input, has_cause]), [['a.txt', true], ['b.txt', false]]);
  assert.deepEqual(findings.map(({ input, input_line }) => [input, input_line]), [['a.txt', 1]]);
  for (const name of ['c.onnx', 'none.txt', '.'])  {
    const { code: trouble, err } = onnxls(['why', 'a.txt', name], { cwd });
    assert.equal(trouble, 2);
    assert.match(err, new RegExp(`^onnxls: ${name.replace('.', '\\.')}: `));
  }
  assert.equal(onnxls(['why'], { cwd }).code, 2);
  assert.equal(onnxls(['why', 'a.txt', '--format', 'yaml'], { cwd }).code, 2);
}));

for (const [message, operator, text] of [
  ['ort-range-check', null, '[ONNXRuntimeError] : 1 : FAIL : Load model from m.onnx failed:vector::_M_range_check: __n (which is 1) >= this->size() (which is 1)'],
  ['ort-not-placed', null, 'RuntimeError: [ONNXRuntimeError] : 1 : GENERAL ERROR : The node is not placed on any Execution Provider'],
  ['ort-provider-library', null, 'ProviderLibrary::Get() [ONNXRuntimeError] : 1 : FAIL : Failed to load library libonnxruntime_providers_cuda.so with error: libcublasLt.so.11: cannot open shared object file: No such file or directory'],
  ['ort-provider-dll', null, '2026-11-23 18:09:32.67 [E:onnxruntime:test, provider_bridge_ort.cc:902 Ensure] Failed to load library, error code: 126'],
  ['ort-bad-alloc', 'Add', "Non-zero status code returned while running Add node. Name:'/attn/Add_2' Status Message: bad allocation"],
  ['ort-directml', 'Add', "Non-zero status code returned while running Add node. Name:'Add_2' Status Message: DmlExecutionProvider\\src\\MLOperatorAuthorImpl.cpp(2482) 80004005 Unspecified error"],
  ['ort-not-a-tensor', 'Shape', "Non-zero status code returned while running Shape node. Name:'s' Status Message: type != nullptr was false. OrtValue is not a Tensor"],
  ['ort-web-backend', null, 'Error: no available backend found. ERR: [webgpu] backend not found'],
  ['ort-web-provider', null, "Error: Can't append execution provider: JS"],
  ['ort-web-operator', 'HardSigmoid', "TypeError: cannot resolve operator 'HardSigmoid' with opsets: ai.onnx v11"],
  ['ort-protobuf', null, 'ValidationError: Unable to parse proto from file: /m/decoder.onnx. Please check if it is a valid protobuf file of proto.'],
  ['chk-attribute-untyped', null, "ValidationError: Field 'type' of attr is required but missing."],
  ['chk-consumed', 'BatchNormalization', 'ValidationError: Input index 3 must be set to consumed for operator BatchNormalization'],
  ['inf-existing-rank', 'Add', '[ShapeInferenceError] (op_type:Add): [ShapeInferenceError] Inferred shape and existing shape differ in rank: (2) vs (1)'],
  ['ts-symbolic-outputs', 'dense_to_jagged', 'RuntimeError: symbolic for dense_to_jagged produced an incorrect number of outputs (expected 2, but got 1)'],
  ['ts-view-dtype', null, "RuntimeError: We don't have an op for aten::view but it isn't a special case.  Argument types: Tensor, int, "],
  ['ts-map-key', null, '  File "/p/torch/onnx/utils.py", line 549, in export\n    _export(\nRuntimeError: unordered_map::at'],
  ['cap-fake-modes', null, "AssertionError: fake mode (<torch._subclasses.fake_tensor.FakeTensorMode object at 0x1>) from active fake mode 0 doesn't match mode (<torch._subclasses.fake_tensor.FakeTensorMode object at 0x2>) from fake tensor input 0"],
  ['cap-fake-meta', null, "AssertionError: tensor's device must be `meta`, got cuda instead"],
  ['cap-fake-mixed', null, "AssertionError: Please convert all Tensors to FakeTensors first or instantiate FakeTensorMode with 'allow_non_fake_inputs'"],
  ['cap-tree-name', null, 'AssertionError: Must provide a tree_name when there might be a mismatch'],
  ['cap-observed-exception', null, 'torch._dynamo.exc.Unsupported: Observed exception'],
  ['dyn-no-function-complex', 'aten.slice.Tensor', "DispatchError: No ONNX function found for <OpOverload(op='aten.slice', overload='Tensor')>. Failure message: No decompositions registered for the complex-valued input"],
  ['ts-script-inputs', null, 'RuntimeError: input_values.size() == param_count_list.size() INTERNAL ASSERT FAILED'],
  ['ts-script-set-attribute', null, 'RuntimeError: temporary: the only valid use of a module is looking up an attribute but found  = prim::SetAttr[name="num_batches_tracked"](%self, %2)'],
  ['dyn-version-lookup', null, '  File "/p/onnx/version_converter.py", line 166, in convert_version\n    C.convert_version(model_str, target_version)\nIndexError: _Map_base::at'],
  ['dyn-no-adapter', 'MaxPool', 'RuntimeError: BaseConverter.h:60: adapter_lookup: Assertion `false` failed: No Adapter For Current Version $9 for MaxPool'],
  ['ts-reshape-scalar', null, 'RuntimeError: input_shape.size() > 0 || reshape.size() > 0INTERNAL ASSERT FAILED'],
  ['inf-gemm-rank', 'Gemm', '[ONNXRuntimeError] : 1 : FAIL : Node (MatMulBnFusion_Gemm) Op (Gemm) [ShapeInferenceError] First input does not have rank 2'],
  ['env-crash', null, 'Process finished with exit code 136 (interrupted by signal 8:SIGFPE)'],
  ['ort-gather-empty', 'Gather', "Non-zero status code returned while running Gather node. Name:'' Status Message: indices element out of data bounds, idx=0 must be within the inclusive range [0,-1]"],
  ['trt-no-implementation', null, '[E] IBuilder::buildSerializedNetwork: Error Code 10: Internal Error (Could not find any implementation for node /model/model.6/Conv.)'],
  ['trt-engine-version', null, '[TRT] [E] 1: Error Code 1: Serialization (Serialization assertion plan->header.magicTag == rt::kPLAN_MAGIC_TAG failed.)'],
  ['ort-web-abort', null, 'RuntimeError: Aborted(). Build with -sASSERTIONS for more info.'],
  ['dim-multiple', null, "  - Not all values of height = L['image'].size()[2] in the specified range satisfy the generated guard Eq(Mod(L['image'].size()[2], 32), 0)"],
  ['quant-no-parameters', null, 'ValueError: Quantization parameters are not specified for param 310. In static mode quantization params for inputs and outputs of nodes to be quantized are required.'],
  ['quant-not-initializer', null, 'ValueError: Expected proj.weight to be an initializer'],
  ['quant-no-type', null, "RuntimeError: Unable to find data type for weight_name='/dense/MatMul_output_0'. shape_inference failed to return a type probably this node is from a different domain"],
]) {
  test(`the words of ${message}`, () => {
    const { findings } = paste(`${text}\n`);
    assert.deepEqual(findings.map((finding) => [finding.message, finding.operator]), [[message, operator]]);
  });
}

test('the branches of an If differ in their element types, which onnx writes as numbers', () => {
  const { findings } = paste('FAIL : Load model from m.onnx failed:Node (If_3) Op (If) [TypeInferenceError] Mismatched tensor element type: source=9 target=2\n');
  assert.match(findings[0].cause, /bool and uint8/);
});

test('operators that an export left unconverted are no custom operators', () => {
  const { findings } = paste('FAIL : Load model from m.onnx failed:Fatal error: org.pytorch.aten:roll(-1) is not a registered function/op\n');
  assert.match(findings[0].cause, /ONNX_FALLTHROUGH/);
});

test('what is not known of a message leaves no hole in the words about it', () => {
  const said = (text) => paste(text).findings[0].cause;
  assert.match(said('IndexError: index 5 is out of bounds for dimension 0 with size 3'), /^5 is outside of what the tensor has: an id/);
  assert.match(said('[ONNXRuntimeError] : 2 : INVALID_ARGUMENT : Invalid Feed Input Rank'),
    /^An input has another number of dimensions than the model wants\.$/);
  assert.match(said('InferenceError: [ShapeInferenceError] (op_type:Loss): [TypeInferenceError] Inferred elem type differs from existing elem type: (1) vs (16)'),
    /\(bfloat16, where float is computed\)/);
  assert.match(said('GatherElements op: Out of range value in index tensor'), /^An index lies outside of the table: /);
  assert.match(said('Non-zero status code. indices element out of data bounds, idx=9 must be within the inclusive range [-4,3]'),
    /^An index \(9\) lies outside of the table \(-4 to 3\): /);
});

test('what a message says of the opset is not contradicted by what is known of the operator', () => {
  const { cause, fix } = paste('RuntimeError: Unsupported: ONNX export of index_put in opset 9. Please try opset version 11.').findings[0];
  assert.equal(cause, "aten::index_put can't be exported at opset 9; the exporter can do it from opset 11 on.");
  assert.doesNotMatch(fix, /Upgrade torch/);
  assert.match(fix, /Export with opset_version=11 or higher\.$/);
});

test('an operator of ai.onnx.ml is one of ONNX', () => {
  const { cause } = paste("[ONNXRuntimeError] : 9 : NOT_IMPLEMENTED : Could not find an implementation for SVMRegressor(1) node with name ''").findings[0];
  assert.doesNotMatch(cause, /is not an operator/);
});

test('what onnxscript says of a function with @script', () => {
  const message = (text) => paste(text).findings[0].message;
  assert.equal(message("ValueError: ERROR: Unsupported expression type <class 'ast.IfExp'>.\nat: Function 'f', line 3\n"), 'script-expression');
  assert.equal(message("TypeError: Unexpected keyword arguments '{'dim'}'\n"), 'script-keyword');
  assert.equal(message("ValueError: ERROR: Unbound name: scale.\n"), 'script-unbound');
  assert.equal(message("TypeError: erf(): argument 'input' (position 1) must be Tensor, not SymbolicTensor\n"), 'dyn-symbolic-tensor');
  assert.equal(message("torch._dynamo.exc.UserError: L['y'].size()[0] = 4 is not equal to L['x'].size()[0] = 2\n"), 'dim-sizes-differ');
});

test('None of a translation function is not said to come from the model', () => {
  const text = "AttributeError: 'NoneType' object has no attribute 'dtype'\n";
  assert.equal(paste(text).findings[0].message, 'run-none-attribute');
  const whole = `${text}
The above exception was the direct cause of the following exception:

torch.onnx._internal.exporter._errors.ConversionError: Error when translating node %erf : [num_users=1] = call_function[target=torch.ops.aten.erf.default](args = (%x,), kwargs = {}). See the stack trace for more information.
`;
  assert.equal(paste(whole).findings[0].message, 'dyn-translated-nothing');
});

test('what cells of a notebook printed', () => {
  const cell = (outputs) => ({ cell_type: 'code', execution_count: null, metadata: {}, source: [], outputs });
  const notebook = (...cells) => JSON.stringify({ cells, metadata: {}, nbformat: 4, nbformat_minor: 5 }, null, 1);
  const traceback = [
    '\u001b[0;31mUnsupportedOperatorError\u001b[0m                  Traceback (most recent call last)',
    'Cell \u001b[0;32mIn[3], line 5\u001b[0m\n\u001b[0;32m----> 5\u001b[0m torch.onnx.export(M(), x, \u001b[38;5;124m\'m.onnx\'\u001b[39m)\n',
    "\u001b[0;31mUnsupportedOperatorError\u001b[0m: Exporting the operator 'aten::lgamma' to ONNX opset version 17 is not supported.",
  ];
  const hello = cell([{ output_type: 'stream', name: 'stdout', text: ['hello\n'] }]);
  const failed = cell([{ output_type: 'error', ename: 'UnsupportedOperatorError', evalue: '', traceback }]);
  withFolder({ 'a.ipynb': notebook(hello, failed, hello), 'b.ipynb': notebook(hello), 'c.ipynb': 'no JSON\n' }, (cwd) => {
    const { code, out } = onnxls(['why', 'a.ipynb'], { cwd });
    assert.equal(code, 0);
    assert.match(out, /^a\.ipynb, output of cell 2:\d+: Exporting the operator 'aten::lgamma'/);
    assert.match(out, /^ {2}place {4}Cell In\[3\]:5$/m);
    for (const name of ['b.ipynb', 'c.ipynb'])
      assert.deepEqual([1, `${name}: no message of an export, a checker or ONNX Runtime that is known\n`],
                       (({ code, out }) => [code, out])(onnxls(['why', name], { cwd })));
  });
});

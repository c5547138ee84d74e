import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { onnxls, root, withFolder } from './onnxls.mjs';
import { mismatch } from './schema.mjs';

const schema = JSON.parse(readFileSync(join(root, 'docs/explain.schema.json'), 'utf8'));

function explain(...args) {
  const { code, out, err } = onnxls(['explain', ...args]);
  assert.equal(code, 0, `${args.join(' ')}: ${err}`);
  assert.equal(err, '');
  return out;
}

function json(...args) {
  const value = JSON.parse(explain(...args, '--format', 'json'));
  assert.equal(mismatch(schema, value), null, args.join(' '));
  for (const support of Object.values(value.support ?? {}))
    assert.equal(mismatch(schema.$defs.support, support, schema), null);
  return value;
}

/** Lines of a section: those after its heading, up to an empty one. */
function section(text, heading) {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.startsWith(heading));
  assert.notEqual(start, -1, `no '${heading}' in:\n${text}`);
  const end = lines.indexOf('', start);
  return lines.slice(start + 1, end === -1 ? undefined : end);
}

/** The operators of one record file, read without the help of the compiler. */
function* recorded(path) {
  let domain = '';
  let op = null;
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const words = line.trim().split(/\s+/);
    if (line.startsWith('domain '))
      domain = words[1] === 'ai.onnx' ? '' : words[1];
    if (line.startsWith('op ')) {
      if (op)
        yield op;
      op = { domain, op: words[1], since: Number(words[2]), deprecated: words.includes('deprecated'),
        inputs: [], outputs: [], attributes: [] };
    } else if (words[0] === 'in') {
      op.inputs.push([words[1], words[3] === 'variadic' || words[3] === 'optional' ? words[3] : 'single']);
    } else if (words[0] === 'out') {
      op.outputs.push(words[1]);
    } else if (words[0] === 'attr') {
      const value = / = (.*)$/.exec(line)?.[1];
      op.attributes.push([words[1], words[2], words.includes('required'), value ? JSON.parse(value) : null]);
    }
  }
  if (op)
    yield op;
}

test('ONNX operators are told as the records have them', () => {
  const folder = join(root, 'symbolics-db/records/onnx');
  const files = ['ai.onnx.ml.txt', ...readdirSync(join(folder, 'ai.onnx')).map((name) => join('ai.onnx', name))];
  const all = files.flatMap((name) => [...recorded(join(folder, name))]);
  assert.ok(all.length > 600);
  for (const want of all.filter((_, i) => i % 9 === 0)) {
    const name = want.domain ? `${want.domain}::${want.op}` : want.op;
    const got = json(name, '--opset', String(want.since));
    assert.deepEqual({ domain: got.domain, op: got.op, since: got.since, deprecated: got.deprecated,
      inputs: got.inputs.map((param) => [param.name, param.option]), outputs: got.outputs.map((param) => param.name),
      attributes: got.attributes.map((a) => [a.name, a.type, a.required, a.default]) },
    { ...want, attributes: want.attributes.sort((a, b) => (a[0] < b[0] ? -1 : 1)) }, name);
    assert.equal(got.available, true);
  }
});

test('Conv at opset 11 reads well', () => {
  const text = explain('Conv', '--opset', '11');
  assert.match(text, /^ {4}Conv\(X: T, W: T, B: T\?\) -> \(Y: T\)\n\n\w/);
  assert.match(text, /At opset 11: in the form of opset 11, which holds up to opset 21\./);
  assert.deepEqual(section(text, 'Inputs'), ['  X  T', '  W  T', '  B  T, optional']);
  assert.deepEqual(section(text, 'Types'), ['  T  float16, float, double']);
  assert.match(section(text, 'Attributes').join('\n'), /^ {2}dilations {5}dilations_i {5}ints {2}/m);
  assert.match(section(text, 'Attributes').join('\n'), /^ {2}auto_pad {6}auto_pad_s {6}string = "NOTSET" {2}/m);
  assert.match(section(text, 'Changes').join('\n'), /^ {2}22 {2}.*bfloat16/m);
  assert.match(text, /https:\/\/onnx\.ai\/onnx\/operators\/onnx__Conv\.html/);
  assert.ok(text.split('\n').every((line) => line.length <= 100 && !/[\t ]$/.test(line)));
});

test('an attribute that became an input is said', () => {
  assert.match(section(explain('ReduceSum'), 'Changes').join('\n'), /^ {2}13 {2}`axes` is an input \(optional\), no longer an attribute$/m);
  assert.equal(json('ReduceSum', '--opset', '12').attributes[0].spelling, 'axes_i');
});

test('deprecation depends on the opset', () => {
  for (const [opset, deprecated] of [[18, true], [20, true], [21, false], [23, false]])
    assert.equal(json('GroupNormalization', '--opset', String(opset)).deprecated, deprecated, `opset ${opset}`);
  assert.match(explain('GroupNormalization', '--opset', '18'), /Deprecated at opset 18, and in use again since opset 21: /);
  assert.doesNotMatch(explain('GroupNormalization', '--opset', '21'), /Deprecated/);
  assert.match(explain('Upsample', '--opset', '11'), /Deprecated at opset 10: `Resize` replaces it\./);
});

test('an operator that is too young for the opset is shown as it came', () => {
  const value = json('Gelu', '--opset', '11');
  assert.deepEqual([value.available, value.since], [false, 20]);
  assert.match(explain('Gelu', '--opset', '11'), /no such operator at opset 11; it came with opset 20/);
});

test('torch operators: schemas and support as the registries have them', () => {
  const value = json('aten::elu');
  assert.equal(value.overloads[0].schema, 'aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor');
  assert.deepEqual(value.support['2.6'].torchscript, [7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20]);
  assert.deepEqual(value.support['2.14'].dynamo, true);
  assert.deepEqual(value.workspace, []);
  const attention = json('aten::scaled_dot_product_attention').support;
  assert.deepEqual(attention['1.13'].torchscript, []);
  assert.deepEqual(attention['2.6'].torchscript, [14, 15, 16, 17, 18, 19, 20]);
  assert.match(explain('aten::scaled_dot_product_attention', '--torch', '2.6', '--opset', '13'),
               /The TorchScript exporter of torch 2\.6 can't convert it at opset 13; it can from opset 14 on\./);
  assert.match(explain('aten::lgamma', '--torch', '2.6'), /The TorchScript exporter of torch 2\.6 can't convert it at any opset\./);
  assert.match(explain('aten::Int'), /The TorchScript exporter of torch \S+ never has to convert it: a number conversion is erased/);
});

test('an exporter that nobody names is the one that torch.onnx.export() takes', () => {
  const words = (...args) => explain(...args).replace(/\s+/g, ' ');
  const both = words('aten::lgamma', '--torch', '2.14');
  assert.match(both, /apart into prims\.lgamma\.default, for which the dynamo exporter of torch 2\.14 has no function\. With dynamo=False, the default before torch 2\.9: The TorchScript exporter of torch 2\.14 can't convert it at any opset\./);
  assert.equal(json('aten::lgamma', '--torch', '2.14').ways.at(-1).exporter, 'dynamo');
  const old = ['aten::elu --torch 2.6', 'aten::elu --torch 2.14 --opset 13', 'aten::elu --torch 2.14 --exporter torchscript'];
  for (const args of [...old, 'prim::If --torch 2.14', 'aten::Int --torch 2.14']) {
    assert.match(words(...args.split(' ')), / The TorchScript exporter of torch \S+ (converts it at opset|never has to)/, args);
    assert.doesNotMatch(words(...args.split(' ')), /dynamo=False/, args);
  }
  assert.doesNotMatch(words('aten::lgamma', '--torch', '2.14', '--exporter', 'dynamo'), /dynamo=False/);
});

// aten::special_i0e ends as prims::bessel_i0e, which nothing translates; the parts of aten::rms_norm are translated.
test('of an operator that torch.export takes apart it is said into what', () => {
  const dynamo = (...words) => explain(...words, '--exporter', 'dynamo', '--torch', '2.14').replace(/\s+/g, ' ');
  assert.match(dynamo('aten::special_i0e'), /torch\.export takes it apart into prims\.bessel_i0e\.default, for which the dynamo exporter of torch 2\.14 has no function\./);
  assert.match(dynamo('aten::special_i0e'), /dynamo taken apart into prims\.bessel_i0e\.default, which has no function/);
  assert.match(dynamo('aten::rms_norm', '--opset', '18'), /torch\.export takes it apart into aten\.\S+, .* has functions for that\. From opset 23 on there is a function for it\./);
  assert.match(dynamo('aten::rms_norm', '--opset', '23'), /converts it at opset 23\..*dynamo opset 23, taken apart below/);
  const {dynamo: can, dynamo_since, dynamo_decomposes} = json('aten::rms_norm').support['2.14'];
  assert.deepEqual([can, dynamo_since, dynamo_decomposes], [true, 23, true]);
  const refused = json('aten::special_i0e').support['2.14'];
  assert.deepEqual([refused.dynamo, refused.dynamo_part], [false, 'prims.bessel_i0e.default']);
});

test('of an operator that is refused every way out is told, in order', () => {
  const ways = (...words) => json(...words).ways;
  const kinds = (...words) => ways(...words).map((way) => way.kind);
  const script = (torch) => ['--exporter', 'torchscript', '--torch', torch];
  const dynamo = ['--exporter', 'dynamo', '--torch', '2.14'];
  assert.deepEqual(kinds('aten::grid_sampler', ...script('2.14'), '--opset', '13'), ['opset', 'exporter', 'rewrite', 'function']);
  assert.deepEqual(kinds('aten::special_i0e', ...dynamo), ['rewrite', 'function', 'upstream']);
  assert.deepEqual(kinds('aten::elu', ...script('2.14')), []);
  assert.deepEqual(kinds('aten::rms_norm', ...dynamo, '--opset', '18'), []);
  assert.equal(ways('aten::grid_sampler', ...script('2.14'), '--opset', '13')[0].opset, 16);
  assert.equal(ways('aten::grid_sampler', ...script('2.14'), '--opset', '13')[1].opset, 18);
  const old = ways('aten::tile', ...script('1.13')).find((way) => way.kind === 'versions');
  assert.deepEqual([old.torch, old.exporter, old.opset], ['2.6', 'torchscript', null]);
  const late = ways('aten::bilinear', ...script('2.6')).find((way) => way.kind === 'versions');
  assert.deepEqual([late.torch, late.exporter, late.onnxscript], ['2.14', 'dynamo', '0.5.4']);
  const rewritten = ways('aten::argwhere', ...script('2.14')).find((way) => way.kind === 'rewrite');
  assert.deepEqual(rewritten.operators, ['aten.nonzero.default']);
  assert.match(ways('aten::tile', ...script('1.13')).find((way) => way.kind === 'function').text, /register_custom_op_symbolic\("aten::tile"/);
  for (const way of ways('aten::special_i0e', ...dynamo))
    assert.equal(mismatch(schema.$defs.way, way, schema), null);
  assert.match(explain('aten::special_i0e', ...dynamo), /Ways out, in the order to try them\n  In the model \(ONNX has no Bessel functions\): [^]*custom_translation_table=[^]*Ask PyTorch/);
});

/** Records of outcomes, read without the help of the compiler. */
function outcomes() {
  const folder = join(root, 'symbolics-db/records/torch/outcomes');
  const lines = readdirSync(folder).flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n'));
  return lines.map((line) => /^([\d.,]+) (\S+) \S+ (\S+)\t([^\t]*)\t/.exec(line)).filter(Boolean)
    .map(([, torch, kind, op, condition]) => ({ torch: torch.split(','), kind: kind.replace(/^dynamo:/, ''), op: op.replace(/\..*/, ''), condition,
                                                exporter: kind.startsWith('dynamo:') ? 'dynamo' : 'torchscript' }));
}

test('every condition of an operator is told, in words', () => {
  const rules = { refused: 'refused-call', wrong: 'wrong-export', 'no-kernel': 'no-runtime-kernel' };
  const all = outcomes();
  assert.ok(all.length > 3000);
  for (const op of ['aten::elu', 'aten::gru', 'aten::avg_pool2d', 'aten::all', 'aten::scatter_add', 'aten::pad', 'aten::pow', 'aten::stft', 'aten::split']) {
    const { conditions, support } = json(op);
    const knows = { torchscript: ({ torchscript }) => torchscript.length > 0, dynamo: ({ dynamo }) => dynamo !== null };
    const isWrite = ({ condition }) => /^(writes_part|loses_write)\(\)$/.test(condition);  // Of what works in place: elu_.
    const want = all.filter((outcome) => outcome.op === op && !isWrite(outcome) && outcome.torch.some((torch) => knows[outcome.exporter](support[torch])))
      .map((outcome) => rules[outcome.kind.split('@')[0]]).sort();
    assert.deepEqual(conditions.map((condition) => condition.kind).sort(), want, op);
    for (const condition of conditions) {
      assert.equal(mismatch(schema.$defs.condition, condition, schema), null);
      assert.doesNotMatch(condition.when + condition.reason, /[${}]|[=!<>]=|\b(is_(const|none|packed|tensor|list)|rank|dtype|sizes|len)\(/);
    }
  }
  assert.deepEqual(json('aten::elu').conditions.find((condition) => condition.torch.includes('2.6')
    && condition.when === '`alpha` is computed in the graph'), {
    kind: 'refused-call', torch: ['2.6', '2.14'], exporter: 'torchscript', overload: null,
    opsets: [7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20], runtime: null,
    when: '`alpha` is computed in the graph',
    reason: 'argument 2 (`alpha`) is computed in the graph, and has to be a constant',
    instead: 'Give a Python number or list, which tracing writes down as a constant, or register a symbolic function.',
    source: 'symbolic_opset9.py elu' });
  assert.deepEqual(json('prim::If').conditions, []);
  const writes = (op) => json(op).conditions.filter((condition) => condition.when.endsWith('of a tensor in place'));
  assert.deepEqual(writes('aten::elu'), []);
  assert.deepEqual(writes('aten::elu_').map((condition) => condition.kind), ['refused-call', 'wrong-export']);
});

test('conditions are those of the opset, of the version and of the exporter', () => {
  const ask = (op, ...flags) => explain(op, ...flags).replace(/\s+/g, ' ');
  const target = ['--torch', '2.6', '--exporter', 'torchscript'];
  assert.match(ask('aten::elu', ...target), /Exports when none of this is so \(TorchScript exporter of torch 2\.6, opset \d+\): `alpha` is computed in the graph\. Give a Python number/);
  assert.match(ask('aten::scatter_add', ...target, '--opset', '15'), /Comes out right when none of this is so .*indices that occur twice .*Export to opset 16 or newer\./);
  assert.doesNotMatch(ask('aten::scatter_add', ...target, '--opset', '16'), /indices that occur twice/);
  assert.match(ask('aten::elu', ...target), /`self` is Double \(onnxruntime 1\.21, 1\.23\): the input is Double, and the CPU provider/);
  assert.match(ask('aten::gru', ...target), /and in \d+ more cases/);
  assert.doesNotMatch(ask('aten::unsqueeze', '--torch', '2.14', '--exporter', 'dynamo'), /when none of this is so \(dynamo/);
  assert.match(ask('aten::avg_pool2d', '--torch', '2.14', '--exporter', 'dynamo'), /Comes out right when none of this is so \(dynamo exporter of torch 2\.14, opset \d+\): .*divisor_override is left out.*Exports when none of this is so \(TorchScript exporter of torch 2\.14/);
  assert.match(ask('aten::all', '--torch', '2.14', '--exporter', 'dynamo', '--opset', '13'), /\(dynamo exporter of torch 2\.14, opset 18\): overload dim: /);
  assert.doesNotMatch(ask('aten::all.dims', '--torch', '2.14', '--exporter', 'dynamo'), /overload dim:/);
  assert.doesNotMatch(ask('aten::relu6', ...target, '--opset', '7'), /Exports when/);
});

test('names are resolved as people write them', () => {
  assert.equal(json('elu').op, 'aten::elu');
  assert.equal(json('aten::elu_').op, 'aten::elu_');
  assert.deepEqual(json('aten::add.Tensor').overloads.map((overload) => overload.overload), ['Tensor']);
  assert.equal(json('add').op, 'aten::add');
  assert.match(explain('add'), /Also called so: .*quantized::add/);
  assert.equal(json('onnx::Conv').op, 'Conv');
  assert.equal(json('ai.onnx::Conv').op, 'Conv');
  assert.equal(json('conv').op, 'Conv');
  assert.deepEqual(json('prim::If').overloads, []);
  assert.match(explain('prim::If'), /Runs block0 if the condition holds/);
});

test('attributes and arguments', () => {
  const versions = json('ReduceSum.axes').versions;
  assert.deepEqual(versions.map(({ since, attribute }) => [since, attribute?.type ?? null]), [[1, 'ints'], [11, 'ints'], [13, null]]);
  assert.match(explain('ReduceSum.axes'), /^ {2}opsets 1 to 12 {2}ints\n {2}opset 13 on {5}no such attribute$/m);
  assert.equal(json('ai.onnx.ml::Scaler.scale').op, 'Scaler');
  assert.equal(json('aten::elu.alpha').overloads[0].type, 'Scalar');
  const owners = json('axis').operators;
  assert.ok(owners.length > 20 && owners.some(({ op }) => op === 'Softmax'));
  const old = json('axis', '--opset', '1').operators.map(({ op }) => op);
  assert.ok(old.includes('Concat') && !old.includes('Unique'));
});

test('names of torch.onnx', () => {
  assert.match(explain('symbolic_helper._scalar'), /^ {4}symbolic_helper\._scalar\(x\)\n\n[^]*it silently gives None[^]*\n\nGives bool, int, float or None\.\n\nIn torch 1\.13, 2\.6 and 2\.14\.\n/);
  assert.equal(json('torch.onnx.symbolic_helper._get_const').signatures[0].signature, '(value, desc, arg_name)');
  assert.deepEqual(json('_maybe_get_const').gives, ['value', 'none', 'descriptor']);
  assert.match(explain('_slice_helper', '--torch', '1.13'), /steps=None, dynamic_slice=False\)\n[^]*In torch 2\.6 and 2\.14 its parameters are/);
  assert.match(explain('_apply_params', '--torch', '1.13'), /Not in this version of torch, but in torch 2\.6 and 2\.14\./);
  assert.equal(section(explain('parse_args'), 'Letters').filter((line) => /^ {2}\S/.test(line)).length, 9);
  assert.deepEqual(json('parse_args.is').gives, ['none', 'ints']);
  assert.match(explain('_i'), /A float or a torch\.dtype raises/);
  assert.deepEqual([json('_t').single, json('_t').list], ['tensor', 'tensors']);
  assert.deepEqual([json('torch.onnx._internal.jit_utils.GraphContext').removed, json('g.constant').replacement], ['2.9', 'g.op']);
  assert.equal(json('symbolic_helper.cast_pytorch_to_onnx').deprecated, '1.13');
  assert.match(explain('export.dynamo', '--torch', '2.6'), /dynamo=False\)[^]*Since torch 2\.9 the\sdefault is True\./);
  assert.equal(json('export.example_outputs').forms.length, 0);
  assert.equal(json('axis').attribute, 'axis');
});

test('the page of every rule is compiled in', () => {
  const seed = Number(process.env.ONNXLS_SEED ?? 1);
  for (const [i, name] of readdirSync(join(root, 'docs/rules')).sort().entries()) {
    const rule = name.replace(/\.md$/, '');
    const page = readFileSync(join(root, 'docs/rules', name), 'utf8');
    assert.equal(json(rule).page, page);
    if ((i + seed) % 4 !== 0)
      continue;  // Each run has another quarter of them as text and as Markdown: a process each.
    assert.equal(explain(rule, '--format', 'markdown'), page);
    const text = explain(rule);
    assert.match(text, new RegExp(`^${rule}\n\n[\\w\`]`));
    assert.doesNotMatch(text.replace(/^ {4}.*$/gm, ''), /```|^#:|<!--|\]\([^)]/m);
  }
});

test('Markdown has what the text has', () => {
  const text = explain('Conv', '--format', 'markdown');
  assert.match(text, /^```\nConv\(X: T, W: T, B: T\?\) -> \(Y: T\)\n```\n/);
  assert.match(text, /^- `auto_pad`, `auto_pad_s`, `string = "NOTSET"`: /m);
  assert.match(text, /\[ONNX reference\]\(https:/);
});

test('what nobody knows ends with 2 and what may be meant', () => {
  for (const [word, pattern] of [['Convv', /'Convv'; did you mean 'Conv'/], ['aten::softmx', /did you mean 'aten::softmax'/],
    ['_scalr', /did you mean '_scalar'/], ['export.dynmo', /nothing is known/], ['parse_args.q', /nothing is known/],
    ['com.x::Y', /'com\.x::Y', nor of any operator in 'com\.x'/], ['unused-valeu', /'unused-value'/], ['', /nothing is known/],
    ['x'.repeat(5000), /nothing is known/], ['Conv.padz', /nothing is known/], ['::', /nothing is known/]]) {
    const { code, out, err } = onnxls(['explain', word]);
    assert.equal(code, 2, word);
    assert.equal(out, '');
    assert.match(err, pattern);
  }
});

test('bad flags', () => {
  for (const args of [[], ['Conv', 'Relu'], ['Conv', '--opset', '0'], ['Conv', '--format', 'xml'], ['Conv', '--torch', 'x']]) {
    const { code, out, err } = onnxls(['explain', ...args]);
    assert.equal(code, 2, args.join(' '));
    assert.equal(out, '');
    assert.match(err, /^onnxls explain: /);
  }
});

test('settings say the opset and the torch version, flags win', () => withFolder(
  { '.onnxls.json': '{"opset": 11, "torch": "2.6"}' }, (cwd) => {
    const ask = (...args) => onnxls(['explain', ...args, '--format', 'json'], { cwd });
    assert.equal(JSON.parse(ask('Conv').out).since, 11);
    assert.equal(JSON.parse(ask('Conv', '--opset', '22').out).since, 22);
    assert.equal(JSON.parse(ask('ai.onnx.ml::SVMClassifier').out).opset, null);
    assert.match(onnxls(['explain', 'aten::relu'], { cwd }).out, /exporter of torch 2\.6 converts it at opset 11\./);
  }));

test('every flag of explain, ops and db is documented', () => {
  const man = readFileSync(join(root, 'docs/onnxls.1'), 'utf8').replaceAll('\\-', '-');
  for (const [command, page] of [['explain', 'explain'], ['ops', 'ops'], ['db', 'facts']]) {
    const text = readFileSync(join(root, `docs/${page}.md`), 'utf8');
    const { code, out } = onnxls(['help', command]);
    assert.equal(code, 0);
    assert.equal(out, onnxls([command, '--help']).out);
    const flags = [...out.matchAll(/^ {2}.*?--([\w-]+)/gm)].map((match) => match[1]).filter((flag) => flag !== 'help');
    assert.ok(flags.length >= 4);
    for (const flag of flags) {
      assert.ok(text.includes(`--${flag}`), `docs/${page}.md lacks --${flag}`);
      assert.ok(man.includes(`--${flag}`), `docs/onnxls.1 lacks --${flag}`);
    }
  }
});

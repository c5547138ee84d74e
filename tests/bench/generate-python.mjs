#!/usr/bin/env node
// A Python file of symbolic functions for the bench, of any size: what somebody has who converts many operators.
//
// Operators that torch has are registered for one opset after the other, operators of an own domain for the rest of the
// file. Bodies have what such files have: chains of g.op(), @parse_args, helpers, branches over the opset, lists and
// several outputs. Nothing in it is wrong. The same size gives the same bytes.
//
// generate-python.mjs BYTES [-o FILE]
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseCount } from './generate.mjs';

const FIRST_OPSET = 9;
const LAST_OPSET = 17;

const HEAD = `"""Symbolic functions of an accelerator's operators."""

import math

import torch
from torch.onnx import register_custom_op_symbolic, symbolic_helper
from torch.onnx.symbolic_helper import parse_args

EPSILON = 1e-05
`;

/** [operator, descriptors or null, parameters, lines of the body]. */
const KNOWN = [
  ['relu', null, 'self', () => ['return g.op("Relu", self)']],
  ['elu', '"v", "f", "f", "f"', 'self, alpha, scale, input_scale', () => [
    '# Other scales can not be expressed by one operator.',
    'if scale != 1.0 or input_scale != 1.0:',
    '    return symbolic_helper._unimplemented("elu", "scale or input_scale")',
    'return g.op("Elu", self, alpha_f=alpha)',
  ]],
  ['leaky_relu', '"v", "f"', 'self, negative_slope', () => [
    'return g.op("LeakyRelu", self, alpha_f=negative_slope)',
  ]],
  ['flatten', '"v", "i", "i"', 'self, start_dim, end_dim', () => [
    'rank = symbolic_helper._get_tensor_rank(self)',
    'if rank is None:',
    '    return symbolic_helper._unimplemented("flatten", "a tensor without a rank")',
    'if start_dim == 1 and end_dim in (-1, rank - 1):',
    '    return g.op("Flatten", self, axis_i=start_dim)',
    'sizes = [0] * start_dim + [-1]',
    'shape = g.op("Constant", value_t=torch.tensor(sizes, dtype=torch.int64))',
    'return g.op("Reshape", self, shape)',
  ]],
  ['mish', null, 'self', () => [
    'softplus = g.op("Softplus", self)',
    'return g.op("Mul", self, g.op("Tanh", softplus))',
  ]],
  ['celu', '"v", "f"', 'self, alpha', () => [
    'alpha_value = g.op("Constant", value_t=torch.tensor(alpha))',
    'scaled = g.op("Div", self, alpha_value)',
    'return g.op("Mul", alpha_value, g.op("Elu", scaled, alpha_f=1.0))',
  ]],
  ['hardtanh', '"v", "f", "f"', 'self, min_val, max_val', () => [
    'low = g.op("Constant", value_t=torch.tensor(min_val))',
    'high = g.op("Constant", value_t=torch.tensor(max_val))',
    'return g.op("Min", g.op("Max", self, low), high)',
  ]],
  ['transpose', '"v", "i", "i"', 'self, dim0, dim1', () => [
    'rank = symbolic_helper._get_tensor_rank(self)',
    'if rank is None:',
    '    return symbolic_helper._unimplemented("transpose", "a tensor without a rank")',
    'axes = list(range(rank))',
    'axes[dim0], axes[dim1] = axes[dim1], axes[dim0]',
    'return g.op("Transpose", self, perm_i=axes)',
  ]],
];

const OWN = [
  ['scaled', '"v", "v", "f"', 'x, weight, factor', (n) => [
    `# The factor of stage ${n} is folded into the weight.`,
    `constant = g.op("Constant", value_t=torch.tensor(factor * ${(n % 90) + 10}.25))`,
    'folded = g.op("Mul", weight, constant)',
    'product = g.op("MatMul", x, folded)',
    `return g.op("LeakyRelu", product, alpha_f=0.${(n % 89) + 10})`,
  ]],
  ['normalized', '"v", "v", "v", "f"', 'x, weight, bias, eps', (n) => [
    `width = ${(n % 50) + 14} * 8`,
    'mean = g.op("GlobalAveragePool", x)',
    'centered = g.op("Sub", x, mean)',
    'variance = g.op("GlobalAveragePool", g.op("Mul", centered, centered))',
    'epsilon = g.op("Constant", value_t=torch.tensor(max(eps, EPSILON) * math.log(width)))',
    'deviation = g.op("Sqrt", g.op("Add", variance, epsilon))',
    'result = g.op("Div", centered, deviation)',
    'return g.op("Add", g.op("Mul", result, weight), bias)',
  ]],
  ['packed', '"v", "i", "is"', 'x, groups, padding', (n) => [
    `if groups > ${(n % 60) + 12}:`,
    '    return symbolic_helper._unimplemented("packed", "that many groups")',
    'if len(padding) != 4:',
    '    return symbolic_helper._unimplemented("packed", "padding of other than four numbers")',
    'pooled = g.op("AveragePool", x, kernel_shape_i=[3, 3], pads_i=padding, strides_i=[1, 1])',
    `packed = g.op("accelerator::Packed", pooled, x, groups_i=groups, ratio_f=0.${(n % 89) + 10})`,
    'return packed.setType(x.type())',
  ]],
  ['pair', null, 'x, other, mode', (n) => [
    'choice = symbolic_helper._maybe_get_const(mode, "i")',
    'if symbolic_helper._is_value(choice):',
    '    return symbolic_helper._unimplemented("pair", "a mode that is not constant")',
    `names = ["sum", "difference", "stage ${(n % 80) + 10}"]`,
    'total = g.op("Add", x, other)',
    'rest = g.op("Sub", x, other)',
    'for name in names[:choice]:',
    '    total = g.op("Concat", total, rest, axis_i=1)',
    '    rest = g.op("Identity", rest)',
    'return total, rest',
  ]],
];

function indent(lines) {
  return lines.map((line) => `    ${line}\n`).join('');
}

function symbolic(qualified, name, opset, [operator, descriptors, params, body], n) {
  const decorator = descriptors ? `@parse_args(${descriptors})\n` : '';
  return `\n\n${decorator}def ${name}(g, ${params}):\n` +
    indent([`"""Converts ${operator}, as of opset ${opset}."""`, ...body(n)]) +
    `\n\nregister_custom_op_symbolic("${qualified}", ${name}, ${opset})\n`;
}

/** A file of at least `bytes` bytes, and little more. */
export function symbolicFile(bytes) {
  const parts = [HEAD];
  let size = HEAD.length;
  const add = (text) => {
    parts.push(text);
    size += text.length;
  };
  for (let opset = FIRST_OPSET; opset <= LAST_OPSET; opset++) {
    for (const known of KNOWN) {
      if (size < bytes)
        add(symbolic(`aten::${known[0]}`, `${known[0]}_${opset}`, opset, known, opset));
    }
  }
  for (let n = 0; size < bytes; n++) {
    const own = OWN[n % OWN.length];
    add(symbolic(`accelerator::${own[0]}_${n}`, `${own[0]}_${n}`, LAST_OPSET, own, n));
  }
  return parts.join('');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [size, flag, output] = process.argv.slice(2);
  const bytes = parseCount(size ?? '');
  if (!(bytes >= 1000 && bytes <= 16e6) || (flag !== undefined && (flag !== '-o' || !output))) {
    console.error('usage: generate-python.mjs BYTES [-o FILE]\n  BYTES: 1k to 16M');
    process.exit(2);
  }
  fs.writeFileSync(output ?? 1, symbolicFile(bytes));
}

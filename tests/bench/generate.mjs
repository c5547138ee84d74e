#!/usr/bin/env node
// Graph texts of any size for the bench: a TorchScript dump, and an MLIR module of as many operations for the peer.
//
// The dump is what torch prints for a deep transformer: real operators, constants, lists, types with shapes, blocks,
// scopes and source lines on a part of the nodes, about 65 bytes a node. Every value is defined before it is used, and
// every operator can be exported at opset 17, except as many as --unsupported asks for. The same arguments give the
// same bytes.
//
// generate.mjs torch|mlir NODES [--unsupported K] [-o FILE]
import fs from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Operators of one tensor argument that the TorchScript exporter has at no opset. */
export const UNSUPPORTED = ['lgamma', 'digamma', 'erfinv', 'special_i0e', 'special_ndtri'];

const INPUT = 'Float(8, 128, 512, strides=[65536, 512, 1], requires_grad=0, device=cpu)';
const HIDDEN = 'Float(8, 128, 512, strides=[65536, 512, 1])';
const HEADS = 'Float(8, 16, 128, 32)';
const SCORES = 'Float(8, 16, 128, 128)';

/** Appends nodes until `left` are written; from then on it takes nodes and drops them. */
class DumpWriter {
  constructor(nodes, unsupported) {
    this.left = nodes;
    this.parts = [];
    this.lines = [];
    this.next = 10;
    this.indent = '  ';
    this.scope = '';
    this.unsupported = unsupported;
    this.spacing = Math.floor(nodes / (unsupported + 1));
  }

  line(text) {
    this.lines.push(text);
    if (this.lines.length >= 4096)
      this.flush();
  }

  flush() {
    this.parts.push(this.lines.join('\n') + '\n');
    this.lines = [];
  }

  /** One node with one output; returns the output's name. `hint` names it as torch names values of a variable. */
  node(type, kind, inputs, { hint, attrs = '', scope = false, at = '' } = {}) {
    const name = hint ? `%${hint}.${this.next++}` : `%${this.next++}`;
    if (this.left === 0)
      return name;
    this.left--;
    const place = (scope ? `, scope: ${this.scope}` : '') + (at ? ` # ${at}` : '');
    this.line(`${this.indent}${name} : ${type} = ${kind}${attrs}(${inputs.join(', ')})${place}`);
    return name;
  }

  constant(type, value) {
    return this.node(type, 'prim::Constant', [], { attrs: value === null ? '' : `[value=${value}]` });
  }

  /** `tensor`, or an unsupported operator on it where the next one is due. */
  maybeUnsupported(tensor) {
    if (this.unsupported === 0 || this.left > this.unsupported * this.spacing)
      return tensor;
    const kind = UNSUPPORTED[this.unsupported-- % UNSUPPORTED.length];
    return this.node('Tensor', `aten::${kind}`, [tensor], { scope: true, at: 'model.py:90:8' });
  }
}

function attribute(w, module, name, type = 'Tensor', hint = undefined) {
  return w.node(type, 'prim::GetAttr', [module], { attrs: `[name="${name}"]`, hint });
}

function linear(w, input, module, name) {
  const part = attribute(w, module, name, '__torch__.Linear');
  const bias = attribute(w, part, 'bias');
  const weight = attribute(w, part, 'weight');
  return w.node('Tensor', 'aten::linear', [input, weight, bias], { at: 'linear.py:114:0' });
}

function layerNorm(w, input, module, name, c) {
  const part = attribute(w, module, name, '__torch__.LayerNorm');
  const bias = attribute(w, part, 'bias', 'Tensor', 'bias');
  const weight = attribute(w, part, 'weight', 'Tensor', 'weight');
  const width = w.constant('int', 512);
  const shape = w.node('int[]', 'prim::ListConstruct', [width]);
  return w.node(HIDDEN, 'aten::layer_norm', [input, shape, weight, bias, c.eps, c.yes],
                { scope: true, at: 'functional.py:2515:0' });
}

function dropout(w, input, c) {
  const probability = w.constant('float', '0.10000000000000001');
  return w.node('Tensor', 'aten::dropout', [input, probability, c.no]);
}

function splitHeads(w, input, sizes, c) {
  const heads = w.constant('int', 16);
  const depth = w.constant('int', 32);
  const shape = w.node('int[]', 'prim::ListConstruct', [...sizes, heads, depth]);
  const view = w.node('Tensor', 'aten::view', [input, shape]);
  const from = w.constant('int', 1);
  const to = w.constant('int', 2);
  return w.node(HEADS, 'aten::transpose', [view, from, to]);
}

function attention(w, input, module, c) {
  const part = attribute(w, module, 'att', '__torch__.model.Attention', 'att');
  const sizes = [0, 1].map((dim) => w.node('int', 'aten::size', [input, w.constant('int', dim)]));
  const [q, k, v] = ['q', 'k', 'v'].map((name) => splitHeads(w, linear(w, input, part, name), sizes, c));
  const last = w.constant('int', -1);
  const turnedKeys = w.node('Tensor', 'aten::transpose', [k, last, c.minusTwo]);
  const product = w.node(SCORES, 'aten::matmul', [q, turnedKeys], { scope: true });
  const root = w.constant('float', '5.6568542494923806');
  const scores = w.node(SCORES, 'aten::div', [product, root]);
  const weights = w.node(SCORES, 'aten::softmax', [scores, c.minusOne, c.none], { at: 'functional.py:1841:0' });
  const mixed = w.node(HEADS, 'aten::matmul', [dropout(w, weights, c), v], { scope: true, at: 'model.py:63:12' });
  const turned = w.node('Tensor', 'aten::transpose', [mixed, c.one, c.two]);
  const width = w.constant('int', 512);
  const shape = w.node('int[]', 'prim::ListConstruct', [...sizes, width]);
  return linear(w, w.node('Tensor', 'aten::reshape', [turned, shape]), part, 'out');
}

function feedForward(w, input, module, c) {
  const part = attribute(w, module, 'mlp', '__torch__.model.Mlp', 'mlp');
  const active = w.node('Tensor', 'aten::gelu', [linear(w, input, part, 'up'), c.approximate], { scope: true });
  return linear(w, active, part, 'down');
}

/** `if x.size(1) > n: x = sigmoid(relu(x)) else: x = neg(tanh(x))`: 8 nodes, whole or not at all. */
function branch(w, input, c) {
  if (w.left < 8)
    return input;
  const size = w.node('int', 'aten::size', [input, c.one], { at: 'model.py:71:11' });
  const limit = w.constant('int', 4096);
  const condition = w.node('bool', 'aten::gt', [size, limit], { at: 'model.py:71:11' });
  const result = w.node('Tensor', 'prim::If', [condition], { hint: 'x', at: 'model.py:71:8' });
  for (const [number, kinds] of [['aten::relu', 'aten::sigmoid'], ['aten::tanh', 'aten::neg']].entries()) {
    w.line(`    block${number}():`);
    w.indent = '      ';
    const inner = w.node('Tensor', kinds[0], [input], { at: `model.py:${72 + 2 * number}:16` });
    w.line(`      -> (${w.node('Tensor', kinds[1], [inner])})`);
    w.indent = '  ';
  }
  return result;
}

/** `for i in range(4): x = x + x * i`: 5 nodes, whole or not at all. */
function loop(w, input, c) {
  if (w.left < 5)
    return input;
  const trips = w.constant('int', 4);
  const result = w.node('Tensor', 'prim::Loop', [trips, c.yes, input], { hint: 'x', at: 'model.py:80:8' });
  const i = `%i.${w.next++}`;
  const carried = `%x.${w.next++}`;
  w.line(`    block0(${i} : int, ${carried} : Tensor):`);
  w.indent = '      ';
  const scaled = w.node('Tensor', 'aten::mul', [carried, i], { at: 'model.py:81:16' });
  const sum = w.node('Tensor', 'aten::add', [carried, scaled, c.one], { at: 'model.py:81:12' });
  const goOn = w.node('bool', 'aten::lt', [i, trips]);
  w.line(`      -> (${goOn}, ${sum})`);
  w.indent = '  ';
  return result;
}

/** One transformer layer, about 85 nodes; every eighth has a branch, every sixteenth a loop. */
function layer(w, index, input, layers, c) {
  w.scope = `__module.h.${index}`;
  const module = attribute(w, layers, index, '__torch__.model.Block', 'h');
  const attended = attention(w, layerNorm(w, input, module, 'ln1', c), module, c);
  let x = w.node(HIDDEN, 'aten::add', [input, attended, c.one], { hint: 'x', at: 'model.py:66:12' });
  const fed = feedForward(w, layerNorm(w, x, module, 'ln2', c), module, c);
  x = w.node('Tensor', 'aten::add', [x, dropout(w, fed, c), c.one], { hint: 'x', at: 'model.py:67:12' });
  if (index % 8 === 7)
    x = branch(w, x, c);
  if (index % 16 === 15)
    x = loop(w, x, c);
  return w.maybeUnsupported(x);
}

/** A dump of exactly `nodes` nodes (those in blocks included), at least 20; at most one in 200 is unsupported. */
export function torchDump(nodes, unsupported = 0) {
  const w = new DumpWriter(nodes, unsupported);
  w.line('graph(%self : __torch__.model.Transformer,');
  w.line(`      %input.1 : ${INPUT}):`);
  const c = {
    one: w.constant('int', 1), two: w.constant('int', 2),
    minusOne: w.constant('int', -1), minusTwo: w.constant('int', -2), none: w.constant('NoneType', null),
    yes: w.constant('bool', 1), no: w.constant('bool', 0), eps: w.constant('float', '1.0000000000000001e-05'),
    approximate: w.constant('str', '"none"'),
  };
  const layers = attribute(w, '%self', 'h', '__torch__.torch.nn.modules.container.ModuleList');
  w.left--;  // Kept for the result below.
  let x = '%input.1';
  for (let index = 0; w.left > 0; index++) {
    const input = x;
    x = layer(w, index, input, layers, c);
    if (w.left === 0)
      x = input;  // The layer may be cut off; its input is whole.
  }
  w.left = 1;
  const result = w.node('Tensor', 'aten::relu', [x], { at: 'model.py:99:0' });
  w.line(`  return (${result})`);
  w.flush();
  return w.parts.join('');
}

/** A chain of `nodes` additions in one function, about 60 bytes each. */
export function mlirChain(nodes) {
  const type = 'tensor<8x512xf32>';
  const parts = [`func.func @main(%v0: ${type}, %v1: ${type}) -> ${type} {\n`];
  for (let start = 2; start < nodes + 2; start += 4096) {
    const lines = [];
    for (let i = start; i < Math.min(start + 4096, nodes + 2); i++)
      lines.push(`  %v${i} = arith.addf %v${i - 1}, %v${i - 2} : ${type}\n`);
    parts.push(lines.join(''));
  }
  parts.push(`  return %v${nodes + 1} : ${type}\n}\n`);
  return parts.join('');
}

/** "10k" -> 10000, "1.6M" -> 1600000; NaN for anything else. */
export function parseCount(text) {
  const match = /^(\d+(?:\.\d+)?)([kM]?)$/.exec(text);
  return match ? Math.round(Number(match[1]) * { '': 1, k: 1e3, M: 1e6 }[match[2]]) : NaN;
}

function main(args) {
  const usage = 'usage: generate.mjs torch|mlir NODES [--unsupported K] [-o FILE]\n' +
    '  NODES: 20 to 4M, as 400000 or 400k; K: at most NODES / 200';
  const rest = [];
  let unsupported = 0;
  let output = 1;
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--unsupported')
      unsupported = parseCount(args[++i] ?? '');
    else if (args[i] === '-o')
      output = args[++i];
    else
      rest.push(args[i]);
  }
  const nodes = parseCount(rest[1] ?? '');
  const known = rest[0] === 'torch' || rest[0] === 'mlir';
  if (rest.length !== 2 || !known || !(nodes >= 20 && nodes <= 4e6) || !(unsupported <= nodes / 200) ||
      output === undefined) {
    console.error(usage);
    process.exit(2);
  }
  fs.writeFileSync(output, rest[0] === 'torch' ? torchDump(nodes, unsupported) : mlirChain(nodes));
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  main(process.argv.slice(2));

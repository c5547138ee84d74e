// An exported program as `print(ep)` writes it, of any size: the graph of a deep network of linear layers, with the parameters of
// all layers in its one line of inputs, places in the source, and the signature after the graph.

const STEPS = [
  ['linear', 'linear', (x, p) => `${x}, ${p}_weight, ${p}_bias`, 'linear.py:125', 'return F.linear(input, self.weight, self.bias)'],
  ['gelu', 'gelu', (x) => x, 'activation.py:734', 'return F.gelu(input, approximate=self.approximate)'],
  ['dropout', 'dropout', (x) => `${x}, 0.1, False`, 'dropout.py:70', 'return F.dropout(input, self.p, self.training, self.inplace)'],
  ['add', 'add', (x) => `${x}, x`, 'model.py:31', 'return x + h'],
];
const OVERLOADS = { add: 'Tensor' };
const TYPE = '"f32[8, 128, 512]"';
const INDENT = ' '.repeat(12);

/** The lines of one layer, and the name of what it gives. */
function layer(number, input) {
  const suffix = number === 0 ? '' : `_${number}`;
  let value = input;
  const lines = STEPS.flatMap(([name, op, args, file, code]) => {
    const before = value;
    value = name + suffix;
    const freed = before === 'x' ? '' : `;  ${before} = None`;
    return [`${INDENT} # File: /usr/lib/python3/dist-packages/torch/nn/modules/${file} in forward, code: ${code}`,
            `${INDENT}${value}: ${TYPE} = torch.ops.aten.${op}.${OVERLOADS[op] ?? 'default'}(${args(before, `p_layer_${number}`)})${freed}`,
            INDENT];
  });
  return { lines, value };
}

function parameters(number) {
  const name = (part) => `p_layer_${number}_${part}`;
  return {
    inputs: `${name('weight')}: "f32[512, 512]", ${name('bias')}: "f32[512]", `,
    specs: ['weight', 'bias'].map((part) => 'InputSpec(kind=<InputKind.PARAMETER: 2>, ' +
      `arg=TensorArgument(name='${name(part)}'), target='layer.${number}.${part}', persistent=None), `).join(''),
  };
}

/** A text of about as many bytes; the same number gives the same text. */
export function exportedProgram(bytes) {
  const layers = Math.max(1, Math.round(bytes / layerBytes()));
  const all = Array.from({ length: layers }, (_, i) => parameters(i));
  const lines = [];
  let value = 'x';
  for (let i = 0; i < layers; i++) {
    const made = layer(i, value);
    lines.push(...made.lines);
    value = made.value;
  }
  return ['ExportedProgram:', '    class GraphModule(torch.nn.Module):',
          `        def forward(self, ${all.map((part) => part.inputs).join('')}x: ${TYPE}):`,
          ...lines, `${INDENT}return (${value},)`, INDENT,
          `Graph signature: ExportGraphSignature(input_specs=[${all.map((part) => part.specs).join('')}` +
          `InputSpec(kind=<InputKind.USER_INPUT: 1>, arg=TensorArgument(name='x'), target=None, persistent=None)], ` +
          `output_specs=[OutputSpec(kind=<OutputKind.USER_OUTPUT: 1>, arg=TensorArgument(name='${value}'), target=None)])`,
          'Range constraints: {}', ''].join('\n');
}

function layerBytes() {
  const { inputs, specs } = parameters(10000);
  return `${layer(10000, 'add_9999').lines.join('\n')}\n${inputs}${specs}`.length;
}

# Models of a few nodes, by the schemas of the onnx that is installed, for broken_models.py.
from onnx_verdicts import infer

ELEMENTS = ['float', 'uint8', 'int8', 'uint16', 'int16', 'int32', 'int64', 'string', 'bool', 'float16', 'double', 'uint32',
            'uint64', 'complex64', 'complex128', 'bfloat16', 'float8e4m3fn', 'float8e4m3fnuz', 'float8e5m2',
            'float8e5m2fnuz', 'uint4', 'int4', 'float4e2m1', 'float8e8m0', 'uint2', 'int2']
DIMENSIONS = [1, 2, 3, 4, 5, 6, 8, 'N', 'M', None]
WORDS = {
    'mode': ['constant', 'reflect', 'edge', 'nearest', 'linear', 'cubic', 'DCR', 'CRD'],
    'auto_pad': ['NOTSET', 'VALID', 'SAME_UPPER', 'SAME_LOWER'],
    'direction': ['forward', 'reverse', 'bidirectional', 'LEFT', 'RIGHT'],
    'reduction': ['none', 'sum', 'mean', 'add', 'max'],
    'equation': ['ij,jk->ik', 'bij,bjk->bik', 'ii->i', '...ij->...ji', 'ij->'],
    'keep_aspect_ratio_policy': ['stretch', 'not_larger'],
}
# Inputs that are lists of numbers, and single numbers: constants more often than not.
LISTS = {'Reshape': [1], 'Expand': [1], 'Tile': [1], 'Slice': [1, 2, 3, 4], 'Pad': [1, 3], 'Unsqueeze': [1], 'Squeeze': [1],
         'Split': [1], 'ConstantOfShape': [0], 'ReduceSum': [1], 'ReduceMean': [1], 'ReduceMax': [1], 'ReduceL2': [1],
         'Resize': [3], 'TopK': [1], 'CenterCropPad': [1], 'Col2Im': [1, 2], 'AffineGrid': [1], 'MaxUnpool': [2],
         'SplitToSequence': [1]}
NUMBERS = {'Range': [0, 1, 2], 'STFT': [1, 3], 'OneHot': [1], 'Trilu': [1], 'HannWindow': [0], 'DFT': [1, 2], 'CumSum': [1],
           'NonMaxSuppression': [2], 'Dropout': [1, 2], 'Clip': [1, 2], 'SequenceAt': [1], 'SequenceErase': [1]}


class Nodes:
    """Single nodes by the schemas, with inputs that may fit each other."""

    def __init__(self, numbers):
        from onnx import defs, helper
        self.r = numbers
        self.h = helper
        self.schemas = {}
        without = ('If', 'Loop', 'Scan', 'SequenceMap', 'Gradient', 'Constant')
        for schema in defs.get_all_schemas_with_history():
            if not schema.deprecated and schema.name not in without:
                self.schemas.setdefault((schema.domain, schema.name), []).append(schema)

    def shape(self):
        return [self.r.choice(DIMENSIONS) for _ in range(self.r.choice([0, 1, 1, 2, 2, 3, 3, 4, 4, 5]))]

    def like(self, shape):
        """Mostly the same; else broadcast, shorter, longer or different."""
        shape = list(shape)
        chance = self.r.random()
        if chance < 0.55 or not shape:
            return shape
        if chance < 0.8:
            shape[self.r.randrange(len(shape))] = self.r.choice([1, 1, self.r.choice(DIMENSIONS)])
            return shape
        return shape[1:] if chance < 0.9 else shape + [self.r.choice(DIMENSIONS)]

    def element(self, word):
        return ELEMENTS.index(word) + 1

    def type_of(self, word, shape):
        """The TypeProto of "seq(tensor(float))" and the like; None for what is not made."""
        if word.startswith('tensor('):
            return self.h.make_tensor_type_proto(self.element(word[7:-1]), shape)
        if word.startswith('seq(tensor('):
            return self.h.make_sequence_type_proto(self.type_of(word[4:-1], shape))
        if word.startswith(('optional(tensor(', 'optional(seq(tensor(')):
            return self.h.make_optional_type_proto(self.type_of(word[9:-1], shape))
        return None

    def tensor(self, element, dims, least=0):
        count = 1
        for dim in dims:
            count *= dim
        values = [self.r.choice([least, 0, 1, 1, 2, 2, 3, 4]) for _ in range(count)]
        values = [str(value).encode() for value in values] if element == 8 else values
        return self.h.make_tensor('t', element, dims, values)

    def attribute(self, name, kind):
        r = self.r
        some = range(r.choice([0, 1, 1, 2, 2, 3, 4, 5]))
        if kind == 'INT' and name in ('to', 'dtype', 'stash_type', 'output_dtype'):
            return r.choice([1, 1, 2, 6, 7, 9, 10, 11, 16])
        return {
            'INT': lambda: r.choice([-2, -1, 0, 0, 1, 1, 2, 3, 4, 7]),
            'INTS': lambda: [r.choice([0, 1, 1, 2, 2, 3, -1]) for _ in some],
            'FLOAT': lambda: r.choice([0.0, 0.5, 1.0, 2.0]),
            'FLOATS': lambda: [r.choice([0.5, 1.0, 2.0]) for _ in some],
            'STRING': lambda: r.choice(WORDS.get(name, ['abc', '']) + ([''] if r.random() < 0.05 else [])),
            'STRINGS': lambda: [r.choice(['a', 'b', 'c']) for _ in some],
            'TENSOR': lambda: self.tensor(r.choice([1, 2, 6, 7, 11]), r.choice([[], [1], [1], [2], [2, 2]])),
            'TYPE_PROTO': lambda: self.h.make_tensor_type_proto(1, [2]),
        }.get(kind, lambda: None)()

    def word_of(self, param, constraints, chosen):
        words = constraints.get(param.type_str, [param.type_str])
        if param.is_homogeneous and param.type_str in chosen:
            return chosen[param.type_str]
        usual = [word for word in words if word in ('tensor(float)', 'tensor(int64)')]
        word = self.r.choice(usual if usual and self.r.random() < 0.5 else words)
        if self.r.random() < 0.01:
            word = self.r.choice(['tensor(float)', 'tensor(int64)', 'tensor(bool)'])
        elif param.is_homogeneous:
            chosen[param.type_str] = word
        return word

    def constant(self, schema, i, word):
        """A constant where one is usual; None to make an input."""
        if word not in ('tensor(int64)', 'tensor(int32)', 'tensor(float)', 'tensor(bool)', 'tensor(double)') or self.r.random() < 0.3:
            return None
        if i in NUMBERS.get(schema.name, []):
            return self.tensor(self.element(word[7:-1]), self.r.choice([[], [], [], [1]]))
        if i in LISTS.get(schema.name, []):
            return self.tensor(self.element(word[7:-1]), [self.r.choice([1, 1, 2, 2, 3, 4, 4, 5, 8])], -1)
        return None

    def inputs(self, schema, graph):
        """Names, or None where a type is not made. Fills in the graph's inputs and initializers."""
        r = self.r
        constraints = {each.type_param_str: list(each.allowed_type_strs) for each in schema.type_constraints}
        most = min(schema.max_input, len(schema.inputs) + 2)
        count = r.randint(schema.min_input, most) if most >= schema.min_input else schema.min_input
        count = 2 + r.choice([3, 4, 6, 8]) if schema.domain == 'ai.onnx.preview.training' else count
        names, first, chosen = [], None, {}
        for i in range(count):
            param = schema.inputs[min(i, len(schema.inputs) - 1)]
            if str(param.option).endswith('Optional') and r.random() < 0.25 and i + 1 < count:
                names.append('')
                continue
            word = self.word_of(param, constraints, chosen)
            constant = self.constant(schema, i, word)
            names.append(f'i{i}')
            if constant:
                constant.name = names[-1]
                graph.initializer.append(constant)
                continue
            shape = self.shape() if first is None or r.random() < 0.3 else self.like(first)
            first = shape if first is None else first
            proto = self.type_of(word, shape)
            if not proto:
                return None
            graph.input.append(self.h.make_value_info(names[-1], proto))
        return names

    def make(self):
        """(model, what it is), or None if this try is none."""
        r = self.r
        schema = r.choice(self.schemas[r.choice(sorted(self.schemas))])
        graph = self.h.make_graph([], 'g', [], [])
        names = self.inputs(schema, graph)
        if names is None:
            return None
        attributes = {name: self.attribute(name, str(each.type).rsplit('.', 1)[-1])
                      for name, each in schema.attributes.items() if each.required or r.random() < 0.45}
        if any(schema.attributes[name].required and value is None for name, value in attributes.items()):
            return None
        attributes = {name: value for name, value in attributes.items() if value is not None and value != []}
        most = max(schema.min_output, min(schema.max_output, 3))
        outputs = [f'o{i}' for i in range(r.randint(schema.min_output, most))] or ['o0']
        graph.node.append(self.h.make_node(schema.name, names, outputs, domain=schema.domain, **attributes))
        version = schema.since_version
        imports = [self.h.make_opsetid(schema.domain, version)]
        if schema.domain:
            imports.append(self.h.make_opsetid('', 18))
        model = self.h.make_model(graph, opset_imports=imports)
        model.ir_version = 10 if version >= 21 else 8
        return model, f'{schema.domain}.{schema.name}-{version}'


class Typed(Nodes):
    """Single nodes that say of their outputs what onnx finds, or something else."""

    def change(self, tensor):
        r = self.r
        dims = tensor.shape.dim
        what = r.random()
        if what < 0.6 and dims:
            dim = r.choice(dims)
            dim.dim_value = r.choice([dim.dim_value + 1, max(0, dim.dim_value - 1), 2 * dim.dim_value, 1, 3])
        elif what < 0.75 and tensor.HasField('shape'):
            dims.add(dim_value=r.choice([1, 2]))
        elif what < 0.9 and dims:
            del dims[r.randrange(len(dims))]
        else:
            tensor.elem_type = r.choice([1, 6, 7, 9, 10, 11])

    def make(self):
        import onnx
        made = super().make()
        found = infer(made[0]) if made else None
        if not found:
            return None
        found = [each for each in onnx.ModelProto.FromString(found).graph.value_info if each.type.HasField('tensor_type')]
        if not found:
            return None
        for each in found:
            output = made[0].graph.output.add()
            output.CopyFrom(each)
            if not output.type.tensor_type.HasField('shape'):
                output.type.tensor_type.shape.dim.add(dim_param='A')
            for dim in output.type.tensor_type.shape.dim:
                if not dim.HasField('dim_value'):
                    dim.dim_param = 'K' if self.r.random() < 0.7 else ''
        if self.r.random() < 0.6:
            self.change(self.r.choice(made[0].graph.output).type.tensor_type)
        return made


class Constants(Nodes):
    """Single nodes that take initializers alone, of sizes that may fit each other, and nothing else is computed."""

    words = ('tensor(float)', 'tensor(int64)', 'tensor(int32)', 'tensor(bool)', 'tensor(double)', 'tensor(uint8)',
             'tensor(int8)', 'tensor(string)')
    sizes = [1, 2, 2, 3, 3, 4, 5, 6]

    def shape(self):
        return [self.r.choice(self.sizes) for _ in range(self.r.choice([0, 1, 1, 2, 2, 3, 3, 4, 4, 5]))]

    def like(self, shape):
        return [each if isinstance(each, int) else self.r.choice(self.sizes) for each in super().like(shape)]

    def inputs(self, schema, graph):
        names = super().inputs(schema, graph)
        if names is None or not any(names) or any(not each.type.tensor_type.elem_type for each in graph.input):
            return None
        for each in graph.input:
            tensor = each.type.tensor_type
            if tensor.elem_type not in [self.element(word[7:-1]) for word in self.words]:
                return None
            dims = [dim.dim_value for dim in tensor.shape.dim]
            least = 0 if tensor.elem_type in (2, 9) else self.r.choice([-1, 0, 0, 1])
            made = self.tensor(tensor.elem_type, dims, least)
            made.name = each.name
            graph.initializer.append(made)
        del graph.input[:]
        for each in list(graph.initializer):
            self.hide(each, graph)
        return names

    def hide(self, tensor, graph):
        """Some are what a Constant gives, or what comes of another constant."""
        chance = self.r.random()
        if chance < 0.2:
            graph.node.append(self.h.make_node('Constant', [], [tensor.name], value=tensor))
            graph.initializer.remove(tensor)
        elif chance < 0.4 and tensor.data_type in (1, 6, 7, 11):
            op = 'Identity' if tensor.data_type == 6 else self.r.choice(['Identity', 'Neg', 'Abs', 'Identity'])
            graph.node.append(self.h.make_node(op, [f'{tensor.name}_before'], [tensor.name]))
            tensor.name += '_before'

    def make(self):
        made = super().make()
        if made:
            graph = made[0].graph
            graph.input.append(self.h.make_tensor_value_info('x', 1, [1]))
            graph.output.append(self.h.make_tensor_value_info('y', 1, [1]))
            graph.node.append(self.h.make_node('Identity', ['x'], ['y']))
        return made


class Calls:
    """Models of a few functions that call each other, most with one thing that does not fit."""

    ops = [('Relu', 1, {}), ('Neg', 1, {}), ('Add', 2, {}), ('Mul', 2, {}), ('Softmax', 1, {'axis': 1}), ('Shape', 1, {}),
           ('Transpose', 1, {}), ('Flatten', 1, {'axis': 1}), ('LeakyRelu', 1, {'alpha': 0.5}), ('Clip', 3, {}), ('Cast', 1, {'to': 1}),
           ('Split', 1, {'num_outputs': 2}), ('Gather', 2, {'axis': 0}), ('Foo', 1, {})]

    def __init__(self, numbers):
        from onnx import helper
        self.r = numbers
        self.h = helper

    def node(self, values, functions, name):
        """A node that takes some of the values, and the names of what it gives."""
        r = self.r
        outputs = [f'{name}_{i}' for i in range(r.choice([1, 1, 1, 2, 3]))]
        if functions and r.random() < 0.5:
            called = r.choice(functions)
            count = max(0, len(called.input) + r.choice([0, 0, 0, 0, 0, 0, -1, 1]))
            outputs = [f'{name}_{i}' for i in range(max(1, len(called.output) + r.choice([0, 0, 0, 0, 0, 0, -1, 1])))]
            inputs = [r.choice(values + [''] if r.random() < 0.1 else values) for _ in range(count)]
            node = self.h.make_node(called.name, inputs, outputs, domain=called.domain if r.random() < 0.97 else 'other')
            node.overload = called.overload if r.random() < 0.8 else r.choice(['', 'first', 'second'])
            if r.random() < 0.2 or (called.attribute and r.random() < 0.8):
                node.attribute.append(self.h.make_attribute('alpha', r.choice([0.5, 0.5, 2])))
        else:
            op, count, attributes = r.choice(self.ops if r.random() < 0.9 else self.ops[:4])
            attributes = attributes if r.random() < 0.85 else {}
            outputs = outputs if op == 'Split' else outputs[:1]
            node = self.h.make_node(op, [r.choice(values) for _ in range(count)], outputs, domain='foreign' if op == 'Foo' else '',
                                    **attributes)
            if op == 'LeakyRelu' and node.attribute and r.random() < 0.5:
                node.attribute[0].ref_attr_name = 'alpha'
                node.attribute[0].ClearField('f')
        return node, [each if r.random() < 0.95 else '' for each in outputs]

    def nodes(self, values, functions, count):
        made = []
        for i in range(count):
            node, names = self.node(values, functions, f'v{i}')
            del node.output[:]
            node.output.extend(names)
            values += [each for each in names if each]
            made.append(node)
        self.r.random() < 0.05 and self.r.shuffle(made)
        return made

    def imports(self, version):
        return [self.h.make_opsetid(domain, 1 if domain else version) for domain in ['', 'f', 'g', 'foreign'] if self.r.random() < 0.98]

    def function(self, name, functions):
        r = self.r
        inputs = [f'i{i}' for i in range(r.choice([1, 1, 2, 2, 3]))]
        values = list(inputs)
        nodes = self.nodes(values, functions, r.choice([1, 1, 2, 3]))
        outputs = [r.choice(values + ['none'] if r.random() < 0.05 else values[-3:]) for _ in range(r.choice([1, 1, 2, 3]))]
        made = self.h.make_function(r.choice(['f', 'f', 'g']), name if r.random() < 0.9 else 'F0', inputs, outputs, nodes,
                                    self.imports(r.choice([18, 18, 18, 18, 18, 17, 13, -1])), ['alpha'] if r.random() < 0.3 else [])
        made.overload = r.choice(['', '', '', 'first', 'second'])
        return made

    def make(self):
        r = self.r
        functions = []
        for i in range(r.choice([1, 2, 2, 3])):
            functions.append(self.function(f'F{i}', functions))
        shapes = [r.choice([[2, 3], [2, 3], ['N', 3], [3], []]) for _ in range(2)]
        inputs = [self.h.make_tensor_value_info(f'x{i}', r.choice([1, 1, 1, 7]), shape) for i, shape in enumerate(shapes)]
        values = ['x0', 'x1']
        nodes = self.nodes(values, functions, r.choice([1, 2, 3])) + [self.h.make_node('Identity', ['x0'], ['y'])]
        graph = self.h.make_graph(nodes, 'g', inputs, [self.h.make_tensor_value_info('y', inputs[0].type.tensor_type.elem_type, shapes[0])])
        model = self.h.make_model(graph, opset_imports=self.imports(18), functions=functions)
        model.ir_version = r.choice([10, 10, 10, 10, 9, 8, 7])
        return model, ' '.join(node.op_type for node in nodes)


class Bodies:
    """Models of one If, Loop or Scan, most with one thing in its bodies that does not fit."""

    def __init__(self, numbers):
        from onnx import helper
        self.r = numbers
        self.h = helper

    def info(self, name, element=1, shape=(2, 3), is_typed=True):
        r = self.r
        if r.random() < 0.02:
            element = r.choice([1, 6, 7, 9, 11])
        shape = list(shape)
        if r.random() < 0.05:
            shape = r.choice([shape[1:], [*shape, 1], ['N', *shape[1:]], [7, *shape[1:]], None])
        if not is_typed or r.random() < 0.02:
            return self.h.make_empty_tensor_value_info(name) if hasattr(self.h, 'make_empty_tensor_value_info') else self.h.make_value_info(name, None)
        return self.h.make_tensor_value_info(name, element, shape)

    def step(self, values, output):
        """A node that makes a float[2, 3] of such values, mostly."""
        r = self.r
        odd = ['Transpose', 'Concat', 'ReduceSum', 'Foo']
        op = r.choice(odd if r.random() < 0.04 else ['Relu', 'Neg', 'Add', 'Mul', 'Identity', 'Softmax', 'Cast'])
        values = [*values, 'none'] if r.random() < 0.02 else values
        first = r.choice(values)
        if op in ('Add', 'Mul'):
            return self.h.make_node(op, [first, r.choice(values)], [output])
        if op == 'Softmax':
            return self.h.make_node(op, [first], [output], axis=r.choice([1, 1, 0, -1, -1, 0, 1, 4]))
        if op == 'Cast':
            return self.h.make_node(op, [first], [output], to=r.choice([1] * 12 + [7, 11]))
        if op == 'Concat':
            return self.h.make_node(op, [first, first], [output], axis=r.choice([0, 1, 5]))
        return self.h.make_node(op, [first], [output])

    def body(self, name, inputs, values, count, extra_nodes=()):
        """Inputs are infos; it gives as many outputs, which `extra_nodes` may have made."""
        r = self.r
        known = [each.name for each in inputs if each.type.tensor_type.elem_type == 1] + values
        nodes, made = list(extra_nodes), []
        for i in range(count):
            output = f'{name}_v{i}' if r.random() < 0.98 else r.choice(['x', 'y', f'{name}_v0'])
            nodes.append(self.step(known or ['x'], output))
            made.append(output)
            known.append(output)
        return nodes, made

    def graph(self, name, nodes, inputs, outputs):
        r = self.r
        initializers = []
        if r.random() < 0.1:
            initializers.append(self.h.make_tensor(r.choice(['w', 'x', f'{name}_v0']), 1, [2, 3], [1.0] * 6))
        if r.random() < 0.04 and outputs:
            outputs = outputs[:-1] if r.random() < 0.5 else [*outputs, outputs[0]]
        if r.random() < 0.04 and inputs:
            inputs = inputs[:-1] if r.random() < 0.5 else [*inputs, self.info(f'{name}_more')]
        if r.random() < 0.02:
            r.shuffle(nodes)
        return self.h.make_graph(nodes, name if r.random() < 0.98 else '', inputs, outputs, initializers)

    def if_node(self):
        r = self.r
        condition = r.choice(['c', 'c', 'c', 'c', 'true', 'false', 'x'] if r.random() < 0.3 else ['c', 'true', 'false'])
        count = r.choice([1, 1, 2])
        branches = {}
        for branch in ('then', 'else'):
            nodes, made = self.body(branch, [], ['x', 'x1'], count)
            inputs = [self.info(f'{branch}_in')] if r.random() < 0.03 else []
            branches[f'{branch}_branch'] = self.graph(branch, nodes, inputs, [self.info(each) for each in made])
        if r.random() < 0.03:
            branches.pop('else_branch')
        return self.h.make_node('If', [condition], [f'y{i}' for i in range(self.near(count))], **branches)

    def near(self, count):
        return max(0, count + self.r.choice([0] * 28 + [1, -1]))

    def loop_node(self):
        r = self.r
        carried, scanned = r.choice([0, 1, 1, 2]), r.choice([0, 0, 1])
        is_typed = r.random() < 0.7
        inputs = [self.info('iteration', 7, []), self.info('going', 9, [])]
        inputs += [self.info(f'carried{i}', 1, (2, 3), is_typed) for i in range(carried)]
        known = [f'carried{i}' for i in range(carried)]
        nodes, made = self.body('body', inputs, [*known, 'x'], carried + scanned)
        more = 'going' if r.random() < 0.05 else 'more'
        if more == 'more':
            nodes.append(self.h.make_node(r.choice(['Identity', 'Identity', 'Not', 'Not', 'Cast']), ['going'], ['more']))
            if nodes[-1].op_type == 'Cast':
                nodes[-1].attribute.append(self.h.make_attribute('to', r.choice([9, 9, 9, 7])))
        outputs = [self.info(more, 9, [])] + [self.info(each) for each in made]
        given = [r.choice(['', 'c', 'x']) if r.random() < 0.15 else 'n', r.choice(['c', 'c', 'c', 'c', 'c', '', 'n', 'true', 'false'])]
        given += [r.choice(['x', 'x1']) for _ in range(self.near(carried))]
        return self.h.make_node('Loop', given, [f'y{i}' for i in range(self.near(carried + scanned))], body=self.graph('body', nodes, inputs, outputs))

    def scan_node(self, version):
        r = self.r
        states, scanned = r.choice([0, 1, 1]), r.choice([1, 1, 2])
        inputs = [self.info(f's{i}') for i in range(states)] + [self.info(f'e{i}', 1, (3,)) for i in range(scanned)]
        known = [f'e{i}' for i in range(scanned)]
        nodes, made = self.body('body', inputs, known, 1)
        outputs = [f's{i}' for i in range(states)] + made
        if states and r.random() < 0.7:
            nodes.append(self.h.make_node('Add', ['s0', 'e0'], ['s0_next']))
            outputs[0] = 's0_next'
        infos = [self.info(each, 1, (2, 3) if i < states else (3,)) for i, each in enumerate(outputs)]
        more = {'num_scan_inputs': self.near(scanned)}
        if r.random() < 0.3:
            more[r.choice(['scan_input_axes', 'scan_output_axes', 'scan_input_directions', 'scan_output_directions'])] = \
                [r.choice([0, 0, 1, -1, 2, 5]) for _ in range(self.near(scanned))]
        given = [r.choice(['x', 'x1']) for _ in range(self.near(states + scanned))]
        given = [''] + given if version < 9 else given
        return self.h.make_node('Scan', given, [f'y{i}' for i in range(self.near(len(outputs)))], body=self.graph('body', nodes, inputs, infos), **more)

    def make(self):
        r = self.r
        version = r.choice([8, 9, 11, 13, 15, 16, 17, 18, 18, 19, 21, 22])
        kind = r.choice(['If', 'Loop', 'Loop', 'Scan'])
        node = {'If': self.if_node, 'Loop': self.loop_node, 'Scan': lambda: self.scan_node(version)}[kind]()
        h = self.h
        inputs = [h.make_tensor_value_info('x', 1, [2, 3]), h.make_tensor_value_info('x1', 1, r.choice([[2, 3], ['N', 3], [2, 'M'], [4, 2, 3]])),
                  h.make_tensor_value_info('c', 9, r.choice([[], [1], [2]])), h.make_tensor_value_info('n', 7, r.choice([[], [1]]))]
        constants = [h.make_tensor('true', 9, [], [True]), h.make_tensor('false', 9, r.choice([[], [1]]), [False])]
        outputs = []
        for name in node.output[:r.choice([1, 2, 2])]:
            outputs.append(self.info(name, 1, r.choice([(2, 3), ('A', 'B'), ('A', 'B', 'C'), ('A', 2, 3)])) if r.random() < 0.96 else h.make_empty_tensor_value_info(name))
        if not outputs or r.random() < 0.1:
            outputs.append(h.make_tensor_value_info('x', 1, [2, 3]))
        nodes = [node]
        if node.output and r.random() < 0.3:
            nodes.append(h.make_node('Transpose', [node.output[0]], ['after'], perm=r.choice([[1, 0], [0, 2, 1], [0]])))
        graph = h.make_graph(nodes, 'g', inputs, outputs, constants)
        model = h.make_model(graph, opset_imports=[h.make_opsetid('', version)])
        model.ir_version = 10 if version >= 21 else 8
        return model, f'{kind}-{version}'

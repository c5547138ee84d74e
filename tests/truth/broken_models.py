# Makes models that nobody has looked at, most of them broken, and asks onnx what it thinks of each; and compares that
# with what `onnxls check` says.
#   broken_models.py make KIND SEED COUNT FOLDER [MODELS]   by a Python with onnx
#   broken_models.py load FOLDER                            by a Python with onnxruntime
#   broken_models.py compare ONNXLS FOLDER [RUNTIME]
# KIND: `nodes` is single nodes of any operator and version, `typed` is such nodes with types of their outputs, `constants` is such nodes all of whose inputs are
# initializers, which a session computes when it loads them, `calls` is functions that call each other, `models` is
# models below the folder MODELS with one field or two of any message changed, `mistakes` is such models with a mistake
# that people make, `external` is models whose tensors lie in files beside them, changed in the same way, `bodies` is an
# If, a Loop or a Scan, `texts` is what onnx prints of models with a token or two changed. Each is judged in a process of
# its own, because some make onnx crash. `load` makes a session of each; a RUNTIME as `1.23` compares with what that said.
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys

LARGEST_BASE = 20_000
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


def is_repeated(field):
    """Versions of protobuf ask otherwise."""
    return field.is_repeated if hasattr(field, 'is_repeated') else field.label == field.LABEL_REPEATED


class Models:
    """Real models with one field or two changed: any field of any message."""

    def __init__(self, numbers, folder):
        self.r = numbers
        self.paths = [path for path in sorted(pathlib.Path(folder).rglob('*.onnx')) if path.stat().st_size < LARGEST_BASE]

    def base(self):
        import onnx
        path = self.r.choice(self.paths)
        return onnx.load(path, load_external_data=False), f'{path.parent.name}/{path.name}'

    def messages(self, message):
        found = [message]
        for field, value in message.ListFields():
            if field.message_type is not None:
                for inner in value if is_repeated(field) else [value]:
                    found += self.messages(inner)
        return found

    def value(self, field, messages):
        r = self.r
        if field.name in ('data_type', 'elem_type', 'key_type'):
            return r.choice([0, 1, 2, 6, 7, 8, 9, 10, 11, 16, 17, 22, 23, 27, 99])
        if field.name in ('ir_version', 'version'):
            return r.choice([-1, 0, 1, 2, 3, 5, 7, 8, 9, 10, 11, 13, 17, 18, 21, 25, 26, 99])
        if field.cpp_type in (field.CPPTYPE_INT32, field.CPPTYPE_INT64, field.CPPTYPE_UINT64, field.CPPTYPE_UINT32):
            return r.choice([0, 1, 2, 3, 4, 5, 8, 2**31] + ([-1, -2] if field.cpp_type in (field.CPPTYPE_INT32, field.CPPTYPE_INT64) else []))
        if field.cpp_type == field.CPPTYPE_ENUM:
            return r.choice([each.number for each in field.enum_type.values])
        if field.cpp_type in (field.CPPTYPE_FLOAT, field.CPPTYPE_DOUBLE):
            return r.choice([0.0, 1.0, -1.0, 0.5])
        if field.type == field.TYPE_BYTES:
            return r.choice([b'', b'abc', b'NOTSET', b'\0\1\2\3'])
        nodes = [each for each in messages if each.DESCRIPTOR.name == 'NodeProto']
        names = [name for node in nodes for name in [*node.input, *node.output, node.op_type]]
        return r.choice(['', 'new_name', 'axis', 'axes', 'value', 'ai.onnx.ml', 'com.microsoft'] + names)

    def change_list(self, message, field, same, messages):
        items = getattr(message, field.name)
        at = self.r.randrange(len(items)) if items else 0
        what = self.r.choice(['remove', 'repeat', 'add', 'replace', 'clear'])
        if what in ('remove', 'replace') and items:
            del items[at]
        if what == 'clear':
            del items[:]
        if field.message_type is None and what in ('add', 'replace'):
            items.append(self.value(field, messages))
        elif field.message_type is None and what == 'repeat' and items:
            items.append(items[at])
        elif what == 'repeat' and items:
            items.add().CopyFrom(items[at])
        elif what in ('add', 'replace') and same:
            items.add().CopyFrom(self.r.choice(same))
        return what

    def change(self, model):
        r = self.r
        messages = self.messages(model)
        kind = r.choice(sorted({each.DESCRIPTOR.name for each in messages}))
        message = r.choice([each for each in messages if each.DESCRIPTOR.name == kind])
        present = [field for field, _ in message.ListFields()]
        field = r.choice(present if present and r.random() < 0.8 else list(message.DESCRIPTOR.fields))
        same = [type(each).FromString(each.SerializeToString()) for each in messages if each.DESCRIPTOR == field.message_type]
        what = 'clear'
        if is_repeated(field):
            what = self.change_list(message, field, same, messages)
        elif r.random() < 0.25:
            message.ClearField(field.name)
        elif field.message_type is None:
            what = 'set'
            setattr(message, field.name, self.value(field, messages))
        elif same:
            what = 'replace'
            getattr(message, field.name).CopyFrom(r.choice(same))
        return f'{kind}.{field.name}: {what}'

    def make(self):
        model, name = self.base()
        before = model.SerializeToString()
        changes = [self.change(model) for _ in range(2 if self.r.random() < 0.15 else 1)]
        return (model, f'{name} {changes}') if model.SerializeToString() != before else None


class External(Models):
    """Models whose initializers and constants lie in a file beside them, often with its small whole numbers changed."""

    def move(self, tensor, data):
        from onnx import numpy_helper
        if tensor.data_type == 8 or not tensor.dims or len(tensor.external_data) > 0:
            return False
        values = numpy_helper.to_array(tensor)
        if values.dtype in ('int64', 'int32') and values.size and self.r.random() < 0.3:
            values = values.copy()
            values.flat[self.r.randrange(values.size)] = self.r.choice([-2, -1, 0, 1, 2, 3, 5, 7])
        moved = numpy_helper.from_array(values, tensor.name)
        start, length = len(data), len(moved.raw_data)
        data += moved.raw_data + bytes(self.r.choice([0, 0, 3]))
        moved.ClearField('raw_data')
        moved.data_location = 1
        entries = [('location', 'data.bin'), ('offset', start), ('length', length)]
        for key, value in entries if start or self.r.random() < 0.7 else entries[:1]:
            moved.external_data.add(key=key, value=str(value))
        tensor.CopyFrom(moved)
        return True

    def base(self):
        made = super().base() if self.r.random() < 0.4 else self.r.choice([Nodes, Constants])(self.r).make()
        return made if made else self.base()

    def make(self):
        model, name = self.base()
        data = bytearray()
        tensors = [each for each in self.messages(model) if each.DESCRIPTOR.name == 'TensorProto']
        if not [each for each in tensors if self.move(each, data)]:
            return None
        changes = [self.change(model)] if self.r.random() < 0.4 else []
        if self.r.random() < 0.1:
            del data[self.r.randrange(len(data) + 1):]
            changes.append('cut')
        return model, f'{name} {changes}', bytes(data)


class Mistakes(Models):
    """Real models with one mistake that people make: a value of another type, a weight of another shape, an older opset."""

    narrow = {'float': 'float16', 'int64': 'int32', 'int32': 'int64', 'float16': 'float', 'double': 'float', 'bool': 'uint8'}

    def graphs(self, model):
        return [each for each in self.messages(model) if each.DESCRIPTOR.name == 'GraphProto']

    def nodes_of(self, model):
        return [(graph, node) for graph in self.graphs(model) for node in graph.node]

    def node(self, model):
        return self.r.choice(self.nodes_of(model))

    def other_value(self, model):
        """An input of a node becomes another value, or a name that nothing has."""
        graph, node = self.node(model)
        names = [name for _, each in self.nodes_of(model) for name in [*each.input, *each.output] if name]
        if node.input:
            node.input[self.r.randrange(len(node.input))] = self.r.choice([*names, *names, node.input[0] + '_1', ''])

    def swap_inputs(self, model):
        _, node = self.node(model)
        if len(node.input) > 1:
            i, j = self.r.sample(range(len(node.input)), 2)
            node.input[i], node.input[j] = node.input[j], node.input[i]

    def count_of_inputs(self, model):
        _, node = self.node(model)
        names = node.input if self.r.random() < 0.7 else node.output
        if self.r.random() < 0.5 and names:
            names.pop()
        else:
            names.append(self.r.choice([*node.input, *node.output]) if names is node.input else 'more')

    def lose_node(self, model):
        graph, node = self.node(model)
        graph.node.remove(node)

    def repeat_node(self, model):
        graph, node = self.node(model)
        graph.node.add().CopyFrom(node)
        if self.r.random() < 0.5:
            graph.node[-1].name += '_again'

    def order(self, model):
        graph = self.r.choice(self.graphs(model))
        nodes = [type(each).FromString(each.SerializeToString()) for each in graph.node]
        nodes.insert(0, nodes.pop(self.r.randrange(len(nodes)))) if nodes else None
        del graph.node[:]
        graph.node.extend(nodes)

    def written_type(self, model):
        """Of an input, an output or a value between: another element type, size or rank."""
        infos = [each for graph in self.graphs(model) for each in [*graph.input, *graph.output, *graph.output, *graph.value_info]]
        info = self.r.choice(infos)
        tensor = info.type.tensor_type
        what = self.r.random()
        if what < 0.3:
            tensor.elem_type = self.r.choice([1, 6, 7, 9, 10, 11, 16])
        elif what < 0.5 and tensor.shape.dim:
            tensor.shape.dim[self.r.randrange(len(tensor.shape.dim))].dim_value = self.r.choice([1, 2, 3, 7, 0, -1])
        elif what < 0.6 and tensor.shape.dim:
            tensor.shape.dim[self.r.randrange(len(tensor.shape.dim))].dim_param = self.r.choice(['batch', 'N', ''])
        elif what < 0.7 and tensor.shape.dim:
            tensor.shape.dim.pop()
        elif what < 0.8:
            tensor.shape.dim.insert(0, tensor.shape.dim.add()) if hasattr(tensor.shape.dim, 'insert') else tensor.shape.dim.add(dim_value=2)
        elif what < 0.9:
            tensor.ClearField('shape')
        else:
            info.ClearField('type')

    def between(self, model):
        """Types of values between as onnx finds them, one of them changed mostly."""
        found = infer(model)
        infos = [each for each in model.FromString(found).graph.value_info if each.type.tensor_type.shape.dim] if found else []
        if not infos:
            return
        del model.graph.value_info[:]
        model.graph.value_info.extend(infos)
        info = self.r.choice(model.graph.value_info)
        dims = info.type.tensor_type.shape.dim
        what = self.r.random()
        if what < 0.5:
            self.r.choice(dims).dim_value = self.r.choice([1, 2, 3, 4, 8])
        elif what < 0.65:
            dims.add(dim_value=1)
        elif what < 0.8:
            info.type.tensor_type.elem_type = self.r.choice([1, 6, 7, 9, 10, 11])
        elif what < 0.9:
            del dims[0]

    def weight(self, model):
        """Of other sizes, cut, or of another type: what its values are made of, or only what it says."""
        from onnx import numpy_helper
        tensors = [each for each in self.messages(model) if each.DESCRIPTOR.name == 'TensorProto']
        if not tensors:
            return
        tensor = self.r.choice(tensors)
        what = self.r.random()
        if what < 0.2 and tensor.dims:
            i = self.r.randrange(len(tensor.dims))
            tensor.dims[i] = self.r.choice([tensor.dims[i] + 1, max(0, tensor.dims[i] - 1), 1, 0, -1])
        elif what < 0.3 and len(tensor.dims) > 1:
            turned = list(tensor.dims)[::-1]
            del tensor.dims[:]
            tensor.dims.extend(turned)
        elif what < 0.4:
            tensor.dims.append(1) if self.r.random() < 0.5 or not tensor.dims else tensor.dims.pop()
        elif what < 0.55:
            tensor.data_type = self.r.choice([*range(1, 27), 0, 27])
        elif what < 0.75:
            values = numpy_helper.to_array(tensor)
            raw = numpy_helper.from_array(values, tensor.name)
            cut = self.r.choice([1, 1, 2, 4, 8])
            raw.raw_data = self.r.choice([raw.raw_data[:-cut], raw.raw_data + bytes(cut), raw.raw_data[:len(raw.raw_data) // 2], b''])
            tensor.CopyFrom(raw)
        else:
            values = numpy_helper.to_array(tensor).astype(self.r.choice(['float16', 'float64', 'int64', 'int32', 'float32', 'bool', 'uint8']))
            tensor.CopyFrom(numpy_helper.from_array(values, tensor.name))

    def small_weight(self, model):
        """One of a type of few bits, with raw data that may be of another length."""
        r = self.r
        graph = model.graph
        element = r.choice([*range(16, 27), 16, 21, 22])
        bits = {16: 16, 21: 4, 22: 4, 23: 4, 25: 2, 26: 2}.get(element, 8)
        dims = r.choice([[4], [2, 3], [3], [1], [], [5]])
        count = 1
        for dim in dims:
            count *= dim
        tensor = graph.initializer.add(name='few_bits', data_type=element, dims=dims)
        length = max(0, (count * bits + 7) // 8 + r.choice([0, 0, 0, -1, 1, count]))
        if r.random() < 0.7:
            tensor.raw_data = bytes(length)
        else:
            tensor.int32_data.extend([r.choice([0, 1, 255, 256, -1, 70000]) if r.random() < 0.2 else 1 for _ in range(length)])
        from onnx import helper
        if r.random() < 0.5:
            graph.node.append(helper.make_node('Cast', ['few_bits'], ['wide'], to=1))
        elif r.random() < 0.7:
            graph.initializer.append(helper.make_tensor('few_scale', r.choice([1, 1, 10, 16]), [], [1.0]))
            graph.node.append(helper.make_node('DequantizeLinear', ['few_bits', 'few_scale'], ['wide']))
        else:
            return
        if r.random() < 0.5:
            graph.output.append(helper.make_tensor_value_info('wide', 1, dims))

    def opset(self, model):
        r = self.r
        if not model.opset_import:
            return
        imported = r.choice(model.opset_import)
        what = r.random()
        if what < 0.7:
            imported.version = r.choice([5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 21, 22, 23])
        elif what < 0.8:
            model.opset_import.remove(imported)
        elif what < 0.9:
            model.opset_import.add(domain=r.choice(['', 'ai.onnx', 'ai.onnx.ml', 'com.microsoft']), version=r.choice([1, 2, 9, 13, 18]))
        else:
            imported.domain = r.choice(['ai.onnx', 'com.microsoft', 'onnx', 'ai.onnx.ml'])

    def attribute_of_node(self, model):
        r = self.r
        _, node = self.node(model)
        if not node.attribute or r.random() < 0.15:
            node.attribute.add(name=r.choice(['axis', 'axes', 'keepdims', 'alpha', 'to', 'perm', 'value', 'group', 'pads']), type=r.choice([2, 1, 7]))
            return
        attr = r.choice(node.attribute)
        what = r.random()
        if what < 0.15:
            node.attribute.remove(attr)
        elif what < 0.25:
            attr.name = r.choice([attr.name + 's', attr.name.rstrip('s'), attr.name.upper(), 'axis', 'dim'])
        elif what < 0.35:
            attr.type = r.choice([1, 2, 3, 6, 7, 4])
        elif what < 0.45:
            for field in ('i', 'f', 's', 'ints', 'floats'):
                attr.ClearField(field)
        elif attr.type == 2:
            attr.i += r.choice([-2, -1, 1, 2, 5])
        elif attr.type == 7 and attr.ints:
            i = r.randrange(len(attr.ints))
            attr.ints[i] = r.choice([attr.ints[i] + 1, attr.ints[i] - 1, 0, -1, 7])
            if r.random() < 0.4:
                attr.ints.append(1) if r.random() < 0.5 else attr.ints.pop()
        elif attr.type == 3:
            attr.s = r.choice([b'', b'abc', attr.s.upper(), attr.s.lower()])
        elif attr.type == 1:
            attr.f = r.choice([0.0, -1.0, 2.0])

    def operator(self, model):
        r = self.r
        _, node = self.node(model)
        ops = ['Add', 'Mul', 'MatMul', 'Gemm', 'Relu', 'Cast', 'Concat', 'Reshape', 'Squeeze', 'Unsqueeze', 'Conv', 'Where', 'Gather', 'ReduceMean',
               'Gelu', 'LayerNormalization', 'Erf', 'Pow', 'Softmax', 'Slice', 'Transpose', 'Split', 'Clip', 'Shape', 'Range', 'aten', 'Mish']
        if r.random() < 0.3:
            node.domain = r.choice(['com.microsoft', 'ai.onnx', 'custom', 'org.pytorch.aten', 'ai.onnx.ml'])
            if r.random() < 0.5:
                model.opset_import.add(domain=node.domain, version=1)
            node.op_type = r.choice([node.op_type, node.op_type, 'FusedMatMul', 'Gelu', 'BiasGelu', 'ATen', 'QuickGelu', 'Inverse', 'NoSuchOp'])
        else:
            node.op_type = r.choice([*ops, node.op_type.lower(), node.op_type + '2'])

    def names(self, model):
        """Two values of one name, or none: an output like another, an input like an initializer, an empty one."""
        r = self.r
        graph = r.choice(self.graphs(model))
        lists = [each for each in (graph.input, graph.output, graph.initializer, graph.value_info) if each]
        names = [each.name for some in lists for each in some] + [name for node in graph.node for name in node.output]
        what = r.random()
        if what < 0.4 and graph.node and names:
            node = r.choice(graph.node)
            if node.output:
                node.output[r.randrange(len(node.output))] = r.choice([*names, ''])
        elif what < 0.7 and lists and names:
            r.choice(r.choice(lists)).name = r.choice([*names, '', 'other'])
        elif what < 0.85 and lists:
            some = r.choice(lists)
            some.add().CopyFrom(r.choice(some))
        else:
            graph.name = r.choice(['', graph.name])
            for node in graph.node:
                node.name = 'same'

    def header(self, model):
        r = self.r
        if r.random() < 0.7:
            model.ir_version = r.choice([3, 3, 4, 5, 6, 7, 8, 9, 10, 11])
        elif r.random() < 0.5:
            model.ClearField('ir_version')
        else:
            del model.opset_import[:]

    def quantized(self, model):
        """A pair of QuantizeLinear and DequantizeLinear behind an input, with scales and zero points that may not fit."""
        from onnx import helper
        r = self.r
        graph = model.graph
        inputs = [each for each in graph.input if each.type.tensor_type.elem_type == 1]
        if not inputs:
            return
        chosen = r.choice(inputs)
        rank = len(chosen.type.tensor_type.shape.dim)
        dims = r.choice([[], [], [], [1], [max(1, chosen.type.tensor_type.shape.dim[r.randrange(rank)].dim_value)] if rank else [], [3], [2] * rank])
        count = 1
        for dim in dims:
            count *= dim
        zero = r.choice([2, 2, 3, 3, 6, 4, 5, 17, 21, 22, 23])
        graph.initializer.append(helper.make_tensor('q_scale', r.choice([1, 1, 1, 1, 10, 11]), dims, [1.0] * count))
        graph.initializer.append(helper.make_tensor('q_zero', zero, dims if r.random() < 0.9 else [], [0] * (count if r.random() < 0.9 else 1)))
        more = {}
        if r.random() < 0.5:
            more['axis'] = r.choice([0, 1, -1, rank, 7])
        if r.random() < 0.2:
            more['block_size'] = r.choice([0, 1, 2, 3, -1])
        if r.random() < 0.2:
            more['output_dtype'] = r.choice([2, 3, 1])
        given = ['q_scale'] + (['q_zero'] if r.random() < 0.85 else [])
        nodes = [helper.make_node('QuantizeLinear', [chosen.name, *given], ['q_values'], **more)]
        more.pop('output_dtype', None)
        nodes.append(helper.make_node('DequantizeLinear', ['q_values', *(given if r.random() < 0.9 else given[:1])], ['q_back'], **more))
        for node in graph.node:
            for i, name in enumerate(node.input):
                if name == chosen.name:
                    node.input[i] = 'q_back'
        for node in reversed(nodes):
            before = [type(each).FromString(each.SerializeToString()) for each in graph.node]
            del graph.node[:]
            graph.node.extend([node, *before])

    def make(self):
        model, name = self.base()
        before = model.SerializeToString()
        whats = [self.other_value, self.swap_inputs, self.count_of_inputs, self.lose_node, self.repeat_node, self.order, self.written_type,
                 self.written_type, self.between, self.between, self.weight, self.weight, self.small_weight, self.opset, self.opset, self.attribute_of_node,
                 self.attribute_of_node, self.operator, self.names, self.header, self.quantized, self.quantized]
        chosen = self.r.choice(whats)
        if not self.nodes_of(model):
            return None
        chosen(model)
        return (model, f'{name} {chosen.__name__}') if model.SerializeToString() != before else None


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


class Texts(Models):
    """Texts of real models with a token or two changed."""

    token = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_][\w.]*|-?[0-9][0-9.eE+-]*|=>|\s+|.', re.S)
    words = ['float', 'int64', 'x', 'y', 'Relu', 'axis', '"q"', '0', '1', '-1', '2.5', '?', '@alpha', 'seq', 'nan', '#', '(', ')',
             '{', '}', '[', ']', '<', '>', ',', ':', '=', '.', '=>']

    def change_text(self, text):
        r = self.r
        tokens = self.token.findall(text)
        solid = [i for i, each in enumerate(tokens) if each.strip()]
        numbers = [i for i in solid if re.match('-?[0-9]', tokens[i])]
        names = [i for i in solid if re.match('[A-Za-z_"]', tokens[i])]
        at = r.choice(solid)
        chance = r.random()
        if chance < 0.35 and numbers:
            tokens[r.choice(numbers)] = r.choice(['0', '1', '-1', '2', '3', '7', '99', '3.5'])
        elif chance < 0.65 and names:
            tokens[r.choice(names)] = tokens[r.choice(names)]
        elif chance < 0.75:
            tokens[at] = ''
        elif chance < 0.85:
            tokens[at] = r.choice(self.words)
        else:
            tokens.insert(at, f' {r.choice(self.words)} ')
        return ''.join(tokens)

    def make(self):
        import onnx
        model, name = self.base()
        text = before = onnx.printer.to_text(model)
        for _ in range(2 if self.r.random() < 0.15 else 1):
            text = self.change_text(text)
        return (text, name) if text != before and '\0' not in text else None


def refusal(sample):
    """What onnx says of a model, of one in a file, or a text; empty if it takes it."""
    import onnx
    try:
        model = onnx.parser.parse_model(sample) if isinstance(sample, str) else sample
        onnx.checker.check_model(str(model) if isinstance(model, pathlib.Path) else model, full_check=True)
    except Exception as error:
        return f'{type(error).__name__}: {str(error)[:300]}'
    return ''


def refusal_to_load(path):
    """What a session says of the model in a file; empty if it takes it."""
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    try:
        onnxruntime.InferenceSession(str(path), options, providers=['CPUExecutionProvider'])
    except Exception as error:
        return f'{type(error).__name__}: {str(error)[:300]}'
    return ''


def apart(work):
    """What work() gives in a process of its own, as bytes; None if that crashed."""
    end, begin = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os.write(begin, work())
        os._exit(0)
    os.close(begin)
    with open(end, 'rb') as answer:
        said = answer.read()
    return said if os.waitpid(child, 0)[1] == 0 else None


def judge(sample, refusal=refusal):
    said = apart(lambda: refusal(sample).encode('utf-8', 'replace'))
    return None if said is None else said.decode('utf-8', 'replace')


def infer(model):
    """A model, with the types that onnx finds, as bytes; None if it finds none."""
    from onnx import shape_inference

    def work():
        try:
            return shape_inference.infer_shapes(model).SerializeToString()
        except Exception:
            return b''
    return apart(work) or None


def make(kind, seed, count, folder, models=None):
    numbers = random.Random(int(seed))
    makers = {'nodes': Nodes, 'typed': Typed, 'constants': Constants, 'calls': Calls, 'models': Models, 'external': External,
              'texts': Texts, 'mistakes': Mistakes, 'bodies': Bodies}
    maker = makers[kind](numbers, models) if models else makers[kind](numbers)
    out = pathlib.Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    rows = []
    while len(rows) < int(count):
        try:
            made = maker.make()
        except (TypeError, ValueError):  # What Python's protobuf does not let itself be told.
            made = None
        if not made:
            continue
        sample, what, *data = made
        path = out / f'{len(rows):05d}.{"onnxtxt" if kind == "texts" else "onnx"}'
        if data:
            path = out / f'{len(rows):05d}' / 'model.onnx'
            path.parent.mkdir(exist_ok=True)
            (path.parent / 'data.bin').write_bytes(data[0])
        path.write_bytes(sample.encode() if kind == 'texts' else sample.SerializeToString())
        rows.append({'file': str(path.relative_to(out)), 'what': what, 'says': judge(path if data else sample)})
    (out / 'verdicts.json').write_text(json.dumps(rows, indent=0))
    print(f'{len(rows)} made, {sum(bool(row["says"]) for row in rows)} refused')


def load(folder):
    """Adds to the verdicts what this Python's onnxruntime says, as `1.23` and the like."""
    import onnxruntime
    version = '.'.join(onnxruntime.__version__.split('.')[:2])
    path = pathlib.Path(folder, 'verdicts.json')
    rows = json.loads(path.read_text())
    for row in rows:
        row[version] = judge(path.parent / row['file'], refusal_to_load)
    path.write_text(json.dumps(rows, indent=0))
    print(f'{len(rows)} loaded, {sum(bool(row[version]) for row in rows)} refused by {version}')


def compare(onnxls, folder, runtime=None):
    """Prints what is judged otherwise; the number of errors where there is none."""
    flags = ['--runtime', f'onnxruntime {runtime}'] if runtime else []
    run = subprocess.run([os.path.abspath(onnxls), 'check', *flags, '--no-cache', '--format', 'jsonl', '.'], cwd=folder,
                         capture_output=True, encoding='utf-8', errors='replace')
    errors = {}
    for line in run.stdout.splitlines():
        row = json.loads(line)
        if row.get('severity') == 'error':
            errors.setdefault(os.path.relpath(os.path.join(folder, row['file']), folder), f'{row["line"]}: {row["message"]} [{row["rule"]}]')
    if run.returncode not in (0, 1, 2):
        sys.exit(f'onnxls ended with {run.returncode}: {run.stderr[-400:]}')
    rows = json.loads(pathlib.Path(folder, 'verdicts.json').read_text())
    for row in rows if runtime else []:
        row['says'] = row['says'] if row[runtime] == '' else row[runtime]
    false = [row for row in rows if row['says'] == '' and row['file'] in errors]
    missed = [row for row in rows if row['says'] and row['file'] not in errors]
    for row in false:
        print(f'FALSE  {row["file"]} {row["what"]} | {errors[row["file"]]}')
    for row in missed:
        print(f'MISSED {row["file"]} {row["what"]} | {row["says"][:300]}'.replace('\n', ' '))
    print(f'{len(rows)} made, {sum(bool(row["says"]) for row in rows)} refused, {len(false)} false, {len(missed)} missed')
    return len(false)


if __name__ == '__main__':
    if sys.argv[1] == 'make':
        make(*sys.argv[2:])
    elif sys.argv[1] == 'load':
        load(*sys.argv[2:])
    else:
        sys.exit(1 if compare(*sys.argv[2:]) else 0)

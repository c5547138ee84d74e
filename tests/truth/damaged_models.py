# Good models and texts with something in them changed, for broken_models.py.
import pathlib
import re

from broken_nodes import Constants, Nodes
from onnx_verdicts import infer

LARGEST_BASE = 20_000


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

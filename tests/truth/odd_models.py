# Small models that use something rare, or given ones, with one thing in them changed that other makers of broken_models.py leave alone:
# what stands beside the nodes (types, sparse weights, training, metadata, imports), how functions and bodies are
# called, and how tensors are stored, down to the bytes of the file.
import pathlib

from damaged_models import LARGEST_BASE
from odd_bases import texts
from odd_bytes import Bytes
from odd_tensors import Tensors
from onnx_verdicts import apart

NAMES = ['', 'x', 'y', 'm', 'w', 'a', 'b', 's', 'new', 'x_scale']
DOMAINS = ['', 'ai.onnx', 'ai.onnx.ml', 'com.microsoft', 'local', 'ai.onnx.preview.training', 'custom', 'AI.ONNX']
VERSIONS = [-1, 0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 16, 17, 18, 21, 22, 24, 25, 26, 99]


class Odd(Bytes, Tensors):
    """What is changed is told by the name of the function that does it."""

    def __init__(self, numbers, folder=None):
        import onnx
        self.r = numbers
        self.onnx = onnx
        paths = [path for path in sorted(pathlib.Path(folder).rglob('*.onnx')) if path.stat().st_size < LARGEST_BASE] if folder else []
        self.bases = {path.stem: onnx.load(path, load_external_data=False) for path in paths}
        self.bases = self.bases or {name: onnx.parser.parse_model(text) for name, text in texts()}
        self.changes = [each[7:] for each in dir(self) if each.startswith('change_')]

    # --- Parts ---

    def graphs(self, model):
        found = [model.graph]
        for graph in found:
            for node in graph.node:
                found += [each.g for each in node.attribute if each.type == each.GRAPH]
        return found

    def nodes(self, model):
        inner = [node for graph in self.graphs(model) for node in graph.node]
        bodies = [node for function in model.functions for node in function.node]
        deep = [node for each in bodies for attribute in each.attribute if attribute.type == attribute.GRAPH for node in attribute.g.node]
        return inner + bodies + deep

    def type(self, depth=2):
        """Of any kind, now and then without what it is a type of."""
        r = self.r
        made = self.onnx.TypeProto()
        kind = r.choice(['tensor', 'tensor', 'tensor', 'sequence', 'optional', 'map', 'sparse', 'none'] if depth else ['tensor', 'none'])
        if kind in ('tensor', 'sparse'):
            tensor = made.tensor_type if kind == 'tensor' else made.sparse_tensor_type
            tensor.elem_type = r.choice([1, 1, 1, 7, 7, 8, 9, 11, 0, 16, 22, 99])
            for _ in range(r.choice([0, 1, 2, 2, 3])):
                tensor.shape.dim.add(**r.choice([{'dim_value': 2}, {'dim_value': 3}, {'dim_param': 'N'}, {'dim_value': -1}, {}]))
        elif kind in ('sequence', 'optional'):
            made_inner = self.type(depth - 1)
            (made.sequence_type if kind == 'sequence' else made.optional_type).elem_type.CopyFrom(made_inner)
        elif kind == 'map':
            made.map_type.key_type = r.choice([7, 7, 8, 6, 1, 0, 9])
            made.map_type.value_type.CopyFrom(self.type(depth - 1))
        return made

    # --- Types at the ends and between ---

    def change_end_type(self, model):
        graph = self.r.choice(self.graphs(model))
        ends = [*graph.input, *graph.output, *graph.output]
        if ends:
            self.r.choice(ends).type.CopyFrom(self.type())

    def change_inner_type(self, model):
        """Of a sequence, an optional or a map one part."""
        r = self.r
        types = [each.type for graph in self.graphs(model) for each in [*graph.input, *graph.output]]
        types = [each for each in types if each.WhichOneof('value') not in (None, 'tensor_type')]
        if not types:
            return
        kind = r.choice(types)
        which = kind.WhichOneof('value')
        if which == 'map_type' and r.random() < 0.4:
            kind.map_type.key_type = r.choice([1, 6, 7, 8, 9, 0])
            return
        part = kind.map_type if which == 'map_type' else getattr(kind, which)
        inner = part.value_type if which == 'map_type' else part.elem_type
        if r.random() < 0.5:
            inner.CopyFrom(self.type(1))
        elif inner.HasField('tensor_type') and r.random() < 0.5:
            inner.tensor_type.elem_type = r.choice([1, 6, 7, 11, 0, 99])
        elif inner.HasField('tensor_type'):
            inner.tensor_type.shape.dim.add(dim_value=2)
        else:
            part.ClearField('value_type' if which == 'map_type' else 'elem_type')

    def change_value_info(self, model):
        """Types of values, true ones, others, and of what is not there."""
        r = self.r
        graph = r.choice([*self.graphs(model), *model.functions] if r.random() < 0.3 else self.graphs(model))
        names = [name for node in graph.node for name in [*node.output, *node.input]]
        ends = [] if graph in list(model.functions) else [*graph.input, *graph.output]
        info = graph.value_info.add(name=r.choice([*names, *[each.name for each in ends], 'nobody', '']))
        same = [each for each in ends if each.name == info.name]
        if same and r.random() < 0.6:
            info.CopyFrom(same[0])
        if not info.HasField('type') and r.random() < 0.9:
            info.type.CopyFrom(self.type(1) if r.random() < 0.3 else self.onnx.helper.make_tensor_type_proto(r.choice([1, 1, 7]), r.choice([[2], [2, 3], None, ['N', 3], []])))
        if r.random() < 0.2:
            graph.value_info.add().CopyFrom(info)
        if r.random() < 0.3 and info.type.HasField('tensor_type'):
            info.type.tensor_type.elem_type = r.choice([1, 7, 0])
        if info.type.tensor_type.shape.dim and r.random() < 0.3:
            r.choice(info.type.tensor_type.shape.dim).dim_value = r.choice([2, 3, 4])

    def change_ends(self, model):
        """Inputs and outputs that are there twice, without names or types, or that nothing makes."""
        r = self.r
        graph = r.choice(self.graphs(model))
        values = r.choice([graph.input, graph.output])
        what = r.choice(['twice', 'name', 'type', 'lose', 'add', 'input_as_output', 'initializer_as_output'])
        if what == 'twice' and values:
            values.add().CopyFrom(r.choice(values))
        elif what == 'name' and values:
            r.choice(values).name = r.choice(NAMES)
        elif what == 'type' and values:
            r.choice(values).ClearField('type')
        elif what == 'lose' and values:
            del values[r.randrange(len(values))]
        elif what == 'add':
            values.add(name=r.choice(NAMES)).type.CopyFrom(self.type(1))
        elif what == 'input_as_output' and graph.input:
            graph.output.add().CopyFrom(r.choice(graph.input))
        elif graph.initializer:
            chosen = r.choice(graph.initializer)
            graph.output.append(self.onnx.helper.make_tensor_value_info(chosen.name, chosen.data_type, list(chosen.dims)))

    # --- What stands beside the nodes ---

    def change_metadata(self, model):
        r = self.r
        holders = [model, model, model.graph, *model.functions, *self.nodes(model), *model.graph.initializer]
        holder = r.choice(holders)
        for _ in range(r.choice([1, 2, 2])):
            holder.metadata_props.add(**r.choice([{'key': 'k', 'value': 'v'}, {'key': 'k', 'value': 'w'}, {'key': '', 'value': 'v'}, {'value': 'v'}, {}]))
        if r.random() < 0.4:
            model.ir_version = r.choice([3, 7, 8, 9, 10, 13])

    def change_quantization(self, model):
        r = self.r
        for _ in range(r.choice([1, 1, 2])):
            note = model.graph.quantization_annotation.add(tensor_name=r.choice([*NAMES, 'x', 'y']))
            for _ in range(r.choice([0, 1, 2])):
                note.quant_parameter_tensor_names.add(key=r.choice(['SCALE_TENSOR', 'ZERO_POINT_TENSOR', 'AXIS', '']), value=r.choice(NAMES))

    def change_training(self, model):
        r = self.r
        info = model.training_info.add()
        if r.random() < 0.6:
            info.algorithm.CopyFrom(model.graph)
        if r.random() < 0.4:
            info.initialization.CopyFrom(model.graph)
        for _ in range(r.choice([0, 1, 2])):
            r.choice([info.initialization_binding, info.update_binding]).add(key=r.choice(NAMES), value=r.choice(NAMES))

    def change_imports(self, model):
        r = self.r
        imports = r.choice([model.opset_import, model.opset_import, *[each.opset_import for each in model.functions]])
        what = r.choice(['twice', 'lose', 'add', 'alias', 'version', 'domain', 'clear', 'no_version'])
        if what == 'twice' and imports:
            imports.add().CopyFrom(r.choice(imports))
            imports[-1].version = r.choice(VERSIONS) if r.random() < 0.6 else imports[-1].version
        elif what == 'lose' and imports:
            del imports[r.randrange(len(imports))]
        elif what == 'add':
            imports.add(domain=r.choice(DOMAINS), version=r.choice(VERSIONS))
        elif what == 'alias':
            imports.add(domain='ai.onnx', version=r.choice([imports[0].version if imports else 17, *VERSIONS]))
            if r.random() < 0.5 and len(imports) > 1:
                del imports[0]
        elif what == 'version' and imports:
            r.choice(imports).version = r.choice(VERSIONS)
        elif what == 'domain' and imports:
            r.choice(imports).domain = r.choice(DOMAINS)
        elif what == 'clear':
            del imports[:]
        elif imports:
            r.choice(imports).ClearField('version')

    def change_domain(self, model):
        """Of nodes and functions; ai.onnx is another word for none."""
        r = self.r
        holders = [*self.nodes(model), *model.functions]
        if r.random() < 0.3:
            for node in self.nodes(model):
                node.domain = 'ai.onnx' if node.domain == '' else node.domain
        else:
            r.choice(holders).domain = r.choice(DOMAINS)
        if r.random() < 0.4:
            model.opset_import.add(domain=r.choice(['ai.onnx', 'custom', 'com.microsoft']), version=r.choice([1, 17]))

    def change_ir_version(self, model):
        if self.r.random() < 0.1:
            model.ClearField('ir_version')
        else:
            model.ir_version = self.r.choice([*range(0, 15), 99, -1])

    def change_header(self, model):
        r = self.r
        what = r.choice(['graph_name', 'graph', 'nodes', 'producer', 'node_names', 'doc', 'domain'])
        if what == 'graph_name':
            r.choice(self.graphs(model)).name = ''
        elif what == 'graph':
            model.ClearField('graph')
        elif what == 'nodes':
            del r.choice(self.graphs(model)).node[:]
        elif what == 'node_names':
            for node in self.nodes(model):
                node.name = r.choice(['same', 'same', 'other'])
        elif what == 'producer':
            model.producer_name, model.model_version = '', -1
        elif what == 'doc':
            model.graph.doc_string = 'a"b\\c\n}'
        else:
            model.domain = r.choice(DOMAINS)

    # --- Functions ---

    def change_function(self, model):
        r = self.r
        if not model.functions:
            return
        function = r.choice(model.functions)
        what = r.choice(['twice', 'lose', 'name', 'input', 'output', 'input_twice', 'output_twice', 'overload', 'empty', 'more'])
        if what == 'twice':
            model.functions.add().CopyFrom(function)
            if r.random() < 0.3:
                model.functions[-1].overload = 'o'
        elif what == 'lose':
            model.functions.remove(function)
        elif what == 'name':
            function.name = r.choice(['', 'Relu', 'other', 'LeakyRelu'])
        elif what in ('input', 'output'):
            names = function.input if what == 'input' else function.output
            r.choice([lambda: names.pop(), lambda: names.append(r.choice(['more', '', 'a', 'b'])), lambda: names.__setitem__(0, r.choice(['q', '', 'a', 'b']))])()
        elif what == 'input_twice':
            function.input.append(function.input[0])
        elif what == 'output_twice':
            function.output.append(function.output[0])
        elif what == 'overload':
            function.overload = 'o'
            if r.random() < 0.6:
                r.choice(self.nodes(model)).overload = r.choice(['o', 'p'])
        elif what == 'empty':
            del function.node[:]
        else:
            function.node.add(op_type=r.choice(['Relu', 'Nothing', 'leaky', 'inner']), domain=r.choice(['', 'local']), input=[r.choice(['a', 'b', 'q'])], output=[r.choice(['u', 'b', 'a'])])

    def change_parameters(self, model):
        """Attributes of functions: names, defaults, references to them, and what calls give."""
        r = self.r
        if not model.functions:
            return
        function = r.choice(model.functions)
        helper = self.onnx.helper
        value = r.choice([1, 0.5, 'abc', [1, 2], [0.5], helper.make_tensor('t', 1, [1], [1.0])])
        name = r.choice([*function.attribute, *[each.name for each in function.attribute_proto], 'alpha', 'new', ''])
        what = r.choice(['name', 'name_lost', 'default', 'default_lost', 'default_type', 'reference', 'reference', 'reference_type', 'reference_outside', 'call', 'call_lost', 'both'])
        if what == 'name':
            function.attribute.append(name)
        elif what == 'name_lost':
            del function.attribute[:]
        elif what == 'default' or what == 'both':
            function.attribute_proto.append(helper.make_attribute(name or 'n', value))
            function.attribute.extend([name] if what == 'both' else [])
        elif what == 'default_lost':
            del function.attribute_proto[:]
        elif what == 'default_type' and function.attribute_proto:
            function.attribute_proto[0].CopyFrom(helper.make_attribute(function.attribute_proto[0].name, value))
        elif what in ('reference', 'reference_type', 'reference_outside'):
            nodes = list(model.graph.node) if what == 'reference_outside' else [each for each in self.nodes(model) if each not in list(model.graph.node)]
            node = r.choice(nodes)
            if what == 'reference_type' and node.attribute:
                r.choice(node.attribute).type = r.choice([1, 2, 3, 4, 6, 0])
            else:
                node.attribute.add(name=r.choice(['alpha', 'axis', 'to', *[each.name for each in node.attribute]]), ref_attr_name=r.choice([name, 'k', 'alpha']), type=r.choice([1, 1, 2, 0]))
        elif what in ('call', 'call_lost'):
            calls = [each for each in self.nodes(model) if each.domain == 'local']
            call = r.choice(calls) if calls else model.graph.node[0]
            if what == 'call_lost':
                del call.attribute[:]
            else:
                call.attribute.append(helper.make_attribute(name or 'n', value))

    def change_call(self, model):
        r = self.r
        calls = [each for each in self.nodes(model) if each.domain == 'local']
        if not calls:
            return
        call = r.choice(calls)
        names = r.choice([call.input, call.output])
        r.choice([lambda: names.append('x'), lambda: names.append(''), lambda: names.pop(), lambda: names.__setitem__(0, ''),
                  lambda: setattr(call, 'op_type', r.choice(['nobody', 'inner', 'outer', 'leaky'])), lambda: setattr(call, 'overload', 'o')])()

    # --- Bodies ---

    def change_body(self, model):
        """One with other inputs or outputs, types or names than its node takes."""
        r = self.r
        bodies = self.graphs(model)[1:]
        owners = [node for node in self.nodes(model) if any(each.type == each.GRAPH for each in node.attribute)]
        if not bodies:
            return
        body, owner = r.choice(bodies), r.choice(owners)
        what = r.choice(['output_more', 'output_less', 'input_more', 'input_less', 'output_type', 'input_type', 'owner_output', 'owner_input', 'hide', 'lose', 'copy', 'turn', 'made_outside', 'initializer'])
        if what == 'output_more':
            body.output.add().CopyFrom(r.choice(body.output))
        elif what == 'output_less' and body.output:
            del body.output[r.randrange(len(body.output))]
        elif what == 'input_more':
            body.input.add(name='more').type.CopyFrom(self.type(1))
        elif what == 'input_less' and body.input:
            del body.input[r.randrange(len(body.input))]
        elif what in ('output_type', 'input_type'):
            values = body.output if what == 'output_type' else body.input
            if values:
                value = r.choice(values)
                value.ClearField('type') if r.random() < 0.3 else value.type.CopyFrom(self.type(1))
        elif what in ('owner_output', 'owner_input'):
            names = owner.output if what == 'owner_output' else owner.input
            names.append('more') if r.random() < 0.5 or not names else names.pop()
        elif what == 'hide':
            body.node[0].output[0] = r.choice(['x', 'y', 'c'])
        elif what == 'lose':
            del owner.attribute[r.randrange(len(owner.attribute))]
        elif what == 'copy':
            attribute = r.choice(owner.attribute)
            owner.attribute.add().CopyFrom(attribute)
        elif what == 'turn':
            turned = list(body.output)[::-1]
            del body.output[:]
            body.output.extend(turned)
        elif what == 'made_outside':
            r.choice(body.output).name = r.choice([*model.graph.node[0].input, *model.graph.node[0].output])
        else:
            body.initializer.append(self.onnx.helper.make_tensor(r.choice(['x', 'more', *[each.name for each in body.input]]), 1, [2], [1.0, 2.0]))

    # --- Nodes ---

    def change_attribute(self, model):
        """Of the nodes of ai.onnx.ml and com.microsoft, too: lists of other lengths, words and types."""
        r = self.r
        attributes = [each for node in self.nodes(model) for each in node.attribute if each.type != each.GRAPH]
        if not attributes:
            return
        attribute = r.choice(attributes)
        what = r.choice(['pop', 'add', 'value', 'value', 'type', 'name', 'twice', 'clear'])
        lists = [each for each in (attribute.ints, attribute.floats, attribute.strings) if each]
        if what in ('pop', 'add') and lists:
            lists[0].pop() if what == 'pop' else lists[0].append(lists[0][0])
        elif what == 'value' and lists:
            values = lists[0]
            values[r.randrange(len(values))] = r.choice([b'', b'LEAF', b'BRANCH_GT', b'odd']) if values is attribute.strings else r.choice([-1, 0, 1, 2, 7, 2**40 if values is attribute.ints else 3])
        elif what == 'value':
            attribute.s = r.choice([b'', b'NONE', b'SOFTMAX', b'odd', b'standard'])
            attribute.i = r.choice([-1, 0, 1, 2, 7, 17, 22, 2**40])
            attribute.f = r.choice([0.0, -1.0, 1e30])
        elif what == 'type':
            attribute.type = r.randrange(0, 16)
        elif what == 'name':
            attribute.name = r.choice(['', 'alpha', 'odd', 'axis'])
        elif what == 'twice':
            node = [each for each in self.nodes(model) if attribute in list(each.attribute)][0]
            node.attribute.add().CopyFrom(attribute)
        else:
            for field in ('f', 'i', 's', 't', 'floats', 'ints', 'strings'):
                attribute.ClearField(field)

    def change_operator(self, model):
        r = self.r
        node = r.choice(self.nodes(model))
        what = r.choice(['input', 'empty', 'more', 'less', 'op', 'output_twice', 'output_empty', 'op_empty', 'shadow', 'itself'])
        if what in ('input', 'empty') and node.input:
            node.input[r.randrange(len(node.input))] = '' if what == 'empty' else r.choice(NAMES)
        elif what == 'more':
            r.choice([node.input, node.output]).append(r.choice(NAMES))
        elif what == 'less' and node.input:
            r.choice([node.input, node.output]).pop()
        elif what == 'op':
            node.op_type = r.choice(['Identity', 'relu', 'SequenceLength', 'Optional', 'Gelu', 'ZipMap', 'Experimental', 'ATen', 'Affine'])
        elif what == 'output_twice':
            node.output.append(node.output[0])
        elif what == 'output_empty':
            node.output[0] = ''
        elif what == 'op_empty':
            node.op_type = ''
        elif what == 'shadow':
            node.output[0] = 'x'
        elif node.input:
            node.input[0] = node.output[0]

    # --- One ---

    def make(self):
        name = self.r.choice(sorted(self.bases))
        what = self.r.choice(self.changes)
        model = self.onnx.ModelProto()
        model.CopyFrom(self.bases[name])
        try:
            made = getattr(self, f'change_{what}')(model)
        except IndexError:  # There is nothing of it in this model.
            return None
        sample, *data = made if made else (model,)
        before = self.bases[name].SerializeToString()
        written = sample if isinstance(sample, bytes) else sample.SerializeToString()
        return (sample, f'{what}: {name}', *data) if written != before else None


class OddTexts(Odd):
    """What onnx prints of such models."""

    def make(self):
        made = super().make()
        if not made or isinstance(made[0], bytes) or len(made) > 2:
            return None
        text = apart(lambda: self.onnx.printer.to_text(made[0]).encode())  # It crashes on some.
        return (text.decode('utf-8', 'replace'), made[1]) if text else None

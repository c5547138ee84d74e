# Tensors that are stored otherwise than what they say, sparse ones among them, for odd_models.py.

OFFSETS = ['0', '4', '8', '-4', '1000', '+4', ' 4', '4 ', '0x4', '4.0', 'four', '', '99999999999999999999', '04']
LOCATIONS = ['data.bin', './data.bin', 'missing.bin', '', '../data.bin', '/tmp/data.bin', 'sub/data.bin', 'a/../data.bin', '.', 'DATA.BIN', 'data.bin ']
FIELDS = ['float_data', 'int32_data', 'int64_data', 'double_data', 'uint64_data', 'string_data', 'raw_data']


class Tensors:
    def tensors(self, model):
        held = [each for graph in self.graphs(model) for each in graph.initializer]
        return held + [each.t for node in self.nodes(model) for each in node.attribute if each.type == each.TENSOR]

    def some_tensor(self, model):
        """One of the model's, or a new one that a node takes or nobody does."""
        r = self.r
        found = self.tensors(model)
        if found and r.random() < 0.7:
            return r.choice(found)
        element = r.choice([1, 1, 2, 6, 7, 8, 9, 10, 11, 14, 16, 17, 19, 21, 22, 23, 24])
        dims = r.choice([[], [1], [3], [4], [2, 2], [0], [5]])
        tensor = self.onnx.TensorProto(data_type=element, dims=dims)
        count = 1
        for dim in dims:
            count *= dim
        bits = {11: 64, 7: 64, 13: 64, 14: 64, 15: 128, 1: 32, 6: 32, 12: 32, 4: 16, 5: 16, 10: 16, 16: 16, 21: 4, 22: 4, 23: 4}.get(element, 8)
        if element == 8:
            tensor.string_data.extend([b'a'] * count)
        else:
            tensor.raw_data = bytes((count * bits + 7) // 8)
        holder = r.choice(['constant', 'initializer', 'of_value'])
        if holder == 'constant':
            model.graph.node.add(op_type='Constant', output=['held']).attribute.append(self.onnx.helper.make_attribute('value', tensor))
            return model.graph.node[-1].attribute[0].t
        tensor.name = 'held'
        model.graph.initializer.append(tensor)
        if holder == 'of_value':
            model.graph.node.add(op_type='Identity', input=['held'], output=['of_held'])
        return model.graph.initializer[-1]

    def change_tensor_length(self, model):
        """Bytes or numbers too many or too few for the sizes and the type."""
        r = self.r
        tensor = self.some_tensor(model)
        what = r.choice(['raw', 'raw', 'numbers', 'dims', 'type'])
        if what == 'raw' and tensor.data_type != 8:
            if not tensor.raw_data:
                tensor.CopyFrom(self.onnx.numpy_helper.from_array(self.onnx.numpy_helper.to_array(tensor), tensor.name))
            raw = tensor.raw_data
            tensor.raw_data = r.choice([raw[:-1], raw + b'\0', raw[:-4], raw + bytes(4), b'', raw * 2])
        elif what == 'numbers':
            lists = [getattr(tensor, each) for each in FIELDS[:-1] if len(getattr(tensor, each))]
            for each in lists[:1]:
                each.pop() if r.random() < 0.5 else each.append(each[0])
        elif what == 'type':
            tensor.data_type = r.choice([*range(0, 27), 99, -1])
        else:
            tensor.dims.append(r.choice([0, 1, 2, -1])) if r.random() < 0.5 or not tensor.dims else tensor.dims.pop()

    def change_tensor_field(self, model):
        """Values in the field of another type, in two fields, or in none."""
        r = self.r
        tensor = self.some_tensor(model)
        field = r.choice(FIELDS)
        if r.random() < 0.5:
            for each in FIELDS:
                tensor.ClearField(each)
        count = 1
        for dim in tensor.dims:
            count *= max(dim, 0)
        if field == 'raw_data':
            tensor.raw_data = bytes(count * r.choice([1, 2, 4, 8]))
        else:
            one = {'float_data': 1.0, 'double_data': 1.0, 'string_data': b'a'}.get(field, r.choice([1, 1, 15, 300, 70000]))
            getattr(tensor, field).extend([one] * r.choice([count, count, (count + 1) // 2, count + 1]))

    def change_segment(self, model):
        tensor = self.some_tensor(model)
        tensor.segment.begin = self.r.choice([0, 1])
        tensor.segment.end = self.r.choice([0, 1, 4])

    def change_initializer_name(self, model):
        r = self.r
        graph = r.choice(self.graphs(model))
        names = [*[each.name for each in graph.initializer], *[each.name for each in graph.input], *[name for node in graph.node for name in node.output], '', 'new']
        made = self.onnx.helper.make_tensor(r.choice(names), 1, [2], [1.0, 2.0])
        r.choice([graph.initializer, graph.initializer]).append(made)
        if r.random() < 0.2:
            model.ir_version = r.choice([3, 4])

    def change_external(self, model):
        """How a tensor says where its bytes are."""
        r = self.r
        tensor = self.some_tensor(model)
        count = 1
        for dim in tensor.dims:
            count *= max(dim, 0)
        if r.random() < 0.9:
            for each in FIELDS:
                tensor.ClearField(each)
        tensor.data_location = 1 if r.random() < 0.9 else 0
        size = {7: 8, 11: 8, 10: 2, 16: 2, 2: 1, 3: 1, 9: 1}.get(tensor.data_type, 4) * count
        what = r.choice(['good', 'location', 'offset', 'length', 'twice', 'none', 'unknown', 'checksum', 'cut'])
        entries = [('location', 'data.bin'), ('offset', '0'), ('length', str(size))]
        if what == 'location':
            entries[0] = ('location', r.choice(LOCATIONS))
        elif what in ('offset', 'length'):
            at = 1 if what == 'offset' else 2
            entries[at] = (what, r.choice([*OFFSETS, str(size), str(size + 1), str(max(0, size - 1))]))
        elif what == 'twice':
            entries.append(r.choice([('location', 'data.bin'), ('location', 'missing.bin'), ('offset', '4'), ('length', '4')]))
        elif what == 'none':
            entries = r.choice([[], entries[1:], entries[:1], entries[:2]])
        elif what == 'unknown':
            entries.append(r.choice([('odd', '1'), ('', ''), ('basepath', '/tmp'), ('Location', 'x')]))
        elif what == 'checksum':
            entries.append(('checksum', 'abc'))
        for key, value in entries:
            tensor.external_data.add(key=key, value=value)
        room = size + r.choice([0, 0, 4, 64])
        return model, bytes(max(0, room - 1) if what == 'cut' else room)

    def change_sparse(self, model):
        """A sparse initializer, good or not, of a value that a node takes, an initializer or nothing."""
        r = self.r
        helper = self.onnx.helper
        inputs = [name for node in model.graph.node for name in node.input]
        taken = [each.name for each in [*model.graph.initializer, *model.graph.input]]
        name = r.choice([*[each for each in inputs if each not in taken], *taken, 'new', ''])
        held = [each for each in model.graph.initializer if each.name == name]
        if held and r.random() < 0.7:
            model.graph.initializer.remove(held[0])
        dims = list(held[0].dims) if held else r.choice([[2, 3], [2], [6], [4, 3]])
        size = 1
        for dim in dims:
            size *= dim
        count = r.choice([0, 1, 2, 2, size])
        flat = sorted(r.sample(range(size), min(count, size)))
        values = helper.make_tensor(name, r.choice([1, 1, 1, 7]), [len(flat)], [1] * len(flat))
        indices = helper.make_tensor('i', 7, [len(flat)], flat)
        if len(dims) == 2 and r.random() < 0.4:
            indices = helper.make_tensor('i', 7, [len(flat), 2], [part for each in flat for part in divmod(each, dims[1])])
        made = helper.make_sparse_tensor(values, indices, dims)
        what = r.choice(['good', 'good', 'order', 'outside', 'length', 'type', 'dims', 'rank', 'lost', 'negative', 'twice', 'name'])
        numbers = made.indices.int64_data
        if what == 'order' and len(numbers) > 1:
            numbers[0], numbers[-1] = numbers[-1], numbers[0]
        elif what in ('outside', 'negative', 'twice') and numbers:
            numbers[-1] = {'outside': size, 'negative': -1, 'twice': numbers[0]}[what]
        elif what == 'length':
            r.choice([made.values, made.indices]).dims[0] += 1
        elif what == 'type':
            made.indices.data_type = r.choice([1, 6])
        elif what == 'dims':
            made.dims.pop() if r.random() < 0.5 else made.dims.__setitem__(0, r.choice([0, -1, 1]))
        elif what == 'rank':
            r.choice([made.values, made.indices]).dims.append(1)
        elif what == 'lost':
            made.ClearField(r.choice(['values', 'indices', 'dims']))
        elif what == 'name':
            made.values.name = ''
        if r.random() < 0.2:
            node = model.graph.node.add(op_type='Constant', output=['held'])
            node.attribute.append(helper.make_attribute('sparse_value', made))
        else:
            model.graph.sparse_initializer.append(made)
            if r.random() < 0.2:
                model.graph.sparse_initializer.append(made)
        if r.random() < 0.2:
            model.ir_version = r.choice([3, 4, 5, 7])

# The bytes of a file changed, where protobuf's libraries write only one of many forms, for odd_models.py.


def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def read_varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def fields(data):
    """(number, wire type, start, end, payload) of each, one after the other."""
    at, found = 0, []
    while at < len(data):
        start = at
        key, at = read_varint(data, at)
        wire = key & 7
        if wire == 2:
            length, at = read_varint(data, at)
            found.append((key >> 3, wire, start, at + length, data[at:at + length]))
            at += length
        else:
            begin = at
            at = read_varint(data, at)[1] if wire == 0 else at + (8 if wire == 1 else 4)
            found.append((key >> 3, wire, start, at, data[begin:at]))
    return found


def wrapped(number, payload):
    return varint(number << 3 | 2) + varint(len(payload)) + payload


class Bytes:
    def graph_bytes(self, model):
        return model.graph.SerializeToString()

    def with_graph(self, model, graph):
        rest = self.onnx.ModelProto()
        rest.CopyFrom(model)
        rest.ClearField('graph')
        return rest.SerializeToString() + wrapped(7, graph)

    def change_unpacked(self, model):
        """Sizes, numbers of tensors or ints of attributes one by one, or packed in two pieces."""
        tensor = self.some_tensor(model)
        whole = tensor.SerializeToString()
        written = b''
        for number, wire, start, end, payload in fields(whole):
            packed = wire == 2 and number in (1, 4, 5, 7, 10, 11)
            if packed and number in (4, 10):
                step = 4 if number == 4 else 8
                parts = [payload[i:i + step] for i in range(0, len(payload), step)]
                written += b''.join(varint(number << 3 | (5 if number == 4 else 1)) + each for each in parts)
            elif packed:
                at = 0
                while at < len(payload):
                    value, at = read_varint(payload, at)
                    written += varint(number << 3) + varint(value)
            else:
                written += whole[start:end]
        if tensor.data_location or tensor not in list(model.graph.initializer):
            return None
        model.graph.initializer.remove(tensor)
        return (self.with_graph(model, self.graph_bytes(model) + wrapped(5, written)),)

    def change_pieces(self, model):
        """The graph in two pieces, which a reader joins."""
        found = fields(self.graph_bytes(model))
        whole = self.graph_bytes(model)
        at = found[self.r.randrange(len(found))][3]
        rest = self.onnx.ModelProto()
        rest.CopyFrom(model)
        rest.ClearField('graph')
        return (rest.SerializeToString() + wrapped(7, whole[:at]) + wrapped(7, whole[at:]),)

    def change_order(self, model):
        """Fields in another order, which means the same unless they are of one number."""
        whole = self.graph_bytes(model)
        parts = [whole[start:end] for _, _, start, end, _ in fields(whole)]
        self.r.shuffle(parts)
        return (self.with_graph(model, b''.join(parts)),)

    def change_wire(self, model):
        """A field of another wire type or an unknown number, a key or a number that is written longer than needed."""
        r = self.r
        whole = model.SerializeToString()
        number, wire, start, end, payload = r.choice(fields(whole))
        what = r.choice(['unknown', 'wire', 'long', 'group', 'twice', 'zero', 'end'])
        made = {
            'unknown': whole[:start] + varint(500 << 3) + b'\1' + whole[start:],
            'wire': whole[:start] + varint(number << 3 | 5) + bytes(4) + whole[end:],
            'long': whole[:start] + varint(number << 3 | wire)[:-1] + bytes([(number << 3 | wire) & 0x7F | 0x80, 0x80, 0]) + (varint(len(payload)) if wire == 2 else b'') + payload + whole[end:],
            'group': whole[:start] + varint(500 << 3 | 3) + b'\x08\1' + varint(500 << 3 | 4) + whole[start:],
            'twice': whole[:end] + whole[start:end] + whole[end:],
            'zero': whole[:start] + b'\0\0' + whole[start:],
            'end': whole[:start] + varint(4) + whole[start:],
        }[what]
        return (made,)

    def change_cut(self, model):
        whole = model.SerializeToString()
        at = self.r.randrange(len(whole))
        return (whole[:at],)

    def change_flip(self, model):
        """One byte is another one."""
        whole = bytearray(model.SerializeToString())
        at = self.r.randrange(len(whole))
        whole[at] = self.r.choice([0, 1, 0x7F, 0x80, 0xFF, whole[at] ^ (1 << self.r.randrange(8))])
        return (bytes(whole),)

    def change_string(self, model):
        """Names that are no UTF-8, or hold what texts can't."""
        whole = model.SerializeToString()
        name = self.r.choice([b'\x01x', b'\x01y', b'\x01m'])
        at = whole.find(name)
        return (whole[:at + 1] + self.r.choice([b'\xff', b'\0', b'"', b'\n', b'\xc3']) + whole[at + 2:],) if at >= 0 else None

# Nodes of com.microsoft by the schemas of ONNX Runtime (tests/facts/contributed_1.23.tsv), for broken_models.py.
import pathlib

from broken_nodes import ELEMENTS

FACTS = pathlib.Path(__file__).parent.parent / 'facts/contributed_1.23.tsv'
USUAL = ['float', 'uint8', 'int32', 'int64']
AFTER = ['Relu', 'Add', 'MatMul', 'Cast', 'Identity', 'Not', 'Reshape', 'Transpose']
NUMBERS = {'bits': [4, 4, 4, 8, 3], 'K': [8, 8, 8, 16], 'N': [8, 4], 'block_size': [16, 32, 32, 20]}


class Contributed:
    """A node of com.microsoft, and perhaps one of ONNX after it; most fit, as far as types go."""

    def __init__(self, numbers):
        from onnx import helper
        self.r = numbers
        self.h = helper
        self.rows = [self.read(line) for line in FACTS.read_text().splitlines()]

    def read(self, line):
        name, *_, attributes, types = line.split('\t')
        params, constraints = types.split(' ; ')
        inputs, outputs = [[word.split(':') for word in part.split()] for part in params.split('>')]
        words = {key: value.split(',') for key, value in (word.split('=') for word in constraints.split())}
        return name, inputs, outputs, words, [] if attributes == '-' else [word.split(':') for word in attributes.split()]

    def value(self, name, word):
        shape = [self.r.choice([2, 3, 8, 'N']) for _ in range(self.r.choice([0, 1, 2, 2, 3, 3, 3, 4]))]
        shape[-1:] = [8] if self.r.random() < 0.6 else shape[-1:]
        return self.h.make_tensor_value_info(name, ELEMENTS.index(word) + 1, shape)

    def attribute(self, name, kind):
        r = self.r
        made = {'i': r.choice(NUMBERS.get(name, [0, 1, 1, 1, 2, 2, 4, -1])), 'f': r.choice([0.5, 1.0]),
                's': r.choice(['Relu', 'LeakyRelu', 'euclidean', 'abc'])}.get(kind.lower())
        return [made] if made is not None and kind.isupper() else made

    def word(self, words, chosen, key):
        usual = [word for word in words[key] if word in USUAL]
        chosen.setdefault(key, self.r.choice(usual if usual and self.r.random() < 0.7 else words[key]))
        return self.r.choice(USUAL) if self.r.random() < 0.04 else chosen[key]

    def make(self):
        r = self.r
        name, inputs, outputs, words, attributes = r.choice(self.rows)
        graph = self.h.make_graph([], 'g', [], [])
        names, chosen = [], {}
        needed = max([i for i, (_, key) in enumerate(inputs) if not key.endswith('?')], default=0) + 1
        for i, (_, key) in enumerate(inputs[:r.randint(needed, max(needed, len(inputs))) if r.random() < 0.5 else needed]):
            word = self.word(words, chosen, key.rstrip('?*!'))
            is_left_out = key.endswith('?') and r.random() < 0.5
            names.append('' if is_left_out else f'i{i}')
            if word not in ELEMENTS:
                return None
            graph.input.extend([] if is_left_out else [self.value(names[-1], word)])
        given = {key: self.attribute(key, kind[0]) for key, kind in attributes if kind.endswith('!') or r.random() < 0.3}
        if any(value is None for value in given.values()):
            return None
        for i, (_, key) in enumerate(outputs):
            word = chosen.get(key.rstrip('?*!'), words[key.rstrip('?*!')][0])
            if not key.endswith('?') and word in ELEMENTS:
                graph.output.append(self.value(f'o{i}', word if r.random() < 0.9 else r.choice(USUAL)))
        graph.node.append(self.h.make_node(name, names, [each.name for each in graph.output], domain='com.microsoft', **given))
        if graph.output and r.random() < 0.5:
            self.go_on(graph)
        imports = [self.h.make_opsetid('', r.choice([13, 17, 20])), self.h.make_opsetid('com.microsoft', 1)]
        return self.h.make_model(graph, opset_imports=imports, ir_version=8), name

    def go_on(self, graph):
        op = self.r.choice(AFTER)
        names = [graph.output[0].name, 'z'][:2 if op in ('Add', 'MatMul', 'Reshape') else 1]
        graph.input.extend([self.value('z', self.r.choice(USUAL))] if len(names) > 1 else [])
        element = {'Not': 9, 'Cast': 1}.get(op, graph.output[0].type.tensor_type.elem_type)
        graph.node.append(self.h.make_node(op, names, ['q'], **({'to': 1} if op == 'Cast' else {})))
        graph.output.append(self.h.make_tensor_value_info('q', element, [None] * self.r.choice([1, 2, 3])))

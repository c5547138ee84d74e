#!/usr/bin/env python3
"""Writes the operators of com.microsoft that the installed onnxruntime has, a row each: name, least and most inputs,
least and most outputs, the inputs that have to be given, and attributes as name:type, with ! if they are required:
contributed.py > tests/facts/contributed_1.21.tsv"""
import onnxruntime.capi.onnxruntime_pybind11_state as state

LETTERS = {'FLOAT': 'f', 'INT': 'i', 'STRING': 's', 'TENSOR': 't', 'GRAPH': 'g',
           'FLOATS': 'F', 'INTS': 'I', 'STRINGS': 'S', 'TENSORS': 'T'}


def needed(schema):
    return [i for i, item in enumerate(schema.inputs)
            if str(item.option).rsplit('.', 1)[-1] == 'Single' and i < schema.min_input]


def row(schema):
    attributes = [f"{name}:{LETTERS[str(item.type).rsplit('.', 1)[-1]]}{'!' if item.required else ''}"
                  for name, item in sorted(schema.attributes.items())]
    many = lambda count: '*' if count > 1 << 20 else str(count)
    return '\t'.join([schema.name, str(schema.min_input), many(schema.max_input), str(schema.min_output),
                      many(schema.max_output), ','.join(map(str, needed(schema))) or '-', ' '.join(attributes) or '-'])


for schema in sorted((s for s in state.get_all_operator_schema() if s.domain == 'com.microsoft'), key=lambda s: s.name):
    print(row(schema))

#!/usr/bin/env python3
"""Writes the operators of com.microsoft that the installed onnxruntime has, a row each: name, least and most inputs,
least and most outputs, the inputs that have to be given, attributes as name:type, with ! if they are required, and
inputs and outputs as name:constraint with the types of each constraint: contributed.py > tests/facts/contributed_1.21.tsv"""
import onnxruntime.capi.onnxruntime_pybind11_state as state

LETTERS = {'FLOAT': 'f', 'INT': 'i', 'STRING': 's', 'TENSOR': 't', 'GRAPH': 'g',
           'FLOATS': 'F', 'INTS': 'I', 'STRINGS': 'S', 'TENSORS': 'T'}


def needed(schema):
    return [i for i, item in enumerate(schema.inputs)
            if str(item.option).rsplit('.', 1)[-1] == 'Single' and i < schema.min_input]


MARKS = {'Single': '', 'Optional': '?', 'Variadic': '*'}


def word(text):
    return text[7:-1] if text.startswith('tensor(') else text.replace(' ', '')


def constraint(text):
    """The name of one; a type that stands for itself is called like it, in capitals."""
    return word(text).upper() if text.startswith('tensor(') else text


def param(item):
    mark = MARKS[str(item.option).rsplit('.', 1)[-1]]
    return f"{item.name}:{constraint(item.typeStr)}{mark}{'' if item.isHomogeneous else '!'}"


def types(schema):
    allowed = {each.type_param_str: [word(text) for text in each.allowed_type_strs] for each in schema.type_constraints}
    params = [*schema.inputs, *schema.outputs]
    named = {constraint(item.typeStr): allowed.get(item.typeStr, [word(item.typeStr)]) for item in params}
    return ' '.join([*map(param, schema.inputs), '>', *map(param, schema.outputs), ';',
                     *[f"{name}={','.join(words)}" for name, words in named.items()]])


def row(schema):
    attributes = [f"{name}:{LETTERS[str(item.type).rsplit('.', 1)[-1]]}{'!' if item.required else ''}"
                  for name, item in sorted(schema.attributes.items())]
    many = lambda count: '*' if count > 1 << 20 else str(count)
    return '\t'.join([schema.name, str(schema.min_input), many(schema.max_input), str(schema.min_output),
                      many(schema.max_output), ','.join(map(str, needed(schema))) or '-', ' '.join(attributes) or '-', types(schema)])


for schema in sorted((s for s in state.get_all_operator_schema() if s.domain == 'com.microsoft'), key=lambda s: s.name):
    print(row(schema))

#!/usr/bin/env python3
"""Writes every operator schema of the installed onnx as an overlay for onnxls, with its texts.

    export_onnx.py [OUTPUT.json]

Runs in the interpreter whose facts you want; needs nothing but onnx (1.8 or newer). The format is described in
docs/overlay.schema.json.
"""
import json
import platform
import sys

import onnx

if not getattr(onnx, "__file__", None):  # A folder of that name in which others keep something, as Debian's torch does.
    raise ModuleNotFoundError("No module named 'onnx'")
from onnx import defs

NO_LIMIT = 2**31 - 1


def first(thing, *names):
    """The attribute that this version of onnx has: names changed from camelCase at 1.13."""
    for name in names:
        if hasattr(thing, name):
            return getattr(thing, name)
    return None


def text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def option(param):
    return str(param.option).rsplit(".", 1)[-1].lower()


def default(attribute):
    """None for no default and for a value that is not a number, string or list of them."""
    value = attribute.default_value
    if not value.type:
        return None
    found = onnx.helper.get_attribute_value(value)
    if isinstance(found, (int, float, str, bytes)):
        return text(found)
    try:
        items = [text(item) for item in found]
    except TypeError:
        return None
    return items if all(isinstance(item, (int, float, str)) for item in items) else None


def with_doc(entry, doc):
    doc = (doc or "").strip()
    return {**entry, "doc": doc} if doc else entry


def min_arity(param, index, min_count):
    """1.12 and older do not tell; it follows from the number of inputs that the operator needs."""
    found = first(param, "min_arity", "minArity")
    if found is None:
        found = max(0, min_count - index) if option(param) == "variadic" else 1
    return found


def params(found, min_count):
    return [with_doc({"name": p.name, "type": first(p, "type_str", "typeStr"), "option": option(p),
                      "homogeneous": bool(first(p, "is_homogeneous", "isHomogeneous")),
                      "min_arity": min_arity(p, index, min_count)}, p.description) for index, p in enumerate(found)]


def attributes(schema):
    found = []
    for name, attribute in sorted(schema.attributes.items()):
        entry = {"name": name, "type": str(attribute.type).rsplit(".", 1)[-1].lower(),
                 "required": bool(attribute.required), "default": default(attribute)}
        found.append(with_doc(entry, attribute.description))
    return found


def constraints(schema):
    return [with_doc({"name": c.type_param_str, "types": sorted(c.allowed_type_strs)}, c.description)
            for c in schema.type_constraints]


def limit(count):
    return None if count >= NO_LIMIT else count


def describe(schema):
    return with_doc({
        "domain": schema.domain, "op": schema.name, "since": schema.since_version,
        "deprecated": bool(schema.deprecated), "experimental": "EXPERIMENTAL" in str(schema.support_level),
        "function": bool(schema.has_function or schema.has_context_dependent_function),
        "min_input": schema.min_input, "max_input": limit(schema.max_input),
        "min_output": schema.min_output, "max_output": limit(schema.max_output),
        "inputs": params(schema.inputs, schema.min_input),
        "outputs": params(schema.outputs, schema.min_output),
        "attributes": attributes(schema), "type_constraints": constraints(schema),
    }, schema.doc)


def overlay():
    schemas = sorted(defs.get_all_schemas_with_history(), key=lambda s: (s.domain, s.name, s.since_version))
    source = f"onnx {onnx.__version__} onnx.defs.get_all_schemas_with_history(), Python {platform.python_version()}"
    return {"version": 1, "sources": [source], "onnx": [describe(schema) for schema in schemas]}


def main():
    output = open(sys.argv[1], "w", encoding="utf-8") if len(sys.argv) > 1 else sys.stdout
    with output:
        json.dump(overlay(), output, ensure_ascii=False, allow_nan=False, indent=1)
        output.write("\n")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Which calls the dynamo exporter refuses, or makes a model of that can't be run or gives something else.

    PYTHONPATH=tests/truth measure_dynamo_types.py OUT.jsonl [--opset 18] [--ops REGEX] [--part I/N]

As measure_types.py, for the dynamo exporter: the first call of each operator's overloads in all types, and others with other shapes. All of an
operator's are exported at once, as an export takes longer than what it is about; then the model is cut at its outputs. A line
a call: op, the overload that it is captured as, or null if it is more than one; `calls`, all of them as they are printed;
result and detail as make_outcomes.py writes them.
"""
import argparse
import gc
import itertools
import json
import os
import sys

from make_outcomes import apart, captured, export_program, flat, make_ready, run_model
from samples import SHAPES, Call, calls, operators, runs

import onnx
import torch

TYPES = [torch.float32, torch.bfloat16, torch.int16, torch.uint8, torch.int8, torch.bool, torch.int32, torch.float64,
         torch.int64, torch.float16]
NAMES = dict(zip(TYPES, ["Float", "BFloat16", "Short", "Byte", "Char", "Bool", "Int", "Double", "Long", "Half"]))


def several(calls):
    """One call that makes all of them."""
    def all_of(*tensors):
        rest = iter(tensors)
        return [call(*[next(rest) for _ in call.tensors]) for call in calls]
    return Call(all_of, tuple(t for call in calls for t in call.tensors), {})


def type_name(tensor):
    return NAMES.get(tensor.dtype, "ComplexFloat")


class Shown(str):
    def __repr__(self):
        return str(self)


def typed_name(node):
    value = node.meta.get("val")
    return Shown(f"{type_name(value)}{list(value.shape)}" if isinstance(value, torch.Tensor) else node.name)


def printed(node):
    """"aten.add.Tensor(Float[2, 3], Float[], alpha=2)" """
    words = [repr(torch.fx.map_arg(a, typed_name)) for a in node.args]
    words += [f"{k}={torch.fx.map_arg(v, typed_name)!r}" for k, v in node.kwargs.items()]
    return f"{node.target}({', '.join(words)})"


def captured_calls(program, counts):
    """For each call, with so many results: the nodes that it became."""
    results = iter(program.graph.output_node().args[0])
    for count in counts:
        seen, todo = set(), [r for r in [next(results) for _ in range(count)] if isinstance(r, torch.fx.Node)]
        while todo:
            node = todo.pop()
            if node.op == "call_function" and node not in seen:
                seen.add(node)
                todo += node.all_input_nodes
        yield [n for n in program.graph.nodes if n in seen and "getitem" not in str(n.target)]


def overload(made):
    """"aten::add.Tensor" if it is one of ATen, else None."""
    if len(made) != 1 or not str(made[0].target).startswith("aten."):
        return None
    return str(made[0].target).replace(".", "::", 1)


def names_used(node):
    """Its inputs, and what the graphs in its attributes take from outside, among others."""
    names = set(node.input)
    for attribute in node.attribute:
        for graph in [attribute.g, *attribute.graphs]:
            names |= {output.name for output in graph.output}.union(*map(names_used, graph.node))
    return names


def cut(model, inputs, outputs):
    """The part of the model that makes these outputs."""
    wanted, nodes = {o.name for o in outputs}, []
    for node in reversed(model.graph.node):
        if wanted & set(node.output):
            nodes.insert(0, node)
            wanted |= names_used(node)
    part = onnx.ModelProto()
    part.CopyFrom(model)
    for field, values in ("node", nodes), ("input", inputs), ("output", outputs), ("value_info", []), \
                         ("initializer", [i for i in model.graph.initializer if i.name in wanted]):
        kept = [onnx.NodeProto.FromString(v.SerializeToString()) if field == "node" else v for v in values]
        part.graph.ClearField(field)
        getattr(part.graph, field).extend(kept)
    return part.SerializeToString()


def described(name, made, opset):
    return {"name": name, "op": overload(made), "opset": opset, "calls": [printed(n) for n in made]}


def rows(named, opset):
    """A line for each call; where the exporter refuses one, the others are asked without it."""
    calls = [call for _, call in named]
    program = captured(several(calls))
    counts = [len(flat(call(*call.arguments()))) for call in calls]
    bytes_of = export_program(program, opset)
    if not isinstance(bytes_of, bytes) and len(calls) > 1:
        first = apart_rows(named[:1], opset)
        if first and first[0]["result"] == "refused":  # So are most of the others, or all.
            return first
        half = len(calls) // 2
        return apart_rows(named[:half], opset) + apart_rows(named[half:], opset)
    lines = [described(name, made, opset) for (name, _), made in zip(named, captured_calls(program, counts))]
    if not isinstance(bytes_of, bytes):
        return [{**lines[0], "result": "refused", "detail": bytes_of[1]}]
    model = onnx.load_from_string(bytes_of)
    inputs, outputs = iter(model.graph.input), iter(model.graph.output)
    for call, count, line in zip(calls, counts, lines):
        part = cut(model, [next(inputs) for _ in call.tensors], [next(outputs) for _ in range(count)])
        line["result"], line["detail"] = run_model(part, call, dynamo=True)
    return lines


def apart_rows(named, opset):
    """Some calls can't be captured, or end the process."""
    lines = apart(lambda: rows(named, opset))
    if lines is None and len(named) > 1:
        half = len(named) // 2
        lines = apart_rows(named[:half], opset) + apart_rows(named[half:], opset)
    return lines or []


def tensors_are_plain(call):
    return all(t.layout == torch.strided and t.numel() < 1e5 for t in call.tensors)


def name_of_overload(call):
    try:
        return overload([n for n in captured(call).graph.nodes if n.op == "call_function" and "getitem" not in str(n.target)])
    except Exception:  # It can't be captured.
        return None


def first_of_overloads(calls):
    """The first call, and those after it that are captured as other overloads."""
    seen = set()
    for i, call in enumerate(calls):
        name = name_of_overload(call)
        if i == 0 or name and name not in seen:
            yield call
        seen.add(name)


def in_types(call):
    changes = torch.float32 if any(t.is_floating_point() for t in call.tensors) else torch.int64
    for dtype in TYPES:
        if dtype != changes:
            yield NAMES[dtype], call.changed(lambda t: t.nan_to_num(0, 0, 0).to(dtype) if t.dtype == changes else t)


def variants(op):
    """(name, call): the first call of each overload in every type, and some with other shapes."""
    firsts = [c for _, c in calls(op, torch.float32, 0, 12)] or [c for _, c in calls(op, torch.int64, 0, 2)]
    firsts = list(filter(tensors_are_plain, firsts))
    for i, call in enumerate(firsts[:3]):
        yield f"plain.{i}", call
    for call in first_of_overloads(firsts):
        yield from in_types(call)
    for name, change in SHAPES.items() if firsts else ():
        yield name, firsts[0].changed(change)
    for _, call in calls(op, torch.complex64, 0, 1):
        if tensors_are_plain(call):
            yield "complex", call


def measure(op, opset):
    named = [(name, call) for name, call in variants(op) if runs(call)]
    groups = [n for n in named if "complex" not in n[0]], [n for n in named if "complex" in n[0]]
    return [line for group in groups if group for line in apart_rows(group, opset)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--opset", type=int, default=18)
    parser.add_argument("--ops", default="")
    parser.add_argument("--part", default="0/1")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    make_ready()
    part, parts = map(int, arguments.part.split("/"))
    gc.freeze()
    with open(arguments.out, "a+") as out:
        out.seek(0)
        done = {json.loads(line)["sample"] for line in out}  # It goes on where it was ended.
        for op, name in itertools.islice(operators(arguments.ops), part, None, parts):
            for row in measure(op, arguments.opset) if name not in done else []:
                out.write(json.dumps({"sample": name, **row}) + "\n")
            out.flush()


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    main()

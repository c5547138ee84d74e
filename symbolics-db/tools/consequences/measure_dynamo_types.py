#!/usr/bin/env python3
"""Which element types of which calls the models of the dynamo exporter can't be run with, or give another type.

    PYTHONPATH=tests/truth measure_dynamo_types.py OUT.jsonl [--opset 18] [--ops REGEX]

As measure_types.py, for the dynamo exporter and calls that torch.export.export() makes one overload of. All types of a call
are exported at once, as an export takes longer than what it is about; then the model is cut at its outputs.
"""
import argparse
import json
import os
import random
import sys

from make_outcomes import apart, captured, export_program, flat, make_ready, run_model
from samples import Call, calls, operators, runs

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


def only_nodes(program, counts):
    """For each call, with so many results: (overload, types of its arguments), or None if it is taken apart."""
    results = iter(program.graph.output_node().args[0])
    for count in counts:
        seen, todo = set(), [next(results) for _ in range(count)]
        while todo:
            node = todo.pop()
            if node.op == "call_function" and node not in seen:
                seen.add(node)
                todo += node.all_input_nodes
        made = [n for n in seen if "getitem" not in str(n.target)]
        if len(made) != 1 or not str(made[0].target).startswith("aten."):
            yield None
            continue
        values = [a.meta.get("val") if isinstance(a, torch.fx.Node) else None for a in made[0].args]
        name, overload = str(made[0].target)[5:].split(".")
        types = [NAMES.get(v.dtype, "?") if isinstance(v, torch.Tensor) else "" for v in values]
        yield f"aten::{name}" + ("" if overload == "default" else f".{overload}"), types


def cut(model, inputs, outputs):
    """The part of the model that makes these outputs."""
    wanted, nodes = {o.name for o in outputs}, []
    for node in reversed(model.graph.node):
        if wanted & set(node.output):
            nodes.insert(0, node)
            wanted |= set(node.input)
    part = onnx.ModelProto()
    part.CopyFrom(model)
    for field, values in ("node", nodes), ("input", inputs), ("output", outputs), ("value_info", []), \
                         ("initializer", [i for i in model.graph.initializer if i.name in wanted]):
        kept = [onnx.NodeProto.FromString(v.SerializeToString()) if field == "node" else v for v in values]
        part.graph.ClearField(field)
        getattr(part.graph, field).extend(kept)
    return part.SerializeToString()


def rows(calls, opset):
    whole = several(calls)
    program = captured(whole)
    counts = [len(flat(call(*call.arguments()))) for call in calls]
    nodes = list(only_nodes(program, counts))
    if not any(nodes):
        return []
    bytes_of = export_program(program, opset)
    if not isinstance(bytes_of, bytes):
        if len(calls) > 1:
            return [row for call in calls for row in rows([call], opset)]
        return [{"op": nodes[0][0], "count": len(nodes[0][1]), "opset": opset, "types": nodes[0][1], "result": "refused",
                 "detail": bytes_of[1]}]
    model, lines = onnx.load_from_string(bytes_of), []
    inputs, outputs = iter(model.graph.input), iter(model.graph.output)
    for call, count, node in zip(calls, counts, nodes):
        part = cut(model, [next(inputs) for _ in call.tensors], [next(outputs) for _ in range(count)])
        if node:
            result, detail = run_model(part, call, dynamo=True)
            lines.append({"op": node[0], "count": len(node[1]), "opset": opset, "types": node[1], "result": result,
                          "detail": detail})
    return lines


def measure(op, opset):
    """Rows of the first sample in every type."""
    first = next((c for _, c in calls(op, torch.float32, 0, 1)), None)
    first = first or next((c for _, c in calls(op, torch.int64, 0, 1)), None)
    if not first or any(t.layout != torch.strided or t.numel() > 1e5 for t in first.tensors):
        return []
    changes = torch.float32 if any(t.is_floating_point() for t in first.tensors) else torch.int64
    others = [first.changed(lambda t: t.nan_to_num(0, 0, 0).to(dtype) if t.dtype == changes else t) for dtype in TYPES]
    return rows([call for call in others if runs(call)], opset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--opset", type=int, default=18)
    parser.add_argument("--ops", default="")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    make_ready()
    database = list(operators(arguments.ops))
    random.Random(0).shuffle(database)  # What there is when it is ended is about all kinds of operators.
    with open(arguments.out, "a") as out:
        for op, name in database:
            for row in apart(lambda: measure(op, arguments.opset)) or []:
                out.write(json.dumps(row) + "\n")
            out.flush()


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    main()

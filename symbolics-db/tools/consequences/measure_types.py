#!/usr/bin/env python3
"""Which element types of which calls the runtime refuses to load.

    PYTHONPATH=tests/truth measure_types.py OUT.jsonl [--opset 17] [--ops REGEX] [--models FOLDER]

Run by the Python of a torch that has an onnxruntime beside it. Takes samples of the operator database that come out right in
float32, converts their floating-point tensors to every other type, exports them, and loads and runs the model. Writes a line
for each call whose trace is one node: op ("aten::relu"), count of arguments, types of its tensors by argument, opset,
result and detail as in make_outcomes.py. With --models the model of each call that has no kernel is kept, for another
version of the runtime to load.
"""
import argparse
import json
import os
import re
import signal
import sys

from make_outcomes import export, run_model, traced_text
from samples import calls, operators, runs

import torch

TYPES = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.bool, torch.float16, torch.bfloat16, torch.float64]
NODE = re.compile(r"^  %.* = (aten::\w+)\((.*)\)", re.M)
TYPED = re.compile(r"%([\w.]+) : (\w+)\(")
HARMLESS = {"aten::detach", "aten::Int", "aten::size"}
SAMPLES = 3
SECONDS = 20


def only_node(text):
    """(operator, names of its arguments), if there is one node that is converted."""
    nodes = [(op, [a.strip().lstrip("%") for a in arguments.split(",")]) for op, arguments in NODE.findall(text)]
    nodes = [n for n in nodes if n[0] not in HARMLESS]
    return nodes[0] if len(nodes) == 1 else None


def look_at(call, opset, models):
    text = traced_text(call)
    node = only_node(text)
    model = node and export(call, opset)
    if not isinstance(model, bytes):
        return None
    result, detail = run_model(model, call)
    types = dict(TYPED.findall(text))
    line = {"op": node[0], "count": len(node[1]), "opset": opset, "types": [types.get(a, "") for a in node[1]],
            "result": result, "detail": detail}
    if models and result == "load" and "NOT_IMPLEMENTED" in detail:
        line["model"] = f"{len(os.listdir(models))}.onnx"
        with open(os.path.join(models, line["model"]), "wb") as file:
            file.write(model)
    return line


def measure(op, opset, models, pipe):
    for i, call in calls(op, torch.float32, 0, SAMPLES):
        signal.alarm(SECONDS)
        if any(t.layout != torch.strided for t in call.tensors):
            continue
        try:
            line = look_at(call, opset, None)
        except Exception:
            continue
        if not line or line["result"] != "same" or not any(t.is_floating_point() for t in call.tensors):
            continue
        for dtype in TYPES:
            signal.alarm(SECONDS)
            other = call.changed(lambda t: t.nan_to_num(0, 0, 0).to(dtype) if t.is_floating_point() else t)
            try:
                line = look_at(other, opset, models) if runs(other) else None
            except Exception:
                continue
            if line:
                print(json.dumps(line), file=pipe, flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--opset", type=int, default=17)
    parser.add_argument("--ops", default="")
    parser.add_argument("--models")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    if arguments.models:
        os.makedirs(arguments.models, exist_ok=True)
    open(arguments.out, "w").close()
    for op, name in operators(arguments.ops):
        child = os.fork()  # What ends the process costs one operator.
        if child == 0:
            with open(arguments.out, "a") as pipe:
                measure(op, arguments.opset, arguments.models, pipe)
            os._exit(0)
        os.waitpid(child, 0)


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    main()

"""make_export_calls.py CASES OUT.jsonl: runs Python files that call torch.onnx.export(), and records what came of each.

CASES holds them one after the other, each below a line `=== name`. Each runs in a process of its own, in an empty folder.
What exports otherwise than was asked (an axis that is fixed, another opset, an argument without effect) has to be told by a
person: `inputs` and `opset` are there for that, and are left out of export_calls.jsonl.
"""
import json
import os
import runpy
import sys
import tempfile
import warnings

import onnx_ir
import torch

PROLOGUE = "import torch\nfrom torch.export import Dim\nfrom onnxscript import opset18 as op\n\n"


def root_of(error):
    while error.__cause__ or error.__context__:
        error = error.__cause__ or error.__context__
    return f"{type(error).__name__}: {(str(error).strip().splitlines() or [''])[0]}"


def run(name, text):
    result = {"name": name, "text": text}
    programs = []
    export = torch.onnx.export
    torch.onnx.export = lambda *args, **kwargs: programs.append(export(*args, **kwargs)) or programs[-1]
    try:
        with open("case.py", "w") as file:
            file.write(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runpy.run_path("case.py")  # A module of its own, in which onnxscript finds names.
        result["outcome"] = "exports"
    except Exception as error:  # Whatever the exporter raises is the outcome.
        return {**result, "outcome": "fails", "message": root_of(error)}
    model = programs[-1].model if programs and programs[-1] else None
    if model is None and os.path.exists("m.onnx"):
        model = onnx_ir.load("m.onnx")
    if model is not None:
        result["opset"] = dict(model.opset_imports)
        result["inputs"] = {value.name: [str(size) for size in value.shape or ()] for value in model.graph.inputs}
    return result


def main(source, output):
    with open(source) as file:
        cases = [part.partition("\n") for part in ("\n" + file.read()).split("\n=== ")[1:]]
    with open(output, "w", buffering=1) as out:  # A line at a time: a run may be ended.
        for name, _, text in cases:
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "result")
                child = os.fork()
                if child == 0:
                    os.chdir(folder)
                    null = os.open(os.devnull, os.O_WRONLY)
                    os.dup2(null, 1)
                    os.dup2(null, 2)
                    result = run(name, PROLOGUE + text.rstrip("\n") + "\n")
                    with open(path, "w") as file:
                        json.dump(result, file)
                    os._exit(0)
                os.waitpid(child, 0)
                if os.path.exists(path):
                    with open(path) as file:
                        out.write(file.read() + "\n")
                else:
                    print(f"{name}: the process died")


if __name__ == "__main__":
    main(*sys.argv[1:])

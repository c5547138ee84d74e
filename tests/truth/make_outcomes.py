#!/usr/bin/env python3
"""What the real TorchScript exporter makes of samples of PyTorch's operator database, and what a runtime makes of that.

    make_outcomes.py OUT.jsonl [--opsets 9,13,17,20] [--values 17] [--own | --seed N [--count N]]
                     [--ops REGEX] [--part I/N]

Run by the Python of the torch that is asked. Writes one line a sample: file, torch, refused (opset -> 0 or 1), error
(opset -> class and first line), text, the traced graph, as tests/truth/outcomes.mjs reads them; and with --values, `result`:
what onnxruntime does with the model exported to that opset: `same` as eager, `differs` (values, shape, element type),
`load`, `run` (it fails), `inputs` (the export dropped an input), `random`, `unjudged`; `detail` says more. Samples that can't
be traced, or end the process, are left out.

--own asks for samples that the database's own choice lacks, --seed for random ones, --count of each operator (samples.py).
"""
import argparse
import contextlib
import io
import itertools
import json
import os
import re
import signal
import sys
import warnings

from samples import Call, database_samples, own_samples, random_samples

import torch

VERSION = ".".join(torch.__version__.split(".")[:2])
OPTIONS = {"dynamo": False} if tuple(map(int, VERSION.split("."))) >= (2, 5) else {}
SECONDS = 60  # A sample that hangs the exporter is left out.


def export(call, opset):
    """The model's bytes, or the exception's name and message: itself it would keep values of the graph alive."""
    stream = io.BytesIO()
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            torch.onnx.export(call, call.arguments(), stream, opset_version=opset, input_names=call.names(),
                              dynamic_axes=call.dynamic, **OPTIONS)
    except Exception as e:  # Whatever it is, it is what the user gets.
        return [type(e).__name__, str(e).split("\n")[0]]
    return stream.getvalue()


def traced_text(call):
    traced = torch.jit.trace(call, call.arguments(), check_trace=False)
    graph = traced.inlined_graph
    if call.dynamic:
        inputs = [i.debugName() for i in graph.inputs()]  # The module first.
        named = {i: call.dynamic[n] for i, n in zip(inputs[1:], call.names()) if n in call.dynamic}
        torch._C._jit_pass_onnx_set_dynamic_input_shape(graph, named, inputs)
    return re.sub(r" # \S+:\d+:\d+", "", str(graph))


def flat(value):
    if isinstance(value, torch.Tensor):
        return [value]
    return [t for v in value for t in flat(v)] if isinstance(value, (list, tuple)) else []


def is_same(expected, got):
    if expected.is_complex() or list(expected.shape) != list(got.shape):
        return f"shape {list(got.shape)} for {list(expected.shape)}" if not expected.is_complex() else "complex"
    if expected.dtype != got.dtype:
        return f"{got.dtype} for {expected.dtype}"
    tolerance = {torch.float16: 1e-2, torch.bfloat16: 5e-2, torch.float32: 1e-3}.get(expected.dtype, 1e-5)
    a, b = expected.double(), got.double()
    return "" if torch.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True) else "values"


def twice(call):
    """Eager's results, two times, which differ if they are random; the database's own seeds are left out."""
    seed, torch.manual_seed = torch.manual_seed, lambda *_: None
    try:
        with torch.no_grad():
            first = flat(call(*call.arguments()))
            torch.rand(7)
            return first, flat(call(*call.arguments()))
    finally:
        torch.manual_seed = seed


def run_model(model, call):
    """What becomes of the model: (result, detail)."""
    import onnxruntime
    expected, again = twice(call)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as e:
        return "load", str(e).split("\n")[0]
    wanted = [i.name for i in session.get_inputs()]
    feed = {n: t.numpy() for n, t in zip(call.names(), call.tensors)}
    try:
        got = [torch.from_numpy(v) if hasattr(v, "dtype") else v
               for v in session.run(None, {n: feed[n] for n in wanted})]
    except Exception as e:
        what = "unjudged" if "No corresponding Numpy type" in str(e) else "run"
        return what, str(e).split("\n")[0]
    if len(wanted) != len(feed):
        return "inputs", f"{sorted(set(feed) - set(wanted))}"
    if not expected:
        return "unjudged", "no tensors"
    if any(is_same(e, a) == "values" for e, a in zip(expected, again)):
        return "random", ""
    if len(got) != len(expected):
        return "differs", f"{len(got)} results for {len(expected)}"
    differences = [d for e, g in zip(expected, got) if (d := is_same(e, g))]
    return ("differs", differences[0]) if differences else ("same", "")


def look_at(call, opsets, values):
    text = traced_text(call)
    models = {o: export(call, o) for o in opsets}
    errors = {o: m for o, m in models.items() if not isinstance(m, bytes)}
    line = {"refused": {str(o): int(o in errors) for o in opsets}, "error": {str(o): e for o, e in errors.items()}}
    if values and isinstance(models.get(values), bytes):
        line["result"], line["detail"] = run_model(models[values], call)
    return {**line, "text": text}


def apart(function):
    """What `function` returns in a process of its own; None if it raises, ends that process, or takes too long."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        try:
            with os.fdopen(write, "w") as pipe:
                json.dump(function(), pipe)
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--opsets", default="9,13,17,20")
    parser.add_argument("--values", type=int)
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--count", type=int, default=3)
    parser.add_argument("--ops", default="")
    parser.add_argument("--part", default="0/1")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    opsets = [int(o) for o in arguments.opsets.split(",")]
    part, parts = map(int, arguments.part.split("/"))
    if arguments.values:
        import onnxruntime  # Once, not in the process of each sample.
    samples = own_samples(arguments.ops) if arguments.own else database_samples(arguments.ops)
    if arguments.seed is not None:
        samples = random_samples(arguments.ops, arguments.seed, arguments.count)
    with open(arguments.out, "w") as out:
        for name, call in itertools.islice(samples, part, None, parts):
            line = apart(lambda: look_at(call, opsets, arguments.values))  # A sample may spoil the process for the next.
            if line:
                out.write(json.dumps({"file": f"{name}.torchir", "torch": VERSION, **line}) + os.linesep)
                out.flush()


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # The database goes through sets of strings.
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    main()

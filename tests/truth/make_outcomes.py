#!/usr/bin/env python3
"""What a real exporter makes of samples of PyTorch's operator database, and what a runtime makes of that.

    make_outcomes.py OUT.jsonl [--dynamo] [--opsets 9,13,17,20] [--values 17] [--own | --types | --seed N [--count N]]
                     [--ops REGEX] [--part I/N]

Run by the Python of the torch that is asked. Writes one line a sample: file, torch, refused (opset -> 0 or 1), error
(opset -> class and first line), text, the traced graph, as tests/truth/outcomes.mjs reads them; and with --values, opset,
runtime and `result`: what onnxruntime does with the model exported to that opset: `same` as eager, `differs` (values, shape,
element type), `load`, `run` (it fails), `inputs` (the export dropped an input), `random`, `unjudged`; `detail` says more. Samples that can't
be traced, or end the process, are left out.

--dynamo asks the dynamo exporter instead of the TorchScript one; text is then the exported program.
--own asks for samples that the database's own choice lacks, --types for one of each element type and for scalars, single
elements and none, --seed for random ones, --count of each operator (samples.py).
"""
import argparse
import contextlib
import gc
import io
import itertools
import json
import os
import re
import resource
import sys
import time
import warnings

from samples import Call, database_samples, op_db, own_samples, random_samples, type_samples

import torch

VERSION = ".".join(torch.__version__.split(".")[:2])
OPTIONS = {"dynamo": False} if tuple(map(int, VERSION.split("."))) >= (2, 5) else {}
SECONDS = 60  # Of computing. A sample that hangs the exporter is left out.


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
    return without_places(str(graph))


def captured(call):
    """The program that the dynamo exporter converts."""
    axes = call.dynamic and [{d: torch.export.Dim.DYNAMIC for d in call.dynamic.get(n, {})} for n in call.names()]
    return torch.export.export(call, call.arguments(), dynamic_shapes=axes and {"tensors": tuple(axes)})


def export_program(program, opset):
    """As export(), with the dynamo exporter."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            made = torch.onnx.export(program, dynamo=True, opset_version=opset, verbose=False)
    except Exception as e:  # The exporter wraps what was raised in a long report.
        cause = e
        while cause.__cause__:
            cause = cause.__cause__
        return [type(cause).__name__, str(cause).split("\n")[0]]
    return made.model_proto.SerializeToString()


def make_ready():
    """What each process, and some of it each export, would do again: find functions and operators, import what converts."""
    from torch._export import utils
    from torch.export import exported_program
    from torch.onnx._internal.exporter import _decomp, _registration
    registry = _registration.ONNXRegistry.from_torchlib()
    _registration.ONNXRegistry.from_torchlib = lambda *_, **__: registry
    export_program(captured(Call(torch.add, (torch.ones(2), torch.ones(2)), {})), None)
    utils._materialize_cpp_cia_ops = lambda: None  # All of them are there now.
    table = _decomp.create_onnx_friendly_decomposition_table(set(_decomp.get_onnx_implemented_overloads(registry)))
    split = exported_program._split_decomp_table_to_cia_and_python_decomp(dict(table))
    _decomp.create_onnx_friendly_decomposition_table = lambda _: dict(table)
    exported_program._split_decomp_table_to_cia_and_python_decomp = lambda _: tuple(map(dict, split))


def without_places(text):
    """Lines say which of them come from one statement, and of no file."""
    return re.sub(r"# File: \S+ in ", "# File: m.py:1 in ", re.sub(r" # \S+:(\d+:\d+)", r" # m.py:\1", text))


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


def real(tensor):
    """As the dynamo exporter takes complex tensors."""
    return torch.view_as_real(tensor.resolve_conj()) if tensor.is_complex() else tensor


def run_model(model, call, dynamo=False):
    """What becomes of the model: (result, detail)."""
    import onnxruntime
    expected, again = ([real(t) if dynamo else t for t in results] for results in twice(call))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as e:
        return "load", str(e).split("\n")[0]
    wanted = [i.name for i in session.get_inputs()]
    if any(t.dtype == torch.bfloat16 for t in call.tensors):
        return "unjudged", "numpy has no bfloat16"
    # The dynamo exporter keeps all inputs, and gives them other names.
    feed = {n: real(t).numpy() for n, t in zip(wanted if dynamo else call.names(), call.tensors)}
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


def look_at(call, opsets, values, dynamo=False):
    if dynamo:
        text = without_places(str(captured(call)))
        models = {o: export_program(captured(call), o) for o in opsets}  # An export leaves sizes pending that the next one misses.
    else:
        text = traced_text(call)
        models = {o: export(call, o) for o in opsets}
    errors = {o: m for o, m in models.items() if not isinstance(m, bytes)}
    line = {"refused": {str(o): int(o in errors) for o in opsets}, "error": {str(o): e for o, e in errors.items()}}
    if values and isinstance(models.get(values), bytes):
        import onnxruntime
        line["opset"], line["runtime"] = str(values), "onnxruntime " + ".".join(onnxruntime.__version__.split(".")[:2])
        line["result"], line["detail"] = run_model(models[values], call, dynamo)
    return {**line, "text": text}


def in_child(function, items, pipe):
    """Writes a line for each item; whatever spoils or ends this process, no other one sees."""
    try:
        for item in items:
            done = int(time.process_time())
            resource.setrlimit(resource.RLIMIT_CPU, (done + SECONDS, resource.RLIM_INFINITY))
            try:
                answer = function(item)
            except Exception:  # Of a sample that can't be traced, for example.
                answer = None
            pipe.write(json.dumps(answer) + "\n")
            pipe.flush()
    finally:
        os._exit(0)


def each_apart(function, items):
    """What `function` returns for each item, in another process; None if it raises, ends that process, or takes too long."""
    items = list(items)
    while items:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            in_child(function, items, os.fdopen(write, "w"))
        os.close(write)
        with os.fdopen(read) as pipe:
            answers = [json.loads(line) for line in pipe if line.endswith("\n")]
        os.waitpid(child, 0)
        answers += [None] if len(answers) < len(items) else []  # The one at which that process ended.
        items = items[len(answers):]
        yield from answers


def apart(function):
    return next(each_apart(lambda _: function(), [None]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--opsets", default="9,13,17,20")
    parser.add_argument("--values", type=int)
    parser.add_argument("--dynamo", action="store_true")
    parser.add_argument("--own", action="store_true")
    parser.add_argument("--types", action="store_true")
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
    if arguments.dynamo:
        make_ready()
    op_db[:] = op_db[part::parts]
    gc.freeze()  # What a child doesn't go through needs no copy of its own.
    samples = own_samples(arguments.ops) if arguments.own else database_samples(arguments.ops)
    if arguments.types:
        samples = type_samples(arguments.ops)
    if arguments.seed is not None:
        samples = random_samples(arguments.ops, arguments.seed, arguments.count)
    ending = ".ep.txt" if arguments.dynamo else ".torchir"
    with open(arguments.out, "w") as out:
        for _, group in itertools.groupby(samples, lambda sample: sample[1].op):  # Samples may spoil a process for others.
            group = list(group)
            lines = each_apart(lambda call: look_at(call, opsets, arguments.values, arguments.dynamo), [c for _, c in group])
            for (name, _), line in zip(group, lines):
                if line:
                    out.write(json.dumps({"file": name + ending, "torch": VERSION, **line}) + os.linesep)
            out.flush()


if __name__ == "__main__":
    if os.environ.get("PYTHONHASHSEED") != "0":  # The database goes through sets of strings.
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, "PYTHONHASHSEED": "0"})
    main()

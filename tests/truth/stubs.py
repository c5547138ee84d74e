"""Imports the symbolic functions that tests/truth/stubs.mjs lists and has the exporter of this torch call them."""

import importlib.util
import inspect
import json
import re
import sys
import warnings

import torch
import torch.onnx
from torch.onnx import _globals, utils

warnings.simplefilter("ignore")
calls = []


def watch(name, function, opset):
    """What a module registers, with a note of each call."""

    def watched(g, *args, **kwargs):
        calls.append((name, len(args)))
        return function(g, *args, **kwargs)

    watch.registered = (name, function, opset)
    real_register(name, watched, opset)


real_register = torch.onnx.register_custom_op_symbolic
torch.onnx.register_custom_op_symbolic = watch
libraries = {}


def load(path):
    spec = importlib.util.spec_from_file_location("stub", path)
    module = importlib.util.module_from_spec(spec)
    watch.registered = None
    spec.loader.exec_module(module)
    return watch.registered


def is_known(op):
    return any(schema.name == op for schema in torch._C._jit_get_all_schemas())


def define(op, schema):
    """An operator of a library that is not installed here, by the schema in the stub."""
    namespace, _ = op.split("::")
    if namespace in ("aten", "prim", "onnx") or not schema:
        return
    try:
        library = libraries.setdefault(namespace, torch.library.Library(namespace, "DEF"))
        library.define(schema.split("::", 1)[1])
    except RuntimeError:
        pass


def export(text):
    """The exporter's own steps; where this torch has no such operator, or not with these types, only the conversion."""
    kind = torch._C._onnx.OperatorExportTypes.ONNX
    try:
        utils._optimize_graph(torch._C.parse_ir(text), kind, params_dict={})
        return True
    except RuntimeError as error:
        if "INTERNAL ASSERT" not in str(error) or "operator" not in str(error) and "an op for" not in str(error):
            raise
    graph = torch._C.parse_ir(text)
    torch._C._jit_pass_erase_number_types(graph)
    torch._C._jit_pass_onnx(graph, kind)
    return False


def expected_parameters(function):
    signature = inspect.signature(inspect.unwrap(function))
    kinds = [parameter.kind for parameter in signature.parameters.values()]
    required = [p for p in signature.parameters.values() if p.default is p.empty and p.kind == p.POSITIONAL_OR_KEYWORD]
    most = float("inf") if inspect.Parameter.VAR_POSITIONAL in kinds else \
        kinds.count(inspect.Parameter.POSITIONAL_OR_KEYWORD) - 1
    return len(required) - 1, most


def try_call(stub, call, registered):
    if call is None:
        return "the node can't be read here"
    least, most = expected_parameters(registered[1])
    if not least <= call["inputs"] <= most:
        return f"takes {least} to {most} arguments, the node has {call['inputs']}"
    calls.clear()
    if not is_known(stub["op"]):
        define(stub["op"], stub["schema"])
    try:
        stub["whole"] = export(call["graph"]) and stub.get("whole", True)
    except Exception as error:
        return f"{type(error).__name__}: {error}\n{call['graph']}"
    if (registered[0], call["inputs"]) not in calls:
        return f"was not called with {call['inputs']} arguments, but {calls}\n{call['graph']}"
    return None


def try_stub(stub):
    if stub["module"] is None:
        return "no stub was offered"
    with open(stub["module"], encoding="utf8") as file:
        text = file.read()
    schema = re.search(r"^# (\S+::.*)$", text, re.M)
    stub["schema"] = schema.group(1) if schema else None
    try:
        registered = load(stub["module"])
    except Exception as error:
        return f"{type(error).__name__}: {error}\n{text}"
    if not registered:
        return "nothing was registered"
    if registered[2] != stub["opset"]:
        return f"registered for opset {registered[2]}"
    for call in stub["calls"]:
        problem = try_call(stub, call, registered)
        if problem:
            return f"{problem}\n{text}"
    return None


def main(path):
    with open(path, encoding="utf8") as file:
        stubs = json.load(file)
    failed = 0
    for stub in stubs:
        opset = stub["opset"]
        _globals.GLOBALS.export_onnx_opset_version = opset
        _globals.GLOBALS.operator_export_type = torch._C._onnx.OperatorExportTypes.ONNX
        problem = try_stub(stub)
        if problem:
            print(f"{stub['name']}: {problem}")
            failed += 1
    dumps = len({stub["name"].split(":")[0] for stub in stubs})
    operators = len({stub["op"] for stub in stubs})
    whole = sum(1 for stub in stubs if stub.get("whole"))
    print(f"stubs of {operators} operators in {dumps} dumps, with torch {torch.__version__}; "
          f"{whole} by all steps of the exporter, {len(stubs) - failed - whole} by the conversion alone")
    print(f"{len(stubs) - failed} passed, {failed} failed")
    return 1 if failed or not stubs else 0


sys.exit(main(sys.argv[1]))

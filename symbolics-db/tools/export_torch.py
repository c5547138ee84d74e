#!/usr/bin/env python3
"""Writes what the installed torch can export as an overlay for onnxls.

    export_torch.py [--import MODULE]... [OUTPUT.json]

Takes every operator schema, the TorchScript exporter's registry and, where onnxscript is installed, the dynamo
exporter's. Custom operators and symbolic functions are in it if they are registered: name the modules that do so with
--import. Runs in the interpreter whose facts you want; torch 1.13 or newer. Nothing is exported or run on a device.
The format is described in docs/overlay.schema.json.
"""
import argparse
import importlib
import json
import platform
import re
import sys
import warnings

import torch
import torch.onnx


def module(*names):
    """The first of the modules that this torch has: the exporter moved several times."""
    for name in names:
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    return None


INTERNAL = "torch.onnx._internal.torchscript_exporter"


def operator_name(schema):
    return schema.name + ("." + schema.overload_name if schema.overload_name else "")


def schemas():
    return sorted({str(schema) for schema in torch._C._jit_get_all_schemas()})


def random_operators():
    """Overloads that constant propagation must not fold. Tags exist since 2.0."""
    tag = getattr(getattr(torch, "Tag", None), "nondeterministic_seeded", None)
    found = set()
    for schema in torch._C._jit_get_all_schemas() if tag else []:
        namespace, name = schema.name.split("::", 1)
        packet = getattr(getattr(torch.ops, namespace, None), name, None)
        overload = getattr(packet, schema.overload_name or "default", None)
        if tag in (getattr(overload, "tags", None) or ()):
            found.add(operator_name(schema))
    return sorted(found)


def import_symbolics():
    """Symbolic functions register themselves when their module is imported, which 2.9 and newer put off."""
    for opset in range(7, 64):
        module(f"{INTERNAL}.symbolic_opset{opset}", f"torch.onnx.symbolic_opset{opset}")


def opsets_of(group):
    """The registered opsets of one operator, and those whose function only raises."""
    registered, blocked = [], []
    for opset in sorted(set(group._functions) | set(getattr(group._functions, "_overrides", ()))):
        function = group._functions[opset]
        registered.append(opset)
        if "_block_list_in_opset" in getattr(function, "__qualname__", ""):
            blocked.append(opset)
    return {"registered": registered, "blocked": blocked}


def torchscript():
    registration = module(f"{INTERNAL}.registration", "torch.onnx._internal.registration")
    if not registration:
        return {}
    import_symbolics()
    found = {}
    for name in sorted(registration.registry.all_functions()):
        group = registration.registry.get_function_group(name)
        entry = opsets_of(group)
        found[name] = entry if entry["blocked"] else entry["registered"]
    return found


def ranges():
    constants = module("torch.onnx._constants", f"{INTERNAL}._constants")
    get = lambda *names: next((getattr(constants, name) for name in names if hasattr(constants, name)), None)
    low, default = get("ONNX_MIN_OPSET"), get("ONNX_DEFAULT_OPSET")
    high = get("ONNX_TORCHSCRIPT_EXPORTER_MAX_OPSET", "ONNX_MAX_OPSET")
    found = {}
    if low and high and default:
        found["torchscript"] = {"opsets": [low, high], "default": min(default, high)}
    # torchlib is written for one opset. Before 2.9 the exporter took that one unless told otherwise, since then the
    # common default; functions for newer opsets came with a constant of their own for TorchScript's end.
    torchlib = getattr(module("torch.onnx._internal.exporter._constants"), "TORCHLIB_OPSET", None)
    is_common = hasattr(constants, "ONNX_TORCHSCRIPT_EXPORTER_MAX_OPSET")
    if torchlib:
        found["dynamo"] = {"opsets": [torchlib, get("ONNX_MAX_OPSET") if is_common else torchlib],
                           "default": max(default, torchlib) if is_common else torchlib}
    return found


def suffixes():
    """Read off the pattern that g.op() splits attribute names with."""
    jit_utils = module(f"{INTERNAL}.jit_utils", "torch.onnx._internal.jit_utils")
    pattern = getattr(jit_utils, "_ATTR_PATTERN", None)
    candidates = [chr(c) for c in range(ord("a"), ord("z") + 1)] + ["ty", "is", "fs", "ss", "ts", "gs"]
    matches = lambda suffix: re.match(pattern, "x_" + suffix) if pattern is not None else suffix in "ifstgz"
    return [suffix for suffix in candidates if matches(suffix)]


def target_name(target):
    """aten::add.Tensor of an OpOverload or of its name, _operator::add of a Python function."""
    if isinstance(target, torch._ops.OpOverload):
        target = target.name()
    if isinstance(target, str):
        return target.removesuffix(".default")
    return f"{target.__module__}::{target.__name__}" if hasattr(target, "__name__") else None


def nodes_of_onnx():
    """torch.ops.onnx.Attention.opset23 and its like become a node of ONNX without any function."""
    try:
        table = torch.onnx.ops.aten_decompositions()
    except AttributeError:  # Older than torch.onnx.ops.
        return {}
    return {(target.name(), False): int(target._overloadname.removeprefix("opset")) for target in table}


def dynamo_functions(registration, opsets):
    """A registry holds for each target the newest functions up to its opset, so all opsets are asked."""
    found = nodes_of_onnx()
    for opset in range(opsets[0], opsets[1] + 1):
        for target, functions in registration.ONNXRegistry.from_torchlib(opset_version=opset).functions.items():
            for function in functions:
                key = target_name(target), bool(function.is_complex)
                found[key] = min(found.get(key, opset), opset)
    return [{"name": name, "opset": opset, "complex": is_complex}
            for (name, is_complex), opset in sorted(found.items(), key=str) if name]


def dynamo(opsets):
    """None without onnxscript, or with a torch whose registry is built in another way."""
    try:
        registration = importlib.import_module("torch.onnx._internal.exporter._registration")
        decompositions = importlib.import_module("torch.onnx._internal.exporter._decomp")
        functions = dynamo_functions(registration, opsets)
        registry = registration.ONNXRegistry.from_torchlib()
        implemented = set(decompositions.get_onnx_implemented_overloads(registry))
        table = decompositions.create_onnx_friendly_decomposition_table(implemented)
    except Exception as error:  # Whatever is missing, the rest of the facts is worth having.
        print(f"export_torch.py: no facts of the dynamo exporter: {error}", file=sys.stderr)
        return None
    return {"functions": functions, "decomposed": sorted({name for name in map(target_name, table) if name})}


def overlay():
    version = re.match(r"\d+\.\d+", torch.__version__).group()
    entry = {"version": version, "exporters": ranges(), "suffixes": suffixes(), "schemas": schemas(),
             "random": random_operators(), "torchscript": torchscript()}
    found = dynamo(entry["exporters"]["dynamo"]["opsets"]) if "dynamo" in entry["exporters"] else None
    if found:
        entry["dynamo"] = found
    else:
        entry["exporters"].pop("dynamo", None)
    source = f"torch {torch.__version__} registries, Python {platform.python_version()}"
    return {"version": 1, "sources": [source], "torch": [entry]}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--import", dest="modules", action="append", default=[], metavar="MODULE")
    parser.add_argument("output", nargs="?")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    module("torchvision")  # Its operators register their schemas and symbolic functions on import.
    for name in arguments.modules:
        importlib.import_module(name)
    result = overlay()
    output = open(arguments.output, "w", encoding="utf-8") if arguments.output else sys.stdout
    with output:
        json.dump(result, output, ensure_ascii=False, allow_nan=False, indent=1)
        output.write("\n")


if __name__ == "__main__":
    main()

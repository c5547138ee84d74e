#!/usr/bin/env python3
"""Writes tests/facts/python_*.tsv: what the unit tests compare the facts of torch.onnx's Python side with.

    make_python_truth.py SITE_PACKAGES... -- V.json...

Parameters are read from the source files below each SITE_PACKAGES (one of each torch version), without running them:
python_facts.py, whose records are tested, asks the loaded functions. Which names can be reached, and which are
public, only a loaded package can tell, so that comes from the dumps of python_facts.py.
"""
import ast
import json
import os
import re
import sys

OUTPUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "facts")
HELPERS = ("torch/onnx/_internal/torchscript_exporter/symbolic_helper.py", "torch/onnx/symbolic_helper.py")
PUBLIC = {"torch.export": ("export/__init__.py", "export/exported_program.py", "export/dynamic_shapes.py", "export/decomp_utils.py",
                           "export/graph_signature.py", "export/unflatten.py"),
          "torch.library": ("library.py", "_library/custom_ops.py", "_library/infer_schema.py", "_library/triton.py"),
          "torch.onnx.errors": ("onnx/errors.py",),
          "torch.onnx.ops": ("onnx/ops/__init__.py",),
          "torch.onnx.verification": ("onnx/verification.py", "onnx/_internal/exporter/_verification.py"),
          "torch.onnx": ("onnx/_internal/exporter/_onnx_program.py",)}
OTHERS = {"onnx": ("onnx/__init__.py", "onnx/external_data_helper.py"),
          "onnxruntime.quantization": tuple(f"onnxruntime/quantization/{name}.py" for name in (
              "quantize", "calibrate", "qdq_quantizer", "shape_inference", "quant_utils"))}
OTHERS |= {f"onnx.{name}": (f"onnx/{name.replace('.', '/')}.py",) for name in ("checker", "compose", "helper", "numpy_helper", "shape_inference", "utils", "version_converter",
                                                      "external_data_helper", "inliner", "parser", "printer", "tools.update_model_dims")}
OTHERS |= {f"onnxruntime.transformers.{name}": tuple(f"onnxruntime/transformers/{file}.py" for file in files) for name, files in {
    "optimizer": ("optimizer",), "float16": ("float16",), "onnx_model": ("onnx_model",), "onnx_model_bert": ("onnx_model", "onnx_model_bert")}.items()}
OTHERS |= {"onnxruntime": ("onnxruntime/capi/onnxruntime_inference_collection.py",), "onnx.reference": ("onnx/reference/reference_evaluator.py",),
           "onnxscript": ("onnxscript/_internal/values.py",), "onnxscript.optimizer": ("onnxscript/optimizer/__init__.py",),
           "onnxscript.rewriter": ("onnxscript/rewriter/__init__.py",), "onnxscript.version_converter": ("onnxscript/version_converter/__init__.py",),
           "onnx_ir": tuple(f"onnx_ir/{name}.py" for name in ("_display", "_core", "_io", "_safetensors/__init__", "serde", "external_data", "tensor_adapters", "_convenience/__init__",
                                                              "_convenience/_constructors", "_multi_device"))}
SOURCES = {module: tuple(f"torch/{path}" for path in paths) for module, paths in PUBLIC.items()} | OTHERS
EXPORTS = ("torch/onnx/__init__.py", "torch/onnx/utils.py")


def parse(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return ast.parse(file.read())


def first(root, paths, wanted):
    """The top-level functions of the first file that has one of which `wanted` is true."""
    for path in paths:
        if os.path.exists(os.path.join(root, path)):
            found = [node for node in parse(root, path).body if isinstance(node, ast.FunctionDef) and wanted(node)]
            if found:
                return found
    raise SystemExit(f"nothing found below {root}")


def torch_version(root):
    with open(os.path.join(root, "torch/version.py"), encoding="utf-8") as file:
        return re.search(r"__version__ = '(\d+\.\d+)", file.read()).group(1)


def default(node):
    return re.sub(r"^_C_onnx\.", "", ast.unparse(node))


def parameters(function):
    """(name, kind, default or None) of each."""
    arguments = function.args
    plain = arguments.posonlyargs + arguments.args
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    only = len(arguments.posonlyargs)
    found = [(a.arg, f"{i}/" if i < only else str(i), d) for i, (a, d) in enumerate(zip(plain, defaults))]
    if arguments.vararg:
        found.append((arguments.vararg.arg, "*", None))
    found += [(a.arg, "keyword", d) for a, d in zip(arguments.kwonlyargs, arguments.kw_defaults)]
    if arguments.kwarg:
        found.append((arguments.kwarg.arg, "rest", None))
    return [(name, kind, None if d is None else default(d)) for name, kind, d in found]


def letters(root, version):
    """(operator, version, letters) of every symbolic function of torch's own that has @parse_args."""
    for path in HELPERS:
        folder = os.path.join(root, os.path.dirname(path))
        if not os.path.isdir(folder):
            continue
        names = [name for name in os.listdir(folder) if re.fullmatch(r"symbolic_opset\d+\.py", name)]
        functions = [node for name in names for node in parse(folder, name).body if isinstance(node, ast.FunctionDef)]
        for function in functions:
            calls = [(ast.unparse(d.func), d.args) for d in function.decorator_list if isinstance(d, ast.Call)]
            read = [" ".join(a.value for a in args) for name, args in calls if name.endswith("parse_args")]
            for name, args in calls:
                if name == "_onnx_symbolic" and read:
                    yield args[0].value, version, read[0]
        if functions:
            return  # Another folder would hold nothing but shims.


def public(root, version):
    """(name, version, parameters) of functions, of classes, and of the methods of classes in SOURCES."""
    for module, paths in SOURCES.items():
        classes = {}
        for path in paths:
            functions = {}
            for node in parse(root, path).body if os.path.exists(os.path.join(root, path)) else ():
                if isinstance(node, ast.FunctionDef):
                    functions[node.name] = node
                    yield f"{module}.{node.name}", version, places(node)
                if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in functions:
                    yield f"{module}.{ast.unparse(node.targets[0])}", version, places(functions[node.value.id])
                for method in methods(node, classes) if isinstance(node, ast.ClassDef) else ():
                    name = f"{module}.{node.name}" + ("" if method.name == "__init__" else f".{method.name}")
                    yield name, version, places(method, 0 if is_static(method) else 1)


def methods(node, classes):
    """Those of a class, and what it inherits from classes before it."""
    found = {}
    for base in node.bases:
        inherited = classes.get(ast.unparse(base).rpartition(".")[2], ())
        found |= {method.name: method for method in inherited if method.name != "__init__"}
    found |= {method.name: method for method in node.body if isinstance(method, ast.FunctionDef)}
    classes[node.name] = list(found.values())
    return classes[node.name]


def is_static(method):
    return any(ast.unparse(decorator) == "staticmethod" for decorator in method.decorator_list)


def places(function, skip=0):
    """"name 0/; schema 1; lib keyword =", without the first `skip`."""
    found = parameters(function)[skip:]
    move = lambda kind: re.sub(r"^\d+", lambda number: str(int(number[0]) - skip), kind)
    return "; ".join(f"{name} {move(kind)}" + ("" if d is None else " =") for name, kind, d in found)


def write(name, rows):
    with open(os.path.join(OUTPUT, name), "w", encoding="utf-8") as file:
        file.writelines("\t".join(row) + "\n" for row in rows)


def main():
    split = sys.argv.index("--") if "--" in sys.argv else 0
    if split < 2:
        sys.exit(__doc__)
    helpers, arguments, read, reachable, calls = [], [], set(), {}, {}
    for root in sys.argv[1:split]:
        version = torch_version(root)
        for function in first(root, HELPERS, lambda node: True):
            texts = [" ".join(filter(None, (name, kind, d))) for name, kind, d in parameters(function)]
            helpers.append((function.name, version, "; ".join(texts)))
        read.update(letters(root, version))
        for name, kind, d in parameters(first(root, EXPORTS, lambda node: node.name == "export")[0]):
            arguments.append((name, version, kind, "" if d is None else d))
        calls.update({row[:2]: row for row in public(root, version)})
    known = set()
    for path in sys.argv[split + 1:]:
        with open(path, encoding="utf-8") as file:
            dump = json.load(file)
        known |= {(name, dump["torch"]) for name in {**dump["public"], **dump["other public"]}}
        for name, found in dump["reachable"].items():
            reachable.setdefault(name, []).append(f"{dump['torch']}={int(found)}")
    write("python_helpers.tsv", sorted(helpers))
    write("python_export.tsv", sorted(arguments))
    write("python_letters.tsv", sorted(read))
    write("python_public.tsv", sorted(row for key, row in calls.items() if key in known))
    write("python_api.tsv", [[name] + marks for name, marks in sorted(reachable.items())])


if __name__ == "__main__":
    main()

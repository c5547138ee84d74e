#!/usr/bin/env python3
"""Facts of the Python side of torch.onnx: from installed packages to records.

    python_facts.py dump [NAMES...] > V.json  in the interpreter that has torch V
    python_facts.py records V.json...         anywhere: rewrites what is machine-read in records/torch/python

A dump holds the parameters of every function of torch.onnx.symbolic_helper and of the modules symbolic_opsetN, those of torch.onnx.export(), what is in
the modules and classes of MEMBERS, the parameters of the public functions and methods in PUBLIC, the same of onnx and onnxruntime, and whether each
name in the files NAMES (api.txt, members.txt and other_members.txt of records/torch/python) can be reached. Parameters
come from inspect.signature; make_python_truth.py reads the same out of the source files, and the unit tests compare the two.
"""
import ast
import dataclasses
import importlib
import inspect
import json
import os
import pkgutil
import sys
import warnings

RECORDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "records", "torch", "python")
PACKAGES = ("torch.onnx._internal.torchscript_exporter", "torch.onnx")
OPSETS = range(7, 21)
MEMBERS = ("torch.onnx", "torch.onnx.OperatorExportTypes", "torch.onnx.TrainingMode", "torch.onnx.errors",
           "torch.onnx._constants", "torch.onnx.operators", "torch.onnx.ops", "torch.onnx.symbolic_helper", "torch.onnx.testing",
           "torch.onnx.utils", "torch.onnx.verification", "torch.onnx.verification.VerificationInfo", "torch.onnx.ONNXProgram", "torch.export", "torch.export.ExportedProgram",
           "torch.export.ExportGraphSignature", "torch.library", "torch.library.CustomOpDef", "torch.nn.Module", "torch.fx.Graph")
PUBLIC = ("torch.export", "torch.library", "torch.onnx.errors", "torch.onnx.ops", "torch.onnx.verification", "torch.onnx.ONNXProgram",
          "torch.export.ExportedProgram", "torch.export.ExportGraphSignature", "torch.export.ShapesCollection",
          "torch.export.AdditionalInputs", "torch.library.Library", "torch.library.CustomOpDef")
OURS = ("torch.export", "torch.library", "torch._library", "torch.onnx", "onnx", "float16")
# Of the packages that are used with torch: the release that was installed with each. What one of the releases has is there.
QUANTIZATION = "onnxruntime.quantization"
TRANSFORMERS = "onnxruntime.transformers"
BERT = f"{TRANSFORMERS}.onnx_model_bert.BertOnnxModel"  # What optimize_model() gives derives from it, or is its base.
MESSAGES = tuple(f"onnx.{name}Proto" for name in ("Model", "Graph", "Node", "Attribute", "Tensor", "ValueInfo", "Type", "TensorShape", "Function",
                                                  "OperatorSetId", "StringStringEntry"))
NESTED = ("onnx.TypeProto.Tensor", "onnx.TensorShapeProto.Dimension")
IR_CLASSES = tuple(f"onnx_ir.{name}" for name in ("Model", "Graph", "Node", "Value"))
OTHER_MEMBERS = ("onnx", "onnx.checker", "onnx.compose", "onnx.helper", "onnx.numpy_helper", "onnx.shape_inference",
                 "onnx.version_converter", "onnx.utils", "onnx.external_data_helper", "onnx.inliner", "onnx.parser", "onnx.printer",
                 "onnx.tools.update_model_dims", "onnx.reference", "onnx.reference.ReferenceEvaluator", *MESSAGES, *NESTED, *IR_CLASSES,
                 "onnxruntime", "onnxruntime.SessionOptions", "onnxruntime.RunOptions", "onnxruntime.IOBinding", "onnxruntime.OrtValue",
                 "onnxruntime.NodeArg", "onnxruntime.ModelMetadata", "onnxscript.OnnxFunction",
                 *(f"{TRANSFORMERS}.{name}" for name in ("optimizer", "float16", "fusion_options", "fusion_options.FusionOptions")),
                 BERT, QUANTIZATION,
                 f"{QUANTIZATION}.QuantType", f"{QUANTIZATION}.QuantFormat", f"{QUANTIZATION}.CalibrationMethod",
                 *(f"{QUANTIZATION}.{name}" for name in ("calibrate", "preprocess", "quant_utils", "quantize", "shape_inference")),
                 "onnxruntime.InferenceSession", "onnxruntime.GraphOptimizationLevel", "onnxruntime.ExecutionMode")
# What onnxscript 0.1 to 0.5 had (onnxscript/values.py of these tags).
OLDER_MEMBERS = {f"onnxscript.OnnxFunction.{name}" for name in ("func", "opname", "param_schemas")}
# What came after the releases that are asked: read out of the sources of ONNX Runtime 1.25.
NEWER_MEMBERS = {f"onnxruntime.{name}" for name in (
    "InferenceSession.get_provider_graph_assignment_info", "OrtEpAssignedNode", "OrtEpAssignedSubgraph",
    "SessionOptions.add_external_initializers_from_files_in_memory")}
OTHER_PUBLIC = ("onnx", "onnx.checker", "onnx.compose", "onnx.helper", "onnx.numpy_helper", "onnx.shape_inference",
                "onnx.version_converter", "onnx.utils", "onnx.external_data_helper", "onnx.inliner", "onnx.parser", "onnx.printer",
                "onnx.tools.update_model_dims", "onnx.reference.ReferenceEvaluator", "onnx_ir", *IR_CLASSES, "onnxscript.optimizer", "onnxscript.rewriter",
                "onnxscript.version_converter", "onnxscript.OnnxFunction",
                "onnxruntime.InferenceSession", "onnxruntime.IOBinding", "onnxruntime.OrtValue", f"{TRANSFORMERS}.optimizer",
                f"{TRANSFORMERS}.float16", BERT, QUANTIZATION)


def default_text(value):
    """As a signature would write it; members of enumerations without their module."""
    if value is None or isinstance(value, (bool, int, float, str)) and type(value).__module__ == "builtins":
        return repr(value)
    name = getattr(value, "name", None)
    return f"{type(value).__name__}.{name}" if name else "..." if repr(value).startswith("<") else repr(value)


def parameter_text(parameter):
    stars = {inspect.Parameter.VAR_POSITIONAL: "*", inspect.Parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
    default = "" if parameter.default is parameter.empty else "=" + default_text(parameter.default)
    return stars + parameter.name + default


def signature_text(function):
    parts, has_star = [], False
    parameters = list(inspect.signature(function).parameters.values())
    last = sum(parameter.kind == parameter.POSITIONAL_ONLY for parameter in parameters)
    for i, parameter in enumerate(parameters):
        if last and i == last:
            parts.append("/")
        if parameter.kind == parameter.KEYWORD_ONLY and not has_star:
            parts.append("*")
        has_star |= parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        parts.append(parameter_text(parameter))
    if last and last == len(parameters):
        parts.append("/")
    return "(" + ", ".join(parts) + ")"


def module_named(name):
    """None if this torch has none of that name."""
    for package in PACKAGES:
        try:
            return importlib.import_module(f"{package}.{name}")
        except ImportError:
            continue
    return None


def helpers():
    module = module_named("symbolic_helper")
    return {name: signature_text(value) for name, value in sorted(vars(module).items())
            if inspect.isfunction(value) and value.__module__ == module.__name__}


def symbolics():
    """Also what one of the modules imports from another one."""
    found = {}
    for opset in OPSETS:
        module = module_named(f"symbolic_opset{opset}")
        for name, value in sorted(vars(module).items()) if module else ():
            if inspect.isfunction(value):
                found[f"symbolic_opset{opset}.{name}"] = signature_text(value)
    return found


def owner_named(name):
    """A module, or a class in one; None if this torch has none of that name."""
    try:
        return importlib.import_module(name)
    except ImportError:
        module, _, last = name.rpartition(".")
        return getattr(owner_named(module), last, None) if module else None


def is_public(name, value):
    """Whether programs call it, and it takes what its signature says: singledispatch() takes that of several functions."""
    is_ours = (getattr(value, "__module__", None) or "").startswith(OURS)
    if name.startswith("_") or not is_ours or is_message(value) or getattr(value, "_is_protocol", False):
        return False
    if inspect.isclass(value):
        return inspect.isfunction(vars(value).get("__init__")) and not dataclasses.is_dataclass(value)
    return inspect.isfunction(value) and not hasattr(value, "registry")


def is_message(value):
    """A class that protobuf made."""
    return inspect.isclass(value) and hasattr(value, "DESCRIPTOR")


def is_borrowed(owner, value):
    """Whether a module of another package only imports it from another one."""
    is_other = owner.__name__.startswith(("onnx.", TRANSFORMERS, "onnxscript."))
    is_file = not inspect.isclass(owner) and (not hasattr(owner, "__path__") or owner.__name__.startswith("onnxscript."))
    return is_other and is_file and value.__module__ != owner.__name__


def inside(owner):
    """What a module has, a class with what it inherits."""
    found = {}
    for base in reversed(inspect.getmro(owner)) if inspect.isclass(owner) else (owner,):
        found |= vars(base)
    return found


def public(owners):
    """Functions and classes of the modules, and methods of the classes, in `owners`."""
    for name in owners:
        owner = owner_named(name)
        for member, value in sorted(inside(owner).items()) if owner else ():
            is_static = isinstance(value, staticmethod)
            value = value.__func__ if is_static else value
            if is_public(member, value) and not is_borrowed(owner, value) and not (inspect.isclass(owner) and inspect.isclass(value)):
                text = signature_text(value)
                yield f"{name}.{member}", "(" + text[len("(self"):].removeprefix(", ") if inspect.isclass(owner) and not is_static else text


def attributes(owner):
    """What the methods of a class set, and those of its bases."""
    if dataclasses.is_dataclass(owner):
        return [field.name for field in dataclasses.fields(owner)]
    if not inspect.isclass(owner) or not inspect.isfunction(owner.__init__) or is_message(owner):
        return ()
    annotated = [name for name in getattr(owner, "__annotations__", ()) if not name.startswith("_")]
    methods = [method for base in inspect.getmro(owner) for method in vars(base).values() if inspect.isfunction(method)]
    return annotated + [name for method in methods if os.path.exists(method.__code__.co_filename) for name in assigned(method)]


def assigned(method):
    """What a method sets of its object."""
    source = inspect.getsource(method)
    tree = ast.parse("if True:\n" * source.startswith(" ") + source)
    stored = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)]
    return [node.attr for node in stored if isinstance(node.value, ast.Name) and node.value.id == "self" and not node.attr.startswith("_")]


def export_arguments():
    import torch.onnx
    found = []
    for i, parameter in enumerate(inspect.signature(torch.onnx.export).parameters.values()):
        place = {parameter.KEYWORD_ONLY: "keyword", parameter.VAR_KEYWORD: "rest"}.get(parameter.kind, str(i))
        default = None if parameter.default is parameter.empty else default_text(parameter.default)
        found.append([parameter.name, place, default])
    return found


def folders(owner):
    """Folders of modules without an __init__.py, which pkgutil leaves out."""
    for path in getattr(owner, "__path__", ()):
        for entry in os.scandir(path):
            found = {name for _, _, names in os.walk(entry) for name in names} if entry.is_dir() else ()
            if not os.path.exists(os.path.join(entry, "__init__.py")) and any(name.endswith(".py") for name in found):
                yield entry.name


def members(owners):
    """What each of `owners` has, and which modules can be imported from it."""
    for name in owners:
        owner = owner_named(name)
        if owner is None:
            continue
        inside = [module.name for module in pkgutil.iter_modules(getattr(owner, "__path__", ()))] + [*folders(owner)]
        private = "_" if inspect.isclass(owner) else "__"
        yield from (f"{name}.{member}" for member in {*dir(owner), *vars(owner), *attributes(owner), *inside} if not member.startswith(private))


def follow(start, parts):
    for part in parts:
        start = None if part in attributes(start) else getattr(start, part)
    return start


def graph_methods(name):
    """`g.op` of a symbolic function, which is a GraphContext; what that lacks it asks the torch graph for."""
    import torch
    for path in ("torch.onnx._internal.torchscript_exporter.jit_utils", "torch.onnx._internal.jit_utils"):
        try:
            context = importlib.import_module(path).GraphContext
            return hasattr(context, name) or hasattr(torch._C.Graph, name)
        except ImportError:
            continue
    return False


def reaches(name, by_import):
    """As an attribute of what `import torch.onnx` gives, or by importing its module."""
    import torch.onnx
    parts = name.split(".")
    if parts[0] == "g":
        return graph_methods(parts[1])
    for start in range(len(parts), 0, -1) if by_import else (1,):
        try:
            follow(importlib.import_module(".".join(parts[:start])), parts[start:])
            return True
        except (ImportError, AttributeError):
            continue
    return False


def names_in(path):
    """The names of an api.txt, and those that it tells to use instead; those of a members.txt."""
    found = set()
    with open(path, encoding="utf-8") as file:
        for line in file:
            if " torch." in line and "\t" not in line and line[:1].isdigit() or line.startswith("* "):
                found.add(line.split()[1])
            elif "\t" in line and not line.startswith("#"):
                name, flags, _ = line.split("\t")
                found |= {name} | {flag[4:] for flag in flags.split() if flag.startswith("use=")}
    return found


def others():
    """The releases of the packages beside torch."""
    modules = {name: owner_named(name) for name in ("onnx", "onnxruntime")}
    return {name: ".".join(module.__version__.split(".")[:2]) for name, module in modules.items() if module}


def dump(names):
    warnings.simplefilter("ignore")
    import torch
    owner_named("onnx.reference")  # Before onnxruntime, which registers schemas that this can't read.
    found = {"torch": ".".join(torch.__version__.split(".")[:2]), "helpers": helpers(), "symbolics": symbolics(),
             "export": export_arguments(), "members": sorted(members(MEMBERS)), "public": dict(public(PUBLIC))}
    # Attributes first, because importing a module changes those of its parents.
    found["reachable"] = {name: reaches(name, False) for name in sorted(names)}
    for name in sorted(names):
        found["reachable"][name] = found["reachable"][name] or reaches(name, True)
    found |= {"others": others(), "other members": sorted(members(OTHER_MEMBERS)), "other public": dict(public(OTHER_PUBLIC))}
    json.dump(found, sys.stdout, indent=1, sort_keys=True)
    print()


def version_key(version):
    return [int(part) for part in version.split(".")]


def grouped(facts):
    """{name: {version: text}} to lines "VERSIONS name text", one for each text, oldest first."""
    for name in sorted(facts):
        texts = {}
        for version, text in facts[name].items():
            texts.setdefault(text, []).append(version)
        for text, versions in texts.items():
            yield ",".join(versions), name, text


def write(name, head, lines):
    with open(os.path.join(RECORDS, name), "w", encoding="utf-8") as file:
        file.write(head)
        file.writelines(line + "\n" for line in lines)


def records(paths):
    dumps = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            dumps.append(json.load(file))
    dumps.sort(key=lambda found: version_key(found["torch"]))
    functions, symbolic, arguments, inside, calls, others = {}, {}, {}, {}, {}, {}
    for found in dumps:
        for name, signature in found["helpers"].items():
            functions.setdefault(name, {})[found["torch"]] = signature
        for name, signature in found["symbolics"].items():
            symbolic.setdefault(name, {})[found["torch"]] = signature
        for name, signature in found["public"].items():
            calls.setdefault(name, {})[found["torch"]] = signature
        for name, signature in found["other public"].items():
            others.setdefault(name, {})[found["torch"]] = signature
        for name, place, default in found["export"]:
            text = place if default is None else f"{place} = {default}"
            arguments.setdefault(name, {})[found["torch"]] = text
        for name in found["members"]:
            inside.setdefault(name, {})[found["torch"]] = ""
    versions = ", ".join(found["torch"] for found in dumps)
    write("helpers.txt",
          "# Functions of torch.onnx.symbolic_helper: torch versions, name, parameters. Written by\n"
          "# tools/python_facts.py; what they do is in helper_words.txt.\n"
          f"kind helpers\nsource inspect.signature in torch {versions}\n\n",
          (f"{versions} {name}{text}" for versions, name, text in grouped(functions)))
    write("symbolics.txt",
          "# Functions of the modules torch.onnx.symbolic_opsetN: torch versions, name, parameters. Written by\n"
          "# tools/python_facts.py.\n"
          f"kind helpers\nsource inspect.signature in torch {versions}\n\n",
          (f"{versions} {name}{text}" for versions, name, text in grouped(symbolic)))
    write("public.txt",
          "# Functions, classes and methods of torch.export, torch.library and torch.onnx that programs call: torch versions, name,\n"
          "# parameters. Written by tools/python_facts.py.\n"
          f"kind helpers\nsource inspect.signature in torch {versions}\n\n",
          (f"{versions} {name}{text}" for versions, name, text in grouped(calls)))
    write("export_arguments.txt",
          "# Arguments of torch.onnx.export(): torch versions, name, position (or keyword only, or the rest), default.\n"
          "# Written by tools/python_facts.py; what they do is in export_words.txt.\n"
          f"kind export-arguments\nsource inspect.signature in torch {versions}\n\n",
          (f"{versions} {name} {text}" for versions, name, text in grouped(arguments)))
    write("members.txt",
          "# What is in modules and classes of torch.onnx: torch versions, name. Written by tools/python_facts.py; what\n"
          "# became of some of them is in api.txt.\n"
          f"kind python-members\nsource dir() and pkgutil in torch {versions}\n\n",
          (f"{versions} {name}" for versions, name, _ in grouped(inside)))
    write("other_public.txt",
          "# Functions and classes of onnx and onnxruntime that programs call: torch versions, name, parameters. Written by\n"
          "# tools/python_facts.py. A torch version stands for the releases that were installed with it.\n"
          f"kind helpers\nsource inspect.signature in {releases(dumps)}\n\n",
          (f"{versions} {name}{text}" for versions, name, text in grouped(others)))
    write("other_members.txt",
          "# What is in modules and classes of onnx and onnxruntime in one of their releases at least. Written by\n"
          "# tools/python_facts.py.\n"
          f"kind python-members\nsource dir() and pkgutil in {releases(dumps)}; sources of onnxruntime 1.25\n\n",
          (f"* {name}" for name in sorted((OLDER_MEMBERS | NEWER_MEMBERS).union(*(found["other members"] for found in dumps)))))


def releases(dumps):
    """"onnx 1.12 (with torch 1.13), onnx 1.17 and onnxruntime 1.21 (with torch 2.6)\""""
    return ", ".join(" and ".join(f"{name} {release}" for name, release in found["others"].items()) + f" (with torch {found['torch']})"
                     for found in dumps)


def main():
    if sys.argv[1:2] == ["dump"]:
        dump(set().union(*map(names_in, sys.argv[2:])))
    elif sys.argv[1:2] == ["records"] and len(sys.argv) > 2:
        records(sys.argv[2:])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()

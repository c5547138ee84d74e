"""Calls every symbolic function that this interpreter's torch has registered, the way its exporter does, and records
what happens in the lines of torch's own files: each node that is made (operator, inputs, attributes with their kinds,
outputs, opset), what the ONNX checker says of it, which lines ran, and which raised what.

    python3 torch_files_record.py OUT.jsonl [--rounds N] [--only aten::elu]

Arguments are generated from the schemas, so most calls make no sense as a model; they do reach the g.op() calls. Each
operator runs in a process of its own, as some calls end it. The verdicts come from onnx.defs of the onnx that is
installed, in another process still (two libraries of protobuf in one don't agree).
"""
import argparse
import ast
import collections
import json
import os
import random
import subprocess
import sys
import warnings

warnings.simplefilter("ignore")
os.environ.setdefault("OMP_NUM_THREADS", "1")

KIND_OF_SCHEMA = {"FLOAT": "f", "INT": "i", "STRING": "s", "TENSOR": "t", "GRAPH": "g", "TYPE_PROTO": "ty",
                  "SPARSE_TENSOR": "t", "FLOATS": "fs", "INTS": "is", "STRINGS": "ss", "TENSORS": "ts",
                  "GRAPHS": "gs", "TYPE_PROTOS": "tys"}


# What the checker would say: runs without torch.

def faults_of_node(defs, record):
    """What onnx.checker refuses in one recorded node, as words of the rules."""
    domain, _, name = record["op"].rpartition("::")
    if domain != "onnx":
        return []
    try:
        schema = defs.get_schema(name, record["opset"], "")
    except Exception:
        known = any(s.name == name and s.domain == "" for s in defs.get_all_schemas_with_history())
        return ["onnx-op-not-in-opset" if known else "unknown-onnx-op"]
    faults = ["onnx-op-not-in-opset deprecated"] if schema.deprecated else []
    if not schema.min_input <= record["inputs"] <= schema.max_input:
        faults.append(f"input-count {record['inputs']} not in {schema.min_input}..{schema.max_input}")
    if not schema.min_output <= record["outputs"] <= schema.max_output:
        faults.append(f"output-count {record['outputs']} not in {schema.min_output}..{schema.max_output}")
    for attribute, kind in record["attrs"].items():
        if attribute not in schema.attributes:
            faults.append(f"unknown-attribute {attribute}")
            continue
        wanted = KIND_OF_SCHEMA[str(schema.attributes[attribute].type).rpartition(".")[2]]
        if kind.replace("z", "t") != wanted:
            faults.append(f"attribute-type {attribute} {kind}, not {wanted}")
    for attribute in schema.attributes.values():
        if attribute.required and attribute.name not in record["attrs"]:
            faults.append(f"missing-required-attribute {attribute.name}")
    return faults


def judge(path):
    import onnx
    lines = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            if "op" in record:
                record["faults"] = faults_of_node(onnx.defs, record)
                record["onnx"] = onnx.__version__
            lines.append(json.dumps(record))
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")


# The exporter's parts, wherever this version keeps them.

class Exporter:
    def __init__(self):
        import torch
        import torch.onnx
        try:
            import torchvision  # Registers operators of its own.
            del torchvision
        except Exception:
            pass
        self.torch = torch
        try:
            from torch.onnx._internal.torchscript_exporter import jit_utils, registration, symbolic_helper, utils
            from torch.onnx._internal.torchscript_exporter._globals import GLOBALS
            folder = os.path.dirname(jit_utils.__file__)
        except ImportError:
            from torch.onnx import symbolic_helper, utils
            from torch.onnx._globals import GLOBALS
            from torch.onnx._internal import jit_utils, registration
            folder = os.path.dirname(utils.__file__)
        self.jit_utils, self.registration, self.helper = jit_utils, registration, symbolic_helper
        self.utils, self.globals, self.folder = utils, GLOBALS, folder
        # _run_symbolic_function() imports these on the fly; a call of ours must find them imported.
        import importlib
        package = utils.__name__.rpartition(".")[0]
        self.max_opset = 0
        for opset in range(7, 40):
            try:
                importlib.import_module(f"{package}.symbolic_opset{opset}")
                self.max_opset = opset
            except ImportError:
                pass

    def use_opset(self, opset):
        if hasattr(self.globals, "_export_onnx_opset_version"):
            self.globals._export_onnx_opset_version = opset
        else:
            self.globals.export_onnx_opset_version = opset

    def use_kind_of_export(self, is_odd):
        """Some branches are for exports that let operators fall through."""
        kinds = self.torch._C._onnx.OperatorExportTypes
        self.globals.operator_export_type = kinds.ONNX_ATEN_FALLBACK if is_odd else kinds.ONNX

    def is_ours(self, path):
        """Files with symbolic functions, torchvision's among them."""
        name = os.path.basename(path)
        return name.startswith("symbolic_") or name == "_register_onnx_ops.py"

    def context(self, graph, node, opset):
        values = dict(graph=graph, block=graph.block() if hasattr(graph, "block") else graph, opset=opset,
                      original_node=node, params_dict={}, env={}, values_in_env=set(), new_nodes=[])
        names = self.jit_utils.GraphContext.__dataclass_fields__
        return self.jit_utils.GraphContext(**{name: values[name] for name in values if name in names})

    def functions(self):
        """(name, opset, function) of all that is registered."""
        registry = self.registration.registry
        for name in sorted(registry.all_functions()):
            group = registry.get_function_group(name)
            for opset in range(7, self.max_opset + 1):
                function = group.get(opset)
                if function is not None:
                    yield name, opset, function


# Recording.

class Recorder:
    def __init__(self, exporter, write):
        self.exporter, self.write, self.seen = exporter, write, set()
        self.ran, self.raised = collections.Counter(), {}
        self.quiet = False
        self.real_create = exporter.jit_utils._create_node
        exporter.jit_utils._create_node = self.create

    def place(self):
        frame = sys._getframe(2)
        while frame and not self.exporter.is_ours(frame.f_code.co_filename):
            frame = frame.f_back
        return (os.path.basename(frame.f_code.co_filename), frame.f_lineno) if frame else ("", 0)

    def create(self, block, domain_op, inputs, attributes, *args, **kwargs):
        if self.quiet:
            return self.real_create(block, domain_op, inputs, attributes, *args, **kwargs)
        file, line = self.place()
        attrs, odd = {}, []
        for key, value in attributes.items():
            match = self.exporter.jit_utils._ATTR_PATTERN.match(key)
            if key in ("inplace", "aten"):
                continue
            if not match:
                odd.append(key)
                continue
            plural = not isinstance(value, (str, bytes, self.exporter.torch.Tensor)) and hasattr(value, "__iter__")
            attrs[match.group(1)] = match.group(2) + ("s" if plural else "")
        record = dict(file=file, line=line, opset=self.opset, op=domain_op, inputs=len(inputs), attrs=attrs,
                      outputs=kwargs.get("n_outputs", 1), odd=odd, none_input=any(i is None for i in inputs),
                      torch_op=self.name)
        error = None
        try:
            if record["none_input"]:
                raise TypeError("None as an input ends the process")
            return self.real_create(block, domain_op, inputs, attributes, *args, **kwargs)
        except BaseException as exception:
            error = f"{type(exception).__name__}: {str(exception)[:160]}"
            raise
        finally:
            record["error"] = error
            key = json.dumps({k: v for k, v in record.items() if k != "error"}, sort_keys=True) + str(bool(error))
            if key not in self.seen:
                self.seen.add(key)
                self.write(record)

    def comes_from_deeper(self, traceback):
        while traceback and not self.exporter.is_ours(traceback.tb_frame.f_code.co_filename):
            traceback = traceback.tb_next
        return traceback is not None

    def trace(self, frame, event, arg):
        """Which lines of the symbolic files ran, and where an exception came up first."""
        if not self.exporter.is_ours(frame.f_code.co_filename):
            return None
        file = os.path.basename(frame.f_code.co_filename)

        def local(frame, event, arg):
            if event == "line":
                self.ran[file, frame.f_lineno] += 1
            elif event == "exception" and not self.comes_from_deeper(arg[2].tb_next):
                key = (file, frame.f_lineno, arg[0].__name__, str(arg[1])[:120])
                self.raised[key] = self.raised.get(key, 0) + 1
            return local

        return local


# Arguments.

class Arguments:
    """Makes values for the parameters of a schema."""

    def __init__(self, exporter, recorder, rng):
        self.exporter, self.torch, self.recorder, self.rng = exporter, exporter.torch, recorder, rng

    def begin(self, graph, context):
        self.graph, self.context = graph, context
        self.rank = self.rng.choice([1, 2, 2, 3, 4, 4, 5])
        self.sizes = [self.rng.choice([1, 2, 3, 4]) for _ in range(self.rank)]
        self.dtype = self.rng.choice([self.torch.float32] * 6 + [self.torch.int64, self.torch.bool, self.torch.int32,
                                                               self.torch.float16, self.torch.float64])
        self.constants = self.rng.random() < 0.8

    def tensor(self):
        kind = self.torch._C.TensorType.get()
        rng = self.rng
        style = rng.random()
        sizes = self.sizes if rng.random() < 0.7 else [rng.choice([1, 2, 3, 4]) for _ in range(rng.randrange(0, 5))]
        dtype = self.dtype if rng.random() < 0.8 else rng.choice([self.torch.float32, self.torch.int64, self.torch.bool])
        if style < 0.75:
            kind = kind.create_from_tensor(self.torch.zeros(sizes, dtype=dtype))
        elif style < 0.9:
            kind = kind.with_dtype(dtype)
        value = self.graph.addInput()
        value.setType(kind)
        return value

    def constant(self, tensor):
        return self.context.op("Constant", value_t=tensor)

    def none(self):
        node = self.graph.insertNode(self.graph.create("prim::Constant", [], 1))
        node.mustBeNone()
        node.output().setType(self.torch._C.NoneType.get())
        return node.output()

    def scalar(self, value, dtype):
        if self.constants or self.rng.random() < 0.8:
            return self.constant(self.torch.tensor(value, dtype=dtype))
        result = self.graph.addInput()
        result.setType(self.torch._C.TensorType.get().create_from_tensor(self.torch.tensor(value, dtype=dtype)))
        return result

    def string(self):
        return self.context.op("Constant", value_s=self.rng.choice(
            ["none", "floor", "trunc", "mean", "sum", "ij,jk->ik", "tanh", "reflect", "constant", "nearest", "bilinear",
             "replicate", "circular", "xy"]))

    def listed(self, values, kind):
        node = self.graph.insertNode(self.graph.create("prim::ListConstruct", values, 1))
        node.output().setType(kind)
        return node.output()

    def integers(self):
        rng = self.rng
        length = rng.choice([1, 2, 2, self.rank, max(self.rank - 2, 1), 2 * max(self.rank - 2, 1)])
        values = [rng.choice([0, 1, 1, 2, -1, 3]) for _ in range(length)]
        if rng.random() < 0.2:
            values = list(range(length))
        if rng.random() < 0.5:
            return self.constant(self.torch.tensor(values, dtype=self.torch.int64))
        return self.listed([self.scalar(v, self.torch.int64) for v in values], self.torch._C.ListType.ofInts())

    def default(self, value):
        torch = self.torch
        if value is None:
            return self.none()
        if isinstance(value, bool):
            return self.constant(torch.tensor(value))
        if isinstance(value, int):
            return self.constant(torch.tensor(value, dtype=torch.int64))
        if isinstance(value, float):
            return self.constant(torch.tensor(value, dtype=torch.float64))
        if isinstance(value, str):
            return self.context.op("Constant", value_s=value)
        if isinstance(value, list) and all(isinstance(v, int) for v in value):
            return self.constant(torch.tensor(value, dtype=torch.int64))
        return None

    def of(self, argument):
        torch, rng = self.torch, self.rng
        text = str(argument.type)
        if argument.has_default_value() and rng.random() < 0.5:
            value = self.default(argument.default_value)
            if value is not None:
                return value
        if text.startswith("Optional[") and rng.random() < 0.4:
            return self.none()
        text = text.replace("Optional[", "").rstrip("]") if text.startswith("Optional[") else text
        if text == "Tensor":
            return self.tensor()
        if "List[" in text and "Tensor" in text:
            values = [self.none() if "Optional" in text and rng.random() < 0.4 else self.tensor()
                      for _ in range(rng.choice([1, 2, 3, 4, 6]))]
            if rng.random() < 0.15 and "Optional" not in text:
                value = self.graph.addInput()
                value.setType(torch._C.ListType.ofTensors())
                return value
            return self.listed(values, torch._C.ListType.ofTensors())
        if "List[" in text and "int" in text:
            return self.integers()
        if "List[" in text and "float" in text:
            return self.constant(torch.tensor([rng.choice([0.5, 1.0, 2.0]) for _ in range(rng.choice([1, 2, 3]))]))
        if "List[" in text and "bool" in text:
            return self.constant(torch.tensor([rng.random() < 0.5 for _ in range(rng.choice([1, 2, 3]))]))
        if text.startswith("List["):
            if rng.random() < 0.4:
                value = self.graph.addInput()
                value.setType(torch._C.ListType.ofTensors() if rng.random() < 0.5 else torch._C.ListType.ofInts())
                return value
            return self.listed([self.scalar(rng.choice([0, 1, 2]), torch.int64) for _ in range(2)],
                               torch._C.ListType.ofInts())
        if text == "bool":
            return self.scalar(rng.random() < 0.5, torch.bool)
        if text in ("float", "number", "Scalar"):
            return self.scalar(rng.choice([0.0, 1.0, 0.5, 2.0, -1.0]), torch.float64) if rng.random() < 0.6 else \
                self.scalar(rng.choice([0, 1, 2]), torch.int64)
        if text == "str":
            return self.string()
        if text in ("int", "Device", "Layout", "SymInt", "ScalarType", "MemoryFormat"):
            return self.scalar(rng.choice([0, 1, 1, 2, -1, 4, 5, 6, 6, 7, 11]), torch.int64)
        return self.none()


ATTRIBUTES_OF_NODES = {"prim::ConstantSplit": ("split_size", "dim"), "prim::ConstantChunk": ("chunks", "dim")}
UNPACKED = {"split", "split_with_sizes", "unbind", "chunk", "unsafe_split", "unsafe_chunk", "unsafe_split_with_sizes",
            "tensor_split"}


def keywords_of(name, rng):
    """What the exporter hands over by name: how many outputs, where the next node unpacks a list."""
    if name.rpartition("::")[2] in UNPACKED and rng.random() < 0.3:
        return {"_outputs": rng.choice([2, 3])}
    return {}


def call(exporter, recorder, arguments, schema, function, name, opset, rng):
    torch = exporter.torch
    graph = torch._C.Graph()
    recorder.quiet = True
    wanted = len(schema.returns) if schema else 1
    original = graph.create(name, [], max(wanted, 1))
    graph.insertNode(original)
    context = exporter.context(graph, original, opset)
    arguments.begin(graph, context)
    if schema:
        values = [arguments.of(a) for a in schema.arguments]
        keywords = keywords_of(name, rng)
    else:
        values = [arguments.tensor() for _ in range(rng.choice([0, 1, 1, 2, 3]))]
        keywords = {key: rng.choice([0, 1, 2]) for key in ATTRIBUTES_OF_NODES.get(name, ())}
    for value in values:
        original.addInput(value)
    recorder.quiet = False
    exporter.use_kind_of_export(rng.random() < 0.1)
    sys.settrace(recorder.trace)
    try:
        result = function(context, *values, **keywords)
    except Exception as exception:
        return f"{type(exception).__name__}: {str(exception)[:200]}"
    finally:
        sys.settrace(None)
    if result is None or isinstance(result, torch._C.Value):
        count = result if result is None else 1
    elif isinstance(result, (tuple, list)):
        count = len(result)
    else:
        return f"returned a {type(result).__name__}"
    return f"returned {count}, wanted {wanted}"


def place_of(exporter, function):
    """Where a function is written, under what decorators made of it."""
    seen = set()
    queue = [function]
    while queue:
        candidate = queue.pop(0)
        if id(candidate) in seen:
            continue
        seen.add(id(candidate))
        code = getattr(candidate, "__code__", None)
        if code is not None and exporter.is_ours(code.co_filename) and candidate.__closure__ is None:
            return os.path.basename(code.co_filename), code.co_firstlineno
        queue += [getattr(candidate, "__wrapped__", None), getattr(candidate, "func", None)]
        queue += [cell.cell_contents for cell in getattr(candidate, "__closure__", None) or () if cell.cell_contents]
        queue = [item for item in queue if callable(item)]
    code = getattr(function, "__code__", None)
    return (os.path.basename(code.co_filename), code.co_firstlineno) if code else ("", 0)


def sites(path):
    """Where calls of g.op() and functions stand in a file: [first line, last line, name]."""
    with open(path, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    calls, functions = [], []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("op", "at"):
            first = node.args[0] if node.args else None
            calls.append([node.lineno, node.end_lineno, first.value if isinstance(first, ast.Constant) else ""])
        elif isinstance(node, (ast.FunctionDef, ast.Lambda)):
            first = min([node.lineno] + [d.lineno for d in getattr(node, "decorator_list", [])])
            functions.append([first, node.end_lineno, getattr(node, "name", "")])
    return dict(sites=os.path.basename(path), path=path, calls=calls, functions=functions)


def record_operator(path, name, rounds, seed, only_opset):
    exporter = Exporter()
    out = open(path, "a", encoding="utf-8", buffering=1)

    def write(record):
        out.write(json.dumps(record) + "\n")

    recorder = Recorder(exporter, write)
    for function_name, opset, function in exporter.functions():
        if function_name == name:
            file, line = place_of(exporter, function)
            write(dict(function=name, opset=opset, file=file, line=line))
    rng = random.Random(f"{name} {seed}")
    arguments = Arguments(exporter, recorder, rng)
    recorder.name = name
    exporter.globals.in_onnx_export = True
    outcomes = collections.Counter()
    for function_name, opset, function in exporter.functions():
        if function_name != name or only_opset not in (None, opset):
            continue
        recorder.opset = opset
        exporter.use_opset(opset)
        for schema in exporter.torch._C._jit_get_schemas_for_operator(name) or [None]:
            for _ in range(rounds):
                outcomes[opset, str(schema)[:200], call(exporter, recorder, arguments, schema, function, name, opset,
                                                        rng)] += 1
    for (opset, schema, outcome), count in outcomes.items():
        write(dict(call=name, opset=opset, schema=schema, outcome=outcome, count=count))
    for (file, line), count in recorder.ran.items():
        write(dict(ran=name, file=file, line=line, count=count))
    for (file, line, kind, text), count in recorder.raised.items():
        write(dict(raised=name, file=file, line=line, kind=kind, text=text, count=count))


def fork_and_record(path, name, rounds, seed=0, only_opset=None):
    """In a child that shares what is imported; returns how it ended."""
    child = os.fork()
    if child == 0:
        try:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(null, 2)
            import signal
            signal.alarm(240)
            record_operator(path, name, rounds, seed, only_opset)
            os._exit(0)
        except BaseException:
            import traceback
            with open(path + ".errors", "a", encoding="utf-8") as file:
                file.write(name + "\n" + traceback.format_exc())
            os._exit(1)
    _, status = os.waitpid(child, 0)
    return status


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("out")
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--only")
    parser.add_argument("--judge", action="store_true")
    options = parser.parse_args()
    if options.judge:
        return judge(options.out)
    exporter = Exporter()
    with open(options.out, "w", encoding="utf-8") as file:
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None) or ""
            if path.endswith(".py") and exporter.is_ours(path):
                file.write(json.dumps(sites(path)) + "\n")
    # A lookup strips one trailing underscore, so none ends at `aten::dropout_`.
    registered = sorted({name for name, _, _ in exporter.functions()})
    names = [name for name in registered
             if not name.endswith("_") or exporter.torch._C._jit_get_schemas_for_operator(name + "_")]
    with open(options.out, "a", encoding="utf-8") as file:
        file.write(json.dumps(dict(dead=sorted(set(registered) - set(names)))) + "\n")
    for name in names:
        if options.only and name not in options.only.split(","):
            continue
        if fork_and_record(options.out, name, options.rounds) == 0:
            continue
        # Some arguments end the process: in small portions, most of the lines are reached all the same.
        for opset in range(7, exporter.max_opset + 1):
            ends = [fork_and_record(options.out, name, max(options.rounds // 4, 3), seed, opset) for seed in range(1, 6)]
            if all(ends):
                with open(options.out, "a", encoding="utf-8") as file:
                    file.write(json.dumps(dict(died=name, opset=opset, status=ends[0])) + "\n")
    subprocess.run([sys.executable, os.path.abspath(__file__), options.out, "--judge"], check=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Records of the element types for which the functions of onnxscript's torchlib make nodes that no session loads.

    derive_dynamo_types.py TORCHLIB_OPS TYPE_PROMOTION RECORDS RUNTIME,RUNTIME > dynamo_types.txt

TORCHLIB_OPS is the folder onnxscript/function_libs/torch_lib/ops, TYPE_PROMOTION torch/onnx/_internal/fx/passes/type_promotion.py,
RECORDS symbolics-db/records. Of each function only what it does in any case counts: statements that are in no branch. A value
has the type of the first tensor (T), another known one, or one that nobody knows; a node that gets a T is refused for the types
that its schema doesn't list, and for those for which onnx/kernels.txt lacks a kernel in all of the runtimes.
"""
import ast
import re
import sys
from collections import defaultdict
from pathlib import Path

from conditions import is_pair

NAMES = {"uint8": "Byte", "int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long", "bool": "Bool",
         "float16": "Half", "double": "Double", "bfloat16": "BFloat16", "float": "Float"}
INTEGERS = {"uint8", "int8", "int16", "int32", "int64", "bool"}
OPSETS = range(18, 24)
OFTEN_LEFT_OUT = {"Expand", "Identity", "SplitToSequence"}  # By the exporter's optimizer.
PROMOTED = {"aten::where.Scalar", "aten::where.ScalarOther", "aten::where.ScalarSelf", "aten::clamp_min.default"}  # By a number.
TAKEN_APART = {"aten::mT", "aten::mH"}  # Before their functions are asked.
FIRST = "T"  # The type of the first tensor.


def read_schemas(folder):
    """operator -> version -> (inputs, outputs, types): parameters are (name of the type, is the last one repeated)."""
    schemas = defaultdict(dict)
    for file in sorted(folder.glob("*.txt")):
        for line in file.read_text().splitlines():
            words = line.split()
            if line.startswith("op "):
                schema = schemas[words[1]][int(words[2])] = ([], [], {})
            elif line.startswith("  in ") or line.startswith("  out "):
                schema[words[0] == "out"].append((words[2], "variadic" in words))
            elif line.startswith("  type "):
                schema[2][words[1]] = set(words[2:])
    return schemas


def in_range(release, text):
    first, _, last = text.partition("-")
    number = [tuple(map(int, v.split("."))) if v else None for v in (release, first, last)]
    return number[1] <= number[0] and ("-" not in text and number[0] == number[1] or "-" in text and (not last or number[0] <= number[2]))


def read_kernels(file):
    """(operator, version) -> rows of (opsets or None, releases, name of the type, types) that depend on one type alone."""
    kernels = defaultdict(list)
    for line in file.read_text().splitlines():
        match = re.fullmatch(r"(\w+) (\d+)(?:@(\d+)\.\.(\d+))? (\S+)\t(\w+) ([\w ]+)", line)
        if match:
            op, version, low, high, releases, name, types = match.groups()
            opsets = range(int(low), int(high) + 1) if low else None
            kernels[op, int(version)].append((opsets, releases.split(","), name, set(types.split())))
    return kernels


class Facts:
    def __init__(self, records, runtimes):
        self.schemas = read_schemas(records / "onnx" / "ai.onnx")
        self.kernels = read_kernels(records / "onnx" / "kernels.txt")
        self.runtimes = runtimes
        lines = (records / "messages" / "runtimes.txt").read_text().splitlines()
        self.highest = {line.split()[0]: int(line.split()[2]) for line in lines if re.match(r"[\d.]+ opset ", line)}

    def version(self, op, opset):
        return max((v for v in self.schemas.get(op, {}) if v <= opset), default=None)

    def refused(self, op, name, opset):
        """(types that the schema doesn't list, types without a kernel)"""
        version = self.version(op, opset)
        listed = self.schemas[op][version][2].get(name)
        if listed is None:
            return set(), set()
        missing = set(NAMES)
        for runtime in (r for r in self.runtimes if opset <= self.highest[r]):
            missing &= {t for opsets, releases, type_name, types in self.kernels[op, version] for t in types
                        if type_name == name and (not opsets or opset in opsets) and any(in_range(runtime, r) for r in releases)}
        return set(NAMES) - listed, missing & listed


class Walk:
    """The types of values in one function, and what its nodes refuse."""

    def __init__(self, facts, opset, function):
        self.facts, self.opset, self.found = facts, opset, []
        self.values = {}
        arguments = function.args.args
        typed = [(i, a.arg, ast.unparse(a.annotation)) for i, a in enumerate(arguments) if a.annotation]
        tensors = [(i, a, t) for i, a, t in typed if re.fullmatch(r"T[A-Z]\w*|IntType|RealType", t) and t != "TensorType"]
        self.position = tensors[0][0] if tensors else None
        # Masks and indices are annotated like the tensors that they are for, and have types of their own.
        same = [i for i, name, annotation in tensors if annotation == tensors[0][2] and not re.search("mask|ind", name)]
        self.is_pair = same[:2] == [0, 1]
        for i in same:
            self.values[arguments[i].arg] = FIRST

    def type_of(self, node):
        if isinstance(node, ast.Name):
            return self.values.get(node.id)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name) \
                and node.func.value.id == "op":
            return self.node(node.func.attr, node.args)
        for child in ast.iter_child_nodes(node):
            self.type_of(child)
        return None

    def node(self, op, arguments):
        version = self.facts.version(op, self.opset)
        given = [self.type_of(a) for a in arguments]
        if version is None:
            return None
        inputs, outputs, types = self.facts.schemas[op][version]
        bound = {}
        for i, value in enumerate(given):
            name, _ = inputs[i] if i < len(inputs) else inputs[-1] if inputs and inputs[-1][1] else (None, False)
            if value == FIRST and name:
                bound[name] = FIRST
                self.found += [(op, name)] if op not in OFTEN_LEFT_OUT else []
        if len(outputs) != 1 or op in ("Cast", "CastLike"):
            return None
        return bound.get(outputs[0][0])

    def run(self, body):
        """Until a branch may return."""
        for statement in body:
            if isinstance(statement, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
                for node in ast.walk(statement):
                    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                        self.values.pop(node.id, None)
                if any(isinstance(node, ast.Return) for node in ast.walk(statement)):
                    return
            elif isinstance(statement, ast.Assign):
                value = self.type_of(statement.value)
                for target in statement.targets:
                    for node in ast.walk(target):
                        if isinstance(node, ast.Name):
                            self.values.pop(node.id, None)
                    if isinstance(target, ast.Name) and value:
                        self.values[target.id] = value
            else:
                self.type_of(statement)


def functions(folder):
    """(names, function) of those that are not for complex inputs."""
    for file in sorted(folder.glob("*.py")):
        for node in ast.parse(file.read_text()).body:
            for decorator in getattr(node, "decorator_list", []):
                is_op = isinstance(decorator, ast.Call) and getattr(decorator.func, "id", "") == "torch_op"
                if is_op and not any(k.arg == "complex" for k in decorator.keywords):
                    names = ast.literal_eval(decorator.args[0])
                    yield [names] if isinstance(names, str) else names, node


def promoted(file):
    """name -> kind of the pass that converts inputs before functions are called."""
    kinds = dict(re.findall(r'ElementwiseTypePromotionRule\(\s*"aten",\s*"(\w+)",[^)]*?KIND\.(\w+)', file.read_text()))
    sums = re.findall(r'(?:Like)?ReductionTypePromotionRule\(\s*"aten",\s*"(\w+)"', file.read_text())
    return {**kinds, **dict.fromkeys(sums, "REDUCTION"), "div": "INT_TO_FLOAT"}  # It has a rule of its own.


HALVES = {"float16", "bfloat16"}
# Inputs of these types are converted to others before functions are called.
CONVERTED = {"INT_TO_FLOAT": INTEGERS, "COMPLEX_TO_FLOAT": HALVES, "ALWAYS_BOOL": HALVES, "REDUCTION": HALVES}


def condition(position, types, of_pair, is_promoted):
    listed = ", ".join(f'"{n}"' for t, n in NAMES.items() if t in types)
    test = f"== {listed}" if len(types) == 1 else f"in [{listed}]"
    test += f" and result_type() == dtype(${position})" if is_promoted else ""
    return f"dtype(${position}) {test}" + (" and " + is_pair(0, 1) if of_pair else "")


def with_overloads(file):
    """Operators that have other overloads for tensors than the one without a name and those that write into an argument."""
    named = re.findall(r"aten::(\w+)\.\w+\(Tensor self([^\n]*)", file.read_text())
    return {f"aten::{name}" for name, rest in named if "!)" not in rest}


def written_by_hand(file):
    """name -> types of which a record without a further condition says already that they fail."""
    written = defaultdict(set)
    for line in file.read_text().splitlines():
        columns = line.split("\t")
        match = len(columns) > 1 and re.fullmatch(r"dtype\(\$0\) (?:== |in )(\S.*?)( and dtype\(\$1\) == dtype\(\$0\))?", columns[1])
        if match and ":no-kernel" in columns[0]:
            written[columns[0].split()[-1]] |= {t for t, n in NAMES.items() if f'"{n}"' in match.group(1)}
    return written


def main():
    folder, promotion, records = map(Path, sys.argv[1:4])
    runtimes = sys.argv[4].split(",")
    written = written_by_hand(records / "torch" / "outcomes" / "dynamo.txt")
    several = with_overloads(records / "torch" / "schemas" / "aten.txt")
    facts, kinds = Facts(records, runtimes), promoted(promotion)
    found = defaultdict(set)
    for names, function in functions(folder):
        for opset in OPSETS:  # A type that one node refuses needn't be said of the next one.
            walk = Walk(facts, opset, function)
            if walk.position is None:
                continue
            walk.run(function.body)
            taken = set()
            for op, name in walk.found:
                for kind, types in zip(("no-kernel", "no-kernel@onnxruntime-" + sys.argv[4]), facts.refused(op, name, opset)):
                    for full in names:
                        if full in several:
                            full += ".default"
                        if full.startswith("aten::") and full not in TAKEN_APART:
                            base = full.split("::")[1].split(".")[0]
                            never = CONVERTED.get(kinds.get(base), set())
                            for t in types - never - taken - written[full] - written[full.removesuffix(".default")]:
                                found[full, kind, op, walk.position, walk.is_pair, t].add(opset)
                    taken |= types
    rows = defaultdict(set)
    for (full, kind, op, position, is_pair, t), opsets in found.items():
        rows[full, kind, op, position, is_pair, (min(opsets), max(opsets))].add(t)
    for (full, kind, op, position, is_pair, (low, high)), types in sorted(rows.items()):
        what = f"the CPU provider has no kernel of {op} for it" if "@" in kind else f"{op} doesn't take that"
        way = "Convert the input to float first."
        opsets = f"{low}-{high}" if low < high else low
        print("\t".join([f"2.14 dynamo:{kind} {opsets} {full}", condition(position, types, is_pair, full in PROMOTED),
                         f"the input is {{{position}.dtype}}, and {what}", way, "derived"]))


if __name__ == "__main__":
    main()

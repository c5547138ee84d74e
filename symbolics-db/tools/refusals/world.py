"""What the interpreter knows of Python, torch and symbolic_helper."""
import ast
import math
import operator
import sys

from helpers import HELPERS, KindOf, NodeOf, TypeOf, dtype_of, length_of, parse_arg, rank_of, sizes_of
from objects import Bound, Dotted, Function, Graph, Module, Opset, ParseArgs
from python_calls import (BUILTINS, CALLS, SetOf, concrete, condition, graph_op, identity, is_plain, list_method,
                          plain_method)
from values import JIT_NAMES, OPAQUE, TORCH_NAMES, Arg, Dtype, GaveUp, Node, Opaque, Sym, Tensor, literal

ONNX_NAMES = {"FLOAT": "Float", "DOUBLE": "Double", "FLOAT16": "Half", "BFLOAT16": "BFloat16", "INT8": "Char",
              "INT16": "Short", "INT32": "Int", "INT64": "Long", "UINT8": "Byte", "BOOL": "Bool",
              "COMPLEX64": "ComplexFloat", "COMPLEX128": "ComplexDouble", "UNDEFINED": "Undefined"}
OPERATORS = {"Add": ("+", operator.add), "Sub": ("-", operator.sub), "Mult": ("*", operator.mul),
             "Div": ("/", operator.truediv), "FloorDiv": ("//", operator.floordiv), "Mod": ("%", operator.mod),
             "Pow": ("**", operator.pow), "BitOr": ("|", operator.or_), "BitAnd": ("&", operator.and_)}
COMPARISONS = {"Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">="}
COMPARE = {"==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
           ">=": operator.ge}
MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class World:
    parse_arg = staticmethod(parse_arg)

    def __init__(self, folder, checks_model):
        self.modules = {}
        self.checks_model = checks_model
        for path in sorted(folder.glob("symbolic_*.py")):
            if "caffe2" not in path.name:
                self.modules[path.stem] = Module(path.stem, path, self)

    # --- Names ---

    def is_registration(self, decorator):
        text = ast.unparse(decorator)
        return text.startswith(("_onnx_symbolic", "registration.", "functools.wraps", "_beartype", "_export"))

    def resolve(self, interp, module, node, registration):
        """The function of a registration, with the decorators of `decorate=` applied."""
        value = interp.define(node, module, None)
        for keyword in registration.keywords:
            if keyword.arg == "decorate":
                for d in interp.eval(keyword.value, module, None):
                    value = interp.call(d, [value], {})
        return value

    def special(self, module, name):
        if name == "GLOBALS":
            return Dotted("GLOBALS")
        if name == "_onnx_symbolic":
            return Bound(lambda i, a, k: Bound(identity), name)
        if module.name == "symbolic_helper" and name in HELPERS:
            return Bound(HELPERS[name], name)
        return None

    def imported(self, interp, source, what):
        if what in self.modules:
            return self.modules[what]
        stem = (source or "").split(".")[-1]
        if stem in self.modules:
            return interp.module_name(self.modules[stem], what)
        if what == "GLOBALS":
            return Dotted("GLOBALS")
        return self.dotted(what.split(".")[0] if source is None else what)

    def dotted(self, path):
        tail = path.split(".")[-1]
        if path.startswith("torch.") and tail in TORCH_NAMES and path.count(".") == 1:
            return Dtype(TORCH_NAMES[tail])
        if ("JitScalarType." in path or "ScalarType." in path) and tail in JIT_NAMES:
            return Dtype(JIT_NAMES[tail])
        if "TensorProtoDataType." in path and tail in ONNX_NAMES:
            return Dtype(ONNX_NAMES[tail])
        if path == "sys.maxsize":
            return sys.maxsize
        if path == "math.inf":
            return math.inf
        if path == "torch.get_default_dtype":
            return Bound(lambda interp, a, k: Dtype("Float"))
        if tail in CALLS and (path.count(".") >= 1 or tail in ("beartype", "cast", "partial", "wraps")):
            return Bound(CALLS[tail], path)
        return Dotted(path)

    def builtin(self, name):
        if name in BUILTINS:
            return Bound(BUILTINS[name], name)
        if name in ("True", "False", "None"):
            return {"True": True, "False": False, "None": None}[name]
        return Dotted(name)

    # --- Attributes ---

    def attribute(self, interp, x, name):
        if isinstance(x, Module):
            return interp.module_name(x, name)
        if isinstance(x, Graph):
            return self.graph_attribute(interp, name)
        if isinstance(x, Dotted):
            return self.dotted_attribute(interp, x, name)
        if isinstance(x, (Arg, Node)):
            return self.value_attribute(interp, x, name)
        if isinstance(x, NodeOf):
            return self.node_attribute(interp, x.value, name)
        if isinstance(x, TypeOf):
            return self.type_attribute(interp, x.value, name)
        if isinstance(x, (Dtype,)) or (isinstance(x, Sym) and x.kind == "dtype"):
            return Bound(lambda i, a, k: x) if name != "value" else OPAQUE
        if isinstance(x, Sym):
            return self.sym_attribute(interp, x, name)
        if isinstance(x, (ParseArgs, Function)) and name == "_arg_descriptors":
            return list(x.descriptors or [])
        if isinstance(x, (ParseArgs, Function)) and name == "__name__":
            return x.name
        if isinstance(x, list):
            return Bound(lambda i, a, k: list_method(i, x, name, a), name)
        if isinstance(x, (str, dict)):
            return Bound(lambda i, a, k: plain_method(x, name, a), name)
        if x is None or isinstance(x, (int, float, tuple)):
            interp.refuse("AttributeError", f"{type(x).__name__} has no attribute {name}")
        return OPAQUE

    def graph_attribute(self, interp, name):
        if name == "op":
            return Bound(graph_op, "op")
        if name == "opset":
            return interp.opset
        if name in ("at", "aten_op", "onnxscript_op"):
            return Bound(lambda i, a, k: Node("?"))
        return OPAQUE

    def dotted_attribute(self, interp, x, name):
        path = f"{x.path}.{name}"
        if x.path == "GLOBALS":
            if name == "export_onnx_opset_version":
                    return interp.opset
            if name == "operator_export_type":
                return Dotted("OperatorExportTypes.ONNX")
            if name == "training_mode":
                return Dotted("TrainingMode.EVAL")
            if name in ("export_training", "in_onnx_export"):
                return name == "in_onnx_export"
            return OPAQUE
        if name in self.modules:
            return self.modules[name]
        return self.dotted(path)

    def value_attribute(self, interp, x, name):
        if name == "node":
            return Bound(lambda i, a, k: NodeOf(x))
        if name == "type":
            return Bound(lambda i, a, k: TypeOf(x))
        if name in ("setType", "setTypeAs"):
            return Bound(lambda i, a, k: x)
        return Bound(lambda i, a, k: OPAQUE)

    def node_attribute(self, interp, value, name):
        if name == "kind":
            return Bound(lambda i, a, k: KindOf(value))
        if name == "mustBeNone":
            return Bound(lambda i, a, k: HELPERS["_is_none"](i, [value], {}))
        if name == "inputs":
            return Bound(lambda i, a, k: HELPERS["elements"](i, [value], {}))
        return Bound(lambda i, a, k: OPAQUE)

    def type_attribute(self, interp, value, name):
        if name == "scalarType":
            return Bound(lambda i, a, k: dtype_of(i, value, none_is=None))
        if name == "dim":
            return Bound(lambda i, a, k: rank_of(i, value))
        if name in ("sizes", "varyingSizes"):
            return Bound(lambda i, a, k: sizes_of(i, value))
        return Bound(lambda i, a, k: OPAQUE)

    def sym_attribute(self, interp, x, name):
        if name in ("item", "tolist", "numpy"):
            return Bound(lambda i, a, k: Sym(x.expr, "number" if name == "item" else "list"))
        if name == "dim":
            return Bound(lambda i, a, k: Sym(("ndim", x.expr), "int"))
        if name == "numel":
            return Bound(lambda i, a, k: Sym(("len", x.expr), "int"))
        if name == "lower" and x.kind == "str":
            return Bound(lambda i, a, k: x)
        if name in ("node", "type", "debugName"):
            interp.refuse("AttributeError", f"a Python value has no attribute {name}")
        if name == "shape":
            return OPAQUE
        return Bound(lambda i, a, k: OPAQUE)

    # --- Operators ---

    def binary(self, interp, op, left, right):
        if is_plain(left) and is_plain(right):
            try:
                return OPERATORS[op][1](left, right)
            except (TypeError, ZeroDivisionError, KeyError) as e:
                if isinstance(e, KeyError):
                    return OPAQUE
                interp.refuse(type(e).__name__, "this operation has no meaning here")
        if isinstance(left, (Arg, Node)) or isinstance(right, (Arg, Node)):
            interp.refuse("TypeError", "arithmetic with a graph value")
        if left is None or right is None:
            interp.refuse("TypeError", "arithmetic with None")
        if isinstance(left, (list, tuple)) or isinstance(right, (list, tuple)):
            return self.binary_lists(interp, op, left, right)
        if op not in ("Add", "Sub", "Mult", "Div", "FloorDiv", "Mod"):
            return OPAQUE
        if isinstance(left, (Opaque, Tensor)) or isinstance(right, (Opaque, Tensor)):
            return OPAQUE
        if isinstance(left, Sym) and left.kind == "list" and op == "Add":
            return self.binary_lists(interp, op, interp.iterate(left), right)
        kinds = {x.kind for x in (left, right) if isinstance(x, Sym)}
        if not kinds <= {"int", "float", "number", "bool", "tensor"}:
            return OPAQUE
        try:
            return Sym((OPERATORS[op][0], literal(left), literal(right)), "int" if kinds == {"int"} else "number")
        except GaveUp:
            return OPAQUE

    def binary_lists(self, interp, op, left, right):
        if op == "Mult":
            items, times = (left, right) if isinstance(left, (list, tuple)) else (right, left)
            if isinstance(times, Sym) and times.kind == "int":
                times = concrete(interp, times)
            return items * times if isinstance(times, int) else OPAQUE
        if op == "Add" and isinstance(right, Sym) and right.kind == "list":
            right = interp.iterate(right)
        if op == "Add" and isinstance(left, (list, tuple)) and isinstance(right, (list, tuple)):
            return type(left)([*left, *right])
        return OPAQUE

    def compare(self, interp, op, left, right):
        if op in ("Is", "IsNot"):
            result = self.same_object(interp, left, right)
            return result if op == "Is" else invert(result)
        if op in ("In", "NotIn"):
            result = self.contains(interp, left, right)
            return result if op == "In" else invert(result)
        sign = COMPARISONS[op]
        if sign in ("==", "!="):
            result = self.equal(interp, left, right)
            return result if sign == "==" else invert(result)
        return self.ordered(interp, sign, left, right)

    def same_object(self, interp, left, right):
        if isinstance(left, Opaque):
            return OPAQUE
        if right is None:
            if isinstance(left, Sym):
                return is_absent(left)
            return left is None
        if isinstance(right, bool) and isinstance(left, (bool, type(None))):
            return left is right
        if isinstance(left, Dtype) or (isinstance(left, Sym) and isinstance(right, Dtype)):
            return self.equal(interp, left, right)
        return OPAQUE

    def equal(self, interp, left, right):
        if isinstance(left, KindOf) or isinstance(right, KindOf):
            return kind_is(interp, left if isinstance(left, KindOf) else right,
                           right if isinstance(left, KindOf) else left)
        if isinstance(left, Dotted) and isinstance(right, Dotted):
            return left.path.split(".")[-1] == right.path.split(".")[-1]
        if isinstance(left, (Opaque, Dotted, Tensor)) or isinstance(right, (Opaque, Dotted, Tensor)):
            return OPAQUE
        if is_plain(left) and is_plain(right):
            if isinstance(left, Dtype) and isinstance(right, str):
                return left.name == right
            if isinstance(left, Opset):
                interp.opset_answers.add(("==", right, left == right))
            return left == right
        if isinstance(left, SetOf) or isinstance(right, SetOf):
            return self.equal_sets(left, right)
        if isinstance(left, (list, tuple)) or isinstance(right, (list, tuple)):
            return self.equal_lists(interp, left, right)
        if isinstance(left, (Arg, Node)) or isinstance(right, (Arg, Node)):
            return isinstance(left, Arg) and isinstance(right, Arg) and left.ref == right.ref
        if left is None or right is None:
            other = right if left is None else left
            return is_absent(other) if isinstance(other, Sym) else False
        try:
            if not isinstance(left, Sym):
                left, right = right, left
            if isinstance(right, Sym) and left.expr == right.expr:
                return True
            return condition(("==", literal(left), literal(right)))
        except GaveUp:
            return OPAQUE

    def equal_lists(self, interp, left, right):
        if left is None or right is None or isinstance(left, (Arg, Node, int)) or isinstance(right, (Arg, Node, int)):
            return False
        a, b = interp.iterate(left), interp.iterate(right)
        if a is None or b is None:
            return OPAQUE
        if len(a) != len(b):
            return False
        parts = [self.equal(interp, x, y) for x, y in zip(a, b)]
        if any(p is False for p in parts):
            return False
        if any(isinstance(p, Opaque) for p in parts):
            return OPAQUE
        parts = [p.expr for p in parts if isinstance(p, Sym)]
        return condition(("and", *parts)) if parts else True

    def equal_sets(self, left, right):
        a, b = (left, right) if isinstance(left, SetOf) else (right, left)
        if isinstance(b, SetOf):
            b = b.items
        if not isinstance(b, (list, tuple)) or len(b) != 1 or not isinstance(b[0], int):
            return OPAQUE
        parts = []
        for x in a.items:
            if isinstance(x, Sym):
                parts.append(("==", x.expr, b[0]))
            elif isinstance(x, Opaque):
                return OPAQUE
            elif x != b[0]:
                return False
        if not a.items:
            return False
        return condition(("and", *parts)) if parts else True

    def contains(self, interp, left, right):
        if isinstance(right, SetOf):
            right = right.items
        if isinstance(right, dict):
            right = list(right)
        if isinstance(right, Sym) and right.kind == "str" and isinstance(left, str):
            return condition(("in", left, right.expr))
        if isinstance(right, Sym) and right.kind == "list":
            right = interp.iterate(right)
        if not isinstance(right, (list, tuple, str, range)):
            return OPAQUE
        if isinstance(left, Opaque):
            return OPAQUE
        if isinstance(left, KindOf):
            return any(interp.truth(self.equal(interp, left, x)) for x in right)
        if is_plain(left) and (isinstance(right, (str, range)) or is_plain(right)):
            return left in right
        if isinstance(left, Sym) and isinstance(right, (list, tuple)) and is_plain(right):
            return condition(("in", left.expr, literal([x for x in right if x is not None])))
        return any(interp.truth(self.equal(interp, left, x)) for x in right)

    def ordered(self, interp, sign, left, right):
        if isinstance(left, (Opaque, Dotted, Tensor)) or isinstance(right, (Opaque, Dotted, Tensor)):
            return OPAQUE
        if is_plain(left) and is_plain(right):
            try:
                answer = COMPARE[sign](left, right)
                if isinstance(left, Opset):
                    interp.opset_answers.add((sign, right, answer))
                elif isinstance(right, Opset):
                    interp.opset_answers.add((MIRRORED[sign], left, answer))
                return answer
            except TypeError:
                interp.refuse("TypeError", "a comparison that Python has no answer to")
        if isinstance(left, (Arg, Node)) or isinstance(right, (Arg, Node)) or left is None or right is None:
            interp.refuse("TypeError", "compares a graph value or None")
        try:
            return condition((sign, literal(left), literal(right)))
        except GaveUp:
            return OPAQUE

    # --- Elements ---

    def element(self, interp, x, i):
        kind = "int" if x.expr[0] == "sizes" else "number"
        return Sym(("idx", x.expr, i), kind)

    def index(self, interp, x, i):
        if x is None:
            interp.refuse("TypeError", "takes an element of None")
        if isinstance(x, (Arg, Node)):
            interp.refuse("TypeError", "takes an element of a graph value")
        if isinstance(x, dict):
            return x.get(i, OPAQUE) if isinstance(i, (str, int, Dtype)) else OPAQUE
        if isinstance(x, (list, tuple, str, range)):
            if isinstance(i, Sym) and i.kind == "int":
                i = concrete_index(interp, i, len(x))
            if not isinstance(i, int):
                return OPAQUE
            if not -len(x) <= i < len(x):
                interp.refuse("IndexError", "list index out of range")
            return x[i]
        if isinstance(x, Sym) and x.kind in ("list", "tensor"):
            if isinstance(i, int):
                if x.expr[0] == "sizes" and not interp.decide((">=", length_of(x.expr), i + 1 if i >= 0 else -i)):
                    interp.refuse("IndexError", "list index out of range")
                return self.element(interp, x, i)
            if isinstance(i, Sym):
                return Sym(("idx", x.expr, i.expr), "int" if x.expr[0] == "sizes" else "number")
        if isinstance(x, Sym) and x.kind in ("int", "bool", "float"):
            interp.refuse("TypeError", "takes an element of a number")
        return OPAQUE

    def slice(self, interp, x, bounds):
        if x is None or isinstance(x, (Arg, Node)):
            interp.refuse("TypeError", "takes a part of what is no list")
        if isinstance(x, Sym) and x.kind == "list":
            x = interp.iterate(x)
        if not isinstance(x, (list, tuple, str, range)):
            return OPAQUE
        bounds = [concrete(interp, b) if isinstance(b, Sym) and b.kind == "int" else b for b in bounds]
        if any(not isinstance(b, (int, type(None))) for b in bounds):
            return OPAQUE
        return x[slice(*bounds)]


def is_absent(x):
    """A size is None where the dimension is dynamic; no other symbolic value is."""
    e = x.expr
    if e[0] == "idx" and e[1][0] == "sizes":
        return condition(("is_none", e))
    return e == ("outputs",) and condition(("is_none", e))


def invert(x):
    if isinstance(x, bool):
        return not x
    return condition(("not", x.expr)) if isinstance(x, Sym) else OPAQUE


def kind_is(interp, kind, text):
    value = kind.value
    if isinstance(value, Node):
        if text == "onnx::Constant":
            return value.is_const
        if text == "prim::Constant":
            return value.op == "prim::Constant"
        return False if text.startswith("prim::") else OPAQUE
    if text == "onnx::Constant":
        return condition(("is_const", value.ref))
    if text == "prim::Constant":
        return condition(("is_none", value.ref))
    if text == "prim::ListConstruct":
        return condition(("is_packed", value.ref))
    return condition(("kind_is", value.ref, text)) if isinstance(text, str) else OPAQUE


def concrete_index(interp, x, length):
    for n in [*range(length), *range(-1, -length - 1, -1)]:
        if interp.decide(("==", x.expr, n)):
            return n
    raise GaveUp("an index that is not known")

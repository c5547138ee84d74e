"""What the interpreter knows of Python, torch and symbolic_helper."""
import ast
import math
import operator
import sys

from helpers import HELPERS, KindOf, NodeOf, TypeOf, dtype_of, length_of, parse_arg, rank_of, sizes_of
from interp import Bound, Dotted, Function, Graph, Module, Opset, ParseArgs
from values import (FLOATS, JIT_NAMES, OPAQUE, SCALARS, TORCH_NAMES, Arg, Dtype, GaveUp, Node, Opaque, Sym, Tensor, TensorFloat, TensorInt,
                    literal)

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
PLAIN = (int, float, str, bool, list, tuple, dict, type(None), Dtype)


class SetOf:
    def __init__(self, items):
        self.items = items


def condition(e):
    return Sym(e, "condition")


def is_plain(x):
    if isinstance(x, (list, tuple)):
        return all(is_plain(i) for i in x)
    return isinstance(x, PLAIN)


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


def concrete(interp, x):
    """The number itself, which the path has to know."""
    for n in range(0, 7):
        if interp.decide(("==", x.expr, n)):
            return n
    raise GaveUp("a large number")


def concrete_index(interp, x, length):
    for n in [*range(length), *range(-1, -length - 1, -1)]:
        if interp.decide(("==", x.expr, n)):
            return n
    raise GaveUp("an index that is not known")


# --- Methods and functions of Python ---

def list_method(interp, x, name, args):
    if name == "append":
        x.append(args[0])
    elif name == "extend":
        x.extend(interp.iterate(args[0]) or [])
    elif name == "insert" and isinstance(args[0], int):
        x.insert(args[0], args[1])
    elif name == "pop" and x and (not args or isinstance(args[0], int)):
        return x.pop(*args)
    elif name == "copy":
        return list(x)
    elif name == "index" and is_plain(x) and args[0] in x:
        return x.index(args[0])
    elif name == "reverse":
        x.reverse()
    else:
        return OPAQUE
    return None


def plain_method(x, name, args):
    if isinstance(x, dict) and name == "pop":
        return x.pop(args[0], args[1] if len(args) > 1 else None)
    if isinstance(x, dict) and name == "get":
        return x.get(args[0], args[1] if len(args) > 1 else None) if isinstance(args[0], (str, int, Dtype)) else OPAQUE
    if isinstance(x, dict) and name == "update" and isinstance(args[0], dict):
        x.update(args[0])
        return None
    if isinstance(x, dict) and name in ("items", "keys", "values"):
        return [list(i) if name == "items" else i for i in getattr(x, name)()]
    if isinstance(x, str) and all(is_plain(a) for a in args) and hasattr(x, name):
        return getattr(x, name)(*args)
    return OPAQUE


def graph_op(interp, args, kwargs):
    name = args[0] if isinstance(args[0], str) else "?"
    for x in args[1:]:
        if isinstance(x, (TensorInt, TensorFloat)):
            continue
        if x is None or isinstance(x, (int, float, str, list, tuple, Dtype, dict)) or \
                (isinstance(x, Sym) and x.kind != "tensor"):
            interp.refuse("TypeError", f"gives {name} a Python value as an input")
    for key, value in kwargs.items():
        if key.endswith(("_i", "_f", "_s")) and interp.world.checks_model:
            check_attribute(interp, name, key, value)
    if name == "Constant":
        const = kwargs.get("value_t", kwargs.get("value_s", OPAQUE))
        return Node(name, (), const.value if isinstance(const, Tensor) else const, True)
    outputs = kwargs.get("outputs", 1)
    if isinstance(outputs, int):
        return Node(name, args[1:]) if outputs == 1 else tuple(Node(name, args[1:]) for _ in range(outputs))
    return OPAQUE


def check_attribute(interp, name, key, value):
    """An empty list has no type, so the checker of the exported model refuses the attribute."""
    if name == "Transpose":  # One that moves nothing is taken out before the check.
        return
    is_empty = value in ([], ()) if isinstance(value, (list, tuple)) else False
    if isinstance(value, Sym) and value.kind == "list":
        is_empty = interp.decide(("==", length_of(value.expr), 0))
    if is_empty:
        interp.refuse("CheckerError", f"attribute '{key[:-2]}' of {name} is an empty list")


def call_isinstance(interp, args, kwargs):
    x, types = args
    names = [t.name if isinstance(t, Bound) else getattr(t, "path", "?") for t in
             (types if isinstance(types, (tuple, list)) else [types])]
    answers = [is_instance(x, n.split(".")[-1]) for n in names]
    if True in answers:
        return True
    return OPAQUE if OPAQUE in answers else False


def is_instance(x, name):
    if isinstance(x, (Opaque, Dotted)):
        return OPAQUE
    if isinstance(x, Tensor):
        return name == "Tensor"
    if name == "Value":
        return isinstance(x, (Arg, Node))
    if isinstance(x, Sym):
        kinds = {"int": ("int", "bool", "condition"), "bool": ("bool", "condition"), "float": ("float",), "str": ("str",),
                 "list": ("list",), "Sequence": ("list",), "Tensor": ("tensor",), "Number": ("int", "float", "number"), "tuple": ("list",)}
        if x.kind == "number" and name in ("int", "float", "bool"):
            return OPAQUE
        return x.kind in kinds.get(name, ()) if name in kinds else OPAQUE
    if isinstance(x, TypeOf):
        if name == "ListType" and isinstance(x.value, Arg):
            return condition(("is_list", x.value.ref))
        return OPAQUE
    table = {"int": int, "float": float, "str": str, "bool": bool, "list": list, "tuple": tuple, "dict": dict}
    if name in table:
        return isinstance(x, table[name])
    return False if isinstance(x, (Arg, Node)) and name in ("Tensor", "Number", "Sequence") else OPAQUE


def call_len(interp, args, kwargs):
    x = args[0]
    if isinstance(x, (list, tuple, str, dict, range)):
        return len(x)
    if isinstance(x, Sym):
        return Sym(length_of(x.expr), "int")
    if x is None or isinstance(x, (Arg, Node, int)):
        interp.refuse("TypeError", "asks for the length of what has none")
    return OPAQUE


def call_range(interp, args, kwargs):
    bounds = [concrete(interp, a) if isinstance(a, Sym) and a.kind == "int" else a for a in args]
    if any(b is None or isinstance(b, (Arg, Node)) for b in bounds):
        interp.refuse("TypeError", "a range of what is no int")
    return range(*bounds) if all(isinstance(b, int) for b in bounds) else OPAQUE


def call_number(kind, python):
    def call(interp, args, kwargs):
        x = args[0] if args else 0
        if isinstance(x, Sym):
            same = x.kind == kind or x.kind in ("int", "number", "bool", "float", "tensor", "condition")
            if not same:
                return OPAQUE
            return x if kind == "float" or x.kind in ("int", "bool") else Sym((kind, x.expr), kind)
        if isinstance(x, (int, float, str)):
            try:
                return python(x)
            except ValueError:
                return OPAQUE
        if x is None or isinstance(x, (Arg, Node)):
            interp.refuse("TypeError", f"{kind}() of what is no number")
        return OPAQUE
    return call


def call_any(wanted):
    def call(interp, args, kwargs):
        items = interp.iterate(args[0])
        if items is None:
            return OPAQUE
        for item in items:
            if interp.truth(item) == wanted:
                return wanted
        return not wanted
    return call


def call_sequence(make):
    def call(interp, args, kwargs):
        if not args:
            return make([])
        if make is list and isinstance(args[0], Sym) and args[0].kind == "list":
            return args[0]
        if make is tuple and isinstance(args[0], Sym) and args[0].kind == "list":
            return args[0]
        items = interp.iterate(args[0])
        return OPAQUE if items is None else make(items)
    return call


def call_set(interp, args, kwargs):
    items = interp.iterate(args[0]) if args else []
    return OPAQUE if items is None else SetOf(items)


def call_zip(interp, args, kwargs):
    lists = [interp.iterate(a) for a in args]
    return OPAQUE if any(x is None for x in lists) else [tuple(t) for t in zip(*lists)]


def call_enumerate(interp, args, kwargs):
    items = interp.iterate(args[0])
    return OPAQUE if items is None else [tuple(t) for t in enumerate(items)]


def call_plain(python):
    def call(interp, args, kwargs):
        if all(is_plain(a) for a in args) and not kwargs:
            try:
                return python(*args)
            except (TypeError, ValueError):
                interp.refuse("TypeError", "a call that Python has no answer to")
        return OPAQUE
    return call


def call_extreme(name, python):
    def call(interp, args, kwargs):
        if all(is_plain(a) for a in args):
            return python(*args)
        if len(args) == 2 and all(isinstance(a, (Sym, int, float)) for a in args):
            return Sym((name, literal(args[0]), literal(args[1])), "int")
        return OPAQUE
    return call


def call_bool(interp, args, kwargs):
    return interp.truth(args[0]) if args else False


def call_reversed(interp, args, kwargs):
    items = interp.iterate(args[0])
    return OPAQUE if items is None else items[::-1]


BUILTINS = {
    "abs": call_plain(abs), "all": call_any(False), "any": call_any(True), "bool": call_bool,
    "enumerate": call_enumerate, "float": call_number("float", float), "int": call_number("int", int),
    "isinstance": call_isinstance, "len": call_len, "list": call_sequence(list), "max": call_extreme("max", max),
    "min": call_extreme("min", min), "range": call_range, "reversed": call_reversed, "set": call_set,
    "sorted": call_plain(sorted), "str": lambda i, a, k: a[0] if isinstance(a[0], str) else OPAQUE,
    "sum": call_plain(sum), "tuple": call_sequence(tuple), "zip": call_zip,
    "print": lambda i, a, k: None, "getattr": lambda i, a, k: OPAQUE, "hasattr": lambda i, a, k: OPAQUE,
}


def n_tuple(n):
    def call(interp, args, kwargs):
        x = args[0]
        if isinstance(x, (list, tuple)):
            return tuple(x)
        if isinstance(x, Sym) and x.kind == "list":
            return x
        return (x,) * n
    return call


def call_partial(interp, args, kwargs):
    f, first, named = args[0], args[1:], kwargs
    return Bound(lambda i, a, k: i.call(f, [*first, *a], {**named, **k}))


def call_jit_scalar_type(interp, args, kwargs):
    x = args[0]
    if isinstance(x, int) and 0 <= x < len(SCALARS):
        return Dtype(SCALARS[x])
    if isinstance(x, Sym):
        return Sym(("scalar_type", x.expr), "dtype")
    if x is None or isinstance(x, (Arg, Node)):
        interp.refuse("ValueError", "no scalar type")
    return OPAQUE


def call_from_value(interp, args, kwargs):
    has_default = len(args) > 1 or "default" in kwargs
    return dtype_of(interp, args[0], none_is=Dtype("Undefined") if has_default else "raise")


def call_same_type(interp, args, kwargs):
    x = args[0]
    if isinstance(x, (Dtype, Sym)):
        return x
    if isinstance(x, str):
        return Dtype(x)
    if x is None:
        interp.refuse("ValueError", "no scalar type")
    return OPAQUE


def make_tensor(interp, args, kwargs):
    return Tensor(args[0]) if args else OPAQUE


def identity(interp, args, kwargs):
    return args[0] if args else OPAQUE


CALLS = {
    "wraps": lambda i, a, k: Bound(identity), "partial": call_partial, "beartype": identity,
    "is_autocast_enabled": lambda i, a, k: False, "cast": lambda i, a, k: a[1], "warn": lambda i, a, k: None, "tensor": make_tensor, "LongTensor": make_tensor,
    "_single": n_tuple(1), "_pair": n_tuple(2), "_triple": n_tuple(3), "_quadruple": n_tuple(4), "_ntuple": lambda i, a, k: Bound(n_tuple(a[0])),
    "JitScalarType": call_jit_scalar_type, "from_value": call_from_value, "from_name": call_same_type,
    "from_dtype": call_same_type, "ceil": call_plain(math.ceil), "floor": call_plain(math.floor),
}

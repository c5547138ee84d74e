"""Functions and methods of Python, torch and the graph that symbolic functions call."""
import math

from helpers import TypeOf, dtype_of, length_of
from objects import Bound, Dotted
from values import (OPAQUE, SCALARS, Arg, Dtype, GaveUp, Node, Opaque, Sym, Tensor, TensorFloat, TensorInt, literal)

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


def concrete(interp, x):
    """The number itself, which the path has to know."""
    for n in range(0, 7):
        if interp.decide(("==", x.expr, n)):
            return n
    raise GaveUp("a large number")


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

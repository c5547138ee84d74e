"""The functions of torch.onnx.symbolic_helper that ask about the graph: what each means for a node's inputs.

The others are followed in their source.
"""
from objects import Bound, Function, ParseArgs
from values import FLOATS, OPAQUE, Arg, Dtype, GaveUp, Node, Opaque, Sym, TensorFloat, TensorInt


class NodeOf:
    def __init__(self, value):
        self.value = value


class KindOf(NodeOf):
    pass


class TypeOf(NodeOf):
    pass


KINDS = {"i": "int", "f": "float", "b": "bool", "s": "str", "is": "list", "fs": "list", "t": "tensor"}


def condition(e):
    return Sym(e, "condition")


def length_of(e):
    return ("rank", e[1]) if e[0] == "sizes" else ("len", e)


def rank_of(interp, x):
    if not isinstance(x, Arg):
        return None if x is None else OPAQUE
    if interp.decide(("is_none", ("rank", x.ref))):
        return None
    return Sym(("rank", x.ref), "int")


def sizes_of(interp, x):
    if not isinstance(x, Arg):
        return None if x is None else OPAQUE
    if interp.decide(("is_none", ("rank", x.ref))):
        return None
    return Sym(("sizes", x.ref), "list")


def dtype_of(interp, x, none_is):
    """`none_is` is what an unknown type gives; "raise" if that is an error."""
    def nothing():
        if none_is == "raise":
            interp.refuse("SymbolicValueError", "the element type isn't known")
        return none_is
    if x is None:
        return nothing()
    if isinstance(x, Node) and x.is_const and isinstance(x.const, (bool, int)):
        return Dtype("Bool" if isinstance(x.const, bool) else "Long")
    if isinstance(x, Sym) and x.kind == "dtype":
        return x
    if not isinstance(x, Arg):
        return OPAQUE
    if interp.decide(("is_none", x.ref)) or interp.decide(("is_none", ("dtype", x.ref))):
        return nothing()
    return Sym(("dtype", x.ref), "dtype")


def parse_arg(interp, value, letter, name=None):
    """_parse_arg() of symbolic_helper."""
    if letter in ("v", "none") or not isinstance(value, (Arg, Node)):
        return value
    if isinstance(value, Node):
        if value.op == "prim::Constant":
            return None
        if not value.is_const:
            interp.refuse("SymbolicValueError", f"needs a constant {name}")
        return constant_of(value, letter)
    if interp.decide(("is_none", value.ref)):
        return None
    if not interp.decide(("is_const", value.ref)):
        interp.refuse("NotConstant", str(name) if name else "")
    return parsed(interp, value, letter)


def constant_of(node, letter):
    """A tensor with one element gives a number, too."""
    is_one = isinstance(node.const, (list, tuple)) and len(node.const) == 1
    return node.const[0] if is_one and letter in ("i", "f", "b") else node.const


def parsed(interp, value, letter):
    """The Python value of an input that is constant."""
    e = value.value()
    types = interp.types.get(value.ref[1], set()) if len(value.ref) == 2 else set()
    if letter in ("i", "f", "b") and any("[" in t or t == "Tensor" for t in types):
        if not interp.decide(("==", ("numel", e), 1)):
            interp.refuse("ValueError", "has more than one element, and one is wanted")
    if letter in ("is", "fs") and any("[" not in t for t in types):
        if interp.decide(("==", ("ndim", e), 0)):
            interp.refuse("TypeError", "is a number, and a list is wanted")
    return Sym(e, KINDS[letter])


def is_none(interp, args, kwargs):
    x = args[0]
    if isinstance(x, Arg):
        return interp.decide(("is_none", x.ref))
    if isinstance(x, Node):
        return x.op == "prim::Constant"
    return x is None if not isinstance(x, Opaque) else OPAQUE


def is_value(interp, args, kwargs):
    return OPAQUE if isinstance(args[0], Opaque) else isinstance(args[0], (Arg, Node))


def is_constant(interp, args, kwargs):
    x = args[0]
    if isinstance(x, Arg):
        return interp.decide(("is_none", x.ref)) or interp.decide(("is_const", x.ref))
    if isinstance(x, Node):
        return x.is_const or x.op == "prim::Constant"
    return True if not isinstance(x, Opaque) else OPAQUE


def get_const(interp, args, kwargs):
    value, letter, name = (list(args) + [kwargs.get("desc"), kwargs.get("arg_name")])[:3]
    if isinstance(value, Arg):
        return parse_arg(interp, value, letter, name)
    if isinstance(value, Node) and not value.is_const and value.op != "prim::Constant":
        interp.refuse("SymbolicValueError", f"needs a constant {name}")
    return parse_arg(interp, value, letter, name) if isinstance(value, Node) else value


def maybe_get_const(interp, args, kwargs):
    value, letter = args[0], args[1]
    if isinstance(value, Arg):
        return parsed(interp, value, letter) if interp.decide(("is_const", value.ref)) else value
    if isinstance(value, Node) and value.is_const:
        return constant_of(value, letter)
    return value


def maybe_get_scalar(interp, args, kwargs):
    value = args[0]
    if isinstance(value, Arg):
        if interp.decide(("is_const", value.ref)) and interp.decide(("==", ("ndim", value.value()), 0)):
            return Sym(value.value(), "tensor")
        return value
    if isinstance(value, Node) and value.is_const and isinstance(value.const, (int, float)):
        return TensorFloat(value.const) if isinstance(value.const, float) else TensorInt(value.const)
    return value if not (isinstance(value, Node) and value.is_const) else OPAQUE


def scalar(interp, args, kwargs):
    x = args[0]
    if isinstance(x, Sym) and x.kind == "tensor":
        return Sym(x.expr, "number")
    return OPAQUE if isinstance(x, Opaque) else None


def elements(interp, args, kwargs):
    x = args[0]
    if not isinstance(x, Arg) or len(x.ref) > 2:
        return OPAQUE
    return [Arg((*x.ref, i)) for i in range(interp.length(Sym(x.value(), "list")))]


def unpack_list(interp, args, kwargs):
    x = args[0]
    if isinstance(x, Node) and x.op == "prim::ListConstruct":
        return list(x.inputs)
    if not isinstance(x, Arg):
        return OPAQUE
    if not interp.decide(("is_packed", x.ref)):
        interp.refuse("SymbolicValueError", "isn't a list that is made in the graph")
    return elements(interp, args, kwargs)


def asks(name):
    def call(interp, args, kwargs):
        return condition((name, args[0].ref)) if isinstance(args[0], Arg) else OPAQUE
    return call


def is_packed(interp, args, kwargs):
    x = args[0]
    if isinstance(x, Arg):
        return condition(("is_packed", x.ref))
    if isinstance(x, Node):
        return x.op == "prim::ListConstruct"
    return OPAQUE if isinstance(x, Opaque) else False


def has_type(*names):
    def call(interp, args, kwargs):
        dtype = dtype_of(interp, args[0], none_is=Dtype("Undefined"))
        if isinstance(dtype, Dtype):
            return dtype.name in names
        return condition(("in", dtype.expr, ("list", *names))) if isinstance(dtype, Sym) else OPAQUE
    return call


def try_scalar_type(interp, args, kwargs):
    for x in args:
        dtype = dtype_of(interp, x, none_is=None)
        if isinstance(dtype, Opaque):
            return OPAQUE
        if dtype is not None:
            return dtype
    return None


def unimplemented(interp, args, kwargs):
    interp.refuse("Unsupported", f"{args[0]}: {args[1]}" if len(args) > 1 and isinstance(args[1], str) else str(args[0]))


def opset_unsupported(interp, args, kwargs):
    interp.refuse("Opset", f"{args[0]}|{args[2]}")


def opset_unsupported_detailed(interp, args, kwargs):
    interp.refuse("Opset", f"{args[0]}: {args[3]}|{args[2]}")


def make_parse_args(interp, args, kwargs):
    def decorate(interp, inner, k):
        f = inner[0]
        if isinstance(f, (Function, ParseArgs)):
            f.descriptors = list(args)
        return ParseArgs(f, list(args))
    return Bound(decorate)


def nothing(interp, args, kwargs):
    return None


def transparent(interp, args, kwargs):
    return Bound(lambda i, a, k: a[0])


HELPERS = {
    "parse_args": make_parse_args, "quantized_args": transparent, "_parse_arg": lambda i, a, k: parse_arg(i, a[0], a[1], None),
    "_is_none": is_none, "_is_value": is_value, "_is_constant": is_constant, "_get_const": get_const,
    "_maybe_get_const": maybe_get_const, "_maybe_get_scalar": maybe_get_scalar, "_scalar": scalar,
    "_unpack_list": unpack_list, "elements": elements, "_is_packed_list": is_packed,
    "_is_list": asks("is_list"), "_is_tensor_list": asks("is_tensor_list"), "_is_tensor": asks("is_tensor"),
    "_is_scalar_list": asks("is_scalar_list"), "_is_tuple_construct": lambda i, a, k: OPAQUE,
    "_is_onnx_constant": lambda i, a, k: condition(("is_const", a[0].ref)) if isinstance(a[0], Arg) else OPAQUE,
    "_is_fp": has_type(*FLOATS), "_is_bool": has_type("Bool"),
    "is_complex_value": has_type("ComplexHalf", "ComplexFloat", "ComplexDouble"),
    "_try_get_scalar_type": try_scalar_type,
    "_get_tensor_rank": lambda i, a, k: rank_of(i, a[0]), "_get_tensor_sizes": lambda i, a, k: sizes_of(i, a[0]),
    "_unimplemented": unimplemented, "_onnx_unsupported": unimplemented, "_onnx_opset_unsupported": opset_unsupported,
    "_onnx_opset_unsupported_detailed": opset_unsupported_detailed,
    "_block_list_in_opset": lambda i, a, k: Bound(unimplemented),
    "_if_scalar_type_as": lambda i, a, k: a[-2] if isinstance(a[-2], (Arg, Node)) else Node("Constant", (), a[-2], True),
    "check_training_mode": nothing, "_interpolate_warning": nothing, "is_caffe2_aten_fallback": lambda i, a, k: False,
    "_node_get": lambda i, a, k: OPAQUE, "args_have_same_dtype": lambda i, a, k: OPAQUE,
    "_optional_input_placeholder_tensor": lambda i, a, k: Node("prim::Constant"),
    "_type_promote_from_values": lambda i, a, k: OPAQUE, "_maybe_cast_to_type": lambda i, a, k: a[1],
}

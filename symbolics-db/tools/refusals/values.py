"""What a symbolic function works with while its source is executed without a graph.

An expression is a nested tuple: ("arg", 1) is the constant value of input 1, ("idx", e, 0) its first element, (">", e, 3)
a comparison. A graph value is an Arg (an input of the node, or an element of an input that is a list) or a Node (what
g.op() gave). Everything else is a Python object, concrete or symbolic (Sym).
"""


class Raised(Exception):
    """The function refuses here."""

    def __init__(self, kind, text, place):
        super().__init__(text)
        self.kind, self.text, self.place = kind, text, place


class GaveUp(Exception):
    """The interpreter can't follow; the path says nothing."""


class Opaque:
    """A Python object of which nothing is known."""

    def __repr__(self):
        return "?"


OPAQUE = Opaque()


class Sym:
    """A Python object that depends on the node's inputs. `kind` is int, float, bool, list, str, tensor, dtype or None."""

    def __init__(self, expr, kind=None, elements=None):
        self.expr, self.kind, self.elements = expr, kind, elements

    def __repr__(self):
        return f"Sym({show(self.expr)}:{self.kind})"


class Arg:
    """A graph value that the node has: `ref` is ("ref", k) or ("ref", k, i) for element i of a list."""

    def __init__(self, ref):
        self.ref = ref

    def value(self):
        e = ("arg", self.ref[1])
        return e if len(self.ref) == 2 else ("idx", e, self.ref[2])

    def __repr__(self):
        return show(self.value())


class Node:
    """A graph value that the function made. `const` is its Python value if it is a Constant (NOT_CONST if not)."""

    def __init__(self, op, inputs=(), const=None, is_const=False):
        self.op, self.inputs, self.const, self.is_const = op, inputs, const, is_const


class Tensor:
    """A torch.Tensor that the function makes from a Python value."""

    def __init__(self, value):
        self.value = value


class TensorInt(int):
    """A constant tensor without dimensions: it counts like the number, and may be an input of a node."""


class TensorFloat(float):
    """The same of a float."""


class Dtype:
    """A member of JitScalarType, a torch.dtype, an ONNX data type: one name for all, as a graph prints it ("Float")."""

    def __init__(self, name):
        self.name = name

    def __eq__(self, other):
        return isinstance(other, Dtype) and other.name == self.name

    def __hash__(self):
        return hash(self.name)


# In the order of c10::ScalarType, which is that of JitScalarType, too.
SCALARS = ["Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double", "ComplexHalf", "ComplexFloat", "ComplexDouble",
           "Bool", "QInt8", "QUInt8", "QInt32", "BFloat16"]
JIT_NAMES = {"UINT8": "Byte", "INT8": "Char", "INT16": "Short", "INT": "Int", "INT64": "Long", "HALF": "Half",
             "FLOAT": "Float", "DOUBLE": "Double", "COMPLEX32": "ComplexHalf", "COMPLEX64": "ComplexFloat",
             "COMPLEX128": "ComplexDouble", "BOOL": "Bool", "QINT8": "QInt8", "QUINT8": "QUInt8", "QINT32": "QInt32",
             "BFLOAT16": "BFloat16", "UNDEFINED": "Undefined"}
TORCH_NAMES = {"uint8": "Byte", "int8": "Char", "int16": "Short", "short": "Short", "int32": "Int", "int": "Int",
               "int64": "Long", "long": "Long", "float16": "Half", "half": "Half", "float32": "Float", "float": "Float",
               "float64": "Double", "double": "Double", "complex32": "ComplexHalf", "complex64": "ComplexFloat",
               "complex128": "ComplexDouble", "bool": "Bool", "bfloat16": "BFloat16"}
FLOATS = ("Half", "Float", "Double", "BFloat16")

BINARY = {"==", "!=", "<", "<=", ">", ">=", "in", "+", "-", "*", "/", "//", "%", "and", "or"}


def literal(x):
    """A concrete Python object as it is in an expression."""
    if x is None:
        return ("none",)
    if isinstance(x, bool):
        return int(x)
    if isinstance(x, Dtype):
        return x.name
    if isinstance(x, (list, tuple, set, frozenset)):
        items = [literal(i) for i in x]
        if isinstance(x, (set, frozenset)):
            items.sort(key=str)
        return ("list", *items)
    if isinstance(x, (int, float, str)):
        return x
    if isinstance(x, Sym):
        return x.expr
    raise GaveUp(f"no literal for {x!r}")


def show(e, nested=False):
    """The text of an expression, as records have it."""
    if isinstance(e, str):
        return '"' + e + '"'
    if not isinstance(e, tuple):
        return repr(e) if isinstance(e, float) else str(e)
    op = e[0]
    if op == "none":
        return "none"
    if op == "arg":
        return f"${e[1]}"
    if op == "ref":
        return f"${e[1]}" + (f"[{e[2]}]" if len(e) > 2 else "")
    if op == "idx":
        return f"{show(e[1], True)}[{show(e[2])}]"
    if op == "list":
        return "[" + ", ".join(show(x) for x in e[1:]) + "]"
    if op == "not":
        text = "not " + show(e[1], True)
        return f"({text})" if nested else text
    if op in BINARY:
        text = f" {op} ".join(show(x, True) for x in e[1:])
        return f"({text})" if nested else text
    return f"{op}(" + ", ".join(show(x) for x in e[1:]) + ")"


NEGATED = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def negate(e):
    if e[0] == "not":
        return e[1]
    # NaN aside, which no record asks about.
    if e[0] in NEGATED:
        return (NEGATED[e[0]], *e[1:])
    return ("not", e)

"""Which records of outcomes hold of a call that measure_dynamo_types.py printed. What it doesn't show is in no record's favour."""
import ast
import re
from collections import defaultdict

TENSOR = re.compile(r"'?\b(Float|BFloat16|Short|Byte|Char|Bool|Int|Double|Long|Half|ComplexFloat)(\[[\d, ]*\])'?")


def is_pair(first, second):
    """Condition: the second argument has the type of the first, or is a number that leaves the result that type."""
    return f"(dtype(${second}) == dtype(${first}) or (not is_tensor(${second}) and result_type() == dtype(${first})))"


class Anything:
    """What a call doesn't show, where it may as well be what is asked for."""
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False


class Unknown(Exception):
    pass


class Tensor:
    def __init__(self, dtype, sizes):
        self.dtype, self.sizes = dtype, sizes


def known(value):
    if value is Unknown:
        raise Unknown
    return value


def of_tensor(name):
    def ask(value):
        if not isinstance(known(value), Tensor):
            raise Unknown
        return getattr(value, name)
    return ask


def not_shown(*_):
    raise Unknown


ASK = {
    "dtype": of_tensor("dtype"), "sizes": of_tensor("sizes"), "rank": lambda v: len(of_tensor("sizes")(v)),
    "is_none": lambda v: known(v) is None, "is_tensor": lambda v: isinstance(known(v), Tensor), "len": lambda v: len(known(v)),
    "is_list": lambda v: isinstance(known(v), list), "numel": lambda v: len(v) if isinstance(known(v), list) else 1,
    "is_float": lambda v: isinstance(known(v), float), "min": min, "max": max, "int": int, "float": float, "bool": bool,
    "outputs": not_shown, "is_const": not_shown, "is_returned": lambda: True, "writes_part": not_shown, "loses_write": not_shown, "result_type": Anything,
}


class Arguments(list):
    """Those that are not there are unknown."""
    def __getitem__(self, i):
        return known(list.__getitem__(self, i)) if i < len(self) else known(Unknown)


def literal(node):
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Tensor":
        return Tensor(*map(ast.literal_eval, node.args))
    if isinstance(node, (ast.List, ast.Tuple)):
        return [literal(n) for n in node.elts]
    if isinstance(node, ast.Attribute):
        return ast.unparse(node)
    try:
        return ast.literal_eval(node)
    except ValueError:
        return Unknown


class Call:
    """"aten.add.Tensor(Float[2, 3], Float[], alpha=2)", with its arguments where the schema has them."""

    def __init__(self, text, parameters):
        target, rest = text.split("(", 1)
        space, name, overload = target.split(".")
        self.name = f"{space}::{name}"
        self.overload = f"{self.name}.{overload}"
        self.arguments = Arguments()
        names = parameters.get(self.overload.removesuffix(".default"), [])
        try:
            call = ast.parse("f(" + TENSOR.sub(r'Tensor("\1", \2)', rest)).body[0].value
        except SyntaxError:  # It has what is no literal.
            return
        self.arguments += [default for _, default in names] or [Unknown] * len(call.args)
        places = [name for name, _ in names]
        for i, value in list(enumerate(call.args)) + [(places.index(k.arg), k.value) for k in call.keywords if k.arg in places]:
            if i < len(self.arguments):
                self.arguments[i] = literal(value)

    def holds(self, condition):
        try:
            return bool(eval(re.sub(r"\$(\d+)", r"A[\1]", condition), {"__builtins__": {}, "A": self.arguments, **ASK}))
        except (Unknown, IndexError, TypeError, ZeroDivisionError):
            return False


def opsets(text):
    """"18-21,23" """
    spans = [span.split("-") for span in text.split(",")]
    return {o for span in spans for o in range(int(span[0]), int(span[-1]) + 1)}


def read_outcomes(files):
    """operator or overload -> (opsets, condition)"""
    found = defaultdict(list)
    for file in files:
        for line in file.read_text().splitlines():
            columns = line.split("\t")
            if len(columns) > 3 and "dynamo:" in columns[0]:
                _, _, span, name = columns[0].split()
                found[name].append((opsets(span), columns[1]))
    return found


def default_of(text):
    try:
        return literal(ast.parse(text, mode="eval").body)
    except SyntaxError:
        return Unknown


def read_parameters(file):
    """overload -> (name, default) of each parameter"""
    found = {}
    for line in file.read_text().splitlines():
        match = re.match(r"\S*2\.14\S* (aten::[\w.]+)\((.*)\) -> ", line)
        if match:
            words = [p for p in re.split(r", (?![^\[(]*[\])])", match.group(2)) if p != "*"]
            pairs = [p.split(" ")[-1].partition("=") for p in words if p]
            found[match.group(1)] = [(name, default_of(value) if is_given else Unknown) for name, is_given, value in pairs]
    return found

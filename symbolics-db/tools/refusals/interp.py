"""Runs the source of symbolic functions along one path.

Where a condition depends on the node's inputs, the next of the given choices decides; the caller runs the function again
with other choices until it has seen all paths (paths.py).
"""
import ast

from objects import (Bound, BreakNow, ContinueNow, Dotted, Function, GRAPH, Graph, Module, Opset, ParseArgs, ReturnNow, Scope)
from values import OPAQUE, Arg, Dtype, GaveUp, Node, Opaque, Raised, Sym, negate


STEP_LIMIT = 20000
LENGTHS = range(0, 5)  # Of a list whose length the path has to know.


class Interp:
    def __init__(self, world, opset, choices):
        self.world, self.opset = world, opset
        self.choices, self.taken = choices, []
        self.known = {}  # Expression -> bool, along this path.
        self.path = []  # Conditions of this path, in order.
        self.steps = 0
        self.depth = 0
        self.place = ("", 0, "")
        self.opaque_count = {}
        self.opset_answers = set()
        self.types = {}  # Of the arguments, by position: those of all overloads.

    # --- Conditions ---

    def choose(self):
        at = len(self.taken)
        value = self.choices[at] if at < len(self.choices) else True
        self.taken.append(value)
        return value

    def decide(self, e):
        """The truth of an expression along this path."""
        if isinstance(e, (bool, int, float)) or e is None:
            return bool(e)
        if e[0] == "not":
            return not self.decide(e[1])
        if e[0] == "and" and len(e) == 2:
            return self.decide(e[1])
        if e in self.known:
            return self.known[e]
        opposite = negate(e)
        if opposite in self.known:
            return not self.known[opposite]
        implied = self.implied(e)
        if implied is not None:
            return implied
        value = self.choose()
        self.known[e] = value
        self.path.append(e if value else negate(e))
        return value

    def implied(self, e):
        """What is said already of another comparison with the same left side."""
        if e[0] == "is_none" and e[1][0] == "ref" and len(e[1]) == 2:
            types = self.types.get(e[1][1])
            if types and not any("?" in t for t in types):
                return False
        if e[0] in ("is_tensor_list", "is_list") and len(e[1]) == 2:
            types = self.types.get(e[1][1])
            if types and not any("[" in t for t in types):
                return False
        if e[0] == "is_none" and e[1][0] == "ref" and len(e[1]) == 3:
            types = self.types.get(e[1][1])
            if types and not any("?[" in t for t in types):
                return False
        if e[0] in ("==", "!=") and e[1][0] == "ndim" and e[1][1][0] == "arg":
            types = self.types.get(e[1][1][1])
            if types and not any("[" in t or "Tensor" in t for t in types):
                return (e[2] == 0) == (e[0] == "==")
            if types and all("[" in t for t in types) and e[2] == 0:
                return e[0] == "!="
        if e[0] == "is_const" and self.known.get(("is_none", e[1])):
            return False
        if e[0] == "is_none" and self.known.get(("is_const", e[1])):
            return False
        if e[0] in ("==", "!=") and not isinstance(e[2], tuple):
            for known, value in self.known.items():
                if known[0] == "==" and value and known[1] == e[1] and not isinstance(known[2], tuple):
                    return (known[2] == e[2]) == (e[0] == "==")
        if e[0] in ("<", "<=", ">", ">=") and isinstance(e[2], (int, float)):
            for known, value in self.known.items():
                if known[0] == "==" and value and known[1] == e[1] and isinstance(known[2], (int, float)):
                    return {"<": known[2] < e[2], "<=": known[2] <= e[2], ">": known[2] > e[2],
                            ">=": known[2] >= e[2]}[e[0]]
        return None

    def decide_opaque(self):
        """Both ways are taken; what is refused whichever it is stays certain (paths.py, merge)."""
        place = f"{self.place[0]}:{self.place[1]}"
        self.opaque_count[place] = self.opaque_count.get(place, 0) + 1
        e = ("opaque", place, self.opaque_count[place])
        value = self.choose()
        self.path.append(e if value else ("not", e))
        return value

    def truth(self, x):
        if isinstance(x, Sym):
            if x.kind == "condition":
                return self.decide(x.expr)
            if x.kind == "list":
                return self.decide((">", ("len", x.expr), 0))
            if x.kind in ("int", "float", "bool", "number"):
                return self.decide(("!=", x.expr, 0))
            return self.decide(("true", x.expr))
        if isinstance(x, (Opaque, Dotted)):
            return self.decide_opaque()
        if isinstance(x, (Arg, Node, Dtype, Function, ParseArgs, Graph)):
            return True
        return bool(x)

    def refuse(self, kind, text):
        raise Raised(kind, text, self.place)

    # --- Names ---

    def name(self, name, module, scope):
        found = scope.find(name) if scope else None
        if found:
            return found.names[name]
        return self.module_name(module, name)

    def module_name(self, module, name):
        if name in module.bound:
            return module.bound[name]
        special = self.world.special(module, name)
        if special is not None:
            value = special
        elif name in module.names:
            node = module.names[name][-1]
            if isinstance(node, ast.FunctionDef):
                value = self.define(node, module, None)
            else:
                value = self.eval(node.value, module, None)
        elif name in self.exported(module):
            value = self.world.resolve(self, module, *self.exported(module)[name])
        elif name in module.imports:
            source, what = module.imports[name]
            value = self.world.imported(self, source, what)
        else:
            value = self.world.builtin(name)
            if value is None:
                raise GaveUp(f"unknown name {name}")
        module.bound[name] = value
        return value

    def exported(self, module):
        """Names that registrations bind: `_export("max_pool2d")` among their decorators."""
        if module.exports is None:
            module.exports = {}
            for node in module.tree.body:
                for d in node.decorator_list if isinstance(node, ast.FunctionDef) else []:
                    for call in ast.walk(d):
                        if isinstance(call, ast.Call) and ast.unparse(call.func) == "_export":
                            module.exports[call.args[0].value] = (node, d)
        return module.exports

    def define(self, node, module, scope, decorate=True):
        defaults = [self.eval(d, module, scope) for d in node.args.defaults]
        kw_defaults = {a.arg: self.eval(d, module, scope) for a, d in zip(node.args.kwonlyargs, node.args.kw_defaults) if d}
        value = Function(node, module, scope, defaults, kw_defaults)
        for decorator in reversed(node.decorator_list) if decorate else []:
            if self.world.is_registration(decorator):
                continue
            value = self.call(self.eval(decorator, module, scope), [value], {})
        return value

    # --- Calls ---

    def call(self, f, args, kwargs):
        if isinstance(f, Bound):
            return f.call(self, args, kwargs)
        if isinstance(f, ParseArgs):
            return self.call_parsed(f, args, kwargs)
        if isinstance(f, Function):
            return self.call_function(f, args, kwargs)
        if isinstance(f, (Opaque, Dotted)):
            return OPAQUE
        if isinstance(f, (Arg, Node, int, str, list, tuple)) or f is None:
            self.refuse("TypeError", "calls what is no function")
        raise GaveUp(f"call of {f!r}")

    def call_parsed(self, f, args, kwargs):
        inner = f.function
        while isinstance(inner, ParseArgs):
            inner = inner.function
        graph, rest = args[0], args[1:]
        self.place = (inner.module.name, inner.node.lineno, f.name)
        if len(rest) > len(f.descriptors):
            self.refuse("AssertionError", f"takes {len(f.descriptors)} arguments, not {len(rest)}")
        names = [a.arg for a in inner.node.args.args][1:] + ([inner.node.args.vararg.arg] if inner.node.args.vararg else [])
        parsed = [self.world.parse_arg(self, a, d, n) for a, d, n in zip(rest, f.descriptors, names)]
        return self.call(f.function, [graph, *parsed], kwargs)

    def bind(self, f, args, kwargs):
        a = f.node.args
        scope = Scope(f.scope)
        positional = [x.arg for x in a.posonlyargs + a.args]
        if len(args) > len(positional) and not a.vararg:
            self.refuse("TypeError", f"takes {len(positional) - 1} arguments, not {len(args) - 1}")
        for name, value in zip(positional, args):
            scope.names[name] = value
        if a.vararg:
            scope.names[a.vararg.arg] = tuple(args[len(positional):])
        extra = {}
        for name, value in kwargs.items():
            if name in positional or name in [x.arg for x in a.kwonlyargs]:
                scope.names[name] = value
            elif a.kwarg:
                extra[name] = value
            else:
                self.refuse("TypeError", f"has no argument {name}")
        if a.kwarg:
            scope.names[a.kwarg.arg] = extra
        first_default = len(positional) - len(f.defaults)
        for i, name in enumerate(positional):
            if name not in scope.names:
                if i < first_default:
                    self.refuse("TypeError", f"needs the argument {name}")
                scope.names[name] = f.defaults[i - first_default]
        for name, value in f.kw_defaults.items():
            scope.names.setdefault(name, value)
        return scope

    def call_function(self, f, args, kwargs):
        if self.depth > 30:
            raise GaveUp("too deep")
        scope = self.bind(f, args, kwargs)
        if isinstance(f.node, ast.Lambda):
            return self.eval(f.node.body, f.module, scope)
        self.depth += 1
        outer = self.place
        try:
            self.run(f.node.body, f.module, scope, f)
            return None
        except ReturnNow as result:
            self.place = outer
            return result.value
        finally:
            self.depth -= 1

    # --- Statements ---

    def run(self, body, module, scope, f=None):
        for node in body:
            self.steps += 1
            if self.steps > STEP_LIMIT:
                raise GaveUp("too long")
            self.place = (module.name, node.lineno, f.name if f else self.place[2])
            method = getattr(self, "run_" + type(node).__name__, None)
            if not method:
                raise GaveUp(f"statement {type(node).__name__}")
            method(node, module, scope, f)

    def run_Expr(self, node, module, scope, f):
        if not isinstance(node.value, ast.Constant):
            self.eval(node.value, module, scope)

    def run_Return(self, node, module, scope, f):
        raise ReturnNow(self.eval(node.value, module, scope) if node.value else None)

    def run_Pass(self, node, module, scope, f):
        pass

    def run_Global(self, node, module, scope, f):
        pass

    def run_Nonlocal(self, node, module, scope, f):
        pass

    def run_Break(self, node, module, scope, f):
        raise BreakNow

    def run_Continue(self, node, module, scope, f):
        raise ContinueNow

    def run_If(self, node, module, scope, f):
        chosen = node.body if self.truth(self.eval(node.test, module, scope)) else node.orelse
        self.run(chosen, module, scope, f)

    def run_Assert(self, node, module, scope, f):
        if not self.truth(self.eval(node.test, module, scope)):
            self.place = (module.name, node.lineno, f.name if f else "")
            self.refuse("AssertionError", self.message(node.msg, module, scope) or ast.unparse(node.test))

    def run_Raise(self, node, module, scope, f):
        text = ""
        if isinstance(node.exc, ast.Call) and node.exc.args:
            inner = ast.unparse(node.exc.func)
            if inner.split(".")[-1].startswith("_onnx"):
                self.eval(node.exc, module, scope)
            text = self.message(node.exc.args[0], module, scope)
        self.place = (module.name, node.lineno, f.name if f else "")
        self.refuse(ast.unparse(node.exc.func) if isinstance(node.exc, ast.Call) else "Exception", text)

    def message(self, node, module, scope):
        if node is None:
            return ""
        if isinstance(node, ast.Constant):
            return str(node.value)
        if isinstance(node, ast.JoinedStr):
            return "".join(str(v.value) if isinstance(v, ast.Constant) else "..." for v in node.values)
        try:
            value = self.eval(node, module, scope)
        except (GaveUp, Raised):
            return ""
        return value if isinstance(value, str) else ""

    def run_Assign(self, node, module, scope, f):
        value = self.eval(node.value, module, scope)
        for target in node.targets:
            self.assign(target, value, module, scope)

    def run_AnnAssign(self, node, module, scope, f):
        if node.value is not None:
            self.assign(node.target, self.eval(node.value, module, scope), module, scope)

    def run_AugAssign(self, node, module, scope, f):
        left = self.eval(ast.parse(ast.unparse(node.target), mode="eval").body, module, scope)
        value = self.world.binary(self, type(node.op).__name__, left, self.eval(node.value, module, scope))
        self.assign(node.target, value, module, scope)

    def assign(self, target, value, module, scope):
        if isinstance(target, ast.Name):
            scope.names[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            items = self.iterate(value, len(target.elts))
            if items is None:
                items = [OPAQUE] * len(target.elts)
            star = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
            if star:
                raise GaveUp("starred target")
            if len(items) != len(target.elts):
                self.refuse("ValueError", f"needs {len(target.elts)} values, has {len(items)}")
            for t, v in zip(target.elts, items):
                self.assign(t, v, module, scope)
        elif isinstance(target, ast.Subscript):
            container = self.eval(target.value, module, scope)
            index = self.eval(target.slice, module, scope) if not isinstance(target.slice, ast.Slice) else OPAQUE
            if isinstance(container, list) and isinstance(index, int):
                if not -len(container) <= index < len(container):
                    self.refuse("IndexError", "list index out of range")
                container[index] = value
            elif isinstance(container, list):
                for i in range(len(container)):
                    container[i] = OPAQUE
            elif isinstance(container, dict) and isinstance(index, (str, int)):
                container[index] = value
        # An attribute: nothing that is asked for later.

    def run_For(self, node, module, scope, f):
        items = self.iterate(self.eval(node.iter, module, scope))
        if items is None:
            raise GaveUp("loop over what is not known")
        for item in items:
            self.assign(node.target, item, module, scope)
            try:
                self.run(node.body, module, scope, f)
            except BreakNow:
                return
            except ContinueNow:
                continue
        self.run(node.orelse, module, scope, f)

    def run_While(self, node, module, scope, f):
        raise GaveUp("while")

    def run_Try(self, node, module, scope, f):
        try:
            self.run(node.body, module, scope, f)
        except Raised as e:
            for handler in node.handlers:
                names = ast.unparse(handler.type) if handler.type else "Exception"
                if e.kind.split(".")[-1] in names or "Exception" in names:
                    self.run(handler.body, module, scope, f)
                    return
            raise

    def run_With(self, node, module, scope, f):
        self.run(node.body, module, scope, f)

    def run_FunctionDef(self, node, module, scope, f):
        scope.names[node.name] = self.define(node, module, scope)

    def run_ImportFrom(self, node, module, scope, f):
        for alias in node.names:
            scope.names[alias.asname or alias.name] = self.world.imported(self, node.module, alias.name)

    def run_Import(self, node, module, scope, f):
        for alias in node.names:
            scope.names[(alias.asname or alias.name).split(".")[0]] = self.world.imported(self, None, alias.name)

    def run_Delete(self, node, module, scope, f):
        pass

    # --- Expressions ---

    def eval(self, node, module, scope):
        method = getattr(self, "eval_" + type(node).__name__, None)
        if not method:
            raise GaveUp(f"expression {type(node).__name__}")
        return method(node, module, scope)

    def eval_Constant(self, node, module, scope):
        return node.value

    def eval_Name(self, node, module, scope):
        return self.name(node.id, module, scope)

    def eval_Starred(self, node, module, scope):
        raise GaveUp("star")

    def eval_JoinedStr(self, node, module, scope):
        parts = []
        for v in node.values:
            value = v.value if isinstance(v, ast.Constant) else self.eval(v.value, module, scope)
            parts.append(str(value) if isinstance(value, (str, int)) else "...")
        return "".join(parts)

    def sequence(self, nodes, module, scope):
        items = []
        for x in nodes:
            if isinstance(x, ast.Starred):
                more = self.iterate(self.eval(x.value, module, scope))
                if more is None:
                    raise GaveUp("star of what is not known")
                items.extend(more)
            else:
                items.append(self.eval(x, module, scope))
        return items

    def eval_List(self, node, module, scope):
        return self.sequence(node.elts, module, scope)

    def eval_Tuple(self, node, module, scope):
        return tuple(self.sequence(node.elts, module, scope))

    def eval_Set(self, node, module, scope):
        return list(self.sequence(node.elts, module, scope))

    def eval_Dict(self, node, module, scope):
        result = {}
        for k, v in zip(node.keys, node.values):
            key = self.eval(k, module, scope) if k else None
            if isinstance(key, (str, int, Dtype)):
                result[key] = self.eval(v, module, scope)
        return result

    def eval_Lambda(self, node, module, scope):
        return Function(node, module, scope, [self.eval(d, module, scope) for d in node.args.defaults], {})

    def eval_IfExp(self, node, module, scope):
        return self.eval(node.body if self.truth(self.eval(node.test, module, scope)) else node.orelse, module, scope)

    def eval_BoolOp(self, node, module, scope):
        is_and = isinstance(node.op, ast.And)
        value = None
        for x in node.values:
            value = self.eval(x, module, scope)
            if x is not node.values[-1] and self.truth(value) != is_and:
                return value
        return value

    def eval_UnaryOp(self, node, module, scope):
        value = self.eval(node.operand, module, scope)
        if isinstance(node.op, ast.Not):
            return not self.truth(value)
        if isinstance(node.op, ast.USub):
            if isinstance(value, (int, float)):
                return -value
            if isinstance(value, Sym):
                return Sym(("-", 0, value.expr), value.kind)
        return OPAQUE

    def eval_BinOp(self, node, module, scope):
        left, right = self.eval(node.left, module, scope), self.eval(node.right, module, scope)
        return self.world.binary(self, type(node.op).__name__, left, right)

    def eval_Compare(self, node, module, scope):
        left = self.eval(node.left, module, scope)
        for op, comparator in zip(node.ops, node.comparators):
            right = self.eval(comparator, module, scope)
            result = self.world.compare(self, type(op).__name__, left, right)
            if op is node.ops[-1]:
                return result
            if not self.truth(result):
                return False
            left = right
        return result

    def eval_Call(self, node, module, scope):
        f = self.eval(node.func, module, scope)
        args = self.sequence(node.args, module, scope)
        kwargs = {}
        for k in node.keywords:
            value = self.eval(k.value, module, scope)
            if k.arg is None:
                if not isinstance(value, dict):
                    raise GaveUp("double star")
                kwargs.update(value)
            else:
                kwargs[k.arg] = value
        line = self.place
        result = self.call(f, args, kwargs)
        self.place = line
        return result

    def eval_Attribute(self, node, module, scope):
        return self.world.attribute(self, self.eval(node.value, module, scope), node.attr)

    def eval_Subscript(self, node, module, scope):
        container = self.eval(node.value, module, scope)
        if isinstance(node.slice, ast.Slice):
            bounds = [self.eval(b, module, scope) if b else None for b in
                      (node.slice.lower, node.slice.upper, node.slice.step)]
            return self.world.slice(self, container, bounds)
        return self.world.index(self, container, self.eval(node.slice, module, scope))

    def comprehension(self, node, module, scope):
        if len(node.generators) != 1:
            raise GaveUp("nested comprehension")
        generator = node.generators[0]
        items = self.iterate(self.eval(generator.iter, module, scope))
        if items is None:
            return None
        inner = Scope(scope)
        result = []
        for item in items:
            self.assign(generator.target, item, module, inner)
            if all(self.truth(self.eval(c, module, inner)) for c in generator.ifs):
                result.append(self.eval(node.elt, module, inner))
        return result

    def eval_ListComp(self, node, module, scope):
        result = self.comprehension(node, module, scope)
        return OPAQUE if result is None else result

    eval_GeneratorExp = eval_ListComp
    eval_SetComp = eval_ListComp

    def eval_DictComp(self, node, module, scope):
        return OPAQUE

    # --- Lists ---

    def length(self, x):
        """The concrete length of a symbolic list, which the path has to know."""
        for n in self.lengths(x.expr):
            if self.decide(("==", ("rank", x.expr[1]) if x.expr[0] == "sizes" else ("len", x.expr), n)):
                return n
        raise GaveUp("a long list")

    def lengths(self, e):
        """`int[2]` in the schema has two elements: one number is written out before the graph is printed."""
        types = self.types.get(e[1], ()) if e[0] == "arg" else ()
        sizes = [t.rstrip("?")[:-1].split("[")[-1] for t in types if "[" in t]
        return [int(s) for s in sorted(set(sizes))] if sizes and all(s.isdigit() for s in sizes) else LENGTHS

    def iterate(self, x, count=None):
        """The elements; None if nothing is known."""
        if isinstance(x, (list, tuple, range)):
            return list(x)
        if isinstance(x, dict):
            return list(x)
        if isinstance(x, str):
            return list(x)
        if isinstance(x, Sym) and x.kind in ("list", "tensor"):
            return [self.world.element(self, x, i) for i in range(self.length(x))]
        if isinstance(x, (Opaque, Dotted)):
            return None
        if isinstance(x, Node) and count is not None:
            return [Node(x.op) for _ in range(count)]
        if isinstance(x, (Arg, int, float, type(None), bool, Node)):
            self.refuse("TypeError", "iterates over what is no list")
        return None

"""What exists while a symbolic function runs: modules, functions, scopes, the graph."""
import ast


class ReturnNow(Exception):
    def __init__(self, value):
        super().__init__()
        self.value = value


class BreakNow(Exception):
    pass


class ContinueNow(Exception):
    pass


class Module:
    """One source file of torch.onnx: its names are bound when they are asked for."""

    def __init__(self, name, path, world):
        self.name, self.path, self.world = name, path, world
        self.tree = ast.parse(path.read_text())
        self.names = {}
        self.imports = {}
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef):
                self.names.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                self.names.setdefault(node.targets[0].id, []).append(node)
            elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None:
                self.names.setdefault(node.target.id, []).append(node)
            elif isinstance(node, ast.ImportFrom):
                for alias in node.names:
                    self.imports[alias.asname or alias.name] = (node.module, alias.name)
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    self.imports[(alias.asname or alias.name).split(".")[0]] = (None, alias.name)
        self.bound = {}
        self.exports = None


class Function:
    """A Python function with its closure."""

    def __init__(self, node, module, scope, defaults, kw_defaults):
        self.node, self.module, self.scope = node, module, scope
        self.defaults, self.kw_defaults = defaults, kw_defaults
        self.descriptors = None
        self.name = getattr(node, "name", "<lambda>")


class ParseArgs:
    """A function under @parse_args."""

    def __init__(self, function, descriptors):
        self.function, self.descriptors = function, descriptors
        self.name = getattr(function, "name", "?")


class Bound:
    """Something that the interpreter does itself: builtin(interp, args, kwargs)."""

    def __init__(self, call, name=""):
        self.call, self.name = call, name


class Dotted:
    """A name of a module that is not read: torch.long, functools.partial."""

    def __init__(self, path):
        self.path = path

    def __repr__(self):
        return self.path


class Scope:
    def __init__(self, parent=None):
        self.names, self.parent = {}, parent

    def find(self, name):
        scope = self
        while scope:
            if name in scope.names:
                return scope
            scope = scope.parent
        return None


class Opset(int):
    """The opset of the export: what it is compared with is noted, as the result holds for others, too."""


class Graph:
    """The `g` of a symbolic function."""


GRAPH = Graph()

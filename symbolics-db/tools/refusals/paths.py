"""All paths of a symbolic function that end in a refusal, as the least conditions that lead there."""
import ast
import collections

from interp import Interp
from objects import GRAPH, Function, Opset, ParseArgs
from values import Arg, Raised, Sym, negate

PATH_LIMIT = 400


class Registration:
    def __init__(self, module, node, decorator):
        self.module, self.node, self.decorator = module, node, decorator


def registrations(world):
    """(operator, opset) -> Registration, from the decorators. Only of aten: the others read the node, or quantized tuples."""
    found = {}
    for name, module in world.modules.items():
        if not name.startswith("symbolic_opset"):
            continue
        opset = int(name[len("symbolic_opset"):])
        for node in module.tree.body:
            call = node.value if isinstance(node, ast.Assign) else None
            if isinstance(call, ast.Call) and isinstance(call.func, ast.Call) and \
                    ast.unparse(call.func.func) == "_onnx_symbolic" and isinstance(call.func.args[0], ast.Constant):
                found[call.func.args[0].value, opset] = Registration(module, call.args[0], None)
            for d in node.decorator_list if isinstance(node, ast.FunctionDef) else []:
                if isinstance(d, ast.Call) and ast.unparse(d.func) == "_onnx_symbolic" and isinstance(d.args[0], ast.Constant):
                    found[d.args[0].value, opset] = Registration(module, node, d)
    return {key: found[key] for key in found if key[0].startswith("aten::")}


def resolve(world, registration):
    """The function that is registered, with its decorators applied."""
    if not registration.decorator:  # name = _onnx_symbolic("aten::x")(function)
        return Interp(world, 0, []).eval(registration.node, registration.module, None)
    return world.resolve(Interp(world, 0, []), registration.module, registration.node, registration.decorator)


def innermost(f):
    while isinstance(f, ParseArgs):
        f = f.function
    return f


class Found:
    """What one run over all paths gave."""

    def __init__(self):
        self.refusals = {}  # (kind, text, place) -> list of conditions, each a frozenset
        self.opset_answers = set()  # (sign, number, answer) of each comparison of the opset.
        self.unsure = set()  # Places that only paths with an unknown condition reach.
        self.gave_up = {}


def explore(world, f, opset, count, types):
    found = Found()
    work = collections.deque([[]])  # The short ones first: what is asked early decides most.
    seen = 0
    inner = innermost(f)
    takes_outputs = isinstance(inner, Function) and any(
        a.arg == "_outputs" for a in inner.node.args.args + inner.node.args.kwonlyargs)
    while work and seen < PATH_LIMIT:
        choices = work.popleft()
        seen += 1
        interp = Interp(world, Opset(opset), choices)
        interp.types = types
        kwargs = {"_outputs": Sym(("outputs",), "int")} if takes_outputs else {}
        try:
            interp.call(f, [GRAPH, *[Arg(("ref", k)) for k in range(count)]], kwargs)
        except Raised as e:
            place = e.place
            found.refusals.setdefault((e.kind, e.text, place), []).append(frozenset(interp.path))
        except Exception as e:  # Also what the interpreter itself can't do: the path then says nothing.
            found.gave_up[f"{type(e).__name__} {e}"] = found.gave_up.get(f"{type(e).__name__} {e}", 0) + 1
        found.opset_answers |= interp.opset_answers
        work += [[*interp.taken[:i], not interp.taken[i]] for i in range(len(choices), len(interp.taken))]
    if work:
        found.gave_up["too many paths"] = 1  # Those that were seen are right, each for itself.
    found.refusals = {key: merge(conditions) for key, conditions in found.refusals.items()}
    absorb(found.refusals)
    for key, conditions in list(found.refusals.items()):
        sure = [c for c in conditions if not any(is_opaque(x) for x in c)]
        if sure:
            found.refusals[key] = sure
        else:
            del found.refusals[key]
            found.unsure.add((key[0], key[1], *key[2]))
    return found


def is_opaque(x):
    return x[0] == "opaque" or (x[0] == "not" and x[1][0] == "opaque")


def merge(conditions):
    """Drops what doesn't matter: `a and b` with `a and not b` is `a`."""
    current = set(conditions)
    work = sorted(current, key=lambda c: sorted(map(str, c)))
    while work:
        c = work.pop()
        if c not in current:
            continue
        for x in sorted(c, key=str):
            rest = c - {x}
            partner = rest | {negate(x)}
            if partner in current:
                current -= {c, partner}
                if rest not in current:
                    current.add(rest)
                    work.append(rest)
                break
    least = []
    for c in sorted(current, key=lambda c: (len(c), sorted(map(str, c)))):
        if not any(o <= c for o in least):
            least.append(c)
    return least


def absorb(refusals):
    """Drops a part of a condition if the function refuses without it, too, there or elsewhere: a refusal is a refusal."""
    everything = sorted({c for conditions in refusals.values() for c in conditions}, key=lambda c: (len(c), sorted(map(str, c))))
    for key, conditions in refusals.items():
        shorter = set()
        for c in conditions:
            for x in sorted(c, key=lambda x: (not is_opaque(x), str(x))):
                rest = c - {x}
                other = rest | {negate(x)}
                if any(len(o) <= len(other) and o <= other for o in everything):
                    c = rest
            shorter.add(c)
        refusals[key] = [c for c in shorter if not any(o < c for o in shorter)]

#!/usr/bin/env python3
"""Derives from the source of torch.onnx when each symbolic function refuses although it exists.

    derive.py TORCH SCHEMAS FOLDER [OPERATOR]    records of one torch version on standard output

TORCH is the version ("2.6"), SCHEMAS a record file of torch schemas, FOLDER where its symbolic_opset*.py are.
What could not be followed goes to standard error.
"""
import collections
import multiprocessing
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.setrecursionlimit(5000)

from paths import explore, innermost, registrations, resolve  # noqa: E402
from objects import Function  # noqa: E402
from values import GaveUp, Raised, show  # noqa: E402
from world import COMPARE, World  # noqa: E402

CONDITION_LIMIT = 16  # Of one place in the source: each is enough by itself, so that leaving some out misses at most.
DYNAMIC_LIMIT = 4  # The same of those where a dimension is dynamic.
RANGES = {"1.13": (7, 17)}


def split_arguments(text):
    depth, parts, current = 0, [], ""
    for c in text:
        depth += c in "([" 
        depth -= c in ")]"
        if c == "," and depth == 0:
            parts.append(current.strip())
            current = ""
        else:
            current += c
    return [p for p in parts + [current.strip()] if p]


def read_schemas(path, torch):
    """Operator -> {number of arguments: [types of each position]}."""
    found = collections.defaultdict(lambda: collections.defaultdict(lambda: collections.defaultdict(set)))
    for line in pathlib.Path(path).read_text().splitlines():
        m = re.match(r"(\S+) +([\w:]+)(?:\.(\w+))?\((.*)\) -> ", line)
        if not m or not (m[1] == "*" or torch in m[1].split(",")):
            continue
        arguments = [a for a in split_arguments(m[4]) if a != "*"]
        if any("!) out" in a or "(a!) " in a and not m[2].endswith("_") for a in arguments) or (m[3] or "").startswith("dimname"):
            continue
        name = m[2][:-1] if m[2].endswith("_") else m[2]
        slot = found[name][len(arguments)]
        for k, a in enumerate(arguments):
            slot[k].add(re.sub(r"\([a-z!]+\)", "", a.split(" ")[0]))
    return found


def opset_text(opsets):
    parts, opsets = [], sorted(opsets)
    i = 0
    while i < len(opsets):
        k = i
        while k + 1 < len(opsets) and opsets[k + 1] == opsets[k] + 1:
            k += 1
        parts.append(str(opsets[i]) if i == k else f"{opsets[i]}-{opsets[k]}")
        i = k + 1
    return ",".join(parts)


def dispatch(opsets, target):
    """Which registration serves an opset: torch.onnx._internal.registration._dispatch_opset_version."""
    if target >= 9:
        lower = [o for o in opsets if o <= target]
        return max(lower) if lower else None
    upper = [o for o in opsets if target <= o <= 9]
    return min(upper) if upper else None


def without_implied(c):
    """`x != 1` says nothing beside `x == 2`."""
    known = {x[1] for x in c if x[0] == "==" and not isinstance(x[2], tuple)}
    kept = [x for x in c if not (x[0] == "!=" and x[1] in known and not isinstance(x[2], tuple))]
    # Neither does that a rank is known beside what it is.
    return [x for x in kept if not (is_known_shape(x) and any(mentions(y, x[1][1][1]) for y in kept if not is_known_shape(y)))]


def is_known_shape(x):
    return x[0] == "not" and x[1][0] == "is_none" and x[1][1][0] in ("rank", "dtype")


def mentions(e, ref):
    return isinstance(e, tuple) and (e[0] in ("rank", "sizes", "dtype") and e[1] == ref or any(mentions(x, ref) for x in e[1:]))


def is_undecidable(c):
    """No dump shows that the exporter will not know a type or a rank."""
    return any(x[0] == "is_none" and x[1][0] in ("rank", "dtype") for x in c)


def asks_dynamic(c):
    return any(x[0] == "is_none" and x[1][0] == "idx" and x[1][1][0] == "sizes" for x in c)


def without_constants(c, refusals):
    """A call whose constants aren't constant is refused anyway: a dynamic dimension need not ask for them."""
    asked = {x[1] for (kind, _, _), conditions in refusals.items() if kind == "NotConstant"
             for other in conditions for y in other if y[0] == "not" and y[1][0] == "is_const" for x in [y[1]]}
    return [x for x in c if not (x[0] == "is_const" and x[1] in asked)]


def chosen(conditions, refusals):
    """The shortest ones that a dump can show."""
    ranked = sorted([c for c in conditions if not is_undecidable(c)], key=lambda c: (len(c), sorted(map(str, c))))
    dynamic = [without_constants(c, refusals) for c in ranked if asks_dynamic(c)]
    return [c for c in ranked if not asks_dynamic(c)][:CONDITION_LIMIT] + dynamic[:DYNAMIC_LIMIT]


def condition_text(c, count_literal):
    c = without_implied(c)
    literals = sorted(show(x, nested=len(c) > 1 and x[0] in ("or", "and")) for x in c)
    return " and ".join(([count_literal] if count_literal else []) + literals) or "always"


def derive_op(job):
    """Records of one operator and what could not be followed; runs in a process of its own."""
    op, opsets, schemas, low, high = job
    records, notes, memo = {}, [], {}
    for opset in range(low, high + 1):
        at = dispatch(opsets, opset)
        if at is None:
            continue
        try:
            if at not in memo:
                memo[at] = (resolve(WORLD, REGISTERED[op, at]), None)
            f, results = memo[at]
            if results is None or not holds_for(results, opset):
                results = run_counts(f, opset, schemas, op, notes)
                memo[at] = (f, results)
        except (GaveUp, Raised) as e:
            notes.append(f"{op} {at}: not resolved: {e}")
            continue
        for count, found in results.items():
            literal = f"count == {count}" if len(results) > 1 else ""
            for (kind, text, place), conditions in found.refusals.items():
                for c in chosen(conditions, found.refusals):
                    key = (op, condition_text(c, literal), kind, text, f"{place[0]}.py {place[2]}")
                    records.setdefault(key, set()).add(opset)
    return records, notes


def holds_for(results, opset):
    """Is what was found for one opset true of this one, too?"""
    return all(COMPARE[sign](opset, number) == answer
               for found in results.values() for sign, number, answer in found.opset_answers)


def run_counts(f, opset, counts, op, notes):
    results = {}
    inner = innermost(f)
    if not counts and isinstance(inner, Function):
        counts = {len(inner.node.args.args) - 1: {}}
    for count in sorted(counts):
        results[count] = explore(WORLD, f, opset, count, counts[count])
        notes += [f"{op} {opset} ({count}): {n} x {what}" for what, n in results[count].gave_up.items()]
        notes += [f"{op} {opset} ({count}): unsure {u}" for u in sorted(results[count].unsure, key=str)]
    return results


def main():
    global WORLD, REGISTERED
    torch, schema_file, folder = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])
    WORLD = World(folder, checks_model=torch == "1.13")
    REGISTERED = registrations(WORLD)
    schemas = {op: {n: dict(types) for n, types in counts.items()} for op, counts in read_schemas(schema_file, torch).items()}
    opsets = collections.defaultdict(list)
    for op, opset in REGISTERED:
        opsets[op].append(opset)
    low, high = RANGES.get(torch, (7, 20))
    jobs = [(op, opsets[op], schemas.get(op, {}), low, high) for op in sorted(opsets) if sys.argv[4:5] in ([], [op])]
    with multiprocessing.get_context("fork").Pool() as pool:
        for records, notes in pool.imap(derive_op, jobs):
            for (op, condition, kind, text, place), at in sorted(records.items()):
                print(f"{torch} {op} {opset_text(at)}\t{condition}\t{kind}: {text}\t{place}")
            for note in notes:
                print(note, file=sys.stderr)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Records of the element types that make no model that can be run, or one of another type.

    write_types.py TORCH RUNTIME OTHER OPSETS=MEASURED.jsonl=REFUSED.txt ... > types.txt

MEASURED.jsonl is what measure_types.py wrote at one opset, OPSETS those for which it counts ("14-17"); RUNTIME the version that it
ran in, OTHER another one, and REFUSED.txt the names of the kept models that this one refuses as well, a line each. A type
is in a record if it failed in all calls of the operator with as many arguments, and in the same way. What only lacks a
kernel is said where one of these runtimes is asked for.
"""
import json
import re
import sys
from collections import defaultdict

# What else must be so: a type that the call names is what comes out.
ELSEWHERE = {"aten::scaled_dot_product_attention"}  # Wrong by an argument, too: in consequences.txt.
MORE = {"aten::cumsum": "is_none($2)", "aten::linspace": "is_none($3)", "aten::logsumexp": "rank($0) > 0"}

NAMES = ["Byte", "Char", "Short", "Int", "Long", "Bool", "Half", "Double", "BFloat16"]
TORCH_NAMES = dict(zip(["uint8", "int8", "int16", "int32", "int64", "bool", "float16", "float64", "bfloat16", "float32"],
                       NAMES + ["Float"]))


def failure(row, refused_elsewhere):
    """(kind, what) of a call, or None if it comes out right or fails for another reason than its type."""
    detail = row["detail"]
    schema = re.search(r"Type '[^']*' of input parameter .*? of operator \((\w+)\)", detail)
    kernel = re.search(r"find (?:an implementation|kernel) for (?:[\w.]*\.)?(\w+)\(\d+\)", detail)
    types = re.fullmatch(r"torch\.(\w+) for torch\.(\w+)", detail)
    if row["result"] == "load" and schema:
        return "no-kernel", schema.group(1)
    if row["result"] == "load" and kernel:
        return ("no-kernel@@" if row.get("model") in refused_elsewhere else "no-kernel@"), kernel.group(1)
    if row["result"] == "differs" and types:
        return "wrong", TORCH_NAMES[types.group(1)]
    return None


def converted(row):
    """(type, numbers of the arguments that have it): the type that the tensors were converted to."""
    for name in NAMES:
        if name in row["types"]:
            return name, tuple(i for i, t in enumerate(row["types"]) if t == name)[:2]
    return None


def verdicts(rows, refused_elsewhere):
    """(operator, count, arguments) -> type -> failures of all calls."""
    found = defaultdict(lambda: defaultdict(list))
    for row in rows:
        key = converted(row)
        if key:
            found[row["op"], row["count"], key[1]][key[0]].append(failure(row, refused_elsewhere))
    return found


def agreed(failures):
    """What all calls have in common; of calls that fail in different operators the first."""
    kinds = {f and f[0] for f in failures}
    return failures[0] if len(kinds) == 1 else None


def quoted(names):
    listed = ", ".join(f'"{n}"' for n in NAMES if n in names)
    return f"== {listed}" if len(names) == 1 else f"in [{listed}]"


def records(rows, refused_elsewhere):
    groups = defaultdict(set)
    for (op, count, arguments), by_type in verdicts(rows, refused_elsewhere).items():
        for name, failures in by_type.items():
            if agreed(failures) and not (agreed(failures)[0] == "wrong" and op in ELSEWHERE):
                groups[(op, arguments, agreed(failures)), name].add(count)
    merged = defaultdict(set)
    for (key, name), counts in groups.items():
        merged[key, tuple(sorted(counts))].add(name)
    seen = defaultdict(set)
    for op, count, _ in verdicts(rows, refused_elsewhere):
        seen[op].add(count)
    for ((op, arguments, (kind, what)), counts), names in sorted(merged.items()):
        yield op, arguments, kind, what, counts if set(counts) != seen[op] else (), names


def condition(op, kind, arguments, counts, names):
    parts = [f"count == {counts[0]}" if len(counts) == 1 else f"count in {list(counts)}"] if counts else []
    parts.append(f"dtype(${arguments[0]}) {quoted(names)}")
    if len(arguments) > 1:
        parts.append(f"dtype(${arguments[1]}) == dtype(${arguments[0]})")
    if kind == "wrong" and op in MORE:
        parts.append(MORE[op])
    return " and ".join(parts)


def sentence(kind, what, argument):
    if kind == "wrong":
        return f"the input is {{{argument}.dtype}}, and the result becomes {what}", "Convert the result with to()."
    owner = f"the CPU provider has no kernel of {what} for it" if "@" in kind else f"{what} doesn't take that"
    return f"the input is {{{argument}.dtype}}, and {owner}", "Convert the input to float first."


def joined(ranges):
    """"14-17", "18-20" -> "14-20". What is so at 9 and at 11 is at 10."""
    opsets = {o for r in ranges for o in range(int(r.split("-")[0]), int(r.split("-")[-1]) + 1)}
    opsets = sorted(opsets | {10} if {9, 11} <= opsets else opsets)
    runs = []
    for opset in opsets:
        if runs and runs[-1][1] == opset - 1:
            runs[-1][1] = opset
        else:
            runs.append([opset, opset])
    return ",".join(f"{a}-{b}" if a < b else str(a) for a, b in runs)


def main():
    torch, runtime, other = sys.argv[1:4]
    versions = {"no-kernel@@": f"@onnxruntime-{runtime},{other}", "no-kernel@": f"@onnxruntime-{runtime}"}
    found = defaultdict(list)
    for argument in sys.argv[4:]:
        opsets, measured, refused = argument.split("=")
        rows = [json.loads(line) for line in open(measured)]
        for op, arguments, kind, what, counts, names in records(rows, set(open(refused).read().split())):
            columns = (condition(op, kind, arguments, counts, names), *sentence(kind, what, arguments[0]), "measured")
            found[op, kind.rstrip("@") + versions.get(kind, ""), columns].append(opsets)
    for (op, kind, columns), ranges in sorted(found.items()):
        print("\t".join([f"{torch} {kind} {joined(ranges)} {op}", *columns]))


if __name__ == "__main__":
    main()

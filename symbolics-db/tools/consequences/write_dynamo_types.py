#!/usr/bin/env python3
"""Records of the element types that models of the dynamo exporter can't be run with, or of which they make another type.

    write_dynamo_types.py RECORDS RUNTIME,RUNTIME MEASURED.jsonl ... > dynamo_measured.txt

MEASURED.jsonl is what measure_dynamo_types.py wrote, RECORDS symbolics-db/records. A type is in a record if all calls of the
overload that were converted to it failed. What dynamo.txt and dynamo_types.txt say already is left
out. A failure was measured at one opset; for the others the schemas and kernels of the ONNX operator that the session named decide.
Standard error tells which calls fail and no record says so, and of which calls a record says so that come out right.
"""
import json
import re
import sys
from collections import defaultdict
from pathlib import Path

from conditions import Call, Tensor, is_pair, read_outcomes, read_parameters
from derive_dynamo_types import NAMES, OPSETS, Facts

ONNX_NAMES = {n: t for t, n in NAMES.items()}
ORDER = list(NAMES.values())
# Of these it depends on the equation, on the result, on the type that is asked for, and on the reduction.
NOT_BY_TYPE = {"aten::einsum.default", "aten::native_layer_norm.default", "aten::_softmax_backward_data.default",
               "aten::margin_ranking_loss.default"}


def failure(row):
    """(kind, ONNX operator or type, ONNX type that it was given or "") of a call that fails for its types, else None."""
    detail = row["detail"]
    schema = re.search(r"Type 'tensor\((\w+)\)' of input parameter .*? of operator \((\w+)\)", detail)
    kernel = re.search(r"find (?:an implementation|kernel) for (?:[\w.]*\.)?(\w+)\(\d+\)", detail)
    result = re.fullmatch(r"torch\.(\w+) for torch\.(\w+)", detail)
    if row["result"] == "load" and schema:
        return "no-kernel", schema.group(2), schema.group(1)
    if row["result"] == "load" and kernel:
        return "no-kernel@", kernel.group(1), ""
    if row["result"] == "differs" and result and result.group(1) in {"float32": 1, **NAMES}:
        return "wrong", {"float32": "Float", "float64": "Double", **NAMES}[result.group(1)], ""
    return None


def type_of(value):
    """(type, "" or "[0]" for a list of tensors)"""
    if isinstance(value, list) and value and isinstance(value[0], Tensor):
        return value[0].dtype, "[0]"
    return (value.dtype, "") if isinstance(value, Tensor) else (None, "")


def wanted(call, name):
    """The first two arguments, "0" or "0[0]", that have the type to which the call was converted; none if it is named otherwise."""
    types = [type_of(value) for value in call.arguments]
    return tuple(f"{i}{element}" for i, (t, element) in enumerate(types) if t == name)[:2] if name in ORDER else ()


def is_explained(call, opset, outcomes):
    return any(opset in span and call.holds(condition) for span, condition in outcomes[call.name] + outcomes[call.overload])


def opsets_of(facts, kind, op, onnx_type, measured):
    """kind -> opsets at which the operator refuses the type by its schema, or has no kernel for it."""
    found = defaultdict(set)
    for opset in OPSETS:
        version = facts.version(op, opset)
        names = facts.schemas[op][version][2] if version else {}
        refusals = [facts.refused(op, name, opset) for name in names]
        if any(onnx_type in schema for schema, _ in refusals) and kind == "no-kernel":
            found["no-kernel"].add(opset)
        elif any(onnx_type in kernel for _, kernel in refusals):
            found["no-kernel@"].add(opset)
    found[kind].add(measured)
    return found


def groups(rows, parameters):
    """(overload, type, arguments, place of a dtype that none of them gives or None) -> rows"""
    found, given = defaultdict(list), {}
    for call, row in rows:
        names = [name for name, _ in parameters.get(call.overload.removesuffix(".default"), [])]
        place = names.index("dtype") if "dtype" in names else None
        key = call.overload, row["name"], wanted(call, row["name"])
        if key[-1]:
            found[key].append(row)
            is_left_out = place is not None and list.__getitem__(call.arguments, place) is None
            given[key] = place if is_left_out and given.get(key, place) == place else None
    return {(*key, given[key]): rows for key, rows in found.items()}


def agreed(rows):
    """What all of them fail with; of different operators the first one."""
    failures = [failure(row) for row in rows if row["result"] not in ("unjudged", "random")]
    is_one = failures and all(failures) and len({f[0].rstrip("@") for f in failures}) == 1
    return failures[0] if is_one else None


def condition(kind, arguments, place, names):
    listed = ", ".join(f'"{n}"' for n in ORDER if n in names)
    text = f"dtype(${arguments[0]}) " + (f"== {listed}" if len(names) == 1 else f"in [{listed}]")
    if len(arguments) > 1:
        first, second = arguments
        text += " and " + is_pair(first, second)
    text += "" if place is None else f" and is_none(${place})"
    # What takes a result inside of the graph is given the type that it wants.
    return text + " and is_returned()" if kind == "wrong" else text


def sentence(kind, what, is_turned, argument, names):
    # Elements of lists have no place in a sentence.
    written = f"{{{argument}.dtype}}" if argument.isdigit() else " or ".join(n for n in ORDER if n in names)
    start = f"the input is {written}, and "
    if kind == "wrong":
        return f"{start}the result becomes {what}", "Convert the input to float first, and the result back."
    turned = "what it is turned into" if is_turned else "it" if "@" in kind else "that"
    owner = f"the CPU provider has no kernel of {what} for {turned}" if "@" in kind else f"{what} doesn't take {turned}"
    return start + owner, "Convert the input to float first."


def records(rows, parameters, facts, runtimes):
    merged = defaultdict(set)
    for (op, name, arguments, place), calls in groups(rows, parameters).items():
        found = agreed(calls)
        if not found or found[0] == "wrong" and op in NOT_BY_TYPE:
            continue
        kind, what, given = found
        is_turned = given not in ("", ONNX_NAMES[name])
        opsets = {kind: set(OPSETS)} if kind == "wrong" else \
            opsets_of(facts, kind, what, given or ONNX_NAMES[name], calls[0]["opset"])
        for each, numbers in opsets.items():
            full = each + f"onnxruntime-{runtimes}" if each.endswith("@") else each
            span = f"{min(numbers)}-{max(numbers)}" if len(numbers) > 1 else str(min(numbers))
            merged[op, full, what, is_turned, arguments, place or -1, span].add(name)
    for (op, kind, what, is_turned, arguments, place, span), names in sorted(merged.items()):
        yield "\t".join([f"2.14 dynamo:{kind} {span} {op}", condition(kind, arguments, None if place < 0 else place, names),
                         *sentence(kind, what, is_turned, arguments[0], names), "measured"])


def main():
    folder, runtimes = Path(sys.argv[1]), sys.argv[2]
    outcomes = read_outcomes([folder / "torch" / "outcomes" / name for name in ("dynamo.txt", "dynamo_types.txt")])
    parameters = read_parameters(folder / "torch" / "schemas" / "aten.txt")
    rows = [json.loads(line) for file in sys.argv[3:] for line in open(file)]
    left = []
    for row in rows:
        call = row["op"] and Call(row["calls"][0], parameters)
        explained = call and is_explained(call, row["opset"], outcomes)
        if explained and row["result"] == "same":
            print("right, and a record:", row["calls"][0], file=sys.stderr)
        if call and not explained:
            left.append((call, row))
    for line in records(left, parameters, Facts(folder, runtimes.split(",")), runtimes):
        print(line)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes tests/facts/ from dumps of the real packages: what the unit tests compare the compiled facts with.

    make_test_truth.py DIR

It shares no code with import_facts.py, so that a mistake there is seen. Long facts become a checksum (64-bit FNV-1a
of a canonical text, which tests/unit/test_symbolics.c builds too).
"""
import collections
import csv
import json
import os
import struct
import sys

OUTPUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "facts")
VERSIONS = ("1.13", "2.6", "2.14")


def checksum(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % (1 << 64)
    return f"{value:016x}"


def table(folder, name):
    with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def write(name, lines):
    with open(os.path.join(OUTPUT, name), "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in lines)


def support(folder):
    for version, name in zip(VERSIONS, ("aten_support_1.13.tsv", "support_2.6.tsv", "support_2.14.tsv")):
        lines = []
        for row in table(folder, name):
            opsets = sorted((key for key in row if key.startswith("opset")), key=lambda key: int(key[5:]))
            assert opsets[0] == "opset7"
            lines.append("\t".join([row["op"], "".join(row[opset] for opset in opsets), row["registered_at"]]))
        write(f"support_{version}.tsv", lines)


def torch_schemas(folder):
    names = collections.defaultdict(lambda: {v: [] for v in VERSIONS})
    for version in VERSIONS:
        for row in table(folder, f"aten_schemas_{version}.tsv"):
            names[row["name"]][version].append(row["schema"])
    lines = []
    for name in sorted(names):
        sums = [checksum("\n".join(sorted(found))) if found else "-" for found in names[name].values()]
        lines.append("\t".join([name] + sums))
    write("torch_schemas.tsv", lines)


def arity(folder):
    write("arity_1.13.tsv", [f"{row['name']}\t{row['overload']}\t{row['n_inputs']}"
                             for row in table(folder, "aten_overload_arity_1.13.tsv")])


def dynamo(folder):
    real, complex_inputs, decomposed = {}, set(), set()
    for row in table(folder, "dynamo_torchlib.tsv"):
        if row["status"] != "registered":
            continue
        if row["is_complex"] == "1":
            complex_inputs.add(row["op_overload"])
        else:
            opset = int(row["min_opset"])
            real[row["op_overload"]] = min(opset, real.get(row["op_overload"], opset))
    for row in table(folder, "dynamo_decomposed_2.14.tsv"):
        assert row["decomposed_before_onnx"] == "yes"
        decomposed.add(row["op_overload"])
    write("dynamo_2.14.tsv", [f"{name}\t{real.get(name, 0)}\t{int(name in complex_inputs)}\t{int(name in decomposed)}"
                              for name in sorted(set(real) | complex_inputs | decomposed)])


def canonical_value(kind, value):
    if isinstance(value, list):
        return ",".join(canonical_value(kind[:-1], v) for v in value)
    if kind == "float":
        return "%.9g" % struct.unpack("f", struct.pack("f", value))[0]
    return str(value)


def canonical_onnx(s, flags=("deprecated", "experimental", "function")):
    count = lambda n: "*" if n is None else str(n)
    parts = [s["domain"], s["op"], str(s["since"]),
             "".join(str(int(s[key])) for key in flags),
             " ".join(count(s[key]) for key in ("min_input", "max_input", "min_output", "max_output"))]
    for side in ("inputs", "outputs"):
        for p in s[side]:
            parts.append(f"{side} {p['name']} {p['type']} {p['option']} {int(p['homogeneous'])} {p['min_arity']}")
    for a in sorted(s["attributes"], key=lambda a: a["name"]):
        default = "" if a["default"] is None else "=" + canonical_value(a["type"], a["default"])
        parts.append(f"attribute {a['name']} {a['type']} {int(a['required'])}{default}")
    for c in s["type_constraints"]:
        # A set: onnx 1.20 lists float16 twice in Conv-11.
        parts.append(f"type {c['name']} " + ";".join(dict.fromkeys(c["types"])))
    return "\n".join(parts)


def signature(s):
    """Everything but types; a parameter's name, but not which constraint it is bound to."""
    params = [[(p["name"], p["option"], p["homogeneous"], p["min_arity"]) for p in s[side]]
              for side in ("inputs", "outputs")]
    attributes = {a["name"]: (a["type"], a["required"], a["default"]) for a in s["attributes"]}
    return s["deprecated"], s["min_input"], s["max_input"], s["min_output"], s["max_output"], params, attributes


def types(s):
    sets = {c["name"]: set(c["types"]) for c in s["type_constraints"]}
    return [sets.get(p["type"], {p["type"]}) for p in s["inputs"] + s["outputs"]]


def step(before, after):
    if not before or before["op"] != after["op"] or before["domain"] != after["domain"]:
        return "first"
    if signature(before) != signature(after):
        return "signature"
    return "types" if types(before) != types(after) else "words"


def onnx(folder):
    schemas = {}
    for name in ("onnx_1.20.jsonl", "onnx_1.22_extra.jsonl"):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            for line in file:
                s = json.loads(line)
                schemas[s["domain"], s["op"], s["since"]] = s
    lines, before = [], None
    for domain, op, since in sorted(schemas):
        s = schemas[domain, op, since]
        lines.append(f"{domain}\t{op}\t{since}\t{checksum(canonical_onnx(s))}\t{step(before, s)}")
        before = s
    write("onnx_schemas.tsv", lines)


def old_onnx(folder):
    """What export_onnx.py wrote with onnx 1.12; whether an operator has a function body changed in place since then."""
    path = os.path.join(folder, "onnx_1.12.json")
    if not os.path.exists(path):
        return
    with open(path, encoding="utf-8") as file:
        schemas = json.load(file)["onnx"]
    write("onnx_1.12.tsv", [
        f"{s['domain']}\t{s['op']}\t{s['since']}\t{checksum(canonical_onnx(s, ('deprecated', 'experimental')))}"
        for s in sorted(schemas, key=lambda s: (s["domain"], s["op"], s["since"]))])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    os.makedirs(OUTPUT, exist_ok=True)
    for make in (support, torch_schemas, arity, dynamo, onnx, old_onnx):
        make(sys.argv[1])


if __name__ == "__main__":
    main()

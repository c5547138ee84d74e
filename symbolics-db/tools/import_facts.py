#!/usr/bin/env python3
"""Writes symbolics-db/records/ from dumps of the real packages.

    import_facts.py DIR

DIR holds what was read out of the packages by running them (README.md, "Where the dumps come from"):
onnx_*.jsonl, aten_schemas_V.tsv, the TorchScript support tables, dynamo_torchlib.tsv and dynamo_decomposed_V.tsv.
The files that people write by hand (torch/versions.txt, torch/passes.txt, torch/torchscript/torchvision-1.13.txt,
summaries/) are left alone.
"""
import collections
import json
import os
import struct
import sys

RECORDS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "records")
PACKAGES = {"1.13": "torch 1.13.1", "2.6": "torch 2.6.0", "2.14": "torch 2.14.1"}
VERSIONS = list(PACKAGES)
SUPPORT_FILES = {"1.13": "aten_support_1.13.tsv", "2.6": "support_2.6.tsv", "2.14": "support_2.14.tsv"}
TAGS = ["nondeterministic_seeded"]
LETTERS = ["A-B", "C", "D-F", "G-L", "M-N", "O-Q", "R", "S", "T-Z"]


def rows(path):
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    return [line.split("\t") for line in lines[1:] if line]


def write(path, kind, about, sources, lines):
    path = os.path.join(RECORDS, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        for line in about:
            file.write(f"# {line}\n")
        file.write(f"kind {kind}\n")
        for source in sources:
            file.write(f"source {source}\n")
        file.write("\n")
        file.writelines(line + "\n" for line in lines)


def versions_word(versions):
    return ",".join(v for v in VERSIONS if v in versions)


def namespace(name):
    return name.split("::")[0]


def import_schemas(folder):
    holds = collections.defaultdict(set)
    tags = collections.defaultdict(set)
    for version in VERSIONS:
        for name, overload, schema, *more in rows(os.path.join(folder, f"aten_schemas_{version}.tsv")):
            holds[name, overload, schema].add(version)
            for tag in set(TAGS).intersection(more[-1].split(",") if len(more) == 5 else []):
                tags[tag, name + ("." + overload if overload else "")].add(version)
    files = collections.defaultdict(list)
    for key in sorted(holds, key=lambda k: (k[:2], min(map(VERSIONS.index, holds[k])))):
        files[namespace(key[0])].append(f"{versions_word(holds[key]):<13} {key[2]}")
    sources = [f"{package} torch._C._jit_get_all_schemas()" for package in PACKAGES.values()]
    for space, lines in files.items():
        about = [f"Operator schemas of the namespace {space}: the torch versions in which a schema holds, the schema."]
        write(f"torch/schemas/{space}.txt", "torch-schemas", about, sources, lines)
    for tag in TAGS:
        lines = [f"{versions_word(tags[key]):<8} {tag} {key[1]}" for key in sorted(tags) if key[0] == tag]
        about = [f"Overloads with the tag {tag}: torch versions, tag, overload. Torch 1.13 has no tags."]
        write(f"torch/tags/{tag}.txt", "torch-tags", about, [p + " OpOverload.tags" for p in PACKAGES.values()][1:], lines)


def registered_words(cells, registered):
    """The registered opsets, `!` before one whose function only raises (seen in the cells that resolve to it)."""
    blocked = set()
    for index, cell in enumerate(cells):
        target = 7 + index
        found = [v for v in registered if v <= target] if target >= 9 else [v for v in registered if target <= v <= 9]
        if cell == "B":
            blocked.add(max(found) if target >= 9 else min(found))
    return " ".join(("!" if v in blocked else "") + str(v) for v in registered)


def import_support(folder):
    holds = collections.defaultdict(set)
    for version in VERSIONS:
        for name, *cells, registered, _ in rows(os.path.join(folder, SUPPORT_FILES[version])):
            holds[name, registered_words(cells, [int(v) for v in registered.split(",")])].add(version)
    files = collections.defaultdict(list)
    for name, words in sorted(holds):
        files[namespace(name)].append(f"{versions_word(holds[name, words]):<13} {name} {words}")
    sources = [f"{package} torch.onnx registration.registry, after importing every symbolic_opsetN" for package in
               PACKAGES.values()]
    for space, lines in files.items():
        about = [f"TorchScript exporter, namespace {space}: torch versions, operator, the opsets at which a symbolic",
                 "function is registered. `!` marks a function that only raises (the block lists of opsets 7 and 8)."]
        write(f"torch/torchscript/{space}.txt", "torchscript-support", about, sources, lines)


def import_dynamo(folder):
    lines = set()
    for name, _, opset, is_complex, _, _, status in rows(os.path.join(folder, "dynamo_torchlib.tsv")):
        if status == "registered":
            lines.add(f"2.14 {name.removesuffix('.default')} {opset}{' complex' if is_complex == '1' else ''}")
    # No function is looked up for these: they become the node of ONNX that they are named after.
    lines |= {f"2.14 onnx::{name}.opset23 23" for name in ("Attention", "RotaryEmbedding")}
    write("torch/dynamo/functions.txt", "dynamo-functions",
          ["Dynamo exporter: torch version, operator and overload, the first opset for which the function is written,",
           "`complex` for a function of complex inputs. A default overload is written without `.default`."],
          ["torch 2.14.1 ONNXRegistry.from_torchlib(), with onnxscript 0.7.2",
           "torch 2.14.1 torch/onnx/ops/_impl.py, torch/onnx/_internal/exporter/_core.py"], sorted(lines))
    lines = [f"2.14 {row[0].removesuffix('.default')}"
             for row in rows(os.path.join(folder, "dynamo_decomposed_2.14.tsv")) if row[1] == "yes"]
    write("torch/dynamo/decompositions.txt", "dynamo-decompositions",
          ["Overloads that the dynamo exporter decomposes before it looks for a function; what comes out of the",
           "decomposition may or may not have one."],
          ["torch 2.14.1 create_onnx_friendly_decomposition_table()"], sorted(set(lines)))


def float_word(value):
    """The shortest decimal that is the same 32-bit float."""
    wanted = struct.pack("f", value)
    for digits in range(1, 10):
        text = f"{value:.{digits}g}"
        if struct.pack("f", float(text)) == wanted:
            break
    return text if any(c in text for c in ".en") else text + ".0"


def quote(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def default_word(kind, value):
    if isinstance(value, list):
        return "[" + ", ".join(default_word(kind[:-1], v) for v in value) + "]"
    if kind == "float":
        return float_word(float(value))
    return quote(value) if kind == "string" else str(value)


def type_word(name):
    """tensor(float) is written float; every other type as it is, without blanks."""
    if name.startswith("tensor(") and name.endswith(")"):
        return name[7:-1]
    return name.replace(" ", "")


def derived_arity(params):
    low = high = 0
    for index, param in enumerate(params):
        if param["option"] == "single":
            low = high = index + 1
        elif param["option"] == "optional":
            high = index + 1
        else:
            low, high = (index + param["min_arity"] if param["min_arity"] else low), None
    return low, high


def param_lines(schema, word, key):
    lines = []
    for param in schema[key + "s"]:
        extra = "" if param["option"] == "single" else f" {param['option']}"
        extra += "" if param["homogeneous"] else " heterogeneous"
        extra += "" if param["min_arity"] == 1 else f" min={param['min_arity']}"
        lines.append(f"  {word} {param['name']} {param['type'].replace(' ', '')}{extra}")
    low, high = schema["min_" + key], schema["max_" + key]
    if (low, high) != derived_arity(schema[key + "s"]):
        lines.append(f"  {word}-count {low}..{'' if high is None else high}")
    return lines


def schema_lines(schema):
    flags = "".join(" " + flag for flag in ("deprecated", "experimental", "function") if schema[flag])
    lines = [f"op {schema['op']} {schema['since']}{flags}"]
    lines += param_lines(schema, "in", "input") + param_lines(schema, "out", "output")
    for attr in schema["attributes"]:
        line = f"  attr {attr['name']} {attr['type']}"
        if attr["required"]:
            line += " required"
        if attr["default"] is not None:
            line += f" = {default_word(attr['type'], attr['default'])}"
        lines.append(line)
    lines += [f"  type {c['name']} {' '.join(map(type_word, dict.fromkeys(c['types'])))}" for c in schema["type_constraints"]]
    return lines


def onnx_file(domain, op):
    if domain:
        return domain
    return "ai.onnx/" + next(letters for letters in LETTERS if op[0] <= letters[-1])


def import_onnx(folder):
    schemas = {}
    packages = {}
    for path, package in (("onnx_1.20.jsonl", "onnx 1.20.0"), ("onnx_1.22_extra.jsonl", "onnx 1.22.0")):
        with open(os.path.join(folder, path), encoding="utf-8") as file:
            for line in file:
                schema = json.loads(line)
                key = schema["domain"], schema["op"], schema["since"]
                schemas[key], packages[key] = schema, package
    files = collections.defaultdict(list)
    for key in sorted(schemas):
        files[key[0], onnx_file(key[0], key[1])].append(key)
    for (domain, path), keys in files.items():
        lines = [f"domain {domain or 'ai.onnx'}"]
        for key in keys:
            lines += [""] + schema_lines(schemas[key])
        about = [f"Operator schemas of the domain {domain or 'ai.onnx'}, every version. README.md explains the lines."]
        sources = [f"{p} onnx.defs.get_all_schemas_with_history()" for p in sorted({packages[k] for k in keys})]
        write(f"onnx/{path}.txt", "onnx-schemas", about, sources, lines)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    import_schemas(sys.argv[1])
    import_support(sys.argv[1])
    import_dynamo(sys.argv[1])
    import_onnx(sys.argv[1])


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Records of what ONNX Runtime refuses to load, of what its sessions said.

    write.py RECORDS-FOLDER [DOMAIN] VERSION=SAID.jsonl ... > kernels.txt

SAID.jsonl is what ask.mjs or ask.py printed. A condition is as short as it can be: types of one constraint if these are refused
whatever the others are, else types of two, and so on.
"""
import itertools
import json
import sys
from collections import defaultdict

from make_models import ELEMENTS, read_schemas

ABSENT = "-"  # The type of an input that is not given.
# What says nothing about kernels: models that are wrong anyhow, a newer opset or IR version, an end of the process.
BESIDES = ["is under development and support for this is limited", "Unsupported model IR version", "ends with SIG",
           "expected to have the same elem type", "same bit-width"]
HEAD = """# What sessions of ONNX Runtime's CPU provider refuse to load, of all that the schemas of {domain} allow.
#
# Each model is one node, as tools/kernels/make_models.py makes it: every operator at every version, with every choice of types.
# Optional inputs are left out but for those that alone have a type constraint; `-` stands for one that is left out.
# What a release can't take for its opset or IR version is not here, but in runtimes.txt.
{others}kind kernels
source onnxruntime-node, releases {versions}, linux x64, CPU: tools/kernels/ask.mjs
domain {domain}
"""
OTHERS = {"ai.onnx": """# Debian's 1.21 says the same of all 49,128 models, and its 1.23 of all that npm's takes but 22 of Attention-23, whose body is that of its onnx 1.20.
"""}


def verdict(says):
    if says == "ok":
        return True
    return None if any(words in says for words in BESIDES) else False


def read(path):
    """(operator, since, opset) -> {types: loaded}"""
    cells = defaultdict(dict)
    for line in open(path):
        row = json.loads(line)
        loaded = verdict(row["says"])
        if loaded is not None:
            cells[row["op"], row["since"], row["opset"]][tuple(sorted(row["types"].items()))] = loaded
    return cells


def with_absent(cell):
    names = sorted({name for types in cell for name, _ in types})
    return names, {tuple(dict(types).get(n, ABSENT) for n in names): loaded for types, loaded in cell.items()}


def conditions(cell):
    """The shortest that are true of refused models only: a set of (constraint, type) each."""
    names, rows = with_absent(cell)
    found = []
    for size in range(len(names) + 1):
        for subset in itertools.combinations(range(len(names)), size):
            seen = defaultdict(lambda: [0, 0])
            for words, loaded in rows.items():
                seen[tuple(words[i] for i in subset)][loaded] += 1
            for words, (refused, loaded) in seen.items():
                condition = frozenset((names[i], w) for i, w in zip(subset, words))
                if refused and not loaded and not any(c <= condition for c in found):
                    found.append(condition)
        if any(not c for c in found):
            break
    return found


def order(word):
    return ELEMENTS.index(word) if word in ELEMENTS else len(ELEMENTS)


def grouped(found):
    """Conditions (tuples of pairs of a constraint and its types) that differ in one type only, put together."""
    merged = {tuple(sorted((n, (w,)) for n, w in c)) for c in found}
    size = max((len(c) for c in merged), default=0)
    for place in reversed(range(size)):
        groups = defaultdict(set)
        for c in merged:
            if place < len(c):
                groups[c[:place], c[place][0], c[place + 1:]].update(c[place][1])
            else:
                groups[c, None, None] = set()
        merged = {before if name is None else before + ((name, tuple(sorted(words, key=lambda w: (order(w), w)))),) + after
                  for (before, name, after), words in groups.items()}
    return sorted(merged)


def spans(versions, refusing, unknown):
    """Consecutive versions; those that say nothing may lie between."""
    result, start, last = [], None, None
    for version in versions:
        if version in refusing:
            start, last = start or version, version
        elif version not in unknown and start:
            result.append((start, last))
            start = None
    if start:
        result.append((start, last))
    newest = versions[-1]
    return ",".join(a + "-" if b == newest and a != b else a if a == b else f"{a}-{b}" for a, b in result)


def opset_ranges(by_version, opsets):
    """Neighbouring opsets at which all versions say the same, as far as they say anything."""
    ranges = []
    for opset in opsets:
        if ranges and all(not (v[ranges[-1][-1]] and v[opset]) or v[ranges[-1][-1]] == v[opset] for v in by_version.values()):
            ranges[-1].append(opset)
        else:
            ranges.append([opset])
    return [(r[0], after[0] - 1) for r, after in zip(ranges, ranges[1:])] + [(ranges[-1][0], ranges[-1][-1])]


def lines(key, said, versions, prefix):
    name, since = key
    opsets = sorted({o for v in versions for (n, s, o) in said[v] if (n, s) == key})
    if not opsets:
        return
    by_version = {v: {o: said[v].get((name, since, o), {}) for o in opsets} for v in versions}
    ranges = opset_ranges(by_version, opsets)
    for first, last in ranges:
        cells = {v: next((by_version[v][o] for o in opsets if first <= o <= last and by_version[v][o]), {}) for v in versions}
        refusing = defaultdict(set)
        for version, cell in cells.items():
            for condition in conditions(cell):
                refusing[condition].add(version)
        unknown = {v for v, cell in cells.items() if not cell}
        by_spans = defaultdict(list)
        for condition, who in refusing.items():
            by_spans[spans(versions, who, unknown)].append(condition)
        opset_words = str(since) if len(ranges) == 1 else f"{since}@{first}..{last}"
        for span, found in sorted(by_spans.items()):
            for condition in grouped(found):
                words = " & ".join(f"{n} {' '.join(types)}" for n, types in condition)
                yield f"{prefix}{name} {opset_words} {span}\t{words or '*'}"


def main():
    said = {}
    domain = sys.argv[2] if "=" not in sys.argv[2] else "ai.onnx"
    prefix = "" if domain == "ai.onnx" else domain + "."
    for argument in sys.argv[2 if "=" in sys.argv[2] else 3:]:
        version, path = argument.split("=")
        said[version] = read(path)
    versions = sorted(said, key=lambda v: [int(part) for part in v.split(".")])
    print(HEAD.format(versions=", ".join(versions), domain=domain, others=OTHERS.get(domain, "")))
    for name, schemas in sorted(read_schemas(sys.argv[1], domain).items()):
        for schema in schemas:
            for line in lines((name, schema.since), said, versions, prefix):
                print(line)


if __name__ == "__main__":
    main()

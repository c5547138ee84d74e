#!/usr/bin/env python3
"""Writes the records of outcomes from what derive.py found in each torch version.

    write.py OUTPUT VERSION=FILE ...     OUTPUT is a record file; each FILE is what derive.py printed
"""
import collections
import pathlib
import re
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from words import words_of  # noqa: E402

# What no call has: dequantize() gets a tuple that was taken apart before, normal() with as many arguments is normal_(), which a pass rewrites before.
NEVER = {"aten::dequantize", "aten::normal"}
LITERAL_LIMIT = 10  # A condition with more parts is one that no call has; reading it costs at every node.
HEADER = """# When a symbolic function refuses although it exists. Made by symbolics-db/tools/refusals from torch's source; what
# that can't follow is in refusals_by_hand.txt.
kind outcomes
"""


def is_plausible(condition, what):
    if condition.count(" and ") >= LITERAL_LIMIT:
        return False
    # Where another reason refuses the constants, too, its record says so of all.
    if what.startswith("NotConstant") and "not is_const(" not in condition:
        return False
    # A kernel, stride or padding without elements is refused by PyTorch itself.
    return not re.search(r"'(kernel_shape|strides|pads|dilations|split)' of", what)


def main():
    output, found = pathlib.Path(sys.argv[1]), collections.defaultdict(dict)
    versions = []
    for argument in sys.argv[2:]:
        version, file = argument.split("=")
        versions.append(version)
        for line in pathlib.Path(file).read_text().splitlines():
            head, condition, what, place = line.split("\t")
            _, op, opsets = head.split()
            kind, _, text = what.partition(": ")
            if is_plausible(condition, what) and op.startswith("aten::") and op not in NEVER:
                reason, way_out = words_of(op, kind, text, condition)
                found[op, condition, reason, way_out, place].setdefault(opsets, set()).add(version)
    lines = []
    for (op, condition, reason, way_out, place), by_opsets in found.items():
        for opsets, where in by_opsets.items():
            text = ",".join(v for v in versions if v in where)
            lines.append(f"{text} refused {opsets} {op}\t{condition}\t{reason}\t{way_out}\t{place}\n")
    lines.sort(key=lambda line: (line.split("\t")[0].split()[3], line))
    sources = "".join(f"source torch {v}, torch.onnx.symbolic_helper and symbolic_opset7 to symbolic_opset20, read\n" for v in versions)
    output.write_text(HEADER + sources + "\n" + "".join(lines))


if __name__ == "__main__":
    main()

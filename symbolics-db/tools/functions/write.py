#!/usr/bin/env python3
"""Records of what measure.py found in several versions of torch.

    write.py RECORDS-FOLDER MEASURED.json ...

RECORDS-FOLDER is records/torch/python; rewrites traced.txt and captured.txt there.
"""
import json
import pathlib
import sys

KINDS = {"torchscript": ("traced", "torch.jit.trace()"), "dynamo": ("captured", "torch.export.export()")}


def number(version):
    return tuple(map(int, version.split(".")))


def main():
    folder, *files = map(pathlib.Path, sys.argv[1:])
    measured = [json.loads(file.read_text()) for file in files]
    for exporter, (kind, what) in KINDS.items():
        common = {}  # (name, version) -> operators in all runs that have the name
        for run in measured:
            for name, operators in run[exporter].items():
                key = name, run["torch"]
                common[key] = common.get(key, set(operators)) & set(operators)
        versions = {}  # (name, operators) -> versions
        for (name, version), operators in common.items():
            if operators:
                versions.setdefault((name, " ".join(sorted(operators))), set()).add(version)
        seen = sorted({version for found in versions.values() for version in found}, key=number)
        lines = [f"{','.join(sorted(found, key=number))} {name} {operators}" for (name, operators), found in sorted(versions.items())]
        head = [f"# What calls of functions, methods and layers always have when {what} looks at them.", "# Written by tools/functions/write.py.",
                f"kind {kind}-functions",
                f"source op_db and module_db of torch.testing, and layers that they lack, in torch {', '.join(seen)}: samples of several element types, {what}", ""]
        (folder / f"{kind}.txt").write_text("\n".join(head + lines) + "\n")


if __name__ == "__main__":
    main()

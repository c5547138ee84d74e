#!/usr/bin/env python3
"""What ask.mjs does, in a Python with onnxruntime: ask.py IN.models > OUT.jsonl"""
import json
import struct
import sys

import onnxruntime


def read_models(path):
    content = open(path, "rb").read()
    at = 0
    while at < len(content):
        parts = []
        for _ in range(2):
            length, = struct.unpack_from("<I", content, at)
            parts.append(content[at + 4:at + 4 + length])
            at += 4 + length
        yield json.loads(parts[0]), parts[1]


def load(model, options):
    try:
        onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        return "ok"
    except Exception as error:
        return str(error)


def main():
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    for key, model in read_models(sys.argv[1]):
        key["says"] = load(model, options)
        sys.stdout.write(json.dumps(key) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

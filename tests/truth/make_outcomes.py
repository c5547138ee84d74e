#!/usr/bin/env python3
"""What the real TorchScript exporter does with samples of PyTorch's operator database.

    make_outcomes.py OUT.jsonl [OPSET,...]      run by the Python of the torch that is asked

Writes one line a sample: file, torch, refused (opset -> 0 or 1), error (opset -> class and first line) and text, the traced
graph, as tests/truth/outcomes.mjs reads them. Samples that can't be traced are left out.
"""
import contextlib
import io
import itertools
import json
import os
import re
import sys
import warnings

import torch
from torch.testing._internal.common_methods_invocations import op_db

DTYPES = {torch.float32: 5, torch.int64: 2, torch.bool: 1, torch.complex64: 1, torch.float16: 1}


class Call(torch.nn.Module):
    """One sample: its tensors are inputs of the graph, everything else is written into it."""

    def __init__(self, op, sample):
        super().__init__()
        self.op, self.sample, self.tensors = op, sample, []
        for x in itertools.chain([sample.input], sample.args):
            if isinstance(x, torch.Tensor):
                self.tensors.append(x.detach())

    def forward(self, *tensors):
        rest = iter(tensors)
        values = [next(rest) if isinstance(x, torch.Tensor) else x for x in (self.sample.input, *self.sample.args)]
        return self.op(*values, **self.sample.kwargs)


def outcome(model, tensors, opset):
    try:
        options = {"dynamo": False} if tuple(map(int, torch.__version__.split(".")[:2])) >= (2, 5) else {}
        with contextlib.redirect_stdout(io.StringIO()):
            torch.onnx.export(model, tensors, io.BytesIO(), opset_version=opset, **options)
    except Exception as e:  # Whatever it is, it is what the user gets.
        return [type(e).__name__, str(e).split("\n")[0]]
    return None


def main():
    warnings.simplefilter("ignore")
    opsets = [int(o) for o in (sys.argv[2] if len(sys.argv) > 2 else "9,13,17,20").split(",")]
    version = ".".join(torch.__version__.split(".")[:2])
    with open(sys.argv[1], "w") as out:
        for op, (dtype, count) in itertools.product(op_db, DTYPES.items()):
            if dtype not in op.supported_dtypes("cpu"):
                continue
            torch.manual_seed(0)
            for i, sample in enumerate(itertools.islice(op.sample_inputs("cpu", dtype), count)):
                model = Call(op.op, sample)
                try:
                    text = str(torch.jit.trace(model, tuple(model.tensors), check_trace=False).inlined_graph)
                except Exception:  # Not every sample can be traced.
                    continue
                errors = {str(o): outcome(model, tuple(model.tensors), o) for o in opsets}
                name = ".".join(filter(None, [op.name, op.variant_test_name, str(dtype).split(".")[-1], str(i)]))
                text = re.sub(r" # \S+:\d+:\d+", "", text)
                line = {"file": f"{name}.torchir", "torch": version, "refused": {o: int(e is not None) for o, e in errors.items()},
                        "error": {o: e for o, e in errors.items() if e}, "text": text}
                out.write(json.dumps(line) + os.linesep)


if __name__ == "__main__":
    main()

# torch: 1.13 2.6
# Calls of export() that work.
import io
import os

import torch
import torch.onnx
from torch.onnx import export

OPSET = int(os.environ.get("OPSET", "13"))
AXES = {"x": {0: "batch"}, "y": {0: "batch"}}


class Pair(torch.nn.Module):
    def forward(self, x, scale=2.0):
        return x * scale, x + scale


class Keyword(torch.nn.Module):
    def forward(self, x, options):
        return x + options["bias"]


def run(model, file, **keywords):
    x = torch.randn(2, 3)
    torch.onnx.export(model, x, file, **keywords)
    torch.onnx.export(model, (x,), file, opset_version=OPSET, verbose=False, export_params=True)
    export(model, args=(x,), f=file, input_names=["x"], output_names=["y", "z"], dynamic_axes=AXES)
    export(model, (x, 3.0), file, input_names=["x"], dynamic_axes={"x": [0, 1]}, opset_version=min(OPSET, 15))
    torch.onnx.utils.export(model, (x,), file, opset_version=9, keep_initializers_as_inputs=True)
    names = ["x"]
    outputs = [f"out{i}" for i in range(2)]
    torch.onnx.export(
        model, (x,), file, input_names=names, output_names=outputs, dynamic_axes={name: {0: "n"} for name in names}
    )
    torch.onnx.export(Keyword().eval(), (x, {"bias": x}, {}), file, opset_version=7 if OPSET < 9 else OPSET)
    torch.onnx.export(torch.nn.Linear(3, 2), x, file, input_names=["input", "weight", "bias"])


def main():
    run(Pair(), io.BytesIO(), input_names=["x"], opset_version=13)


MODELS = []

if __name__ == "__main__":
    main()

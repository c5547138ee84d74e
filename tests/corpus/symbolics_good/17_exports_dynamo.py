# torch: 2.14
# Calls of export() for the newer exporter, and for the older one where it has to be asked for.
import torch

batch = torch.export.Dim("batch", min=1, max=64)


class Scaled(torch.nn.Module):
    def forward(self, x, scale=2.0):
        return x * scale


def main(x, path):
    model = Scaled().eval()
    torch.onnx.export(model, (x,), path, dynamo=True, dynamic_shapes={"x": {0: batch}}, opset_version=20)
    torch.onnx.export(model, (x,), path, dynamic_shapes=({0: batch},), external_data=False, verify=True)
    program = torch.onnx.export(model, (x,), dynamo=True, report=False, optimize=False)
    program.save(path)
    torch.onnx.export(model, args=(x,), f=path, kwargs={"scale": 3.0}, input_names=["x"], output_names=["y"])
    torch.onnx.export(model, (x,), path, dynamo=False, opset_version=17, input_names=["x"], dynamic_axes={"x": {0: "n"}})
    torch.onnx.export(torch.export.export(model, (x,)), (), path)
    torch.onnx.export(model, x, path, dynamo=True, custom_translation_table={torch.ops.aten.mul.Tensor: multiply})


def multiply(self, other):
    return self


MODELS = []

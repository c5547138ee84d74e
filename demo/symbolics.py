"""Symbolic functions with mistakes that torch.onnx.export() reports late, or never."""
import torch
from torch.onnx import register_custom_op_symbolic, symbolic_helper


def elu(g, input, alpha, inplace=False):
    return g.op("Elu", input, alpha_f=alpha)


@symbolic_helper.parse_args("v", "is", "i", "none")
def mean(g, self, dim, keepdim, dtype):
    return g.op("ReduceMean", self, axes_i=dim, keepdims=keepdim)


register_custom_op_symbolic("aten::elu", elu, 9)
register_custom_op_symbolic("aten::mean", mean, 9)


def export(model, x):
    torch.onnx.export(model, x, "model.onnx", opset_version=18, input_names=["x"], dynamic_axes={"input": {0: "batch"}})

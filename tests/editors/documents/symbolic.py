"""Symbolic functions, one of them with a mistake."""
import torch
from torch.onnx import register_custom_op_symbolic
from torch.onnx.symbolic_helper import parse_args


@parse_args("v", "f", "v", "v")
def elu(g, input, alpha, scale, input_scale):
    return g.op("Elu", input, alpha_f=alpha)


@parse_args("v", "f")
def leaky_relu(g, input, negative_slope):
    return g.op("LeakyRelu", input, alpha=negative_slope)


register_custom_op_symbolic("aten::elu", elu, 13)
register_custom_op_symbolic("aten::leaky_relu", leaky_relu, 13)


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.elu(x) + undefined_name

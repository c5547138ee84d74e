# @parse_args and @quantized_args in every order, with other names, and with fewer parameters spelled out.
import torch
import torch.onnx.symbolic_helper as helper
from torch.onnx import register_custom_op_symbolic, symbolic_helper
from torch.onnx.symbolic_helper import parse_args, quantized_args
from torch.onnx.symbolic_helper import parse_args as arguments


@parse_args("v", "f", "f", "f")
def elu(g, self, alpha, scale, input_scale):
    return g.op("Elu", self, alpha_f=alpha)


@quantized_args(True)
@arguments("v", "i", "none")
def softmax(g, self, dim, dtype):
    return g.op("Softmax", self, axis_i=dim)


@helper.parse_args("v", "is", "i", "none")
@quantized_args(True, False)
def mean_dim(g, self, dim, keepdim, dtype=None):
    if dim is None:
        return g.op("ReduceMean", self, keepdims_i=0)
    return g.op("ReduceMean", self, axes_i=dim, keepdims_i=keepdim)


@symbolic_helper.parse_args("v", "v", "t", "t")
def addcmul_like(g, self, other, beta, alpha):
    # A 0-d tensor from "t" is what _scalar() wants.
    scaled = g.op("Mul", other, g.op("Constant", value_t=torch.tensor(float(symbolic_helper._scalar(alpha)))))
    return g.op("Add", self, scaled)


@symbolic_helper.parse_args("v", "b")
def logical_xor_like(g, self, flag):
    return g.op("Not", self) if flag else self


@parse_args("v", "s")
def gelu(g, self, approximate):
    if approximate == "tanh":
        inner = g.op("Mul", self, g.op("Constant", value_t=torch.tensor(1.702)))
        return g.op("Mul", self, g.op("Sigmoid", inner))
    half = g.op("Mul", self, g.op("Constant", value_t=torch.tensor(0.5)))
    erf = g.op("Erf", g.op("Mul", self, g.op("Constant", value_t=torch.tensor(0.7071067811865476))))
    return g.op("Mul", half, g.op("Add", erf, torch.tensor(1.0)))


@parse_args("v", "i", "i", "i")
def narrow(g, self, dim, start, length):
    starts = g.op("Constant", value_t=torch.tensor([start]))
    ends = g.op("Constant", value_t=torch.tensor([start + length]))
    return g.op("Slice", self, starts, ends, g.op("Constant", value_t=torch.tensor([dim])))


register_custom_op_symbolic("aten::elu", elu, 9)
register_custom_op_symbolic("aten::softmax", softmax, 13)
register_custom_op_symbolic("aten::gelu", gelu, 9)
register_custom_op_symbolic("aten::narrow", narrow, 11)


class Everything(torch.nn.Module):
    def forward(self, x):
        y = torch.nn.functional.elu(x, 0.3).softmax(1) + torch.nn.functional.gelu(x, approximate="tanh")
        return torch.narrow(torch.nn.functional.gelu(y), 1, 0, 2)


MODELS = [(Everything(), (torch.randn(2, 3),), 13)]

# torch: 1.13 2.6
# Functions of torch's own opset modules and helpers, and what they give back.
import torch
import torch.onnx.symbolic_opset9 as opset9
from torch.onnx import register_custom_op_symbolic, symbolic_helper, symbolic_opset11
from torch.onnx.symbolic_opset9 import mul, sub
from torch.onnx.symbolic_opset13 import softmax


def silu(g, self):
    return mul(g, self, opset9.sigmoid(g, self))


def addcdiv(g, self, tensor1, tensor2, value=1.0):
    quotient = opset9.div(g, tensor1, tensor2)
    scaled = mul(g, quotient, value)
    return opset9.add(g, self, scaled)


def cosine_similarity(g, x1, x2, dim, eps):
    def norm(value):
        square = mul(g, value, value)
        return symbolic_helper._reducesum_helper(g, square, axes_i=[1], keepdims_i=0)

    cross = symbolic_helper._reducesum_helper(g, mul(g, x1, x2), axes_i=[1], keepdims_i=0)
    limit = g.op("Mul", eps, eps)
    return g.op("Div", cross, g.op("Sqrt", g.op("Max", g.op("Mul", norm(x1), norm(x2)), limit)))


def softmin_like(g, self, dim, dtype=None):
    return softmax(g, g.op("Neg", self), dim, dtype)


def index_of_first(g, tensors):
    first, *others = symbolic_helper._unpack_list(tensors)
    if not others:
        return first
    return sub(g, first, others[0])


register_custom_op_symbolic("aten::silu", silu, 9)
register_custom_op_symbolic("aten::addcdiv", addcdiv, 9)
register_custom_op_symbolic("aten::softmax", softmin_like, 13)


class Everything(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.silu(x).softmax(1)


MODELS = [(Everything(), (torch.randn(2, 3),), 13)]

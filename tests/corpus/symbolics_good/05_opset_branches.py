# What is right at some opsets only, behind a test of the opset.
import torch
from torch.onnx import register_custom_op_symbolic, symbolic_helper
from torch.onnx.symbolic_helper import parse_args


@parse_args("v", "i")
def unsqueeze(g, self, dim):
    if g.opset < 13:
        return g.op("Unsqueeze", self, axes_i=[dim])
    axes = g.op("Constant", value_t=torch.tensor([dim], dtype=torch.long))
    return g.op("Unsqueeze", self, axes)


@parse_args("v", "i", "i")
def glu_parts(g, self, dim, size):
    if g.opset >= 13:
        sizes = g.op("Constant", value_t=torch.tensor([size, size]))
        first, second = g.op("Split", self, sizes, axis_i=dim, outputs=2)
    else:
        first, second = g.op("Split", self, axis_i=dim, split_i=[size, size], outputs=2)
    return g.op("Mul", first, g.op("Sigmoid", second))


@parse_args("v", "i")
def triu(g, self, diagonal):
    offset = g.op("Constant", value_t=torch.tensor(diagonal, dtype=torch.int64))
    if g.opset < 14:
        return symbolic_helper._onnx_opset_unsupported("triu", g.opset, 14)
    return g.op("Trilu", self, offset, upper_i=1)


@parse_args("v", "is", "i", "none")
def sum_dims(g, self, dim, keepdim, dtype):
    opset = g.opset
    if opset <= 12:
        return g.op("ReduceSum", self, axes_i=dim, keepdims_i=keepdim)
    else:
        return g.op("ReduceSum", self, g.op("Constant", value_t=torch.tensor(dim)), keepdims_i=keepdim)


@parse_args("v", "f", "f")
def hardtanh(g, self, min_val, max_val):
    if 7 <= g.opset < 11:
        return g.op("Clip", self, min_f=min_val, max_f=max_val)
    low = g.op("Constant", value_t=torch.tensor(min_val, dtype=torch.float))
    high = g.op("Constant", value_t=torch.tensor(max_val, dtype=torch.float))
    return g.op("Clip", self, low, high)


def helper_chooses(g, self, dim):
    # Not registered, and nothing tells the opset: either may be right.
    if symbolic_helper._is_none(dim):
        return g.op("Squeeze", self)
    return symbolic_helper._squeeze_helper(g, self, [0])


register_custom_op_symbolic("aten::unsqueeze", unsqueeze, 11)
register_custom_op_symbolic("aten::unsqueeze", unsqueeze, 13)
for opset in (9, 13):
    register_custom_op_symbolic("aten::hardtanh", hardtanh, opset)


class Everything(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.hardtanh(torch.unsqueeze(x, 1))


MODELS = [(Everything(), (torch.randn(2, 3),), 13), (Everything(), (torch.randn(2, 3),), 11)]

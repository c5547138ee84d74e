# What may be done with graph values in Python.
import math

import torch
from torch.onnx import register_custom_op_symbolic, symbolic_helper
from torch.onnx.symbolic_helper import parse_args


def numel_of(sizes):
    count = 1
    for size in sizes:
        count *= size
    return count


@parse_args("v", "f", "f")
def add_constant(g, self, first, second):
    total = first * 2 + math.sqrt(second) - 1
    if total > 0 and first >= second:
        total = -total
    return g.op("Add", self, g.op("Constant", value_t=torch.tensor(total)))


def mean(g, self, dtype):
    sizes = self.type().sizes()
    if sizes is None or any(size is None for size in sizes):
        return g.op("ReduceMean", self, keepdims_i=0)
    count = numel_of(sizes)
    total = g.op("ReduceSum", self, keepdims_i=0)
    return g.op("Mul", total, g.op("Constant", value_t=torch.tensor(1.0 / count)))


def matmul(g, self, other):
    if self is other or self == other:
        return g.op("MatMul", self, self)
    left, right = self.type(), other.type()
    if left.dim() == 1 and right.dim() == 1:
        return g.op("MatMul", self, other)
    if self.node().kind() == "onnx::Constant" and self.node().kindOf("value") == "t":
        self = g.op("Identity", self)
    return g.op("MatMul", self, other)


def rot90(g, self, k, dims):
    times = symbolic_helper._get_const(k, "i", "k") % 4
    axes = symbolic_helper._get_const(dims, "is", "dims")
    rank = symbolic_helper._get_tensor_rank(self)
    order = list(range(rank))
    order[axes[0]], order[axes[1]] = order[axes[1]], order[axes[0]]
    for _ in range(times):
        self = g.op("Transpose", self, perm_i=order)
        starts, ends = [-1], [-(2**31)]
        self = g.op(
            "Slice",
            self,
            *(g.op("Constant", value_t=torch.tensor(v)) for v in (starts, ends, [axes[0]], [-1])),
        )
    return self


def where_scalar_type(g, condition, self, other):
    kind = self.type().scalarType()
    if kind != "Float" and kind is not None:
        self = g.op("Cast", self, to_i=1)
    if not other.isCompleteTensor():
        other = g.op("Identity", other)
    name = self.debugName() + other.debugName()
    del name
    return g.op("Where", condition, self, other)


def split_in_two(g, tensors):
    values = list(tensors) if isinstance(tensors, (list, tuple)) else symbolic_helper._unpack_list(tensors)
    if len(values) > 2 or not values:
        values = values[:2]
    return values[0], values[-1]


register_custom_op_symbolic("aten::mean", mean, 9)
register_custom_op_symbolic("aten::matmul", matmul, 9)
register_custom_op_symbolic("aten::rot90", rot90, 10)
register_custom_op_symbolic("aten::where", where_scalar_type, 13)


class Everything(torch.nn.Module):
    def forward(self, x):
        y = torch.matmul(x, x.transpose(0, 1))
        return torch.where(y > 0, y, y * 2), torch.rot90(x, 1, (0, 1)), torch.mean(x)


MODELS = [(Everything(), (torch.randn(2, 3),), 13)]

# None: of the graph, of Python, and of parse_args.
import torch
from torch.onnx import register_custom_op_symbolic, symbolic_helper
from torch.onnx.symbolic_helper import _get_const, _is_none, _is_value, parse_args


def clamp(g, self, min, max):
    if _is_none(min) and _is_none(max):
        return self
    if _is_none(min):
        return clamp_max(g, self, max)
    if _is_none(max):
        return g.op("Max", self, as_type_of(g, min, self))
    return clamp_max(g, g.op("Max", self, as_type_of(g, min, self)), max)


def clamp_max(g, self, max):
    return g.op("Min", self, as_type_of(g, max, self))


def as_type_of(g, value, like=None, to=None):
    # Called from here only: None is Python's.
    if to is None and like is not None:
        return g.op("Cast", value, to_i=1)
    if to is None:
        return value
    return g.op("Cast", value, to_i=to)


@parse_args("v", "v", "v", "f", "i")
def layer_norm_like(g, input, weight, bias, eps, axis):
    mean = g.op("ReduceMean", input, axes_i=[axis])
    centered = g.op("Sub", input, mean)
    variance = g.op("ReduceMean", g.op("Mul", centered, centered), axes_i=[axis])
    deviation = g.op("Sqrt", g.op("Add", variance, g.op("Constant", value_t=torch.tensor(eps))))
    result = g.op("Div", centered, deviation)
    if weight is not None and not symbolic_helper._is_none(weight):
        result = g.op("Mul", result, weight)
    if not symbolic_helper._is_none(bias):
        result = g.op("Add", result, bias)
    return result


@parse_args("v", "is", "v", "v", "f", "none")
def layer_norm(g, input, normalized_shape, weight, bias, eps, cudnn_enable):
    return layer_norm_like(g, input, weight, bias, eps, -len(normalized_shape))


@parse_args("v", "i", "i", "v")
def cumsum_or_none(g, self, dim, reverse=None, dtype=None):
    # "i" of an absent argument is Python's None.
    if reverse is None:
        reverse = 0
    return g.op("CumSum", self, g.op("Constant", value_t=torch.tensor(dim)), reverse_i=reverse)


def cumsum(g, self, dim, dtype):
    axis = _get_const(dim, "i", "dim")
    result = g.op("CumSum", self, g.op("Constant", value_t=torch.tensor(axis)))
    if dtype and dtype.node().kind() != "prim::Constant" and not _is_none(dtype):
        result = g.op("Cast", result, to_i=_get_const(dtype, "i", "dtype"))
    return result


register_custom_op_symbolic("aten::clamp", clamp, 13)
register_custom_op_symbolic("aten::layer_norm", layer_norm, 9)
register_custom_op_symbolic("aten::cumsum", cumsum, 11)


class Everything(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(3)

    def forward(self, x):
        y = torch.clamp(x, min=0.1) + torch.clamp(x, max=0.9) + torch.clamp(x, 0.2, 0.8)
        return torch.cumsum(self.norm(y), 1)


MODELS = [(Everything(), (torch.rand(2, 3),), 13)]

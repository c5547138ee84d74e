# Every path returns what the operator has, or raises.
import torch
from torch.onnx import errors, register_custom_op_symbolic, symbolic_helper
from torch.onnx.symbolic_helper import _unimplemented, parse_args


@parse_args("v", "i", "i", "i", "i")
def topk(g, self, k, dim, largest, sorted):
    return symbolic_helper._topk_helper(
        g, self, g.op("Constant", value_t=torch.tensor(k)), dim, largest=largest, sorted=sorted
    )


@parse_args("v", "i", "i")
def sort(g, self, dim, descending):
    size = symbolic_helper._get_tensor_dim_size(self, dim)
    if size is None:
        raise errors.SymbolicValueError("the size has to be known", self)
    values, indices = g.op(
        "TopK", self, g.op("Constant", value_t=torch.tensor([size])), axis_i=dim, largest_i=descending, outputs=2
    )
    return values, indices


@parse_args("v", "i", "i")
def median_or_mode(g, self, dim, keepdim):
    try:
        pair = [g.op("ReduceMax", self, axes_i=[dim]), g.op("ArgMax", self, axis_i=dim, keepdims_i=keepdim)]
    except RuntimeError as error:
        raise ValueError("not with this rank") from error
    else:
        return tuple(pair)


@parse_args("v", "i", "i")
def max_pair(g, self, dim, keepdim):
    while True:
        maximum = g.op("ReduceMax", self, axes_i=[dim], keepdims_i=keepdim)
        index = g.op("ArgMax", self, axis_i=dim, keepdims_i=keepdim)
        return maximum, index


@parse_args("v", "s")
def gelu(g, self, approximate):
    if approximate == "none":
        return exact(g, self)
    elif approximate == "tanh":
        return exact(g, self)
    else:
        return _unimplemented("gelu", approximate)


def exact(g, self):
    with torch.no_grad():
        root = g.op("Constant", value_t=torch.sqrt(torch.tensor(2.0)))
    erf = g.op("Erf", g.op("Div", self, root))
    half = g.op("Mul", self, g.op("Constant", value_t=torch.tensor(0.5)))
    return g.op("Add", g.op("Mul", half, erf), half)


@parse_args("v", "i", "v", "v", "f", "f")
def fake_quantize_like(g, x, bits, scale, zero, low, high):
    if bits == 8:
        quantized = g.op("QuantizeLinear", x, scale, zero)
        return g.op("DequantizeLinear", quantized, scale, zero)
    raise errors.SymbolicValueError("only 8 bits", x)


def identity_or_list(g, self, *rest):
    outputs = [self, *rest]
    assert outputs, "never empty"
    return outputs[0] if len(outputs) == 1 else outputs


register_custom_op_symbolic("aten::topk", topk, 11)
register_custom_op_symbolic("aten::sort", sort, 11)
register_custom_op_symbolic("aten::gelu", gelu, 9)


class Everything(torch.nn.Module):
    def forward(self, x):
        return torch.topk(torch.nn.functional.gelu(x), 2), torch.sort(x, 1)


MODELS = [(Everything(), (torch.randn(2, 3),), 13)]

# torch: 1.13 2.6
# GOOD: the style used inside torch/onnx/symbolic_opset*.py (torch 1.13).  No diagnostics expected except the private-API hints.
import functools

import torch
import torch._C._onnx as _C_onnx
from torch.onnx import _type_utils, symbolic_helper
from torch.onnx._internal import jit_utils, registration  # expect: A01 hint: private module torch.onnx._internal

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=13)


@_onnx_symbolic("aten::my_softmax_like")  # expect: G10 information: no torch operator named aten::my_softmax_like
@symbolic_helper.parse_args("v", "i", "none")
def softmax(g: jit_utils.GraphContext, input, dim, dtype=None):
    out = g.op("Softmax", input, axis_i=dim)
    if dtype and dtype.node().kind() != "prim::Constant":
        parsed = symbolic_helper._get_const(dtype, "i", "dtype")
        out = g.op("Cast", out, to_i=_type_utils.JitScalarType(parsed).onnx_type())
    return out


@registration.onnx_symbolic("aten::my_upsample1d", opset=13, decorate=[symbolic_helper._apply_params("x", 3, "nearest")] if hasattr(symbolic_helper, "_apply_params") else None)
@symbolic_helper.quantized_args(True, False)
def upsample(g, input, output_size, *args):
    scales, align_corners = symbolic_helper._get_interpolate_attributes(g, "nearest", args)
    if align_corners:
        return symbolic_helper._unimplemented("upsample", "align_corners == True", input)
    if symbolic_helper._is_none(output_size):
        symbolic_helper._onnx_opset_unsupported_detailed("upsample", 9, 11, "dynamic sizes", input)
    rank = symbolic_helper._get_tensor_rank(input)
    shape = g.op("Shape", input)
    axes = g.op("Constant", value_t=torch.tensor(list(range(rank or 1)), dtype=torch.long))
    values, indices = g.op("TopK", shape, g.op("Constant", value_t=torch.tensor([1])), axis_i=0, largest_i=1, outputs=2)
    return g.op("Cast", g.op("Gather", values, axes, axis_i=0), to_i=_C_onnx.TensorProtoDataType.INT64)


CASES = []

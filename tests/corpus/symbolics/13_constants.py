import torch
from torch.onnx.symbolic_helper import parse_args


@parse_args("v", "f", "f", "f")
def value_f(g, self, alpha, scale, input_scale):
    # expect: S17 error: Constant.value must be a tensor (value_t / value_z)
    return g.op("Mul", self, g.op("Constant", value_f=2.0))


@parse_args("v", "f", "f", "f")
def value_t_float(g, self, alpha, scale, input_scale):
    # expect: S05 error: value_t needs a torch.Tensor, got a float
    return g.op("Mul", self, g.op("Constant", value_t=2.0))


@parse_args("v", "f", "f", "f")
def value_t_list(g, self, alpha, scale, input_scale):
    # expect: S05 error: value_t needs a torch.Tensor, got a list (use torch.tensor([...]))
    return g.op("Mul", self, g.op("Constant", value_t=[1.0, 2.0]))


@parse_args("v", "f", "f", "f")
def empty_axes(g, self, alpha, scale, input_scale):
    # expect: S14 error [torch < 2.0]: an empty list attribute is rejected by the ONNX checker
    return g.op("ReduceMean", self, axes_i=[])


@parse_args("v", "f", "f", "f")
def perm_scalar(g, self, alpha, scale, input_scale):
    # expect: S04 error: Transpose.perm is INTS, a single int gives INT (use perm_i=[...])
    return g.op("Transpose", self, perm_i=1)


@parse_args("v", "f", "f", "f")
def axis_list(g, self, alpha, scale, input_scale):
    # expect: S04 error: Softmax.axis is INT, a list gives INTS
    return g.op("Softmax", self, axis_i=[1])


@parse_args("v", "f", "f", "f")
def cast_dtype(g, self, alpha, scale, input_scale):
    # expect: S05 error: to_i needs an int (torch.onnx.TensorProtoDataType.FLOAT), got torch.float32
    return g.op("Cast", self, to_i=torch.float32)


@parse_args("v", "f", "f", "f")
def good(g, self, alpha, scale, input_scale):
    # GOOD: bool is accepted for _i, int for _f, None means "leave out"
    y = g.op("ReduceMean", self, axes_i=[0], keepdims_i=True)
    return g.op("Elu", y, alpha_f=1, inplace=True)  # expect: S16 hint: 'inplace' is always ignored by g.op


CASES = [("aten::elu", f, 13, torch.nn.ELU()) for f in (value_f, value_t_float, value_t_list, empty_axes, perm_scalar, axis_list, cast_dtype, good)]

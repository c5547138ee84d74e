# Attribute values of every kind that g.op() takes.
import numpy
import torch
from torch.onnx import TensorProtoDataType, register_custom_op_symbolic
from torch.onnx.symbolic_helper import parse_args


@parse_args("v", "f", "f", "f")
def elu(g, self, alpha, scale, input_scale):
    double = g.op("Cast", self, to_i=TensorProtoDataType.DOUBLE)
    single = g.op("Cast", double, to_i=torch.onnx.TensorProtoDataType.FLOAT)
    number = g.op("Cast", single, to_i=int(TensorProtoDataType.FLOAT))
    whole = g.op("Elu", number, alpha_f=1)
    flag = g.op("ReduceMax", whole, axes_i=(0,), keepdims_i=True)
    listed = g.op("ReduceMax", flag, axes_i=[int(numpy.int64(0))], keepdims_i=False)
    ranged = g.op("Transpose", g.op("Transpose", self, perm_i=range(1, -1, -1)), perm_i=[1, 0])
    constant = g.op("Constant", value_t=torch.as_tensor([[1.0, 2.0, 3.0]]))
    zeros = g.op("Constant", value_t=torch.zeros(1, 3))
    arange = g.op("Constant", value_t=torch.arange(0, 3, dtype=torch.float32))
    array = g.op("Constant", value_t=torch.from_numpy(numpy.ones(3, dtype=numpy.float32)))
    legacy = g.op("Constant", value_t=torch.LongTensor([1, 3]))
    filled = g.op("ConstantOfShape", legacy, value_t=torch.tensor([0.5]))
    total = g.op("Sum", ranged, constant, zeros, arange, array, filled)
    padded = g.op(
        "Pad", total, g.op("Constant", value_t=torch.tensor([0, 0, 0, 0])), torch.tensor(0.0), mode_s="constant"
    )
    nothing = g.op("LeakyRelu", padded)
    return g.op("Add", nothing, g.op("Add", listed, g.op("Elu", single, alpha_f=alpha)))


@parse_args("v", "v", "i")
def resize(g, input, sizes, mode):
    return g.op(
        "Resize",
        input,
        g.op("Constant", value_t=torch.tensor([], dtype=torch.float32)),
        g.op("Constant", value_t=torch.tensor([], dtype=torch.float32)),
        sizes,
        mode_s="nearest" if mode == 0 else "linear",
        coordinate_transformation_mode_s=["asymmetric", "half_pixel"][mode],
        nearest_mode_s="floor",
    )


register_custom_op_symbolic("aten::elu", elu, 11)


class Everything(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.elu(x, 0.4)


MODELS = [(Everything(), (torch.randn(1, 3),), 13)]

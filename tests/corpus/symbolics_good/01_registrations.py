# Every way to register that people use, all of them right. MODELS: (module, arguments, opset) that really export.
import torch
import torch.onnx
import torch.onnx as onnx_export
from torch.onnx import register_custom_op_symbolic as register
from torch.onnx import symbolic_helper as sym_help


def hardshrink(g, self, lambd):
    lambd = g.op("Cast", lambd, to_i=1)
    inside = g.op("Less", g.op("Abs", self), lambd)
    zero = g.op("Constant", value_t=torch.tensor(0.0))
    return g.op("Where", inside, zero, self)


def celu(g, self, alpha):
    value = sym_help._get_const(alpha, "f", "alpha")
    return g.op("Celu", self, alpha_f=value)


@sym_help.parse_args("v", "f", "f")
def hardtanh(g, self, min_val, max_val):
    low = g.op("Constant", value_t=torch.tensor(min_val, dtype=torch.float32))
    high = g.op("Constant", value_t=torch.tensor(max_val, dtype=torch.float32))
    return g.op("Min", g.op("Max", self, low), high)


def build_frac(opset):
    del opset

    def frac(g, self):
        whole = g.op("Mul", g.op("Sign", self), g.op("Floor", g.op("Abs", self)))
        return g.op("Sub", self, whole)

    return frac


MISH_NAME = "aten::mish"

torch.onnx.register_custom_op_symbolic("aten::hardshrink", hardshrink, 9)
onnx_export.register_custom_op_symbolic("aten::celu", celu, opset_version=12)
register(symbolic_name="aten::hardtanh", symbolic_fn=hardtanh, opset_version=12)
register("aten::frac", build_frac(9), 9)
register(MISH_NAME, lambda g, self: g.op("Mul", self, g.op("Tanh", g.op("Softplus", self))), 9)
register("aten::log_sigmoid", lambda g, self: g.op("Neg", g.op("Softplus", g.op("Neg", self))), 9)


def deg2rad(g, self):
    return g.op("Mul", self, torch.tensor(0.017453292519943295, dtype=torch.float32))


def rad2deg(g, self):
    return g.op("Mul", self, g.op("Constant", value_t=torch.tensor(57.29577951308232)))


for name, function in {"aten::deg2rad": deg2rad, "aten::rad2deg": rad2deg}.items():
    for version in range(9, 14):
        register(name, function, version)


class Everything(torch.nn.Module):
    def forward(self, x):
        y = torch.nn.functional.hardshrink(x) + torch.nn.functional.celu(x, 0.5) + torch.nn.functional.hardtanh(x)
        y = y + torch.frac(x) + torch.nn.functional.logsigmoid(x) + torch.nn.functional.mish(x)
        return y + torch.deg2rad(x) + torch.rad2deg(x)


MODELS = [(Everything(), (torch.randn(2, 3),), 13)]

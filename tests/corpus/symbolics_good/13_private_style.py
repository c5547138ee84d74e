# torch: 1.13 2.6
# As torch's own files are written.
import functools

import torch
from torch.onnx import symbolic_helper
from torch.onnx._internal import registration  # expect: A01 hint: private module

_onnx_symbolic = functools.partial(registration.onnx_symbolic, opset=9)


@_onnx_symbolic("aten::deg2rad")
def deg2rad(g, self):
    return g.op("Mul", self, torch.tensor(0.017453292519943295))


@_onnx_symbolic("aten::special_expit", decorate=[symbolic_helper.quantized_args(True)])
@_onnx_symbolic("aten::sigmoid")
def sigmoid(g, self):
    return g.op("Sigmoid", self)


@registration.onnx_symbolic("aten::fmod", opset=[10, 11, 12, 13])
@symbolic_helper.parse_args("v", "v")
def fmod(g, input, other):
    return g.op("Mod", input, other, fmod_i=1)


def _reduce(name, kind):
    def decorate(function):
        @functools.wraps(function)
        def wrapped(g, self, dim=None, keepdim=None):
            return function(g, kind, self)

        return wrapped

    return decorate


class Everything(torch.nn.Module):
    def forward(self, x):
        return torch.fmod(torch.sigmoid(x), 0.25)


MODELS = [(Everything(), (torch.randn(2, 3),), 13)]

# Projects with registries of their own: their decorators change what a function is called with.
import functools

import torch
from torch.onnx import register_custom_op_symbolic

REGISTRY = {}


class Rewriter:
    def __init__(self):
        self.functions = {}

    def register_symbolic(self, name, backend="default", is_pytorch=False, arg_descriptors=None):
        def decorate(function):
            self.functions[name, backend] = (function, is_pytorch, arg_descriptors)
            return function

        return decorate


SYMBOLIC_REWRITER = Rewriter()


@SYMBOLIC_REWRITER.register_symbolic("squeeze", is_pytorch=True)
def squeeze_for_all(ctx, g, self, dim=None):
    """The context comes first here."""
    if dim is None:
        return g.op("Squeeze", self)
    return g.op("Squeeze", self, g.op("Constant", value_t=torch.tensor([dim])))


@SYMBOLIC_REWRITER.register_symbolic("hardsigmoid", is_pytorch=True, arg_descriptors=["v"])
def hardsigmoid_for_all(ctx, g, self):
    return g.op("HardSigmoid", self, alpha_f=1 / 6)


def register(name, opset=11):
    def decorate(function):
        REGISTRY[name] = opset

        @functools.wraps(function)
        def with_state(g, *args, **kwargs):
            return function({"opset": opset}, g, *args, **kwargs)

        register_custom_op_symbolic(f"aten::{name}", with_state, opset)
        return with_state

    return decorate


@register("hardsigmoid")
def hardsigmoid(state, g, self):
    return g.op("HardSigmoid", self, alpha_f=1 / 6, beta_f=0.5 if state["opset"] else 0.0)


def register_all(functions, opset=11):
    for name, function in functions:
        register_custom_op_symbolic("aten::" + name, function, opset)


def relu6(g, self):
    low, high = (g.op("Constant", value_t=torch.tensor(float(bound))) for bound in (0, 6))
    return g.op("Min", g.op("Max", self, low), high)


def tanhshrink(g, self):
    return g.op("Sub", self, g.op("Tanh", self))


register_all([("relu6", relu6), ("tanhshrink", tanhshrink)])


class Everything(torch.nn.Module):
    def forward(self, x):
        return torch.nn.functional.hardsigmoid(x) + torch.nn.functional.relu6(x)


MODELS = [(Everything(), (torch.randn(2, 3),), 13)]

"""Calls of PyTorch's operators for make_outcomes.py: samples of its operator database, and our own variations of them.

What torch.testing imports and these samples don't need is replaced by an empty module where it is not installed.
"""
import copy
import itertools
import re
import sys
import types

import torch

try:
    import setuptools.command.build_ext
except ImportError:
    for name in ("setuptools", "setuptools.command", "setuptools.command.build_ext"):
        sys.modules.setdefault(name, types.ModuleType(name))
    sys.modules["setuptools"].command = sys.modules["setuptools.command"]
    sys.modules["setuptools.command.build_ext"].build_ext = object
try:
    import expecttest
except ImportError:
    sys.modules["expecttest"] = types.ModuleType("expecttest")
    sys.modules["expecttest"].TestCase = object
    sys.modules["expecttest"].ACCEPT = False

from torch.testing._internal.common_methods_invocations import op_db

DATABASE = {torch.float32: 5, torch.int64: 2, torch.bool: 1, torch.complex64: 1, torch.float16: 1}
OWN = {torch.float32: 12, torch.int32: 2, torch.uint8: 2, torch.float64: 2, torch.int64: 4}


def is_tensor(value):
    return isinstance(value, torch.Tensor)


def replace(value, function):
    """`value` with `function(tensor)` for each tensor, in the order of arguments."""
    if is_tensor(value):
        return function(value)
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)([replace(v, function) for v in value])
    if isinstance(value, dict):
        return {k: replace(v, function) for k, v in value.items()}
    return value


class Call(torch.nn.Module):
    """One sample: its tensors are inputs of the graph, everything else is written into it."""

    def __init__(self, op, arguments, keywords):
        super().__init__()
        self.op, self.parts, self.tensors, self.dynamic = op, (arguments, keywords), [], None
        replace(self.parts, lambda t: self.tensors.append(t.detach()))

    def arguments(self):
        return tuple(t.clone() for t in self.tensors)

    def names(self):
        return [f"i{n}" for n in range(len(self.tensors))]

    def changed(self, function):
        """The same call with other tensors."""
        arguments, keywords = replace(self.parts, lambda t: function(t.detach().clone()))
        return Call(self.op, arguments, keywords)

    def forward(self, *tensors):
        rest = iter(tensors)
        arguments, keywords = replace(self.parts, lambda t: next(rest))
        return self.op(*arguments, **keywords)


def operators(pattern):
    for op in op_db:
        if re.search(pattern, op.name):
            yield op, ".".join(filter(None, [op.name, op.variant_test_name]))


def calls(op, dtype, first, last):
    if dtype not in op.supported_dtypes("cpu"):
        return
    torch.manual_seed(0)
    try:
        for i, sample in enumerate(itertools.islice(op.sample_inputs("cpu", dtype), last)):
            if i >= first:
                yield i, Call(op.op, (sample.input, *sample.args), sample.kwargs)
    except Exception:  # Some samples need what is not installed.
        return


def database_samples(pattern):
    for op, name in operators(pattern):
        for dtype, count in DATABASE.items():
            for i, call in calls(op, dtype, 0, count):
                yield f"{name}.{str(dtype).split('.')[-1]}.{i}", call


def without_dimensions(tensor):
    return tensor.flatten()[0].clone() if tensor.numel() > 0 else tensor


def with_ties(tensor):
    """Few different values, negative ones and zeros among them."""
    if tensor.is_floating_point() and tensor.numel() > 0:
        return (tensor.nan_to_num(0, 0, 0) % 3).round() - 1
    return tensor


def variations(call):
    floats = [t for t in call.tensors if t.is_floating_point()]
    yield "scalar", call.changed(without_dimensions)
    if call.tensors and call.tensors[0].dim() > 0:
        rows = itertools.count()
        yield "rank", call.changed(lambda t: t.unsqueeze(0) if next(rows) == 0 else t)
        rows = itertools.count()
        yield "row", call.changed(lambda t: t[0] if next(rows) == 0 and t.shape[0] > 0 else t)
    if floats:
        yield "ties", call.changed(with_ties)
        yield "large", call.changed(lambda t: t * 30 if t.is_floating_point() else t)
        yield "int", call.changed(lambda t: t.nan_to_num(0, 0, 0).int() if t.is_floating_point() else t)
        yield "half", call.changed(lambda t: t.half() if t.is_floating_point() else t)
    axes = {n: {0: f"{n}_0"} for n, t in zip(call.names(), call.tensors) if t.dim() > 0}
    if axes:
        dynamic = copy.copy(call)
        dynamic.dynamic = axes
        yield "dynamic", dynamic


def runs(call):
    try:
        with torch.no_grad():
            call(*call.arguments())
    except Exception:  # A variation need not make sense.
        return False
    return True


def own_samples(pattern):
    """Other samples of the database, and variations of its first ones."""
    for op, name in operators(pattern):
        for dtype, count in OWN.items():
            first = DATABASE.get(dtype, 0)
            for i, call in calls(op, dtype, first, count):
                yield f"own.{name}.{str(dtype).split('.')[-1]}.{i}", call
        for i, call in calls(op, torch.float32, 0, 2):
            if any(t.layout != torch.strided for t in call.tensors):
                continue
            for what, other in variations(call):
                if runs(other):
                    yield f"own.{name}.{what}.{i}", other

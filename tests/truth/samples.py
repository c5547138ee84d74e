"""Calls of PyTorch's operators for make_outcomes.py: samples of its operator database, and our own variations of them.

What torch.testing imports and these samples don't need is replaced by an empty module where it is not installed.
"""
import copy
import itertools
import random
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


SHAPES = {"scalar": without_dimensions, "none": lambda t: t[:0].clone() if t.dim() > 0 else t,
          "single": lambda t: t[tuple(slice(1) for _ in t.shape)].clone()}


def type_samples(pattern):
    """Samples of each element type, and floating-point ones of other shapes."""
    for op, name in operators(pattern):
        for dtype, count in {t: 1 + (t in (torch.float32, torch.int64)) for t in TYPES}.items():
            for i, call in calls(op, dtype, 0, count):
                if all(t.layout == torch.strided for t in call.tensors):
                    yield f"types.{name}.{str(dtype).split('.')[-1]}.{i}", call
        for i, call in calls(op, torch.float32, 0, 1):
            for what, change in SHAPES.items():
                other = call.changed(change)
                if all(t.layout == torch.strided for t in call.tensors) and runs(other):
                    yield f"types.{name}.{what}.{i}", other


def with_argument(value, chance):
    """`value` with some of its numbers and switches changed to ones that decide something: borders, signs, zero."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)([with_argument(v, chance) for v in value])
    if isinstance(value, dict):
        return {k: with_argument(v, chance) for k, v in value.items()}
    if isinstance(value, bool):
        return chance.choice([value, value, not value])
    if isinstance(value, int):
        return chance.choice([value, value, -1, -2, 0, 1, 2, value + 1])
    if isinstance(value, float):
        return chance.choice([value, value, 0.0, 1.0, -1.5, 2.5])
    return value


def without_elements(tensor):
    return tensor[:0].clone() if tensor.dim() > 0 else tensor


CHANGES = [
    without_dimensions, with_ties, without_elements,
    lambda t: t.unsqueeze(0), lambda t: t.unsqueeze(-1), lambda t: t[0] if t.dim() > 0 and t.shape[0] > 0 else t,
    lambda t: torch.cat([t, t]) if t.dim() > 0 else t,
    lambda t: t.abs() + 1 if t.is_floating_point() else t, lambda t: -t.abs() if t.is_floating_point() else t,
    lambda t: t.transpose(0, -1).contiguous() if t.dim() > 1 else t,
]
TYPES = [torch.float32] * 10 + [torch.float64, torch.float16, torch.bfloat16, torch.int64, torch.int64, torch.int32,
                                torch.int16, torch.int8, torch.uint8, torch.bool, torch.complex64]


def dynamic_axes(call, chance):
    axes = {n: {d: f"{n}_{d}" for d in range(t.dim()) if chance.random() < 0.6} for n, t in zip(call.names(), call.tensors)}
    return {n: a for n, a in axes.items() if a} or None


def random_call(op, chance):
    """A sample of `op` with other values, and by chance another type, shape, argument and dynamic axes; None if it has none."""
    dtype = chance.choice([t for t in TYPES if t in op.supported_dtypes("cpu")] or [torch.float32])
    torch.manual_seed(chance.randrange(1 << 30))
    try:
        samples = list(itertools.islice(op.sample_inputs("cpu", dtype), 30))
        sample = chance.choice(samples)
        parts = ((sample.input, *sample.args), sample.kwargs)
        call = Call(op.op, *(with_argument(parts, chance) if chance.random() < 0.5 else parts))
        change, which = chance.choice(CHANGES), chance.randrange(3)
        rows = itertools.count()
        if chance.random() < 0.6:
            call = call.changed(lambda t: change(t) if which == 2 or next(rows) == which else t)
    except Exception:  # Some samples need what is not installed; some changes make no sense.
        return None
    if any(t.layout != torch.strided or t.numel() > 1e5 for t in call.tensors):
        return None
    call.dynamic = dynamic_axes(call, chance) if chance.random() < 0.3 else None
    return call


def random_samples(pattern, seed, count):
    """`count` samples of each operator by chance; the same ones for the same seed. Those that don't run are the caller's."""
    for op, name in operators(pattern):
        chance = random.Random(f"{seed} {name}")
        for i in range(count):
            call = random_call(op, chance)
            if call and call.tensors:
                yield f"seed{seed}.{name}.{i}", call

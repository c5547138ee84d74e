# symbolic() of torch.autograd.Function.
import torch
import torch.autograd
from torch.autograd import Function
from torch.autograd.function import once_differentiable


class Swish(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * torch.sigmoid(x)

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        return grad

    @staticmethod
    def symbolic(g, x):
        return g.op("Mul", x, g.op("Sigmoid", x))


class Scale(torch.autograd.Function):
    """Arguments that are no tensors arrive as they are."""

    @staticmethod
    def symbolic(g, x, factor, axes, mode="up", keep=True):
        if mode != "up":
            factor = 1 / factor
        scaled = g.op("Mul", x, g.op("Constant", value_t=torch.tensor(factor * 2.0)))
        if len(axes) > 1 and keep:
            return g.op("ReduceMean", scaled, axes_i=[int(axis) for axis in axes], keepdims_i=int(keep))
        return g.op("ReduceMean", scaled, axes_i=axes)

    @staticmethod
    def forward(ctx, x, factor, axes, mode="up", keep=True):
        return (x * factor * 2.0).mean(axes, keepdim=keep)


class Pair(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y, x - y

    @staticmethod
    def symbolic(g, x, y):
        return g.op("Add", x, y), g.op("Sub", x, y)


class Sorted(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, k):
        values, indices = torch.topk(x, k)
        return values, indices

    @staticmethod
    def symbolic(g, x, k):
        count = g.op("Constant", value_t=torch.tensor([k], dtype=torch.int64))
        return g.op("TopK", x, count, axis_i=-1, outputs=2)


class Any(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *tensors):
        result = tensors[0]
        for tensor in tensors[1:]:
            result = result + tensor
        return result

    @staticmethod
    def symbolic(g, *tensors):
        return g.op("Sum", *tensors)


class Optional(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, bias=None):
        return x if bias is None else x + bias

    @staticmethod
    def symbolic(g, x, bias=None):
        if bias is None:
            return g.op("Identity", x)
        return g.op("Add", x, bias)


class NoSymbolic(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.clone()


class Plain:
    """No autograd function: what it calls symbolic() is its own business."""

    def symbolic(self, expression, names):
        return [expression, *names]


class Everything(torch.nn.Module):
    def forward(self, x):
        a, b = Pair.apply(Swish.apply(x), x)
        values, _ = Sorted.apply(Any.apply(a, b, x), 2)
        return Scale.apply(Optional.apply(values, None), 3.0, [0, 1]), Optional.apply(values, values)


MODELS = [(Everything(), (torch.randn(2, 3),), 13)]

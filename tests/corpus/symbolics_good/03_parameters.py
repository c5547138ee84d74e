# Parameters: defaults, *args, keyword-only ones, fewer and more than one overload needs.
import torch
from torch.onnx import register_custom_op_symbolic
from torch.onnx import symbolic_helper


def rsub(g, self, other, alpha=None):
    if symbolic_helper._maybe_get_scalar(alpha) is not None and symbolic_helper._scalar(
        symbolic_helper._maybe_get_scalar(alpha)
    ) != 1:
        other = g.op("Mul", other, alpha)
    return g.op("Sub", other, self)


def amax_any(g, self, *args):
    dims, keepdim = args
    axes = symbolic_helper._get_const(dims, "is", "dim")
    keep = symbolic_helper._get_const(keepdim, "i", "keepdim")
    if axes:
        return g.op("ReduceMax", self, axes_i=axes, keepdims_i=keep)
    return g.op("ReduceMax", self, keepdims_i=keep)


def logsumexp(g, self, dim, keepdim, *, extra=None):
    del extra
    return g.op(
        "ReduceLogSumExp",
        self,
        axes_i=symbolic_helper._maybe_get_const(dim, "is"),
        keepdims_i=symbolic_helper._maybe_get_const(keepdim, "i"),
    )


def square(graph, self):
    return graph.op("Mul", self, self)


def reciprocal(g: torch._C.Graph, self: torch._C.Value) -> torch._C.Value:
    one = g.op("Constant", value_t=torch.ones(()))
    return g.op("Div", one, self)


def log_ten(g, self, _outputs=None, **unused):
    base = g.op("Constant", value_t=torch.log(torch.tensor(10.0)))
    return g.op("Div", g.op("Log", self), base)


register_custom_op_symbolic("aten::rsub", rsub, 9)
register_custom_op_symbolic("aten::amax", amax_any, 9)
register_custom_op_symbolic("aten::logsumexp", logsumexp, 9)
register_custom_op_symbolic("aten::square", square, 9)
register_custom_op_symbolic("aten::reciprocal", reciprocal, 9)
register_custom_op_symbolic("aten::log10", log_ten, 9)


class Everything(torch.nn.Module):
    def forward(self, x):
        y = torch.rsub(x, 2.0) + torch.square(x) + torch.reciprocal(x) + torch.log10(x)
        return torch.amax(y, (1,), True), torch.logsumexp(y, (0,), False)


MODELS = [(Everything(), (torch.rand(2, 3) + 0.5,), 13)]

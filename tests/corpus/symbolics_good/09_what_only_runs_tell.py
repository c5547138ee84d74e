# Names, counts, attributes that are known when it runs: nothing to say.
import torch
from torch.onnx import register_custom_op_symbolic, symbolic_helper
from torch.onnx.symbolic_helper import parse_args


def unary(op_type, **attributes):
    def convert(g, self):
        return g.op(op_type, self, **attributes)

    return convert


def reduce_with(kind):
    @parse_args("v", "is", "i")
    def convert(g, self, dim, keepdim):
        return g.op("Reduce" + kind, self, axes_i=dim, keepdims_i=keepdim)

    return convert


def stack(g, tensors, dim):
    axis = symbolic_helper._get_const(dim, "i", "dim")
    position = g.op("Constant", value_t=torch.tensor([axis]))
    parts = [g.op("Unsqueeze", part, position) for part in symbolic_helper._unpack_list(tensors)]
    return g.op("Concat", *parts, axis_i=axis)


@parse_args("v", "i", "i")
def chunk(g, self, chunks, dim):
    size = symbolic_helper._get_tensor_dim_size(self, dim)
    if size is None or size % chunks:
        return symbolic_helper._unimplemented("chunk", "unknown size")
    lengths = g.op("Constant", value_t=torch.tensor([size // chunks] * chunks))
    parts = g.op("Split", self, lengths, axis_i=dim, outputs=chunks)
    return g.op("prim::ListConstruct", *(parts if chunks > 1 else [parts]))


@parse_args("v", "is")
def permute(g, self, dims):
    keywords = dict(perm_i=dims)
    if dims == list(range(len(dims))):
        return g.op("Identity", self)
    return g.op("Transpose", self, **keywords)


@parse_args("v", "is", "v")
def pad(g, self, pad, value):
    inputs = [self, g.op("Constant", value_t=torch.tensor(pad))]
    if not symbolic_helper._is_none(value):
        inputs.append(value)
    return g.op("Pad", *inputs, mode_s="constant")


@parse_args("v", "f", "i", "is")
def attributes_that_may_be_none(g, self, alpha, axis, sizes):
    slope = alpha if alpha else None
    first = g.op("LeakyRelu", self, alpha_f=slope)
    second = g.op("Flatten", first, axis_i=axis if axis is not None else 1)
    perm = None
    if sizes:
        perm = [i for i in range(len(sizes))]
    return g.op("Transpose", second, perm_i=perm)


register_custom_op_symbolic("aten::ceil", unary("Ceil"), 9)
register_custom_op_symbolic("aten::selu", unary("Selu", alpha_f=1.6732632, gamma_f=1.050701), 9)
register_custom_op_symbolic("aten::amin", reduce_with("Min"), 9)
register_custom_op_symbolic("aten::stack", stack, 13)
register_custom_op_symbolic("aten::permute", permute, 9)


class Everything(torch.nn.Module):
    def forward(self, x):
        return torch.stack([torch.ceil(x), torch.selu(x)], 0).permute(1, 0, 2).amin((1,))


MODELS = [(Everything(), (torch.randn(2, 3),), 13)]

"""Further findings whose way out ways_out.py tries: 38 chosen by chance (seed 3150) among those of `check` on the operator
database and on fresh samples, of operators of which none was tried before, at opsets 9, 13 and 17; and those of records that
such samples led to."""
import torch
import torch.nn.functional as F
from ways_out_more import R, T, bools, brain, bytes_, halves, in_float, longs, number, shorts

torch.manual_seed(2)
real, doubles = torch.view_as_real, R(5).double()
fours, small = torch.ones(1, 1, 4, 4, 4), T([1, 2, 3], dtype=torch.int8)
indices, cube = T([[0, 1, 2], [0, 1, 0]]), R(2, 3, 4)


def complexes(*sizes):
    return torch.complex(R(*sizes), R(*sizes))


def of_parts(function):
    """What a linear function makes of a complex tensor."""
    return lambda a, b: torch.stack([function(a), function(b)], -1)


def quotient(a, b, c, d, e, f):
    """a + bi + (c + di) / (e + fi)"""
    size = e * e + f * f
    return torch.stack([a + (c * e + d * f) / size, b + (d * e - c * f) / size], -1)


def product(function):
    """What a bilinear function makes of two complex tensors."""
    return lambda a, b, c, d: torch.stack([function(a, c) - function(b, d), function(a, d) + function(b, c)], -1)


def attention(share):
    return lambda q, k, v: F.scaled_dot_product_attention(q, k, v, dropout_p=share)


CORPUS = [
    ("sum", "beside dtype", 13, lambda x: x.sum(0, dtype=torch.float32), lambda x: x.sum().to(torch.float32), [T(3)]),
    ("tile", "no elements", 13, lambda x: x.tile(()), lambda x: x.tile((1,)), [R(0)]),
    ("argmax", "refuses an axis", 17, lambda x: x.argmax(0), lambda x: x.reshape(1).argmax(0), [number]),
    in_float("log1p", "Long", 17, torch.log1p, [longs]),
    ("addcdiv", "complex", 13, lambda x, y, z: real(x.addcdiv(y, z)), quotient, [complexes(3), complexes(3), complexes(3)]),
    ("one_hot", "no dimension", 17, lambda x: F.one_hot(x, 5), lambda x: F.one_hot(x.reshape(1), 5)[0], [T(3)]),
    ("sum", "refuses an axis", 13, lambda x: x.sum(0), lambda x: x.sum(), [number]),
    ("flip", "empty list", 17, lambda x: x.flip([]) + 1, lambda x: x + 1, [R(3)]),
    ("max_pool2d_with_indices", "dilation", 9, lambda x: F.max_pool2d(x, 2, dilation=2, return_indices=True)[0],
     lambda x: F.max_pool2d(x, 2, dilation=2), [R(1, 1, 6, 6)], 10),
    in_float("_convolution_mode", "Long", 9, lambda x, w: F.conv3d(x, w, padding="same"),
             [fours.long(), torch.ones(1, 1, 2, 2, 2).long()], torch.int64),
    ("movedim", "negative source", 13, lambda x: x.movedim(-1, 0), lambda x: x.movedim(2, 0), [cube]),
    ("broadcast_tensors", "complex", 9, lambda x: real(torch.broadcast_tensors(x, x.reshape(3, 1))[1]),
     of_parts(lambda a: torch.broadcast_tensors(a, a.reshape(3, 1))[1]), [complexes(3)]),
    ("conv_transpose3d", "complex", 17, lambda x, w: real(F.conv_transpose3d(x, w)), product(F.conv_transpose3d),
     [complexes(1, 2, 3, 3, 3), complexes(2, 2, 2, 2, 2)]),
    ("dstack", "complex", 17, lambda x: real(torch.dstack([x, x])), of_parts(lambda a: torch.cat([a.unsqueeze(2), a.unsqueeze(2)], 2)), [complexes(2, 3)]),
    ("conv_transpose1d", "complex", 9, lambda x, w: real(F.conv_transpose1d(x, w)), product(F.conv_transpose1d),
     [complexes(1, 2, 5), complexes(2, 2, 3)]),
    ("cross_entropy_loss", "probabilities", 13, F.cross_entropy, lambda x, p: -(p * x.log_softmax(1)).sum(1).mean(),
     [R(3, 4), R(3, 4).softmax(1)]),
    in_float("mm", "Long", 13, torch.mm, [longs.reshape(3, 1), longs.reshape(1, 3)], torch.int64),
    ("permute", "negative dimension", 13, lambda x: x.permute(-1, 0, 1), lambda x: x.permute(2, 0, 1), [cube]),
    ("norm", "complex", 9, lambda x: torch.norm(x, float("inf")), lambda a, b: (a * a + b * b).sqrt().max(), [complexes(5)]),
    ("cosine_similarity", "Half", 9, lambda x, y: F.cosine_similarity(x, y, 1),
     lambda x, y: F.cosine_similarity(x, y, 1).to(torch.float16), [halves(2, 3), halves(2, 3)]),
    ("atleast_1d", "complex", 17, lambda x: real(torch.atleast_1d(x)), of_parts(torch.atleast_1d), [complexes(())]),
    in_float("atan2", "Short", 13, torch.atan2, [shorts, shorts]),
    in_float("atan2", "Long", 13, torch.atan2, [longs, longs]),
    in_float("clamp_max", "Bool", 13, torch.clamp_max, [bools, T(True)], torch.bool),
    ("full_like", "complex", 9, lambda x: real(torch.full_like(x, 2, dtype=torch.complex64)),
     lambda x: torch.stack([torch.full_like(x, 2) + 0 * x, torch.zeros_like(x)], -1), [R(3)]),
    in_float("dot", "Char", 17, torch.dot, [small, small], torch.int8),
    ("layer_norm", "one element", 9, lambda x, w, b: F.layer_norm(x, (1,), w, b), lambda x, w, b: b + 0 * x * w, [R(1), R(1), R(1)]),
    ("cumsum", "complex", 13, lambda x: real(x.cumsum(0)), of_parts(lambda a: a.cumsum(0)), [complexes(4)]),
    ("slice", "a step", 9, lambda x: x[::2], None, [R(5)], 10),
    ("argmin", "refuses an axis", 13, lambda x: x.argmin(0), lambda x: x.argmin(), [number]),
    ("feature_alpha_dropout", "training mode", 13, lambda x: F.feature_alpha_dropout(x, training=True) * 0,
     lambda x: F.feature_alpha_dropout(x, training=False) * 0, [R(2, 3)]),
    in_float("scatter_add", "Half", 17, lambda x, s: x.scatter_add(0, T([0, 1, 1]), s), [halves(4), halves(3)], torch.float16),
    ("scaled_dot_product_attention", "does not drop", 17, attention(0.5), attention(0.0), [R(1, 2, 3, 4)] * 3),
    ("tile", "no dimension", 13, lambda x: x.tile(3), lambda x: x.reshape(1).tile(3), [number]),
    ("eq", "integers and Bool", 9, torch.eq, None, [R(3), R(3)], 11),
    in_float("le", "Bool", 17, torch.le, [bools, bools]),
    ("upsample_nearest2d", "nothing smaller", 9, lambda x: F.interpolate(x, size=(3, 3)), None, [R(2, 3, 4, 4)], 11),
    in_float("atan2", "Byte", 9, torch.atan2, [bytes_ + 1, bytes_ + 1]),

    ("upsample_nearest2d", "rounds up", 10, lambda x: F.interpolate(x, size=(3, 3)), None, [R(2, 3, 4, 4)], 11),
    ("div", "type of the first", 17, lambda a, b: torch.div(a, b, rounding_mode="trunc"),
     lambda a, b: torch.div(a.double(), b, rounding_mode="trunc"), [longs, R(3).double() + 1]),
    ("div", "type of the first", 9, lambda a, b: torch.div(a, b, rounding_mode="trunc"),
     lambda a, b: torch.div(a.long(), b, rounding_mode="trunc"), [longs.int(), longs]),
    ("linalg_norm", "without a dimension", 13, lambda x: torch.linalg.norm(x, 3),
     lambda x: torch.linalg.norm(x, 3, dim=0, keepdim=True).reshape(()), [doubles]),
    ("linalg_vector_norm", "without a dimension", 17, lambda x: torch.linalg.vector_norm(x, 3),
     lambda x: torch.linalg.vector_norm(x, 3, dim=(0, 1), keepdim=True).reshape(()), [R(2, 3).double()]),
    ("scatter", "as many of both", 13, lambda x, i, s: x.scatter(0, i, s), lambda x, i, s: x.scatter(0, i, s[:2, :3]),
     [R(3, 5), indices, R(3, 5)]),
    ("scatter_reduce", "as many of both", 17, lambda x, i, s: x.scatter_reduce(0, i, s, "sum"),
     lambda x, i, s: x.scatter_reduce(0, i, s[:2, :3], "sum"), [R(3, 5), indices, R(3, 5)]),
    ("nll_loss_nd", "BFloat16", 13, brain(lambda x: F.nll_loss(x, T([0, 1, 0]), reduction="sum")),
     lambda x: F.nll_loss(x, T([0, 1, 0]), reduction="sum"),
     [T([[0.5, 1.0, 0.25], [0.5, 2.0, 0.25], [1.0, 2.0, 0.25]])]),
]

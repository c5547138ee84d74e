"""Further findings whose way out ways_out.py tries: 50 chosen by chance (seed 20261123) among those of the operator database's
other third, and 50 (seed 777) among those of fresh random samples, at opsets 9 to 17."""
import torch
import torch.nn.functional as F

R, T = torch.rand, torch.tensor
torch.manual_seed(1)
bools, bytes_, longs, number = T([True, False, True]), T([1, 2, 0], dtype=torch.uint8), T([1, 2, 3]), T(3.0)
shorts, one_image = T([3, 1, 2], dtype=torch.int16), torch.arange(16).reshape(1, 1, 4, 4)


def halves(*sizes):
    return R(*sizes).half()


def windows(x, dim, count, reduce):
    """What an adaptive pooling makes of one dimension."""
    n = int(x.shape[dim])
    bounds = [(i * n // count, -(-(i + 1) * n // count)) for i in range(count)]
    return torch.stack([reduce(x.narrow(dim, a, b - a), dim) for a, b in bounds], dim)


def mean(x, dim):
    return x.mean(dim)


def amax(x, dim):
    return x.amax(dim)


def brain(function):
    """The call with its input in bfloat16, which numpy lacks, and back."""
    return lambda *xs: function(*[x.bfloat16() for x in xs]).float()


def as_float(function, back=None):
    """Convert the input to float first."""
    return lambda *xs: function(*[x.float() for x in xs]) if back is None else function(*[x.float() for x in xs]).to(back)


def in_float(op, what, opset, function, tensors, back=None):
    return op, what, opset, function, as_float(function, back), tensors


def in_brain(op, opset, function, count=1):
    return op, "BFloat16", opset, brain(function), function, [T([0.25, 2.0, 1.0])] * count


def means(x, i, s):
    counts = torch.ones_like(x).scatter_reduce(0, i, torch.ones_like(s), "sum", include_self=True)
    return x.scatter_reduce(0, i, s, "sum", include_self=True) / counts


def unequal(a, b):
    return (a.unsqueeze(-2) != b.unsqueeze(-3)).float().sum(-1)


def max_without_self(x, i, s):
    return x.scatter(0, i, torch.full_like(s, float("-inf"))).scatter_reduce(0, i, s, "amax", include_self=True)


OTHER_THIRD = [
    ("unfold", "no dimension", 17, lambda x: x.unfold(0, 1, 1), lambda x: x.reshape(1).unfold(0, 1, 1)[0], [number]),
    ("scatter_reduce", "no mean", 17, lambda x, i, s: x.scatter_reduce(0, i, s, "mean", include_self=True), means,
     [R(5), T([0, 1, 1]), R(3)]),
    in_float("avg_pool3d", "Long", 13, lambda x: F.avg_pool3d(x, 2), [torch.ones(1, 1, 4, 4, 4).long()], torch.int64),
    ("cdist", "power 0", 17, lambda a, b: torch.cdist(a, b, 0), unequal, [R(4, 3), R(5, 3)]),
    in_float("tanh", "Bool", 9, torch.tanh, [bools]),
    ("amin", "refuses an axis", 12, lambda x: x.amin(0), lambda x: x.amin(), [number]),
    ("squeeze", "refuses an axis", 17, lambda x: x.squeeze(0), lambda x: x.reshape(1).squeeze(0), [number]),
    ("max_pool2d", "dilation", 9, lambda x: F.max_pool2d(x, 2, dilation=2), None, [R(1, 2, 6, 6)], 10),
    in_float("max_pool2d", "Long", 9, lambda x: F.max_pool2d(x, 2), [one_image], torch.int64),
    in_float("clamp_min", "Bool", 13, torch.clamp_min, [bools, T(True)], torch.bool),
    ("adaptive_avg_pool1d", "doesn't divide", 13, lambda x: F.interpolate(x, size=3, mode="area"),
     lambda x: windows(x, 2, 3, mean), [halves(2, 3, 4)]),
    in_float("addmm", "Long", 17, torch.addmm, [T([[1, 2], [3, 4]])] * 3, torch.int64),
    ("any", "refuses an axis", 17, lambda x: x.any(0), lambda x: x.reshape(1).any(0), [T(True)]),
    ("multinomial", "several samples", 13, lambda x: torch.multinomial(x, 2) * 0,
     lambda x: torch.multinomial(x, 2, replacement=True) * 0, [R(2, 4)]),
    ("index_put", "a mask over the first dimensions", 17, lambda x, v: x.index_put((bools,), v),
     lambda x, v: x.index_put((bools,), v.expand(2, 4)), [R(3, 4), R(4)]),
    ("argsort", "stable", 13, lambda x: x.argsort(stable=True), lambda x: x.sort()[1], [T([3.0, 1.0, 2.0])]),
    ("adaptive_max_pool2d", "no batch", 17, lambda x: F.adaptive_max_pool2d(x, (2, 2)),
     lambda x: F.adaptive_max_pool2d(x.unsqueeze(0), (2, 2)).squeeze(0), [R(4, 4, 4)]),
    in_float("isnan", "Bool", 17, torch.isnan, [bools]),
    in_float("log2", "Long", 17, torch.log2, [longs]),
    ("randint_like", "is Long instead of Float", 17, lambda x: torch.randint_like(x, 0, 5) * 0,
     lambda x: torch.randint_like(x, 0, 5).to(torch.float) * 0, [R(3)]),
    in_float("log10", "Long", 13, torch.log10, [longs]),
    ("adaptive_max_pool1d", "no batch", 17, lambda x: F.adaptive_max_pool1d(x, 2),
     lambda x: F.adaptive_max_pool1d(x.unsqueeze(0), 2).squeeze(0), [R(3, 4)]),
    in_float("add", "Bool", 9, torch.add, [bools, bools], torch.bool),
    ("adaptive_max_pool1d", "no batch, one window", 13, lambda x: F.adaptive_max_pool1d(x, 1),
     lambda x: F.adaptive_max_pool1d(x.unsqueeze(0), 1).squeeze(0), [R(3, 4)]),
    ("randn", "Half", 9, lambda x: x + torch.randn(3, dtype=torch.half) * 0, lambda x: x + torch.randn(3).to(torch.half) * 0,
     [halves(3)]),
    in_float("tanh", "Long", 9, torch.tanh, [longs]),
    in_float("exp", "Long", 9, torch.exp, [longs]),
    in_float("cos", "Long", 9, torch.cos, [longs]),
    ("repeat_interleave", "no dimension", 9, lambda x: x.repeat_interleave(3), None, [number], 13),
    in_float("asin", "Bool", 13, torch.asin, [bools]),
    ("log10", "becomes Float", 13, torch.log10, lambda x: x.log10().to(torch.half), [halves(3)]),
    ("min", "refuses an axis", 13, lambda x: x.min(0), lambda x: x.reshape(1).min(0), [number]),
    ("mean", "refuses an axis", 11, lambda x: x.mean(0), lambda x: x.reshape(1).mean(0), [number]),
    ("softmax", "Long", 17, lambda x: x.softmax(0, dtype=torch.float), lambda x: x.float().softmax(0), [longs]),
    ("max", "refuses an axis", 13, lambda x: x.max(0), lambda x: x.reshape(1).max(0), [number]),
    ("upsample_trilinear3d", "align_corners", 9,
     lambda x: F.interpolate(x, size=(3, 3, 3), mode="trilinear", align_corners=True), None, [R(1, 1, 2, 2, 2)], 11),
    in_float("minimum", "Bool", 13, torch.minimum, [bools, ~bools], torch.bool),
    in_float("max_pool3d", "Long", 9, lambda x: F.max_pool3d(x, 2), [torch.arange(64).reshape(1, 1, 4, 4, 4)], torch.int64),
    ("adaptive_max_pool1d", "doesn't divide", 13, lambda x: F.adaptive_max_pool1d(x, 3), lambda x: windows(x, 2, 3, amax),
     [halves(3, 4, 4)]),
    ("squeeze", "a list", 17, lambda x: x.squeeze((1, 3)), lambda x: x.squeeze(3).squeeze(1), [R(2, 1, 2, 1)]),
    ("softmax", "Bool", 13, lambda x: x.softmax(0, dtype=torch.float), lambda x: x.float().softmax(0), [bools]),
    ("index_copy", "no dimension", 17, lambda x, i, s: x.index_copy(0, i, s),
     lambda x, i, s: x.reshape(1).index_copy(0, i, s.reshape(1)).reshape(()), [T(3), T([0]), T(5)]),
    ("linspace", "dtype is left out", 17, lambda a, b: torch.linspace(a, b, 3, dtype=torch.half),
     lambda a, b: torch.linspace(a, b, 3).to(torch.half), [T(1.0), T(5.0)]),
    ("linalg_vector_norm", "ord=0", 9, lambda x: torch.linalg.vector_norm(x, 0), None, [T([0.0, 1.0])], 11),
    in_float("atan", "Long", 17, torch.atan, [longs]),
    ("adaptive_max_pool3d", "doesn't divide", 17, lambda x: F.adaptive_max_pool3d(x, (4, 3, 5)),
     lambda x: windows(x, 3, 3, amax), [R(1, 4, 4, 4, 5)]),
    ("log10", "gets a dimension", 9, torch.log10, lambda x: x.log() * 0.4342944819032518, [number]),
    ("max_pool3d_with_indices", "dilation", 9, lambda x: F.max_pool3d(x, 2, dilation=2, return_indices=True), None,
     [R(1, 1, 4, 4, 4)], 10),
    ("scatter_reduce", "include_self", 17, lambda x, i, s: x.scatter_reduce(0, i, s, "amax", include_self=False),
     max_without_self, [R(3), T([0, 1]), R(2)]),
    ("dropout", "ratio of 1", 17, lambda x: F.dropout(x, 1.0), lambda x: x * 0, [R(3)]),
]

FRESH = [
    in_float("cos", "Byte", 13, torch.cos, [bytes_]),
    ("masked_select", "only the mask is expanded", 13, lambda x, m: x.masked_select(m),
     lambda x, m: x.expand(2, 3).masked_select(m), [R(1, 3), T([[True, False, True], [False, True, True]])]),
    in_brain("kl_div", 17, lambda x: F.kl_div(x, torch.ones_like(x), reduction="none")),
    in_float("pixel_shuffle", "Short", 13, lambda x: F.pixel_shuffle(x, 2), [one_image.reshape(1, 4, 2, 2).short()], torch.int16),
    in_float("erf", "Bool", 9, torch.erf, [bools]),
    ("index_copy", "no dimension", 13, lambda x, i, s: x.index_copy(0, i, s),
     lambda x, i, s: x.reshape(1).index_copy(0, i, s.reshape(1)).reshape(()), [T(3), T([0]), T(5)]),
    ("nan_to_num", "gets a dimension", 17, torch.nan_to_num, lambda x: x.reshape(1).nan_to_num().reshape(()), [T(float("nan"))]),
    in_brain("topk", 9, lambda x: x.topk(2)[0]),
    ("softmax", "BFloat16", 17, brain(lambda x: x.softmax(0)), lambda x: x.softmax(0), [T([2.0, 2.0])]),
    in_brain("reshape_as", 9, lambda x: x.reshape_as(x)),
    ("neg", "Byte", 9, lambda x: -x, lambda x: (-x.float()).to(torch.int32).to(torch.uint8), [bytes_]),
    ("linspace", "dtype is left out", 17, lambda a, b: torch.linspace(a, b, 3, dtype=torch.int64),
     lambda a, b: torch.linspace(a, b, 3).to(torch.int64), [T(1.0), T(5.0)]),
    ("randint_like", "floating point only", 9, lambda x: torch.randint_like(x, 0, 5) * 0 + x,
     lambda x: torch.randint(0, 5, (3,)) * 0 + x, [longs]),
    ("feature_dropout", "training", 13, lambda x: F.dropout3d(x, 0.0), lambda x: F.dropout3d(x, 0.0, training=False),
     [R(1, 2, 3, 3, 3)]),
    ("aminmax", "counted from the end", 17, lambda x: x.aminmax(dim=-1)[0], lambda x: x.aminmax(dim=2)[0], [R(5, 0, 5)]),
    in_brain("amin", 9, lambda x: x.amin(0)),
    in_float("sort", "Short", 9, lambda x: x.sort(descending=True)[0], [shorts], torch.int16),
    ("adaptive_max_pool3d", "no batch", 17, lambda x: F.adaptive_max_pool3d(x, (2, 2, 2)),
     lambda x: F.adaptive_max_pool3d(x.unsqueeze(0), (2, 2, 2)).squeeze(0), [R(4, 4, 4, 4)]),
    ("index_add", "alpha", 17, lambda x, i, s: x.index_add(0, i, s, alpha=2), lambda x, i, s: x.index_add(0, i, s * 2),
     [R(4, 2), T([0, 2]), R(2, 2)]),
    ("all", "Byte", 13, lambda x: x.all(), lambda x: x.bool().all().to(torch.uint8), [bytes_]),
    in_float("tanh", "Int", 13, torch.tanh, [longs.int()]),
    ("scatter_reduce", "no mean", 17, lambda x, i, s: x.scatter_reduce(0, i, s, "mean", include_self=True), means,
     [R(5), T([0, 1, 1]), R(3)]),
    ("pow", "becomes Float", 9, torch.pow, lambda a, b: (a ** b).to(torch.int8), [T([2, 3]).char(), T([2, 2]).char()]),
    ("index_fill", "no dimension", 9, lambda x, i: x.index_fill(0, i, 2.0),
     lambda x, i: x.reshape(1).index_fill(0, i, 2.0).reshape(()), [number, T([0])]),
    ("prelu", "no dimension", 17, F.prelu, lambda x, w: F.prelu(x, w.reshape(1)), [R(2, 3, 4) - 0.5, T(0.2)]),
    ("embedding_bag", "this form", 17, lambda w, i: F.embedding_bag(i, w, padding_idx=0, mode="sum"),
     lambda w, i: (F.embedding(i, w) * (i != 0).unsqueeze(-1)).sum(1), [R(5, 3), T([[1, 0], [2, 3]])]),
    ("all", "Char", 9, lambda x: x.all(), lambda x: x.bool().all(), [longs.char()]),
    ("rsqrt", "taken for Float", 9, torch.rsqrt, lambda x: x.reshape(1).rsqrt().reshape(()), [number.double()]),
    ("softmax", "BFloat16", 9, brain(lambda x: x.softmax(0)), lambda x: x.softmax(0), [T([2.0, 2.0])]),
    in_brain("broadcast_to", 9, lambda x: x.broadcast_to(2, 3)),
    in_brain("hardshrink", 9, F.hardshrink),
    in_brain("min", 13, torch.min, 2),
    ("any", "cut to integers", 9, lambda x: x.any(), lambda x: x.bool().any(), [T([0.5, -0.5])]),
    in_float("where", "Short", 17, lambda x: torch.where(bools, x, -x), [shorts], torch.int16),
    ("log_softmax", "reads a dimension", 9, lambda x: x.log_softmax(0), lambda x: x.reshape(1).log_softmax(0).reshape(()), [number]),
    ("prod", "refuses an axis", 17, lambda x: x.prod(0), lambda x: x.prod(), [number]),
    ("view_as", "no dimension", 9, lambda x, y: x.view_as(y) + y, lambda x, y: x + y, [number, number]),
    in_float("adaptive_avg_pool1d", "Double", 17, lambda x: F.adaptive_avg_pool1d(x, 2), [R(1, 2, 4).double()], torch.float64),
    ("instance_norm", "five outputs", 17, lambda x: F.instance_norm(x, torch.zeros(3), torch.ones(3)), F.instance_norm,
     [R(2, 3, 4)]),
    ("relu6", "Short", 17, F.relu6, as_float(F.relu6, torch.int16), [shorts]),
    ("avg_pool1d", "ceil_mode", 17, lambda x: F.avg_pool1d(x, 3, 2, ceil_mode=True),
     lambda x: F.avg_pool1d(x, 3, 2, ceil_mode=True, count_include_pad=False), [R(1, 1, 6)]),
    in_brain("mul", 9, torch.mul, 2),
    in_brain("neg", 17, torch.neg),
    in_float("sin", "Long", 13, torch.sin, [longs]),
    in_float("exp", "Bool", 13, torch.exp, [bools]),
    ("upsample_bilinear2d", "from the corner of a pixel", 9, lambda x: F.interpolate(x, size=(7, 9), mode="bilinear"), None,
     [R(1, 1, 4, 4)], 11),
    ("sort", "always descending", 9, lambda x: x.sort()[0], None, [R(5)], 11),
]

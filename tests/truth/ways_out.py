"""The ways out that findings name, tried: each call fails or comes out wrong as its finding says, and what the finding
says to write instead exports, runs, and comes out as in PyTorch.

    ways_out.py OUT.tsv     run by the Python of a torch with onnxruntime

The findings were chosen by chance among the different ones of `check` on the operator database and on random samples of it:
50 here (seed 20261122; opsets 9, 13 and 17), the others in ways_out_more.py and ways_out_corpus.py. A row of WAYS is an operator, the reason in short,
the opset, the call, its way out (None: the same call), tensors, and the opset of the way out if it is another one. OUT gets
the number, operator, reason and opset, what becomes of the call and of the way out, why, and whether both are the same in
PyTorch; that is a matter of the reason.
"""
import sys
import warnings

import make_outcomes as outcomes
from samples import Call
from ways_out_corpus import CORPUS
from ways_out_more import FRESH, OTHER_THIRD, amax, mean, windows

import torch
import torch.nn.functional as F

R, T = torch.rand, torch.tensor
torch.manual_seed(0)


def pairs(x):
    """A complex tensor as real and imaginary part."""
    return [x.real.clone(), x.imag.clone()]


def mean_of_sum(x, i, s):
    counts = torch.ones_like(x).scatter_reduce(0, i, torch.ones_like(s), "sum", include_self=True)
    return x.scatter_reduce(0, i, s, "sum", include_self=True) / counts


def zero_beside(x):
    return torch.stack([x.float(), torch.zeros_like(x, dtype=torch.float)], -1)


def quotient(a, b):
    return torch.div(a, b, rounding_mode="floor")


def vectors(a, b):
    return F.pairwise_distance(a.unsqueeze(0), b.unsqueeze(0)).squeeze(0)


complexes = torch.complex(R(3, 2), R(3, 2))
WAYS = [
    ("index_put", "needs opset 11", 9, lambda x, v: x.index_put((T([0, 1]),), v), None, [R(4, 2), R(2, 2)], 11),
    ("log10", "gets a dimension", 13, lambda x: x.log10(), lambda x: x.log() * 0.4342944819032518, [T(3.0)]),
    ("scatter_reduce", "no mean", 17, lambda x, i, s: x.scatter_reduce(0, i, s, "mean", include_self=True),
     mean_of_sum,
     [R(4), T([0, 1, 1]), R(3)]),
    ("_unique2", "needs opset 11", 9, lambda x: x.unique(), None, [T([3, 1, 3])], 11),
    ("_conj", "complex", 17, lambda x: torch.view_as_real(x.conj() * x), lambda a, b: torch.stack([a * a + b * b, b * 0], -1),
     [complexes]),
    ("logit", "eps becomes an integer", 17, lambda x: torch.logit(x, 0.1), lambda x: torch.logit(x.float(), 0.1), [T([0, 1])]),
    ("randint_like", "is Long instead of Half", 13, lambda x: torch.randint_like(x, 0, 5) * 0,
     lambda x: torch.randint_like(x, 0, 5).to(torch.float16) * 0, [R(3).half()]),
    ("pad", "circular with a negative size", 13, lambda x: F.pad(x, (-1, 2), mode="circular"),
     lambda x: F.pad(x[..., 1:], (0, 2), mode="circular"), [R(1, 2, 6)]),
    ("batch_norm", "reads a dimension that isn't there", 13, lambda x, m, v: F.batch_norm(x, m, v, training=False), None,
     [R(0), R(0), R(0)]),
    ("bitwise_right_shift", "negative numbers", 13, lambda a, b: a >> b, lambda a, b: quotient(a, 2 ** b),
     [T([-7, 7, -1]), T([1, 1, 2])]),
    ("linspace", "a step divided by zero", 13, lambda a, b: torch.linspace(a, b, 1), lambda a, b: a.reshape(1) + b * 0,
     [T(2.0), T(5.0)]),
    ("std", "keepdim is left out", 17, lambda x: torch.std(x, dim=None, keepdim=True),
     lambda x: torch.std(x, dim=(0, 1), keepdim=True), [R(3, 4)]),
    ("addmm", "forgets beta", 17, lambda c, a, b: torch.addmm(c, a, b, beta=0.2, alpha=0.6),
     lambda c, a, b: torch.addmm(c * 0.2, a, b, alpha=0.6), [R(2, 3), R(2, 0), R(0, 3)]),
    ("bitwise_or", "only bool", 17, lambda a, b: a | b, lambda a, b: (a.bool() | b.bool()).int(),
     [T([0, 1], dtype=torch.int32), T([1, 1], dtype=torch.int32)]),
    ("conj_physical", "complex", 9, lambda x: torch.view_as_real(x.conj_physical()), lambda a, b: torch.stack([a, -b], -1),
     [complexes]),
    ("log_softmax", "reads a dimension that isn't there", 9, lambda x: x.log_softmax(0),
     lambda x: x.reshape(1).log_softmax(0).reshape(()), [T(3.0)]),
    ("_convolution", "output_padding", 9,
     lambda x, w: F.conv_transpose2d(x, w, stride=1, padding=1, output_padding=1, dilation=2),
     lambda x, w: F.conv_transpose2d(x, w, stride=1, padding=0, dilation=2)[:, :, 1:, 1:], [R(1, 2, 4, 4), R(2, 2, 3, 3)]),
    ("index_add", "alpha", 17, lambda x, i, s: x.index_add(0, i, s, alpha=3), lambda x, i, s: x.index_add(0, i, s * 3),
     [R(4, 2), T([0, 2]), R(2, 2)]),
    ("feature_dropout", "training", 13, lambda x: F.dropout2d(x, 0.5), lambda x: F.dropout2d(x, 0.5, training=False),
     [R(1, 2, 3, 3)]),
    ("avg_pool3d", "divisor_override", 13, lambda x: F.avg_pool3d(x, 2, divisor_override=4),
     lambda x: F.avg_pool3d(x, 2) * (8 / 4), [R(1, 1, 4, 4, 4)]),
    ("adaptive_max_pool3d", "doesn't divide", 9, lambda x: F.adaptive_max_pool3d(x, (3, 4, 2)),
     lambda x: windows(windows(x, 2, 3, amax), 4, 2, amax), [R(1, 3, 4, 4, 6)]),
    ("linalg_vector_norm", "ord=0", 9, lambda x: torch.linalg.vector_norm(x, 0), None, [T([0.0, 1.0, 2.0])], 11),
    ("linalg_norm", "counts on dim", 9, lambda x: torch.linalg.norm(x, 0), lambda x: torch.linalg.vector_norm(x, 0),
     [T([0.0, 1.0, 2.0])], 11),
    ("alpha_dropout", "training", 9, lambda x: F.alpha_dropout(x, 0.5, training=True),
     lambda x: F.alpha_dropout(x, 0.5, training=False), [R(5)]),
    ("pairwise_distance", "keeps a dimension", 9, lambda a, b: F.pairwise_distance(a, b), vectors, [R(5), R(5)]),
    ("avg_pool3d", "divisor_override", 9, lambda x: F.avg_pool3d(x, 2, divisor_override=4),
     lambda x: F.avg_pool3d(x, 2) * (8 / 4), [R(1, 1, 4, 4, 4)]),
    ("repeat_interleave", "no dimension", 9, lambda x: x.repeat_interleave(3), lambda x: x.reshape(1).repeat_interleave(3),
     [T(2.0)]),
    ("index_add", "alpha", 13, lambda x, i, s: x.index_add(0, i, s, alpha=-1), lambda x, i, s: x.index_add(0, i, s * -1),
     [R(4, 2), T([0, 2]), R(2, 2)]),
    ("upsample_bilinear2d", "align_corners", 9, lambda x: F.interpolate(x, size=(5, 5), mode="bilinear", align_corners=True),
     None, [R(1, 2, 4, 4)], 11),
    ("index_put", "occur twice", 17, lambda x, v: x.index_put((T([1, 1]),), v, accumulate=True), lambda x,
     v: x.scatter_add(0, T([1, 1]), v), [R(4), R(2)]),
    ("to", "complex", 13, lambda x: torch.view_as_real(x.cfloat()), zero_beside, [T([True, False])]),
    ("logit", "eps becomes an integer", 9, lambda x: torch.logit(x, 0.1), lambda x: torch.logit(x.float(), 0.1), [T([0, 1])]),
    ("bitwise_not", "only bool", 9, lambda x: ~x, lambda x: -x - 1, [T([0, 5, -3])]),
    ("linalg_matrix_norm", "nuclear", 13, lambda x: torch.linalg.matrix_norm(x, "nuc"),
     lambda x: torch.linalg.matrix_norm(x, "fro"), [R(3, 4)]),
    ("adaptive_max_pool2d", "no batch", 17, lambda x: F.adaptive_max_pool2d(x, (2, 2)),
     lambda x: F.adaptive_max_pool2d(x.unsqueeze(0), (2, 2)).squeeze(0), [R(4, 4, 4)]),
    ("to", "complex", 13, lambda x: torch.view_as_real(x.cfloat()), zero_beside, [R(3).half()]),
    ("feature_dropout", "training", 17, lambda x: F.dropout3d(x, 0.5), lambda x: F.dropout3d(x, 0.5, training=False),
     [R(1, 2, 3, 3, 3)]),
    ("softplus", "threshold", 13, lambda x: F.softplus(x, 1, 0.2), lambda x: torch.where(x > 0.2, x, F.softplus(x, 1)), [R(9)]),
    ("cumsum", "needs opset 11", 9, lambda x: x.cumsum(0), None, [R(3, 2)], 11),
    ("adaptive_avg_pool2d", "no batch", 13, lambda x: F.adaptive_avg_pool2d(x, (2, 2)),
     lambda x: F.adaptive_avg_pool2d(x.unsqueeze(0), (2, 2)).squeeze(0), [R(4, 4, 4)]),
    ("floor_divide", "negative quotients", 13, lambda a, b: torch.floor_divide(a, b), quotient,
     [T([-7.0, 7.0]), T([2.0, 2.0])]),
    ("avg_pool2d", "divisor_override", 9, lambda x: F.avg_pool2d(x, 2, divisor_override=3),
     lambda x: F.avg_pool2d(x, 2) * (4 / 3), [R(1, 1, 4, 4)]),
    ("avg_pool3d", "ceil_mode", 13, lambda x: F.avg_pool3d(x, 3, 2, ceil_mode=True),
     lambda x: F.avg_pool3d(x, 3, 2, ceil_mode=True, count_include_pad=False), [R(1, 1, 6, 6, 6)]),
    ("adaptive_avg_pool2d", "doesn't divide", 13, lambda x: F.adaptive_avg_pool2d(x, (5, 5)),
     lambda x: windows(windows(x, 2, 5, mean), 3, 5, mean), [R(2, 3, 4, 4)]),
    ("linspace", "dtype is left out", 17, lambda a, b: torch.linspace(a, b, 3, dtype=torch.int64),
     lambda a, b: torch.linspace(a, b, 3).to(torch.int64), [T(1), T(5)]),
    ("topk", "ascending", 9, lambda x: x.topk(2, largest=False), None, [R(5)], 11),
    ("any", "cut to integers", 17, lambda x: x.any(), lambda x: x.bool().any(), [T([1, -1])]),
    ("linalg_vector_norm", "ord=0", 9, lambda x: torch.linalg.vector_norm(x, 0, dim=[1]), None, [T([[0.0, 1.0, 2.0]])], 11),
    ("to", "complex", 9, lambda x: torch.view_as_real(x.to(torch.complex64)), zero_beside, [R(3)]),
    ("max_pool3d", "dilation", 9, lambda x: F.max_pool3d(x, 2, stride=1, dilation=2), None, [R(1, 2, 4, 4, 4)], 10),
]


WAYS += OTHER_THIRD + FRESH + CORPUS


def result_of(call, opset):
    """(what becomes of it, detail, eager's results)"""
    model = outcomes.export(call, opset)
    expected, _ = outcomes.twice(call)
    if not isinstance(model, bytes):
        return "refused", model[1][:90], expected
    result, detail = outcomes.run_model(model, call)
    return result, detail[:90], expected


def compare(call, way):
    if len(call) != len(way):
        return "differ"
    differences = [d for a, b in zip(call, way) if (d := outcomes.is_same(a, b))]
    return differences[0] if differences else "same"


def main():
    warnings.simplefilter("ignore")
    bad = 0
    with open(sys.argv[1], "w") as out:
        for n, (op, what, opset, call, way, tensors, *newer) in enumerate(WAYS, 1):
            def look():
                parts = [p for t in tensors for p in (pairs(t) if t.is_complex() and way else [t])]
                was, _, expected = result_of(Call(call, tuple(tensors), {}), opset)
                now, detail, got = result_of(Call(way or call, tuple(parts), {}), *(newer or [opset]))
                return [was, now, detail, compare(expected, got)]
            was, now, detail, numbers = outcomes.apart(look) or ["crash", "crash", "", ""]
            bad += was == "same" or now != "same"
            out.write("\t".join([str(n), op, what, str(opset), was, now, detail, numbers]) + "\n")
    print(f"{len(WAYS) - bad} of {len(WAYS)} ways out export and give eager's numbers")


if __name__ == "__main__":
    main()

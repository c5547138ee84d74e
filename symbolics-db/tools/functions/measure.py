#!/usr/bin/env python3
"""What functions of torch, methods of tensors and layers of torch.nn become when an exporter looks at them.

    PYTHONPATH=tests/truth measure.py OUT.json [--only REGEX] [--traced]

Run by the Python of the torch that is asked. Calls each function of PyTorch's databases of operators and modules by the names that people
write, with samples of several element types, and notes which operators are in every trace of it (TorchScript exporter) and, from torch 2.5 on,
which operators are in every program that torch.export captures (dynamo exporter). OUT holds
{"torch": "2.14", "torchscript": {"torch.special.i0e": ["aten::special_i0e"]}, "dynamo": {...}}; what has no operator in common is left
out. write.py makes records of it.
"""
import argparse
import functools
import json
import re
import warnings

import torch
from samples import Call, operators  # First: it stands in for what torch.testing imports.
from torch.testing._internal.common_modules import module_db

VERSION = ".".join(torch.__version__.split(".")[:2])
HAS_DYNAMO = tuple(map(int, VERSION.split("."))) >= (2, 5)
NAMESPACES = ["torch", "torch.special", "torch.linalg", "torch.fft", "torch.nn.functional"]
TYPES = {torch.float32: 8, torch.int64: 3, torch.bool: 2, torch.complex64: 2, torch.float16: 2}
CAPTURED = 6  # Samples of a function that are captured: it takes half a second each.


# What the databases lack, or call in another way.
OWN = {
    "torch.einsum": [("ij,jk->ik", torch.rand(2, 3), torch.rand(3, 2)), ("nchw->nhwc", torch.rand(1, 2, 3, 4))],
    "torch.polygamma": [(1, torch.rand(3)), (2, torch.rand(2, 2))],
    "torch.nn.functional.affine_grid": [(torch.rand(1, 2, 3), [1, 3, 4, 4]), (torch.rand(1, 3, 4), [1, 3, 4, 4, 4])],
    "torch.nn.functional.fold": [(torch.rand(1, 12, 12), (4, 5), (2, 2))],
    "torch.meshgrid": [(torch.rand(2), torch.rand(3))],
    "torch.stft": [(torch.rand(64), 16)],
    "torch.repeat_interleave": [(torch.rand(3), 2), (torch.rand(3), torch.tensor([1, 2, 1]))],
    "Tensor.unfold": [(torch.rand(8), 0, 2, 1)],
    "Tensor.scatter_reduce": [(torch.rand(3), 0, torch.tensor([0, 1, 0]), torch.rand(3), "sum")],
    "Tensor.bernoulli_": [(torch.rand(3), 0.5), (torch.rand(2, 2),)],
    "Tensor.cauchy_": [(torch.rand(3),)],
    "Tensor.exponential_": [(torch.rand(3), 1.0), (torch.rand(2, 2),)],
    "Tensor.geometric_": [(torch.rand(3), 0.5)],
    "Tensor.log_normal_": [(torch.rand(3),)],
    "Tensor.matrix_power": [(torch.rand(2, 2), 2), (torch.rand(2, 2), 5), (torch.rand(2, 2), -1)],
    "Tensor.normal_": [(torch.rand(3),)],
    "Tensor.prelu": [(torch.rand(2, 3), torch.rand(1))],
    "Tensor.random_": [(torch.rand(3),)],
    "Tensor.relu": [(torch.rand(3),)],
    "Tensor.type_as": [(torch.rand(3), torch.rand(2).double())],
    "Tensor.uniform_": [(torch.rand(3),), (torch.rand(3), -1, 1)],
    "torch.adaptive_avg_pool1d": [(torch.rand(1, 2, 6), 3)],
    "torch.adaptive_max_pool1d": [(torch.rand(1, 2, 6), 3)],
    "torch.affine_grid_generator": [(torch.rand(1, 2, 3), [1, 3, 4, 4], True)],
    "torch.alpha_dropout": [(torch.rand(3), 0.5, False)],
    "torch.avg_pool1d": [(torch.rand(1, 2, 6), 3)],
    "torch.bilinear": [(torch.rand(2, 3), torch.rand(2, 3), torch.rand(4, 3, 3))],
    "torch.binomial": [(torch.full((3,), 4.0), torch.rand(3))],
    "torch.celu": [(torch.rand(3),)],
    "torch.channel_shuffle": [(torch.rand(1, 4, 3, 3), 2)],
    "torch.cosine_similarity": [(torch.rand(2, 3), torch.rand(2, 3))],
    "torch.embedding": [(torch.rand(4, 3), torch.tensor([1, 2]))],
    "torch.grid_sampler": [(torch.rand(1, 2, 3, 3), torch.rand(1, 3, 3, 2), 0, 0, True)],
    "torch.hardshrink": [(torch.rand(3),)],
    "torch.logdet": [(torch.rand(2, 2),)],
    "torch.max_pool1d": [(torch.rand(1, 2, 6), 3)],
    "torch.max_pool2d": [(torch.rand(1, 2, 6, 6), 3)],
    "torch.pairwise_distance": [(torch.rand(2, 3), torch.rand(2, 3))],
    "torch.pdist": [(torch.rand(3, 2),)],
    "torch.pixel_shuffle": [(torch.rand(1, 4, 3, 3), 2)],
    "torch.pixel_unshuffle": [(torch.rand(1, 1, 4, 4), 2)],
    "torch.poisson": [(torch.rand(3),)],
    "torch.prelu": [(torch.rand(2, 3), torch.rand(1))],
    "torch.relu": [(torch.rand(3),)],
    "torch.rrelu": [(torch.rand(3),)],
    "torch.selu": [(torch.rand(3),)],
    "torch.threshold": [(torch.rand(3), 0.5, 0.0)],
    "torch.vander": [(torch.rand(3),)],
    "torch.chain_matmul": [(torch.rand(2, 3), torch.rand(3, 2), torch.rand(2, 2))],
    "torch.nn.functional.channel_shuffle": [(torch.rand(1, 4, 3, 3), 2)],
    "torch.nn.functional.pdist": [(torch.rand(3, 2),)],
    "torch.slogdet": [(torch.eye(2),), (torch.eye(3)[None],)],
    "Tensor.slogdet": [(torch.eye(2),), (torch.eye(3)[None],)],
    "Tensor.det": [(torch.eye(2),), (torch.eye(3)[None],)],
    "Tensor.inverse": [(torch.eye(2),), (torch.eye(3)[None],)],
    "Tensor.adjoint": [(torch.eye(2),)],
    "Tensor.orgqr": [(torch.rand(3, 2), torch.rand(2))],
    "torch.nn.functional.lp_pool1d": [(torch.rand(1, 2, 6), 2, 2)],
    "torch.nn.functional.lp_pool2d": [(torch.rand(1, 2, 6, 6), 2, 2)],
    "torch.nn.functional.dropout1d": [(torch.rand(1, 2, 6), 0.5)],
    "torch.pca_lowrank": [(torch.rand(4, 3), 2)],
    "torch.svd_lowrank": [(torch.rand(4, 3), 2)],
    "torch.gru_cell": [(torch.rand(1, 2), torch.rand(1, 3), torch.rand(9, 2), torch.rand(9, 3))],
    "torch.rnn_tanh_cell": [(torch.rand(1, 2), torch.rand(1, 3), torch.rand(3, 2), torch.rand(3, 3))],
    "torch.equal": [(torch.rand(2), torch.rand(2))],
    "torch.fake_quantize_per_tensor_affine": [(torch.rand(3), 0.1, 0, 0, 255)],
    "torch.fake_quantize_per_channel_affine": [(torch.rand(3, 2), torch.rand(3), torch.zeros(3, dtype=torch.int32), 0, 0, 255)],
    "torch.quantize_per_tensor": [(torch.rand(3), 0.1, 0, torch.quint8)],
    "torch.quantize_per_channel": [(torch.rand(3, 2), torch.rand(3), torch.zeros(3, dtype=torch.long), 0, torch.quint8)],
}


def without_tensor(function, *given):
    """A function that makes a tensor of numbers, in a trace that has an input."""
    return lambda: lambda _: function(*given)


# Layers that the database of modules lacks: what makes one, and an input. Also functions that are there for training.
LAYERS = {
    "torch.nn.ChannelShuffle": (lambda: torch.nn.ChannelShuffle(2), torch.rand(1, 4, 3, 3)),
    "torch.nn.CosineSimilarity": (torch.nn.CosineSimilarity, torch.rand(2, 3), torch.rand(2, 3)),
    "torch.nn.Fold": (lambda: torch.nn.Fold((4, 5), (2, 2)), torch.rand(1, 12, 12)),
    "torch.nn.FractionalMaxPool2d": (lambda: torch.nn.FractionalMaxPool2d(2, output_size=3), torch.rand(1, 2, 8, 8)),
    "torch.nn.FractionalMaxPool3d": (lambda: torch.nn.FractionalMaxPool3d(2, output_size=3), torch.rand(1, 2, 8, 8, 8)),
    "torch.nn.MaxUnpool1d": (lambda: torch.nn.MaxUnpool1d(2), torch.rand(1, 1, 3), torch.tensor([[[0, 3, 5]]])),
    "torch.nn.MaxUnpool2d": (lambda: torch.nn.MaxUnpool2d(2), torch.rand(1, 1, 1, 2), torch.tensor([[[[0, 3]]]])),
    "torch.nn.MaxUnpool3d": (lambda: torch.nn.MaxUnpool3d(2), torch.rand(1, 1, 1, 1, 2), torch.tensor([[[[[0, 3]]]]])),
    "torch.nn.PairwiseDistance": (torch.nn.PairwiseDistance, torch.rand(2, 3), torch.rand(2, 3)),
    "torch.nn.PixelShuffle": (lambda: torch.nn.PixelShuffle(2), torch.rand(1, 4, 3, 3)),
    "torch.nn.PixelUnshuffle": (lambda: torch.nn.PixelUnshuffle(2), torch.rand(1, 1, 4, 4)),
    "torch.nn.EmbeddingBag": (lambda: torch.nn.EmbeddingBag(4, 3), torch.tensor([[1, 2], [0, 3]])),
    "torch.nn.Unflatten": (lambda: torch.nn.Unflatten(1, (2, 3)), torch.rand(2, 6)),
    "torch.nn.Unfold": (lambda: torch.nn.Unfold((2, 2)), torch.rand(1, 3, 4, 5)),
    **{f"torch.{name}": (without_tensor(getattr(torch, name), *given), torch.rand(2))
       for name, given in {"randperm": (4,), "kaiser_window": (4,), "bartlett_window": (4,), "blackman_window": (4,), "hamming_window": (4,),
                           "tril_indices": (3, 3), "triu_indices": (3, 3), "range": (0, 4)}.items()},
    "torch.nn.AdaptiveLogSoftmaxWithLoss": (lambda: torch.nn.AdaptiveLogSoftmaxWithLoss(4, 6, [2]), torch.rand(2, 4), torch.tensor([1, 3])),
    "torch.nn.RReLU": (torch.nn.RReLU, torch.rand(2, 3)),
    "torch.nn.TripletMarginLoss": (torch.nn.TripletMarginLoss, torch.rand(2, 3), torch.rand(2, 3), torch.rand(2, 3)),
    "torch.nn.functional.gumbel_softmax": (lambda: torch.nn.functional.gumbel_softmax, torch.rand(2, 3)),
}


def function_at(name):
    found = torch.Tensor if name.startswith("Tensor.") else torch
    for part in name.split(".")[1:]:
        found = getattr(found, part, None)
    return found


def in_place(method):
    """A call of the method on what is computed from the input, which it has to leave as it is for the next call."""
    return lambda tensor, *args, **kwargs: getattr(tensor.clone(), method)(*args, **kwargs)


def names_of(op):
    """Every name by which the operator of the database is called: of functions, and of methods as Tensor.NAME."""
    words = [op.name, *(alias.name for alias in op.aliases)]
    for word in words:
        if word.startswith("torch.") or word.split(".")[-1].startswith("_"):
            continue  # Nobody writes these.
        for space in NAMESPACES:
            name = f"{space}.{word}"
            if callable(function_at(name)) and not isinstance(function_at(name), type):
                yield name, function_at(name)
        if op.method_variant is not None and "." not in word and hasattr(torch.Tensor, word):
            yield f"Tensor.{word}", getattr(torch.Tensor, word)
        if op.inplace_variant is not None and "." not in word and hasattr(torch.Tensor, f"{word}_"):
            yield f"Tensor.{word}_", in_place(f"{word}_")


def samples_of(op, function):
    """Calls of the function with the samples of the database, as far as it takes them and agrees with the database's own."""
    for dtype, count in TYPES.items():
        if dtype not in op.supported_dtypes("cpu"):
            continue
        try:
            samples = list(zip(range(count), op.sample_inputs("cpu", dtype)))
        except Exception:  # Some need what is not installed.
            continue
        for _, sample in samples:
            call = Call(function, (sample.input, *sample.args), sample.kwargs)
            if call.tensors:
                yield call


def samples_of_layer(info):
    for sample in info.module_inputs_func(info, device="cpu", dtype=torch.float32, requires_grad=False, training=False):
        made, given = sample.constructor_input, sample.forward_input
        if given is not None:
            yield Call(info.module_cls(*made.args, **made.kwargs).eval(), given.args, given.kwargs)


def sources(pattern):
    """Every name with what makes its samples, once for each variant of the database."""
    found = {}
    for op, _ in operators(""):
        for name, function in names_of(op):
            if re.search(pattern, name):
                found.setdefault(name, []).append(functools.partial(samples_of, op, function))
    for name in OWN:
        if callable(function_at(name)) and re.search(pattern, name):
            found.setdefault(name, []).append(lambda name=name: (Call(function_at(name), given, {}) for given in OWN[name]))
    for name, (make, *given) in LAYERS.items():
        if re.search(pattern, name):
            found.setdefault(name, []).append(lambda make=make, given=given: iter([Call(make(), tuple(given), {})]))
    for info in module_db:
        name = f"torch.nn.{info.module_cls.__name__}"
        if getattr(torch.nn, info.module_cls.__name__, None) is info.module_cls and re.search(pattern, name):
            found.setdefault(name, []).append(functools.partial(samples_of_layer, info))
    return found


def kinds_in(graph):
    for node in graph.nodes():
        if not node.kind().startswith("prim::"):
            yield node.kind()
        for block in node.blocks():
            yield from kinds_in(block)


def traced(call):
    graph = torch.jit.trace(call, call.arguments(), check_trace=False).inlined_graph
    kinds = set(kinds_in(graph))
    return kinds - {"aten::clone"} if any(kind.endswith("_") for kind in kinds) else kinds  # That of in_place().


def captured(call):
    program = torch.export.export(call, call.arguments(), strict=False)
    targets = {node.target for node in program.graph.nodes if node.op == "call_function"}
    return {str(target._schema.name) for target in targets if isinstance(target, torch._ops.OpOverload)}


def common(calls, look, limit):
    """What `look` finds in each call that it can look at; None if there is none."""
    found = None
    for _, call in zip(range(limit), calls):
        try:
            with torch.no_grad():
                call(*call.arguments())  # The name may not take what the database passes.
                kinds = look(call)
        except Exception:
            continue
        found = kinds if found is None else found & kinds
        if not found:
            break
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out")
    parser.add_argument("--only", default="")
    parser.add_argument("--traced", action="store_true", help="leave out the dynamo exporter, which takes long")
    args = parser.parse_args()
    warnings.simplefilter("ignore")
    result = {"torch": VERSION, "torchscript": {}, "dynamo": {}}
    exporters = [("torchscript", traced, 1000)] + [("dynamo", captured, CAPTURED)] * (HAS_DYNAMO and not args.traced)
    for name, variants in sorted(sources(args.only).items()):
        for exporter, look, limit in exporters:
            seen = [common(samples(), look, limit) for samples in variants]
            seen = [kinds for kinds in seen if kinds is not None]
            kinds = sorted(set.intersection(*seen)) if seen else []
            if kinds:
                result[exporter][name] = kinds
    with open(args.out, "w") as file:
        json.dump(result, file, indent=1)


if __name__ == "__main__":
    main()

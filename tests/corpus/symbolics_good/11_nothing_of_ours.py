# Looks like it, and is something else.
import collections

import torch


class Graph:
    def op(self, name, *args, outputs=1, **kwargs):
        return name, args, kwargs

    def at(self, name, *args):
        return name


def elu(g, alpha, beta):
    return g.op("Eluu", 1, 2.5, None, [alpha], alpha=beta, alpha_x=3)


def walk(g, node):
    for neighbour in g[node]:
        g.op("visit", neighbour, depth=1)


def parse_args(*kinds):
    return lambda function: function


@parse_args("x", "y", "q")
def main(arguments):
    export = collections.namedtuple("export", "opset_version")
    return export(opset_version="13")


def register_custom_op_symbolic(name, function, opset):
    return name, function, opset


register_custom_op_symbolic("elu", elu, "9")


class Functions(torch.nn.Module):
    def symbolic(self, ctx, g):
        return g.op("Nothing", ctx)

    def forward(self, x):
        if x is None:
            return 2.0
        return x * 2 + 1


op = Graph()
op.op("Elu", 1)
op.at("elu", 2)
torch.save({"opset_version": "x"}, "x.pt") if False else None

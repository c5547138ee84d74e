# torch >= 1.13: a custom symbolic is registered for ONE opset only; the nearest registered version <= target wins.
import torch
from torch.onnx import register_custom_op_symbolic

EXPORT_OPSET = 14


def my_softmax(g, input, dim, dtype=None):
    # expect: D05 hint: my_domain::Softmax has no shape inference; add .setType(...)
    return g.op("my_domain::Softmax", input)


# expect: G06 warning: exporting with opset 14 uses the built-in aten::softmax of opset 13, not this one (register it for 13 or 14)
register_custom_op_symbolic("aten::softmax", my_softmax, 9)


def my_triu(g, self, diagonal):
    # expect: D05 hint: my_domain::Triu has no shape inference; add .setType(...)
    return g.op("my_domain::Triu", self)


# expect: G07 warning: registered for opset 15, exported with 14: never used
register_custom_op_symbolic("aten::triu", my_triu, 15)

if __name__ == "__main__":
    import io, onnx
    b = io.BytesIO(); torch.onnx.export(torch.nn.Softmax(1), (torch.ones(2, 3),), b, opset_version=EXPORT_OPSET)
    print([n.op_type for n in onnx.load_from_string(b.getvalue()).graph.node])
CASES = []

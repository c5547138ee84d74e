# C++ custom op with a custom ONNX domain.  custom_ops::foo_forward(Tensor, Tensor, float, int) -> Tensor
import torch
from torch.onnx import register_custom_op_symbolic, symbolic_helper


@symbolic_helper.parse_args("v", "v", "f", "i")
def symbolic_foo_forward(g, input1, input2, attr1, attr2):
    # expect: D05 hint: custom_domain::Foo has no shape inference; add .setType(input1.type())
    return g.op("custom_domain::Foo", input1, input2, attr1_f=attr1, attr2_i=attr2)


register_custom_op_symbolic("custom_ops::foo_forward", symbolic_foo_forward, 9)


class FooModel(torch.nn.Module):
    def forward(self, a, b):
        return torch.ops.custom_ops.foo_forward(a, b, 1.5, 2)


def export(x):
    torch.onnx.export(
        FooModel(), (x, x), "model.onnx",
        # expect: D02 warning: domain 'custom_ops' is a torch namespace; no g.op() uses it (did you mean 'custom_domain'?)
        # expect: X09 information [torch >= 2.6]: custom_opsets is deprecated
        # expect: D01 information: 'custom_domain' is not listed, its version defaults to 1
        custom_opsets={"custom_ops": 2},
    )


CASES = []

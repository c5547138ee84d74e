# torch: 2.6 2.14
# The "three opset versions" example of the docs.
import torch
import onnxscript
# (1) opset of the ONNX function body
from onnxscript.onnx_opset import opset15 as op

opset_version = 15
model = torch.nn.SELU()
x = torch.randn(1, 2, 3, 4, requires_grad=True)
custom_opset = onnxscript.values.Opset(domain="onnx-script", version=1)


@onnxscript.script(custom_opset)
def Selu(X):
    alpha = 1.67326
    gamma = 1.0507
    alphaX = op.CastLike(alpha, X)
    gammaX = op.CastLike(gamma, X)
    neg = gammaX * (alphaX * op.Exp(X) - alphaX)
    pos = gammaX * X
    zero = op.CastLike(0, X)
    return op.Where(X <= zero, neg, pos)


def custom_selu(g, X):
    return g.onnxscript_op(Selu, X).setType(X.type())


torch.onnx.register_custom_op_symbolic(symbolic_name="aten::selu", symbolic_fn=custom_selu, opset_version=opset_version)

torch.onnx.export(
    model, x, "model.onnx", opset_version=opset_version,
    # expect: X09 information [torch >= 2.6]: custom_opsets is deprecated
    # expect: D04 warning: domain 'onnx-script' is version 1 in Opset(...) above but 2 here
    custom_opsets={"onnx-script": 2},
)

# a second, worse one
# expect: D04 error: the function body uses opset15 but it is registered for opset 14 and exported with opset 13
torch.onnx.register_custom_op_symbolic("aten::selu", custom_selu, 14)
torch.onnx.export(model, x, "model.onnx", opset_version=13)

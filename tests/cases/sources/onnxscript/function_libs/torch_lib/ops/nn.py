# Where implementation leads to in FX graphs: functions with the decorators of onnxscript's torchlib.
@torch_op("aten::linear_backward", trace_only=True)
def of_another_operator(x):
    return x


@torch_op("aten::linear", trace_only=True)
def of_linear(x, weight, bias=None):
    return op.MatMul(x, weight)

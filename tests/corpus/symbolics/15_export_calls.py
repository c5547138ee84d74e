# torch: 1.13 2.6
# torch.onnx.export(...) call mistakes. In 2.14 export() uses another exporter unless it is told.
import torch

m = torch.nn.Linear(3, 2)
x = torch.randn(2, 3)


def calls():
    # expect: X01 warning: dynamic_axes key 'inp' is not in input_names/output_names
    torch.onnx.export(m, x, "m.onnx", input_names=["input"], output_names=["out"], dynamic_axes={"inp": {0: "b"}})
    # expect: X02 error: axis must be an int, got the string '0'
    torch.onnx.export(m, x, "m.onnx", input_names=["x"], dynamic_axes={"x": {"0": "b"}})
    # expect: X03 error: negative axis crashes torch 1.13
    torch.onnx.export(m, x, "m.onnx", input_names=["x"], dynamic_axes={"x": {-1: "b"}})
    # expect: X04 warning: duplicate axis 0
    torch.onnx.export(m, x, "m.onnx", input_names=["x"], dynamic_axes={"x": [0, 0]})
    # expect: X05 error: opset_version 6 is below the minimum 7
    torch.onnx.export(m, x, "m.onnx", opset_version=6)
    # expect: X06 error: opset_version 25 is above the maximum (17 in 1.13; 20 for the TorchScript exporter in 2.x; 23 with dynamo=True in 2.10)
    torch.onnx.export(m, x, "m.onnx", opset_version=25)
    # expect: X07 error: opset_version must be an int
    torch.onnx.export(m, x, "m.onnx", opset_version="13")
    # expect: X08 warning [torch >= 2.5]: ignored in 2.5 to 2.8
    # expect: X08 error [torch < 2.5]: 'example_outputs' was removed in 1.11, 'enable_onnx_checker' / 'use_external_data_format' in 1.11
    torch.onnx.export(m, x, "m.onnx", example_outputs=x, enable_onnx_checker=True, use_external_data_format=True)
    # expect: X09 information [torch >= 2.6]: deprecated since 2.6: training, operator_export_type, do_constant_folding, custom_opsets, export_modules_as_functions, autograd_inlining
    torch.onnx.export(m, x, "m.onnx", do_constant_folding=True, training=torch.onnx.TrainingMode.EVAL)
    # expect: X10 error: args must be a tuple (or a Tensor), got a list
    torch.onnx.export(m, [x], "m.onnx")
    # expect: X11 warning: a dict as last element of args is taken as keyword arguments; append {} to pass it positionally
    torch.onnx.export(m, (x, {"a": x}), "m.onnx")
    # expect: X12 error: more input_names (4) than inputs and parameters (3) of a Linear
    torch.onnx.export(m, x, "m.onnx", input_names=["a", "b", "c", "d"])
    # GOOD: names may be given to parameters, too
    torch.onnx.export(m, x, "m.onnx", input_names=["a", "b", "c"])
    # expect: X13 warning [torch >= 2.5]: dynamic_axes is converted with dynamo=True: use dynamic_shapes
    # expect: X08 error [torch < 2.5]: there is no 'dynamo' in 1.13
    torch.onnx.export(m, x, "m.onnx", dynamo=True, dynamic_axes={"input": {0: "b"}})
    # expect: X13 error [torch >= 2.5]: dynamic_shapes needs dynamo=True
    # expect: X08 error [torch < 2.5]: there is neither 'dynamo' nor 'dynamic_shapes' in 1.13
    torch.onnx.export(m, x, "m.onnx", dynamo=False, dynamic_shapes={"input": {0: "b"}})
    # expect: X09 information [torch >= 2.6]: export_modules_as_functions is deprecated
    # expect: X14 error: export_modules_as_functions needs opset_version >= 15
    torch.onnx.export(m, x, "m.onnx", opset_version=14, export_modules_as_functions=True)
    # expect: X15 error: unwrap torch.nn.DataParallel (use model.module)
    torch.onnx.export(torch.nn.DataParallel(m), x, "m.onnx")
    # expect: X16 warning: same name 'x' for an input and an output
    torch.onnx.export(m, x, "m.onnx", input_names=["x"], output_names=["x"])


CASES = []

# torch.Value used where a Python value is needed (the ELU example of the old documentation).
import torch
from torch.onnx import symbolic_helper


# expect: P02 error: aten::elu has 4 inputs (self, alpha, scale, input_scale); this symbolic accepts 2..3
# expect: P04 hint: parameter names (input, alpha, inplace) differ from schema names (self, alpha, scale, input_scale)
def elu_as_documented(g, input: torch.Value, alpha: torch.Value, inplace: bool = False):
    # expect: S13 error: 'alpha' is a torch.Value, not a float: add @parse_args("v", "f", ...) or symbolic_helper._get_const
    return g.op("Elu", input, alpha_f=alpha)


def elu_value_attr(g, self, alpha, scale, input_scale):
    # expect: S13 error: 'alpha' is a torch.Value (no parse_args on this function)
    return g.op("Elu", self, alpha_f=alpha)


def elu_scalar_misuse(g, self, alpha, scale, input_scale):
    # expect: S18 warning: _scalar() of a torch.Value is always None, so alpha is silently dropped (needs parse_args "t")
    return g.op("Elu", self, alpha_f=symbolic_helper._scalar(alpha))


@symbolic_helper.parse_args("v", "f", "f", "f")
def elu_scalar_of_float(g, self, alpha, scale, input_scale):
    # expect: S18 warning: _scalar() expects a tensor; a value parsed with "f" gives None
    return g.op("Elu", self, alpha_f=symbolic_helper._scalar(alpha))


def elu_python_math(g, self, alpha, scale, input_scale):
    # expect: P12 error: Python comparison on a torch.Value
    if alpha > 0:
        # expect: P12 error: Python arithmetic on a torch.Value (use g.op("Mul", ...))
        return self * 2
    return self


CASES = [("aten::elu", f, 9, torch.nn.ELU(0.3)) for f in (elu_as_documented, elu_value_attr, elu_scalar_misuse, elu_scalar_of_float, elu_python_math)]

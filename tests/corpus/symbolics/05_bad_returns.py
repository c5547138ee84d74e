# max_pool2d_with_indices -> (Tensor, Tensor);  elu -> Tensor
import torch
from torch.onnx.symbolic_helper import parse_args


# expect: R01 error: no value is returned on any path
@parse_args("v", "f", "f", "f")
def no_return(g, self, alpha, scale, input_scale):
    g.op("Elu", self, alpha_f=alpha)


@parse_args("v", "f", "f", "f")
def returns_float(g, self, alpha, scale, input_scale):
    # expect: R03 error: returns a Python float, a torch.Value is expected
    return alpha


@parse_args("v", "f", "f", "f")
def returns_pair(g, self, alpha, scale, input_scale):
    # expect: R02 error: returns 2 values, aten::elu has 1 output
    return g.op("Elu", self, alpha_f=alpha), None


@parse_args("v", "f", "f", "f")
def two_outputs_unsplit(g, self, alpha, scale, input_scale):
    # expect: R02 error: outputs=2 gives a tuple of 2, aten::elu has 1 output
    # expect: S11 error: Elu has exactly 1 output
    return g.op("Elu", self, alpha_f=alpha, outputs=2)


# expect: P06 hint: 6 descriptors for 5 parameters
@parse_args("v", "i", "i", "i", "i", "none")
def topk_one(g, self, k, dim, largest, sorted):
    # expect: R02 error: returns 1 value, aten::topk has 2 outputs
    return g.op("TopK", self, g.op("Constant", value_t=torch.tensor([k])), axis_i=dim, outputs=2)[0]


CASES = [("aten::elu", f, 9, torch.nn.ELU()) for f in (no_return, returns_float, returns_pair, two_outputs_unsplit)]
class _T(torch.nn.Module):
    def forward(self, x): return torch.topk(x, 1)
CASES.append(("aten::topk", topk_one, 11, _T()))

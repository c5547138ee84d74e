# Operators of domains that nobody here knows: their attributes and counts are not judged.
import torch
from torch.onnx import register_custom_op_symbolic
from torch.onnx.symbolic_helper import parse_args

DOMAIN = "vendor.deploy"


@parse_args("v", "f", "f", "f")
def elu(g, self, alpha, scale, input_scale):
    return g.op("vendor::FastElu", self, alpha_f=alpha, anything_s="goes", shape_i=[1, 2], table_t=torch.ones(2)).setType(
        self.type()
    )


@parse_args("v", "is", "is", "is", "is", "i")
def max_pool2d(g, self, kernel_size, stride, padding, dilation, ceil_mode):
    pooled = g.op(
        "com.microsoft::NhwcMaxPool",
        self,
        kernel_shape_i=kernel_size,
        strides_i=stride or kernel_size,
        pads_i=padding * 2,
        dilations_i=dilation,
        ceil_mode_i=ceil_mode,
    )
    pooled.setType(self.type())
    return pooled


def grid_sampler(g, input, grid, interpolation_mode, padding_mode, align_corners):
    result = g.op(f"{DOMAIN}::GridSampler", input, grid)
    return result.setType(input.type().with_sizes([None, None, None, None]))


def hardswish(g, self):
    out = g.op("vendor::HardSwish", self, outputs=1)
    out.setTypeAs(self)
    return out


register_custom_op_symbolic("aten::elu", elu, 9)
register_custom_op_symbolic("aten::max_pool2d", max_pool2d, 10)
register_custom_op_symbolic("aten::grid_sampler", grid_sampler, 9)
register_custom_op_symbolic("aten::hardswish", hardswish, 9)


class Everything(torch.nn.Module):
    def forward(self, x):
        y = torch.nn.functional.max_pool2d(torch.nn.functional.elu(x), 2)
        return torch.nn.functional.hardswish(y)


MODELS = [(Everything(), (torch.randn(1, 2, 4, 4),), 13)]

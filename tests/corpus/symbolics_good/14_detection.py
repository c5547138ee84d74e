# Detection operators as torch.ops libraries register them, from a function that is called later.
import torch
from torch.onnx import register_custom_op_symbolic
from torch.onnx import symbolic_helper as sym_help
from torch.onnx.symbolic_helper import parse_args


def _register(opset):
    @parse_args("v", "v", "f")
    def nms(g, boxes, scores, iou_threshold):
        boxes = g.op("Unsqueeze", boxes, g.op("Constant", value_t=torch.tensor([0])))
        scores = g.op("Unsqueeze", scores, g.op("Constant", value_t=torch.tensor([0, 1])))
        limit = g.op("Constant", value_t=torch.tensor([2**31 - 1], dtype=torch.long))
        threshold = g.op("Constant", value_t=torch.tensor([iou_threshold], dtype=torch.float))
        selected = g.op("NonMaxSuppression", boxes, scores, limit, threshold)
        column = g.op("Constant", value_t=torch.tensor([2], dtype=torch.long))
        return g.op("Squeeze", g.op("Gather", selected, column, axis_i=1), g.op("Constant", value_t=torch.tensor([1])))

    @parse_args("v", "v", "f", "i", "i", "i", "i")
    def roi_align(g, input, rois, spatial_scale, pooled_height, pooled_width, sampling_ratio, aligned):
        first = g.op("Constant", value_t=torch.tensor([0], dtype=torch.long))
        batch = g.op("Squeeze", g.op("Gather", rois, first, axis_i=1), g.op("Constant", value_t=torch.tensor([1])))
        rest = g.op("Constant", value_t=torch.tensor([1, 2, 3, 4], dtype=torch.long))
        return g.op(
            "RoiAlign",
            input,
            g.op("Gather", rois, rest, axis_i=1),
            g.op("Cast", batch, to_i=7),
            spatial_scale_f=spatial_scale,
            output_height_i=pooled_height,
            output_width_i=pooled_width,
            sampling_ratio_i=sampling_ratio if sampling_ratio >= 0 else 0,
        )

    @parse_args("v", "v", "f", "i", "i")
    def roi_pool(g, input, rois, spatial_scale, pooled_height, pooled_width):
        pooled = g.op(
            "MaxRoiPool", input, rois, pooled_shape_i=(pooled_height, pooled_width), spatial_scale_f=spatial_scale
        )
        return pooled, None  # expect: R04 information: the second one is for training

    register_custom_op_symbolic("torchvision::nms", nms, opset)
    register_custom_op_symbolic("torchvision::roi_align", roi_align, opset)
    register_custom_op_symbolic("torchvision::roi_pool", roi_pool, opset)


def register_extensions():
    _register(11)
    if not hasattr(sym_help, "parse_args"):
        raise RuntimeError("too old")


register_extensions()
MODELS = []

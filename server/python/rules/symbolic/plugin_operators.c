// Operators of runtimes that people write without a domain.

#include "python/rules/symbolic/op.h"

const char *op_plugin_runtime(Str name)
{
  // Source: ONNX Runtime's contrib_defs.cc, which registers them there; a session of 1.21 loads no other.
  static const char *const onnxruntime[] = { "SimplifiedLayerNormalization", "MemcpyFromHost", "MemcpyToHost" };
  // Source: TensorRT's plugin/README.md, for those without _TRT; other trees' plugins begin with TRT or end in TRT2.
  static const char *const tensorrt[] = {
    "CoordConvAC",           "CropAndResize",
    "CropAndResizeDynamic",  "DecodeBbox3DPlugin",
    "ModulatedDeformConv2d", "PillarScatterPlugin",
    "VoxelGeneratorPlugin",  "Proposal",
    "ProposalDynamic",       "GroupNormalizationPlugin",
  };
  // Source: OpenVINO's ONNX front end, domain org.openvinotoolkit, which takes them in the default one, too.
  static const char *const openvino[] = {
    "DeformableConv2D", "DetectionOutput",   "FakeQuantize", "GenerateProposals", "GroupNorm", "Normalize",
    "PriorBox",         "PriorBoxClustered", "Swish",
  };
  if (str_is_one_of(name, onnxruntime, COUNT(onnxruntime)))
    return "ONNX Runtime";
  if (str_ends_with(name, STR("TRT")) || str_ends_with(name, STR("TRT2")) ||
      str_ends_with(name, STR("PluginDynamic")) || str_starts_with(name, STR("TRT")) ||
      str_is_one_of(name, tensorrt, COUNT(tensorrt)))
    return "TensorRT";
  if (str_starts_with(name, STR("ExperimentalDetectron")) || str_is_one_of(name, openvino, COUNT(openvino)))
    return "OpenVINO";
  return NULL;
}

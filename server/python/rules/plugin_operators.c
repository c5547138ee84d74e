// Operators of runtimes that people write without a domain.

#include "python/rules/op.h"

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

bool op_is_of_onnxruntime(Str name)
{
  // Source: the schemas of onnxruntime 1.21 and 1.23, get_all_operator_schema().
  static const Str names = STR_INIT(
      " "
      "Attention AttnLSTM BeamSearch BiasAdd BiasDropout BiasGelu BiasSoftmax BiasSplitGelu "
      "BifurcationDetector BitmaskBiasDropout BitmaskDropout CDist ComplexMul ComplexMulConj "
      "ConvTransposeWithDynamicPads CropAndResize DecoderAttention DecoderMaskedMultiHeadAttention "
      "DecoderMaskedSelfAttention DequantizeBFP DequantizeLinear DequantizeWithOrder DynamicQuantizeLSTM "
      "DynamicQuantizeMatMul DynamicTimeWarping EPContext EmbedLayerNormalization ExpandDims FastGelu "
      "FusedConv FusedGemm FusedMatMul FusedMatMulActivation GatedRelativePositionBias GatherBlockQuantized "
      "GatherND Gelu GemmFastGelu GemmFloat8 GemmaRotaryEmbedding GreedySearch GridSample GroupNorm "
      "GroupQueryAttention Inverse Irfft IsAllFinite LongformerAttention MatMulBnb4 MatMulFpQ4 MatMulInteger16 "
      "MatMulIntegerToFloat MatMulNBits MaxpoolWithMask MoE MulInteger MultiHeadAttention MurmurHash3 "
      "NGramRepeatBlock NhwcConv NhwcFusedConv NhwcMaxPool PackedAttention PackedMultiHeadAttention Pad "
      "PagedAttention QAttention QEmbedLayerNormalization QGemm QLinearAdd QLinearAveragePool QLinearConcat "
      "QLinearConv QLinearGlobalAveragePool QLinearLeakyRelu QLinearMul QLinearReduceMean QLinearSigmoid "
      "QLinearSoftmax QLinearWhere QMoE QOrderedAttention QOrderedGelu QOrderedLayerNormalization "
      "QOrderedLongformerAttention QOrderedMatMul QuantizeBFP QuantizeLinear QuantizeWithOrder QuickGelu Range "
      "ReduceSumInteger RelativePositionBias RemovePadding RestorePadding Rfft RotaryEmbedding SampleOp "
      "Sampling SkipGroupNorm SkipLayerNormalization SkipSimplifiedLayerNormalization Snpe SparseAttention "
      "SparseToDenseMatMul Tokenizer TorchEmbedding TransposeMatMul Trilu UnfoldTensor Unique "
      "WhisperBeamSearch WordConvEmbedding ");
  for (size_t at = 1; name.len > 0 && (at = str_find(names, name, at)) != STR_NOT_FOUND; at++) {
    if (names.data[at - 1] == ' ' && names.data[at + name.len] == ' ')
      return true;
  }
  return false;
}

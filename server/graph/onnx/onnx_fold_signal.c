// What a session computes when it loads a model, of signals. Each was tried with onnxruntime 1.21 and 1.23.

#include "graph/onnx/onnx_flow.h"

/// The one number that a constant input gives.
static bool number_of(const OnnxInfer *infer, uint32_t i, int64_t *ret_number)
{
  const OnnxNumbers *numbers = onnx_given(infer, i);
  if (!numbers || numbers->count != 1)
    return false;
  *ret_number = numbers->items[0];
  return true;
}

/// Real numbers, or pairs of a real and an imaginary part.
static bool check_parts(OnnxInfer *infer, const OnnxType *signal)
{
  int64_t parts = onnx_size_at(signal, signal->rank - 1);
  if (parts == 1 || parts == 2)
    return true;
  onnx_refuse_folded(infer, onnx_infer_at(infer, 0),
                     "The last dimension of a signal is 1 for real and 2 for complex numbers; this is %lld.",
                     (long long)parts);
  return false;
}

void onnx_fold_dft(OnnxInfer *infer)
{
  const OnnxType *signal = onnx_sized(infer, 0);
  int64_t length;
  if (number_of(infer, 1, &length) && length <= 0)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "The length of a transformation is above 0.");
  else if (signal && signal->rank > 2)
    check_parts(infer, signal);
}

/// How long a frame is; -1 if that is unknown, 0 if nothing says it.
static int64_t frame_length(const OnnxInfer *infer)
{
  int64_t length;
  const OnnxType *window = onnx_sized(infer, 2);
  if (onnx_has_input(infer, 2))
    return window && window->rank == 1 ? onnx_size_at(window, 0) : -1;
  if (!onnx_has_input(infer, 3))
    return 0;
  return number_of(infer, 3, &length) ? length : -1;
}

void onnx_fold_stft(OnnxInfer *infer)
{
  const OnnxType *signal = onnx_sized(infer, 0);
  int64_t step;
  int64_t length;
  if (number_of(infer, 1, &step) && step <= 0)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 1), "Frames begin at least 1 after each other.");
  else if (!onnx_has_input(infer, 2) && !onnx_has_input(infer, 3))
    onnx_refuse_folded(infer, infer->node->op_at, "Nothing says how long a frame is.");
  else if (number_of(infer, 3, &length) && length < 0)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 3), "A frame is not shorter than nothing.");
  else if (signal && signal->rank > 3)
    onnx_refuse_folded(infer, onnx_infer_at(infer, 0), "A signal has at most 3 dimensions here.");
  else if (signal && signal->rank >= 2 && frame_length(infer) > onnx_size_at(signal, 1))
    onnx_refuse_folded(infer, onnx_infer_at(infer, 0), "The signal is shorter than a frame.");
  else if (signal && signal->rank == 3)
    check_parts(infer, signal);
}

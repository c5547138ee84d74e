/// Tensor types as they are printed: dtype, sizes, strides, device.
///
/// Ownership: texts borrow from the type.
/// Units:     bytes of one element.
/// Errors:    false for what is not a tensor type.
/// Threads:   pure.
/// Sources:   as type_text.h.
#pragma once

#include "base/limits.h"
#include "base/memory.h"

typedef struct Dtype {
  Str torch;  ///< As TorchScript prints it.
  Str onnx;   ///< As printable_graph prints it; may be empty.
  Str fx;     ///< As FX graphs print it; may be empty.
  const char *name;
  int bytes;  ///< Of one element; 0 if it is not a whole number.
} Dtype;

/// What the brackets of a tensor type say.
typedef struct TensorText {
  const Dtype *dtype;  ///< NULL if unknown.
  bool is_ranked;
  size_t rank;
  Str dims[DIM_LIMIT];  ///< The first ones, as printed.
  uint64_t sizes[DIM_LIMIT];
  bool is_dynamic[DIM_LIMIT];
  Str strides;  ///< Inside the brackets; may be empty.
  Str device;
  bool requires_grad;
} TensorText;

/// A tensor of TorchScript, of FX, of onnx.helper.printable_type, or one with sizes of a model.
bool type_read_tensor(Str type, TensorText *ret_tensor);
/// Only `Float(1, 3, …)`, `FloatTensor`, `Tensor(2, *)`, `Dynamic`.
bool type_read_torch_tensor(Str type, TensorText *ret_tensor);
/// Only those of models: `float`, `float[N,3]` of ONNX text, `FLOAT,[N,3]` of onnx_ir.
bool type_read_onnx_tensor(Str type, TensorText *ret_tensor);
/// Cuts the next item off a list whose items are separated by commas outside of brackets.
bool type_next_item(Str *list, Str *ret_item);

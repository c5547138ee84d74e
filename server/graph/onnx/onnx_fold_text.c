// What a session computes of texts when it loads a model: numbers that they spell. Tried with onnxruntime 1.21
// and 1.23, which read the number that a text begins with as C does, and refuse one that none begins, or that is out of
// range.

#include <errno.h>

#include "base/limits.h"
#include "graph/onnx/onnx_flow.h"

typedef enum Number {
  NUMBER_REAL,
  NUMBER_SIGNED,
  NUMBER_UNSIGNED,
} Number;

static Number number_of(uint32_t element)
{
  switch (element) {
  case ELEM_INT8:
  case ELEM_INT16:
  case ELEM_INT32:
  case ELEM_INT64:
    return NUMBER_SIGNED;
  case ELEM_BOOL:
  case ELEM_UINT8:
  case ELEM_UINT16:
  case ELEM_UINT32:
  case ELEM_UINT64:
    return NUMBER_UNSIGNED;
  default:
    return NUMBER_REAL;
  }
}

/// Longer texts are left in peace.
static bool begins_with_number(Str text, Number number)
{
  char copy[64];
  char *end = copy;
  if (text.len >= sizeof(copy))
    return true;
  memcpy(copy, text.data, text.len);
  copy[text.len] = '\0';
  errno = 0;
  if (number == NUMBER_REAL)
    (void)strtod(copy, &end);
  else if (number == NUMBER_SIGNED)
    (void)strtoll(copy, &end, 10);
  else
    (void)strtoull(copy, &end, 10);
  return end > copy && errno == 0;
}

void onnx_fold_cast(OnnxInfer *infer)
{
  const OnnxData *texts = onnx_texts(infer, 0);
  uint32_t element = infer->out[0] ? infer->out[0]->element : 0;
  if (!texts || texts->is_left_out || texts->is_external || element == 0 || element == ELEM_STRING)
    return;
  Str list = str_slice(infer->flow->check->model->text, texts->at.start, texts->at.end);
  size_t left = ONNX_VALUES_LIMIT;
  for (Str text; left-- > 0 && onnx_next_string(&list, &text) && str_find_char(text, '\\', 0) == STR_NOT_FOUND;) {
    if (begins_with_number(text, number_of(element)))
      continue;
    onnx_refuse_folded(infer, onnx_infer_at(infer, 0), "\"%.*s\" is no %.*s.", STR_ARG(text),
                       STR_ARG(onnx_element_word(element)));
    return;
  }
}

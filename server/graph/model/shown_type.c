#include "graph/model/shown_type.h"

#include "base/ascii.h"
#include "outcome/outcome.h"

_Static_assert(SHOWN_FIRST + SCALAR_TYPE_COUNT <= 1 << SHOWN_TYPE_BITS, "all types fit");

Str shown_type_text(Str text)
{
  return str_starts_with(text, STR(" : ")) ? str_slice(text, 3, text.len) : STR("");
}

/// Neither `Tensor?` nor `Tensor[]` is a tensor's type.
static bool is_type_end(Str text, size_t at)
{
  return at == text.len || text.data[at] == '(' || text.data[at] == ' ' || text.data[at] == ',' ||
         text.data[at] == '\n';
}

uint8_t shown_type_after(Str text)
{
  static const Str tensor = STR_INIT("Tensor");
  Str type = shown_type_text(text);
  if (type.len == 0 || !ascii_is_upper(type.data[0]))
    return SHOWN_OPEN;  // Numbers, texts, lists.
  if (str_starts_with(type, tensor) && is_type_end(type, tensor.len))
    return SHOWN_TENSOR;
  size_t end = 0;
  while (end < type.len && ascii_is_word(type.data[end]))
    end++;
  int number = is_type_end(type, end) ? outcome_scalar_type_number(str_slice(type, 0, end)) : -1;
  return number < 0 ? SHOWN_OPEN : (uint8_t)(SHOWN_FIRST + number);
}

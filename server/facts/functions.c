#include "facts/functions.h"

#include "facts/symbolics_internal.h"

/// What one layer says; empty if it says nothing.
static Str operators_in(const Layer *layer, Str function, uint64_t bit)
{
  bool found;
  uint32_t count = layer->function_names.count;
  uint32_t row = blobs_find(&layer->function_names, 0, count, function, &found);
  for (; row < count && str_equal(blobs_at(&layer->function_names, row), function); row++) {
    if (wire_u64(layer->function_versions, row) & bit)
      return blobs_at(&layer->function_operators, row);
  }
  return (Str){ 0 };
}

Str functions_operators(const SymbolicsDb *db, uint32_t torch, Exporter exporter, Str function)
{
  for (uint32_t i = db->layer_count; i-- > 0 && torch < db->version_count;) {
    const Stack *stack = &db->stack[i];
    if (stack->local_version[torch] < 0)
      continue;
    unsigned shift = (unsigned)stack->local_version[torch] + (exporter == EXPORTER_DYNAMO ? SYMBOLICS_TORCH_LIMIT : 0);
    Str operators = operators_in(stack->layer, function, (uint64_t)1 << shift);
    if (operators.len > 0)
      return operators;
  }
  return (Str){ 0 };
}

bool functions_next(Str *operators, Str *ret_operator)
{
  size_t end = str_find_char(*operators, ' ', 0);
  *ret_operator = str_slice(*operators, 0, end);
  *operators = end == STR_NOT_FOUND ? (Str){ 0 } : str_slice(*operators, end + 1, operators->len);
  return ret_operator->len > 0;
}

#include "core/operator_count.h"

bool operator_count_new(const Snapshot *snapshot, const SymbolicsDb *db, uint32_t torch, OperatorCount *ret_count)
{
  const Language *language = snapshot_language(snapshot);
  *ret_count = (OperatorCount){ 0 };
  if (!snapshot_model(snapshot) || !language->features->count_operators)
    return false;
  language->features->count_operators(snapshot, db, torch, ret_count);
  return true;
}

void operator_count_done(OperatorCount *count)
{
  for (size_t i = 0; i < count->op_count; i++) {
    vec_free(&count->ops[i]->lines);
    vec_free(&count->ops[i]->modules);
  }
  arena_done(&count->arena);
  *count = (OperatorCount){ 0 };
}

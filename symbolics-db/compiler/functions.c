// What calls of functions, methods and layers always become: read and packed.

#include "records_internal.h"

enum { CAPTURED_SHIFT = 32 };  // Of torch versions, in FunctionTable.versions.

static bool is_path(Str s)
{
  return str_find_char(s, '.', 0) != STR_NOT_FOUND && str_find_char(s, ':', 0) == STR_NOT_FOUND;
}

/// "2.6,2.14 torch.special.i0e aten::special_i0e"
static void read_functions(Records *records, Str line, bool is_captured)
{
  FunctionRecord record = { .head = { .where = records->where, .versions = records_word(&line) } };
  record.head.name = records_word(&line);
  record.operators = str_trim(line);
  record.is_captured = is_captured;
  if (!is_path(record.head.name) || !str_contains(record.operators, STR("::")))
    records_error(records, records->where, "expected versions, a function such as torch.relu, and operators");
  else
    vec_push(&records->functions, record);
}

void read_traced_functions(Records *records, Str line)
{
  read_functions(records, line, false);
}

void read_captured_functions(Records *records, Str line)
{
  read_functions(records, line, true);
}

static int compare_functions(const void *a, const void *b)
{
  const FunctionRecord *x = a;
  const FunctionRecord *y = b;
  int order = str_compare(x->head.name, y->head.name);
  return order != 0 ? order : str_compare(x->operators, y->operators);
}

void pack_functions(Records *records, Symbolics__Facts *facts)
{
  Arena *arena = &records->arena;
  size_t count = records->functions.count;
  vec_sort(&records->functions, compare_functions);
  Symbolics__FunctionTable *table = ARENA_NEW(arena, Symbolics__FunctionTable);
  symbolics__function_table__init(table);
  table->versions = ARENA_ARRAY(arena, uint64_t, count);
  BlobsWriter names = { 0 };
  BlobsWriter operators = { 0 };
  uint64_t seen = 0;
  for (size_t i = 0; i < count; i++) {
    const FunctionRecord *record = &records->functions.items[i];
    const FunctionRecord *before = i > 0 ? record - 1 : NULL;
    uint64_t mask = (uint64_t)pack_version_mask(records, &record->head, facts)
                    << (record->is_captured ? CAPTURED_SHIFT : 0);
    bool is_same_name = before && str_equal(before->head.name, record->head.name);
    seen = is_same_name ? seen : 0;
    if (seen & mask)
      records_error(records, record->head.where, "'%.*s' occurs twice for one torch version",
                    STR_ARG(record->head.name));
    seen |= mask;
    if (is_same_name && str_equal(before->operators, record->operators)) {
      table->versions[table->n_versions - 1] |= mask;
      continue;
    }
    blobs_add(&names, record->head.name);
    blobs_add(&operators, record->operators);
    table->versions[table->n_versions++] = mask;
  }
  table->names = blobs_finish(&names, records);
  table->operators = blobs_finish(&operators, records);
  facts->functions = table;
}

// What runtimes refuse to load of operators of ai.onnx: "Abs 13 1.10-<TAB>T bfloat16".

#include "base/limits.h"
#include "base/sort.h"
#include "records_internal.h"

/// "13", or "13@18..20" if it holds at these opsets of the model only.
static bool read_since(Records *records, Str word, KernelRecord *record)
{
  size_t at = str_find_char(word, '@', 0);
  if (!records_number(records, str_slice(word, 0, at), UINT8_MAX, "schema version", &record->since))
    return false;
  if (at == STR_NOT_FOUND)
    return true;
  size_t dots = str_find(word, STR(".."), at);
  return dots != STR_NOT_FOUND &&
         records_number(records, str_slice(word, at + 1, dots), UINT8_MAX, "opset", &record->first_opset) &&
         records_number(records, str_slice(word, dots + 2, word.len), UINT8_MAX, "opset", &record->last_opset);
}

void read_kernels(Records *records, Str line)
{
  size_t tab = str_find_char(line, '\t', 0);
  Str head = str_slice(line, 0, tab);
  KernelRecord record = { .where = records->where, .op = records_word(&head) };
  bool is_good = read_since(records, records_word(&head), &record);
  record.runtimes = records_word(&head);
  record.condition = tab == STR_NOT_FOUND ? (Str){ 0 } : str_trim(str_slice(line, tab + 1, line.len));
  if (!is_good || record.runtimes.len == 0 || record.condition.len == 0) {
    records_error(records, records->where, "expected an operator, its version, runtimes, a tab, and types or '*'");
    return;
  }
  if (str_equal(record.condition, STR("*")))
    record.condition = (Str){ 0 };
  vec_push(&records->kernels, record);
}

static int compare_kernels(const void *a, const void *b)
{
  const KernelRecord *left = a;
  const KernelRecord *right = b;
  int order = str_compare(left->op, right->op);
  return order != 0 ? order : (left->since > right->since) - (left->since < right->since);
}

/// The runtime of that version; their number if there is none.
static size_t find_runtime(const Symbolics__MessageTable *table, Str version)
{
  size_t i = 0;
  while (i < table->n_runtimes && !str_equal(version, str_from(table->runtimes[i]->version)))
    i++;
  return i;
}

/// "1.10-1.20", "1.30", or "1.10-" to the newest; 0 if one of them is not declared.
static uint32_t range_mask(const Symbolics__MessageTable *table, Str word)
{
  size_t dash = str_find_char(word, '-', 0);
  size_t first = find_runtime(table, str_slice(word, 0, dash));
  Str end = dash == STR_NOT_FOUND ? (Str){ 0 } : str_slice(word, dash + 1, word.len);
  size_t last = dash == STR_NOT_FOUND ? first : end.len == 0 ? table->n_runtimes - 1 : find_runtime(table, end);
  if (first >= table->n_runtimes || last >= table->n_runtimes || last < first)
    return 0;
  return (uint32_t)((((uint64_t)1 << (last + 1)) - 1) & ~(((uint64_t)1 << first) - 1));
}

static uint32_t runtime_mask(Records *records, const KernelRecord *record, const Symbolics__MessageTable *table)
{
  uint32_t mask = 0;
  for (size_t start = 0, end = 0; end != STR_NOT_FOUND; start = end + 1) {
    end = str_find_char(record->runtimes, ',', start);
    Str word = str_slice(record->runtimes, start, end);
    uint32_t range = range_mask(table, word);
    if (range == 0)
      records_error(records, record->where, "'%.*s' is no range of the runtimes that are declared", STR_ARG(word));
    mask |= range;
  }
  return mask;
}

static uint32_t pack_condition(Records *records, Symbolics__MessageTable *table, Str condition)
{
  for (size_t i = 0; i < table->n_kernel_conditions; i++) {
    if (str_equal(condition, str_from(table->kernel_conditions[i])))
      return (uint32_t)i;
  }
  table->kernel_conditions[table->n_kernel_conditions++] = pack_text(records, condition);
  return (uint32_t)(table->n_kernel_conditions - 1);
}

static Symbolics__KernelGap *pack_gap(Records *records, Symbolics__MessageTable *table, const KernelRecord *record)
{
  Symbolics__KernelGap *gap = ARENA_NEW(&records->arena, Symbolics__KernelGap);
  symbolics__kernel_gap__init(gap);
  gap->since = record->since;
  gap->first_opset = record->first_opset;
  gap->last_opset = record->last_opset;
  gap->runtimes = runtime_mask(records, record, table);
  gap->condition = pack_condition(records, table, record->condition);
  return gap;
}

/// Those of one operator: the first of `items` and those after it of the same name. Answers how many.
static size_t pack_operator(Records *records, Symbolics__MessageTable *table, const KernelRecord *items, size_t count)
{
  size_t same = 1;
  while (same < count && str_equal(items[same].op, items[0].op))
    same++;
  Symbolics__Kernels *kernels = ARENA_NEW(&records->arena, Symbolics__Kernels);
  symbolics__kernels__init(kernels);
  kernels->operator_ = pack_text(records, items[0].op);
  kernels->gaps = ARENA_ARRAY(&records->arena, Symbolics__KernelGap *, same);
  for (size_t i = 0; i < same; i++)
    kernels->gaps[kernels->n_gaps++] = pack_gap(records, table, &items[i]);
  table->kernels[table->n_kernels++] = kernels;
  return same;
}

void pack_kernels(Records *records, Symbolics__MessageTable *table)
{
  size_t count = records->kernels.count;
  KernelRecord *items = records->kernels.items;
  sort_stable(items, count, sizeof(*items), compare_kernels);
  if (table->n_runtimes > FACTS_RUNTIME_LIMIT)
    records_error(records, records->runtimes.items[0].where, "more than %d runtimes", FACTS_RUNTIME_LIMIT);
  table->kernels = ARENA_ARRAY(&records->arena, Symbolics__Kernels *, count);
  table->kernel_conditions = ARENA_ARRAY(&records->arena, char *, count);
  for (size_t i = 0; i < count;)
    i += pack_operator(records, table, &items[i], count - i);
}

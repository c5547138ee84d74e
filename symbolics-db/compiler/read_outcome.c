// Outcomes: when the exporter refuses a node although its operator has a function, and what comes out wrong.

#include "condition.h"
#include "records_internal.h"

enum { COLUMN_COUNT = 5 };

/// "9-12,14"
static bool read_opsets(Records *records, Str text, uint64_t *ret_opsets)
{
  *ret_opsets = 0;
  for (size_t start = 0; start <= text.len;) {
    size_t end = str_find_char(text, ',', start);
    Str part = str_slice(text, start, end);
    size_t dash = str_find_char(part, '-', 0);
    uint32_t first, last;
    if (!records_number(records, str_slice(part, 0, dash), FACTS_OPSET_LIMIT, "opset", &first))
      return false;
    last = first;
    if (dash != STR_NOT_FOUND &&
        !records_number(records, str_slice(part, dash + 1, part.len), FACTS_OPSET_LIMIT, "opset", &last))
      return false;
    if (last < first) {
      records_error(records, records->where, "the range %.*s is empty", STR_ARG(part));
      return false;
    }
    for (uint32_t opset = first; opset <= last; opset++)
      *ret_opsets |= (uint64_t)1 << opset;
    if (end == STR_NOT_FOUND)
      break;
    start = end + 1;
  }
  return true;
}

/// "onnxruntime-1.21,1.23", or nothing
static bool check_runtime(Records *records, Str runtime)
{
  static const Str name = STR_INIT("onnxruntime-");
  if (runtime.len == 0 || (str_starts_with(runtime, name) && runtime.len > name.len))
    return true;
  records_error(records, records->where, "'%.*s' is not a runtime with its versions", STR_ARG(runtime));
  return false;
}

/// "refused", "no-kernel@onnxruntime-1.21", "dynamo:wrong"
static bool read_kind(Records *records, Str word, OutcomeRecord *record)
{
  static const struct {
    Str name;
    Symbolics__OutcomeKind kind;
  } kinds[] = {
    // Keep alphabetized.
    { STR_INIT("no-kernel"), SYMBOLICS__OUTCOME_KIND__NO_KERNEL },
    { STR_INIT("refused"), SYMBOLICS__OUTCOME_KIND__REFUSED },
    { STR_INIT("wrong"), SYMBOLICS__OUTCOME_KIND__WRONG },
  };
  static const Str dynamo = STR_INIT("dynamo:");
  record->is_dynamo = str_starts_with(word, dynamo);
  word = str_slice(word, record->is_dynamo ? dynamo.len : 0, word.len);
  size_t at = str_find_char(word, '@', 0);
  Str name = str_slice(word, 0, at);
  record->runtime = at == STR_NOT_FOUND ? (Str){ 0 } : str_slice(word, at + 1, word.len);
  for (size_t i = 0; i < COUNT(kinds); i++) {
    record->kind = kinds[i].kind;
    if (str_equal(kinds[i].name, name))
      return check_runtime(records, record->runtime);
  }
  records_error(records, records->where, "'%.*s' is not refused, wrong or no-kernel", STR_ARG(name));
  return false;
}

/// "1.13,2.6 refused 9-12 aten::add"
static bool read_first_column(Records *records, Str text, OutcomeRecord *record)
{
  Str versions = records_word(&text);
  Str kind = records_word(&text);
  Str opsets = records_word(&text);
  Str name = str_trim(text);
  if (!read_kind(records, kind, record) || !read_opsets(records, opsets, &record->opsets) ||
      !read_torch_head(records, &versions, name, &record->head))
    return false;
  if (record->is_dynamo || record->head.overload.len == 0)
    return true;
  records_error(records, records->where, "symbolic functions are registered without an overload");
  return false;
}

static bool check_condition(Records *records, Str text)
{
  Condition condition;
  Str message;
  if (condition_parse(text, &records->arena, &condition, &message))
    return true;
  records_error(records, records->where, "%.*s", STR_ARG(message));
  return false;
}

/// The columns are parted by tabs: versions, kind, opsets and operator; condition; reason; way out; place.
void read_outcomes(Records *records, Str line)
{
  Str columns[COLUMN_COUNT] = { 0 };
  size_t count = 0;
  for (size_t start = 0; start <= line.len && count < COLUMN_COUNT; count++) {
    size_t end = str_find_char(line, '\t', start);
    columns[count] = str_trim(str_slice(line, start, end));
    start = end == STR_NOT_FOUND ? line.len + 1 : end + 1;
  }
  OutcomeRecord record = { .condition = columns[1], .reason = columns[2], .way_out = columns[3], .place = columns[4] };
  if (count < COLUMN_COUNT || record.reason.len == 0)
    records_error(records, records->where, "expected condition, reason, way out and place after tabs");
  else if (read_first_column(records, columns[0], &record) && check_condition(records, record.condition))
    vec_push(&records->outcomes, record);
}

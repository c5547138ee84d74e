// The dynamo exporter's side of the records: its functions, and what is decomposed before it looks for them.

#include "condition.h"
#include "records_internal.h"

void read_dynamo_functions(Records *records, Str line)
{
  DynamoRecord record = { 0 };
  if (!read_torch_head(records, &line, (Str){ 0 }, &record.head) ||
      !records_number(records, records_word(&line), FACTS_OPSET_LIMIT, "opset", &record.opset))
    return;
  Str word = records_word(&line);
  record.complex_inputs = str_equal(word, STR("complex"));
  if (record.opset == 0 || (word.len > 0 && !record.complex_inputs))
    records_error(records, records->where, "expected an opset and perhaps 'complex'");
  else
    vec_push(&records->dynamo, record);
}

void read_dynamo_decompositions(Records *records, Str line)
{
  DynamoRecord record = { .decomposed = true };
  if (read_torch_head(records, &line, (Str){ 0 }, &record.head))
    vec_push(&records->dynamo, record);
}

static bool check_parts(Records *records, Str parts)
{
  for (Str word = records_word(&parts); word.len > 0; word = records_word(&parts)) {
    size_t colons = str_find(word, STR("::"), 0);
    if (colons != STR_NOT_FOUND && colons > 0 && colons + 2 < word.len)
      continue;
    records_error(records, records->where, "'%.*s' is not an operator such as aten::mul.Tensor", STR_ARG(word));
    return false;
  }
  return true;
}

static bool check_condition(Records *records, Str text)
{
  Condition condition;
  Str message;
  if (text.len == 0 || condition_parse(text, &records->arena, &condition, &message))
    return true;
  records_error(records, records->where, "%.*s", STR_ARG(message));
  return false;
}

/// "2.14 aten::special_i0e [complex]<TAB>condition<TAB>prims::bessel_i0e"; nothing is left of it if there is no part.
void read_dynamo_parts(Records *records, Str line)
{
  size_t first = str_find_char(line, '\t', 0);
  size_t second = first == STR_NOT_FOUND ? first : str_find_char(line, '\t', first + 1);
  if (second == STR_NOT_FOUND) {
    records_error(records, records->where, "expected operator, condition and parts, parted by tabs");
    return;
  }
  PartsRecord record = { .condition = str_trim(str_slice(line, first + 1, second)),
                         .parts = str_trim(str_slice(line, second + 1, line.len)) };
  Str head = str_slice(line, 0, first);
  if (!read_torch_head(records, &head, (Str){ 0 }, &record.head))
    return;
  Str word = records_word(&head);
  record.complex_inputs = str_equal(word, STR("complex"));
  if (word.len > 0 && !record.complex_inputs)
    records_error(records, records->where, "expected nothing or 'complex' after the operator");
  else if (check_condition(records, record.condition) && check_parts(records, record.parts))
    vec_push(&records->parts, record);
}

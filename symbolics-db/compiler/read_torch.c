// The torch side of the records: versions, schemas, support, tags, passes.

#include "records_internal.h"

/// As symbolics_open_records() takes it, and written in one way only.
static bool is_version_number(Str s)
{
  uint64_t number;
  return (s.len == 1 || !str_starts_with(s, STR("0"))) && str_to_uint(s, UINT16_MAX, &number);
}

static bool is_version(Str s)
{
  size_t dot = str_find_char(s, '.', 0);
  return dot != STR_NOT_FOUND && is_version_number(str_slice(s, 0, dot)) &&
         is_version_number(str_slice(s, dot + 1, s.len));
}

static VersionRecord *find_version(Records *records, Str version)
{
  for (size_t i = 0; i < records->versions.count; i++) {
    if (str_equal(records->versions.items[i].version, version))
      return &records->versions.items[i];
  }
  return NULL;
}

/// "7..20"
static bool read_range(Records *records, Str word, uint32_t *ret_min, uint32_t *ret_max)
{
  size_t dots = str_find(word, STR(".."), 0);
  if (dots == STR_NOT_FOUND) {
    records_error(records, records->where, "'%.*s' is not a range such as 7..20", STR_ARG(word));
    return false;
  }
  uint32_t min, max;
  if (!records_number(records, str_slice(word, 0, dots), FACTS_OPSET_LIMIT, "opset", &min) ||
      !records_number(records, str_slice(word, dots + 2, word.len), FACTS_OPSET_LIMIT, "opset", &max))
    return false;
  if (min > max) {
    records_error(records, records->where, "the range %.*s is empty", STR_ARG(word));
    return false;
  }
  *ret_min = min;
  *ret_max = max;
  return true;
}

/// "exporter torchscript 2.14 opsets 7..20 default 20"
static void read_exporter(Records *records, Str line)
{
  Str name = records_word(&line);
  Str version_word = records_word(&line);
  RangeRecord range = { .exporter = str_equal(name, STR("dynamo")) ? SYMBOLICS__EXPORTER__DYNAMO
                                                                   : SYMBOLICS__EXPORTER__TORCHSCRIPT };
  if (range.exporter == SYMBOLICS__EXPORTER__TORCHSCRIPT && !str_equal(name, STR("torchscript"))) {
    records_error(records, records->where, "unknown exporter '%.*s'", STR_ARG(name));
    return;
  }
  VersionRecord *version = find_version(records, version_word);
  if (!version) {
    records_error(records, records->where, "no line 'torch %.*s' above", STR_ARG(version_word));
    return;
  }
  Str opsets_word = records_word(&line);
  Str range_word = records_word(&line);
  Str default_word = records_word(&line);
  Str standard_word = records_word(&line);
  if (!str_equal(opsets_word, STR("opsets")) || !str_equal(default_word, STR("default"))) {
    records_error(records, records->where, "expected 'opsets 7..20 default 17'");
    return;
  }
  if (!read_range(records, range_word, &range.min, &range.max) ||
      !records_number(records, standard_word, FACTS_OPSET_LIMIT, "opset", &range.standard))
    return;
  if (range.standard < range.min || range.standard > range.max)
    records_error(records, records->where, "the default %u is outside %u..%u", range.standard, range.min, range.max);
  else if (version->range_count > (size_t)(range.exporter == SYMBOLICS__EXPORTER__DYNAMO))
    records_error(records, records->where, "a second line for this exporter (torchscript comes before dynamo)");
  else
    version->ranges[version->range_count++] = range;
}

void read_torch_versions(Records *records, Str line)
{
  Str word = records_word(&line);
  if (str_equal(word, STR("exporter"))) {
    read_exporter(records, line);
    return;
  }
  if (!str_equal(word, STR("torch")) && !str_equal(word, STR("suffixes"))) {
    records_error(records, records->where, "'%.*s' is not torch, exporter or suffixes", STR_ARG(word));
    return;
  }
  Str version = records_word(&line);
  VersionRecord *known = find_version(records, version);
  if (str_equal(word, STR("suffixes"))) {
    if (known)
      known->suffixes = str_trim(line);
    else
      records_error(records, records->where, "no line 'torch %.*s' above", STR_ARG(version));
    return;
  }
  if (!is_version(version))
    records_error(records, records->where, "'%.*s' is not a version such as 2.14", STR_ARG(version));
  else if (known)
    records_error(records, records->where, "torch %.*s is declared twice", STR_ARG(version));
  else if (records->versions.count >= FACTS_TORCH_VERSION_LIMIT)
    records_error(records, records->where, "more than %d torch versions", FACTS_TORCH_VERSION_LIMIT);
  else
    vec_push(&records->versions, (VersionRecord){ .where = records->where, .version = version });
}

/// Splits "aten::add.Tensor" at the first dot after the namespace.
static void split_overload(Str word, TorchRecord *record)
{
  size_t colons = str_find(word, STR("::"), 0);
  size_t dot = colons == STR_NOT_FOUND ? STR_NOT_FOUND : str_find_char(word, '.', colons);
  record->name = str_slice(word, 0, dot);
  record->overload = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(word, dot + 1, word.len);
}

bool read_torch_head(Records *records, Str *line, Str name, TorchRecord *ret_head)
{
  TorchRecord head = { .where = records->where, .versions = records_word(line) };
  split_overload(name.len > 0 ? name : records_word(line), &head);
  size_t colons = str_find(head.name, STR("::"), 0);
  if (colons == STR_NOT_FOUND || colons == 0 || colons + 2 >= head.name.len) {
    records_error(records, records->where, "'%.*s' is not an operator such as aten::add", STR_ARG(head.name));
    return false;
  }
  *ret_head = head;
  return true;
}

/// Quotes closed, brackets paired, and an arrow after the arguments.
static bool is_schema(Str s)
{
  int depth = 0;
  bool quoted = false;
  size_t close = 0;
  for (size_t i = 0; i < s.len; i++) {
    char c = s.data[i];
    if (c == '"' || (quoted && c == '\\'))
      quoted = c == '"' ? !quoted : (i++, quoted);
    if (quoted)
      continue;
    depth += (c == '(' || c == '[') - (c == ')' || c == ']');
    if (depth < 0)
      return false;
    if (depth == 0 && c == ')' && close == 0)
      close = i;
  }
  return depth == 0 && !quoted && close > 0 && str_find(s, STR(") -> "), close) == close;
}

void read_torch_schemas(Records *records, Str line)
{
  Str rest = line;
  records_word(&rest);
  size_t open = str_find_char(rest, '(', 0);
  Str name = str_trim(str_slice(rest, 0, open));
  SchemaRecord record = { 0 };
  if (open == STR_NOT_FOUND || name.len == 0)
    records_error(records, records->where, "no schema such as aten::relu(Tensor self) -> Tensor");
  else if (read_torch_head(records, &line, name, &record.head)) {
    record.schema = str_trim(str_slice(rest, open, rest.len));
    if (is_schema(record.schema))
      vec_push(&records->schemas, record);
    else
      records_error(records, records->where, "unbalanced brackets, or no ' -> ', in the schema of %.*s", STR_ARG(name));
  }
}

void read_torchscript_support(Records *records, Str line)
{
  SupportRecord record = { 0 };
  if (!read_torch_head(records, &line, (Str){ 0 }, &record.head))
    return;
  if (record.head.overload.len > 0) {
    records_error(records, records->where, "symbolic functions are registered without an overload");
    return;
  }
  for (Str word = records_word(&line); word.len > 0; word = records_word(&line)) {
    bool is_blocked = word.data[0] == '!';
    uint32_t opset;
    if (!records_number(records, str_slice(word, is_blocked, word.len), FACTS_OPSET_LIMIT, "opset", &opset))
      return;
    uint64_t bit = (uint64_t)1 << opset;
    if (record.registered & bit) {
      records_error(records, records->where, "opset %u occurs twice", opset);
      return;
    }
    record.registered |= bit;
    record.blocked |= is_blocked ? bit : 0;
  }
  if (record.registered == 0)
    records_error(records, records->where, "no opset");
  else
    vec_push(&records->support, record);
}

static uint32_t find_tag(Str word)
{
  static const struct {
    Str name;
    uint32_t flag;
  } tags[] = {
    // Keep alphabetized.
    { STR_INIT("list_mutation"), FLAG_LIST_MUTATION },
    { STR_INIT("metadata"), FLAG_METADATA },
    { STR_INIT("nondeterministic_seeded"), FLAG_RANDOM },
    { STR_INIT("view"), FLAG_VIEW },
  };
  for (size_t i = 0; i < COUNT(tags); i++) {
    if (str_equal(tags[i].name, word))
      return tags[i].flag;
  }
  return 0;
}

/// "2.6 nondeterministic_seeded aten::bernoulli"
void read_torch_tags(Records *records, Str line)
{
  Str versions = records_word(&line);
  Str tag = records_word(&line);
  Str name = records_word(&line);
  TagRecord record = { .flag = find_tag(tag) };
  if (record.flag == 0)
    records_error(records, records->where, "unknown tag '%.*s'", STR_ARG(tag));
  else if (name.len == 0)
    records_error(records, records->where, "no operator");
  else if (read_torch_head(records, &versions, name, &record.head))
    vec_push(&records->tags, record);
}

static bool is_condition(Str word)
{
  static const Str conditions[] = {
    // Keep alphabetized.
    STR_INIT("always"),       STR_INIT("constant-keys"),    STR_INIT("local-list"),
    STR_INIT("target-fresh"), STR_INIT("target-not-fresh"), STR_INIT("unpacked-at-once"),
  };
  for (size_t i = 0; i < COUNT(conditions); i++) {
    if (str_equal(conditions[i], word))
      return true;
  }
  return false;
}

/// "1.13,2.6 aten::warn always reason in words"
void read_passes(Records *records, Str line)
{
  PassRecord record = { 0 };
  if (!read_torch_head(records, &line, (Str){ 0 }, &record.head))
    return;
  record.condition = records_word(&line);
  record.reason = str_trim(line);
  if (!is_condition(record.condition))
    records_error(records, records->where, "unknown condition '%.*s'", STR_ARG(record.condition));
  else if (record.reason.len == 0)
    records_error(records, records->where, "no reason");
  else
    vec_push(&records->passes, record);
}

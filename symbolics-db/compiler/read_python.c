// The Python side of the records: functions, letters, suffixes, names and arguments of torch.onnx.

#include "records_internal.h"

/// What a function may give; the order is that of PythonRecord.kinds and of PyKind in server/facts/export_api.h.
static const Str kind_words[] = {
  STR_INIT("value"), STR_INIT("values"),   STR_INIT("none"),       STR_INIT("bool"),   STR_INIT("int"),
  STR_INIT("float"), STR_INIT("string"),   STR_INIT("tensor"),     STR_INIT("ints"),   STR_INIT("floats"),
  STR_INIT("other"), STR_INIT("function"), STR_INIT("descriptor"), STR_INIT("raises"),
};

static bool is_name(Str s)
{
  for (size_t i = 0; i < s.len; i++) {
    char c = s.data[i];
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (!is_letter && (i == 0 || ((c < '0' || c > '9') && c != '.')))
      return false;
  }
  return s.len > 0 && s.data[s.len - 1] != '.';
}

/// "1.13,2.6 _get_const(value, desc, arg_name)"
void read_helpers(Records *records, Str line)
{
  HelperRecord record = { .head = { .where = records->where, .versions = records_word(&line) } };
  Str word = records_word(&line);
  size_t open = str_find_char(word, '(', 0);
  record.head.name = str_slice(word, 0, open);
  record.signature = open == STR_NOT_FOUND ? (Str){ 0 } : str_slice(word, open, word.len);
  if (!is_name(record.head.name) || !str_ends_with(record.signature, STR(")")) || str_trim(line).len > 0)
    records_error(records, records->where, "expected versions and a function such as _is_none(x)");
  else
    vec_push(&records->helpers, record);
}

/// "1.13,2.6 torch.onnx.export"
void read_python_members(Records *records, Str line)
{
  TorchRecord record = { .where = records->where, .versions = records_word(&line) };
  record.name = records_word(&line);
  if (!is_name(record.name) || str_find_char(record.name, '.', 0) == STR_NOT_FOUND || str_trim(line).len > 0)
    records_error(records, records->where, "expected versions and a name such as torch.onnx.export");
  else
    vec_push(&records->members, record);
}

/// "2.6 verbose keyword = None", "1.13 f 2"
void read_export_arguments(Records *records, Str line)
{
  ExportRecord record = { .head = { .where = records->where, .versions = records_word(&line) } };
  record.head.name = records_word(&line);
  Str place = records_word(&line);
  Str rest = str_trim(line);
  uint32_t position = 0;
  if (str_equal(place, STR("keyword")))
    record.position = PY_KEYWORD;
  else if (str_equal(place, STR("rest")))
    record.position = PY_REST;
  else if (!records_number(records, place, UINT8_MAX, "position", &position))
    return;
  else
    record.position = (int)position;
  record.has_default = str_starts_with(rest, STR("= "));
  record.default_text = record.has_default ? str_slice(rest, 2, rest.len) : rest;
  if (!is_name(record.head.name) || (!record.has_default && rest.len > 0))
    records_error(records, records->where, "expected versions, a name, its position, and perhaps '= default'");
  else
    vec_push(&records->export_arguments, record);
}

static bool read_release(Str text, uint32_t *ret_release)
{
  uint64_t major, minor;
  size_t dot = str_find_char(text, '.', 0);
  if (dot == STR_NOT_FOUND || !str_to_uint(str_slice(text, 0, dot), INT16_MAX, &major) ||
      !str_to_uint(str_slice(text, dot + 1, text.len), UINT16_MAX, &minor))
    return false;
  *ret_release = (uint32_t)(major << 16 | minor);
  return *ret_release != 0;
}

/// "since=2.9" with the given key; false if it is another word.
static bool take_release(Str word, Str key, uint32_t *release, bool *is_broken)
{
  if (!str_starts_with(word, key))
    return false;
  *is_broken |= *release != 0 || !read_release(str_slice(word, key.len, word.len), release);
  return true;
}

/// "default=2.9:True"
static bool take_default(Str word, PythonRecord *record, bool *is_broken)
{
  Str key = STR("default=");
  if (!str_starts_with(word, key))
    return false;
  size_t colon = str_find_char(word, ':', 0);
  uint32_t since = 0;
  bool ok = colon != STR_NOT_FOUND && read_release(str_slice(word, key.len, colon), &since) &&
            record->default_count < DEFAULT_CHANGE_LIMIT &&
            (record->default_count == 0 || record->defaults[record->default_count - 1].since < since);
  *is_broken |= !ok;
  if (ok) {
    record->defaults[record->default_count].since = since;
    record->defaults[record->default_count++].text = str_slice(word, colon + 1, word.len);
  }
  return true;
}

static bool take_mark(Str word, Str name, bool *mark)
{
  if (!str_equal(word, name))
    return false;
  *mark = true;
  return true;
}

static bool take_kind(Str word, PythonRecord *record)
{
  for (size_t i = 0; i < COUNT(kind_words); i++) {
    if (!str_equal(word, kind_words[i]))
      continue;
    record->kinds |= (uint32_t)1 << i;
    return true;
  }
  return false;
}

/// One word of the second column; false if it means nothing.
static bool take_flag(Str word, PythonRecord *record)
{
  bool is_broken = false;
  if (take_release(word, STR("added="), &record->added, &is_broken) ||
      take_release(word, STR("deprecated="), &record->deprecated, &is_broken) ||
      take_release(word, STR("removed="), &record->removed, &is_broken) || take_default(word, record, &is_broken))
    return !is_broken;
  if (take_mark(word, STR("private"), &record->is_private) || take_mark(word, STR("moved"), &record->is_moved) ||
      take_mark(word, STR("torchscript"), &record->for_torchscript) ||
      take_mark(word, STR("dynamo"), &record->for_dynamo))
    return true;
  if (str_starts_with(word, STR("use="))) {
    record->use = str_slice(word, 4, word.len);
    return record->use.len > 0;
  }
  return take_kind(word, record);
}

static bool take_flags(Records *records, Str words, PythonRecord *record)
{
  for (Str word = records_word(&words); word.len > 0; word = records_word(&words)) {
    if (take_flag(word, record))
      continue;
    records_error(records, records->where, "unexpected '%.*s'", STR_ARG(word));
    return false;
  }
  return true;
}

/// Splits `line` at its tabs into exactly `count` columns that are not empty.
static bool split_columns(Records *records, Str line, Str *columns, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    size_t tab = i + 1 == count ? STR_NOT_FOUND : str_find_char(line, '\t', 0);
    bool is_last = tab == STR_NOT_FOUND;
    columns[i] = str_trim(str_slice(line, 0, tab));
    line = is_last ? (Str){ 0 } : str_slice(line, tab + 1, line.len);
    bool may_be_empty = i == 1;  // The flags.
    if ((columns[i].len == 0 && !may_be_empty) || is_last != (i + 1 == count) ||
        str_find_char(columns[i], '\t', 0) != STR_NOT_FOUND) {
      records_error(records, records->where, "expected %zu columns with a tab between", count);
      return false;
    }
  }
  return true;
}

/// Name, flags, sentence; with `has_takes` a list in front of the sentence.
static bool read_columns(Records *records, Str line, bool has_takes, PythonRecord *ret_record, Str *ret_flags)
{
  Str columns[4];
  size_t count = has_takes ? 4 : 3;
  if (!split_columns(records, line, columns, count))
    return false;
  *ret_record = (PythonRecord){ .where = records->where, .name = columns[0], .text = columns[count - 1] };
  ret_record->takes = has_takes ? columns[2] : (Str){ 0 };
  *ret_flags = columns[1];
  if (!is_name(ret_record->name)) {
    records_error(records, records->where, "'%.*s' is not a name", STR_ARG(ret_record->name));
    return false;
  }
  return true;
}

static void read_plain(Records *records, Str line, bool has_takes, PythonRecords *list)
{
  PythonRecord record;
  Str flags;
  if (read_columns(records, line, has_takes, &record, &flags) && take_flags(records, flags, &record))
    vec_push(list, record);
}

void read_helper_words(Records *records, Str line)
{
  read_plain(records, line, false, &records->helper_words);
}

void read_descriptors(Records *records, Str line)
{
  read_plain(records, line, true, &records->descriptors);
}

void read_python_api(Records *records, Str line)
{
  read_plain(records, line, false, &records->api);
}

void read_export_words(Records *records, Str line)
{
  read_plain(records, line, false, &records->export_words);
}

/// "f<TAB>float floats<TAB>float, int<TAB>A sentence."
void read_suffixes(Records *records, Str line)
{
  PythonRecord record;
  Str types;
  if (!read_columns(records, line, true, &record, &types))
    return;
  record.single = find_attribute_type(records_word(&types));
  record.list = find_attribute_type(records_word(&types));
  if (record.single == 0 || record.list == 0 || str_trim(types).len > 0)
    records_error(records, records->where, "expected two attribute types such as 'float floats'");
  else
    vec_push(&records->suffixes, record);
}

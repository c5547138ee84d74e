// Records about failures: what some software says, what operators can be replaced by, what runtimes lack.

#include "records_internal.h"

/// The order is that of MessageLevel in server/facts/messages.h.
static const Str level_words[] = { STR_INIT("cause"), STR_INIT("outer"), STR_INIT("context"), STR_INIT("warning"),
                                   STR_INIT("note") };
/// The order is that of MessageAbout in server/facts/messages.h.
static const Str about_words[] = {
  STR_INIT("torch-operator"),    STR_INIT("dynamo-operator"), STR_INIT("onnx-operator"), STR_INIT("onnx-attribute"),
  STR_INIT("onnx-type"),         STR_INIT("kernel"),          STR_INIT("runtime-ir"),    STR_INIT("runtime-opset"),
  STR_INIT("export-argument"),   STR_INIT("python-name"),     STR_INIT("torch-opset"),   STR_INIT("onnx-versions"),
  STR_INIT("torchlib-function"), STR_INIT("onnx-missing"),
};
static const Str exporter_words[] = { STR_INIT("either"), STR_INIT("torchscript"), STR_INIT("dynamo") };

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static bool find_word(const Str *words, size_t count, Str word, uint32_t *ret_index)
{
  for (size_t i = 0; i < count; i++) {
    if (!str_equal(words[i], word))
      continue;
    *ret_index = (uint32_t)i;
    return true;
  }
  return false;
}

/// The end of the hole that opens at `open`, or of what looks like one.
static bool is_hole(Str pattern, size_t open, size_t *ret_close)
{
  size_t close = str_find_char(pattern, '}', open);
  if (close == STR_NOT_FOUND || close == open + 1)
    return false;
  for (size_t i = open + 1; i < close; i++) {
    char c = pattern.data[i];
    bool is_mark = i + 1 == close && i > open + 1 && (c == '*' || c == '.');
    if ((c < 'a' || c > 'z') && c != '_' && !is_mark)
      return false;
  }
  *ret_close = close;
  return true;
}

/// A pattern needs something to be found by: its first literal part has at least MESSAGE_KEY bytes.
static bool check_pattern(Records *records, Str pattern)
{
  size_t first = 0;
  bool was_hole = false;
  for (size_t i = 0; i < pattern.len; i++) {
    size_t close = 0;
    if (pattern.data[i] != '{') {
      first += first != SIZE_MAX ? 1 : 0;
      was_hole = false;
      continue;
    }
    if (!is_hole(pattern, i, &close) || was_hole) {
      records_error(records, records->where, was_hole ? "two holes in a row" : "a hole is {name}, {name.} or {name*}");
      return false;
    }
    if (first > 0 && first < 4)
      break;
    first = first > 0 ? SIZE_MAX : 0;
    was_hole = true;
    i = close;
  }
  if (first < 4)
    records_error(records, records->where, "the first part of the text outside holes is shorter than 4 bytes");
  return first >= 4;
}

static void add_pattern(Records *records, MessageRecord *message, Str text)
{
  if (!check_pattern(records, text))
    return;
  if (message->pattern_count == MESSAGE_PATTERN_LIMIT)
    records_error(records, records->where, "more than %d texts of one message", MESSAGE_PATTERN_LIMIT);
  else
    message->patterns[message->pattern_count++] = text;
}

static void add_about(Records *records, MessageRecord *message, Str words)
{
  for (Str word = records_word(&words); word.len > 0; word = records_word(&words)) {
    uint32_t bit = 0;
    if (find_word(about_words, COUNT(about_words), word, &bit))
      message->about |= (uint32_t)1 << bit;
    else
      records_error(records, records->where, "nothing is known about '%.*s'", STR_ARG(word));
  }
}

static Str *text_field(MessageRecord *message, Str key)
{
  const struct {
    Str key;
    Str *field;
  } fields[] = { { STR("stage"), &message->stage },  { STR("versions"), &message->versions },
                 { STR("cause"), &message->cause },  { STR("fix"), &message->fix },
                 { STR("url"), &message->url },      { STR("place"), &message->place },
                 { STR("within"), &message->within } };
  for (size_t i = 0; i < COUNT(fields); i++) {
    if (str_equal(fields[i].key, key))
      return fields[i].field;
  }
  return NULL;
}

/// "stage conversion", "cause The ...".
static void read_field(Records *records, MessageRecord *message, Str key, Str value)
{
  bool is_good = value.len > 0;
  Str *field = text_field(message, key);
  if (field)
    *field = value;
  else if (str_equal(key, STR("says")))
    add_pattern(records, message, value);
  else if (str_equal(key, STR("about")))
    add_about(records, message, value);
  else if (str_equal(key, STR("exporter")))
    is_good &= find_word(exporter_words, COUNT(exporter_words), value, &message->exporter);
  else if (str_equal(key, STR("level")))
    is_good &= find_word(level_words, COUNT(level_words), value, &message->level);
  else
    is_good = false;
  if (!is_good)
    records_error(records, records->where, "'%.*s %.*s' means nothing here", STR_ARG(key), STR_ARG(value));
}

/// "message ID", and indented below it what is known; a line of the same form before the first one is for all of them.
void read_messages(Records *records, Str line)
{
  bool is_indented = line.data[0] == ' ';
  Str rest = line;
  size_t start = 0;
  while (start < rest.len && rest.data[start] == ' ')
    start++;
  size_t end = str_find_char(rest, ' ', start);
  Str key = str_slice(rest, start, end);
  Str value = end == STR_NOT_FOUND ? (Str){ 0 } : str_trim(str_slice(rest, end, rest.len));
  if (is_indented && records->has_message) {
    read_field(records, vec_last(&records->error_messages), key, value);
  } else if (!is_indented && str_equal(key, STR("message")) && value.len > 0) {
    MessageRecord message = records->message_defaults;
    message.where = records->where;
    message.id = value;
    vec_push(&records->error_messages, message);
    records->has_message = true;
  } else if (!is_indented) {
    read_field(records, &records->message_defaults, key, value);
  } else {
    records_error(records, records->where, "an indented line before the first message");
  }
}

static void read_named(Records *records, Str line, NamedRecords *list)
{
  size_t tab = str_find_char(line, '\t', 0);
  NamedRecord record = { .where = records->where, .name = str_trim(str_slice(line, 0, tab)) };
  record.text = tab == STR_NOT_FOUND ? (Str){ 0 } : str_trim(str_slice(line, tab, line.len));
  if (record.name.len == 0 || record.text.len == 0)
    records_error(records, records->where, "expected a name, a tab, and what is known of it");
  else
    vec_push(list, record);
}

void read_operator_ways(Records *records, Str line)
{
  read_named(records, line, &records->ways);
}

void read_torch_summaries(Records *records, Str line)
{
  read_named(records, line, &records->torch_summaries);
}

void read_torchlib_names(Records *records, Str line)
{
  read_named(records, line, &records->torchlib);
}

void read_release_pairs(Records *records, Str line)
{
  read_named(records, line, &records->pairs);
}

/// "1.22 opset 22 ir 10", and `outcomes` if models were run in it
void read_runtimes(Records *records, Str line)
{
  RuntimeRecord record = { .where = records->where, .version = records_word(&line) };
  bool is_good = str_equal(records_word(&line), STR("opset")) &&
                 records_number(records, records_word(&line), UINT8_MAX, "opset", &record.opset) &&
                 str_equal(records_word(&line), STR("ir")) &&
                 records_number(records, records_word(&line), UINT8_MAX, "IR version", &record.ir);
  Str last = records_word(&line);
  record.outcomes = str_equal(last, STR("outcomes"));
  if (is_good && (last.len == 0 || record.outcomes))
    vec_push(&records->runtimes, record);
  else
    records_error(records, records->where, "expected a version, 'opset N', 'ir N', and 'outcomes' or nothing");
}

// What conditions say about the opset, and what they ask for.

#include "base/ascii.h"
#include "python/model/interpret.h"

// --- Words that tell what is asked for ---

static bool is_word_at(Str name, size_t at, Str word)
{
  return str_equal_ignore_case(str_slice(name, at, at + word.len), word);
}

static bool has_digit(Str name)
{
  for (size_t i = 0; i < name.len; i++) {
    if (ascii_is_digit(name.data[i]))
      return true;
  }
  return false;
}

/// `HAS_TORCH_EXPORT`, `torch_dynamo_available`, and no sentence.
static bool says_there(Str name)
{
  if (str_find_char(name, ' ', 0) != STR_NOT_FOUND)
    return false;
  static const Str words[] = { STR_INIT("has_"), STR_INIT("avail"), STR_INIT("support") };
  for (size_t i = 0; i < COUNT(words); i++) {
    for (size_t at = 0; at + words[i].len <= name.len; at++) {
      if (is_word_at(name, at, words[i]))
        return true;
    }
  }
  return false;
}

uint32_t interpret_hints(Str name)
{
#define LETTER(c) (UINT32_C(1) << ((c)&31))
#define BY_FIRST(letter, capital, seconds, word)                                                                       \
  [letter] = { seconds, STR_INIT(word) }, [capital] = { seconds, STR_INIT(word) }
  // By their first letter; the second one tells nearly all other names apart.
  static const struct {
    uint32_t seconds;
    Str word;
  } words[0x80] = {
    BY_FIRST('v', 'V', LETTER('e'), "version"),   BY_FIRST('h', 'H', LETTER('a'), "hasattr"),
    BY_FIRST('s', 'S', LETTER('i'), "signature"), BY_FIRST('f', 'F', LETTER('i'), "find_spec"),
    BY_FIRST('i', 'I', LETTER('s'), "is_torch"),  BY_FIRST('o', 'O', LETTER('l') | LETTER('p'), "old_torch"),
    BY_FIRST('n', 'N', LETTER('e'), "new_torch"), BY_FIRST('t', 'T', LETTER('o'), "torch"),
    BY_FIRST('d', 'D', LETTER('i'), "dict__"),
  };
#undef BY_FIRST
#undef LETTER
  enum { SHORTEST = 5, LONGEST = 64 };
  bool has_torch = false, has_word = false;
  name = str_slice(name, 0, LONGEST);
  for (size_t i = 0; i + SHORTEST <= name.len; i++) {
    if (!(words[name.data[i] & 0x7F].seconds >> (name.data[i + 1] & 31) & 1))
      continue;
    if (is_word_at(name, i, STR("opset")))
      return ASKS_OPSET;
    Str word = words[name.data[i] & 0x7F].word;
    bool is_there = is_word_at(name, i, word);
    bool is_torch = is_there && str_equal(word, STR("torch"));
    has_torch |= is_torch;
    has_word |= is_there && !is_torch;
  }
  return has_word || (has_torch && (has_digit(name) || says_there(name))) ? ASKS_VERSION : 0;
}

/// `"2.6"`, `">=2.5.1"`, `"torch<2.1"`: nothing but a version, and what it is compared with.
static bool is_release(Str text)
{
  size_t at = 0, dots = 0;
  while (at < text.len && !ascii_is_digit(text.data[at])) {
    if (!ascii_is_letter(text.data[at]) && str_find_char(STR("<>=!~ _-"), text.data[at], 0) == STR_NOT_FOUND)
      return false;
    at++;
  }
  for (size_t i = at; i < text.len; i++) {
    bool is_dot = text.data[i] == '.';
    dots += is_dot;
    if (!ascii_is_digit(text.data[i]) && (!is_dot || text.data[i - 1] == '.'))
      return false;
  }
  return at < text.len && dots > 0 && text.data[at] != '.';
}

/// `getattr(torch.onnx, "dynamo_export", None)`
static bool asks_for_member(const Interpreter *in, const PyCall *call)
{
  if (call->argument_count != 3 || !str_equal(call->qualified, STR("getattr")))
    return false;
  Str object = py_text(in->tree, py_model_arguments(in->model, call)->value);
  return str_starts_with(object, STR("torch")) || str_starts_with(object, STR("onnx"));
}

bool interpret_names_release(const Interpreter *in, const PyCall *call)
{
  if (asks_for_member(in, call))
    return true;
  for (PY_EACH_ARGUMENT(in->model, argument, call)) {
    Str text = py_kind(in->tree, argument->value) == PYK_STRING ? py_text(in->tree, argument->value) : (Str){ 0 };
    if (text.len > 2 && is_release(str_slice(text, 1, text.len - 1)))
      return true;
  }
  return false;
}

/// Whether a `try` is about torch, and not about another package that may be missing.
static bool tries_torch(const PyTree *tree, PyRef try_statement, PyRef until)
{
  enum { LOOKED_AT = 512 };
  Str text = py_text(tree, try_statement);
  size_t size = tree->nodes[until].start - tree->nodes[try_statement].start;
  return str_contains(str_slice(text, 0, size < LOOKED_AT ? size : LOOKED_AT), STR("torch"));
}

bool interpret_is_flag(const Interpreter *in, Meaning meaning)
{
  if (!in->at.asks_version || !py_file_is_only(meaning.value, PY_BOOL) || (meaning.yes != 0) == (meaning.no != 0))
    return false;
  PyRef tried = py_tree_try_around(in->tree, in->first);
  return !tried || tries_torch(in->tree, tried, in->first);
}

// --- Conditions ---

static OpsetSet opsets_below(int64_t value)
{
  return value <= 0 ? 0 : value >= 64 ? OPSET_SET_ALL : (UINT64_C(1) << value) - 1;
}

static OpsetSet opsets_up_to(int64_t value)
{
  return value >= 63 ? OPSET_SET_ALL : opsets_below(value + 1);
}

/// Opsets n for which `n OP value` holds, or (`is_turned`) `value OP n`.
static OpsetSet compare_set(Str op, int64_t value, bool is_turned)
{
  bool is_or_equal = str_ends_with(op, STR("="));
  OpsetSet equal = opsets_up_to(value) & ~opsets_below(value);
  if (str_equal(op, STR("==")))
    return equal;
  if (str_equal(op, STR("!=")))
    return ~equal;
  if (!str_starts_with(op, STR("<")) && !str_starts_with(op, STR(">")))
    return OPSET_SET_ALL;
  bool is_less = str_starts_with(op, STR("<")) != is_turned;
  return (is_less ? opsets_below(value) : ~opsets_up_to(value)) | (is_or_equal ? equal : 0);
}

/// The opsets for which `left OP right` holds; false unless one of them is the opset.
static bool compare(Meaning left, Str op, Meaning right, OpsetSet *ret_set)
{
  bool is_turned = (right.hints & IS_OPSET) != 0;
  Meaning number = is_turned ? left : right;
  if (!((left.hints | right.hints) & IS_OPSET) || !(number.hints & HAS_NUMBER))
    return false;
  *ret_set = compare_set(op, number.number, is_turned);
  return true;
}

Meaning interpret_comparison(const Interpreter *in, PyRef node)
{
  Meaning meaning = meaning_unknown;
  meaning.value = interpret_value(PY_BOOL);
  OpsetSet yes = OPSET_SET_ALL;
  bool is_readable = true;
  PyRef left = 0;
  Str op = { 0 };
  for (PY_EACH_CHILD(in->tree, child, node)) {
    if (py_kind(in->tree, child) == PYK_OPERATOR) {
      op = py_text(in->tree, child);
      if (!str_starts_with(op, STR("is")))
        meaning.value = unknown;
      continue;
    }
    OpsetSet set = OPSET_SET_ALL;
    if (left)
      is_readable &= compare(interpret_meaning(in, left), op, interpret_meaning(in, child), &set);
    yes &= set;
    left = child;
  }
  if (is_readable) {
    meaning.yes = yes;
    meaning.no = ~yes;
  }
  interpret_compare_literals(in, node, &meaning);
  if (in->ruled_out.count > 0 && interpret_is_ruled_out(in, node))
    meaning.yes = 0;
  return meaning;
}

Passage interpret_pass(Passage passage, Meaning condition, bool is_true)
{
  bool is_read = condition.yes != OPSET_SET_ALL || condition.no != OPSET_SET_ALL;
  passage.opsets &= is_true ? condition.yes : condition.no;
  passage.without |= is_true ? condition.false_at : condition.true_at;
  if (passage.without == CALL_SET_ALL)
    passage.opsets = 0;
  passage.is_unsure |= !is_read && (condition.hints & ASKS_OPSET);
  passage.asks_version |= (condition.hints & ASKS_VERSION) != 0;
  return passage;
}

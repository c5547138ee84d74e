// What conditions say about the opset, and what they ask for.

#include "base/ascii.h"
#include "python/model/interpret.h"

// --- Words that tell what is asked for ---

/// Most names differ in the second letter.
static bool is_word_at(Str name, size_t at, Str word)
{
  return at + word.len <= name.len && ascii_to_lower(name.data[at + 1]) == word.data[1] &&
         str_equal_ignore_case(str_slice(name, at, at + word.len), word);
}

uint32_t interpret_hints(Str name)
{
  // By their first letter; most letters have none, so that most names are only gone through.
  static const Str words['z' + 1] = {
    ['v'] = STR_INIT("version"),   ['h'] = STR_INIT("hasattr"),  ['s'] = STR_INIT("signature"),
    ['f'] = STR_INIT("find_spec"), ['i'] = STR_INIT("is_torch"), ['o'] = STR_INIT("old_torch"),
    ['n'] = STR_INIT("new_torch"), ['t'] = STR_INIT("torch"),    ['d'] = STR_INIT("dict__"),
  };
  enum { SHORTEST = 5, LONGEST = 64 };
  bool has_digit = false, has_torch = false, has_word = false;
  name = str_slice(name, 0, LONGEST);
  for (size_t i = 0; i < name.len && name.len >= SHORTEST; i++) {
    unsigned char letter = (unsigned char)ascii_to_lower(name.data[i]);
    has_digit |= ascii_is_digit((char)letter);
    if (letter == 'o' && is_word_at(name, i, STR("opset")))
      return ASKS_OPSET;
    if (letter >= COUNT(words) || words[letter].len == 0 || !is_word_at(name, i, words[letter]))
      continue;
    has_torch |= letter == 't';
    has_word |= letter != 't';
  }
  return has_word || (has_torch && has_digit) ? ASKS_VERSION : 0;
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
  return meaning;
}

Passage interpret_pass(Passage passage, Meaning condition, bool is_true)
{
  bool is_read = condition.yes != OPSET_SET_ALL || condition.no != OPSET_SET_ALL;
  passage.opsets &= is_true ? condition.yes : condition.no;
  passage.is_unsure |= !is_read && (condition.hints & ASKS_OPSET);
  passage.asks_version |= (condition.hints & ASKS_VERSION) != 0;
  return passage;
}

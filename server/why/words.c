// Holes of a message, of the others around it, and the sentences that are made with them.

#include "base/ascii.h"
#include "base/buffer.h"
#include "why/pick.h"
#include "why/suggested_fixes.h"

enum { NEAR = 2000, SHOWN = 160 };

static size_t count_of(Str text, char c)
{
  size_t count = 0;
  for (size_t i = 0; i < text.len; i++)
    count += text.data[i] == c ? 1 : 0;
  return count;
}

static bool is_quote(char c)
{
  return c == '\'' || c == '"' || c == '`';
}

/// Whether the quote at the front is closed before the end, as in "`x` is a tuple": then it is none around the text.
static bool quotes_its_beginning(Str text)
{
  size_t end = text.len;
  while (end > 1 && strchr(",;.:!", text.data[end - 1]))
    end--;
  size_t close = str_find_char(text, text.data[0], 1);
  return count_of(text, text.data[0]) % 2 == 0 && close + 1 < end;
}

Str why_bare(Str text)
{
  text = str_trim(text);
  while (text.len > 1 && ((is_quote(text.data[0]) && !quotes_its_beginning(text)) || text.data[0] == '%'))
    text = str_slice(text, 1, text.len);
  while (text.len > 0) {
    char last = text.data[text.len - 1];
    bool is_closed = is_quote(last) && count_of(text, last) % 2 == 0;
    if (is_closed || !(is_quote(last) || last == ',' || last == ';' || last == '.' || last == ':' || last == '!'))
      break;
    text.len--;
  }
  return text;
}

/// Whether the two are about one failure. In loose text: whether they are near each other.
static bool is_near(const Hit *a, const Hit *b)
{
  if (a->failure || b->failure)
    return a->chain == b->chain;
  size_t first = a->match->start < b->match->start ? a->match->start : b->match->start;
  size_t second = a->match->start < b->match->start ? b->match->start : a->match->start;
  return second - first < NEAR;
}

/// Bytes between the two.
static size_t distance(const Hit *a, const Hit *b)
{
  if (a->match->start > b->match->end)
    return a->match->start - b->match->end;
  return b->match->start > a->match->end ? b->match->start - a->match->end : 0;
}

/// Of others in the same failure the nearest knows best: operators are nested.
Str why_hole(const Why *why, const Hit *hit, Str name)
{
  Str own = why_bare(match_hole(hit->match, name));
  Str from_chain = { 0 };
  const Hit *nearest = NULL;
  if (own.len > 0)
    return own;
  for (size_t i = 0; i < why->hit_count; i++) {
    const Hit *other = &why->hits[i];
    bool is_aside = other != hit && other->match->message->level >= MESSAGE_WARNING;
    bool is_asked = !other->is_dropped && !is_aside && is_near(hit, other);
    Str text = is_asked ? why_bare(match_hole(other->match, name)) : (Str){ 0 };
    if (text.len > 0 && other->failure == hit->failure) {
      nearest = nearest && distance(nearest, hit) <= distance(other, hit) ? nearest : other;
    } else if (from_chain.len == 0) {
      from_chain = text;
    }
  }
  return nearest ? why_bare(match_hole(nearest->match, name)) : from_chain;
}

static bool is_identifier(Str s)
{
  for (size_t i = 0; i < s.len; i++) {
    if (!ascii_is_word(s.data[i]))
      return false;
  }
  return s.len > 0;
}

bool why_torch_name(Str name, Arena *arena, Str *ret_name, Str *ret_overload)
{
  Str head = STR("torch.ops.");
  if (str_starts_with(name, head))
    name = str_slice(name, head.len, name.len);
  size_t colons = str_find(name, STR("::"), 0);
  size_t after = colons == STR_NOT_FOUND ? str_find_char(name, '.', 0) : colons;
  if (after == STR_NOT_FOUND)
    return false;
  Str space = str_slice(name, 0, after);
  Str rest = str_slice(name, after + (colons == STR_NOT_FOUND ? 1 : 2), name.len);
  size_t dot = str_find_char(rest, '.', 0);
  Str base = str_slice(rest, 0, dot);
  *ret_overload = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(rest, dot + 1, rest.len);
  if (!is_identifier(space) || !is_identifier(base))
    return false;
  *ret_name = arena_printf(arena, "%.*s::%.*s", STR_ARG(space), STR_ARG(base));
  return true;
}

/// "sym_not" of "<function sym_not at 0x7f97>" and "<built-in function sym_not>".
static Str python_function(Str name)
{
  static const Str heads[] = { STR_INIT("<function "), STR_INIT("<built-in function ") };
  for (size_t i = 0; i < COUNT(heads); i++) {
    if (!str_starts_with(name, heads[i]))
      continue;
    size_t end = heads[i].len;
    while (end < name.len && name.data[end] != ' ' && name.data[end] != '>')
      end++;
    return str_slice(name, heads[i].len, end);
  }
  return name;
}

/// "tile" is "aten::tile" to the TorchScript exporter of old.
static Str with_namespace(const Why *why, Str name)
{
  if (!is_identifier(name))
    return name;
  Str full = arena_printf(why->arena, "aten::%.*s", STR_ARG(name));
  return symbolics_torch_operator(why->db, full) ? full : name;
}

Str why_operator(const Why *why, const Hit *hit)
{
  Str name = python_function(why_hole(why, hit, STR("operator")));
  Str overload = why_hole(why, hit, STR("overload"));
  Str head = STR("torch.ops.");
  if (str_starts_with(name, head))
    name = str_slice(name, head.len, name.len);
  if (name.len > 0 && overload.len > 0 && str_find_char(name, '.', 0) != STR_NOT_FOUND &&
      !str_ends_with(name, overload))
    name = arena_printf(why->arena, "%.*s.%.*s", STR_ARG(name), STR_ARG(overload));
  Str function = why_hole(why, hit, STR("function"));
  bool is_torchlib = (hit->match->message->about & ABOUT_TORCHLIB_FUNCTION) && str_starts_with(function, STR("aten_"));
  if (name.len == 0 && is_torchlib)
    name = arena_printf(why->arena, "aten.%.*s", (int)(function.len - 5), function.data + 5);
  if (hit->match->message->about & ABOUT_TORCH_OPERATOR)
    name = with_namespace(why, name);
  return name;
}

/// The first line of a failure's message, shortened.
static Str first_words(const Why *why, const WhyFailure *failure)
{
  Str message = str_trim(str_slice(why->clean.text, failure->message, failure->end));
  Str line = str_slice(message, 0, str_find_char(message, '\n', 0));
  return line.len > SHOWN ? str_slice(line, 0, SHOWN) : line;
}

/// The exception below the one that the hit is in: " (TypeError: ...)"; empty if there is none.
static Str inner_of(const Why *why, const Hit *hit)
{
  const WhyFailure *inner = NULL;
  for (size_t i = 0; i < why->cut.failure_count && hit->failure; i++) {
    const WhyFailure *failure = &why->cut.failures[i];
    if (failure == hit->failure)
      break;
    if (failure->chain == hit->chain && failure->is_summary == hit->failure->is_summary && !failure->is_warning)
      inner = failure;
  }
  if (!inner)
    return (Str){ 0 };
  Str words = first_words(why, inner);
  return arena_printf(why->arena, " (%.*s: %.*s)", STR_ARG(inner->type), STR_ARG(words));
}

/// "tensor(int64)" of "N11onnxruntime17PrimitiveDataTypeIlEE", which ONNX Runtime wrote up to 1.4: a C++ type as its
/// compiler names it. Source: the Itanium C++ ABI, "Mangling".
static Str without_mangling(Str text)
{
  static const struct {
    Str code, type;
  } rows[] = {
    { STR_INIT("IfEE"), STR_INIT("tensor(float)") },  { STR_INIT("IdEE"), STR_INIT("tensor(double)") },
    { STR_INIT("IlEE"), STR_INIT("tensor(int64)") },  { STR_INIT("IxEE"), STR_INIT("tensor(int64)") },
    { STR_INIT("IiEE"), STR_INIT("tensor(int32)") },  { STR_INIT("IhEE"), STR_INIT("tensor(uint8)") },
    { STR_INIT("IaEE"), STR_INIT("tensor(int8)") },   { STR_INIT("IbEE"), STR_INIT("tensor(bool)") },
    { STR_INIT("IsEE"), STR_INIT("tensor(int16)") },  { STR_INIT("ItEE"), STR_INIT("tensor(uint16)") },
    { STR_INIT("IjEE"), STR_INIT("tensor(uint32)") }, { STR_INIT("ImEE"), STR_INIT("tensor(uint64)") },
  };
  for (size_t i = 0; i < COUNT(rows) && str_starts_with(text, STR("N11onnxruntime")); i++) {
    if (str_ends_with(text, rows[i].code))
      return rows[i].type;
  }
  return text;
}

/// "bool" of "9": onnx writes element types as the numbers of TensorProto.DataType.
static Str element_type_name(Str text)
{
  static const Str names[] = {
    { 0 },
    STR_INIT("float"),
    STR_INIT("uint8"),
    STR_INIT("int8"),
    STR_INIT("uint16"),
    STR_INIT("int16"),
    STR_INIT("int32"),
    STR_INIT("int64"),
    STR_INIT("string"),
    STR_INIT("bool"),
    STR_INIT("float16"),
    STR_INIT("double"),
    STR_INIT("uint32"),
    STR_INIT("uint64"),
    STR_INIT("complex64"),
    STR_INIT("complex128"),
    STR_INIT("bfloat16"),
  };
  size_t number = 0;
  for (size_t i = 0; i < text.len; i++) {
    if (text.data[i] < '0' || text.data[i] > '9' || i > 1)
      return text;
    number = number * 10 + (size_t)(text.data[i] - '0');
  }
  return number > 0 && number < COUNT(names) ? names[number] : text;
}

/// What the list below the message suggests for its Dim.
static Str suggested_of(const Why *why, const Hit *hit)
{
  size_t start = hit->match->end;
  size_t end = hit->failure ? hit->failure->end : start + NEAR;
  SuggestedDims dims = suggested_fixes_read(str_slice(why->clean.text, start, end), why->arena);
  return suggested_fixes_words(&dims, why_hole(why, hit, STR("dim")), why->arena);
}

static Str value_of(const Why *why, const Hit *hit, Str name)
{
  Str text;
  if (str_equal(name, STR("inner")))
    return inner_of(why, hit);
  if (str_equal(name, STR("suggested")))
    return suggested_of(why, hit);
  text = str_equal(name, STR("operator")) ? why_operator(why, hit) : without_mangling(why_hole(why, hit, name));
  if (str_ends_with(name, STR("_type")))
    text = element_type_name(text);
  if (str_equal(name, STR("function")))
    text = python_function(text);
  return text.len > SHOWN ? arena_printf(why->arena, "%.*s...", SHOWN, text.data) : text;
}

/// A hole of a template at `open`: its name, and the words for when nothing is known; false if it is plain text.
static bool read_hole(Str template, size_t open, Str *ret_name, Str *ret_words, size_t *ret_end)
{
  size_t close = str_find_char(template, '}', open);
  if (close == STR_NOT_FOUND)
    return false;
  Str inside = str_slice(template, open + 1, close);
  size_t bar = str_find_char(inside, '|', 0);
  *ret_name = str_slice(inside, 0, bar);
  *ret_words = bar == STR_NOT_FOUND ? (Str){ 0 } : str_slice(inside, bar + 1, inside.len);
  *ret_end = close + 1;
  for (size_t i = 0; i < ret_name->len; i++) {
    if ((ret_name->data[i] < 'a' || ret_name->data[i] > 'z') && ret_name->data[i] != '_')
      return false;
  }
  return ret_name->len > 0;
}

/// Where a bracket with holes ends of which nothing is known, so that it says nothing; 0 if it says something.
static size_t empty_bracket(const Why *why, const Hit *hit, Str template, size_t open)
{
  size_t close = str_find_char(template, ')', open);
  bool has_holes = false;
  for (size_t i = open; close != STR_NOT_FOUND && i < close; i++) {
    Str name, words;
    size_t end = 0;
    if (template.data[i] != '{' || !read_hole(template, i, &name, &words, &end))
      continue;
    if (words.len > 0 || value_of(why, hit, name).len > 0)
      return 0;
    has_holes = true;
    i = end - 1;
  }
  return has_holes ? close + 1 : 0;
}

Str why_words(const Why *why, const Hit *hit, Str template)
{
  Buffer out = { 0 };
  for (size_t i = 0; i < template.len;) {
    Str name, words;
    size_t end = 0;
    if (template.data[i] == ' ' && i + 1 < template.len && template.data[i + 1] == '(' &&
        (end = empty_bracket(why, hit, template, i + 1)) > 0) {
      i = end;
    } else if (template.data[i] == '{' && read_hole(template, i, &name, &words, &end)) {
      Str value = value_of(why, hit, name);
      buffer_append(&out, value.len > 0 ? value : words);
      i = end;
    } else {
      buffer_append_char(&out, template.data[i++]);
    }
  }
  Str done = arena_copy(why->arena, buffer_str(&out));
  buffer_done(&out);
  return done;
}

// Lines of generated Python: `gm.code`, `print_readable()`, `print(ep)`.

#include "base/limits.h"
#include "graph/fx/fx_scan.h"

// --- Statements ---

static bool takes_equals(FxScan *scan)
{
  uint32_t before = scan->at;
  fx_skip_blanks(scan);
  if (fx_take(scan, STR("=")) && fx_peek(scan) != '=')
    return true;
  scan->at = before;
  return false;
}

static bool has_word(Str text, Str word)
{
  for (size_t at = str_find(text, word, 0); at != STR_NOT_FOUND; at = str_find(text, word, at + 1)) {
    char before = at > 0 ? text.data[at - 1] : ' ';
    char after = at + word.len < text.len ? text.data[at + word.len] : ' ';
    if (memchr("([, :", before, 5) && memchr(")], }", after, 5))
      return true;
  }
  return false;
}

/// `x, a, = fx_pytree.tree_flatten_spec(([x, y], {}), self._in_spec)` takes the inputs apart. One that is a value
/// already keeps its name, and is not defined again.
static void keep_inputs(FxScan *scan, size_t first)
{
  static const Str call = STR_INIT("fx_pytree.");
  Str rest = str_trim(fx_rest(scan));
  bool is_call = str_starts_with(rest, call);
  // Where the text ends before it says which are inputs, none counts.
  if (scan->ends_text && (is_call || str_starts_with(call, rest)))
    scan->nodes->count = first;
  if (!is_call)
    return;
  rest = str_slice(rest, 0, FX_INPUT_TEXT_LIMIT);
  for (size_t i = first, inputs = 0; i < scan->nodes->count && inputs < FX_INPUT_LIMIT; i++) {
    SyntaxNode *node = &scan->nodes->items[i];
    if (node->kind != NODE_VALUE_NAME)
      continue;
    inputs++;
    if (has_word(rest, str_slice(scan->text, node->start, node->end)))
      node->kind = NODE_VALUE_REF;
  }
}

/// `a: "f32[2]" = ` or `a, b, = `; false if the line assigns nothing to names.
static bool take_targets(FxScan *scan, bool *ret_is_certain)
{
  size_t first = scan->nodes->count;
  *ret_is_certain = false;
  do {
    fx_skip_blanks(scan);
    uint32_t start = scan->at;
    Str name;
    if (!fx_take_name(scan, &name))
      break;
    size_t definition = fx_open(scan, NODE_DEFINITION, 2, start);
    fx_add(scan, NODE_VALUE_NAME, 3, start);
    bool is_certain;
    fx_take_type(scan, 3, &is_certain);
    *ret_is_certain = is_certain && definition == first;  // Of several names none has a type.
    fx_close(scan, definition);
  } while (fx_take(scan, STR(",")));
  if (scan->nodes->count == first)
    return false;
  if (!takes_equals(scan))
    return *ret_is_certain;  // Such a type says enough: what is missing is the `=`.
  keep_inputs(scan, first);
  return true;
}

/// `add += b` and `x[0] = y`: changes a value that is there.
static bool take_change(FxScan *scan)
{
  uint32_t start = scan->at;
  Str name;
  if (!fx_take_name(scan, &name))
    return false;
  fx_add(scan, NODE_VALUE_REF, 2, start);
  if (fx_take(scan, STR("["))) {
    do
      fx_scan_expression(scan, 2);
    while (!scan->is_broken && (fx_take(scan, STR(",")) || fx_take(scan, STR(":"))));
    scan->is_broken |= !fx_take(scan, STR("]"));
  }
  fx_skip_blanks(scan);
  while (memchr("+-*/%@&|^<>", fx_peek(scan), 11))
    scan->at++;
  return !scan->is_broken && takes_equals(scan);
}

/// The names after `;  ` that are given up: `add = b = None`. The line may be cut off before it says so.
static bool take_release(FxScan *scan)
{
  uint32_t start = scan->at;
  Str name = { 0 };
  uint32_t count = 0;
  bool has_equals = true;
  while (has_equals && fx_take_name(scan, &name)) {
    count++;
    has_equals = takes_equals(scan);
    fx_skip_blanks(scan);
  }
  // A text that ends in a blank was cut: `;  add = b ` goes on with `= None`.
  bool is_before_more = has_equals || (scan->ends_text && scan->end < scan->text.len);
  bool is_cut =
      count > 0 && scan->at == scan->end && (is_before_more || count == 1 || str_starts_with(STR("None"), name));
  if (!is_cut && (count < 2 || !str_equal(name, STR("None")))) {
    scan->at = start;
    return false;
  }
  fx_add(scan, NODE_COMMENT, 2, start);
  return true;
}

/// `x: "f32[2]"` alone, which says what an input is that the line below takes apart.
static bool take_annotation(FxScan *scan)
{
  uint32_t start = scan->at;
  size_t count = scan->nodes->count;
  Str name;
  bool is_certain = false;
  bool is_annotation = fx_take_name(scan, &name) && fx_take_type(scan, 2, &is_certain) && is_certain &&
                       (fx_skip_blanks(scan), scan->at == scan->end || fx_peek(scan) == ';');
  if (!is_annotation) {
    scan->at = start;
    scan->nodes->count = count;
  }
  return is_annotation;
}

/// Nobody but FX writes an assignment that `is_certain`, so what can't be read in it is a mistake. Of others, Python in
/// a log or the rest of a line may be the half.
static bool take_assignment(FxScan *scan, bool *ret_is_certain)
{
  uint32_t start = scan->at;
  size_t count = scan->nodes->count;
  bool is_assigned = take_targets(scan, ret_is_certain);
  if (is_assigned && scan->text.data[scan->at - 1] != '=') {
    scan->is_broken = true;
    return true;
  }
  if (!is_assigned) {
    scan->at = start;
    scan->nodes->count = count;
    if (!take_change(scan))
      return false;
  }
  *ret_is_certain |= str_starts_with(fx_rest(scan), STR(" torch.ops."));
  fx_scan_value(scan);
  return true;
}

/// `;  a = None` and the like up to the line's end.
static void take_rest(FxScan *scan)
{
  bool is_certain;
  fx_skip_blanks(scan);
  while (!scan->is_broken && fx_take(scan, STR(";"))) {
    fx_skip_blanks(scan);
    if (scan->at < scan->end && fx_peek(scan) != '#' && !take_release(scan) && !take_annotation(scan))
      scan->is_broken |= !take_assignment(scan, &is_certain);
    fx_skip_blanks(scan);
  }
  if (!scan->is_broken && fx_peek(scan) == '#') {
    uint32_t start = scan->at;
    scan->at = scan->end;
    fx_add(scan, NODE_COMMENT, 2, start);
  }
  scan->is_broken |= scan->at < scan->end;
}

/// Code that people write, as a traceback shows it, may break a line after a bracket or a comma, and what is left of a
/// header ends in a colon. No statement of FX does.
static bool is_other_code(const FxScan *scan, bool is_certain)
{
  char last = scan->text.data[scan->end - 1];
  return last == ':' || (!is_certain && memchr("([{,", last, 4));
}

bool fx_read_statement(FxScan *scan)
{
  size_t line = fx_open_line(scan, NODE_STATEMENT);
  bool is_certain = true;
  if (!take_annotation(scan) && !take_assignment(scan, &is_certain))
    return false;
  take_rest(scan);
  if (scan->is_broken && is_other_code(scan, is_certain))
    return false;
  if (scan->is_broken && is_certain)
    fx_add_error(scan, line);
  scan->at = scan->end;
  fx_close(scan, line);
  return true;
}

/// Of a result without brackets at the very end of the text nobody knows whether it is whole, and so whether the graph
/// is.
static bool may_be_cut(const FxScan *scan)
{
  char last = scan->text.data[scan->end - 1];
  return scan->ends_text && last != ')' && last != ']' && last != '}';
}

bool fx_read_return(FxScan *scan)
{
  if (!fx_take(scan, STR("return ")))
    return false;
  size_t line = fx_open_line(scan, may_be_cut(scan) ? NODE_STATEMENT : NODE_RETURN_STATEMENT);
  fx_skip_blanks(scan);
  uint32_t start = scan->at;
  fx_scan_expression(scan, 2);
  if (fx_take(scan, STR(",")))  // `return a, b`
    fx_scan_expression(scan, 2);
  take_rest(scan);
  if (scan->is_broken && scan->ends_text)
    fx_add_error(scan, line);
  else if (scan->is_broken)
    return false;  // `return foo is called` in a sentence.
  scan->at = scan->end;
  fx_close(scan, line);
  return scan->end > start;
}

static uint32_t indent_of(const FxScan *scan)
{
  uint32_t start = scan->at;
  while (start > 0 && (scan->text.data[start - 1] == ' ' || scan->text.data[start - 1] == '\t'))
    start--;
  return scan->at - start;
}

// --- A result over several lines ---
//
// return pytree.tree_unflatten((
//     add,  # PlainAOTOutput(idx=0)
//     None,  # None
// ), self._out_spec)

/// The line, if it is one of `texts`, as a node of that kind.
static bool take_line(FxScan *scan, const Str *texts, size_t count, NodeKind kind)
{
  for (size_t i = 0; i < count; i++) {
    if (!str_equal(fx_rest(scan), texts[i]))
      continue;
    size_t line = fx_open_line(scan, kind);
    scan->at = scan->end;
    fx_close(scan, line);
    return true;
  }
  return false;
}

bool fx_read_return_opening(FxScan *scan)
{
  static const Str openings[] = { STR_INIT("return ("), STR_INIT("return ["),
                                  STR_INIT("return pytree.tree_unflatten(("),
                                  STR_INIT("return pytree.tree_unflatten([") };
  return take_line(scan, openings, COUNT(openings), NODE_STATEMENT);
}

bool fx_read_return_end(FxScan *scan)
{
  static const Str ends[] = { STR_INIT(")"), STR_INIT("]"), STR_INIT("), self._out_spec)"),
                              STR_INIT("], self._out_spec)") };
  return indent_of(scan) > 0 && take_line(scan, ends, COUNT(ends), NODE_RETURN_STATEMENT);
}

/// `x: "f32[2]",  # PlainAOTInput(idx=0)`, or a result.
static bool has_remark(const FxScan *scan)
{
  return str_contains(fx_rest(scan), STR(",  # "));
}

/// `,  # GradAOTOutput(grad_of=PlainAOTInput(idx=0))`: what autograd says of a result, or `None`, if it has nothing to
/// say.
static bool is_result_remark(Str rest)
{
  if (!str_starts_with(rest, STR(",  # ")))
    return false;
  Str remark = str_slice(rest, STR(",  # ").len, rest.len);
  return str_equal(remark, STR("None")) ||
         str_ends_with(str_slice(remark, 0, str_find_char(remark, '(', 0)), STR("AOTOutput"));
}

bool fx_read_result(FxScan *scan)
{
  if (!has_remark(scan))
    return false;
  size_t line = fx_open_line(scan, NODE_STATEMENT);
  fx_scan_expression(scan, 2);
  if (scan->is_broken || !is_result_remark(fx_rest(scan)) || !fx_take(scan, STR(",")))
    return false;
  take_rest(scan);
  fx_close(scan, line);
  return !scan->is_broken;
}

// --- Headers ---

/// `x: "f32[2]" = None`; false at anything else.
static bool take_parameter(FxScan *scan, bool *ret_is_certain)
{
  while (fx_peek(scan) == '*')
    scan->at++;
  uint32_t start = scan->at;
  Str name;
  if (!fx_take_name(scan, &name))
    return false;
  if (str_equal(name, STR("self")))
    return true;
  size_t parameter = fx_open(scan, NODE_PARAMETER, 2, start);
  fx_add(scan, NODE_VALUE_NAME, 3, start);
  bool is_certain;
  fx_take_type(scan, 3, &is_certain);
  *ret_is_certain |= is_certain;
  fx_close(scan, parameter);
  if (!takes_equals(scan))
    return true;
  size_t names = scan->nodes->count;
  fx_scan_expression(scan, 3);
  scan->nodes->count = names;  // What a default names is not a value of the graph.
  return !scan->is_broken;
}

/// `-> List[Tensor]:` and the line's end.
static bool take_header_end(FxScan *scan)
{
  uint32_t start = scan->at;
  if (!fx_take(scan, STR(")")))
    return false;
  fx_skip_blanks(scan);
  if (fx_take(scan, STR("->"))) {
    while (scan->at < scan->end && fx_peek(scan) != ':')
      scan->at++;
  }
  if (!fx_take(scan, STR(":")))
    return false;
  uint32_t end = scan->at;
  fx_skip_blanks(scan);
  bool ends_line = scan->at == scan->end || fx_peek(scan) == '#';
  scan->at = end;
  fx_add(scan, NODE_HEADER_END, 2, start);
  return ends_line;
}

/// The end of the parameters is there, or the line ends after a comma or the bracket.
static bool take_parameters(FxScan *scan, bool *ret_is_certain, bool *ret_is_whole)
{
  *ret_is_whole = false;
  for (;;) {
    fx_skip_blanks(scan);
    if (scan->at == scan->end)
      return true;
    if (fx_peek(scan) == ')') {
      *ret_is_whole = true;
      return take_header_end(scan);
    }
    if (!take_parameter(scan, ret_is_certain))
      return false;
    fx_skip_blanks(scan);
    if (!fx_take(scan, STR(",")) && fx_peek(scan) != ')')
      return false;
  }
}

/// `def forward(self, x: "f32[2]"):`. Without types and indented it may be a module's own code, where names come from
/// outside, too: then the header counts as one of which a part is missing.
bool fx_read_function(FxScan *scan)
{
  uint32_t indent = indent_of(scan);
  if (!fx_take(scan, STR("def ")))
    return false;
  size_t line = fx_open_line(scan, NODE_GRAPH_HEADER);
  uint32_t start = scan->at;
  Str name;
  if (!fx_take_name(scan, &name) || !str_equal(name, STR("forward")) || fx_peek(scan) != '(')
    return false;
  fx_add(scan, NODE_GRAPH_NAME, 2, start);
  scan->at++;
  bool is_certain = false;
  bool is_whole;
  if (!take_parameters(scan, &is_certain, &is_whole)) {
    if (!is_certain && !scan->is_broken)
      return false;
    fx_add_error(scan, line);
  } else if (is_whole && !is_certain && indent > 0) {
    scan->nodes->count--;
  }
  scan->at = scan->end;
  fx_close(scan, line);
  return true;
}

/// `class true_graph_0(torch.nn.Module):`; logs put a path before it.
bool fx_read_class(FxScan *scan)
{
  Str line = fx_rest(scan);
  size_t bracket = str_find(line, STR("(torch.nn.Module):"), 0);
  size_t word = str_find(line, STR("class "), 0);
  bool begins = word == 0 || (word < bracket && line.data[word - 1] == ' ');
  if (bracket == STR_NOT_FOUND || word > bracket || !begins)
    return false;
  size_t node = fx_open_line(scan, NODE_GRAPH_TITLE);
  uint32_t start = scan->at + (uint32_t)word + 6;
  scan->at += (uint32_t)bracket;
  fx_add(scan, NODE_GRAPH_NAME, 2, start);
  scan->at = scan->end;
  fx_close(scan, node);
  return true;
}

bool fx_read_parameter(FxScan *scan)
{
  uint32_t indent = indent_of(scan);
  char last = scan->text.data[scan->end - 1];
  if (last != ',' && last != ':' && last != '(' && !has_remark(scan))
    return false;
  size_t line = fx_open_line(scan, NODE_PARAMETER_LINE);
  bool is_certain = false;
  bool is_end = fx_peek(scan) == ')';
  bool is_read =
      is_end ? take_header_end(scan) : indent > 0 && take_parameter(scan, &is_certain) && fx_take(scan, STR(","));
  if (is_read && !is_end && fx_take(scan, STR("  # "))) {
    uint32_t start = scan->at - 2;
    scan->at = scan->end;
    fx_add(scan, NODE_COMMENT, 2, start);
  }
  fx_close(scan, line);
  // At the end of a text `x,` may be the beginning of anything.
  bool is_whole = is_end || is_certain || !scan->ends_text;
  return is_read && is_whole && scan->at == scan->end;
}

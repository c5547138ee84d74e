// Expressions: calls of operators with their arguments, and whatever else FX writes. Only names matter, so what is read
// of the rest is just enough to tell names of values from all others, and a sound line from a damaged one.

#include "base/ascii.h"
#include "base/limits.h"
#include "graph/fx/fx_scan.h"

/// Names that are never values. The last ones begin dotted paths; FX imports nothing else into its code.
static bool is_reserved(Str name)
{
  static const Str names[] = {
    STR_INIT("None"),        STR_INIT("True"),    STR_INIT("False"),    STR_INIT("Ellipsis"),    STR_INIT("NoneType"),
    STR_INIT("inf"),         STR_INIT("nan"),     STR_INIT("self"),     STR_INIT("lambda"),      STR_INIT("for"),
    STR_INIT("torch"),       STR_INIT("pytree"),  STR_INIT("builtins"), STR_INIT("operator"),    STR_INIT("_operator"),
    STR_INIT("fx_pytree"),   STR_INIT("math"),    STR_INIT("device"),   STR_INIT("torchvision"), STR_INIT("typing"),
    STR_INIT("collections"), STR_INIT("inspect"), STR_INIT("numpy"),    STR_INIT("np"),
  };
  for (size_t i = 0; i < COUNT(names); i++) {
    if (str_equal(name, names[i]))
      return true;
  }
  return false;
}

/// Words between two operands.
static bool is_operator_word(Str name)
{
  static const Str words[] = { STR_INIT("and"), STR_INIT("or"), STR_INIT("not"), STR_INIT("in"),
                               STR_INIT("is"),  STR_INIT("if"), STR_INIT("else") };
  for (size_t i = 0; i < COUNT(words); i++) {
    if (str_equal(name, words[i]))
      return true;
  }
  return false;
}

/// An expression that is being read.
typedef struct Expression {
  FxScan *scan;
  uint16_t depth;     ///< Of the names found.
  uint32_t brackets;  ///< Open ones.
  bool has_operand;   ///< The last thing was one, so an operator must follow.
  char closers[FX_BRACKET_LIMIT];
} Expression;

static void take_operand(Expression *expression)
{
  expression->scan->is_broken |= expression->has_operand;
  expression->has_operand = true;
}

static void take_number(Expression *expression)
{
  FxScan *scan = expression->scan;
  take_operand(expression);
  for (char c = fx_peek(scan); ascii_is_digit(c) || c == '.' || c == '_' || ascii_is_letter(c); c = fx_peek(scan)) {
    scan->at++;
    if ((c == 'e' || c == 'E') && (fx_peek(scan) == '-' || fx_peek(scan) == '+'))
      scan->at++;
  }
}

/// A name after a dot. It may be missing only where a text is cut off.
static void take_attribute(FxScan *scan, Str *ret_name)
{
  if (!fx_take_name(scan, ret_name))
    scan->is_broken |= !(scan->ends_text && scan->at >= scan->end);
}

/// The rest of `.shape.x` after a name.
static void skip_attributes(FxScan *scan)
{
  Str name;
  while (!scan->is_broken && fx_peek(scan) == '.') {
    scan->at++;
    take_attribute(scan, &name);
  }
}

/// Whether it is the name of an argument: `dim = -1`. At the end of a text that is cut off nobody knows.
static bool is_keyword(const FxScan *scan)
{
  Str rest = str_trim(fx_rest(scan));
  bool is_cut = rest.len == 0 && scan->ends_text;
  return is_cut || (rest.len > 0 && rest.data[0] == '=' && (rest.len < 2 || rest.data[1] != '='));
}

static void take_word(Expression *expression)
{
  FxScan *scan = expression->scan;
  uint32_t start = scan->at;
  Str name;
  fx_take_name(scan, &name);
  if (is_operator_word(name)) {
    expression->has_operand = false;
    return;
  }
  if (expression->has_operand) {
    scan->at = start;
    scan->is_broken = true;
    return;
  }
  take_operand(expression);
  if ((fx_peek(scan) == '\'' || fx_peek(scan) == '"') && name.len <= 2) {  // b'…'
    scan->is_broken |= !fx_take_string(scan);
    return;
  }
  bool is_argument = expression->brackets > 0 || expression->depth > 2;
  bool is_value = !is_reserved(name) && fx_peek(scan) != '(' && !(is_argument && is_keyword(scan));
  if (is_value)
    fx_add(scan, NODE_VALUE_REF, expression->depth, start);
  skip_attributes(scan);
}

static void open_bracket(Expression *expression)
{
  FxScan *scan = expression->scan;
  char c = scan->text.data[scan->at++];
  if (expression->brackets < FX_BRACKET_LIMIT)
    expression->closers[expression->brackets] = c == '(' ? ')' : c == '[' ? ']' : '}';
  expression->brackets++;
  expression->has_operand = false;
}

/// False at a bracket that was opened outside of the expression.
static bool close_bracket(Expression *expression)
{
  if (expression->brackets == 0)
    return false;
  expression->brackets--;
  char c = expression->scan->text.data[expression->scan->at];
  if (expression->brackets < FX_BRACKET_LIMIT && expression->closers[expression->brackets] != c) {
    expression->scan->is_broken = true;
    return false;
  }
  expression->scan->at++;
  expression->has_operand = true;
  return true;
}

/// `<built-in function add>`: what Python prints of an object that it can't spell.
static void take_object(Expression *expression)
{
  FxScan *scan = expression->scan;
  Str rest = fx_rest(scan);
  size_t end = str_find_char(rest, '>', 0);
  scan->at += end == STR_NOT_FOUND ? 1 : (uint32_t)end + 1;
  expression->has_operand = end != STR_NOT_FOUND;
}

/// Of what a call or a bracket gave: `x[0].shape`, or `...`.
static void take_dot(Expression *expression)
{
  if (expression->has_operand)
    skip_attributes(expression->scan);
  else
    expression->scan->at++;
}

/// False where the expression ends.
static bool take_sign(Expression *expression)
{
  FxScan *scan = expression->scan;
  char c = fx_peek(scan);
  switch (c) {
  case '(':
  case '[':
  case '{':
    open_bracket(expression);
    return true;
  case ')':
  case ']':
  case '}':
    return close_bracket(expression);
  case ',':
  case ':':
    if (expression->brackets == 0)
      return false;
    break;
  case '<':
    if (expression->has_operand)
      break;
    take_object(expression);
    return true;
  case '.':
    take_dot(expression);
    return true;
  case '#':
  case ';':
    return false;
  default:
    if (!memchr("+-*/%@&|^~>=!", c, 13))
      scan->is_broken = true;
    break;
  }
  scan->at++;
  expression->has_operand = false;
  return true;
}

void fx_scan_expression(FxScan *scan, uint16_t depth)
{
  Expression expression;
  expression.scan = scan;
  expression.depth = depth;
  expression.brackets = 0;
  expression.has_operand = false;
  for (bool goes_on = true; goes_on && !scan->is_broken;) {
    fx_skip_blanks(scan);
    char c = fx_peek(scan);
    if (scan->at >= scan->end)
      break;
    if (c == '\'' || c == '"') {
      take_operand(&expression);
      scan->is_broken |= !fx_take_string(scan);
    } else if (ascii_is_digit(c) || (c == '.' && scan->at + 1 < scan->end &&
                                     ascii_is_digit(scan->text.data[scan->at + 1]) && !expression.has_operand)) {
      take_number(&expression);
    } else if (c == '_' || ascii_is_letter(c) || (unsigned char)c >= 0x80) {
      take_word(&expression);
    } else {
      goes_on = take_sign(&expression);
    }
  }
  scan->is_broken |= expression.brackets > 0 || !expression.has_operand;
}

// --- Calls ---

/// `alpha = 2`: false if the argument has no name.
static bool take_keyword_argument(FxScan *scan)
{
  uint32_t start = scan->at;
  Str name;
  if (!fx_take_name(scan, &name) || !is_keyword(scan) || scan->at >= scan->end) {
    scan->at = start;
    return false;
  }
  size_t attribute = fx_open(scan, NODE_ATTRIBUTE, 3, start);
  fx_add(scan, NODE_ATTRIBUTE_NAME, 4, start);
  fx_skip_blanks(scan);
  scan->is_broken |= !fx_take(scan, STR("="));
  fx_skip_blanks(scan);
  size_t value = fx_open(scan, NODE_ATTRIBUTE_VALUE, 4, scan->at);
  fx_scan_expression(scan, 5);
  fx_close(scan, value);
  fx_close(scan, attribute);
  return true;
}

/// An argument that is a value and nothing else needs no node around it.
static void take_argument(FxScan *scan)
{
  if (take_keyword_argument(scan))
    return;
  uint32_t start = scan->at;
  size_t argument = fx_open(scan, NODE_ARGUMENT, 3, start);
  fx_scan_expression(scan, 4);
  uint32_t end = scan->at;
  while (end > start && scan->text.data[end - 1] == ' ')
    end--;
  scan->nodes->items[argument].end = end;
  SyntaxNode *only = vec_last(scan->nodes);
  if (scan->nodes->count == argument + 2 && only->start == start && only->end == end) {
    scan->nodes->items[argument] = (SyntaxNode){ NODE_VALUE_REF, SYNTAX_READ, 3, start, end };
    scan->nodes->count--;
  }
}

static void take_arguments(FxScan *scan)
{
  size_t list = fx_open(scan, NODE_ARGUMENT_LIST, 2, scan->at);
  scan->at++;
  fx_skip_blanks(scan);
  while (!scan->is_broken && fx_peek(scan) != ')') {
    take_argument(scan);
    if (scan->is_broken)
      break;
    bool goes_on = fx_take(scan, STR(","));
    fx_skip_blanks(scan);
    if (!goes_on && fx_peek(scan) != ')')
      scan->is_broken = true;
  }
  if (!scan->is_broken)
    scan->at++;
  fx_close(scan, list);
}

/// `torch.ops.aten.add.Tensor(`, `x.t(`, `operator_add(`: what is called, up to the bracket. The object of a method is
/// its first argument.
static bool take_callee(FxScan *scan)
{
  uint32_t start = scan->at;
  Str root;
  if (!fx_take_name(scan, &root))
    return false;
  uint32_t last = start;
  uint32_t root_end = scan->at;
  Str name;
  while (!scan->is_broken && fx_peek(scan) == '.') {
    last = ++scan->at;
    take_attribute(scan, &name);
  }
  bool is_module = str_equal(root, STR("self"));
  if (is_module && last > start)
    fx_add(scan, NODE_SCOPE, 2, start);
  if (fx_peek(scan) != '(' || is_operator_word(root)) {
    scan->at = start;
    return false;
  }
  uint32_t end = scan->at;
  if (is_module)
    return true;
  if (last == start || is_reserved(root)) {
    fx_add(scan, NODE_OP_KIND, 2, start);
    return true;
  }
  scan->at = root_end;
  fx_add(scan, NODE_VALUE_REF, 2, start);
  scan->at = end;
  fx_add(scan, NODE_OP_KIND, 2, last);
  return true;
}

void fx_scan_value(FxScan *scan)
{
  fx_skip_blanks(scan);
  if (!take_callee(scan)) {
    fx_scan_expression(scan, 2);
    return;
  }
  take_arguments(scan);
  fx_skip_blanks(scan);
  char c = fx_peek(scan);
  if (scan->is_broken || scan->at >= scan->end || c == ';' || c == '#')
    return;
  // The call is only the beginning: `x.size(0) + 1`. Its names stay; a bracket stands for it.
  if (c == ')' || c == ']' || c == '}' || c == ',') {
    scan->is_broken = true;
    return;
  }
  bool is_operator = memchr("+-*/%@&|^<>=!", c, 13) != NULL;
  if (is_operator) {
    while (scan->at < scan->end && memchr("+-*/%@&|^<>=!", fx_peek(scan), 13))
      scan->at++;
    fx_scan_expression(scan, 2);
  } else if (c == '[' || c == '.') {
    skip_attributes(scan);
    if (fx_peek(scan) == '[' || fx_peek(scan) == '(')
      fx_scan_expression(scan, 2);
  } else if (c == '(') {
    fx_scan_expression(scan, 2);  // `getattr(self.layers, "0")(x)`
  } else {
    scan->is_broken = true;
  }
}

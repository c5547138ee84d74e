// What @parse_args makes of the arguments: its letters against the parameters and the types of the operator.

#include "python/rules/python_edit.h"
#include "python/rules/symbolic/function_check.h"

static PyRef parse_args_node(const FunctionCheck *check)
{
  return check->model->calls.items[check->function->parse_args].node;
}

static Str letter_at(const FunctionCheck *check, uint32_t position, PyRef *ret_node)
{
  Str letter = { 0 };
  *ret_node = check->model->descriptors.items[check->function->first_descriptor + position];
  py_model_string(check->model, *ret_node, check->sink->arena, &letter);
  return letter;
}

/// The letter that the schema asks for at a position; empty if it has no such argument.
static Str right_letter(const FunctionCheck *check, uint32_t position)
{
  const TorchOverload *best = function_best_overload(check);
  return best && position < best->argument_count ? export_api_descriptor_for(best->arguments[position].type)
                                                 : (Str){ 0 };
}

/// Whether the function goes through the parameter, or takes elements of it, so that it can't become a number.
static bool is_used_as_list(const FunctionCheck *check, Str name)
{
  const PyTree *tree = &check->model->tree;
  PyRef body = check->function->body;
  for (PY_EACH_NODE(tree, node, body)) {
    if (py_kind(tree, node) != PYK_IDENTIFIER || !str_equal(py_text(tree, node), name))
      continue;
    PyRef parent = tree->nodes[node].parent;
    PyNodeKind kind = py_kind(tree, parent);
    bool is_looped = (kind == PYK_FOR_STATEMENT || kind == PYK_FOR_IN_CLAUSE) && tree->nodes[node].field == PY_F_RIGHT;
    bool is_indexed = kind == PYK_SUBSCRIPT && tree->nodes[node].field == PY_F_VALUE;
    if (is_looped || is_indexed || kind == PYK_LIST_SPLAT)
      return true;
  }
  return false;
}

/// Puts another letter into the quotes: of the parameter at that position.
static const Fix *letter_fix(const FunctionCheck *check, uint32_t position, PyRef node, Str letter)
{
  bool becomes_number = str_equal(letter, STR("i")) || str_equal(letter, STR("f")) || str_equal(letter, STR("b"));
  if (letter.len == 0 ||
      (becomes_number && position < check->param_count && is_used_as_list(check, check->params[position].name)))
    return NULL;
  DiagSink *sink = check->sink;
  return py_fix(sink, true, arena_printf(sink->arena, "Write \"%.*s\"", STR_ARG(letter)), py_range(sink, node),
                arena_printf(sink->arena, "\"%.*s\"", STR_ARG(letter)));
}

/// Appends the letters that are missing.
static const Fix *more_letters(const FunctionCheck *check, uint32_t want)
{
  DiagSink *sink = check->sink;
  Str text = { 0 };
  uint32_t have = check->function->descriptor_count;
  for (uint32_t i = have; i < want; i++) {
    Str letter = right_letter(check, i);
    if (letter.len == 0)
      return NULL;
    text = arena_printf(sink->arena, "%.*s%s\"%.*s\"", STR_ARG(text), i > 0 ? ", " : "", STR_ARG(letter));
  }
  PyRef list = check->model->calls.items[check->function->parse_args].list_node;
  size_t at = (size_t)check->model->tree.nodes[list].start + 1;
  if (have > 0) {
    PyRef last;
    letter_at(check, have - 1, &last);
    at = py_range(sink, last).end;
  }
  return py_fix(sink, true, STR("Add the missing descriptors"), (Range){ at, at }, text);
}

static void report_too_few(const FunctionCheck *check)
{
  DiagSink *sink = check->sink;
  if (!sink_wants(sink, RULE_PARSE_ARGS_TOO_FEW, OWN))
    return;
  const TorchOverload *best = function_best_overload(check);
  uint32_t letters = check->function->descriptor_count;
  uint32_t want = best ? best->argument_count : check->param_count;
  Str whose = best ? check->name : STR("this function");
  Str message = arena_printf(sink->arena, "%u descriptor%s for the %u arguments of %.*s; each needs one.", letters,
                             letters == 1 ? "" : "s", want, STR_ARG(whose));
  // With the letters alone @parse_args would drop what the function has no parameter for.
  const Fix *fix = !best                       ? NULL
                   : check->param_count < want ? function_fix_parameters(check)
                                               : more_letters(check, want);
  py_say(sink, RULE_PARSE_ARGS_TOO_FEW, OWN, parse_args_node(check), message, fix);
}

static void report_too_many(const FunctionCheck *check)
{
  DiagSink *sink = check->sink;
  if (!sink_wants(sink, RULE_PARSE_ARGS_TOO_MANY, OWN))
    return;
  uint32_t letters = check->function->descriptor_count;
  PyRef first_node;
  PyRef last_node;
  letter_at(check, check->param_count, &first_node);
  letter_at(check, letters - 1, &last_node);
  Range cut = { py_range(sink, first_node).start, py_range(sink, last_node).end };
  if (check->param_count > 0) {
    PyRef before;
    letter_at(check, check->param_count - 1, &before);
    cut.start = py_range(sink, before).end;
  }
  const char *rest = letters - check->param_count == 1 ? "is" : "ones are";
  py_report(sink, RULE_PARSE_ARGS_TOO_MANY, OWN, first_node,
            (Diagnostic){
                .message = arena_printf(sink->arena, "%u descriptors for %u parameters; the last %s ignored.", letters,
                                        check->param_count, rest),
                .is_unnecessary = true,
                .fixes = py_fix(sink, true, STR("Remove the descriptors that are too many"), cut, STR("")),
                .fix_count = 1,
            });
}

static void check_letter_count(const FunctionCheck *check)
{
  uint32_t letters = check->function->descriptor_count;
  uint32_t fewest = check->required;
  uint32_t most = check->param_count;
  for (uint32_t i = 0; i < check->overload_count; i++) {
    if (check->overloads[i]->argument_count > most)
      most = check->overloads[i]->argument_count;
    if (i == 0 || check->overloads[i]->argument_count < fewest)
      fewest = check->overloads[i]->argument_count;
  }
  if (letters < fewest || letters < check->required)
    report_too_few(check);
  else if (letters > most && !check->has_args)
    report_too_many(check);
}

/// The letter fits none of the overloads' types at that position.
static bool is_unfit(const FunctionCheck *check, Str letter, uint32_t position)
{
  bool any = false;
  for (uint32_t i = 0; i < check->overload_count; i++) {
    const TorchOverload *overload = check->overloads[i];
    if (!function_counts(check, overload) || position >= overload->argument_count)
      continue;
    if (export_api_descriptor_fits(letter, overload->arguments[position].type))
      return false;
    any = true;
  }
  return any;
}

/// What a letter that reads a number makes of an argument that it doesn't fit.
typedef enum LetterLoss {
  LOSES_ALL,       ///< It raises.
  CUTS_NUMBER,     ///< "i" cuts 0.7 down to 0, silently,
  CUTS_TRUTH,      ///< and "b" makes True of it.
  WANTS_ONE,       ///< A list is read if it has one number,
  WANTS_CONSTANT,  ///< and a tensor if it is a constant.
} LetterLoss;

static bool is_number_letter(Str letter)
{
  return str_equal(letter, STR("i")) || str_equal(letter, STR("f")) || str_equal(letter, STR("b"));
}

/// Whether the schema has a number of any kind wherever it has none that the letter can't read at all.
static bool cuts_number(const FunctionCheck *check, Str letter, uint32_t position)
{
  bool any = false;
  bool is_cutting = str_equal(letter, STR("i")) || str_equal(letter, STR("b"));
  for (uint32_t i = 0; is_cutting && i < check->overload_count; i++) {
    const TorchOverload *overload = check->overloads[i];
    // What takes numbers alone is met in scripts only.
    if (!function_counts(check, overload) || position >= overload->argument_count ||
        (position > 0 && !str_equal(overload->arguments[0].type, STR("Tensor"))))
      continue;
    Str type = overload->arguments[position].type;
    bool is_cut = str_equal(type, STR("Scalar")) || str_equal(type, STR("float"));
    if (!is_cut && export_api_descriptor_fits(letter, type))
      return false;
    any |= is_cut;
  }
  return any;
}

static LetterLoss letter_loss(const FunctionCheck *check, Str letter, uint32_t position, Str type)
{
  if (cuts_number(check, letter, position))
    return str_equal(letter, STR("i")) ? CUTS_NUMBER : CUTS_TRUTH;
  // Source: int(), float() and bool() of a torch.Tensor; run with torch 1.13, 2.6 and 2.14.
  bool is_list = str_find_char(type, '[', 0) != STR_NOT_FOUND && export_api_descriptor_fits(STR("is"), type);
  return is_list && is_number_letter(letter)              ? WANTS_ONE
         : str_equal(type, STR("Tensor")) && position > 0 ? WANTS_CONSTANT
                                                          : LOSES_ALL;
}

static void report_unknown(const FunctionCheck *check, uint32_t position, PyRef node, Str letter, Str right)
{
  DiagSink *sink = check->sink;
  if (!sink_wants(sink, RULE_PARSE_ARGS_UNKNOWN, OWN))
    return;
  Str message = arena_printf(sink->arena,
                             "'%.*s' is not a descriptor of @parse_args; there are v, i, is, f, fs, b, s, t and none.",
                             STR_ARG(letter));
  py_say(sink, RULE_PARSE_ARGS_UNKNOWN, OWN, node, message, letter_fix(check, position, node, right));
}

static void check_letter(const FunctionCheck *check, uint32_t position, bool checks_type)
{
  DiagSink *sink = check->sink;
  PyRef node;
  Str letter = letter_at(check, position, &node);
  Str right = right_letter(check, position);
  if (!export_api_descriptor(check->file->db, letter)) {
    report_unknown(check, position, node, letter, right);
    return;
  }
  const TorchOverload *best = function_best_overload(check);
  if (!checks_type || !best || position >= best->argument_count)
    return;
  static const char *const whys[] = { "can't read", "silently cuts to an int", "silently makes a bool of",
                                      "reads only if it has one number", "reads only if it is a constant" };
  const TorchArgument *argument = &best->arguments[position];
  LetterLoss loss = letter_loss(check, letter, position, argument->type);
  Severity severity = loss == LOSES_ALL ? OWN : SEVERITY_WARNING;
  bool is_cut = loss == CUTS_NUMBER || loss == CUTS_TRUTH;
  if ((!is_cut && !is_unfit(check, letter, position)) || !sink_wants(sink, RULE_PARSE_ARGS_TYPE, severity))
    return;
  Str message = arena_printf(sink->arena, "'%.*s' of %.*s is of type %.*s, which \"%.*s\" %s; write \"%.*s\".",
                             STR_ARG(argument->name), STR_ARG(check->name), STR_ARG(argument->type), STR_ARG(letter),
                             whys[loss], STR_ARG(right));
  py_say(sink, RULE_PARSE_ARGS_TYPE, severity, node, message, letter_fix(check, position, node, right));
}

/// A method: its letters begin with one for the graph, and each argument needs one.
static void check_method(const FunctionCheck *check)
{
  DiagSink *sink = check->sink;
  uint32_t fewest = check->overload_count > 0 ? UINT32_MAX : check->required;
  for (uint32_t i = 0; i < check->overload_count; i++) {
    if (check->overloads[i]->argument_count < fewest)
      fewest = check->overloads[i]->argument_count;
  }
  if (check->function->descriptor_count > fewest || !sink_wants(sink, RULE_PARSE_ARGS_TOO_FEW, OWN))
    return;
  py_say(
      sink, RULE_PARSE_ARGS_TOO_FEW, OWN, parse_args_node(check),
      arena_printf(sink->arena,
                   "Of a method @parse_args takes the graph for an argument, so %u descriptor%s are too few: make it "
                   "a @staticmethod, or begin with \"v\" for the graph.",
                   check->function->descriptor_count, check->function->descriptor_count == 1 ? "" : "s"),
      NULL);
}

void function_check_parse_args(const FunctionCheck *check, bool checks_types)
{
  if (check->function->parse_args == PY_ABSENT || !check->function->descriptors_known)
    return;
  if (py_file_descriptor_shift(check->file, check->index)) {
    check_method(check);
    return;
  }
  check_letter_count(check);
  for (uint32_t i = 0; i < check->function->descriptor_count; i++)
    check_letter(check, i, checks_types);
}

// Completion in Python files: what torch.onnx wants to be written, and nothing that a Python server knows.

#include "base/ascii.h"
#include "core/completion_job.h"
#include "python/features/python_complete.h"
#include "python/features/python_features.h"
#include "python/syntax/python_parts.h"

void py_complete_add(PyCompletion *at, CompletionItem item, char group)
{
  item.replaced = at->replaced;
  if (item.text.len == 0)
    item.text = item.label;
  if (at->is_quoted)
    item.text = arena_printf(at->arena, "\"%.*s\"", STR_ARG(item.text));
  item.sort_text = arena_printf(at->arena, "%c%.*s", group, STR_ARG(item.label));
  vec_push(&at->job->items, item);
}

void py_complete_document(PyCompletion *at, CompletionItem *item)
{
  Hover text;
  if (!markup_finish(&at->markup, at->arena, at->replaced, &text))
    return;
  item->documentation = text.markdown;
  item->documentation_plain = text.plain;
}

// --- What is at the cursor ---

static size_t name_start(Str text, size_t at)
{
  while (at > 0 && py_is_name_char(text.data[at - 1]))
    at--;
  return at;
}

static size_t name_end(Str text, size_t at)
{
  while (at < text.len && py_is_name_char(text.data[at]))
    at++;
  return at;
}

/// Of a string its content is replaced, if somebody closed it and it looks like one name; else the rest stays.
static void replace_string(PyCompletion *at)
{
  const PyScan *scan = &at->help->scan;
  size_t start = scan->quote + scan->quote_len;
  size_t end = scan->offset;
  while (end < scan->content_end && (py_is_name_char(scan->text.data[end]) || scan->text.data[end] == ':'))
    end++;
  at->is_closed =
      scan->content_end < scan->text.len && scan->text.data[scan->content_end] == scan->text.data[scan->quote];
  bool is_all = at->is_closed && end == scan->content_end;
  at->replaced = (Range){ start, is_all ? end : scan->offset };
  at->typed = str_slice(scan->text, start, scan->offset);
}

static void replace_name(PyCompletion *at)
{
  const PyScan *scan = &at->help->scan;
  at->replaced = (Range){ name_start(scan->text, scan->offset), name_end(scan->text, scan->offset) };
  at->typed = str_slice(scan->text, at->replaced.start, scan->offset);
  size_t end = at->replaced.end;
  at->has_equals = end < scan->text.len && scan->text.data[end] == '=';
}

static const PyScannedArgument *active_argument(const PyHelp *help)
{
  return &help->call.arguments.items[help->call.active];
}

/// Whether the argument at the cursor is still nothing but the beginning of a name, so that it may become a keyword.
static bool may_be_keyword(const PyHelp *help)
{
  const PyScannedArgument *argument = active_argument(help);
  size_t start = name_start(help->scan.text, help->scan.offset);
  bool is_empty = argument->start >= argument->end;
  char first = is_empty ? '\0' : help->scan.text.data[argument->start];
  bool is_name = py_is_name_char(first) && !ascii_is_digit(first);
  return help->call.is_direct && (is_empty ? start == help->scan.offset : start == argument->start && is_name);
}

/// Python takes no positional argument after a keyword. What is in other lines may not belong to the call, if its
/// bracket is open still.
static bool stands_before_positional(const PyHelp *help)
{
  Str text = help->scan.text;
  size_t line_end = help->scan.offset;
  while (line_end < text.len && text.data[line_end] != '\n' && text.data[line_end] != '\r')
    line_end++;
  for (size_t i = help->call.active + 1; i < help->call.arguments.count; i++) {
    const PyScannedArgument *argument = &help->call.arguments.items[i];
    bool is_positional = argument->keyword.len == 0 && !argument->is_splat && argument->start < argument->end;
    if (is_positional && (!help->repaired || argument->start < line_end))
      return true;
  }
  return false;
}

/// Whether the argument at the cursor is the positional one `position`, or the one of that keyword.
static bool is_argument(const PyHelp *help, size_t position, const char *keyword)
{
  const PyScannedArgument *argument = active_argument(help);
  if (argument->keyword.len > 0)
    return str_equal(argument->keyword, str_from(keyword));
  return help->call.position == position && !help->call.after_splat && !argument->is_splat;
}

bool py_complete_is_given(const PyHelp *help, Str keyword)
{
  for (size_t i = 0; i < help->call.arguments.count; i++) {
    if (i != help->call.active && str_equal(help->call.arguments.items[i].keyword, keyword))
      return true;
  }
  return false;
}

// --- Strings ---

/// Whether the string at the cursor is a key of the dictionary that is the argument.
static bool is_key(const PyHelp *help)
{
  const PyScan *scan = &help->scan;
  size_t count = scan->open.count;
  if (!scan->in_string || count < 2 || scan->open.items[count - 1].kind != '{' ||
      scan->open.items[count - 2].at != help->call.open)
    return false;
  size_t before = scan->quote;
  while (before > 0 && strchr(" \t\r\n", scan->text.data[before - 1]))
    before--;
  return before > 0 && (scan->text.data[before - 1] == '{' || scan->text.data[before - 1] == ',');
}

/// What belongs into the string that is the argument, or an element of one.
/// Keys of a dictionary, or names in a list, that an argument of an export takes.
static void complete_in_argument(PyCompletion *at)
{
  const PyHelp *help = at->help;
  Str keyword = active_argument(help)->keyword;
  if (help->kind == PY_HELP_EXPORT && !help->call.is_direct && str_equal(keyword, STR("custom_opsets")))
    py_complete_domains(at);
  else if (help->kind == PY_HELP_EXPORT && is_key(help) && str_equal(keyword, STR("dynamic_axes")))
    py_complete_axes(at);
  else if (is_key(help) && str_equal(keyword, STR("dynamic_shapes")))
    py_complete_shapes(at);
}

static void complete_content(PyCompletion *at)
{
  const PyHelp *help = at->help;
  switch (help->kind) {
  case PY_HELP_OP:
    if (help->call.is_direct && is_argument(help, 0, "opname"))
      py_complete_operators(at);
    else if (help->call.is_direct && active_argument(help)->keyword.len > 0)
      py_complete_attribute_value(at, active_argument(help)->keyword);
    break;
  case PY_HELP_ATEN:
    if (help->call.is_direct && is_argument(help, 0, "operator"))
      py_complete_torch_names(at, true);
    break;
  case PY_HELP_PARSE_ARGS:
    if (help->call.is_direct && active_argument(help)->keyword.len == 0 && !help->call.after_splat)
      py_complete_letters(at);
    break;
  case PY_HELP_REGISTER:
  case PY_HELP_UNREGISTER:
  case PY_HELP_BUILTIN:
    if (help->call.is_direct && is_argument(help, 0, help->kind == PY_HELP_BUILTIN ? "name" : "symbolic_name"))
      py_complete_torch_names(at, false);
    break;
  case PY_HELP_HELPER:
    if (help->call.is_direct)
      py_complete_helper_letter(at);
    break;
  case PY_HELP_EXPORT:
  case PY_HELP_CAPTURE:
    complete_in_argument(at);
    break;
  case PY_HELP_ONNXSCRIPT:
    if (help->call.is_direct && active_argument(help)->keyword.len > 0)
      py_complete_attribute_value(at, active_argument(help)->keyword);
    break;
  case PY_HELP_NOTHING:
    break;
  }
}

static void complete_string(PyCompletion *at)
{
  const PyHelp *help = at->help;
  // The string has to be the argument, or (letters aside) an element of a list in it.
  if (help->call.is_direct && help->scan.quote != active_argument(help)->value)
    return;
  replace_string(at);
  complete_content(at);
}

/// Where the argument is still empty, and a string is what it has to be.
static void complete_missing_string(PyCompletion *at)
{
  const PyHelp *help = at->help;
  const PyScannedArgument *argument = active_argument(help);
  size_t start = argument->keyword.len > 0 ? argument->value : argument->start;
  if (!help->call.is_direct || argument->is_splat || start < argument->end || at->replaced.start < at->replaced.end)
    return;
  at->is_quoted = true;
  at->is_closed = true;
  complete_content(at);
  at->is_quoted = false;
}

// --- Names ---

/// `op.Re`: the module `op` stands for.
static bool complete_member(PyCompletion *at)
{
  const PyHelp *help = at->help;
  Str text = help->scan.text;
  size_t dot = at->replaced.start;
  if (dot == 0 || text.data[dot - 1] != '.')
    return false;
  size_t object = name_start(text, dot - 1);
  if (object == dot - 1)
    return true;
  PyRef node = py_help_node(help, object + 1);
  Str domain;
  int opset;
  // Of `onnxscript.opset18.` the whole chain counts, which is the parent's object.
  const PyTree *tree = &help->file->model->tree;
  PyRef parent = tree->nodes[node].parent;
  if (tree->nodes[node].field == PY_F_ATTRIBUTE && py_kind(tree, parent) == PYK_ATTRIBUTE)
    node = parent;
  Str qualified = py_model_qualified(help->file->model, node, at->arena);
  if (!py_complete_torch_ops(at, qualified) && !py_complete_dims(at, qualified) &&
      py_model_opset_module(qualified, &domain, &opset))
    py_complete_members(at, domain, opset);
  return true;
}

static void complete_name(PyCompletion *at)
{
  const PyHelp *help = at->help;
  replace_name(at);
  if (complete_member(at) || !help->has_call)
    return;
  complete_missing_string(at);
  const PyScannedArgument *argument = active_argument(help);
  bool is_value =
      argument->keyword.len > 0 && (argument->value >= argument->end || argument->value == at->replaced.start);
  if (is_value && help->call.is_direct && (help->kind == PY_HELP_OP || help->kind == PY_HELP_ONNXSCRIPT))
    py_complete_attribute_value(at, argument->keyword);
  if (!may_be_keyword(help) || stands_before_positional(help))
    return;
  if (help->kind == PY_HELP_OP && help->call.position > 0)
    py_complete_attributes(at, true);
  else if (help->kind == PY_HELP_ONNXSCRIPT)
    py_complete_attributes(at, false);
  else if (help->kind == PY_HELP_EXPORT)
    py_complete_export_arguments(at);
  else if (help->kind == PY_HELP_CAPTURE && help->call.position > 1)
    py_complete_capture_arguments(at);
}

void python_complete(CompletionJob *job)
{
  PyHelp help;
  if (!py_help_begin(&help, job->context, job->offset))
    return;
  PyCompletion at = { .job = job, .help = &help, .arena = job->arena };
  at.words = (PyWords){ help.file, job->arena, &at.markup };
  if (help.scan.in_string && help.has_call)
    complete_string(&at);
  else if (!help.scan.in_string && !help.scan.in_comment)
    complete_name(&at);
  buffer_done(&at.markup.markdown);
  buffer_done(&at.markup.plain);
  py_help_done(&help);
}

#include "python/features/python_help.h"

#include "base/ascii.h"
#include "base/buffer.h"
#include "base/limits.h"
#include "python/syntax/python_parts.h"

// --- A text that is whole ---

static bool is_worth_it(Str text, const PyPiece *piece)
{
  Str body = str_slice(text, piece->start, piece->end);
  if (!piece->is_definition)
    return true;
  return body.len <= PY_PIECE_LIMIT && (str_find(body, STR("register"), 0) != STR_NOT_FOUND ||
                                        str_find(body, STR("onnx.export"), 0) != STR_NOT_FOUND);
}

/// A part of the text with what was missing in it.
static void append_part(Buffer *out, const PyScan *scan, size_t start, size_t end)
{
  size_t from = start;
  for (size_t i = 0; i < scan->insertions.count; i++) {
    const PyInsertion *insertion = &scan->insertions.items[i];
    if (insertion->at <= from || insertion->at > end)
      continue;
    buffer_append(out, str_slice(scan->text, start, insertion->at));
    buffer_append_char(out, insertion->c);
    start = insertion->at;
  }
  buffer_append(out, str_slice(scan->text, start, end));
}

static void append_line_end(Buffer *out)
{
  if (out->len > 0 && out->data[out->len - 1] != '\n')
    buffer_append_char(out, '\n');
}

/// Whether the text ends where Python wants an operand.
static bool wants_operand(Str text)
{
  text.len = ascii_blanks_start(text, text.len);
  return text.len > 0 && strchr("=.+-*/%@&|^~<>!:", text.data[text.len - 1]) != NULL;
}

/// Closes what is open at the cursor.
static void append_closers(Buffer *out, const PyScan *scan)
{
  if (scan->in_string) {
    for (size_t i = 0; i < scan->quote_len; i++)
      buffer_append_char(out, scan->text.data[scan->quote]);
  } else if (wants_operand(buffer_str(out))) {
    buffer_append(out, STR("_"));
  }
  for (size_t i = scan->open.count; i-- > 0;) {
    char kind = scan->open.items[i].kind;
    buffer_append_char(out, kind == '(' ? ')' : kind == '[' ? ']' : '}');
  }
  append_line_end(out);
}

static void append_cursor_piece(Buffer *out, PyHelp *help)
{
  const PyScan *scan = &help->scan;
  const PyPiece *piece = &scan->pieces.items[scan->piece];
  append_part(out, scan, piece->start, scan->offset);
  help->shift = out->len - scan->offset;
  append_closers(out, scan);
  if (scan->resume < piece->end)
    append_part(out, scan, scan->resume, piece->end);
  append_line_end(out);
}

static void repair(PyHelp *help)
{
  const PyScan *scan = &help->scan;
  const PyPiece *at_cursor = &scan->pieces.items[scan->piece];
  if (scan->offset - at_cursor->start > PY_CURSOR_LIMIT || at_cursor->end - at_cursor->start > 2 * PY_CURSOR_LIMIT)
    return;
  Buffer text = { 0 };
  for (size_t i = 0; i < scan->pieces.count; i++) {
    const PyPiece *piece = &scan->pieces.items[i];
    if (i == scan->piece) {
      append_cursor_piece(&text, help);
    } else if (piece->end - piece->start + text.len < PY_AROUND_LIMIT + (i > scan->piece ? PY_CURSOR_LIMIT : 0) &&
               is_worth_it(scan->text, piece)) {
      append_part(&text, scan, piece->start, piece->end);
      append_line_end(&text);
    }
  }
  PySyntax *syntax = py_syntax_new(buffer_str(&text), NULL);
  help->repaired = python_file_new(python_lower(syntax, help->whole->model->path, help->whole->target->workspace, NULL),
                                   help->whole->target);
  help->file = help->repaired;
  py_syntax_release(syntax);
  buffer_done(&text);
}

// --- What the call is ---

PyRef py_help_node(const PyHelp *help, size_t offset)
{
  return py_node_at(&help->file->model->tree, offset + help->shift);
}

/// The call whose bracket is at `open`.
static uint32_t find_call(const PyHelp *help, size_t open)
{
  const PyModel *model = help->file->model;
  size_t wanted = open + help->shift;
  PyRef node = py_node_at(&model->tree, wanted + 1);
  for (int depth = 0; node != 0 && depth < PY_CLIMB_LIMIT; depth++, node = model->tree.nodes[node].parent) {
    if (py_kind(&model->tree, node) != PYK_CALL)
      continue;
    uint32_t call = py_model_call_at(model, node);
    PyRef list = call == PY_ABSENT ? 0 : model->calls.items[call].list_node;
    if (list && model->tree.nodes[list].start == wanted)
      return call;
  }
  return PY_ABSENT;
}

static uint32_t decorated_function(const PyModel *model, uint32_t call)
{
  for (uint32_t i = 0; i < model->functions.count; i++) {
    if (model->functions.items[i].parse_args == call)
      return i;
  }
  return PY_ABSENT;
}

static bool is_builtin_registration(const PyModel *model, uint32_t call)
{
  for (size_t i = 0; i < model->registrations.count; i++) {
    if (model->registrations.items[i].call == call && model->registrations.items[i].kind == PY_REG_BUILTIN)
      return true;
  }
  return false;
}

static PyHelpKind kind_of_name(PyHelp *help, Str qualified)
{
  static const struct {
    const char *name;
    PyHelpKind kind;
  } names[] = {
    { "torch.onnx.export", PY_HELP_EXPORT },
    { "torch.export.export", PY_HELP_CAPTURE },
    { "torch.onnx.register_custom_op_symbolic", PY_HELP_REGISTER },
    { "torch.onnx.unregister_custom_op_symbolic", PY_HELP_UNREGISTER },
    { "torch.onnx._internal.registration.onnx_symbolic", PY_HELP_BUILTIN },
    { "torch.onnx._internal.registration.custom_onnx_symbolic", PY_HELP_BUILTIN },
    { "torch.onnx.symbolic_helper.parse_args", PY_HELP_PARSE_ARGS },
  };
  for (size_t i = 0; i < COUNT(names); i++) {
    if (str_equal(qualified, str_from(names[i].name)))
      return names[i].kind;
  }
  Str module = STR("torch.onnx.symbolic_helper.");
  if (str_starts_with(qualified, module))
    help->helper = export_api_helper(help->file->db, str_slice(qualified, module.len, qualified.len));
  return help->helper ? PY_HELP_HELPER : PY_HELP_NOTHING;
}

/// `reg = functools.partial(register_custom_op_symbolic, opset_version=9)`, then `reg("aten::elu", elu)`. Only where
/// positions mean the same.
static PyHelpKind kind_of_partial(PyHelp *help)
{
  const PyModel *model = help->file->model;
  const PyCall *partial =
      py_model_call(model, py_model_resolve(model, model->calls.items[help->model_call].function_node));
  if (!partial || !str_equal(partial->qualified, STR("functools.partial")) ||
      py_model_argument(model, partial, 1, NULL))
    return PY_HELP_NOTHING;
  const PyArgument *function = py_model_argument(model, partial, 0, NULL);
  PyHelpKind kind =
      function ? kind_of_name(help, py_model_qualified(model, function->value, help->arena)) : PY_HELP_NOTHING;
  help->helper = NULL;
  return kind == PY_HELP_REGISTER || kind == PY_HELP_UNREGISTER || kind == PY_HELP_BUILTIN ? kind : PY_HELP_NOTHING;
}

static PyHelpKind kind_of_op(const PyOp *op)
{
  return op->kind == PY_OP_GRAPH ? PY_HELP_OP : op->kind == PY_OP_ATEN ? PY_HELP_ATEN : PY_HELP_ONNXSCRIPT;
}

static void name_op(PyHelp *help)
{
  const PyOp *op = &help->file->model->ops.items[help->op];
  if (op->kind == PY_OP_ONNXSCRIPT) {
    help->op_name = op->domain.len == 0
                        ? op->name
                        : arena_printf(help->arena, "%.*s::%.*s", STR_ARG(op->domain), STR_ARG(op->name));
    return;
  }
  const PyScannedArgument *first = &help->call.arguments.items[0];
  Str written;
  if (py_scan_string(help->scan.text, first, &written))
    help->op_name = arena_copy(help->arena, written);
  else if (op->name_known && op->name_node)
    help->op_name = op->full_name;
}

static void find_kind(PyHelp *help)
{
  const PyModel *model = help->file->model;
  help->model_call = find_call(help, help->call.open);
  if (help->model_call == PY_ABSENT)
    return;
  help->op = model->calls.items[help->model_call].op;
  if (help->op != PY_ABSENT) {
    help->kind = kind_of_op(&model->ops.items[help->op]);
    name_op(help);
    return;
  }
  help->function = decorated_function(model, help->model_call);
  if (help->function != PY_ABSENT)
    help->kind = PY_HELP_PARSE_ARGS;
  else if (is_builtin_registration(model, help->model_call))
    help->kind = PY_HELP_BUILTIN;
  else
    help->kind = kind_of_name(help, model->calls.items[help->model_call].qualified);
  if (help->kind == PY_HELP_NOTHING)
    help->kind = kind_of_partial(help);
}

bool py_help_begin(PyHelp *help, const FeatureContext *context, size_t offset)
{
  const PyFile *file = py_file_of_snapshot(context->snapshot);
  *help = (PyHelp){ .context = context, .arena = context->arena, .whole = file, .file = file };
  if (!file)
    return false;
  help->model_call = help->op = help->function = PY_ABSENT;
  bool has_error = file->model->tree.nodes[0].has_error;
  py_scan_init(&help->scan, file->model->tree.text, offset, has_error);
  if (help->scan.in_comment)
    return true;
  // The parser may have made something of what is not finished, but not what it will be.
  bool is_unfinished = !has_error && !py_scan_is_whole(&help->scan);
  if (is_unfinished) {
    py_scan_done(&help->scan);
    py_scan_init(&help->scan, file->model->tree.text, offset, true);
  }
  if (has_error || is_unfinished)
    repair(help);
  help->has_call = py_scan_call(&help->scan, &help->call);
  if (help->has_call)
    find_kind(help);
  return true;
}

void py_help_done(PyHelp *help)
{
  py_scan_call_done(&help->call);
  py_scan_done(&help->scan);
  python_file_free(help->repaired);
}

// --- Opsets and schemas ---

PyOpsets py_help_written_for(const PyFile *file, PyRef node)
{
  PyOpsets opsets = py_file_opsets_of(file, node);
  if (opsets.set != 0)
    return opsets;
  bool is_unsure = false;
  OpsetSet guard = py_file_opset_guard(file, node, &is_unsure);
  return (PyOpsets){ .set = guard & opset_set_range(file->range.min, file->range.max) };
}

PyOpsets py_help_opsets(const PyHelp *help)
{
  const PyModel *model = help->file->model;
  if (help->op != PY_ABSENT && model->ops.items[help->op].opset > 0)
    return (PyOpsets){ .set = opset_set_of(model->ops.items[help->op].opset), .is_known = true };
  PyRef node =
      help->model_call != PY_ABSENT ? model->calls.items[help->model_call].node : py_help_node(help, help->scan.offset);
  return py_help_written_for(help->file, node);
}

PyShownOpset py_help_shown_opset(const PyFile *file, PyOpsets opsets)
{
  PyShownOpset shown = { .opset = file->target->opset, .set = opsets.set };
  shown.is_one_of_several = opset_set_has_many(opsets.set);
  if (opsets.set != 0 && !opset_set_has(opsets.set, shown.opset))
    shown.opset = opset_set_first(opsets.set);
  return shown;
}

const OnnxSchema *py_help_onnx_schema(const PyFile *file, Str op_name, int opset, const OnnxOperator **ret_op)
{
  size_t colons = str_find(op_name, STR("::"), 0);
  Str domain = colons == STR_NOT_FOUND ? (Str){ 0 } : str_slice(op_name, 0, colons);
  Str name = colons == STR_NOT_FOUND ? op_name : str_slice(op_name, colons + 2, op_name.len);
  if (str_equal(domain, STR("onnx")))
    domain = (Str){ 0 };
  // "ai.onnx::Elu" is an operator of a custom domain for g.op().
  *ret_op = str_equal(domain, STR("ai.onnx")) ? NULL : symbolics_onnx_operator(file->db, domain, name);
  if (!*ret_op)
    return NULL;
  return onnx_operator_in_graph(*ret_op, opset);
}

typedef struct Spelling {
  char text[PY_SPELLING_LIMIT];
} Spelling;

/// "aten::elu" of "::elu".
static Str full_name(Str name, Spelling *spelling)
{
  Str namespace = STR("aten");
  if (!str_starts_with(name, STR("::")) || name.len + namespace.len > PY_SPELLING_LIMIT)
    return name;
  memcpy(spelling->text, namespace.data, namespace.len);
  memcpy(spelling->text + namespace.len, name.data, name.len);
  return str_make(spelling->text, namespace.len + name.len);
}

OpsetSet py_help_own_opsets(const PyFile *file, Str name)
{
  Spelling spelling;
  Str full = full_name(name, &spelling);
  Str aten = STR("aten");
  OpsetSet set = py_file_custom_opsets(file, full);
  if (str_starts_with(full, STR("aten::")))
    set |= py_file_custom_opsets(file, str_slice(full, aten.len, full.len));
  return set;
}

OpsetSet py_help_all_opsets(const PyFile *file, Str name)
{
  Spelling spelling;
  return py_help_own_opsets(file, name) | py_file_builtin_opsets(file, file->torch, full_name(name, &spelling));
}

static OpsetSet own_opsets(const PyFile *file, uint32_t function, Str name)
{
  OpsetSet set = 0;
  for (PY_EACH_REGISTRATION(file->model, registration, function)) {
    if (str_equal(registration->name, name))
      set |= py_file_registration_opsets(file->model, registration);
  }
  return set;
}

bool py_help_takes_letter(const PyParameter *parameter)
{
  return str_equal(parameter->name, STR("desc")) || str_equal(parameter->name, STR("descriptor"));
}

bool py_help_overload_is_usual(const TorchOverload *overload)
{
  Str name = overload->overload;
  return !torch_overload_has_out(overload) && str_find(name, STR("imname"), 0) == STR_NOT_FOUND &&
         str_find(name, STR("names"), 0) == STR_NOT_FOUND;
}

bool py_help_is_looked_up(Str name)
{
  size_t colons = str_find(name, STR("::"), 0);
  if (colons == STR_NOT_FOUND || str_equal(str_slice(name, 0, colons), STR("onnx")))
    return false;
  Str op = str_slice(name, colons + 2, name.len);
  bool is_in_place = str_ends_with(op, STR("_")) && !str_starts_with(op, STR("__"));
  for (size_t i = 0; i < op.len; i++) {
    if (!py_is_name_char(op.data[i]) && op.data[i] != '-')
      return false;
  }
  return op.len > 0 && !is_in_place;
}

bool py_help_has_unknown_opset(const PyFile *file, uint32_t function, Str name)
{
  for (PY_EACH_REGISTRATION(file->model, registration, function)) {
    if (registration->name_known && !registration->opset_known && str_equal(registration->name, name))
      return true;
  }
  return false;
}

OpsetSet py_help_served_opsets(const PyFile *file, uint32_t function, Str name)
{
  OpsetSet own = own_opsets(file, function, name);
  return opset_set_served(own, py_help_all_opsets(file, name), file->range.min, file->range.max);
}

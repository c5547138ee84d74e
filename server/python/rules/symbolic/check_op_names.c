// The names of operators in g.op() and op.X(): their form, those that ONNX lacks, and what was meant.

#include "base/ascii.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "core/workspace.h"
#include "facts/contributed.h"
#include "python/rules/python_edit.h"
#include "python/rules/symbolic/op.h"

typedef Vec(const char *) Words;

static bool collect(Str name, void *context)
{
  Words *words = context;
  vec_push(words, xstrdup_str(name));
  return true;
}

/// The operator of the same domain that was most likely meant; empty for none.
static Str nearest_operator(const OpCheck *check, Str name)
{
  Words words = { 0 };
  symbolics_each_onnx_name(check->file->db, check->op->domain, STR(""), collect, &words);
  Str found = { 0 };
  for (size_t i = 0; i < words.count && found.len == 0; i++) {
    if (str_equal_ignore_case(str_from(words.items[i]), name))
      found = arena_copy(check->sink->arena, str_from(words.items[i]));
  }
  if (found.len == 0) {
    char *text = xstrdup_str(name);
    const char *nearest = nearest_word(text, words.items, words.count);
    if (nearest)
      found = arena_copy(check->sink->arena, str_from(nearest));
    free(text);
  }
  for (size_t i = 0; i < words.count; i++)
    free((char *)words.items[i]);
  vec_free(&words);
  return found;
}

/// Writes another name inside the quotes, where these are: in the call, or where a name that stands for it gets it.
/// NULL if it is put together.
static const Fix *name_fix(const OpCheck *check, bool is_sure, Str right)
{
  DiagSink *sink = check->sink;
  if (check->op->kind == PY_OP_ONNXSCRIPT)
    return py_edit_replace(sink, is_sure, check->op->name_node, right);
  PyRef node = py_model_resolve(check->model, check->op->name_node);
  Str text = py_text(&check->model->tree, node);
  size_t at = str_find(text, check->op->full_name, 0);
  if (check->op->full_name.len == 0 || at == STR_NOT_FOUND || py_kind(&check->model->tree, node) != PYK_STRING)
    return NULL;
  size_t start = py_range(sink, node).start + at;
  return py_fix(sink, is_sure, arena_printf(sink->arena, "Write '%.*s'", STR_ARG(right)),
                (Range){ start, start + check->op->full_name.len }, right);
}

static void say_plugin(OpCheck *check, Str message)
{
  py_report(check->sink, RULE_PLUGIN_OPERATOR, OWN, check->op->name_node, (Diagnostic){ .message = message });
}

/// Whether an export asks that names be kept: one of the file, or of the workspace if the file has none.
static bool are_names_kept(const OpCheck *check)
{
  return check->file->keeps_operators ||
         (check->model->exports.count == 0 && workspace_keeps_operators(check->file->target->workspace));
}

/// True if the operator is meant for a runtime that knows it: a plugin, or any name if names are kept and this one is
/// not an operator of ONNX in other letters.
static bool report_plugin(OpCheck *check)
{
  DiagSink *sink = check->sink;
  Str name = check->op->name;
  const char *runtime = check->op->domain.len == 0 ? op_plugin_runtime(name) : NULL;
  bool is_kept = check->op->domain.len == 0 && name.len > 0 && str_find_char(name, ':', 0) == STR_NOT_FOUND &&
                 are_names_kept(check) && !str_equal_ignore_case(nearest_operator(check, name), name);
  if (!runtime && !is_kept)
    return false;
  if (sink_wants(sink, RULE_PLUGIN_OPERATOR, OWN) && runtime)
    say_plugin(check, arena_printf(sink->arena,
                                   "'%.*s' is an operator of %s, in the domain of ONNX: the export succeeds, "
                                   "onnx.checker refuses the model, and only %s runs it.",
                                   STR_ARG(name), runtime, runtime));
  else if (sink_wants(sink, RULE_PLUGIN_OPERATOR, OWN))
    say_plugin(check, arena_printf(sink->arena,
                                   "ONNX has no operator '%.*s'. An export here keeps such names, and only a runtime "
                                   "that knows this one runs the model.",
                                   STR_ARG(name)));
  return true;
}

/// A domain that facts of somebody's own describe.
static bool is_own_domain(const OpCheck *check)
{
  return check->op->domain.len > 0 && !str_starts_with(check->op->domain, STR("ai.onnx"));
}

/// The name as `:` was meant, or the nearest one that there is, with its fix.
static void propose_name(const OpCheck *check, Str wrong, Str right, bool is_sure, Diagnostic *diagnostic)
{
  DiagSink *sink = check->sink;
  diagnostic->message =
      arena_printf(sink->arena, "%s no operator '%.*s'; did you mean '%.*s'?",
                   is_own_domain(check) ? "The facts have" : "ONNX has", STR_ARG(wrong), STR_ARG(right));
  diagnostic->fixes = name_fix(check, is_sure, right);
  diagnostic->fix_count = diagnostic->fixes != NULL;
}

static Diagnostic describe_unknown(OpCheck *check)
{
  Arena *arena = check->sink->arena;
  Str name = check->op->name;
  Diagnostic diagnostic = { 0 };
  size_t colon = str_find_char(name, ':', 0);
  if (onnx_operator_was_experiment(name)) {
    diagnostic.message = arena_printf(
        arena, "'%.*s' was an experimental operator; ONNX has removed it, and runtimes don't know it.", STR_ARG(name));
    return diagnostic;
  }
  if (name.len == 0) {
    diagnostic.message = STR("The operator has no name.");
    return diagnostic;
  }
  if (colon != STR_NOT_FOUND) {
    Str right = arena_printf(arena, "%.*s::%.*s", STR_ARG(str_slice(name, 0, colon)),
                             STR_ARG(str_slice(name, colon + 1, name.len)));
    propose_name(check, name, right, true, &diagnostic);
    return diagnostic;
  }
  if (check->op->domain.len == 0 && contributed_operator(name)) {
    propose_name(check, name, arena_printf(arena, "com.microsoft::%.*s", STR_ARG(name)), false, &diagnostic);
    return diagnostic;
  }
  Str nearest = nearest_operator(check, name);
  if (nearest.len > 0 && check->op->domain.len > 0)
    nearest = arena_printf(arena, "%.*s::%.*s", STR_ARG(check->op->domain), STR_ARG(nearest));
  if (nearest.len > 0)
    propose_name(check, check->op->full_name, nearest, false, &diagnostic);
  else
    diagnostic.message =
        arena_printf(arena, "ONNX has no operator '%.*s'; an operator of your own needs a domain, 'my_domain::%.*s'.",
                     STR_ARG(check->op->full_name), STR_ARG(name));
  return diagnostic;
}

void op_report_unknown(OpCheck *check)
{
  DiagSink *sink = check->sink;
  Str name = check->op->name;
  // Facts of somebody's own need not list all of a domain, so only a name that is nearly one of them is a mistake.
  bool is_own = is_own_domain(check);
  Severity severity = onnx_operator_was_experiment(name) || is_own ? SEVERITY_WARNING : OWN;
  if (is_own && nearest_operator(check, name).len == 0)
    return;
  if (!report_plugin(check) && sink_wants(sink, RULE_UNKNOWN_ONNX_OP, severity))
    py_report(sink, RULE_UNKNOWN_ONNX_OP, severity, check->op->name_node, describe_unknown(check));
}

void op_report_default_domain(OpCheck *check)
{
  DiagSink *sink = check->sink;
  if (!sink_wants(sink, RULE_UNKNOWN_ONNX_OP, OWN))
    return;
  Str name = check->op->name;
  Diagnostic diagnostic = {
    .message =
        arena_printf(sink->arena, "'ai.onnx' is taken as a custom domain here; write '%.*s' for the operator of ONNX.",
                     STR_ARG(name)),
    .fixes = name_fix(check, true, name),
  };
  diagnostic.fix_count = diagnostic.fixes != NULL;
  py_report(sink, RULE_UNKNOWN_ONNX_OP, OWN, check->op->name_node, diagnostic);
}

static bool is_name(Str name)
{
  for (size_t i = 0; i < name.len; i++) {
    char c = name.data[i];
    if (!ascii_is_word(c) && c != '.' && c != '-')
      return false;
  }
  return name.len > 0;
}

enum { SHORT_DOMAIN = 8 };

/// Whether a letter more, less, or another one makes the one of the other.
static bool differ_in_one(Str a, Str b)
{
  size_t start = 0;
  size_t end = 0;
  size_t shorter = a.len < b.len ? a.len : b.len;
  while (start < shorter && a.data[start] == b.data[start])
    start++;
  while (end < shorter - start && a.data[a.len - 1 - end] == b.data[b.len - 1 - end])
    end++;
  return a.len - start - end <= 1 && b.len - start - end <= 1 && a.len != 0;
}

/// `ONNX::Tanh`, `com.microsft::Gelu`: another domain than that of which it has the letters.
static void check_domain_case(OpCheck *check)
{
  static const char *const domains[] = { "ai.onnx", "ai.onnx.ml", "ai.onnx.training", "aten", "com.microsoft",
                                         "onnx",    "prim" };
  DiagSink *sink = check->sink;
  Str domain = check->op->domain;
  for (size_t i = 0; i < COUNT(domains) && domain.len > 0; i++) {
    Str right = str_from(domains[i]);
    bool is_near = right.len > SHORT_DOMAIN && differ_in_one(domain, right);
    if (str_equal(domain, right) || (!str_equal_ignore_case(domain, right) && !is_near))
      continue;
    py_say(sink, RULE_MALFORMED_OP_NAME, OWN, check->op->name_node,
           arena_printf(sink->arena, "'%.*s' is a domain of its own, which no runtime knows; did you mean '%.*s'?",
                        STR_ARG(domain), STR_ARG(right)),
           NULL);
  }
}

bool op_check_name(OpCheck *check)
{
  const PyOp *op = check->op;
  DiagSink *sink = check->sink;
  bool has_domain = op->name.len != op->full_name.len;
  if (!has_domain && !is_name(op->name)) {
    op_report_unknown(check);
    return false;
  }
  Str domain = str_slice(op->full_name, 0, op->full_name.len - op->name.len - (has_domain ? 2 : 0));
  if (is_name(op->name) && (!has_domain || is_name(domain))) {
    check_domain_case(check);
    return true;
  }
  if (sink_wants(sink, RULE_MALFORMED_OP_NAME, OWN)) {
    Str message =
        str_find(op->name, STR("::"), 0) != STR_NOT_FOUND
            ? arena_printf(sink->arena,
                           "'%.*s' has more than one '::'; it becomes the operator '%.*s' of the domain '%.*s'.",
                           STR_ARG(op->full_name), STR_ARG(op->name), STR_ARG(domain))
            : arena_printf(sink->arena, "'%.*s' is not a name of the form 'domain::Name'.", STR_ARG(op->full_name));
    py_report(sink, RULE_MALFORMED_OP_NAME, OWN, op->name_node, (Diagnostic){ .message = message });
  }
  return false;
}

/// Whether the text has a colon that is alone, outside of `{...}`.
static bool has_single_colon(Str text)
{
  int depth = 0;
  for (size_t i = 0; i < text.len; i++) {
    char c = text.data[i];
    depth += (c == '{') - (c == '}');
    bool is_double = (i > 0 && text.data[i - 1] == ':') || (i + 1 < text.len && text.data[i + 1] == ':');
    if (c == ':' && depth == 0 && !is_double)
      return true;
  }
  return false;
}

/// `f"my_domain:Quantize{bits}"`, of which what is written tells enough.
static void check_written_part(OpCheck *check)
{
  DiagSink *sink = check->sink;
  PyRef node = py_model_resolve(check->model, check->op->name_node);
  Str text = py_text(&check->model->tree, node);
  if (py_kind(&check->model->tree, node) != PYK_STRING || !has_single_colon(text) ||
      !sink_wants(sink, RULE_UNKNOWN_ONNX_OP, OWN))
    return;
  py_say(sink, RULE_UNKNOWN_ONNX_OP, OWN, check->op->name_node,
         arena_printf(sink->arena, "%.*s has one colon, so ONNX has no such operator: a domain ends with two, '::'.",
                      STR_ARG(str_slice(text, 0, 60))),
         NULL);
}

/// `g.op()`
static void check_no_name(OpCheck *check)
{
  const PyCall *call = &check->model->calls.items[check->op->call];
  if (!call->has_splat && !call->has_dictionary_splat)
    py_say(check->sink, RULE_MALFORMED_OP_NAME, OWN, call->node,
           STR("op() needs the operator's name, its first argument."), NULL);
}

void op_check_name_type(OpCheck *check)
{
  DiagSink *sink = check->sink;
  if (!check->op->name_node) {
    check_no_name(check);
    return;
  }
  check_written_part(check);
  PyValue value = py_file_value(check->file, check->op->name_node);
  const uint32_t wrong = PY_INT | PY_FLOAT | PY_BOOL | PY_NONE | PY_VALUE | PY_LIST | PY_FUNCTION | PY_TENSOR;
  if (py_file_is_only(value, wrong) && sink_wants(sink, RULE_MALFORMED_OP_NAME, SEVERITY_ERROR))
    py_report(
        sink, RULE_MALFORMED_OP_NAME, SEVERITY_ERROR, check->op->name_node,
        (Diagnostic){ .message = arena_printf(sink->arena, "The operator's name has to be a string, and this is %.*s.",
                                              STR_ARG(py_file_value_text(value, sink->arena))) });
}

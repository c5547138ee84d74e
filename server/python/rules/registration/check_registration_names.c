// The names that symbolic functions are registered for.

#include "base/ascii.h"
#include "base/limits.h"
#include "base/nearest.h"
#include "base/vec.h"
#include "python/rules/registration/registration.h"

/// Goes through register_custom_op_symbolic() or its counterpart, which look closely at names.
static bool is_custom(const PyRegistration *registration)
{
  return registration->kind == PY_REG_CUSTOM || registration->kind == PY_REG_TABLE ||
         registration->kind == PY_REG_UNREGISTER;
}

Str registration_full_name(DiagSink *sink, const PyRegistration *registration)
{
  Str name = registration->name;
  if (is_custom(registration) && str_starts_with(name, STR("::")))
    return arena_printf(sink->arena, "aten%.*s", STR_ARG(name));
  return name;
}

// --- Operators that PyTorch has ---

/// Whether there is such an operator, or a built-in symbolic function of that name, in any torch version.
static bool is_known_op(const PyFile *file, Str name)
{
  if (py_file_torch_operator(file, name))
    return true;
  const Str *versions;
  size_t count = symbolics_torch_versions(file->db, &versions);
  for (uint32_t torch = 0; torch < count; torch++) {
    if (py_file_builtin_opsets(file, torch, name) != 0)
      return true;
  }
  return false;
}

static Str aten(DiagSink *sink, Str name)
{
  return arena_printf(sink->arena, "aten::%.*s", STR_ARG(name));
}

typedef struct NameList {
  Arena *arena;
  size_t skip;  ///< Length of "aten::".
  Vec(const char *) names;
} NameList;

static bool add_name(Str name, void *context)
{
  NameList *list = context;
  if (!str_ends_with(name, STR("_")))
    vec_push(&list->names, arena_copy(list->arena, str_slice(name, list->skip, name.len)).data);
  return true;
}

/// The operator of the same namespace that was most likely meant; empty if none is near.
static Str nearest_op(DiagSink *sink, Str prefix, Str name)
{
  NameList list = { .arena = sink->arena, .skip = prefix.len };
  symbolics_each_torch_name(sink_python(sink)->db, prefix, add_name, &list);
  const char *word = arena_copy(sink->arena, name).data;
  const char *found = nearest_word(word, list.names.items, list.names.count);
  vec_free(&list.names);
  if (!found)
    return (Str){ 0 };
  return arena_printf(sink->arena, "%.*s%s", STR_ARG(prefix), found);
}

// --- Names ---

static bool is_word(Str word, bool may_begin_with_digit)
{
  for (size_t i = 0; i < word.len; i++) {
    char c = word.data[i];
    bool is_misplaced = ascii_is_digit(c) && i == 0 && !may_begin_with_digit;
    if (is_misplaced || !(ascii_is_word(c) || c == '-'))
      return false;
  }
  return word.len > 0;
}

/// What somebody who wrote no `::` meant: "aten:elu", "torch.elu" and "elu" are aten::elu, if there is such an
/// operator.
static Str meant_by(DiagSink *sink, Str name, bool *ret_safe)
{
  size_t colon = str_find_char(name, ':', 0);
  *ret_safe = colon != STR_NOT_FOUND;
  Str meant;
  if (colon != STR_NOT_FOUND) {
    Str parts[] = { str_slice(name, 0, colon), STR("::"), str_slice(name, colon + 1, name.len) };
    meant = arena_join(sink->arena, parts, 3);
  } else {
    size_t dot = str_rfind_char(name, '.');
    meant = aten(sink, dot == STR_NOT_FOUND ? name : str_slice(name, dot + 1, name.len));
  }
  return is_known_op(sink_python(sink), meant) ? meant : (Str){ 0 };
}

static void check_no_domain(DiagSink *sink, const PyRegistration *registration)
{
  if (!sink_wants(sink, RULE_REGISTRATION_WITHOUT_DOMAIN, OWN))
    return;
  bool is_safe;
  Str meant = meant_by(sink, registration->name, &is_safe);
  Str say = meant.len > 0 ? arena_printf(sink->arena, "write '%.*s'", STR_ARG(meant))
                          : STR("write 'domain::name', such as 'aten::elu'");
  const char *doing = registration->kind == PY_REG_UNREGISTER ? "unregistering" : "registering";
  Str message = arena_printf(sink->arena, "'%.*s' has no domain, so %s it raises an error: %.*s.",
                             STR_ARG(registration->name), doing, STR_ARG(say));
  const Fix *fix = meant.len > 0 ? py_edit_string(sink, is_safe, registration->name_node, meant) : NULL;
  py_say(sink, RULE_REGISTRATION_WITHOUT_DOMAIN, OWN, registration->name_node, message, fix);
}

/// "aten::elu.out" names an overload, and is registered as aten::elu.
static void check_characters(DiagSink *sink, const PyRegistration *registration, Str name)
{
  if (!sink_wants(sink, RULE_REGISTRATION_NAME, OWN))
    return;
  size_t dot = str_find_char(name, '.', str_find(name, STR("::"), 0) + 2);
  Str whole = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(name, 0, dot);
  if (whole.len > 0 && is_known_op(sink_python(sink), whole)) {
    Str message = arena_printf(sink->arena,
                               "'%.*s' names one overload, which raises an error: write '%.*s', which stands for all.",
                               STR_ARG(name), STR_ARG(whole));
    py_say(sink, RULE_REGISTRATION_NAME, OWN, registration->name_node, message,
           py_edit_string(sink, false, registration->name_node, whole));
    return;
  }
  Str message =
      arena_printf(sink->arena,
                   "'%.*s' can't be registered: in 'domain::name' only letters, digits, '_' and '-' are allowed, "
                   "and the name may not begin with a digit.",
                   STR_ARG(name));
  py_say(sink, RULE_REGISTRATION_NAME, OWN, registration->name_node, message, NULL);
}

static void check_onnx_domain(DiagSink *sink, const PyRegistration *registration, Str name)
{
  if (!sink_wants(sink, RULE_REGISTRATION_ONNX_DOMAIN, OWN))
    return;
  Str message =
      arena_printf(sink->arena,
                   "'%.*s' can't be registered: operators of the domain 'onnx' are already ONNX. Register the "
                   "torch operator that it should come from.",
                   STR_ARG(name));
  py_say(sink, RULE_REGISTRATION_ONNX_DOMAIN, OWN, registration->name_node, message, NULL);
}

/// One trailing underscore is taken off what is in the graph before it is looked up, so a name that ends in one is
/// found only for an operator with two: aten::__and_ is that of `aten::__and__`.
static bool is_never_looked_up(const PyFile *file, Str name)
{
  char text[256];
  if (!str_ends_with(name, STR("_")) || name.len + 1 > sizeof(text))
    return false;
  memcpy(text, name.data, name.len);
  text[name.len] = '_';
  return !symbolics_torch_operator(file->db, str_make(text, name.len + 1));
}

/// Whether the function is registered under the name without the underscore, too.
static bool has_plain_name(const PyModel *model, const PyRegistration *registration, Str plain)
{
  for (size_t i = 0; i < model->registrations.count && i < PY_REGISTRATION_LIMIT; i++) {
    const PyRegistration *other = &model->registrations.items[i];
    if (other->function == registration->function && other->function != PY_ABSENT && str_equal(other->name, plain))
      return true;
  }
  return false;
}

static void check_in_place(DiagSink *sink, const PyRegistration *registration, Str name)
{
  if (!sink_wants(sink, RULE_REGISTRATION_IN_PLACE, OWN))
    return;
  Str plain = str_slice(name, 0, name.len - 1);
  if (has_plain_name(sink_python(sink)->model, registration, plain)) {
    Str message =
        arena_printf(sink->arena,
                     "'%.*s' is never looked up, as the exporter takes the last underscore off first: leave it "
                     "out, '%.*s' stands for both.",
                     STR_ARG(name), STR_ARG(plain));
    py_say(sink, RULE_REGISTRATION_IN_PLACE, OWN, registration->name_node, message, NULL);
    return;
  }
  Str message = arena_printf(sink->arena,
                             "'%.*s' is never looked up, as the exporter takes the last underscore off first: write "
                             "'%.*s', which stands for both.",
                             STR_ARG(name), STR_ARG(plain));
  py_say(sink, RULE_REGISTRATION_IN_PLACE, OWN, registration->name_node, message,
         py_edit_string(sink, false, registration->name_node, plain));
}

static void check_legacy(DiagSink *sink, const PyRegistration *registration, Str name)
{
  if (!sink_wants(sink, RULE_LEGACY_REGISTRATION_NAME, OWN))
    return;
  Str message =
      arena_printf(sink->arena, "'%.*s' is an old way to write '%.*s'.", STR_ARG(registration->name), STR_ARG(name));
  py_say(sink, RULE_LEGACY_REGISTRATION_NAME, OWN, registration->name_node, message,
         py_edit_string(sink, true, registration->name_node, name));
}

/// `torch::inverse`, `ATen::elu`: names of Python and C++ for what a graph calls `aten::`. Says whether that was it.
static bool check_namespace(DiagSink *sink, const PyRegistration *registration, Str name)
{
  static const char *const others[] = { "torch", "at", "ATen", "Aten", "nn", "functional", "F" };
  size_t colons = str_find(name, STR("::"), 0);
  if (!str_is_one_of(str_slice(name, 0, colons), others, COUNT(others)) || registration->is_opaque)
    return false;
  Str meant = aten(sink, str_slice(name, colons + 2, name.len));
  if (is_known_op(sink_python(sink), name) || !is_known_op(sink_python(sink), meant))
    return false;
  py_say(sink, RULE_UNKNOWN_TORCH_OP, OWN, registration->name_node,
         arena_printf(sink->arena, "PyTorch has no operator '%.*s', so this is never used: did you mean '%.*s'?",
                      STR_ARG(name), STR_ARG(meant)),
         py_edit_string(sink, false, registration->name_node, meant));
  return true;
}

/// `mine::soft-clip`: a registration may have a hyphen in its name, an operator may not. Says whether that was it.
static bool check_hyphen(DiagSink *sink, const PyRegistration *registration, Str name)
{
  size_t start = str_find(name, STR("::"), 0) + 2;
  size_t hyphen = str_find_char(name, '-', start);
  if (hyphen == STR_NOT_FOUND || registration->is_opaque)
    return false;
  py_say(sink, RULE_UNKNOWN_TORCH_OP, OWN, registration->name_node,
         arena_printf(sink->arena, "No operator can have the name '%.*s', because of the '-', so this is never used.",
                      STR_ARG(name)),
         NULL);
  return true;
}

/// Whether the text names the name space in another way than as a part of an operator's name, `space::op`.
static bool speaks_of_space(Str text, Str space)
{
  for (size_t at = str_find(text, space, 0); at != STR_NOT_FOUND; at = str_find(text, space, at + space.len)) {
    bool is_part = (at > 0 && ascii_is_word(text.data[at - 1])) ||
                   (at + space.len < text.len && ascii_is_word(text.data[at + space.len]));
    if (!is_part && !str_starts_with(str_slice(text, at + space.len, text.len), STR("::")))
      return true;
  }
  return false;
}

/// An operator that the file defines, and has no symbolic function for, that has this name in another name space, or
/// nearly this name in the same one; empty.
static Str meant_operator(DiagSink *sink, Str name)
{
  const PyFile *file = sink_python(sink);
  size_t colons = str_find(name, STR("::"), 0);
  Str space = str_slice(name, 0, colons);
  Vec(const char *) names = { 0 };
  const char *near = NULL;
  for (size_t i = 0; i < file->library.count && !near; i++) {
    Str own = file->library.items[i].defined.name;
    size_t end = str_find(own, STR("::"), 0);
    if (end == STR_NOT_FOUND || file->library.items[i].defined.is_kernel || py_file_registers(file, own))
      continue;
    const char *copy = arena_copy(sink->arena, own).data;
    if (str_equal(str_slice(own, 0, end), space))
      vec_push(&names, copy);
    else if (str_equal(str_slice(own, end, own.len), str_slice(name, colons, name.len)))
      near = copy;
  }
  if (!near && names.count > 0)
    near = nearest_word(arena_copy(sink->arena, name).data, names.items, names.count);
  vec_free(&names);
  return near ? str_from(near) : (Str){ 0 };
}

/// `quant::RoundSTE` of an autograd function: the exporter calls its symbolic(), and looks nothing up by its name.
static bool check_class_name(DiagSink *sink, const PyRegistration *registration, Str name)
{
  const PyFile *file = sink_python(sink);
  size_t colons = str_find(name, STR("::"), 0);
  Str base = str_slice(name, colons + 2, name.len);
  bool is_class = false;
  for (size_t i = 0; i < file->model->classes.count && !is_class; i++)
    is_class = file->model->classes.items[i].is_autograd && str_equal(file->model->classes.items[i].name, base);
  if (!is_class || is_known_op(file, name) || speaks_of_space(file->model->tree.text, str_slice(name, 0, colons)))
    return false;
  py_say(sink, RULE_UNKNOWN_TORCH_OP, OWN, registration->name_node,
         arena_printf(
             sink->arena,
             "The exporter looks up no torch.autograd.Function by its name, so this is never used: '%.*s' needs a "
             "static method symbolic().",
             STR_ARG(base)),
         NULL);
  return true;
}

/// `audioops::gain`, or `aten::gain`, where the file defines audio_ops::gain, which nothing else converts. True after a
/// report.
static bool check_own_op(DiagSink *sink, const PyRegistration *registration, Str name, int *guesses)
{
  const PyFile *file = sink_python(sink);
  if (registration->kind != PY_REG_CUSTOM || registration->is_opaque || str_starts_with(name, STR("prim::")) ||
      file->library.is_open || check_class_name(sink, registration, name) || file->library.count == 0 ||
      is_known_op(file, name) || py_library_find(&file->library, name) || (*guesses)++ >= PY_GUESS_LIMIT)
    return false;
  Str space = str_slice(name, 0, str_find(name, STR("::"), 0));
  Str meant = meant_operator(sink, name);
  // Those of torch are all known; another name space may be that of an extension.
  bool is_closed = str_equal(space, STR("aten")) || str_starts_with(meant, str_slice(name, 0, space.len + 2));
  if (meant.len == 0 || (!is_closed && speaks_of_space(file->model->tree.text, space)))
    return false;
  py_say(sink, RULE_UNKNOWN_TORCH_OP, OWN, registration->name_node,
         arena_printf(sink->arena,
                      "Nothing defines '%.*s', so this is never used; the file defines '%.*s', which has no symbolic "
                      "function.",
                      STR_ARG(name), STR_ARG(meant)),
         py_edit_string(sink, false, registration->name_node, meant));
  return true;
}

/// Only of namespaces whose operators are all in the facts; others are those of somebody's extension.
static void check_unknown_op(DiagSink *sink, const PyRegistration *registration, Str name, int *guesses)
{
  bool is_aten = str_starts_with(name, STR("aten::"));
  if ((!is_aten && !str_starts_with(name, STR("quantized::"))) || registration->is_opaque ||
      is_known_op(sink_python(sink), name))
    return;
  Str prefix = is_aten ? STR("aten::") : STR("quantized::");
  Str near = { 0 };
  if ((*guesses)++ < PY_GUESS_LIMIT)
    near = nearest_op(sink, prefix, str_slice(name, prefix.len, name.len));
  Severity severity = near.len > 0 ? OWN : SEVERITY_INFO;
  if (!sink_wants(sink, RULE_UNKNOWN_TORCH_OP, severity))
    return;
  Str message;
  if (near.len > 0)
    message = arena_printf(sink->arena, "PyTorch has no operator '%.*s', so this is never used: did you mean '%.*s'?",
                           STR_ARG(name), STR_ARG(near));
  else
    message = arena_printf(sink->arena,
                           "No torch version known here has an operator '%.*s'; only one that an extension "
                           "adds to this namespace could use this.",
                           STR_ARG(name));
  py_say(sink, RULE_UNKNOWN_TORCH_OP, severity, registration->name_node, message,
         near.len > 0 ? py_edit_string(sink, false, registration->name_node, near) : NULL);
}

bool registration_check_name(DiagSink *sink, const PyRegistration *registration, int *guesses)
{
  Str name = registration_full_name(sink, registration);
  size_t colons = str_find(name, STR("::"), 0);
  if (colons == STR_NOT_FOUND) {
    check_no_domain(sink, registration);
    return false;
  }
  Str domain = str_slice(name, 0, colons);
  if (is_custom(registration)) {
    if (!is_word(domain, true) || !is_word(str_slice(name, colons + 2, name.len), false)) {
      check_characters(sink, registration, name);
      return false;
    }
    if (str_equal(domain, STR("onnx"))) {
      check_onnx_domain(sink, registration, name);
      return false;
    }
  }
  if (registration->kind == PY_REG_UNREGISTER)
    return true;
  if (is_never_looked_up(sink_python(sink), name)) {
    check_in_place(sink, registration, name);
    return false;
  }
  if (name.len != registration->name.len)
    check_legacy(sink, registration, name);
  if (check_hyphen(sink, registration, name) || check_namespace(sink, registration, name))
    return true;
  if (!check_own_op(sink, registration, name, guesses))
    check_unknown_op(sink, registration, name, guesses);
  return true;
}

/// `register_custom_op_symbolic("aten::elu", F.elu, 9)`: what is called gets the graph first, and values of it.
static void check_torch_function(DiagSink *sink, const PyRegistration *registration)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef function = py_model_resolve(model, registration->function_node);
  const PyCall *call = py_model_call(model, function);
  Str name = call ? call->qualified : py_model_qualified(model, function, sink->arena);
  Str layers = STR("torch.nn.");
  bool is_layer =
      call && str_starts_with(name, layers) && name.len > layers.len && ascii_is_upper(name.data[layers.len]);
  bool is_function = !call && str_starts_with(name, STR("torch.")) && !str_starts_with(name, STR("torch.onnx")) &&
                     registration->function == PY_ABSENT;
  if ((!is_layer && !is_function) || !sink_wants(sink, RULE_REGISTRATION_CALL, OWN))
    return;
  py_say(
      sink, RULE_REGISTRATION_CALL, OWN, registration->function_node,
      arena_printf(sink->arena,
                   "'%.*s' computes with tensors, and a symbolic function gets the graph first and then values of it.",
                   STR_ARG(name)),
      NULL);
}

/// `b"aten::elu"`
static void check_bytes(DiagSink *sink, const PyRegistration *registration)
{
  const PyModel *model = sink_python(sink)->model;
  PyRef name = py_model_resolve(model, registration->name_node);
  Str text = py_text(&model->tree, name);
  if (py_kind(&model->tree, name) != PYK_STRING || (text.data[0] != 'b' && text.data[0] != 'B') ||
      !sink_wants(sink, RULE_REGISTRATION_NAME, OWN))
    return;
  py_say(sink, RULE_REGISTRATION_NAME, OWN, registration->name_node,
         STR("These are bytes, and a name has to be a str: leave out the 'b'."), NULL);
}

void registration_check_arguments(DiagSink *sink, const PyRegistration *registration)
{
  const PyModel *model = sink_python(sink)->model;
  if (registration->kind != PY_REG_CUSTOM || !registration->function_node || !registration->name_node)
    return;
  PyRef function = py_model_resolve(model, registration->function_node);
  check_torch_function(sink, registration);
  bool is_string = py_kind(&model->tree, function) == PYK_STRING ||
                   str_equal(py_tree_member_name(&model->tree, function), STR("__name__"));
  check_bytes(sink, registration);
  if (!is_string || !sink_wants(sink, RULE_REGISTRATION_NAME, OWN))
    return;
  if (registration->name_known) {
    Str text = py_text(&model->tree, registration->function_node);
    py_say(sink, RULE_REGISTRATION_NAME, OWN, registration->function_node,
           arena_printf(sink->arena,
                        "%.*s is a string, which the export can't call: give the symbolic function itself.",
                        STR_ARG(text)),
           NULL);
    return;
  }
  uint32_t scope = py_model_scope_of(model, registration->name_node);
  PyRef name = py_tree_strip(&model->tree, registration->name_node);
  const PyBinding *binding = py_model_binding_of(model, scope, name);
  if (!binding || binding->kind != PY_BIND_FUNCTION)
    return;
  TextEdit *edits = ARENA_ARRAY(sink->arena, TextEdit, 2);
  edits[0] = (TextEdit){ py_range(sink, registration->name_node), py_text(&model->tree, registration->function_node) };
  edits[1] = (TextEdit){ py_range(sink, registration->function_node), py_text(&model->tree, registration->name_node) };
  Fix *fix = ARENA_NEW(sink->arena, Fix);
  *fix = (Fix){ .title = STR("Swap the arguments"), .edits = edits, .edit_count = 2, .is_safe = true };
  bool is_in_order = edits[0].range.end <= edits[1].range.start;
  py_say(sink, RULE_REGISTRATION_NAME, OWN, registration->name_node,
         STR("The operator's name comes first, then the symbolic function."), is_in_order ? fix : NULL);
}

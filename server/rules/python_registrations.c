// What is registered: the names, the opsets, and whether an export ever chooses the function.

#include "base/nearest.h"
#include "base/vec.h"
#include "rules/python_edit.h"

#define OWN ((Severity)SEVERITY_DEFAULT)

static uint64_t bit(int opset)
{
  return opset >= 0 && opset <= SYMBOLICS_OPSET_LIMIT ? UINT64_C(1) << opset : 0;
}

/// Goes through register_custom_op_symbolic(), which looks closely at names.
static bool is_custom(const PyRegistration *registration)
{
  return registration->kind == PY_REG_CUSTOM || registration->kind == PY_REG_TABLE;
}

// --- Operators that PyTorch has ---

/// Is there such an operator, or a built-in symbolic function of that name, in any torch version?
static bool is_known_op(const PyFile *file, Str name)
{
  if (py_torch_operator(file, name))
    return true;
  const Str *versions;
  size_t count = symbolics_torch_versions(file->db, &versions);
  for (uint32_t torch = 0; torch < count; torch++) {
    if (py_builtin_opsets(file, torch, name) != 0)
      return true;
  }
  return false;
}

static Str aten(DiagSink *sink, Str name)
{
  return arena_printf(sink->arena, "aten::%.*s", STR_ARG(name));
}

enum {
  GUESS_LIMIT = 100,          ///< Unknown operators of a file whose nearest name is looked for.
  REGISTRATION_LIMIT = 2000,  ///< In files with more of them, nobody compares each with all others.
};

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
  symbolics_each_torch_name(sink->python->db, prefix, add_name, &list);
  const char *word = arena_copy(sink->arena, name).data;
  const char *found = nearest_word(word, list.names.items, list.names.count);
  vec_free(&list.names);
  if (!found)
    return (Str){ 0 };
  return arena_printf(sink->arena, "%.*s%s", STR_ARG(prefix), found);
}

// --- Names ---

static bool is_letter(char c)
{
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
}

static bool is_word(Str word, bool may_begin_with_digit)
{
  for (size_t i = 0; i < word.len; i++) {
    bool is_digit = word.data[i] >= '0' && word.data[i] <= '9';
    if (!is_letter(word.data[i]) && !(is_digit && (i > 0 || may_begin_with_digit)))
      return false;
  }
  return word.len > 0;
}

/// What somebody who wrote no `::` meant: "aten:elu", "torch.elu" and "elu" are aten::elu, if there is such an operator.
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
  return is_known_op(sink->python, meant) ? meant : (Str){ 0 };
}

static void check_no_domain(DiagSink *sink, const PyRegistration *registration)
{
  if (!sink_wants(sink, RULE_REGISTRATION_WITHOUT_DOMAIN, OWN))
    return;
  bool is_safe;
  Str meant = meant_by(sink, registration->name, &is_safe);
  Str say = meant.len > 0 ? arena_printf(sink->arena, "write '%.*s'", STR_ARG(meant))
                          : STR("write 'domain::name', such as 'aten::elu'");
  Str message = arena_printf(sink->arena, "'%.*s' has no domain, so registering it raises an error: %.*s.",
                             STR_ARG(registration->name), STR_ARG(say));
  const Fix *fix = meant.len > 0 ? py_fix_string(sink, is_safe, registration->name_node, meant) : NULL;
  py_say(sink, RULE_REGISTRATION_WITHOUT_DOMAIN, OWN, registration->name_node, message, fix);
}

/// "aten::elu.out" names an overload, and is registered as aten::elu.
static void check_characters(DiagSink *sink, const PyRegistration *registration, Str name)
{
  if (!sink_wants(sink, RULE_REGISTRATION_NAME, OWN))
    return;
  size_t dot = str_find_char(name, '.', str_find(name, STR("::"), 0) + 2);
  Str whole = dot == STR_NOT_FOUND ? (Str){ 0 } : str_slice(name, 0, dot);
  if (whole.len > 0 && is_known_op(sink->python, whole)) {
    Str message = arena_printf(sink->arena,
                               "'%.*s' names one overload, which raises an error: write '%.*s', which stands for all.",
                               STR_ARG(name), STR_ARG(whole));
    py_say(sink, RULE_REGISTRATION_NAME, OWN, registration->name_node, message,
           py_fix_string(sink, false, registration->name_node, whole));
    return;
  }
  Str message = arena_printf(sink->arena,
                             "'%.*s' can't be registered: in 'domain::name' only letters, digits, '_' and '-' may stand, "
                             "and the name may not begin with a digit.",
                             STR_ARG(name));
  py_say(sink, RULE_REGISTRATION_NAME, OWN, registration->name_node, message, NULL);
}

static void check_onnx_domain(DiagSink *sink, const PyRegistration *registration, Str name)
{
  if (!sink_wants(sink, RULE_REGISTRATION_ONNX_DOMAIN, OWN))
    return;
  Str message = arena_printf(sink->arena,
                             "'%.*s' can't be registered: operators of the domain 'onnx' are already ONNX. Register the "
                             "torch operator that it should come from.",
                             STR_ARG(name));
  py_say(sink, RULE_REGISTRATION_ONNX_DOMAIN, OWN, registration->name_node, message, NULL);
}

/// One trailing underscore is taken off what stands in the graph before it is looked up, so a name that ends in one is
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

/// Is the function registered under the name without the underscore, too?
static bool has_plain_name(const PyModel *model, const PyRegistration *registration, Str plain)
{
  for (size_t i = 0; i < model->registrations.count && i < REGISTRATION_LIMIT; i++) {
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
  if (has_plain_name(sink->python->model, registration, plain)) {
    Str message = arena_printf(sink->arena,
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
         py_fix_string(sink, false, registration->name_node, plain));
}

static void check_legacy(DiagSink *sink, const PyRegistration *registration, Str name)
{
  if (!sink_wants(sink, RULE_LEGACY_REGISTRATION_NAME, OWN))
    return;
  Str message = arena_printf(sink->arena, "'%.*s' is an old way to write '%.*s'.", STR_ARG(registration->name),
                             STR_ARG(name));
  py_say(sink, RULE_LEGACY_REGISTRATION_NAME, OWN, registration->name_node, message,
         py_fix_string(sink, true, registration->name_node, name));
}

/// Only of namespaces whose operators are all in the facts; others are those of somebody's extension.
static void check_unknown_op(DiagSink *sink, const PyRegistration *registration, Str name, int *guesses)
{
  bool is_aten = str_starts_with(name, STR("aten::"));
  if ((!is_aten && !str_starts_with(name, STR("quantized::"))) || registration->is_opaque ||
      is_known_op(sink->python, name))
    return;
  Str prefix = is_aten ? STR("aten::") : STR("quantized::");
  Str near = { 0 };
  if ((*guesses)++ < GUESS_LIMIT)
    near = nearest_op(sink, prefix, str_slice(name, prefix.len, name.len));
  Severity severity = near.len > 0 ? OWN : SEVERITY_INFO;
  if (!sink_wants(sink, RULE_UNKNOWN_TORCH_OP, severity))
    return;
  Str message;
  if (near.len > 0)
    message = arena_printf(sink->arena, "PyTorch has no operator '%.*s', so this is never used: did you mean '%.*s'?",
                           STR_ARG(name), STR_ARG(near));
  else
    message = arena_printf(sink->arena, "No torch version known here has an operator '%.*s'; only one that an extension "
                                        "adds to this namespace could use this.",
                           STR_ARG(name));
  py_say(sink, RULE_UNKNOWN_TORCH_OP, severity, registration->name_node, message,
         near.len > 0 ? py_fix_string(sink, false, registration->name_node, near) : NULL);
}

/// False if the name is so wrong that nothing more can be said.
static bool check_name(DiagSink *sink, const PyRegistration *registration, int *guesses)
{
  Str name = registration->name;
  if (is_custom(registration) && str_starts_with(name, STR("::")))
    name = arena_printf(sink->arena, "aten%.*s", STR_ARG(name));
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
  if (is_never_looked_up(sink->python, name)) {
    check_in_place(sink, registration, name);
    return false;
  }
  if (name.len != registration->name.len)
    check_legacy(sink, registration, name);
  check_unknown_op(sink, registration, name, guesses);
  return true;
}

/// register_custom_op_symbolic(function, "aten::elu", 9), and a name where the function should be.
static void check_arguments(DiagSink *sink, const PyRegistration *registration)
{
  const PyModel *model = sink->python->model;
  if (registration->kind != PY_REG_CUSTOM || !registration->function_node || !registration->name_node)
    return;
  PyRef function = py_resolve(model, registration->function_node);
  if (py_kind(&model->tree, function) != PYK_STRING || !sink_wants(sink, RULE_REGISTRATION_NAME, OWN))
    return;
  if (registration->name_known) {
    Str text = py_text(&model->tree, registration->function_node);
    py_say(sink, RULE_REGISTRATION_NAME, OWN, registration->function_node,
           arena_printf(sink->arena, "%.*s is a string, which the export can't call: give the symbolic function itself.",
                        STR_ARG(text)),
           NULL);
    return;
  }
  uint32_t scope = py_scope_of(model, registration->name_node);
  PyRef name = py_strip(&model->tree, registration->name_node);
  uint32_t binding = py_kind(&model->tree, name) == PYK_IDENTIFIER
                         ? py_lookup(model, scope, py_text(&model->tree, name))
                         : PY_ABSENT;
  if (binding == PY_ABSENT || model->bindings.items[binding].kind != PY_BIND_FUNCTION)
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

// --- Opsets ---

/// "9.0" and "\"13\"" as an int; empty if they are none.
static Str opset_meant(const DiagSink *sink, PyRef node)
{
  Str text = py_text(&sink->python->model->tree, node);
  if (text.len > 2 && (text.data[0] == '"' || text.data[0] == '\''))
    text = str_slice(text, 1, text.len - 1);
  else if (str_ends_with(text, STR(".0")))
    text = str_slice(text, 0, text.len - 2);
  uint64_t value;
  return str_to_uint(text, SYMBOLICS_OPSET_LIMIT, &value) ? text : (Str){ 0 };
}

static void check_opset_type(DiagSink *sink, const PyRegistration *registration)
{
  const PyModel *model = sink->python->model;
  // The opset of an alias made by functools.partial stands elsewhere, and is one mistake for all its uses.
  PyRef around = registration->call != PY_ABSENT ? model->calls.items[registration->call].node : 0;
  PyRef opset = registration->opset_node;
  bool is_here = !around || (opset >= around && opset < model->tree.nodes[around].next) || registration->node != around;
  if (!is_here || !sink_wants(sink, RULE_REGISTRATION_OPSET_TYPE, OWN))
    return;
  PyRef value = py_resolve(model, opset);
  Str meant = opset_meant(sink, value);
  Str message = arena_printf(sink->arena, "The opset has to be an int, not %.*s.", STR_ARG(py_text(&model->tree, value)));
  py_say(sink, RULE_REGISTRATION_OPSET_TYPE, OWN, opset, message,
         meant.len > 0 ? py_fix_replace(sink, true, value, meant) : NULL);
}

/// "17 in torch 1.13, 20 in torch 2.6 and 2.14": the highest opset of the exporter in each of the file's versions.
static Str highest_opsets(const DiagSink *sink)
{
  const PyFile *file = sink->python;
  const Str *versions;
  size_t count = symbolics_torch_versions(file->db, &versions);
  Str text = { 0 };
  int last = 0;
  for (uint32_t torch = 0; torch < count; torch++) {
    OpsetRange range;
    if ((file->torches >> torch & 1) == 0 || !symbolics_opset_range(file->db, torch, SYMBOLICS_TORCHSCRIPT, &range))
      continue;
    if (range.max == last)
      text = arena_printf(sink->arena, "%.*s and %.*s", STR_ARG(text), STR_ARG(versions[torch]));
    else
      text = arena_printf(sink->arena, "%.*s%s%d in torch %.*s", STR_ARG(text), text.len > 0 ? ", " : "", range.max,
                          STR_ARG(versions[torch]));
    last = range.max;
  }
  return text;
}

static void check_opset_range(DiagSink *sink, const PyRegistration *registration, int opset)
{
  if (!sink_wants(sink, RULE_REGISTRATION_OPSET_RANGE, OWN))
    return;
  Str message;
  if (opset < 1)
    message = arena_printf(sink->arena, "No export looks at opset %d: opsets begin with 1.", opset);
  else
    message = arena_printf(sink->arena, "Opset %d is above the highest that the TorchScript exporter has: %.*s.", opset,
                           STR_ARG(highest_opsets(sink)));
  py_say(sink, RULE_REGISTRATION_OPSET_RANGE, OWN, registration->opset_node, message, NULL);
}

// --- Which function an export chooses ---

/// The opsets that this file's code is exported to, in one torch version.
typedef struct Targets {
  uint64_t set;
  bool is_given;  ///< By the file or a setting; else what the exporter takes by default.
} Targets;

/// What the file's own exports say. The dynamo exporter looks at no registration.
static Targets targets_of_exports(const PyFile *file)
{
  const PyModel *model = file->model;
  Targets targets = { 0 };
  bool has_unknown = false;
  for (size_t i = 0; i < model->exports.count; i++) {
    const PyCall *call = &model->calls.items[model->exports.items[i]];
    const PyArgument *dynamo = py_argument(model, call, PY_ABSENT, "dynamo");
    if (dynamo && py_kind(&model->tree, py_resolve(model, dynamo->value)) == PYK_TRUE)
      continue;
    const PyArgument *argument = py_argument(model, call, PY_ABSENT, "opset_version");
    int64_t opset;
    if (argument && py_int(model, argument->value, &opset) && opset >= 1 && opset <= SYMBOLICS_OPSET_LIMIT)
      targets.set |= bit((int)opset);
    else
      has_unknown = true;
  }
  targets.is_given = targets.set != 0 && !has_unknown;
  return targets;
}

/// In one torch version, where what nobody gives is the exporter's default.
static Targets targets_of(const PyFile *file, Targets of_exports, uint32_t torch)
{
  OpsetRange range = { 0 };
  symbolics_opset_range(file->db, torch, SYMBOLICS_TORCHSCRIPT, &range);
  if (file->model->exports.count == 0 && file->export_opset > 0)
    return (Targets){ bit(file->export_opset), true };
  if (!of_exports.is_given)
    of_exports.set |= bit(range.standard);
  return of_exports;
}

/// May the file register the name at opsets that can't be read off?
static bool has_unknown_opset(const PyModel *model, Str name)
{
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    bool is_same = registration->name_known && str_equal(registration->name, name);
    bool is_unknown = !registration->opset_known && !registration->opset_is_wrong_type;
    if (registration->kind != PY_REG_UNREGISTER && (!registration->name_known || (is_same && is_unknown)))
      return true;
  }
  return false;
}

/// What the exports choose instead of a registration.
typedef struct Shadow {
  bool is_used;      ///< An export chooses it, or another one of this file for the name, or that is not known.
  bool is_given;     ///< The opsets of the exports are known.
  int first_target;  ///< The lowest and the highest of the opsets of all exports.
  int last_target;
  int chosen;  ///< The opset of the built-in function that the first one chooses; 0 for none.
} Shadow;

static void look_at_targets(const PyFile *file, const PyRegistration *registration, Targets of_exports, uint32_t torch,
                            Shadow *shadow)
{
  uint64_t custom = py_custom_opsets(file, registration->name);
  uint64_t all = custom | py_builtin_opsets(file, torch, registration->name);
  Targets targets = targets_of(file, of_exports, torch);
  shadow->is_given &= targets.is_given;
  for (int opset = 1; opset <= SYMBOLICS_OPSET_LIMIT; opset++) {
    if ((targets.set & bit(opset)) == 0)
      continue;
    int chosen = py_dispatch(all, opset);
    shadow->is_used |= (custom & bit(chosen)) != 0;
    if (shadow->first_target == 0)
      shadow->chosen = chosen;
    if (shadow->first_target == 0 || opset < shadow->first_target)
      shadow->first_target = opset;
    if (opset > shadow->last_target)
      shadow->last_target = opset;
  }
}

static Shadow shadow_of(const PyFile *file, const PyRegistration *registration, Targets of_exports)
{
  Shadow shadow = { .is_given = true };
  if (has_unknown_opset(file->model, registration->name))
    shadow.is_used = true;
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    if (file->torches >> torch & 1)
      look_at_targets(file, registration, of_exports, torch, &shadow);
  }
  return shadow;
}

/// The lowest opset above `opset` at which every one of the file's torch versions has a built-in function.
static int next_builtin(const PyFile *file, Str name, int opset)
{
  uint64_t all = UINT64_MAX;
  for (uint32_t torch = 0; torch < SYMBOLICS_TORCH_LIMIT; torch++) {
    if (file->torches >> torch & 1)
      all &= py_builtin_opsets(file, torch, name);
  }
  for (int at = opset + 1; at <= SYMBOLICS_OPSET_LIMIT; at++) {
    if (all & bit(at))
      return at;
  }
  return 0;
}

static void say_shadowed(DiagSink *sink, const PyRegistration *registration, const Shadow *shadow, int opset)
{
  int next = next_builtin(sink->python, registration->name, opset);
  if (!sink_wants(sink, RULE_SHADOWED_REGISTRATION, OWN))
    return;
  Str name = registration->name;
  Str message;
  if (shadow->is_given && shadow->first_target == shadow->last_target)
    message = arena_printf(sink->arena,
                           "The export to opset %d takes PyTorch's own '%.*s' of opset %d, not this one of opset %d: a "
                           "function is registered for one opset only (since torch 1.13). Register it for opset %d.",
                           shadow->first_target, STR_ARG(name), shadow->chosen, opset, shadow->first_target);
  else
    message = arena_printf(sink->arena,
                           "From opset %d on PyTorch's own '%.*s' of that opset is taken, not this one of opset %d: a "
                           "function is registered for one opset only (since torch 1.13). Register it for the opset of "
                           "the export.",
                           next > 0 ? next : shadow->chosen, STR_ARG(name), opset);
  py_say(sink, RULE_SHADOWED_REGISTRATION, OWN, registration->node, message, NULL);
}

static void say_above(DiagSink *sink, const PyRegistration *registration, const Shadow *shadow, int opset)
{
  if (!sink_wants(sink, RULE_REGISTRATION_ABOVE_OPSET, OWN))
    return;
  Str message = arena_printf(sink->arena,
                             "'%.*s' is registered for opset %d, but the export is to opset %d: it is never used. "
                             "Register it for opset %d.",
                             STR_ARG(registration->name), opset, shadow->last_target, shadow->last_target);
  Str right = arena_printf(sink->arena, "%d", shadow->last_target);
  PyRef value = registration->opset_node;
  bool is_literal = value && py_kind(&sink->python->model->tree, value) == PYK_INTEGER;
  py_say(sink, RULE_REGISTRATION_ABOVE_OPSET, OWN, registration->opset_node, message,
         is_literal && shadow->first_target == shadow->last_target ? py_fix_replace(sink, false, value, right) : NULL);
}

/// Is the function never the one that is chosen? Several opsets in one registration are somebody who knows.
static void check_dispatch(DiagSink *sink, const PyRegistration *registration, Targets of_exports, int opset)
{
  Shadow shadow = shadow_of(sink->python, registration, of_exports);
  if (shadow.is_used || shadow.first_target == 0)
    return;
  if (opset > shadow.last_target) {
    if (shadow.is_given)
      say_above(sink, registration, &shadow, opset);
  } else if (shadow.chosen > opset) {
    say_shadowed(sink, registration, &shadow, opset);
  }
}

static void check_opsets(DiagSink *sink, const PyRegistration *registration, Targets of_exports)
{
  const PyFile *file = sink->python;
  if (!registration->opset_node)
    return;
  if (registration->opset_is_wrong_type) {
    check_opset_type(sink, registration);
    return;
  }
  if (registration->kind != PY_REG_CUSTOM || !registration->opset_known || registration->opset_count != 1)
    return;
  int opset = file->model->opsets.items[registration->first_opset];
  if (opset < 1 || opset > file->range.max)
    check_opset_range(sink, registration, opset);
  else if (registration->name_known && file->model->registrations.count <= REGISTRATION_LIMIT)
    check_dispatch(sink, registration, of_exports, opset);
}

// --- Unregistering ---

/// Says something only if the file itself registers the name, for other opsets: what others do is not known.
static void check_unregister(DiagSink *sink, const PyRegistration *registration)
{
  const PyFile *file = sink->python;
  if (!registration->name_known || !registration->opset_known || registration->opset_count != 1 ||
      file->model->registrations.count > REGISTRATION_LIMIT)
    return;
  int opset = file->model->opsets.items[registration->first_opset];
  uint64_t custom = py_custom_opsets(file, registration->name);
  if (custom == 0 || (custom & bit(opset)) != 0 || has_unknown_opset(file->model, registration->name) ||
      !sink_wants(sink, RULE_NOTHING_TO_UNREGISTER, OWN))
    return;
  Str message = arena_printf(sink->arena, "Nothing is registered for '%.*s' at opset %d; this file registers it for %.*s.",
                             STR_ARG(registration->name), opset, STR_ARG(opset_set_text(custom, sink->arena)));
  bool is_one = (custom & (custom - 1)) == 0;
  PyRef value = registration->opset_node;
  bool is_literal = py_kind(&file->model->tree, value) == PYK_INTEGER;
  Str right = arena_printf(sink->arena, "%d", py_opsets_first(custom));
  py_say(sink, RULE_NOTHING_TO_UNREGISTER, OWN, registration->node, message,
         is_one && is_literal ? py_fix_replace(sink, false, value, right) : NULL);
}

/// A row of a table is taken for a registration only if its function makes nodes.
static bool is_sure(const PyModel *model, const PyRegistration *registration)
{
  if (registration->kind != PY_REG_TABLE)
    return true;
  const PyFunction *function = &model->functions.items[registration->function];
  return function->param_count > 0 && str_equal(model->params.items[function->first_param].name, STR("g"));
}

void check_python_registrations(DiagSink *sink)
{
  const PyModel *model = sink->python->model;
  Targets of_exports = targets_of_exports(sink->python);
  int guesses = 0;
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    if (registration->kind == PY_REG_FILE || !is_sure(model, registration))
      continue;
    if (registration->kind == PY_REG_UNREGISTER) {
      check_unregister(sink, registration);
      continue;
    }
    check_arguments(sink, registration);
    if (!registration->name_known || check_name(sink, registration, &guesses))
      check_opsets(sink, registration, of_exports);
  }
}

// Completion of what torch has, in Python: names of operators to register, and letters of @parse_args.

#include "base/ascii.h"
#include "base/limits.h"
#include "core/symbolic_places.h"
#include "core/workspace_operators.h"
#include "python/features/python_complete.h"

// --- Names ---

typedef struct NameVisit {
  PyCompletion *at;
  bool is_bare;
  bool wants_supported;
  bool skips_inner;
  size_t added;
} NameVisit;

/// `aten::Int` and its like belong to TorchScript, and `aten::_copy` to torch itself: few register these.
static bool is_inner_name(Str label)
{
  size_t colons = str_find(label, STR("::"), 0);
  char first = colons + 2 < label.len ? label.data[colons + 2] : 'a';
  return first == '_' || ascii_is_upper(first);
}

/// What is looked up is a name without one underscore at its end, so nothing else can be registered for `__and__`, and
/// `add_` is never looked up.
static Str registered_name(Str name)
{
  if (!str_ends_with(name, STR("_")))
    return name;
  return str_ends_with(name, STR("__")) ? str_slice(name, 0, name.len - 1) : (Str){ 0 };
}

static const TorchOverload *first_overload(const PyFile *file, const TorchOperator *op)
{
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    if (py_file_overload_applies(file, &op->overloads[i]) && py_help_overload_is_usual(&op->overloads[i]))
      return &op->overloads[i];
  }
  return NULL;
}

static bool add_name(Str name, void *context)
{
  NameVisit *visit = context;
  PyCompletion *at = visit->at;
  const PyFile *file = at->help->file;
  Str label = registered_name(name);
  OpsetSet builtin = label.len > 0 ? py_file_builtin_opsets(file, file->torch, label) : 0;
  if (label.len == 0 || (builtin != 0) != visit->wants_supported || (visit->skips_inner && is_inner_name(label)))
    return true;
  const TorchOverload *overload = first_overload(file, symbolics_torch_operator(file->db, name));
  if (!overload)
    return true;
  if (visit->added == COMPLETION_LIMIT) {
    at->job->is_incomplete = true;
    return false;
  }
  visit->added++;
  CompletionItem item = { .label = visit->is_bare ? str_slice(label, STR("aten::").len, label.len) : label,
                          .kind = COMPLETION_FUNCTION };
  Str torch = py_words_torch_name(file);
  item.detail = builtin == 0
                    ? arena_printf(at->arena, "not converted by torch %.*s", STR_ARG(torch))
                    : arena_printf(at->arena, "built in at %.*s", STR_ARG(opset_set_phrase(builtin, at->arena)));
  markup_block(&at->markup, "", overload->schema);
  py_complete_document(at, &item);
  py_complete_add(at, item, is_inner_name(label) ? '2' : builtin == 0 ? '0' : '1');
  return true;
}

/// An operator that the workspace defines.
static bool add_defined(const WorkspaceOperator *op, void *context)
{
  PyCompletion *at = context;
  if (op->defined.is_kernel)
    return true;
  CompletionItem item = { .label = op->defined.name, .kind = COMPLETION_FUNCTION, .detail = STR("of this workspace") };
  if (op->defined.schema.len > 0)
    markup_block(&at->markup, "", op->defined.schema);
  py_complete_document(at, &item);
  py_complete_add(at, item, '0');
  return true;
}

static void add_namespaces(PyCompletion *at)
{
  static const char *const names[] = { "aten::", "prim::", "quantized::", "torchvision::" };
  for (size_t i = 0; i < COUNT(names); i++) {
    CompletionItem item = { .label = str_from(names[i]), .kind = COMPLETION_CLASS, .detail = STR("namespace") };
    py_complete_add(at, item, '3');
  }
}

/// People register what is missing, so what the exporter can't convert comes first.
void py_complete_torch_names(PyCompletion *at, bool is_bare)
{
  bool has_namespace = str_find_char(at->typed, ':', 0) != STR_NOT_FOUND;
  Str prefix = has_namespace ? at->typed : arena_printf(at->arena, "aten::%.*s", STR_ARG(at->typed));
  if (str_starts_with(prefix, STR("::")))
    prefix = arena_printf(at->arena, "aten%.*s", STR_ARG(prefix));
  for (int wants_supported = 0; wants_supported < 2; wants_supported++) {
    NameVisit visit = { .at = at, .is_bare = is_bare, .wants_supported = wants_supported };
    visit.skips_inner = str_ends_with(prefix, STR(":"));
    symbolics_each_torch_name(at->help->file->db, prefix, add_name, &visit);
  }
  if (!is_bare && at->typed.len > 0)
    workspace_each_operator(symbolic_places_workspace(at->job->context), at->typed, add_defined, at);
  if (!has_namespace && !is_bare)
    add_namespaces(at);
  // Whoever goes on typing gets other names, where some were left out.
  at->job->is_incomplete |= !has_namespace || str_ends_with(prefix, STR(":"));
}

/// What follows `torch.ops.mylib.`.
static bool add_short_name(const WorkspaceOperator *op, void *context)
{
  PyCompletion *at = context;
  size_t colons = str_find(op->defined.name, STR("::"), 0);
  Str name = str_slice(op->defined.name, colons + 2, op->defined.name.len);
  size_t count = at->job->items.count;
  if (op->defined.is_kernel || (count > 0 && str_equal(vec_last(&at->job->items)->label, name)))
    return true;
  CompletionItem item = { .label = name, .kind = COMPLETION_FUNCTION, .detail = STR("of this workspace") };
  if (op->defined.schema.len > 0)
    markup_block(&at->markup, "", op->defined.schema);
  py_complete_document(at, &item);
  py_complete_add(at, item, '0');
  return true;
}

bool py_complete_torch_ops(PyCompletion *at, Str qualified)
{
  Str prefix = STR("torch.ops.");
  Str space = str_slice(qualified, prefix.len, qualified.len);
  if (!str_starts_with(qualified, prefix) || space.len == 0 || str_contains(space, STR(".")))
    return false;
  workspace_each_operator(symbolic_places_workspace(at->job->context),
                          arena_printf(at->arena, "%.*s::", STR_ARG(space)), add_short_name, at);
  return true;
}

// --- Letters ---

/// The schema's argument that a letter is for.
static const TorchArgument *schema_argument(const PyHelp *help, size_t position, Str *ret_name)
{
  uint32_t count;
  if (help->function == PY_ABSENT)
    return NULL;
  PyNames names = py_file_registered_names(help->file, help->function, help->arena);
  py_file_input_params(help->file, help->function, &count);
  const TorchArgument *found = NULL;
  for (size_t i = 0; i < names.count; i++) {
    const TorchOperator *op = py_file_torch_operator(help->file, names.items[i]);
    for (uint32_t k = 0; op && k < op->overload_count; k++) {
      const TorchOverload *overload = &op->overloads[k];
      if (!py_file_overload_applies(help->file, overload) || !py_help_overload_is_usual(overload) ||
          position >= overload->argument_count)
        continue;
      bool fits = overload->argument_count == count;
      if (!found || fits) {
        found = &overload->arguments[position];
        *ret_name = names.items[i];
      }
      if (fits)
        return found;
    }
  }
  return found;
}

typedef struct LetterVisit {
  PyCompletion *at;
  Str type;  ///< Of the argument; empty if it is not known.
  Str why;
} LetterVisit;

static bool add_letter(const PyDescriptor *descriptor, void *context)
{
  const LetterVisit *visit = context;
  PyCompletion *at = visit->at;
  bool is_known = visit->type.len > 0;
  bool fits = is_known && export_api_descriptor_fits(descriptor->letter, visit->type);
  bool is_best = is_known && str_equal(descriptor->letter, export_api_descriptor_for(visit->type));
  CompletionItem item = { .label = descriptor->letter, .kind = COMPLETION_ENUM_MEMBER, .is_preselected = is_best };
  if (is_best)
    item.detail = visit->why;
  else if (!is_known)
    item.detail = arena_printf(at->arena, "for %.*s", STR_ARG(descriptor->types));
  else
    item.detail = arena_printf(at->arena, fits ? "can read %.*s, too" : "not for %.*s", STR_ARG(visit->type));
  markup_prose(&at->markup, descriptor->words);
  py_complete_document(at, &item);
  py_complete_add(at, item, is_best ? '0' : fits || !is_known ? '2' : '3');
  return true;
}

/// All letters at once, for who begins with the first: `v", "f", "f`.
static void add_all_letters(PyCompletion *at, Str why)
{
  const PyHelp *help = at->help;
  uint32_t count;
  py_file_input_params(help->file, help->function, &count);
  char quote = at->is_quoted ? '"' : help->scan.text.data[help->scan.quote];
  Str label = { 0 };
  Str text = { 0 };
  for (uint32_t i = 0; i < count; i++) {
    Str name;
    const TorchArgument *argument = schema_argument(help, i, &name);
    Str letter = argument ? export_api_descriptor_for(argument->type) : STR("v");
    label = i == 0 ? letter : arena_printf(at->arena, "%.*s, %.*s", STR_ARG(label), STR_ARG(letter));
    text = i == 0 ? letter : arena_printf(at->arena, "%.*s%c, %c%.*s", STR_ARG(text), quote, quote, STR_ARG(letter));
  }
  CompletionItem item = { .label = label, .kind = COMPLETION_VALUE, .detail = why };
  item.text = at->is_closed ? text : arena_printf(at->arena, "%.*s%c", STR_ARG(text), quote);
  if (count > 1)
    py_complete_add(at, item, '1');
}

static Str argument_text(const TorchArgument *argument, Str name, Arena *arena)
{
  return arena_printf(arena, "%.*s %.*s of %.*s", STR_ARG(argument->type), STR_ARG(argument->name), STR_ARG(name));
}

void py_complete_letters(PyCompletion *at)
{
  const PyHelp *help = at->help;
  LetterVisit visit = { .at = at };
  Str name;
  const TorchArgument *argument = schema_argument(help, help->call.position, &name);
  if (argument) {
    visit.type = argument->type;
    visit.why = argument_text(argument, name, at->arena);
  }
  export_api_each_descriptor(help->file->db, add_letter, &visit);
  if (argument && help->call.arguments.count == 1)
    add_all_letters(at, arena_printf(at->arena, "all letters for %.*s", STR_ARG(name)));
}

void py_complete_helper_letter(PyCompletion *at)
{
  const PyHelp *help = at->help;
  const PySignature *signature = export_api_helper_signature(help->helper, help->file->torch);
  const PyScannedArgument *argument = &help->call.arguments.items[help->call.active];
  LetterVisit visit = { .at = at };
  for (uint32_t i = 0; signature && i < signature->parameter_count; i++) {
    bool is_here = argument->keyword.len > 0 ? str_equal(argument->keyword, signature->parameters[i].name)
                                             : help->call.position == i && !help->call.after_splat;
    if (is_here && py_help_takes_letter(&signature->parameters[i]))
      export_api_each_descriptor(help->file->db, add_letter, &visit);
  }
}

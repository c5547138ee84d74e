// Pages about torch operators and their arguments: schemas, and which exporter converts them at which opset.
#include "base/vec.h"
#include "describe/describe.h"
#include "text/uri.h"

static bool holds_in(const TorchOverload *overload, uint32_t torch)
{
  return overload->torch_versions & (1u << torch);
}

/// "1.13, 2.6"
static Str version_list(const Page *page, uint32_t set)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(page->db, &versions);
  Str list = { 0 };
  for (size_t i = 0; i < count; i++) {
    if (set & (1u << i))
      list = list.len == 0 ? versions[i] : arena_printf(page->arena, "%.*s, %.*s", STR_ARG(list), STR_ARG(versions[i]));
  }
  return list;
}

static Str version_name(const Page *page)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(page->db, &versions);
  return page->torch < count ? versions[page->torch] : (Str){ 0 };
}

static bool is_asked_for(const TorchOverload *overload, Str name)
{
  Str wanted = str_equal(name, STR("default")) ? (Str){ 0 } : name;
  return name.len == 0 || str_equal(overload->overload, wanted);
}

// --- Schemas ---

static void write_schemas(Page *page, const TorchOperator *op, Str overload)
{
  Buffer code = { 0 };
  for (uint32_t i = 0; i < op->overload_count; i++) {
    if (holds_in(&op->overloads[i], page->torch) && is_asked_for(&op->overloads[i], overload))
      buffer_printf(&code, "%s%.*s", code.len > 0 ? "\n" : "", STR_ARG(op->overloads[i].schema));
  }
  if (code.len > 0) {
    markup_block(&page->markup, "", buffer_str(&code));
  } else {
    markup_code(&page->markup, op->name);
    markup_text(&page->markup, " is not in torch %.*s.", STR_ARG(version_name(page)));
  }
  buffer_done(&code);
}

/// Schemas that only other versions have.
static void write_other_schemas(Page *page, const TorchOperator *op, Str overload)
{
  bool is_first = true;
  for (uint32_t i = 0; i < op->overload_count; i++) {
    const TorchOverload *other = &op->overloads[i];
    if (holds_in(other, page->torch) || !is_asked_for(other, overload))
      continue;
    if (is_first)
      markup_heading(&page->markup, "In other versions of torch");
    is_first = false;
    markup_item(&page->markup);
    markup_text(&page->markup, "%.*s", STR_ARG(version_list(page, other->torch_versions)));
    markup_column(&page->markup, ": ");
    markup_code(&page->markup, other->schema);
  }
}

// --- Support ---

static Str torchscript_words(const Page *page, uint32_t torch, Str op)
{
  OpsetRange range;
  if (!symbolics_opset_range(page->db, torch, EXPORTER_TORCHSCRIPT, &range))
    return STR("no such exporter");
  SupportMarks marks = symbolics_support_marks(page->db, torch, EXPORTER_TORCHSCRIPT, op);
  Str blocked = (Str){ 0 };
  if (marks.blocked)
    blocked = arena_printf(page->arena, " (at %.*s its function only raises an error)",
                           STR_ARG(opset_set_text(marks.blocked, page->arena)));
  if (marks.supported == 0)
    return arena_printf(page->arena, "at no opset%.*s", STR_ARG(blocked));
  return arena_printf(page->arena, "opsets %.*s%.*s", STR_ARG(opset_set_text(marks.supported, page->arena)),
                      STR_ARG(blocked));
}

static Str dynamo_words(const Page *page, uint32_t torch, Str op)
{
  OpsetRange range;
  if (!symbolics_opset_range(page->db, torch, EXPORTER_DYNAMO, &range))
    return STR("no such exporter");
  SupportAnswer answer = symbolics_support(page->db, torch, EXPORTER_DYNAMO, op, range.max);
  switch (answer.status) {
  case SUPPORT_YES:
    return arena_printf(page->arena, "from opset %d on", answer.since);
  case SUPPORT_DECOMPOSED:
    return STR("taken apart, its parts are converted");
  case SUPPORT_NO_FACTS:
    return STR("not known");
  default:
    return STR("no function of its own");
  }
}

static void write_support(Page *page, Str op)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(page->db, &versions);
  markup_heading(&page->markup, "Converted to ONNX");
  for (size_t i = count; i-- > 0;) {
    uint32_t torch = (uint32_t)i;
    markup_item(&page->markup);
    markup_text(&page->markup, "torch %.*s", STR_ARG(versions[i]));
    markup_column(&page->markup, ": ");
    markup_text(&page->markup, "TorchScript %.*s", STR_ARG(torchscript_words(page, torch, op)));
    markup_column(&page->markup, "; ");
    markup_text(&page->markup, "dynamo %.*s", STR_ARG(dynamo_words(page, torch, op)));
  }
}

/// When the pass does what its reason says.
static const char *condition_words(PassCondition condition)
{
  static const char *const words[] = {
    [PASS_ALWAYS] = "always",
    [PASS_CONSTANT_KEYS] = "if only constant keys are read",
    [PASS_LOCAL_LIST] = "if the list is made in the same block and only changed before",
    [PASS_TARGET_FRESH] = "if the target is made in the same block, is no view and was not read before",
    [PASS_TARGET_NOT_FRESH] = "if the target is a view, comes from outside of the block or was read before",
    [PASS_UNPACKED_AT_ONCE] = "if the result is unpacked at once and the other inputs are constants",
  };
  return words[condition];
}

static void write_pass(Page *page, Str op)
{
  const PassNote *pass = symbolics_pass(page->db, page->torch, op);
  if (!pass)
    return;
  markup_paragraph(&page->markup);
  markup_text(&page->markup, "Before the TorchScript exporter looks for a symbolic function: ");
  markup_prose(&page->markup, pass->reason);
  markup_text(&page->markup, " (%s).", condition_words(pass->condition));
}

/// The answer for one opset, one exporter and one torch version.
static void write_verdict(Page *page, Str op)
{
  OpsetRange range;
  if (!symbolics_opset_range(page->db, page->torch, page->exporter, &range))
    return;
  int opset = page->opset > 0 ? (int)page->opset : range.standard;
  SupportAnswer answer = page->exporter == EXPORTER_TORCHSCRIPT
                             ? workspace_support(page->workspace, page->db, page->torch, op, opset)
                             : symbolics_support(page->db, page->torch, page->exporter, op, opset);
  Str who = arena_printf(page->arena, "The %s exporter of torch %.*s",
                         page->exporter == EXPORTER_DYNAMO ? "dynamo" : "TorchScript", STR_ARG(version_name(page)));
  markup_paragraph(&page->markup);
  if (answer.pass && answer.pass->condition == PASS_ALWAYS) {
    markup_text(&page->markup, "%.*s never meets it.", STR_ARG(who));
    return;
  }
  switch (answer.status) {
  case SUPPORT_YES:
    markup_text(&page->markup, "%.*s converts it at opset %d.", STR_ARG(who), opset);
    break;
  case SUPPORT_NEWER:
  case SUPPORT_BLOCKED:
    markup_text(&page->markup, "%.*s can't convert it at opset %d", STR_ARG(who), opset);
    markup_text(&page->markup, answer.since > 0 ? "; it can from opset %d on." : ".", answer.since);
    break;
  case SUPPORT_NEVER:
  case SUPPORT_UNKNOWN_NAMESPACE:
    markup_text(&page->markup, "%.*s has no function for it%s", STR_ARG(who),
                page->exporter == EXPORTER_DYNAMO ? ": it depends on whether torch.export takes it apart."
                                                  : ": an export fails unless you register one.");
    break;
  case SUPPORT_DECOMPOSED:
    markup_text(&page->markup, "%.*s takes it apart and converts the parts.", STR_ARG(who));
    break;
  case SUPPORT_ONNX:
  case SUPPORT_NO_FACTS:
    markup_text(&page->markup, "Nothing is known of this exporter.");
    break;
  }
}

Str page_path(const Page *page, Str uri)
{
  Str path = uri_to_path(uri, page->arena);
  if (path.len == 0)
    return uri;
  bool is_below = page->folder.len > 0 && str_starts_with(path, page->folder) && path.len > page->folder.len &&
                  path.data[page->folder.len] == '/';
  return is_below ? str_slice(path, page->folder.len + 1, path.len) : path;
}

typedef struct Registrations {
  Page *page;
  bool has_any;
} Registrations;

static bool write_registration(const WorkspaceSymbolic *symbolic, void *context)
{
  Registrations *all = context;
  Page *page = all->page;
  if (symbolic->is_builtin)
    return true;
  if (!all->has_any)
    markup_heading(&page->markup, "Registered in this workspace");
  all->has_any = true;
  markup_item(&page->markup);
  markup_code(&page->markup, arena_printf(page->arena, "%.*s:%u", STR_ARG(page_path(page, symbolic->uri)),
                                          symbolic->registration.line + 1));
  markup_column(&page->markup, ": ");
  markup_text(&page->markup, "opset %.*s", STR_ARG(opset_set_text(symbolic->opsets, page->arena)));
  return true;
}

void describe_torch_operator(Page *page, Str name, const TorchOperator *op, Str overload)
{
  if (op)
    write_schemas(page, op, overload);
  else
    markup_code(&page->markup, name);
  Str words = prim_words(name);
  if (words.len > 0) {
    markup_paragraph(&page->markup);
    markup_prose(&page->markup, words);
  }
  write_verdict(page, name);
  write_pass(page, name);
  write_support(page, name);
  workspace_each_symbolic(page->workspace, name, write_registration, &(Registrations){ .page = page });
  if (op)
    write_other_schemas(page, op, overload);
}

bool describes_kind(Str name)
{
  return prim_words(name).len > 0;
}

// --- Arguments ---

static void append_argument(Buffer *code, const TorchArgument *argument)
{
  buffer_printf(code, "%.*s %.*s", STR_ARG(argument->type), STR_ARG(argument->name));
  if (argument->has_default)
    buffer_printf(code, "=%.*s", STR_ARG(argument->default_text));
}

static const TorchArgument *find_argument(const TorchOverload *overload, Str name)
{
  for (uint32_t i = 0; i < overload->argument_count; i++) {
    if (str_equal(overload->arguments[i].name, name))
      return &overload->arguments[i];
  }
  return NULL;
}

bool describe_torch_argument(Page *page, const TorchOperator *op, Str name)
{
  bool found = false;
  for (uint32_t i = 0; i < op->overload_count; i++) {
    const TorchOverload *overload = &op->overloads[i];
    const TorchArgument *argument = find_argument(overload, name);
    if (!argument)
      continue;
    if (!found) {
      markup_text(&page->markup, "An argument of ");
      markup_code(&page->markup, op->name);
      markup_heading(&page->markup, "By overload and version of torch");
    }
    found = true;
    Buffer code = { 0 };
    append_argument(&code, argument);
    markup_item(&page->markup);
    markup_code(&page->markup, buffer_str(&code));
    buffer_done(&code);
    markup_column(&page->markup, ", ");
    markup_text(&page->markup, "%.*s", STR_ARG(overload->overload.len > 0 ? overload->overload : STR("default")));
    markup_column(&page->markup, ", ");
    markup_text(&page->markup, "torch %.*s", STR_ARG(version_list(page, overload->torch_versions)));
  }
  return found;
}

// Actions that write a symbolic function: what all calls of the operator in the dump say about its arguments.

#include "base/limits.h"
#include "core/workspace.h"
#include "describe/stub.h"
#include "describe/type_tensor.h"
#include "describe/type_text.h"
#include "graph/features/support_job.h"
#include "text/path.h"
#include "text/uri.h"

/// One node of the operator.
typedef struct Call {
  const TorchOverload *overload;  ///< NULL if no schema fits.
  Str types[STUB_ARGUMENT_LIMIT];
  bool is_constant[STUB_ARGUMENT_LIMIT];
  size_t argument_count;
  bool has_attributes;
  Str returns[STUB_RETURN_LIMIT];  ///< As printed.
  size_t return_count;
} Call;

// --- Reading a call ---

static bool is_constant_node(const OperatorContext *job, Place definition)
{
  Str op = hover_operator_of(job, definition);
  return str_equal(op, STR("prim::Constant")) || str_equal(op, STR("onnx::Constant"));
}

static bool find_argument(const OperatorContext *job, const LineView *view, size_t node, Place *ret_definition)
{
  NameAt name;
  return name_at(job->snapshot, view->start + view->nodes[node].start, &name) &&
         name_at_definition(snapshot_dump(job->snapshot), &name, ret_definition);
}

/// Whether the exporter would see a constant. Lists of constants are folded before.
static bool is_constant(const OperatorContext *job, Place definition)
{
  if (is_constant_node(job, definition))
    return true;
  if (!str_equal(hover_operator_of(job, definition), STR("prim::ListConstruct")))
    return false;
  LineView view = hover_line_view(job, definition);
  size_t nodes[STUB_ELEMENT_LIMIT];
  size_t count = line_view_arguments(&view, STUB_ELEMENT_LIMIT, nodes);
  for (size_t i = 0; i < count && i < STUB_ELEMENT_LIMIT; i++) {
    Place element;
    if (!find_argument(job, &view, nodes[i], &element) || !is_constant_node(job, element))
      return false;
  }
  return count <= STUB_ELEMENT_LIMIT;
}

/// A schema of another torch version is better than none: dumps travel.
static const TorchOverload *any_overload(const OperatorContext *job, Str op, size_t argument_count)
{
  const TorchOperator *known = operator_context_torch(job, op);
  for (uint32_t i = 0; known && i < known->overload_count; i++) {
    if (!known->overloads[i].has_varargs && known->overloads[i].argument_count == argument_count)
      return &known->overloads[i];
  }
  return NULL;
}

static void read_arguments(const OperatorContext *job, const LineView *view, Call *call)
{
  size_t nodes[STUB_ARGUMENT_LIMIT];
  call->argument_count = line_view_arguments(view, STUB_ARGUMENT_LIMIT, nodes);
  for (size_t i = 0; i < call->argument_count && i < STUB_ARGUMENT_LIMIT; i++) {
    Place definition;
    if (!find_argument(job, view, nodes[i], &definition))
      continue;
    call->types[i] = hover_definition_type(job, definition);
    call->is_constant[i] = is_constant(job, definition);
  }
}

static void read_returns(const OperatorContext *job, const LineView *view, Place place, Call *call)
{
  const Item *item = dump_place_item(snapshot_dump(job->snapshot), place);
  call->return_count = item->def_count;
  for (uint32_t i = 0; i < item->def_count && i < STUB_RETURN_LIMIT; i++) {
    place.occurrence = item->first_occurrence + i;
    call->returns[i] = line_view_type_of(view, dump_place_range(job->snapshot, place).start);
  }
}

static Call read_call(const OperatorContext *job, Place place)
{
  Call call = { 0 };
  LineView view = hover_line_view(job, place);
  read_arguments(job, &view, &call);
  read_returns(job, &view, place, &call);
  call.has_attributes = line_view_find(&view, NODE_ATTRIBUTE_NAME, 0) != NO_NODE;
  call.overload = hover_overload_that_fits(job, &view, place);
  if (!call.overload)
    call.overload = any_overload(job, hover_operator_of(job, place), call.argument_count);
  return call;
}

// --- What calls add up to ---

static Str argument_name(const Call *call, size_t i)
{
  const TorchOverload *overload = call->overload;
  return overload && i < overload->argument_count ? overload->arguments[i].name : (Str){ 0 };
}

static Str argument_type(const Call *call, size_t i)
{
  const TorchOverload *overload = call->overload;
  return overload && i < overload->argument_count ? overload->arguments[i].type : call->types[i];
}

static StubLetter call_letter(const Call *call, size_t i)
{
  return stub_letter(argument_type(call, i), call->is_constant[i]);
}

static bool is_tensor(const Call *call, size_t i)
{
  return call->overload ? str_equal(argument_type(call, i), STR("Tensor")) : type_class(call->types[i]) == TYPE_TENSOR;
}

/// Whether both calls mean the same by their common arguments.
static bool agree(const StubSpec *spec, const Call *call)
{
  for (size_t i = 0; i < spec->argument_count && i < call->argument_count; i++) {
    if (!str_equal(spec->arguments[i].name, argument_name(call, i)))
      return false;
  }
  return true;
}

static void begin_spec(StubSpec *spec, const Call *call)
{
  spec->argument_count = call->argument_count;
  spec->has_any_count = call->overload && call->overload->has_varargs;
  spec->schema = call->overload ? call->overload->schema : (Str){ 0 };
  spec->return_count = call->return_count;
  for (size_t i = 0; i < call->argument_count; i++) {
    spec->arguments[i] = (StubArgument){ .name = argument_name(call, i) };
    spec->arguments[i].letter = call_letter(call, i);
    spec->arguments[i].is_tensor = is_tensor(call, i);
  }
}

/// Arguments that only some calls have, of overloads that begin alike.
static void widen(StubSpec *spec, const Call *call)
{
  size_t least = call->argument_count < spec->argument_count ? call->argument_count : spec->argument_count;
  size_t most = call->argument_count > spec->argument_count ? call->argument_count : spec->argument_count;
  for (size_t i = least; i < most; i++) {
    if (i >= spec->argument_count)
      spec->arguments[i] = (StubArgument){ .name = argument_name(call, i), .letter = call_letter(call, i) };
    spec->arguments[i].is_optional = true;
    spec->has_any_count |= spec->arguments[i].letter == STUB_VALUE;
  }
  spec->argument_count = most;
}

static void merge_call(StubSpec *spec, const Call *call)
{
  spec->has_any_count |= call->overload && call->overload->has_varargs;
  for (size_t i = 0; i < spec->argument_count && i < call->argument_count; i++) {
    if (call_letter(call, i) != spec->arguments[i].letter)
      spec->arguments[i].letter = STUB_VALUE;
    spec->arguments[i].is_tensor &= is_tensor(call, i);
    spec->has_any_count |= spec->arguments[i].is_optional && spec->arguments[i].letter == STUB_VALUE;
  }
  if (call->argument_count == spec->argument_count)
    return;
  if (agree(spec, call))
    widen(spec, call);
  else
    spec->has_any_count = true;
}

/// What a printed type says of a value; more types of the same value leave what they agree in.
static StubReturn read_return(const Call *call, size_t i)
{
  StubReturn value = { 0 };
  Str type = call->returns[i];
  value.is_list = type_class(type) == TYPE_LIST;
  TensorText tensor;
  if (type_class(type) == TYPE_TENSOR && type_read_tensor(type, &tensor)) {
    // Names of quantized types are words for people, not members of torch.
    bool has_name =
        tensor.dtype && !strchr(tensor.dtype->name, ' ') && !str_equal(str_from(tensor.dtype->name), STR("string"));
    value.dtype = has_name ? tensor.dtype->name : NULL;
    value.is_ranked = tensor.is_ranked;
    value.rank = tensor.is_ranked ? tensor.rank : 0;
    for (size_t a = 0; a < call->argument_count; a++) {
      if (is_tensor(call, a)) {
        value.is_like_input = str_equal(call->types[a], type) && value.dtype && value.is_ranked;
        break;
      }
    }
  }
  return value;
}

static void merge_returns(StubSpec *spec, const Call *call, bool is_first)
{
  for (size_t i = 0; i < spec->return_count && i < call->return_count; i++) {
    StubReturn value = read_return(call, i);
    StubReturn *merged = &spec->returns[i];
    if (is_first) {
      *merged = value;
      continue;
    }
    bool same_dtype = merged->dtype && value.dtype && str_equal(str_from(merged->dtype), str_from(value.dtype));
    merged->dtype = same_dtype ? value.dtype : NULL;
    merged->is_ranked &= value.is_ranked && merged->rank == value.rank;
    merged->is_like_input &= value.is_like_input;
    merged->is_list &= value.is_list;
  }
}

/// Remembers how many results a call with so many arguments has; false if that is not a rule, or too long a one.
static bool add_shape(StubSpec *spec, const Call *call)
{
  for (size_t i = 0; i < spec->shape_count; i++) {
    if (spec->shapes[i].argument_count == call->argument_count)
      return spec->shapes[i].return_count == call->return_count;
  }
  if (spec->shape_count == STUB_SHAPE_LIMIT)
    return false;
  spec->shapes[spec->shape_count++] = (StubShape){ call->argument_count, call->return_count };
  return true;
}

/// Calls with different numbers of results can only be told apart by their arguments.
static void settle_shapes(StubSpec *spec)
{
  bool differ = false;
  for (size_t i = 1; i < spec->shape_count; i++)
    differ |= spec->shapes[i].return_count != spec->shapes[0].return_count;
  if (differ) {
    spec->has_any_count = true;
    memset(spec->returns, 0, sizeof(spec->returns));  // What is known of one is not known of the other.
  } else {
    spec->shape_count = 0;
  }
}

/// False for calls that no function is written for: too many arguments or results.
static bool add_call(const OperatorContext *job, Place place, StubSpec *spec, bool is_first)
{
  Call call = read_call(job, place);
  if (call.argument_count > STUB_ARGUMENT_LIMIT || call.return_count > STUB_RETURN_LIMIT || !add_shape(spec, &call))
    return false;
  if (is_first)
    begin_spec(spec, &call);
  else
    merge_call(spec, &call);
  merge_returns(spec, &call, is_first);
  spec->has_attributes |= call.has_attributes;
  return true;
}

/// The node that was asked about first, then the others of the document.
static bool make_spec(const OperatorContext *job, Place asked, StubSpec *spec)
{
  Str op = hover_operator_of(job, asked);
  size_t count = 1;
  bool is_good = add_call(job, asked, spec, true);
  for (uint32_t c = 0; c < snapshot_dump(job->snapshot)->chunk_count; c++) {
    const DumpIndex *index = snapshot_dump(job->snapshot)->chunks[c]->index;
    uint32_t number = 0;
    while (number < index->op_count &&
           !str_equal(dump_op_name(index, chunk_text(snapshot_dump(job->snapshot)->chunks[c]), number), op))
      number++;
    for (uint32_t i = 0; i < index->item_count && number < index->op_count && count < STUB_CALL_LIMIT && is_good; i++) {
      bool is_asked = c == asked.chunk && i == asked.item;
      if (index->items[i].op != number || index->items[i].kind != ITEM_STATEMENT || is_asked)
        continue;
      is_good = add_call(job, (Place){ c, i, 0 }, spec, false);
      count++;
    }
  }
  settle_shapes(spec);
  return is_good;
}

// --- Actions ---

static bool file_exists(const OperatorContext *job, Str path)
{
  const FeatureContext *context = job->context;
  return context->file_exists && context->file_exists(path, context->file_exists_context);
}

bool support_new_file(const SupportJob *job, const char *prefix, Str function, Str *ret_name, Str *ret_path)
{
  Arena *arena = job->base.arena;
  Str beside = uri_to_path(snapshot_uri(job->base.snapshot), arena);
  if (beside.len == 0)
    beside = job->world->settings_path;
  size_t slash = str_rfind_char(beside, '/');
  if (slash == STR_NOT_FOUND)
    return false;
  for (int i = 1; i < STUB_FILE_LIMIT; i++) {
    Str name = i == 1 ? arena_printf(arena, "%s_%.*s.py", prefix, STR_ARG(function))
                      : arena_printf(arena, "%s_%.*s_%d.py", prefix, STR_ARG(function), i);
    Str path = path_join(str_slice(beside, 0, slash + 1), name, arena);
    if (file_exists(&job->base, path))
      continue;
    *ret_name = name;
    *ret_path = path;
    return true;
  }
  return false;
}

void support_write_file(SupportJob *job, const Diagnostic *diagnostic, Str title, FileChange change, size_t at,
                        Str text)
{
  TextEdit *edit = ARENA_NEW(job->base.arena, TextEdit);
  *edit = (TextEdit){ { at, at }, text };
  change.edits = edit;
  change.edit_count = 1;
  Action action = { .title = title, .diagnostic = diagnostic, .file = change };
  vec_push(&job->actions->actions, action);
}

static void add_to_file(SupportJob *job, const Diagnostic *diagnostic, const StubSpec *spec, Str path)
{
  Arena *arena = job->base.arena;
  FileChange change = { .path = path };
  if (!job->world->read_file || !job->world->read_file(path, arena, job->world->read_file_context, &change.text))
    return;
  Str name = str_after_last(path, '/');
  Str title = arena_printf(arena, "Append a symbolic function for `%.*s` to %.*s", STR_ARG(spec->op), STR_ARG(name));
  support_write_file(job, diagnostic, title, change, change.text.len, stub_addition(spec, change.text, arena));
}

/// Whether it registers functions of the user's own.
static bool registers_something(const WorkspaceFile *file)
{
  for (uint32_t i = 0; i < file->symbolic_count; i++) {
    if (file->symbolics[i].name.len > 0 && !file->symbolics[i].is_builtin)
      return true;
  }
  return false;
}

static void add_to_files(SupportJob *job, const Diagnostic *diagnostic, const StubSpec *spec)
{
  WorkspaceFile *const *files;
  size_t count = workspace_files(job->base.context->workspace, &files);
  size_t offered = 0;
  for (size_t i = 0; i < count && offered < STUB_PYTHON_LIMIT; i++) {
    Str path = uri_to_path(files[i]->uri, job->base.arena);
    if (path.len == 0 || !registers_something(files[i]))
      continue;
    add_to_file(job, diagnostic, spec, path);
    offered++;
  }
}

void support_add_stub(SupportJob *job, const Diagnostic *diagnostic, Place place)
{
  Arena *arena = job->base.arena;
  Str op = hover_operator_of(&job->base, place);
  if (!stub_can_register(op))
    return;
  StubSpec *spec = ARENA_NEW(arena, StubSpec);
  *spec = (StubSpec){ .op = op, .torch = job->base.target->torch, .opset = job->base.target->opset };
  // Attributes of prim nodes are types and graphs, which the exporter can't pass on.
  if (!make_spec(&job->base, place, spec) || (spec->has_attributes && str_starts_with(op, STR("prim::"))))
    return;
  Str name;
  FileChange change = { .is_new = true };
  if (support_new_file(job, "symbolic", stub_function_name(op, arena), &name, &change.path)) {
    Str title = arena_printf(arena, "Create a symbolic function for `%.*s` in %.*s", STR_ARG(op), STR_ARG(name));
    support_write_file(job, diagnostic, title, change, 0, stub_module(spec, arena));
  }
  add_to_files(job, diagnostic, spec);
}

// What torch.export.export() is asked to keep, and calls of the module that a captured program gives: it takes just
// what the program was captured with. Run with torch 2.14.

#include "base/limits.h"
#include "python/rules/export/example_inputs.h"
#include "python/rules/module/module_parts.h"
#include "python/rules/public_objects.h"

static void say(DiagSink *sink, RuleId rule, PyRef node, Str message)
{
  py_say(sink, rule, SEVERITY_ERROR, node, message, NULL);
}

// --- Calls of the module ---

/// What a call may fail in: `try`, `with pytest.raises(...)`.
static bool is_tried(const PyTree *tree, PyRef node)
{
  if (py_tree_try_around(tree, node))
    return true;
  for (; node; node = tree->nodes[node].parent) {
    PyRef body = py_kind(tree, node) == PYK_WITH_STATEMENT ? py_child(tree, node, PY_F_BODY) : 0;
    Str head =
        body ? str_make(tree->text.data + tree->nodes[node].start, tree->nodes[body].start - tree->nodes[node].start)
             : (Str){ 0 };
    if (str_contains(head, STR("aises")))
      return true;
  }
  return false;
}

/// The capture that `ep.module()` and a name for it come from; NULL.
static const PyCall *captured_by(DiagSink *sink, PyRef node, ExportCall *ret_export)
{
  const PyModel *model = sink_python(sink)->model;
  const PyTree *tree = &model->tree;
  for (int i = 0; i < PY_CHAIN_LIMIT; i++) {
    const PyCall *call = py_model_call(model, export_resolve(model, node));
    if (!call || export_capture(sink, call, ret_export))
      return call;
    Str name = py_tree_member_name(tree, call->function_node);
    if (!str_equal(name, STR("module")) && !str_equal(name, STR("run_decompositions")))
      return NULL;
    node = py_tree_object(tree, call->function_node);
  }
  return NULL;
}

/// How many inputs are given by position; PY_ABSENT if that is not written out.
static uint32_t positional_inputs(const ExportCall *export)
{
  const PyTree *tree = &export->model->tree;
  PyRef args = export_value(export, "args");
  uint32_t count = 0;
  if (!args || py_kind(tree, args) != PYK_TUPLE)
    return PY_ABSENT;
  for (PyRef item = py_tree_first_element(tree, args); item; item = py_tree_next_element(tree, item), count++) {
    if (py_tree_is_splat(tree, item))
      return PY_ABSENT;
  }
  return count;
}

/// Compares the keywords of the call with the keys of `kwargs`; what is wrong of them, or empty.
static Str keywords_that_differ(const ExportCall *export, const PyCall *call)
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  Arena *arena = export->sink->arena;
  PyRef kwargs = export_value(export, "kwargs");
  if (kwargs && py_kind(tree, kwargs) != PYK_DICTIONARY)
    return (Str){ 0 };
  uint32_t known = 0, given = 0;
  for (PyRef pair = kwargs ? py_first_child(tree, kwargs) : 0; pair; pair = py_next_sibling(tree, pair), known++) {
    PyRef key = py_tree_key(tree, pair);
    Str name;
    if (!key || !py_model_string(model, key, arena, &name))
      return (Str){ 0 };
    if (!py_model_argument_of(model, call, PY_ABSENT, name))
      return arena_printf(arena, "with '%.*s' by name, which this does not give", STR_ARG(name));
  }
  for (uint32_t i = 0; i < call->argument_count; i++) {
    Str keyword = py_model_arguments(model, call)[i].keyword;
    given += keyword.len > 0;
    if (keyword.len > 0 && known == 0)
      return arena_printf(arena, "with no '%.*s' by name", STR_ARG(keyword));
  }
  return given > known ? STR("with fewer inputs by name") : (Str){ 0 };
}

/// The first input whose size is another one than that of the example, where none is free.
static void check_sizes(const ExportCall *export, const PyCall *call)
{
  const PyModel *model = export->model;
  const PyTree *tree = &model->tree;
  if (export_may_have(export, "dynamic_shapes"))
    return;
  PyRef item = py_tree_first_element(tree, export_value(export, "args"));
  for (uint32_t i = 0; item && i < call->argument_count; i++, item = py_tree_next_element(tree, item)) {
    const PyArgument *argument = &py_model_arguments(model, call)[i];
    ExampleShape was = example_shape(model, export_resolve(model, item));
    ExampleShape is = example_shape(model, export_resolve(model, argument->value));
    for (int axis = 0; argument->keyword.len == 0 && was.rank == is.rank && axis < is.rank; axis++) {
      if (was.sizes[axis] < 0 || is.sizes[axis] < 0 || was.sizes[axis] == is.sizes[axis])
        continue;
      say(export->sink, RULE_UNSTABLE_API, argument->value,
          arena_printf(export->sink->arena,
                       "The program was captured for a size of %lld on axis %d, and this has %lld: dynamic_shapes "
                       "leaves it open.",
                       (long long)was.sizes[axis], axis, (long long)is.sizes[axis]));
      return;
    }
  }
}

static void check_module_call(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  ExportCall export;
  if (call->has_splat || call->has_dictionary_splat ||
      !str_equal(public_class_of(sink, call->function_node), STR("torch.export.module")) ||
      !captured_by(sink, call->function_node, &export) || is_tried(&model->tree, call->node))
    return;
  uint32_t wanted = positional_inputs(&export), given = py_model_positional_count(model, call);
  Str why = wanted == PY_ABSENT ? (Str){ 0 } : keywords_that_differ(&export, call);
  if (wanted != PY_ABSENT && wanted != given)
    why = arena_printf(sink->arena, "with %u input%s by position, and this gives %u", wanted, wanted == 1 ? "" : "s",
                       given);
  if (why.len > 0)
    say(sink, RULE_UNSTABLE_API, call->function_node,
        arena_printf(sink->arena, "The program was captured %.*s: its module takes just what the export got.",
                     STR_ARG(why)));
  else if (wanted != PY_ABSENT)
    check_sizes(&export, call);
}

// --- preserve_module_call_signature ---

/// What the captures of a file are asked about its classes.
typedef struct Preserved {
  DiagSink *sink;
  bool is_ready;
  bool adds_members;    ///< The file may give classes members by name.
  uint32_t paths_left;  ///< That may still be looked up.
  ModuleParts parts;
} Preserved;

static void make_ready(Preserved *all)
{
  static const char *const words[] = {
    "setattr", "add_module", "register_module", "__dict__", "__getattr__", "_modules"
  };
  const PyModel *model = sink_python(all->sink)->model;
  if (all->is_ready)
    return;
  all->is_ready = true;
  all->adds_members = py_model_mentions_one_of(model, words, COUNT(words));
  all->parts = module_parts(model, all->sink->arena);
}

/// Whether a class of the file surely has nothing of that name: its text doesn't hold it.
static bool surely_lacks(const PyModel *model, PyRef class_node, Str name)
{
  const PyTree *tree = &model->tree;
  for (int i = 0; i < PY_CHAIN_LIMIT; i++) {
    if (str_contains(py_text(tree, class_node), name) || py_model_member_is_set_elsewhere(model, class_node, name))
      return false;
    PyRef bases = py_child(tree, class_node, PY_F_SUPERCLASSES);
    PyRef base = bases ? py_first_child(tree, bases) : 0;
    PyRef own = export_base_of(model, class_node);
    Arena arena = { 0 };
    bool is_last = base && !own && !py_next_sibling(tree, base) &&
                   str_equal(py_model_qualified(model, base, &arena), STR("torch.nn.Module"));
    arena_done(&arena);
    if (!own)
      return is_last;
    class_node = own;
  }
  return false;
}

/// What `self.name` is, also by a class that the class derives from; 0.
static PyRef part_of(const PyModel *model, const ModuleParts *parts, PyRef class_node, Str name)
{
  PyRef part = 0;
  for (int i = 0; !part && class_node && i < PY_CHAIN_LIMIT; i++, class_node = export_base_of(model, class_node))
    part = module_parts_value(parts, class_node, name);
  return part;
}

static void check_path(Preserved *all, PyRef class_node, PyRef node)
{
  DiagSink *sink = all->sink;
  const PyModel *model = sink_python(sink)->model;
  Str path;
  if (all->paths_left == 0 || !py_model_string(model, node, sink->arena, &path) || path.len == 0)
    return;
  all->paths_left--;
  for (size_t start = 0; class_node && start < path.len;) {
    size_t end = str_find_char(path, '.', start);
    end = end == STR_NOT_FOUND ? path.len : end;
    Str name = str_slice(path, start, end);
    if (surely_lacks(model, class_node, name)) {
      say(sink, RULE_EXPORT_ARGUMENT_TYPE, node,
          arena_printf(sink->arena, "The model has no module '%.*s': %.*s has no '%.*s'.", STR_ARG(path),
                       STR_ARG(py_text(&model->tree, py_child(&model->tree, class_node, PY_F_NAME))), STR_ARG(name)));
      return;
    }
    PyRef part = part_of(model, &all->parts, class_node, name);
    const PyCall *call = py_model_call(model, part);
    class_node = export_class_made(model, call);
    start = end + 1;
  }
}

static void check_preserved(Preserved *all, const PyCall *call)
{
  const PyModel *model = sink_python(all->sink)->model;
  ExportCall export;
  if (!export_capture(all->sink, call, &export))
    return;
  const PyArgument *kept = py_model_argument(model, call, PY_ABSENT, "preserve_module_call_signature");
  PyRef names = kept ? py_model_resolve(model, kept->value) : 0;
  PyNodeKind kind = names ? py_kind(&model->tree, names) : PYK_OTHER;
  if (kind != PYK_TUPLE && kind != PYK_LIST)
    return;
  make_ready(all);
  ExportModel made = all->adds_members ? (ExportModel){ 0 } : export_model(&export);
  for (PyRef item = py_tree_first_element(&model->tree, names); item && made.class_node && all->paths_left > 0;
       item = py_tree_next_element(&model->tree, item))
    check_path(all, made.class_node, item);
}

// --- Files ---

/// What writes a file, and what reads such a one: TorchScript's is read by torch.load(), too.
static const struct {
  const char *write, *reads;
} formats[] = {
  { "torch.save", "torch.load" },
  { "torch.export.save", "torch.export.load" },
  { "torch.jit.save", "torch.jit.load|torch.load" },
};

/// A file that the module level writes by that name.
typedef struct WrittenFile {
  Str path;
  size_t format;
} WrittenFile;

typedef struct WrittenFiles {
  WrittenFile items[PY_EXAMPLE_LIMIT];
  size_t count;
} WrittenFiles;

/// Run with torch 2.14. Only statements of the module, one after the other: the file may be written again elsewhere.
static void check_file(DiagSink *sink, WrittenFiles *files, const PyCall *call)
{
  static const char *const readers[] = { "torch.load", "torch.export.load", "torch.jit.load" };
  const PyModel *model = sink_python(sink)->model;
  if (!str_starts_with(call->qualified, STR("torch.")) || call->scope != PY_ABSENT)
    return;
  bool reads = str_is_one_of(call->qualified, readers, COUNT(readers));
  const PyArgument *file = py_model_argument(model, call, reads ? 0 : 1, "f");
  Str path;
  if (!file || !py_model_string(model, file->value, sink->arena, &path))
    return;
  for (size_t i = 0; !reads && i < COUNT(formats); i++) {
    if (str_equal(call->qualified, str_from(formats[i].write)) && files->count < COUNT(files->items))
      files->items[files->count++] = (WrittenFile){ path, i };
  }
  for (size_t i = files->count; reads && i-- > 0;) {
    if (!str_equal(files->items[i].path, path))
      continue;
    const char *wanted = formats[files->items[i].format].reads;
    if (!str_contains(str_from(wanted), call->qualified) && !py_tree_try_around(&model->tree, call->node))
      say(sink, RULE_EXPORT_ARGUMENT_TYPE, file->value,
          arena_printf(sink->arena, "%s() wrote this file, and %.*s() can't read it: take what goes with it.",
                       formats[files->items[i].format].write, STR_ARG(call->qualified)));
    return;
  }
}

/// `register_dataclass(Batch)` of a class of the file that is none.
static void check_dataclass(DiagSink *sink, const PyCall *call)
{
  const PyModel *model = sink_python(sink)->model;
  const PyArgument *given = str_equal(call->qualified, STR("torch.export.register_dataclass"))
                                ? py_model_argument(model, call, 0, "cls")
                                : NULL;
  PyRef class_node =
      given && py_kind(&model->tree, given->value) == PYK_IDENTIFIER ? py_model_class_named(model, given->value) : 0;
  if (class_node && !py_child(&model->tree, class_node, PY_F_SUPERCLASSES) &&
      py_kind(&model->tree, model->tree.nodes[class_node].parent) != PYK_DECORATED_DEFINITION &&
      !is_tried(&model->tree, call->node))
    say(sink, RULE_EXPORT_STRUCTURE, given->value, STR("This class is no dataclass: put @dataclass before it."));
}

void check_python_captured(DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  bool has_objects = public_objects_are_made(file);
  Preserved all = { .sink = sink, .paths_left = PY_EXPORT_LIMIT };
  WrittenFiles files = { .count = 0 };
  if (py_is_torch_itself(model))
    return;
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    check_preserved(&all, call);
    check_dataclass(sink, call);
    check_file(sink, &files, call);
    if (has_objects && !str_starts_with(call->qualified, STR("torch.")) &&
        !str_starts_with(call->qualified, STR("onnx")))
      check_module_call(sink, call);
  }
}

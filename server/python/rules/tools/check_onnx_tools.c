// What tools of onnx and ONNX Runtime do with models and data that the file itself makes: versions that can't be gone
// back to, models that can't be merged, raw data, readers of data that end in an exception. Run with onnx 1.12, 1.17
// and 1.20, onnxruntime 1.21.

#include "base/limits.h"
#include "python/rules/export/example_inputs.h"
#include "python/rules/public_objects.h"
#include "python/rules/result_uses.h"
#include "python/rules/tools/made_model.h"
#include "python/rules/tools/no_way_back.h"

typedef struct Tools {
  DiagSink *sink;
  const PyModel *model;
  MadeWork work;
} Tools;

static void say(const Tools *tools, PyRef node, Str message)
{
  if (!py_tree_try_around(&tools->model->tree, node) && !py_model_expects_failure(tools->model, node))
    py_say(tools->sink, RULE_EXPORT_ARGUMENT_TYPE, SEVERITY_ERROR, node, message, NULL);
}

/// The make_model() that a model comes from, also in a function that does nothing but return it; `node` 0 if there is
/// none.
static MadeItem model_made(const Tools *tools, const PyArgument *argument)
{
  if (!argument)
    return (MadeItem){ 0 };
  MadeItem item = made_resolve((MadeItem){ tools->model, argument->value, 0 });
  const PyCall *call = item.node ? py_model_call(item.model, item.node) : NULL;
  const PyFunction *function =
      call && call->function != PY_ABSENT ? &tools->model->functions.items[call->function] : NULL;
  if (function && function->returned && function->return_count == 1)
    item = made_resolve((MadeItem){ tools->model, function->returned, 0 });
  return made_call(item, "onnx.helper.make_model") ? item : (MadeItem){ 0 };
}

/// The nodes of it; false if not all are known.
static bool nodes_of(Tools *tools, MadeItem made, MadeItems *ret_nodes)
{
  MadeItem graph = made.node ? made_resolve(made_argument(made, 0, "graph")) : made;
  MadeItem list = made_call(graph, "onnx.helper.make_graph") ? made_argument(graph, 0, "nodes") : (MadeItem){ 0 };
  if (!list.node || !made_list(&tools->work, list, ret_nodes))
    return false;
  for (size_t i = 0; i < ret_nodes->count; i++) {
    if (!made_call(ret_nodes->items[i], "onnx.helper.make_node"))
      return false;
  }
  return true;
}

static bool text_of(const Tools *tools, MadeItem item, Str *ret_text)
{
  MadeItem known = item.node ? made_resolve(item) : item;
  return known.node && py_model_string(known.model, known.node, tools->sink->arena, ret_text);
}

/// The version of ONNX's own operators that a model says; 0.
static int64_t opset_of(const Tools *tools, MadeItem made)
{
  MadeItem imports = made_argument(made, PY_ABSENT, "opset_imports");
  MadeItem list = imports.node ? made_resolve(imports) : imports;
  int64_t found = 0;
  if (!list.node || py_kind(&list.model->tree, list.node) != PYK_LIST)
    return 0;
  for (PY_EACH_ELEMENT(&list.model->tree, element, list.node)) {
    MadeItem entry = made_resolve((MadeItem){ list.model, element, 0 });
    Str domain;
    MadeItem version = made_argument(entry, 1, "version"), number = version.node ? made_resolve(version) : version;
    bool is_own = entry.node && text_of(tools, made_argument(entry, 0, "domain"), &domain) && domain.len == 0;
    if (is_own && (!number.node || !py_model_int(number.model, number.node, &found)))
      return 0;
  }
  return found;
}

// --- version_converter ---

/// Why an operator can't be converted into one of an older opset; empty.
static Str why_no_way_back(const Tools *tools, Str name, const OnnxOperator *onnx, int64_t from, int64_t to)
{
  if ((int64_t)onnx->versions[0].since > to)
    return arena_printf(tools->sink->arena,
                        "The model has %.*s, which ONNX has since opset %u: it can't be converted to %lld.",
                        STR_ARG(name), onnx->versions[0].since, (long long)to);
  int version = onnx_no_way_back(name, from, to);
  return version == 0 ? (Str){ 0 }
                      : arena_printf(tools->sink->arena,
                                     "The model has %.*s, for which convert_version() has no way from opset %d to an "
                                     "older one: make the model with opset %lld.",
                                     STR_ARG(name), version, (long long)to);
}

/// `convert_version(model, 11)` of a model with operators that are newer: there is nothing to convert them into.
static void check_converted(Tools *tools, const PyCall *call)
{
  const PyArgument *target = py_model_argument(tools->model, call, 1, "target_version");
  int64_t version;
  MadeItems nodes = { 0 };
  if (!target || !py_model_int(tools->model, py_model_resolve(tools->model, target->value), &version) || version < 1)
    return;
  MadeItem made = model_made(tools, py_model_argument(tools->model, call, 0, "model"));
  bool is_known = nodes_of(tools, made, &nodes);
  int64_t opset = is_known ? opset_of(tools, made) : 0;
  for (size_t i = 0; is_known && i < nodes.count; i++) {
    Str name;
    MadeItem domain = made_argument(nodes.items[i], PY_ABSENT, "domain");
    const OnnxOperator *onnx = !domain.node && text_of(tools, made_argument(nodes.items[i], 0, "op_type"), &name)
                                   ? symbolics_onnx_operator(sink_python(tools->sink)->db, STR(""), name)
                                   : NULL;
    Str why = onnx ? why_no_way_back(tools, name, onnx, opset, version) : (Str){ 0 };
    if (why.len == 0)
      continue;
    say(tools, target->node, why);
    break;
  }
  vec_free(&nodes);
}

// --- compose ---

enum { EDGES = 64 };

typedef struct Edges {
  Str names[EDGES];
  size_t count;
} Edges;

static bool add_edges(const Tools *tools, MadeItem list, Edges *edges)
{
  MadeItem known = list.node ? made_resolve(list) : list;
  if (!known.node || py_kind(&known.model->tree, known.node) != PYK_LIST)
    return false;
  for (PY_EACH_ELEMENT(&known.model->tree, element, known.node)) {
    if (edges->count == EDGES || !text_of(tools, (MadeItem){ known.model, element, 0 }, &edges->names[edges->count]))
      return false;
    edges->count += edges->names[edges->count].len > 0;
  }
  return true;
}

/// The names between the nodes of a model; false if one is not known.
static bool edges_of(Tools *tools, MadeItem made, Edges *ret_edges)
{
  MadeItems nodes = { 0 };
  bool is_known = nodes_of(tools, made, &nodes);
  for (size_t i = 0; is_known && i < nodes.count; i++)
    is_known = add_edges(tools, made_argument(nodes.items[i], 1, "inputs"), ret_edges) &&
               add_edges(tools, made_argument(nodes.items[i], 2, "outputs"), ret_edges);
  vec_free(&nodes);
  return is_known;
}

/// The inputs of the second model that io_map connects; false if they are not known.
static bool connected(const Tools *tools, const PyArgument *map, Edges *ret_edges)
{
  const PyTree *tree = &tools->model->tree;
  PyRef list = map ? py_model_resolve(tools->model, map->value) : 0;
  if (!list || py_kind(tree, list) != PYK_LIST)
    return false;
  for (PY_EACH_ELEMENT(tree, pair, list)) {
    PyRef out = py_kind(tree, pair) == PYK_TUPLE ? py_tree_first_element(tree, pair) : 0;
    PyRef in = out ? py_tree_next_element(tree, out) : 0;
    if (!in || ret_edges->count == EDGES ||
        !text_of(tools, (MadeItem){ tools->model, in, 0 }, &ret_edges->names[ret_edges->count++]))
      return false;
  }
  return true;
}

static bool is_edge(const Edges *edges, Str name)
{
  for (size_t i = 0; i < edges->count; i++) {
    if (str_equal(edges->names[i], name))
      return true;
  }
  return false;
}

/// Names that both models have, without a prefix: only the inputs that io_map names get another one.
static void check_names(Tools *tools, const PyCall *call, MadeItem first, MadeItem second)
{
  Edges left = { 0 }, right = { 0 }, inputs = { 0 };
  bool has_prefix = py_model_argument(tools->model, call, PY_ABSENT, "prefix1") ||
                    py_model_argument(tools->model, call, PY_ABSENT, "prefix2");
  if (has_prefix || !connected(tools, py_model_argument(tools->model, call, 2, "io_map"), &inputs) ||
      !edges_of(tools, first, &left) || !edges_of(tools, second, &right))
    return;
  for (size_t i = 0; i < right.count; i++) {
    if (is_edge(&left, right.names[i]) && !is_edge(&inputs, right.names[i])) {
      say(tools, call->node,
          arena_printf(tools->sink->arena, "Both models have '%.*s': give merge_models() prefix1 and prefix2.",
                       STR_ARG(right.names[i])));
      return;
    }
  }
}

static bool ir_version_of(MadeItem made, int64_t *ret_version)
{
  MadeItem version = made.node ? made_argument(made, PY_ABSENT, "ir_version") : made;
  MadeItem known = version.node ? made_resolve(version) : version;
  return known.node && py_model_int(known.model, known.node, ret_version);
}

/// The outputs of a model, or its inputs, by the graph that the file makes of it; false if one is not known. Those of
/// exported models check_model_names.c knows.
static bool ends_of(Tools *tools, const PyArgument *argument, bool are_outputs, Edges *ret_names)
{
  MadeItem made = model_made(tools, argument), graph = made.node ? made_resolve(made_argument(made, 0, "graph")) : made;
  MadeItem list = made_call(graph, "onnx.helper.make_graph")
                      ? made_argument(graph, are_outputs ? 3 : 2, are_outputs ? "outputs" : "inputs")
                      : (MadeItem){ 0 };
  MadeItems items = { 0 };
  bool is_known = list.node && made_list(&tools->work, list, &items) && items.count < EDGES;
  for (size_t i = 0; i < items.count && is_known; i++)
    is_known = made_call(items.items[i], "onnx.helper.make_tensor_value_info") &&
               text_of(tools, made_argument(items.items[i], 0, "name"), &ret_names->names[ret_names->count++]);
  vec_free(&items);
  return is_known;
}

/// The names that io_map connects have to be there, and without the prefixes.
static bool check_map(Tools *tools, const PyCall *call)
{
  const PyTree *tree = &tools->model->tree;
  const PyArgument *map = py_model_argument(tools->model, call, 2, "io_map");
  PyRef list = map ? py_model_resolve(tools->model, map->value) : 0;
  Edges ends[2] = { 0 };
  bool are_known[2];
  for (int i = 0; i < 2; i++)
    are_known[i] =
        ends_of(tools, py_model_argument(tools->model, call, (uint32_t)i, i == 0 ? "m1" : "m2"), i == 0, &ends[i]);
  if (!list || (py_kind(tree, list) != PYK_LIST && py_kind(tree, list) != PYK_TUPLE))
    return false;
  for (PY_EACH_ELEMENT(tree, pair, list)) {
    PyRef name = py_kind(tree, pair) == PYK_TUPLE ? py_tree_first_element(tree, pair) : 0;
    for (int i = 0; i < 2 && name; i++, name = py_tree_next_element(tree, name)) {
      Str text;
      if (!are_known[i] || !text_of(tools, (MadeItem){ tools->model, name, 0 }, &text) || is_edge(&ends[i], text))
        continue;
      say(tools, name,
          arena_printf(tools->sink->arena, "The %s model has no %s '%.*s'%s.", i == 0 ? "first" : "second",
                       i == 0 ? "output" : "input", STR_ARG(text),
                       py_model_argument(tools->model, call, PY_ABSENT, i == 0 ? "prefix1" : "prefix2")
                           ? ": prefixes come to these names later"
                           : ""));
      return true;
    }
  }
  return false;
}

/// `merge_models(model, model, [("y", "x")])`: all of its names are there twice.
static bool check_twice(Tools *tools, const PyCall *call)
{
  const PyModel *model = tools->model;
  const PyTree *tree = &model->tree;
  const PyArgument *first = py_model_argument(model, call, 0, "m1"), *second = py_model_argument(model, call, 1, "m2");
  PyRef a = first ? py_model_resolve(model, first->value) : 0, b = second ? py_model_resolve(model, second->value) : 0;
  const PyCall *made = a ? py_model_call(model, a) : NULL;
  static const char *const readers[] = { "onnx.load", "onnx.load_model", "onnx.parser.parse_model" };
  if (!a || !b || !made || !str_is_one_of(made->qualified, readers, COUNT(readers)) ||
      !str_equal(py_text(tree, a), py_text(tree, b)) || py_model_argument(model, call, PY_ABSENT, "prefix1") ||
      py_model_argument(model, call, PY_ABSENT, "prefix2"))
    return false;
  say(tools, call->node, STR("Both are one model, with the same names: give merge_models() prefix1 and prefix2."));
  return true;
}

static void check_merged(Tools *tools, const PyCall *call)
{
  if (call->has_splat || call->has_dictionary_splat || check_twice(tools, call) || check_map(tools, call))
    return;
  MadeItem first = model_made(tools, py_model_argument(tools->model, call, 0, "m1"));
  MadeItem second = model_made(tools, py_model_argument(tools->model, call, 1, "m2"));
  int64_t left, right;
  if (!first.node || !second.node)
    return;
  if (ir_version_of(first, &left) && ir_version_of(second, &right) && left != right)
    say(tools, call->node,
        arena_printf(tools->sink->arena,
                     "One model is of IR version %lld and the other of %lld, and only equal ones are merged.",
                     (long long)left, (long long)right));
  else if ((left = opset_of(tools, first)) > 0 && (right = opset_of(tools, second)) > 0 && left != right)
    say(tools, call->node,
        arena_printf(tools->sink->arena,
                     "One model is of opset %lld and the other of %lld: convert_version() brings them together.",
                     (long long)left, (long long)right));
  else
    check_names(tools, call, first, second);
}

// --- make_tensor() ---

/// `w.tobytes()`
static bool is_bytes(const PyModel *model, PyRef node)
{
  const PyCall *call = py_model_call(model, py_model_resolve(model, node));
  return call && call->argument_count == 0 &&
         str_equal(py_tree_member_name(&model->tree, call->function_node), STR("tobytes"));
}

static int64_t product(const int64_t *sizes, int rank)
{
  int64_t product = 1;
  for (int i = 0; i < rank; i++) {
    if (sizes[i] < 0 || product > PY_DIM_NUMBER_LIMIT)
      return -1;
    product *= sizes[i];
  }
  return product;
}

/// How many elements a list of dims stands for; -1.
static int64_t elements_of_dims(Tools *tools, MadeItem dims)
{
  int64_t sizes[PY_SHAPE_RANK_LIMIT], count = -1;
  MadeItems items = { 0 };
  bool is_known = dims.node && made_list(&tools->work, dims, &items) && items.count <= PY_SHAPE_RANK_LIMIT;
  for (size_t i = 0; i < items.count && is_known; i++)
    is_known = py_model_int(items.items[i].model, items.items[i].node, &sizes[i]);
  if (is_known)
    count = product(sizes, (int)items.count);
  vec_free(&items);
  return count;
}

static int64_t numbers_in(Tools *tools, MadeItem values, int depth);

/// `[1, 2]` and `[[1, 2], [3, 4]]`; -1 if an element may be more than one number.
static int64_t numbers_in_list(Tools *tools, MadeItem list, int depth)
{
  MadeItems items = { 0 };
  int64_t count = made_list(&tools->work, list, &items) ? 0 : -1;
  for (size_t i = 0; i < items.count && count >= 0; i++) {
    int64_t inner = numbers_in(tools, items.items[i], depth - 1);
    count = inner < 0 ? -1 : count + inner;
  }
  vec_free(&items);
  return count;
}

/// How many numbers a list, an array or a number is; -1.
static int64_t numbers_in(Tools *tools, MadeItem values, int depth)
{
  const uint32_t scalars = PY_INT | PY_FLOAT | PY_BOOL | PY_STRING;
  const PyModel *model = values.model;
  const PyTree *tree = &model->tree;
  PyNodeKind kind = py_kind(tree, values.node);
  int64_t times;
  if (depth <= 0)
    return -1;
  if (kind == PYK_BINARY_OPERATOR && py_model_int(model, py_child(tree, values.node, PY_F_RIGHT), &times)) {
    MadeItem list = { model, py_child(tree, values.node, PY_F_LEFT), 0 };
    bool is_repeated = py_kind(tree, list.node) == PYK_LIST && times >= 0 && times < PY_DIM_NUMBER_LIMIT &&
                       str_equal(py_text(tree, py_child(tree, values.node, PY_F_OPERATOR)), STR("*"));
    int64_t count = is_repeated ? numbers_in_list(tools, list, depth) : -1;
    return count < 0 ? -1 : count * times;
  }
  if (kind == PYK_LIST || kind == PYK_TUPLE)
    return numbers_in_list(tools, values, depth);
  // What is appended to a list after it is made counts, too.
  int64_t named = kind == PYK_IDENTIFIER ? numbers_in_list(tools, values, depth) : -1;
  if (named >= 0)
    return named;
  const PyCall *call = py_model_call(model, values.node);
  bool is_listed =
      call && call->argument_count == 0 && str_equal(py_tree_member_name(tree, call->function_node), STR("tolist"));
  ExampleShape shape = example_array_shape(model, is_listed ? py_tree_object(tree, call->function_node) : values.node);
  if (shape.rank >= 0)
    return product(shape.sizes, shape.rank);
  return model == tools->model && py_file_is_only(py_file_value(sink_python(tools->sink), values.node), scalars) ? 1
                                                                                                                 : -1;
}

static void count_use(void *context, PyRef node)
{
  (void)node;
  ++*(int *)context;
}

/// Whether something is done with what the call gives: it is part of something, or its name is read later.
static bool is_used(const PyModel *model, const PyCall *call)
{
  PyNodeKind around = py_kind(&model->tree, model->tree.nodes[call->node].parent);
  int uses = 0;
  result_each_use(model, call, count_use, &uses);
  return around != PYK_EXPRESSION_STATEMENT && (around != PYK_ASSIGNMENT || uses > 1);
}

/// As many values as the dims have elements: onnx 1.17 makes no other tensor, 1.20 one that nothing can read.
static void check_count(Tools *tools, const PyCall *call)
{
  MadeItem self = { tools->model, call->node, 0 };
  const PyArgument *values = py_model_argument(tools->model, call, 3, "vals");
  if (!values || call->has_splat || call->has_dictionary_splat || py_model_argument(tools->model, call, 4, "raw"))
    return;
  int64_t wanted = elements_of_dims(tools, made_argument(self, 2, "dims"));
  int64_t count =
      wanted < 0 ? -1 : numbers_in(tools, (MadeItem){ tools->model, values->value, 0 }, PY_SHAPE_RANK_LIMIT);
  if (count >= 0 && count != wanted && is_used(tools->model, call))
    say(tools, values->node,
        arena_printf(tools->sink->arena, "By its dims the tensor has %lld element%s, and this is %lld.",
                     (long long)wanted, wanted == 1 ? "" : "s", (long long)count));
}

/// Bytes are what raw=True takes, and numbers what it does not.
static void check_data(const Tools *tools, const PyCall *call)
{
  const PyModel *model = tools->model;
  const PyArgument *values = py_model_argument(model, call, 3, "vals"), *raw = py_model_argument(model, call, 4, "raw");
  if (!values || call->has_splat || call->has_dictionary_splat)
    return;
  PyRef flag = raw ? py_model_resolve(model, raw->value) : 0;
  PyRef known = py_model_resolve(model, values->value);
  bool is_raw = flag && py_kind(&model->tree, flag) == PYK_TRUE;
  bool is_plain = !raw || py_kind(&model->tree, flag) == PYK_FALSE;
  if (is_plain && is_bytes(model, values->value))
    say(tools, values->node, STR("make_tensor() takes bytes with raw=True only."));
  else if (is_raw && py_kind(&model->tree, known) == PYK_LIST)
    say(tools, values->node, STR("With raw=True make_tensor() takes bytes, and no list: tobytes() of an array."));
}

// --- What dicts hold ---

/// `run_with_ort_values(["y"], {"x": array})`, `set_model_props(model, {"epoch": 3})`: values of these kinds, which the
/// function does not take.
static void check_values(const Tools *tools, const PyArgument *argument, uint32_t kinds, const char *what)
{
  const PyTree *tree = &tools->model->tree;
  PyRef dict = argument ? py_model_resolve(tools->model, argument->value) : 0;
  if (!dict || py_kind(tree, dict) != PYK_DICTIONARY)
    return;
  for (PY_EACH_ELEMENT(tree, pair, dict)) {
    PyRef value = py_kind(tree, pair) == PYK_PAIR ? py_child(tree, pair, PY_F_VALUE) : 0;
    PyValue kind = value ? py_file_value(sink_python(tools->sink), value) : (PyValue){ 0 };
    if (value && py_file_is_only(kind, kinds))
      say(tools, value,
          arena_printf(tools->sink->arena, "%s, and this is %.*s.", what,
                       STR_ARG(py_file_value_text(kind, tools->sink->arena))));
  }
}

// --- onnxscript.rewriter ---

/// `op.Swish(x, domain="my")` of what a rule puts in the place of a pattern: there it is an attribute.
static void check_replacement(const Tools *tools, const PyCall *call)
{
  const PyModel *model = tools->model;
  const PyArgument *made = py_model_argument(model, call, 1, "replacement_pattern");
  uint32_t index = made ? py_model_callable(model, made->value).function : PY_ABSENT;
  const PyFunction *function = index == PY_ABSENT ? NULL : &model->functions.items[index];
  if (!function || !function->body || function->param_count == 0)
    return;
  Str builder = py_model_params(model, function)[0].name;
  for (PyRef node = function->body; node < model->tree.nodes[function->body].next; node++) {
    const PyCall *op = py_model_call(model, node);
    const PyArgument *domain = op ? py_model_argument(model, op, PY_ABSENT, "domain") : NULL;
    PyRef object = domain ? py_tree_object(&model->tree, op->function_node) : 0;
    if (object && str_equal(py_text(&model->tree, object), builder) &&
        !py_model_argument(model, op, PY_ABSENT, "_domain"))
      say(tools, domain->node,
          STR("This makes an attribute of the operator, and none of ONNX has one of that name: its domain is _domain."));
  }
}

// --- Readers of data for quantization ---

/// A `next(x)` that nothing is around that would end it: no condition, no `try`, no other `return`.
static PyRef unguarded_next(const PyModel *model, const PyFunction *function)
{
  const PyTree *tree = &model->tree;
  PyRef found = 0;
  for (PyRef node = function->body; node < tree->nodes[function->body].next; node++) {
    PyNodeKind kind = py_kind(tree, node);
    if (kind == PYK_IF_STATEMENT || kind == PYK_TRY_STATEMENT || kind == PYK_FOR_STATEMENT ||
        kind == PYK_WHILE_STATEMENT || kind == PYK_CONDITIONAL_EXPRESSION || kind == PYK_WITH_STATEMENT)
      return 0;
    const PyCall *call = py_model_call(model, node);
    if (call && call->argument_count == 1 && str_equal(py_text(tree, call->function_node), STR("next")))
      found = node;
  }
  return found;
}

static void check_reader(const Tools *tools, const PyFunction *function)
{
  const PyModel *model = tools->model;
  PyRef bases = py_child(&model->tree, function->class_node, PY_F_SUPERCLASSES);
  PyRef next = bases && str_contains(py_text(&model->tree, bases), STR("CalibrationDataReader"))
                   ? unguarded_next(model, function)
                   : 0;
  if (next && !py_model_mentions_one_of(model, (const char *const[]){ "cycle", "StopIteration" }, 2))
    say(tools, next,
        STR("At the end this raises StopIteration, and quantization takes None for the end: next(it, None)."));
}

void check_python_onnx_tools(DiagSink *sink)
{
  const PyFile *file = sink_python(sink);
  const PyModel *model = file->model;
  Tools tools = { sink, model, { .arena = sink->arena } };
  static const char *const words[] = { "convert_version", "merge_models" };
  if (public_is_onnx_itself(file))
    return;
  bool has_models = py_model_mentions_one_of(model, words, COUNT(words)) && !made_models_are_changed(model);
  bool has_values = py_model_mentions(model, "run_with_ort_values");
  for (size_t i = 0; i < model->calls.count; i++) {
    const PyCall *call = &model->calls.items[i];
    if (has_models && str_equal(call->qualified, STR("onnx.version_converter.convert_version")))
      check_converted(&tools, call);
    else if (has_models && str_equal(call->qualified, STR("onnx.compose.merge_models")))
      check_merged(&tools, call);
    else if (str_equal(call->qualified, STR("onnx.helper.make_tensor"))) {
      check_data(&tools, call);
      check_count(&tools, call);
    } else if (str_ends_with(call->qualified, STR(".RewriteRule")))
      check_replacement(&tools, call);
    else if (has_values &&
             str_equal(py_tree_member_name(&model->tree, call->function_node), STR("run_with_ort_values")))
      check_values(&tools, py_model_argument(model, call, 1, "input_dict_ort_values"),
                   PY_ARRAY | PY_TENSOR | PY_LIST | PY_INT | PY_FLOAT,
                   "run_with_ort_values() takes OrtValues, which OrtValue.ortvalue_from_numpy() makes");
    else if (str_equal(call->qualified, STR("onnx.helper.set_model_props")))
      check_values(&tools, py_model_argument(model, call, 1, "dict_value"),
                   PY_NONE | PY_INT | PY_BOOL | PY_FLOAT | PY_LIST | PY_DICT | PY_ARRAY | PY_TENSOR,
                   "Properties of a model are texts");
  }
  for (size_t i = 0; i < model->functions.count && py_model_mentions(model, "CalibrationDataReader"); i++) {
    const PyFunction *function = &model->functions.items[i];
    if (function->class_node && function->body && str_equal(function->name, STR("get_next")))
      check_reader(&tools, function);
  }
}

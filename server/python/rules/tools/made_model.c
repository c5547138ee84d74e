#include "python/rules/tools/made_model.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "facts/onnx_elements.h"

static uint32_t begin(const Maker *maker)
{
  return (uint32_t)maker->made->text.len;
}

static bool is_identifier(Str name)
{
  bool is_word = name.len > 0 && !ascii_is_digit(name.data[0]);
  for (size_t i = 0; i < name.len && is_word; i++)
    is_word = ascii_is_word(name.data[i]);
  return is_word;
}

static void end(const Maker *maker, uint32_t start, PyRef node)
{
  vec_push(&maker->made->places, (MadePlace){ start, (uint32_t)maker->made->text.len, node, false, false });
}

void made_quote(Buffer *text, Str name)
{
  buffer_append_char(text, '"');
  for (size_t i = 0; i < name.len; i++) {
    if (name.data[i] == '"' || name.data[i] == '\\')
      buffer_append_char(text, '\\');
    buffer_append_char(text, name.data[i] == '\n' ? ' ' : name.data[i]);
  }
  buffer_append_char(text, '"');
}

static bool made_string(const Maker *maker, MadeItem item, Str *ret_text)
{
  enum { WORD = 16 };  // Of a longer text each so many bytes count as an expression.
  item = made_resolve(item);
  bool is_known = item.node && maker->work->nodes < PY_MADE_WORK &&
                  py_model_string(item.model, item.node, maker->work->arena, ret_text);
  maker->work->nodes += is_known ? (uint32_t)(ret_text->len / WORD) : 0;
  return is_known;
}

bool made_element(const Maker *maker, MadeItem item, Str *ret_word)
{
  int64_t number;
  item = made_resolve(item);
  if (item.node && py_model_int(item.model, item.node, &number)) {
    *ret_word = number > 0 && number < ELEM_COUNT ? onnx_element_word((uint32_t)number) : (Str){ 0 };
    return ret_word->len > 0;
  }
  Str name = item.node ? py_model_qualified(item.model, item.node, maker->work->arena) : (Str){ 0 };
  char *word = arena_alloc(maker->work->arena, name.len + 1);
  Str last = str_after_last(name, '.');
  for (size_t i = 0; i < last.len; i++)
    word[i] = ascii_to_lower(last.data[i]);
  *ret_word = str_make(word, last.len);
  return str_starts_with(name, STR("onnx.TensorProto.")) && onnx_element_of(*ret_word) != 0;
}

// --- Tensors ---

static void write_size(const Maker *maker, MadeItem size)
{
  Buffer *text = &maker->made->text;
  int64_t number;
  Str name;
  if (py_model_int(size.model, size.node, &number) && number >= 0)
    buffer_printf(text, "%lld", (long long)number);
  else if (py_model_string(size.model, size.node, maker->work->arena, &name) && is_identifier(name))
    buffer_append(text, name);
  else
    buffer_append_char(text, '?');
}

/// `[2,N,?]`; `[]` is of a shape that is not known, and nothing of a scalar. False if there may be one.
static bool write_shape(const Maker *maker, MadeItem shape)
{
  Buffer *text = &maker->made->text;
  MadeItems sizes = { 0 };
  bool is_given = shape.node && py_kind(&shape.model->tree, shape.node) != PYK_NONE;
  bool is_known = is_given && made_list(maker->work, shape, &sizes);
  if (!is_known)
    buffer_append(text, STR("[]"));
  for (size_t i = 0; i < sizes.count && is_known; i++) {
    buffer_append_char(text, i == 0 ? '[' : ',');
    write_size(maker, sizes.items[i]);
  }
  if (sizes.count > 0)
    buffer_append_char(text, ']');
  vec_free(&sizes);
  return is_known || !is_given;
}

/// The tensors that come with a graph, once in each of these places.
typedef enum TensorPlace {
  TENSORS_AS_INPUTS,  ///< Of which only the type is known: a node of an unknown domain would stop inference.
  TENSORS_AS_VALUES,
  TENSORS_AS_NODES,  ///< The rest.
} TensorPlace;

/// `float[?,3] "w"`; false if the type is not known.
static bool write_open_tensor(Maker *maker, MadeItem tensor, Str name)
{
  bool is_made = made_call(tensor, "onnx.helper.make_tensor") != NULL;
  Str word;
  if (maker->depth > 1 || !(is_made ? made_element(maker, made_argument(tensor, 1, "data_type"), &word)
                                    : made_array_element(maker, tensor, &word)))
    return false;
  buffer_append(&maker->made->text, word);
  write_shape(maker, is_made ? made_argument(tensor, 2, "dims") : (MadeItem){ 0 });
  buffer_append_char(&maker->made->text, ' ');
  made_quote(&maker->made->text, name);
  return true;
}

/// Writes it as well as it is known; where that belongs.
static TensorPlace write_tensor(Maker *maker, MadeItem tensor, Str name, Str *ret_note)
{
  size_t before = maker->made->text.len;
  if (made_tensor(maker, tensor, name, ret_note))
    return TENSORS_AS_VALUES;
  maker->made->text.len = before;
  if (write_open_tensor(maker, tensor, name))
    return TENSORS_AS_INPUTS;
  maker->made->text.len = before;
  made_quote(&maker->made->text, name);
  buffer_append(&maker->made->text, STR(" = " MADE_UNKNOWN ".Tensor ()"));
  return TENSORS_AS_NODES;
}

/// Writes those that belong in that place, where `count` others are already.
static bool write_tensors(Maker *maker, const MadeItems *items, TensorPlace place, size_t count)
{
  Buffer *text = &maker->made->text;
  for (size_t i = 0; i < items->count; i++) {
    MadeItem tensor = items->items[i];
    size_t before = text->len;
    bool is_array = made_call(tensor, "onnx.numpy_helper.from_array") != NULL;
    Str name, note = { 0 };
    if ((!is_array && !made_call(tensor, "onnx.helper.make_tensor")) ||
        !made_string(maker, made_argument(tensor, is_array, "name"), &name))
      return false;
    if (count > 0 && place != TENSORS_AS_NODES)
      buffer_append(text, STR(", "));
    uint32_t start = begin(maker);
    if (write_tensor(maker, tensor, name, &note) != place) {
      text->len = before;
      continue;
    }
    end(maker, start, tensor.node);
    vec_last(&maker->made->places)->is_unknown = place != TENSORS_AS_VALUES;
    buffer_printf(text, "%.*s\n", STR_ARG(note));
    count++;
  }
  return true;
}

// --- Inputs and outputs of a graph ---

/// `make_tensor_value_info("x", TensorProto.FLOAT, [1, 3])`
static bool write_value(Maker *maker, MadeItem item)
{
  const PyCall *call = made_call(item, "onnx.helper.make_tensor_value_info");
  Str name, word;
  if (!call || call->has_dictionary_splat || !made_string(maker, made_argument(item, 0, "name"), &name) ||
      !made_element(maker, made_argument(item, 1, "elem_type"), &word))
    return false;
  uint32_t start = begin(maker);
  buffer_append(&maker->made->text, word);
  bool is_known = write_shape(maker, made_argument(item, 2, "shape"));
  buffer_append_char(&maker->made->text, ' ');
  made_quote(&maker->made->text, name);
  // One value may be that of several graphs.
  end(maker, start, maker->depth > 1 ? item.written : item.node);
  vec_last(&maker->made->places)->is_unknown = !is_known;
  vec_last(&maker->made->places)->is_result = maker->depth == 1;
  return true;
}

/// `tensors` are those of a graph's inputs; NULL for its outputs.
static bool write_values(Maker *maker, MadeItem list, const MadeItems *tensors)
{
  MadeItems items = { 0 };
  bool is_known = list.node && made_list(maker->work, list, &items);
  buffer_append_char(&maker->made->text, '(');
  for (size_t i = 0; i < items.count && is_known; i++) {
    if (i > 0)
      buffer_append(&maker->made->text, STR(", "));
    is_known = write_value(maker, items.items[i]);
  }
  if (tensors)
    is_known = is_known && write_tensors(maker, tensors, TENSORS_AS_INPUTS, items.count);
  buffer_append_char(&maker->made->text, ')');
  vec_free(&items);
  return is_known;
}

// --- Nodes ---

/// `"a", "b"`
static bool write_names(Maker *maker, MadeItem list, bool are_results)
{
  MadeItems names = { 0 };
  bool is_known = list.node && made_list(maker->work, list, &names);
  for (size_t i = 0; i < names.count && is_known; i++) {
    Str name;
    uint32_t start = begin(maker);
    is_known = made_string(maker, names.items[i], &name);
    if (!is_known)
      break;
    made_quote(&maker->made->text, name);
    end(maker, start, names.items[i].node);
    vec_last(&maker->made->places)->is_result = are_results && maker->depth == 1;
    if (i + 1 < names.count)
      buffer_append(&maker->made->text, STR(", "));
  }
  vec_free(&names);
  return is_known;
}

static bool is_domain(Str domain)
{
  for (size_t i = 0; i < domain.len; i++) {
    if (!ascii_is_word(domain.data[i]) && domain.data[i] != '.')
      return false;
  }
  return true;
}

/// `Relu <alpha: float = 0.5>`, or what stands for a node of which not all is known.
static void write_operator(Maker *maker, MadeItem node)
{
  Buffer *text = &maker->made->text;
  size_t before = text->len, places = maker->made->places.count;
  MadeItem domain_item = made_argument(node, PY_ABSENT, "domain");
  Str op, domain = { 0 };
  bool is_known = made_string(maker, made_argument(node, 0, "op_type"), &op) && is_identifier(op) &&
                  (!domain_item.node || made_string(maker, domain_item, &domain)) && is_domain(domain) &&
                  (domain.len == 0 || maker->has_imports);
  if (is_known) {
    buffer_append(text, domain);
    if (domain.len > 0)
      buffer_append_char(text, '.');
    buffer_append(text, op);
    is_known = made_attributes(maker, node);
  }
  if (!is_known) {
    text->len = before;
    maker->made->places.count = places;
    buffer_append(text, STR(MADE_UNKNOWN ".Node"));
    end(maker, (uint32_t)before, node.node);
    maker->made->places.items[places].is_unknown = true;
  }
}

static bool write_node(Maker *maker, MadeItem node)
{
  Buffer *text = &maker->made->text;
  if (!made_call(node, "onnx.helper.make_node"))
    return false;
  uint32_t start = begin(maker);
  bool is_known = write_names(maker, made_argument(node, 2, "outputs"), true);
  buffer_append(text, STR(" = "));
  size_t before = maker->made->places.count;
  write_operator(maker, node);
  bool is_unknown = maker->made->places.count > before && maker->made->places.items[before].is_unknown;
  buffer_append(text, STR(" ("));
  is_known = is_known && write_names(maker, made_argument(node, 1, "inputs"), false);
  buffer_append_char(text, ')');
  end(maker, start, node.node);
  vec_last(&maker->made->places)->is_unknown = is_unknown;
  buffer_append_char(text, '\n');
  return is_known;
}

// --- Graphs ---

static bool write_nodes(Maker *maker, MadeItem list)
{
  MadeItems nodes = { 0 };
  bool is_known = list.node && made_list(maker->work, list, &nodes);
  for (size_t i = 0; i < nodes.count && is_known; i++)
    is_known = write_node(maker, nodes.items[i]);
  vec_free(&nodes);
  return is_known;
}

bool made_graph(Maker *maker, const MadeItem *graph)
{
  Buffer *text = &maker->made->text;
  const PyCall *call = made_call(*graph, "onnx.helper.make_graph");
  MadeItem given = call ? made_argument(*graph, 4, "initializer") : (MadeItem){ 0 };
  MadeItems tensors = { 0 };
  if (!call || call->has_dictionary_splat || maker->depth == PY_MADE_GRAPH_DEPTH ||
      made_argument(*graph, 7, "sparse_initializer").node)
    return false;
  maker->depth++;
  uint32_t start = begin(maker);
  bool is_known =
      !given.node || py_kind(&given.model->tree, given.node) == PYK_NONE || made_list(maker->work, given, &tensors);
  Str name;
  bool is_named = made_string(maker, made_argument(*graph, 1, "name"), &name) && is_identifier(name);
  buffer_printf(text, "%.*s ", STR_ARG(is_named ? name : STR("graph")));
  is_known = is_known && write_values(maker, made_argument(*graph, 2, "inputs"), &tensors);
  buffer_append(text, STR(" => "));
  is_known = is_known && write_values(maker, made_argument(*graph, 3, "outputs"), NULL);
  buffer_append(text, STR("\n<\n"));
  is_known = is_known && write_tensors(maker, &tensors, TENSORS_AS_VALUES, 0);
  buffer_append(text, STR(">\n{\n"));
  is_known = is_known && write_tensors(maker, &tensors, TENSORS_AS_NODES, 0) &&
             write_nodes(maker, made_argument(*graph, 0, "nodes"));
  buffer_append_char(text, '}');
  end(maker, start, graph->node);
  maker->depth--;
  vec_free(&tensors);
  return is_known;
}

// --- The model ---

/// `["" : 17]`; false if it is not known.
static bool write_imports(Maker *maker, MadeItem list)
{
  Buffer *text = &maker->made->text;
  MadeItems items = { 0 };
  size_t before = text->len;
  bool is_known = list.node && made_list(maker->work, list, &items) && items.count > 0;
  for (size_t i = 0; i < items.count && is_known; i++) {
    MadeItem item = items.items[i], version;
    Str domain;
    int64_t number;
    is_known = (made_call(item, "onnx.helper.make_opsetid") || made_call(item, "onnx.helper.make_operatorsetid")) &&
               made_string(maker, made_argument(item, 0, "domain"), &domain) && is_domain(domain);
    version = is_known ? made_resolve(made_argument(item, 1, "version")) : (MadeItem){ 0 };
    is_known = is_known && version.node && py_model_int(version.model, version.node, &number);
    if (is_known)
      buffer_printf(text, "\"%.*s\" : %lld, ", STR_ARG(domain), (long long)number);
    if (is_known && (domain.len == 0 || str_equal(domain, STR("ai.onnx"))))
      maker->made->opset = number;
  }
  vec_free(&items);
  if (!is_known)
    text->len = before;
  return is_known;
}

/// `<alpha, beta>`
static bool write_attribute_names(Maker *maker, MadeItem list)
{
  MadeItems names = { 0 };
  bool is_known =
      !list.node || py_kind(&list.model->tree, list.node) == PYK_NONE || made_list(maker->work, list, &names);
  for (size_t i = 0; i < names.count && is_known; i++) {
    Str name;
    is_known = made_string(maker, names.items[i], &name) && is_identifier(name);
    if (is_known)
      buffer_printf(&maker->made->text, "%s%.*s", i == 0 ? " <" : ", ", STR_ARG(name));
  }
  if (names.count > 0)
    buffer_append_char(&maker->made->text, '>');
  vec_free(&names);
  return is_known;
}

/// `make_function("local", "Scale", ["x"], ["y"], nodes, opset_imports)`
static bool write_function(Maker *maker, MadeItem item)
{
  Buffer *text = &maker->made->text;
  const PyCall *call = made_call(item, "onnx.helper.make_function");
  Str domain, name;
  int64_t opset = maker->made->opset;
  if (!call || call->has_dictionary_splat || made_argument(item, 7, "attribute_protos").node ||
      !made_string(maker, made_argument(item, 0, "domain"), &domain) || !is_domain(domain) ||
      !made_string(maker, made_argument(item, 1, "fname"), &name) || !is_identifier(name))
    return false;
  uint32_t start = begin(maker);
  buffer_printf(text, "\n<\ndomain: \"%.*s\", opset_import: [", STR_ARG(domain));
  bool is_known = write_imports(maker, made_argument(item, 5, "opset_imports"));
  maker->made->opset = opset;
  buffer_printf(text, "\"" MADE_UNKNOWN "\" : 1]\n>\n%.*s", STR_ARG(name));
  is_known = is_known && write_attribute_names(maker, made_argument(item, 6, "attributes"));
  buffer_append(text, STR(" ("));
  is_known = is_known && write_names(maker, made_argument(item, 2, "inputs"), false);
  buffer_append(text, STR(") => ("));
  is_known = is_known && write_names(maker, made_argument(item, 3, "outputs"), false);
  buffer_append(text, STR(")\n{\n"));
  is_known = is_known && write_nodes(maker, made_argument(item, 4, "nodes"));
  buffer_append_char(text, '}');
  end(maker, start, item.node);
  return is_known;
}

static bool write_functions(Maker *maker, MadeItem list)
{
  MadeItems functions = { 0 };
  bool is_known = !list.node || made_list(maker->work, list, &functions);
  maker->depth++;
  for (size_t i = 0; i < functions.count && is_known; i++)
    is_known = write_function(maker, functions.items[i]);
  maker->depth--;
  vec_free(&functions);
  return is_known;
}

/// What the call makes a model of, or what check_graph() reads as one.
static MadeItem graph_of(MadeItem item)
{
  bool is_graph = made_call(item, "onnx.helper.make_model") || made_call(item, "onnx.checker.check_graph");
  return is_graph ? made_resolve(made_argument(item, 0, "graph")) : (MadeItem){ 0 };
}

bool made_model_write(MadeWork *work, const PyModel *model, const PyCall *call, int64_t opset, MadeModel *ret_made)
{
  *ret_made = (MadeModel){ .opset = 0 };
  Maker maker = { .work = work, .made = ret_made };
  Buffer *text = &ret_made->text;
  MadeItem item = { model, call->node, 0 };
  MadeItem graph = graph_of(item);
  if (!graph.node || call->has_dictionary_splat)
    return false;
  buffer_append(text, STR("<\nir_version: 10, opset_import: ["));
  uint32_t guessed = (uint32_t)text->len;  // Which versions onnx writes goes by its release.
  maker.has_imports = write_imports(&maker, made_argument(item, PY_ABSENT, "opset_imports"));
  if (!maker.has_imports) {
    buffer_printf(text, "\"\" : %lld, ", (long long)opset);
    guessed = (uint32_t)text->len;
  }
  vec_push(&ret_made->places, (MadePlace){ 0, guessed, call->node, true, false });
  buffer_append(text, STR("\"" MADE_UNKNOWN "\" : 1]\n>\n"));
  bool is_known = made_graph(&maker, &graph) && write_functions(&maker, made_argument(item, PY_ABSENT, "functions"));
  vec_push(&ret_made->places, (MadePlace){ 0, (uint32_t)text->len, call->node, false, false });
  return is_known;
}

void made_model_done(MadeModel *made)
{
  buffer_done(&made->text);
  vec_free(&made->places);
}

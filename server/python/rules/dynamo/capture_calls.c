// Calls in forward() that torch.export can't capture, and choices by values of tensors.

#include "python/rules/dynamo/capture_calls.h"

#include "base/limits.h"
#include "python/rules/dynamo/capture_branches.h"
#include "python/rules/dynamo/capture_containers.h"
#include "python/rules/forward/forward_result.h"
#include "python/rules/forward/forward_tuples.h"
#include "python/rules/module/module_calls.h"

/// Before torch 2.9 the exporter tried torch.jit.trace at last, which freezes the decision.
static Severity severity_of(const Forward *forward)
{
  return export_torch_is_from(sink_python(forward->sink), 2, 9) ? OWN : SEVERITY_WARNING;
}

static void say(Forward *forward, PyRef node, Str message)
{
  Severity severity = severity_of(forward);
  if (sink_wants(forward->sink, RULE_DATA_DEPENDENT, severity) && !forward_is_conditional(forward, node))
    py_say(forward->sink, RULE_DATA_DEPENDENT, severity, node, message, NULL);
}

void capture_say(Forward *forward, PyRef node, const char *what)
{
  say(forward, node,
      arena_printf(forward->sink->arena,
                   "%s, and torch.export knows no values: use torch.where() or torch.cond(), or take it out of "
                   "forward().",
                   what));
}

/// `y.split(n)` and `torch.chunk(y, n)` where nobody knows how long y is: how many parts come depends on it.
/// `x[x > 0].tolist()`: how many numbers come depends on values.
static bool lists_unknown_size(Forward *forward, const PyCall *call)
{
  const PyTree *tree = &forward->model->tree;
  PyNodeKind around = py_kind(tree, tree->nodes[call->node].parent);
  // Of a loop over it check_capture.c speaks.
  return call->argument_count == 0 && around != PYK_FOR_STATEMENT && around != PYK_FOR_IN_CLAUSE &&
         str_equal(py_tree_member_name(tree, call->function_node), STR("tolist")) &&
         forward_has_unknown_size(forward, py_tree_object(tree, call->function_node));
}

static bool parts_unknown_size(Forward *forward, const PyCall *call)
{
  static const char *const functions[] = { "torch.split", "torch.chunk" };
  static const char *const methods[] = { "split", "chunk" };
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  bool is_function = str_is_one_of(call->qualified, functions, COUNT(functions));
  PyRef object = py_tree_object(tree, call->function_node);
  bool is_method =
      !is_function && str_is_one_of(py_tree_member_name(tree, call->function_node), methods, COUNT(methods));
  if ((!is_function && !is_method) || call->argument_count != (is_function ? 2u : 1u))
    return false;
  const PyArgument *arguments = py_model_arguments(model, call);
  PyNodeKind parts = py_kind(tree, py_tree_strip(tree, arguments[call->argument_count - 1].value));
  return parts != PYK_LIST && parts != PYK_TUPLE &&
         forward_has_unknown_size(forward, is_function ? arguments[0].value : object);
}

/// Whether the file may ask for a strict capture: it says more than strict=False, which is the default.
static bool may_be_strict(Str text)
{
  for (size_t at = str_find(text, STR("strict"), 0); at != STR_NOT_FOUND; at = str_find(text, STR("strict"), at + 1)) {
    if (!str_starts_with(str_slice(text, at, text.len), STR("strict=False")))
      return true;
  }
  return false;
}

bool capture_is_by_running(const Forward *forward)
{
  return !forward->is_for_onnx && export_torch_is_from(sink_python(forward->sink), 2, 9) &&
         !may_be_strict(forward->model->tree.text);
}

void capture_check_assert(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef asked = py_first_child(tree, node);
  if (asked && capture_is_by_running(forward) && sink_wants(forward->sink, RULE_DATA_DEPENDENT, OWN) &&
      forward_is_decided_by_data(forward, asked) && !forward_is_conditional(forward, tree->nodes[node].parent))
    py_say(
        forward->sink, RULE_DATA_DEPENDENT, OWN, asked,
        STR("This assert asks for values of a tensor, and torch.export.export() has none unless it is strict: take it "
            "out of forward(), or pass strict=True."),
        NULL);
}

/// `int(n)` of a tensor or of its number, where `n.item()` is taken.
static bool makes_number(Forward *forward, const PyCall *call)
{
  const PyArgument *first = py_model_argument(forward->model, call, 0, NULL);
  bool is_maker = str_equal(call->qualified, STR("int")) || str_equal(call->qualified, STR("float"));
  return is_maker && first && call->argument_count == 1 && capture_is_by_running(forward) &&
         (forward_is_tensor(forward, first->value, PY_EXPRESSION_DEPTH) ||
          forward_is_data_dependent(forward, first->value));
}

/// `x.numpy()`, which torch.export leaves to the tensor.
static bool asks_numpy(Forward *forward, const PyCall *call)
{
  const PyTree *tree = &forward->model->tree;
  PyRef function = call->function_node;
  PyRef object = py_tree_object(tree, function);
  return object && call->argument_count == 0 && str_equal(py_tree_member_name(tree, function), STR("numpy")) &&
         capture_is_by_running(forward) && forward_is_tensor(forward, object, PY_EXPRESSION_DEPTH);
}

/// Arguments that torch asks for their number at once, so that none may come out of a tensor: `torch.linspace(0, 1,
/// n)`.
static PyRef number_wanted(const Forward *forward, const PyCall *call)
{
  static const struct {
    const char *function, *method;
    uint32_t position;
    const char *keyword;
  } wanted[] = {
    { "torch.linspace", NULL, 2, "steps" },
    { "torch.chunk", NULL, 1, "chunks" },
    { NULL, "chunk", 0, "chunks" },
    { "torch.logspace", NULL, 2, "steps" },
    { "torch.hann_window", NULL, 0, "window_length" },
    { "torch.hamming_window", NULL, 0, "window_length" },
    { "torch.blackman_window", NULL, 0, "window_length" },
    { "torch.bartlett_window", NULL, 0, "window_length" },
    { NULL, "unfold", 1, "size" },
    { "torch.split", NULL, 1, "split_size_or_sections" },
    { NULL, "split", 0, "split_size" },
    { "torch.nn.functional.interpolate", NULL, 2, "scale_factor" },
    { "torch.nn.functional.avg_pool1d", NULL, 1, "kernel_size" },
    { "torch.nn.functional.avg_pool2d", NULL, 1, "kernel_size" },
    { "torch.nn.functional.max_pool1d", NULL, 1, "kernel_size" },
    { "torch.nn.functional.max_pool2d", NULL, 1, "kernel_size" },
    { "torch.nn.functional.adaptive_avg_pool1d", NULL, 1, "output_size" },
    { "torch.nn.functional.adaptive_avg_pool2d", NULL, 1, "output_size" },
    { "torch.nn.functional.adaptive_max_pool1d", NULL, 1, "output_size" },
    { "torch.nn.functional.adaptive_max_pool2d", NULL, 1, "output_size" },
  };
  const PyTree *tree = &forward->model->tree;
  PyRef function = call->function_node;
  bool is_foreign = !str_starts_with(call->qualified, STR("torch.")) && call->method == PY_ABSENT;
  Str method = is_foreign ? py_tree_member_name(tree, function) : (Str){ 0 };
  for (size_t i = 0; i < COUNT(wanted); i++) {
    bool is_it = wanted[i].function ? str_equal(call->qualified, str_from(wanted[i].function))
                                    : str_equal(method, str_from(wanted[i].method));
    const PyArgument *argument =
        is_it ? py_model_argument(forward->model, call, wanted[i].position, wanted[i].keyword) : NULL;
    if (argument)
      return argument->value;
  }
  return 0;
}

static bool counts_by_data(Forward *forward, const PyCall *call)
{
  PyRef number = number_wanted(forward, call);
  const PyCall *made = py_model_call(forward->model, number);
  bool is_said = made && makes_number(forward, made);
  return number && !is_said &&
         (forward_is_data_dependent(forward, number) || forward_is_tensor(forward, number, PY_EXPRESSION_DEPTH));
}

/// `[x] * n.item()`: so many elements are written down.
void capture_check_repetition(Forward *forward, PyRef node)
{
  const PyTree *tree = &forward->model->tree;
  PyRef left = py_child(tree, node, PY_F_LEFT), right = py_child(tree, node, PY_F_RIGHT);
  PyRef sign = py_child(tree, node, PY_F_OPERATOR);
  if (!left || !right || !sign || !str_equal(py_text(tree, sign), STR("*")))
    return;
  PyRef list = py_tree_strip(tree, left);
  if (py_kind(tree, list) != PYK_LIST && py_kind(tree, list) != PYK_TUPLE)
    return;
  if (forward_is_data_dependent(forward, right) || forward_is_tensor(forward, right, PY_EXPRESSION_DEPTH))
    capture_say(forward, right, "The length of a list depends on the values of a tensor");
}

/// NumPy takes no numbers of a capture, also in a list; tensors it does take.
static bool gives_numbers_to_numpy(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  if (!str_starts_with(call->qualified, STR("numpy.")))
    return false;
  for (uint32_t i = 0; i < call->argument_count; i++) {
    PyRef value = py_tree_strip(tree, py_model_arguments(model, call)[i].value);
    PyRef item =
        py_kind(tree, value) == PYK_LIST || py_kind(tree, value) == PYK_TUPLE ? py_tree_first_element(tree, value) : 0;
    bool is_found = !item && (forward_is_data_dependent(forward, value) || forward_is_list_of_data(forward, value));
    for (; item && !is_found; item = py_tree_next_element(tree, item))
      is_found = forward_is_data_dependent(forward, item);
    if (is_found)
      return true;
  }
  return false;
}

/// one_hot(x) counts the classes in x, and one_hot(x, n) wants a number.
static bool counts_classes(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  const PyArgument *classes = py_model_argument(model, call, 1, "num_classes");
  int64_t number;
  if (!str_equal(call->qualified, STR("torch.nn.functional.one_hot")) || call->has_splat || call->has_dictionary_splat)
    return false;
  return !classes || (py_model_int(model, classes->value, &number) && number == -1) ||
         forward_is_data_dependent(forward, classes->value);
}

/// `x.resize_(...)` of an input.
static bool resizes_input(Forward *forward, const PyCall *call)
{
  const PyModel *model = forward->model;
  const PyTree *tree = &model->tree;
  PyRef function = call->function_node;
  PyRef object = py_tree_object(tree, function);
  if (!object || py_kind(tree, object) != PYK_IDENTIFIER ||
      !str_equal(py_tree_member_name(tree, function), STR("resize_")) ||
      !str_equal(model->functions.items[forward->function].name, STR("forward")))
    return false;
  const PyBinding *binding = forward_only_binding(forward, object);
  return binding && binding->kind == PY_BIND_PARAM && forward_is_tensor(forward, object, PY_EXPRESSION_DEPTH);
}

static bool makes_nested(Forward *forward, const PyCall *call)
{
  (void)forward;
  return str_equal(call->qualified, STR("torch.nested.nested_tensor")) ||
         str_equal(call->qualified, STR("torch.nested.as_nested_tensor"));
}

static bool packs_sequence(Forward *forward, const PyCall *call)
{
  (void)forward;
  return str_equal(call->qualified, STR("torch.nn.utils.rnn.pack_padded_sequence")) ||
         str_equal(call->qualified, STR("torch.nn.utils.rnn.pack_sequence"));
}

/// `torch.tensor([x[0], 1.0])`: a list is read on the spot, and its tensors have no memory.
static bool reads_list_of_tensors(Forward *forward, const PyCall *call)
{
  static const char *const makers[] = { "torch.tensor", "torch.as_tensor", "torch.asarray", "torch.FloatTensor" };
  const PyArgument *data = str_is_one_of(call->qualified, makers, COUNT(makers)) && capture_is_by_running(forward)
                               ? py_model_argument(forward->model, call, 0, "data")
                               : NULL;
  return data && forward_is_list_of_tensors(forward, data->value);
}

/// `torch.cond(p, f, g, x)`
static bool gives_cond_one_tensor(Forward *forward, const PyCall *call)
{
  const PyArgument *operands =
      str_equal(call->qualified, STR("torch.cond")) ? py_model_argument(forward->model, call, 3, "operands") : NULL;
  return operands && forward_is_tensor(forward, operands->value, PY_EXPRESSION_DEPTH);
}

/// `Normal(mean, 1.0)`: it asks whether its parameters are allowed ones, unless it is told not to.
static bool asks_parameters(Forward *forward, const PyCall *call)
{
  static const char *const names[] = {
    "Bernoulli",
    "Beta",
    "Binomial",
    "Categorical",
    "Cauchy",
    "Chi2",
    "Dirichlet",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "HalfCauchy",
    "HalfNormal",
    "Laplace",
    "LogNormal",
    "Multinomial",
    "MultivariateNormal",
    "Normal",
    "OneHotCategorical",
    "Poisson",
    "RelaxedBernoulli",
    "RelaxedOneHotCategorical",
    "StudentT",
    "Uniform",
    "VonMises",
  };
  const PyModel *model = forward->model;
  Str prefix = STR("torch.distributions.");
  Str name = str_starts_with(call->qualified, prefix) ? str_slice(call->qualified, prefix.len, call->qualified.len)
                                                      : (Str){ 0 };
  size_t dot = str_find_char(name, '.', 0);  // torch.distributions.normal.Normal
  name = dot == STR_NOT_FOUND ? name : str_slice(name, dot + 1, name.len);
  return str_is_one_of(name, names, COUNT(names)) && !call->has_splat && !call->has_dictionary_splat &&
         !py_model_argument(model, call, PY_ABSENT, "validate_args") && !forward->sets_validation &&
         export_torch_is_from(sink_python(forward->sink), 2, 9) && forward_has_tensor_argument(forward, call);
}

static bool copies_deeply(Forward *forward, const PyCall *call)
{
  return str_equal(call->qualified, STR("copy.deepcopy")) && forward_has_tensor_argument(forward, call);
}

/// `x.data_ptr()`
static bool asks_memory(Forward *forward, const PyCall *call)
{
  const PyTree *tree = &forward->model->tree;
  PyRef object = py_tree_object(tree, call->function_node);
  return object && call->argument_count == 0 &&
         str_equal(py_tree_member_name(tree, call->function_node), STR("data_ptr")) &&
         forward_is_tensor(forward, object, PY_EXPRESSION_DEPTH);
}

/// `x.roll(n.item(), 0)`
static bool rolls_by_data(Forward *forward, const PyCall *call)
{
  const PyTree *tree = &forward->model->tree;
  bool is_function = str_equal(call->qualified, STR("torch.roll"));
  bool is_method = !str_starts_with(call->qualified, STR("torch.")) && call->method == PY_ABSENT &&
                   py_tree_object(tree, call->function_node) &&
                   str_equal(py_tree_member_name(tree, call->function_node), STR("roll"));
  const PyArgument *shifts =
      is_function || is_method ? py_model_argument(forward->model, call, is_function ? 1 : 0, "shifts") : NULL;
  return shifts && forward->is_for_onnx && forward_is_data_dependent(forward, shifts->value) &&
         forward_returned(forward, call->node) == RETURNED_ALWAYS;
}

/// `round(x.mean().item())`, which is captured and has no function in ONNX.
static bool rounds_data(Forward *forward, const PyCall *call)
{
  const PyArgument *first =
      str_equal(call->qualified, STR("round")) ? py_model_argument(forward->model, call, 0, "number") : NULL;
  return first && forward->is_for_onnx && forward_is_data_dependent(forward, first->value) &&
         forward_returned(forward, call->node) == RETURNED_ALWAYS;
}

/// `divmod(n.item(), 2)`
static bool divides_data(Forward *forward, const PyCall *call)
{
  const PyArgument *arguments = str_equal(call->qualified, STR("divmod")) && call->argument_count == 2
                                    ? py_model_arguments(forward->model, call)
                                    : NULL;
  return arguments && (forward_is_data_dependent(forward, arguments[0].value) ||
                       forward_is_data_dependent(forward, arguments[1].value));
}

/// A tensor, and what numpy made of one: `numpy.abs(x)`.
static bool is_array_of_data(Forward *forward, PyRef node)
{
  const PyModel *model = forward->model;
  for (int depth = 0; node && depth < PY_CHAIN_LIMIT; depth++) {
    node = py_tree_strip(&model->tree, node);
    if (forward_is_tensor(forward, node, PY_EXPRESSION_DEPTH))
      return true;
    const PyCall *call = py_model_call(model, node);
    bool is_numpy = call && str_starts_with(call->qualified, STR("numpy.")) && call->argument_count > 0;
    node = is_numpy ? py_model_arguments(model, call)->value : 0;
  }
  return false;
}

/// `numpy.max(x)` of all elements, which is amax() without dimensions then, and numpy.sort().
static bool lacks_function_of_numpy(Forward *forward, const PyCall *call)
{
  static const char *const functions[] = { "numpy.max", "numpy.amax", "numpy.min", "numpy.amin", "numpy.sort" };
  bool is_sort = str_equal(call->qualified, STR("numpy.sort"));
  return str_is_one_of(call->qualified, functions, COUNT(functions)) && forward->is_for_onnx &&
         (call->argument_count == 1 || (is_sort && !call->has_splat)) &&
         export_torch_is_from(sink_python(forward->sink), 2, 9) &&
         is_array_of_data(forward, py_model_arguments(forward->model, call)->value) &&
         forward_returned(forward, call->node) == RETURNED_ALWAYS;
}

/// A kind of call, and what is said of it.
typedef struct RefusedCall {
  bool (*is_one)(Forward *forward, const PyCall *call);
  Str message;
} RefusedCall;

static const RefusedCall refused_calls[] = {
  { asks_parameters,
    STR_INIT("A distribution asks whether the values of its parameters are allowed, and torch.export knows no values: "
             "pass validate_args=False.") },
  { packs_sequence,
    STR_INIT("torch.export can't run a recurrent layer on a packed sequence: give it the padded one, and mask what "
             "comes after the lengths.") },
  { makes_nested,
    STR_INIT("torch.export can't capture a nested tensor: pad the tensors to one size, and mask what was added.") },
  { gives_numbers_to_numpy,
    STR_INIT("NumPy can't compute with a number that comes out of a tensor while torch.export runs: use functions of "
             "torch.") },
  { lacks_function_of_numpy,
    STR_INIT("The dynamo exporter has no function for what this becomes, an extreme of all axes or a stable sort: use "
             "torch.max(), torch.min() or torch.sort().") },
  { counts_classes,
    STR_INIT("The number of classes depends on the values of a tensor, and torch.export knows no values: write it, "
             "one_hot(x, num_classes=10).") },
  { copies_deeply,
    STR_INIT("copy.deepcopy() needs the memory of the tensor, and torch.export has none: use clone().") },
  { gives_cond_one_tensor,
    STR_INIT("The operands of torch.cond() are a tuple or a list, of one tensor, too: write (x,).") },
  { reads_list_of_tensors,
    STR_INIT("This reads the values of the tensors in the list, and torch.export.export() has none: use "
             "torch.stack().") },
  { asks_memory,
    STR_INIT("data_ptr() is where the tensor lies in memory, and torch.export gives it none: compare the tensors "
             "outside of forward().") },
  { rolls_by_data,
    STR_INIT("The dynamo exporter has roll() by numbers that are written out only, and this one comes out of a tensor: "
             "index with torch.arange() instead.") },
  { rounds_data,
    STR_INIT("The dynamo exporter has no round() of a number that comes out of a tensor: use torch.round() before "
             "item().") },
  { divides_data,
    STR_INIT("divmod() takes no number that comes out of a tensor while torch.export runs: use // and %.") },
  { resizes_input, STR_INIT("torch.export can't change the size of an input: use reshape().") },
};

static bool check_refused(Forward *forward, PyRef node, const PyCall *call)
{
  for (size_t i = 0; i < COUNT(refused_calls); i++) {
    if (refused_calls[i].is_one(forward, call)) {
      say(forward, node, refused_calls[i].message);
      return true;
    }
  }
  return false;
}

/// Calls that fail for another reason than that a decision is wanted. Run with torch 2.14.
static bool check_refused_call(Forward *forward, PyRef node, const PyCall *call)
{
  const char *runner;
  PyRef alias = capture_branches_alias(forward, call, &runner);
  PyRef changed = capture_branches_change(forward, call, &runner);
  if (changed)
    say(forward, changed,
        arena_printf(forward->sink->arena,
                     "What %s runs can't change what it got: torch.export wants a new tensor, of add() instead of "
                     "add_() for instance.",
                     runner));
  else if (alias)
    say(forward, alias,
        arena_printf(forward->sink->arena,
                     "What %s runs can't give back what it got, or a view of it: torch.export wants a new tensor, such "
                     "as x.clone().",
                     runner));
  else
    return check_refused(forward, node, call);
  return true;
}

/// `x.data`: torch 2.14 fails on it, or crashes.
void capture_check_data(Forward *forward, PyRef node)
{
  if (forward_takes_data(forward, node))
    say(forward, node,
        STR("`data` takes the tensor out of the capture, on which the export fails or crashes: use detach()."));
}

/// `math.sqrt(n)` of a number that comes out of a tensor. What rounds and math.pow() have a way out. Run with
/// torch 2.14.
static bool computes_with_data(Forward *forward, const PyCall *call)
{
  static const char *const functions[] = { "math.sqrt", "math.exp", "math.log" };
  const PyArgument *number = str_is_one_of(call->qualified, functions, COUNT(functions))
                                 ? py_model_argument(forward->model, call, 0, "x")
                                 : NULL;
  return number && forward_is_data_dependent(forward, number->value);
}

void capture_check_call(Forward *forward, PyRef node)
{
  static const char *const of_math[] = { "math.sqrt", "math.floor", "math.ceil", "math.exp", "math.log",
                                         "math.log2", "math.log10", "math.sin",  "math.cos", "math.pow" };
  const PyCall *call = py_model_call(forward->model, node);
  if (!call)
    return;
  capture_check_support(forward, node, call);
  module_call_check(forward, call);
  capture_check_format_call(forward, call);
  if (str_is_one_of(call->qualified, of_math, COUNT(of_math)) && forward_has_tensor_argument(forward, call))
    capture_say(forward, node, "A function of math wants the value of a tensor");
  else if (computes_with_data(forward, call))
    capture_say(forward, node, "A function of math wants a number that depends on the values of a tensor");
  else if (forward_asks_truth(forward, call) || capture_sorts_data(forward, call))
    capture_say(forward, node, "any(), all() and sorted() of Python decide by the values of a tensor");
  else if (capture_asks_rows(forward, call))
    capture_say(forward, node, "Python asks for the values of a tensor, row by row");
  else if (capture_makes_set_of_data(forward, call))
    capture_say(forward, node, "The elements of a set come out of a tensor");
  else if (capture_looks_up_data(forward, call))
    capture_say(forward, node, "The key of a dict comes out of a tensor");
  else if (lists_unknown_size(forward, call))
    capture_say(forward, call->node, "How many numbers this list has depends on the values of a tensor");
  else if (parts_unknown_size(forward, call))
    capture_say(forward, node, "The number of parts depends on the values of a tensor");
  else if (makes_number(forward, call))
    say(forward, node,
        STR("torch.export.export() knows no value to make a number of: use item(), which stands for one, or a tensor."));
  else if (asks_numpy(forward, call))
    say(forward, node,
        STR("numpy() wants the values of a tensor, and torch.export.export() has none: use functions of "
            "torch, or make the array outside of forward()."));
  else if (counts_by_data(forward, call))
    capture_say(forward, node, "A number that torch wants to know here depends on the values of a tensor");
  else if (check_refused_call(forward, node, call) || capture_check_gradient(forward, call))
    return;
  else if (forward_draws_numbers(call) && sink_wants(forward->sink, RULE_TRACED_CONSTANT, OWN) &&
           forward_is_in_no_branch(forward, node))
    py_say(forward->sink, RULE_TRACED_CONSTANT, OWN, node,
           STR("Random numbers of Python are drawn once: the graph keeps what this run gives, for all inputs."), NULL);
}

#include "python/rules/forward/called_names.h"

#include "facts/functions.h"
#include "python/rules/forward/forward_sizes.h"

static void add_name(CalledNames *names, Str name)
{
  if (names->count < CALLED_NAME_LIMIT)
    names->items[names->count++] = name;
}

/// The call that makes a layer: torch.nn.RMSNorm(8); NULL for other expressions.
static const PyCall *layer_made_by(const PyModel *model, PyRef made)
{
  const PyCall *call = py_model_call(model, made);
  return call && str_starts_with(call->qualified, STR("torch.nn.")) ? call : NULL;
}

static void add_layers(const PyModel *model, PyRef made, CalledNames *names)
{
  const PyCall *layer = layer_made_by(model, made);
  if (!layer)
    return;
  add_name(names, layer->qualified);
  if (!str_equal(layer->qualified, STR("torch.nn.Sequential")))
    return;
  for (uint32_t i = 0; i < layer->argument_count; i++) {
    const PyCall *part = layer_made_by(model, py_model_arguments(model, layer)[i].value);
    if (part)
      add_name(names, part->qualified);
  }
}

CalledNames called_names_of_tensor(const Forward *forward, const PyCall *call)
{
  const PyTree *tree = &forward->model->tree;
  CalledNames names = { 0 };
  PyRef made = forward_own_part(forward, call->function_node);
  if (str_starts_with(call->qualified, STR("torch.")))
    add_name(&names, call->qualified);
  else if (made)
    add_layers(forward->model, made, &names);
  else if (py_kind(tree, call->function_node) == PYK_ATTRIBUTE)
    add_name(&names, arena_printf(forward->sink->arena, "Tensor.%.*s",
                                  STR_ARG(py_tree_member_name(tree, call->function_node))));
  return names;
}

/// A trace keeps what is drawn at random, also if it is made of constants alone: `torch.randperm(4)`. Run with
/// torch 2.6.
static bool draws(const Forward *forward, Str name)
{
  const PyFile *file = sink_python(forward->sink);
  Str operators = called_name_operators(file, EXPORTER_TORCHSCRIPT, name);
  Str kind;
  while (functions_next(&operators, &kind)) {
    if ((symbolics_torch_tags(file->db, kind) & TAG_RANDOM) != 0)
      return true;
  }
  return false;
}

CalledNames called_names(Forward *forward, const PyCall *call, Exporter exporter)
{
  const PyTree *tree = &forward->model->tree;
  PyRef function = call->function_node;
  PyRef object = py_tree_object(tree, function);
  bool is_known;
  if (str_starts_with(call->qualified, STR("torch.")))
    is_known =
        exporter == EXPORTER_DYNAMO || forward_has_traced_argument(forward, call) || draws(forward, call->qualified);
  else if (forward_own_part(forward, function))
    is_known = forward_has_tensor_argument(forward, call);
  else
    is_known = object &&
               (forward_is_tensor(forward, object, PY_EXPRESSION_DEPTH) || forward_is_made_of_sizes(forward, object) ||
                (forward_has_tensor_argument(forward, call) && forward_is_own_tensor(forward, object)));
  return is_known ? called_names_of_tensor(forward, call) : (CalledNames){ 0 };
}

bool called_gives_tensor(const Forward *forward, Str name)
{
  const PyFile *file = sink_python(forward->sink);
  Str operators = called_name_operators(file, EXPORTER_TORCHSCRIPT, name);
  Str kind;
  if (!functions_next(&operators, &kind) || operators.len > 0)
    return false;
  const TorchOperator *op = symbolics_torch_operator(file->db, kind);
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    if (!torch_overload_has_out(&op->overloads[i]) && !str_ends_with(op->overloads[i].schema, STR("-> Tensor")))
      return false;
  }
  return op != NULL;
}

Str called_name_operators(const PyFile *file, Exporter exporter, Str name)
{
  uint32_t newest = SYMBOLICS_TORCH_LIMIT - 1;
  while (newest > 0 && (file->torches >> newest & 1) == 0)
    newest--;
  return functions_operators(file->db, newest, exporter, name);
}

bool called_name_has(const PyFile *file, Exporter exporter, Str name, Str operator)
{
  bool has = false;
  for (PY_EACH_TORCH_OF(file, exporter, torch)) {
    Str rest = functions_operators(file->db, torch, exporter, name);
    Str word = { 0 };
    while (functions_next(&rest, &word) && !str_equal(word, operator)) {
    }
    has = word.len > 0;
    if (!has)
      return false;
  }
  return has;
}

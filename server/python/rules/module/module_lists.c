// What lists of numbers and the like hold that a module is made with: `[64, 128]`, `sizes[1:]`, `[stride] + [1] * 3`.

#include <string.h>

#include "base/limits.h"
#include "python/rules/module/module_maker_private.h"

void module_evaluate(MadeName *item, int depth)
{
  const ModuleMaker *maker = item->maker;
  if (!maker)
    return;
  item->is_number = module_find_int(maker, item->node, depth, &item->number);
  item->node = module_maker_written(maker, item->node);
  item->maker = NULL;
}

/// The parts of a slice; 0 for those that are left out.
static void read_slice(const PyTree *tree, PyRef slice, PyRef *parts)
{
  uint32_t from = tree->nodes[slice].start;
  size_t which = 0;
  for (PY_EACH_CHILD(tree, part, slice)) {
    for (uint32_t i = from; i < tree->nodes[part].start; i++)
      which += tree->text.data[i] == ':';
    if (which < 3)
      parts[which] = part;
    from = tree->nodes[part].end;
  }
}

static void reverse(MadeName *items, int count)
{
  for (int i = 0; i < count / 2; i++) {
    MadeName item = items[i];
    items[i] = items[count - 1 - i];
    items[count - 1 - i] = item;
  }
}

/// `sizes[1:]`, `sizes[:-1]`, `sizes[::-1]`
static int slice_of(const ModuleMaker *maker, PyRef node, PyRef slice, int depth, MadeName *items)
{
  const PyTree *tree = &maker->model->tree;
  PyRef parts[3] = { 0 };
  read_slice(tree, slice, parts);
  int count = module_list_of(maker, py_child(tree, node, PY_F_VALUE), depth, items);
  int64_t from = 0, to = count, step = 1;
  if (count < 0 || (parts[0] && !module_find_int(maker, parts[0], depth, &from)) ||
      (parts[1] && !module_find_int(maker, parts[1], depth, &to)) ||
      (parts[2] && !module_find_int(maker, parts[2], depth, &step)))
    return -1;
  if (step == -1 && !parts[0] && !parts[1])
    reverse(items, count);
  else if (step < 1)
    return -1;
  step = step < 1 ? 1 : step;
  from += from < 0 ? count : 0;
  to += to < 0 ? count : 0;
  from = from < 0 ? 0 : from > count ? count : from;
  to = to > count ? count : to;
  int kept = 0;
  for (int64_t i = from; i < to; i += step)
    items[kept++] = items[i];
  return kept;
}

/// `[stride] * 3`
static int repeated(const ModuleMaker *maker, PyRef node, int depth, MadeName *items)
{
  const PyTree *tree = &maker->model->tree;
  int64_t times;
  int count = module_list_of(maker, py_child(tree, node, PY_F_LEFT), depth, items);
  if (count < 0 || !module_find_int(maker, py_child(tree, node, PY_F_RIGHT), depth, &times) ||
      times * count > PY_MADE_LIST_LIMIT)
    return -1;
  for (int64_t i = count; i < times * count; i++)
    items[i] = items[i - count];
  return times > 0 ? (int)times * count : 0;
}

/// `[a] + b`
static int sum_of(const ModuleMaker *maker, PyRef node, int depth, MadeName *items)
{
  const PyTree *tree = &maker->model->tree;
  MadeName more[PY_MADE_LIST_LIMIT];
  PyRef sign = py_child(tree, node, PY_F_OPERATOR);
  if (sign && str_equal(py_text(tree, sign), STR("*")))
    return repeated(maker, node, depth, items);
  int count = module_list_of(maker, py_child(tree, node, PY_F_LEFT), depth, items);
  int added = count < 0 ? -1 : module_list_of(maker, py_child(tree, node, PY_F_RIGHT), depth, more);
  if (!sign || !str_equal(py_text(tree, sign), STR("+")) || added < 0 || count + added > PY_MADE_LIST_LIMIT)
    return -1;
  for (int i = 0; i < added; i++)
    items[count + i] = more[i];
  return count + added;
}

static int literal_of(const ModuleMaker *maker, PyRef list, MadeName *items)
{
  const PyTree *tree = &maker->model->tree;
  int count = 0;
  for (PY_EACH_ELEMENT(tree, item, list)) {
    if (count == PY_MADE_LIST_LIMIT || py_tree_is_splat(tree, item))
      return -1;
    items[count++] = (MadeName){ .node = item, .maker = maker };
  }
  return count;
}

/// `range(3)`, `range(1, n)`, `range(0, n, 2)`
static int range_of(const ModuleMaker *maker, const PyCall *call, int depth, MadeName *items)
{
  int64_t ends[3] = { 0, 0, 1 };
  for (uint32_t i = 0; i < call->argument_count; i++) {
    if (i == 3 || !module_find_int(maker, py_model_arguments(maker->model, call)[i].value, depth, &ends[i]))
      return -1;
  }
  int64_t at = call->argument_count > 1 ? ends[0] : 0, end = ends[call->argument_count > 1 ? 1 : 0], step = ends[2];
  int count = 0;
  if (call->argument_count == 0 || step == 0)
    return -1;
  for (; step > 0 ? at < end : at > end; at += step) {
    if (count == PY_MADE_LIST_LIMIT)
      return -1;
    items[count++] = (MadeName){ .number = at, .is_number = true };
  }
  return count;
}

/// `[dim * 2 ** i for i in range(4)]`, of numbers.
static int comprehension_of(const ModuleMaker *maker, PyRef node, int depth, MadeName *items)
{
  const PyTree *tree = &maker->model->tree;
  PyRef element = py_first_child(tree, node), clause = element ? py_next_sibling(tree, element) : 0;
  PyRef target = clause ? py_child(tree, clause, PY_F_LEFT) : 0;
  if (!target || py_kind(tree, clause) != PYK_FOR_IN_CLAUSE || py_next_sibling(tree, clause) ||
      py_kind(tree, target) != PYK_IDENTIFIER || maker->name_count >= PY_MADE_NAME_LIMIT)
    return -1;
  MadeName names[PY_MADE_NAME_LIMIT];
  ModuleMaker turn = *maker;
  names[0] = (MadeName){ .node = 0 };
  if (maker->name_count > 0)
    memcpy(names + 1, maker->names, maker->name_count * sizeof(*names));
  turn.names = names;
  turn.name_count = maker->name_count + 1;
  int count = module_list_of(maker, py_child(tree, clause, PY_F_RIGHT), depth, items);
  for (int i = 0; i < count; i++) {
    module_evaluate(&items[i], depth);
    names[0] = items[i];
    names[0].name = py_text(tree, target);
    items[i] = (MadeName){ .node = 0 };
    items[i].is_number = module_find_int(&turn, element, depth, &items[i].number);
  }
  return count;
}

/// What a function of Python gives of a list: `reversed(sizes)`.
static int list_of_call(const ModuleMaker *maker, const PyCall *call, int depth, MadeName *items)
{
  bool is_copy = str_equal(call->qualified, STR("list")) || str_equal(call->qualified, STR("tuple"));
  bool is_reversed = str_equal(call->qualified, STR("reversed"));
  if (call->has_splat || call->has_dictionary_splat)
    return -1;
  if (str_equal(call->qualified, STR("range")))
    return range_of(maker, call, depth, items);
  int count = (is_copy || is_reversed) && call->argument_count == 1
                  ? module_list_of(maker, py_model_arguments(maker->model, call)->value, depth, items)
                  : -1;
  if (is_reversed)
    reverse(items, count);
  return count;
}

int module_list_of(const ModuleMaker *maker, PyRef node, int depth, MadeName *items)
{
  const PyModel *model = maker->model;
  const PyTree *tree = &model->tree;
  if (!node || depth <= 0)
    return -1;
  node = py_tree_strip(tree, node);
  const MadeName *made = module_name_made(maker, node);
  if (made)
    return made->list_count > 0
               ? (memcpy(items, made->list, (size_t)made->list_count * sizeof(*items)), made->list_count)
           : made->node && made->node != node ? module_list_of(maker, made->node, depth - 1, items)
                                              : -1;
  PyRef slice = py_kind(tree, node) == PYK_SUBSCRIPT ? py_child(tree, node, PY_F_SUBSCRIPT) : 0;
  const PyCall *call = py_model_call(model, node);
  if (slice && py_kind(tree, slice) == PYK_SLICE)
    return slice_of(maker, node, slice, depth - 1, items);
  int computed = call ? list_of_call(maker, call, depth - 1, items) : -1;
  if (computed >= 0)
    return computed;
  if (py_kind(tree, node) == PYK_LIST_COMPREHENSION)
    return comprehension_of(maker, node, depth - 1, items);
  if (py_kind(tree, node) == PYK_BINARY_OPERATOR)
    return sum_of(maker, node, depth - 1, items);
  const ModuleMaker *from = NULL;
  PyRef value = py_kind(tree, node) == PYK_IDENTIFIER ? module_maker_value(maker, node, &from) : 0;
  if (value)
    return module_list_of(from ? from : maker, value, depth - 1, items);
  PyRef list = module_maker_written(maker, node);
  PyNodeKind kind = list ? py_kind(tree, list) : PYK_OTHER;
  return kind == PYK_LIST || kind == PYK_TUPLE ? literal_of(maker, list, items) : -1;
}

int module_maker_list(const ModuleMaker *maker, PyRef node, MadeName *items)
{
  enum { DEPTH = PY_ALIAS_LIMIT + 4 };
  int count = module_list_of(maker, node, DEPTH, items);
  for (int i = 0; i < count; i++)
    module_evaluate(&items[i], PY_ALIAS_LIMIT);
  return count;
}

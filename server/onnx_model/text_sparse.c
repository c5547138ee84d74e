// Sparse tensors: ONNX text has no syntax for them, so they are comments, and what onnx refuses of one is said there.
#include "base/map.h"
#include "onnx_model/numbers.h"
#include "onnx_model/tensor.h"
#include "onnx_model/text_private.h"

/// A sparse tensor that is being looked at.
typedef struct Sparse {
  Printer *printer;
  FieldList list;
  TensorFacts values;
  TensorFacts indices;
  bool has_values;
  bool has_indices;
  uint64_t rank;
  uint64_t size;  ///< The product of its dimensions; UINT64_MAX if it overflows.
} Sparse;

static uint64_t first_dim(const Sparse *sparse, const TensorFacts *facts)
{
  Bulk dims = reader_bulk(&sparse->printer->reader, facts->message, TENSOR_DIMS);
  uint64_t dim = 0;
  bulk_number(&dims, &dim);
  return dim;
}

static uint64_t last_dim(const Sparse *sparse, const TensorFacts *facts)
{
  Bulk dims = reader_bulk(&sparse->printer->reader, facts->message, TENSOR_DIMS);
  uint64_t dim = 0;
  while (bulk_number(&dims, &dim))
    continue;
  return dim;
}

/// False if a dimension is not positive.
static bool measure(Sparse *sparse)
{
  Bulk dims = reader_bulk(&sparse->printer->reader, sparse->list.message, SPARSE_DIMS);
  uint64_t dim;
  sparse->size = 1;
  while (bulk_number(&dims, &dim)) {
    if ((int64_t)dim <= 0)
      return false;
    sparse->rank++;
    if (__builtin_mul_overflow(sparse->size, dim, &sparse->size))
      sparse->size = UINT64_MAX;
  }
  return true;
}

/// The next index as a place in the tensor written out row by row; false at the end. A part that is out of range makes
/// it `size`.
static bool next_place(const Sparse *sparse, TensorNumbers *numbers, uint64_t *ret_place)
{
  uint64_t bits;
  if (sparse->indices.rank == 1)
    return tensor_next(numbers, ret_place);
  Bulk dims = reader_bulk(&sparse->printer->reader, sparse->list.message, SPARSE_DIMS);
  uint64_t dim;
  bool is_inside = true;
  *ret_place = 0;
  while (bulk_number(&dims, &dim)) {
    if (!tensor_next(numbers, &bits))
      return false;
    is_inside = is_inside && bits < dim;
    *ret_place = *ret_place * dim + bits;
  }
  *ret_place = is_inside ? *ret_place : sparse->size;
  return true;
}

static const char *problem_of_order(const Sparse *sparse)
{
  TensorNumbers numbers = tensor_numbers(&sparse->printer->reader, &sparse->indices);
  uint64_t before = 0;
  uint64_t place;
  for (uint64_t i = 0; next_place(sparse, &numbers, &place); i++) {
    if (place >= sparse->size)
      return "an index is out of range";
    if (i > 0 && place <= before)
      return "its indices are not in order";
    before = place;
  }
  return NULL;
}

static uint64_t count_numbers(const Sparse *sparse)
{
  TensorNumbers numbers = tensor_numbers(&sparse->printer->reader, &sparse->indices);
  uint64_t count = 0;
  uint64_t bits;
  while (tensor_next(&numbers, &bits))
    count++;
  return count;
}

static const char *problem_of_indices(const Sparse *sparse)
{
  const TensorFacts *indices = &sparse->indices;
  if (!sparse->has_indices)
    return first_dim(sparse, &sparse->values) == 0 ? NULL : "it has no indices";
  if (indices->element_type != ELEMENT_INT64)
    return "its indices are not int64";
  if (indices->rank != 1 && indices->rank != 2)
    return "its indices are not of rank 1 or 2";
  if (first_dim(sparse, indices) != first_dim(sparse, &sparse->values))
    return "it has not an index for each value";
  if (!indices->has_raw && indices->value_count != count_numbers(sparse))
    return "its indices are not as many as their shape says";
  if (indices->rank == 2 && last_dim(sparse, indices) != sparse->rank)
    return "its indices have not a number for each dimension";
  return problem_of_order(sparse);
}

/// What onnx refuses of the tensors that it is made of; NULL if nothing.
static const char *problem_of_parts(const Sparse *sparse, Arena *arena)
{
  Str values = text_tensor_refusal(&sparse->values, arena);
  Str indices = sparse->has_indices ? text_tensor_refusal(&sparse->indices, arena) : (Str){ 0 };
  if (values.len > 0)
    return arena_printf(arena, "its values: %.*s", STR_ARG(values)).data;
  return indices.len > 0 ? arena_printf(arena, "its indices: %.*s", STR_ARG(indices)).data : NULL;
}

/// What onnx refuses of it; NULL if nothing.
static const char *problem_of(Sparse *sparse, Arena *arena)
{
  const char *part = sparse->has_values ? problem_of_parts(sparse, arena) : NULL;
  if (!sparse->has_values)
    return "it has no values";
  if (part)
    return part;
  if (sparse->values.rank != 1)
    return "its values are not of rank 1";
  if (!measure(sparse))
    return "a dimension is not positive";
  if (sparse->rank == 0)
    return "it has no dimensions";
  return problem_of_indices(sparse);
}

static FieldList tensor_of(Sparse *sparse, uint32_t number, bool *ret_found, TensorFacts *ret_facts)
{
  FieldList tensor = reader_only(&sparse->printer->reader, &sparse->list, number, ret_found);
  *ret_facts = tensor_facts(&sparse->printer->reader, &tensor);
  return tensor;
}

static void check_sparse(Printer *printer, const FieldList *list, size_t i)
{
  Sparse sparse = { .printer = printer, .list = reader_child(&printer->reader, list, i) };
  FieldList values = tensor_of(&sparse, SPARSE_VALUES, &sparse.has_values, &sparse.values);
  tensor_of(&sparse, SPARSE_INDICES, &sparse.has_indices, &sparse.indices);
  const Field *name = reader_last(&printer->reader, &values, TENSOR_NAME);
  bool needs_name = list->message.kind == MSG_GRAPH && sparse.has_values && (!name || name->value == 0);
  Arena arena = { 0 };
  const char *problem = needs_name ? "it has no name" : problem_of(&sparse, &arena);
  if (problem)
    out_comment(&printer->out, arena_printf(&arena, OUT_REFUSED "the sparse tensor: %s", problem).data, NULL);
  arena_done(&arena);
}

Str text_sparse_type(Printer *printer, const FieldList *list, uint32_t number, Arena *arena)
{
  enum { DIMS = 8 };
  ReaderMark mark = reader_mark(&printer->reader);
  bool found;
  Sparse sparse = { .printer = printer, .list = reader_only(&printer->reader, list, number, &found) };
  tensor_of(&sparse, SPARSE_VALUES, &sparse.has_values, &sparse.values);
  Bulk dims = reader_bulk(&printer->reader, sparse.list.message, SPARSE_DIMS);
  Str text = arena_printf(arena, "sparse_tensor(%s[", element_type_name(sparse.values.element_type));
  uint64_t dim;
  size_t count = 0;
  while (bulk_number(&dims, &dim) && count < DIMS)
    text = arena_printf(arena, "%.*s%s%lld", STR_ARG(text), count++ > 0 ? "," : "", (long long)dim);
  reader_release(&printer->reader, mark);
  return count < DIMS ? arena_printf(arena, "%.*s])", STR_ARG(text)) : STR("sparse_tensor");
}

/// A name in the arena; empty if there is none, or one that is too long to be anybody else's.
static Str name_of(Printer *printer, const Field *name, Arena *arena)
{
  size_t len = 0;
  if (!name || name->value > MODEL_JUMP_READ)
    return (Str){ 0 };
  const char *text = source_at(printer->reader.source, name->start, (size_t)name->value, &len);
  return len < name->value ? (Str){ 0 } : arena_copy(arena, str_make(text, (size_t)name->value));
}

static void refuse_name(Printer *printer, const char *whose, const Field *name)
{
  Arena arena = { 0 };
  out_comment(&printer->out, arena_printf(&arena, OUT_REFUSED "the sparse tensor: %s has its name: ", whose).data,
              name);
  arena_done(&arena);
}

/// Says of an input, an output or a value between whether it is written as a tensor under the name of a sparse one.
static void check_value(Printer *printer, const FieldList *value, const Map *sparse, Arena *arena)
{
  bool found;
  const Field *name = reader_last(&printer->reader, value, VALUE_NAME);
  if (!map_get(sparse, name_of(printer, name, arena)))
    return;
  FieldList type = reader_only(&printer->reader, value, VALUE_TYPE, &found);
  if (found && type.count > 0 && !reader_last(&printer->reader, &type, TYPE_SPARSE))
    refuse_name(printer, "a value of another type", reader_last(&printer->reader, value, VALUE_NAME));
}

static void check_outputs(Printer *printer, const FieldList *node, const Map *sparse, Arena *arena)
{
  for (size_t i = 0; i < node->count; i++) {
    const Field *field = reader_field(&printer->reader, node, i);
    if (field->number == NODE_OUTPUTS && map_get(sparse, name_of(printer, field, arena)))
      refuse_name(printer, "an output of a node", field);
  }
}

/// Says which other values have the name of a sparse initializer.
static void check_others(Printer *printer, const FieldList *graph, const Map *sparse, Arena *arena)
{
  for (size_t i = 0; i < graph->count && printer_is_good(printer); i++) {
    uint32_t number = reader_field(&printer->reader, graph, i)->number;
    bool is_value = number == GRAPH_INPUTS || number == GRAPH_OUTPUTS || number == GRAPH_VALUES;
    if (!is_value && number != GRAPH_NODES)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    FieldList part = reader_child(&printer->reader, graph, i);
    if (is_value)
      check_value(printer, &part, sparse, arena);
    else
      check_outputs(printer, &part, sparse, arena);
    reader_release(&printer->reader, mark);
  }
}

/// Initializers of both kinds share their names: says of each sparse one whose name is taken.
static void check_names(Printer *printer, const FieldList *graph)
{
  static const uint32_t kinds[] = { GRAPH_INITIALIZERS, GRAPH_SPARSE };
  Map *names = map_new();
  Map *sparse = map_new();
  Arena arena = { 0 };
  for (size_t k = 0; k < COUNT(kinds) * graph->count && printer_is_good(printer); k++) {
    size_t i = k % graph->count;
    bool is_sparse = k >= graph->count;
    if (reader_field(&printer->reader, graph, i)->number != kinds[is_sparse])
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    bool found;
    FieldList tensor = reader_child(&printer->reader, graph, i);
    if (is_sparse)
      tensor = reader_only(&printer->reader, &tensor, SPARSE_VALUES, &found);
    const Field *field = reader_last(&printer->reader, &tensor, TENSOR_NAME);
    Str name = name_of(printer, field, &arena);
    if (name.len > 0 && map_put(names, name, names) && is_sparse)
      refuse_name(printer, "another initializer", field);
    if (name.len > 0 && is_sparse)
      map_put(sparse, name, sparse);
    reader_release(&printer->reader, mark);
  }
  check_others(printer, graph, sparse, &arena);
  arena_done(&arena);
  map_free(names);
  map_free(sparse);
}

void text_print_sparse_comments(Printer *printer, const FieldList *list, uint32_t number)
{
  if (list->message.kind == MSG_GRAPH && reader_has(list, GRAPH_SPARSE) && !printer->out.is_muted)
    check_names(printer, list);
  for (size_t i = 0; i < list->count && printer_is_good(printer) && !printer->out.is_muted; i++) {
    if (reader_field(&printer->reader, list, i)->number != number)
      continue;
    ReaderMark mark = reader_mark(&printer->reader);
    check_sparse(printer, list, i);
    reader_release(&printer->reader, mark);
  }
  text_print_message_comment(printer, list, number);
}

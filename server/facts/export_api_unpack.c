// The Python table of a layer: unpacked whole on first use, signatures split into parameters. The message itself,
// which is as large as what is made of it, is given up again.

#include "base/vec.h"
#include "facts/export_api_internal.h"
#include "symbolics.pb-c.h"

/// What unpacking one table needs. The lock is held.
typedef struct Unpacker {
  SymbolicsDb *db;
  const Stack *stack;
  const Symbolics__PythonTable *from;
  PythonTable *table;
} Unpacker;

static TorchRelease unpack_release(uint32_t packed)
{
  return (TorchRelease){ (uint16_t)(packed >> 16), (uint16_t)packed };
}

/// The end of the parameter that starts at `from`: a comma outside of any bracket or string, or the text's end.
static size_t parameter_end(Str s, size_t from)
{
  size_t depth = 0;
  char quote = '\0';
  for (size_t i = from; i < s.len; i++) {
    char c = s.data[i];
    if (quote != '\0') {
      i += c == '\\';
      quote = c == quote ? '\0' : quote;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      depth++;
    } else if ((c == ')' || c == ']' || c == '}') && depth > 0) {
      depth--;
    } else if (c == ',' && depth == 0) {
      return i;
    }
  }
  return s.len;
}

static PyParameter read_parameter(Str text)
{
  PyParameter parameter = { 0 };
  size_t equals = str_find_char(text, '=', 0);
  parameter.has_default = equals != STR_NOT_FOUND;
  parameter.name = str_trim(str_slice(text, 0, equals));
  if (parameter.has_default)
    parameter.default_text = str_trim(str_slice(text, equals + 1, text.len));
  while (parameter.stars < 2 && str_starts_with(parameter.name, STR("*"))) {
    parameter.stars++;
    parameter.name = str_slice(parameter.name, 1, parameter.name.len);
  }
  return parameter;
}

/// Splits "(name, fn=None, /, *, schema=None)".
static void read_signature(PySignature *signature, Arena *arena)
{
  Vec(PyParameter) parameters = { 0 };
  Str inside = str_slice(signature->text, 1, signature->text.len - (signature->text.len > 0));
  bool is_keyword_only = false;
  for (size_t start = 0; start < inside.len;) {
    size_t end = parameter_end(inside, start);
    PyParameter parameter = read_parameter(str_slice(inside, start, end));
    parameter.is_keyword_only = is_keyword_only && parameter.stars == 0;
    is_keyword_only |= parameter.stars == 1;
    bool is_slash = str_equal(parameter.name, STR("/"));
    for (size_t i = 0; is_slash && i < parameters.count; i++)
      parameters.items[i].is_positional_only = true;
    if (parameter.name.len > 0 && !is_slash)
      vec_push(&parameters, parameter);
    start = end + 1;
  }
  PyParameter *kept = vec_copy(&parameters, arena);
  signature->parameters = kept;
  signature->parameter_count = (uint32_t)parameters.count;
  signature->takes_graph = parameters.count > 0 && str_equal(kept[0].name, STR("g"));
  vec_free(&parameters);
}

/// Room for a list of structs of `size` bytes, cleared.
static void *make_list(Unpacker *unpacker, enum PythonList list, size_t count, size_t size)
{
  void *items = arena_alloc(&unpacker->db->arena, count * size);
  unpacker->table->lists[list] = (NamedList){ .items = items, .count = count, .size = size };
  return items;
}

/// What finds no slot near its own is found in the sorted list.
static void index_list(NamedList *list, Arena *arena)
{
  uint32_t size = 1;
  while (size < 2 * list->count)
    size *= 2;
  list->mask = size - 1;
  list->slots = ARENA_ARRAY(arena, uint32_t, size + NAME_PROBES);
  for (size_t i = 0; i < list->count; i++) {
    const Str *name = (const Str *)((const char *)list->items + i * list->size);
    uint32_t *slots = &list->slots[str_hash(*name) & list->mask];
    uint32_t probe = 0;
    while (probe < NAME_PROBES && slots[probe] != 0)
      probe++;
    if (probe < NAME_PROBES)
      slots[probe] = (uint32_t)i + 1;
  }
}

static Str keep(Unpacker *unpacker, const char *text)
{
  return *text == '\0' ? STR("") : arena_copy(&unpacker->db->arena, str_from(text));
}

static void unpack_helpers(Unpacker *unpacker)
{
  Arena *arena = &unpacker->db->arena;
  PyHelper *helpers = make_list(unpacker, PYTHON_HELPERS, unpacker->from->n_helpers, sizeof(*helpers));
  for (size_t i = 0; i < unpacker->from->n_helpers; i++) {
    const Symbolics__PyHelper *from = unpacker->from->helpers[i];
    PySignature *signatures = ARENA_ARRAY(arena, PySignature, from->n_signatures);
    PyHelper *helper = &helpers[i];
    *helper = (PyHelper){ .name = keep(unpacker, from->name),
                          .signatures = signatures,
                          .signature_count = (uint32_t)from->n_signatures,
                          .result = from->result,
                          .replacement = keep(unpacker, from->replacement),
                          .deprecated = unpack_release(from->deprecated),
                          .summary = keep(unpacker, from->summary) };
    for (size_t k = 0; k < from->n_signatures; k++) {
      signatures[k].torch_versions =
          layer_map_versions(unpacker->db, unpacker->stack, from->signatures[k]->torch_versions);
      signatures[k].text = keep(unpacker, from->signatures[k]->text);
      read_signature(&signatures[k], arena);
      helper->torch_versions |= signatures[k].torch_versions;
    }
  }
}

static void unpack_descriptors(Unpacker *unpacker)
{
  PyDescriptor *descriptors =
      make_list(unpacker, PYTHON_DESCRIPTORS, unpacker->from->n_descriptors, sizeof(*descriptors));
  for (size_t i = 0; i < unpacker->from->n_descriptors; i++) {
    const Symbolics__PyDescriptor *from = unpacker->from->descriptors[i];
    descriptors[i] = (PyDescriptor){ .letter = keep(unpacker, from->letter),
                                     .gives = (PyKind)from->gives,
                                     .types = keep(unpacker, from->types),
                                     .words = keep(unpacker, from->words) };
  }
}

static OnnxAttributeType attribute_type(uint32_t number)
{
  return number <= ONNX_TYPE_PROTOS ? (OnnxAttributeType)number : ONNX_UNDEFINED;
}

static void unpack_suffixes(Unpacker *unpacker)
{
  PySuffix *suffixes = make_list(unpacker, PYTHON_SUFFIXES, unpacker->from->n_suffixes, sizeof(*suffixes));
  for (size_t i = 0; i < unpacker->from->n_suffixes; i++) {
    const Symbolics__PySuffix *from = unpacker->from->suffixes[i];
    suffixes[i] = (PySuffix){ .suffix = keep(unpacker, from->suffix),
                              .single = attribute_type(from->single),
                              .list = attribute_type(from->list),
                              .takes = keep(unpacker, from->takes),
                              .words = keep(unpacker, from->words) };
  }
}

static void unpack_api(Unpacker *unpacker)
{
  PyApi *api = make_list(unpacker, PYTHON_API, unpacker->from->n_api, sizeof(*api));
  for (size_t i = 0; i < unpacker->from->n_api; i++) {
    const Symbolics__PyApi *from = unpacker->from->api[i];
    api[i] = (PyApi){ .name = keep(unpacker, from->name),
                      .added = unpack_release(from->added),
                      .deprecated = unpack_release(from->deprecated),
                      .removed = unpack_release(from->removed),
                      .is_private = from->is_private,
                      .is_moved = from->is_moved,
                      .replacement = keep(unpacker, from->replacement),
                      .words = keep(unpacker, from->words) };
  }
}

static void unpack_members(Unpacker *unpacker)
{
  PyApiMember *members = make_list(unpacker, PYTHON_MEMBERS, unpacker->from->n_members, sizeof(*members));
  for (size_t i = 0; i < unpacker->from->n_members; i++) {
    const Symbolics__PyMember *from = unpacker->from->members[i];
    uint32_t versions = layer_map_versions(unpacker->db, unpacker->stack, from->torch_versions);
    members[i] = (PyApiMember){ keep(unpacker, from->name), versions };
  }
}

static const PyExportForm *unpack_forms(Unpacker *unpacker, const Symbolics__PyExportArgument *from)
{
  PyExportForm *forms = ARENA_ARRAY(&unpacker->db->arena, PyExportForm, from->n_forms);
  for (size_t i = 0; i < from->n_forms; i++) {
    const Symbolics__PyExportForm *form = from->forms[i];
    forms[i] =
        (PyExportForm){ .torch_versions = layer_map_versions(unpacker->db, unpacker->stack, form->torch_versions),
                        .position = form->position,
                        .has_default = form->has_default,
                        .default_text = keep(unpacker, form->default_text) };
  }
  return forms;
}

static const PyExportDefault *unpack_defaults(Unpacker *unpacker, const Symbolics__PyExportArgument *from)
{
  PyExportDefault *defaults = ARENA_ARRAY(&unpacker->db->arena, PyExportDefault, from->n_defaults);
  for (size_t i = 0; i < from->n_defaults; i++)
    defaults[i] =
        (PyExportDefault){ unpack_release(from->defaults[i]->since), keep(unpacker, from->defaults[i]->text) };
  return defaults;
}

static void unpack_arguments(Unpacker *unpacker)
{
  PyExportArgument *arguments =
      make_list(unpacker, PYTHON_ARGUMENTS, unpacker->from->n_export_arguments, sizeof(*arguments));
  for (size_t i = 0; i < unpacker->from->n_export_arguments; i++) {
    const Symbolics__PyExportArgument *from = unpacker->from->export_arguments[i];
    arguments[i] = (PyExportArgument){ .name = keep(unpacker, from->name),
                                       .added = unpack_release(from->added),
                                       .deprecated = unpack_release(from->deprecated),
                                       .removed = unpack_release(from->removed),
                                       .for_torchscript = from->for_torchscript,
                                       .for_dynamo = from->for_dynamo,
                                       .replacement = keep(unpacker, from->replacement),
                                       .words = keep(unpacker, from->words),
                                       .forms = unpack_forms(unpacker, from),
                                       .form_count = (uint32_t)from->n_forms,
                                       .defaults = unpack_defaults(unpacker, from),
                                       .default_count = (uint32_t)from->n_defaults };
  }
}

static void *build_table(SymbolicsDb *db, const void *what)
{
  const Stack *stack = what;
  Arena message = { 0 };
  Unpacker unpacker = { .db = db, .stack = stack, .table = ARENA_NEW(&db->arena, PythonTable) };
  unpacker.from = layer_unpack(&symbolics__python_table__descriptor, stack->layer->python, &message);
  if (unpacker.from) {
    unpack_helpers(&unpacker);
    unpack_descriptors(&unpacker);
    unpack_suffixes(&unpacker);
    unpack_api(&unpacker);
    unpack_members(&unpacker);
    unpack_arguments(&unpacker);
    for (uint32_t i = 0; i < PYTHON_LIST_COUNT; i++)
      index_list(&unpacker.table->lists[i], &db->arena);
  }
  arena_done(&message);
  return unpacker.table;
}

const PythonTable *export_api_table(const SymbolicsDb *db, uint32_t i)
{
  return slot_get(db, &db->stack[i].python, build_table, &db->stack[i]);
}

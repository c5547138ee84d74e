// What a model says of itself, the types of its inputs and outputs, its tensors, its functions.

#include "base/ascii.h"
#include "facts/onnx_elements.h"
#include "graph/onnx/onnx_rules.h"
#include "text/path.h"

enum {
  NEWEST_IR = 13,  ///< Of onnx 1.20 to 1.22.
  FIRST_IR_WITH_OPSETS = 3,
  FIRST_IR_WITH_DEFAULTS = 4,
  FIRST_IR_WITH_FUNCTIONS = 8,
};

// --- The header ---

static OnnxSpan header_place(const OnnxModel *model)
{
  return model->has_header ? (OnnxSpan){ model->header_at.start, model->header_at.start + 1 } : model->graph->name.at;
}

static void check_ir(OnnxCheck *check)
{
  const OnnxModel *model = check->model;
  if (!model->has_ir_version || model->ir_version == 0)
    onnx_report(check, model->has_ir_version ? model->ir_at : header_place(model), RULE_MODEL_HEADER,
                (Severity)SEVERITY_DEFAULT,
                "The model has no IR version; a header such as `<ir_version: 8, "
                "opset_import: [\"\" : 17]>` says it.");
  else if (model->ir_version > NEWEST_IR)
    onnx_report(check, model->ir_at, RULE_MODEL_HEADER, (Severity)SEVERITY_DEFAULT,
                "IR version %lld is newer than onnx knows; %d is the newest.", (long long)model->ir_version, NEWEST_IR);
  else if (model->ir_version < FIRST_IR_WITH_OPSETS && model->imports.count > 0)
    onnx_report(check, model->imports.at, RULE_MODEL_HEADER, (Severity)SEVERITY_DEFAULT,
                "Before IR version 3, a model can't import opsets.");
  else if (model->ir_version < FIRST_IR_WITH_OPSETS)
    onnx_report(check, model->ir_at, RULE_MODEL_HEADER, (Severity)SEVERITY_DEFAULT,
                "Before IR version 3, a model imports no opset, so the types of its values can't be told.");
  if (model->ir_version >= FIRST_IR_WITH_OPSETS && model->imports.count == 0 && !model->imports.is_cut)
    onnx_report(check, header_place(model), RULE_MODEL_HEADER, (Severity)SEVERITY_DEFAULT,
                "The model imports no opset; `opset_import: [\"\" : 17]` is missing.");
}

static void check_metadata(OnnxCheck *check)
{
  OnnxSymbols keys = { 0 };
  const OnnxModel *model = check->model;
  for (uint32_t i = 0; i < model->metadata_count; i++) {
    uint32_t known = (uint32_t)keys.texts.count;
    if (onnx_symbol_of(&keys, model->metadata[i].key) != known)
      onnx_report(check, model->metadata[i].at, RULE_MODEL_HEADER, (Severity)SEVERITY_DEFAULT,
                  "The key `%.*s` of the metadata is there already.", STR_ARG(model->metadata[i].key));
  }
  onnx_symbols_done(&keys);
}

void onnx_check_header(OnnxCheck *check)
{
  const OnnxModel *model = check->model;
  if (model->is_bare)
    onnx_report(check, header_place(model), RULE_PARTLY_CHECKED, (Severity)SEVERITY_DEFAULT,
                "This graph was printed without its model, which says the opsets, so its operators were not judged; "
                "print the whole model.");
  else if (!model->is_damaged || model->has_ir_version)
    check_ir(check);
  check_metadata(check);
  if (check->model->graph->name.text.len == 0)
    onnx_report(check, check->model->graph->name.at, RULE_MODEL_HEADER, (Severity)SEVERITY_DEFAULT,
                "The graph has no name.");
}

// --- Inputs and outputs ---

static void check_value_type(OnnxCheck *check, const OnnxValue *value, const char *what)
{
  const OnnxType *type = value->type;
  if (value->name.text.len == 0)
    onnx_report(check, value->name.at, RULE_MODEL_HEADER, (Severity)SEVERITY_DEFAULT, "This %s has no name.", what);
  else if (!type)
    onnx_report(check, value->name.at, RULE_MISSING_TYPE, (Severity)SEVERITY_DEFAULT,
                "The %s `%.*s` of the model has no type.", what, STR_ARG(value->name.text));
  else if ((type->kind == ONNX_TYPE_TENSOR || type->kind == ONNX_TYPE_SPARSE) && !type->has_shape)
    onnx_report(check, value->type_at, RULE_MISSING_TYPE, (Severity)SEVERITY_DEFAULT,
                "The %s `%.*s` of the model has no shape; write its dimensions, `?` or names where they vary.", what,
                STR_ARG(value->name.text));
}

static void check_names_given(OnnxCheck *check, const OnnxValue *value)
{
  for (; value; value = value->next) {
    if (value->name.text.len == 0)
      onnx_report(check, value->name.at, RULE_MODEL_HEADER, (Severity)SEVERITY_DEFAULT, "This value has no name.");
  }
}

void onnx_check_values(OnnxCheck *check, const OnnxGraph *graph)
{
  bool is_main = !graph->owner && !graph->is_function && !check->model->may_lack_types;
  for (const OnnxValue *input = graph->inputs; input && is_main; input = input->next)
    check_value_type(check, input, "input");
  for (const OnnxValue *input = graph->inputs; input && is_main; input = input->next)
    onnx_check_outer_type(check, input);
  for (const OnnxValue *output = graph->outputs; output && is_main; output = output->next)
    check_value_type(check, output, "output");
  for (const OnnxValue *output = graph->outputs; output && is_main; output = output->next)
    onnx_check_outer_type(check, output);
  if (!is_main && !graph->is_function) {
    check_names_given(check, graph->inputs);
    check_names_given(check, graph->outputs);
  }
  for (const OnnxValue *input = graph->inputs; input; input = input->next)
    onnx_check_tensor(check, &input->name, input->name.symbol, input->type, input->data);
  for (const OnnxValue *info = graph->infos; info; info = info->next)
    onnx_check_tensor(check, &info->name, info->name.symbol, info->type, info->data);
}

// --- Tensors ---

typedef struct ValueRoom {
  uint64_t count;  ///< Of values that the shape has room for, as the checker has it: 64 bits of the product.
  bool is_negative;
  bool overflows;
} ValueRoom;

static ValueRoom room_of(const OnnxType *type)
{
  ValueRoom room = { .count = 1 };
  bool has_zero = false;
  for (uint32_t i = 0; i < type->rank; i++) {
    int64_t dim = type->dims[i].value;
    room.is_negative |= dim < 0;
    has_zero |= dim == 0;
    room.overflows |= __builtin_mul_overflow(room.count, (uint64_t)dim, &room.count) || room.count > INT64_MAX;
  }
  room.overflows &= !has_zero;
  return room;
}

static bool is_one_number_a_value(uint32_t element)
{
  return element != ELEM_COMPLEX64 && element != ELEM_COMPLEX128 && element != ELEM_INT4 && element != ELEM_UINT4 &&
         element != ELEM_FLOAT4E2M1 && element != ELEM_INT2 && element != ELEM_UINT2;
}

/// Whether a session reads an entry. Source: onnxruntime 1.21 and 1.23, tried.
static bool is_readable(const OnnxPair *pair)
{
  if (str_equal(pair->key, STR("offset")) || str_equal(pair->key, STR("length")))
    return pair->value.len > 0 && ascii_digits_end(pair->value, 0) == pair->value.len;
  return str_equal(pair->key, STR("location")) || str_equal(pair->key, STR("checksum")) ||
         str_starts_with(pair->key, STR("prepacked"));
}

static void check_entries(OnnxCheck *check, const OnnxName *name, uint32_t symbol, const OnnxData *data)
{
  for (uint32_t i = 0; i < data->pair_count; i++) {
    if (is_readable(&data->pairs[i]))
      continue;
    onnx_report(check, data->pairs[i].at, RULE_TENSOR_DATA, onnx_unreadable_severity(check, symbol),
                "Where the values of `%.*s` lie is told by `location`, `offset` and `length`, these two in digits; the "
                "checker passes other entries, and ONNX Runtime refuses them.",
                STR_ARG(name->text));
    return;
  }
}

static void check_external(OnnxCheck *check, const OnnxName *name, uint32_t symbol, const OnnxData *data)
{
  const OnnxPair *location = NULL;
  for (uint32_t i = 0; i < data->pair_count; i++)
    location = str_equal(data->pairs[i].key, STR("location")) ? &data->pairs[i] : location;
  if (!location || location->value.len == 0)
    onnx_report(check, data->at, RULE_TENSOR_DATA, (Severity)SEVERITY_DEFAULT,
                "The values of `%.*s` lie in a file, and `location` doesn't say which.", STR_ARG(name->text));
  else if (path_leaves_folder(location->value, check->arena))
    onnx_report(check, location->at, RULE_TENSOR_DATA, (Severity)SEVERITY_DEFAULT,
                "The values of `%.*s` have to lie in the folder of the model, and `%.*s` leads out of it.",
                STR_ARG(name->text), STR_ARG(location->value));
  else if (onnx_is_noted(check->model, data, STR(ONNX_SHORT_FILE_NOTE)))
    onnx_report(check, data->at, RULE_TENSOR_DATA, onnx_unreadable_severity(check, symbol),
                "The file with the values of `%.*s` ends before they do; the checker passes it, and a runtime can't "
                "load it.",
                STR_ARG(name->text));
  else if (onnx_is_noted(check->model, data, STR(ONNX_LENGTH_NOTE)))
    onnx_report(check, data->at, RULE_TENSOR_DATA, onnx_unreadable_severity(check, symbol),
                "The `length` of the values of `%.*s` is not that of its type and shape; the checker passes it, and "
                "ONNX Runtime can't load it.",
                STR_ARG(name->text));
  else
    check_entries(check, name, symbol, data);
}

/// Counts that don't fit: onnx passes them, and whoever needs the values can't read them.
static void report_count(OnnxCheck *check, const OnnxName *name, uint32_t symbol, OnnxSpan at, Str has, uint64_t room)
{
  Severity severity = onnx_unreadable_severity(check, symbol);
  onnx_report(check, at, RULE_TENSOR_DATA, severity,
              "`%.*s` has room for %llu values by its shape, and %.*s; the checker passes it, and a runtime can't "
              "load it.",
              STR_ARG(name->text), (unsigned long long)room, STR_ARG(has));
}

static void check_count(OnnxCheck *check, const OnnxName *name, uint32_t symbol, const OnnxType *type,
                        const OnnxData *data, uint64_t room)
{
  Str word = onnx_element_word(type->element);
  if (onnx_is_noted(check->model, data, STR(ONNX_RAW_NOTE)) &&
      !onnx_is_noted(check->model, data, STR(ONNX_REFUSED_NOTE)))
    report_count(check, name, symbol, data->at, STR("other data than that"), room);
  else if (data->is_left_out) {
    if (onnx_is_noted(check->model, data, STR(ONNX_COUNT_NOTE)))
      report_count(check, name, symbol, data->at, STR("other data than that"), room);
  } else if (room == 0 && data->count > 0) {
    onnx_report(check, data->at, RULE_TENSOR_DATA, (Severity)SEVERITY_DEFAULT,
                "`%.*s` has no room for values by its shape, and has some.", STR_ARG(name->text));
  } else if (room > 0 && data->count == 0) {
    // What a model has none of at all, its printer says.
    onnx_report(check, data->at.start < data->at.end ? data->at : name->at, RULE_TENSOR_DATA,
                check->model->is_printed ? SEVERITY_WARNING : (Severity)SEVERITY_DEFAULT,
                "`%.*s` has room for %llu %.*s by its shape, and no values.", STR_ARG(name->text),
                (unsigned long long)room, STR_ARG(word));
  } else if (onnx_is_noted(check->model, data, STR(ONNX_MORE_NOTE))) {
    report_count(check, name, symbol, data->at, STR("more values than that"), room);
  } else if (is_one_number_a_value(type->element) && room != data->count) {
    report_count(check, name, symbol, data->at, arena_printf(check->arena, "has %llu", (unsigned long long)data->count),
                 room);
  }
}

/// A shape that no tensor can have: the checker counts on, whoever reads the values doesn't.
static void check_unreal(OnnxCheck *check, const OnnxName *name, uint32_t symbol, const OnnxData *data, ValueRoom room)
{
  bool is_refused = !data->is_left_out && (room.count == 0) == (data->count > 0);
  if (onnx_is_noted(check->model, data, STR(ONNX_REFUSED_NOTE)))
    return;  // It is told there.
  onnx_report(check, data->at, RULE_TENSOR_DATA,
              is_refused ? (Severity)SEVERITY_DEFAULT : onnx_unreadable_severity(check, symbol), "%s of `%.*s` %s; %s.",
              room.is_negative ? "A dimension" : "The dimensions", STR_ARG(name->text),
              room.is_negative ? "is negative" : "multiply to 2^63 or more",
              !is_refused       ? "the checker passes it, and a runtime can't load it"
              : room.count == 0 ? "the checker takes the product for 0, and there are values"
                                : "there are no values");
}

void onnx_check_tensor(OnnxCheck *check, const OnnxName *name, uint32_t symbol, const OnnxType *type,
                       const OnnxData *data)
{
  if (!data || !type)
    return;
  onnx_check_stored_type(check, name, type->element);
  if (data->is_external) {
    check_external(check, name, symbol, data);
    return;
  }
  size_t reports = check->reports;
  ValueRoom room = room_of(type);
  if (room.is_negative || room.overflows)
    check_unreal(check, name, symbol, data, room);
  else
    check_count(check, name, symbol, type, data, room.count);
  if (room.count > 0 && data->count > 0)
    check->reports = reports;  // Its type is known all the same.
}

// --- Functions ---

static void check_unique(OnnxCheck *check, const OnnxValue *first, const char *what)
{
  OnnxSymbols names = { 0 };
  for (const OnnxValue *value = first; value; value = value->next) {
    uint32_t known = (uint32_t)names.texts.count;
    if (onnx_symbol_of(&names, value->name.text) != known)
      onnx_report(check, value->name.at, RULE_MODEL_FUNCTION, (Severity)SEVERITY_DEFAULT,
                  "This function has the %s `%.*s` twice.", what, STR_ARG(value->name.text));
  }
  onnx_symbols_done(&names);
}

/// Those with a default are a list of their own, and of its names nobody asks.
static void check_function_attrs(OnnxCheck *check, const OnnxFunction *function)
{
  OnnxSymbols names = { 0 };
  for (const OnnxAttr *attr = function->attrs; attr; attr = attr->next) {
    if (attr->value_at.start < attr->value_at.end)
      continue;
    uint32_t known = (uint32_t)names.texts.count;
    if (onnx_symbol_of(&names, attr->name.text) != known)
      onnx_report(check, attr->name.at, RULE_MODEL_FUNCTION, (Severity)SEVERITY_DEFAULT,
                  "This function has the attribute `%.*s` twice.", STR_ARG(attr->name.text));
  }
  onnx_symbols_done(&names);
}

/// The function and the model have to mean the same operator where both import a domain.
static void check_import(OnnxCheck *check, const OnnxNode *node)
{
  const OnnxImport *own = onnx_import_of(&check->function->imports, node->domain);
  const OnnxImport *models = onnx_import_of(&check->model->imports, node->domain);
  // Version -1 is none to the checker.
  if (!own || !models || own->version == models->version || models->version == -1 || onnx_is_removed_experiment(node))
    return;
  const OnnxOperator *op = symbolics_onnx_operator(check->db, node->domain, node->op);
  const OnnxSchema *here = op ? onnx_operator_at(op, own->version) : NULL;
  const OnnxSchema *there = op ? onnx_operator_at(op, models->version) : NULL;
  if (here != there)
    onnx_report_related(check, node->op_at, RULE_MODEL_FUNCTION, (Severity)SEVERITY_DEFAULT, own->at, "Imported here.",
                        "The function imports version %lld, the model %lld, and `%.*s` is not the same in both.",
                        (long long)own->version, (long long)models->version, STR_ARG(node->op));
}

/// A session tells functions by their names alone. Source: onnxruntime 1.21 and 1.23, tried.
static void warn_overloads(OnnxCheck *check)
{
  OnnxSymbols names = { 0 };
  Vec(const OnnxFunction *) last = { 0 };
  for (int pass = 0; pass < 2; pass++) {
    for (const OnnxFunction *f = check->model->functions; f; f = f->next) {
      const Str parts[] = { f->domain, STR("\n"), f->graph.name.text };
      uint32_t symbol = onnx_symbol_of(&names, arena_join(check->arena, parts, COUNT(parts)));
      if (pass == 0 && symbol == last.count)
        vec_push(&last, f);
      else if (pass == 0)
        last.items[symbol] = f;
      else if (last.items[symbol] != f)
        onnx_report_related(check, f->graph.name.at, RULE_MODEL_FUNCTION, SEVERITY_WARNING,
                            last.items[symbol]->graph.name.at, "This one is called.",
                            "%.*s doesn't know overloads: of the functions `%.*s` the last one is called everywhere.",
                            STR_ARG(onnx_runtime_words(check)), STR_ARG(f->graph.name.text));
    }
  }
  vec_free(&last);
  onnx_symbols_done(&names);
}

static void check_signatures(OnnxCheck *check)
{
  if (check->runtime.limits)
    warn_overloads(check);
  for (const OnnxFunction *function = check->model->functions; function; function = function->next) {
    if (function->graph.name.text.len == 0)
      onnx_report(check, function->graph.name.at, RULE_MODEL_FUNCTION, (Severity)SEVERITY_DEFAULT,
                  "This function has no name.");
    if (!function->has_domain)
      onnx_report(check, function->graph.name.at, RULE_MODEL_FUNCTION, (Severity)SEVERITY_DEFAULT,
                  "The function `%.*s` has no domain; a header such as `<domain: \"my.functions\", opset_import: "
                  "[\"\" : 17]>` says it.",
                  STR_ARG(function->graph.name.text));
    check_unique(check, function->graph.outputs, "output");
    check_function_attrs(check, function);
  }
}

void onnx_check_functions(OnnxCheck *check)
{
  if (!check->model->functions)
    return;
  if (onnx_functions_are_passed(check)) {
    onnx_report(check, check->model->functions->graph.name.at, RULE_MODEL_FUNCTION, SEVERITY_WARNING,
                "Models have functions since IR version 8; the checker does not look at them in an older one.");
    return;
  }
  check_signatures(check);
  for (size_t i = 0; i < check->model->events.count; i++) {
    const OnnxEvent *event = &check->model->events.items[i];
    check->function = event->function;
    // The official checker asks only nodes of the body itself.
    if (event->kind == ONNX_AT_NODE && event->function && event->graph->is_function)
      check_import(check, event->node);
  }
  check->function = NULL;
  onnx_check_recursion(check);
}

bool onnx_has_defaults(const OnnxModel *model)
{
  return !model->has_ir_version || model->ir_version >= FIRST_IR_WITH_DEFAULTS;
}

bool onnx_functions_are_passed(const OnnxCheck *check)
{
  return check->model->has_ir_version && check->model->ir_version < FIRST_IR_WITH_FUNCTIONS;
}

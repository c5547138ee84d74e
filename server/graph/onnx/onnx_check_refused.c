// Types that are refused where inference meets them, and nowhere else.
#include "base/limits.h"
#include "graph/onnx/onnx_rules.h"

static bool has_symbol(const OnnxNames *names, uint32_t symbol)
{
  for (uint32_t i = 0; i < names->count; i++) {
    if (names->items[i].symbol == symbol)
      return true;
  }
  return false;
}

/// The first node with a schema that takes the value, or makes it if that counts, too: whatever else a type belongs to
/// is never looked at.
static const OnnxNode *find_node_meeting(OnnxCheck *check, uint32_t symbol, bool making_counts)
{
  for (size_t i = 0; i < check->model->events.count; i++) {
    const OnnxEvent *event = &check->model->events.items[i];
    if (event->kind != ONNX_AT_NODE || event->function)
      continue;
    bool meets =
        has_symbol(&event->node->inputs, symbol) || (making_counts && has_symbol(&event->node->outputs, symbol));
    check->function = NULL;
    if (meets && onnx_schema_of(check, event->node, NULL))
      return event->node;
  }
  return NULL;
}

static const OnnxValue *find_value(const OnnxValue *value, uint32_t symbol, bool with_data)
{
  while (value && (value->name.symbol != symbol || (with_data && !value->data)))
    value = value->next;
  return value;
}

/// The value inside of a graph that stands before the place, on its line.
static const OnnxValue *find_info_before(const OnnxCheck *check, uint32_t at, const OnnxGraph **ret_graph)
{
  for (size_t i = 0; i < check->model->events.count; i++) {
    const OnnxEvent *event = &check->model->events.items[i];
    for (const OnnxValue *info = event->kind == ONNX_ENTER_GRAPH ? event->graph->infos : NULL; info;
         info = info->next) {
      uint32_t end = info->name.at.end;
      *ret_graph = event->graph;
      if (end <= at && !memchr(check->model->text.data + end, '\n', at - end))
        return info;
    }
  }
  return NULL;
}

/// Raw data of no type is never looked at but by a node that takes it.
static bool is_taken(OnnxCheck *check, OnnxSpan at)
{
  const OnnxGraph *graph;
  const OnnxValue *info = find_info_before(check, at.start, &graph);
  return !info || info->name.symbol == ONNX_NO_SYMBOL || find_node_meeting(check, info->name.symbol, false);
}

/// An attribute is only compared with the schema of its operator; the note stands before the node.
static bool is_wanted(OnnxCheck *check, OnnxSpan at)
{
  for (size_t i = 0; i < check->model->events.count; i++) {
    const OnnxEvent *event = &check->model->events.items[i];
    if (event->kind != ONNX_AT_NODE || event->node->at.start < at.end)
      continue;
    check->function = event->function;
    return onnx_schema_of(check, event->node, NULL);
  }
  return true;
}

/// What the graph's inputs and outputs say of a value counts for more.
static bool is_met(OnnxCheck *check, OnnxSpan at)
{
  const OnnxGraph *graph;
  const OnnxValue *info = find_info_before(check, at.start, &graph);
  uint32_t symbol = info ? info->name.symbol : ONNX_NO_SYMBOL;
  if (symbol == ONNX_NO_SYMBOL || find_value(graph->inputs, symbol, false) || find_value(graph->outputs, symbol, false))
    return false;
  return find_value(graph->infos, symbol, true) || find_node_meeting(check, symbol, true);
}

/// What is refused only where somebody looks.
static const struct {
  Str words;
  OnnxRefused which;
  bool (*is_refused)(OnnxCheck *check, OnnxSpan at);
} conditions[] = {
  { STR_INIT(" of an input or output is none"), ONNX_REFUSED_ENDS, NULL },
  { STR_INIT(" of a value is none"), ONNX_REFUSED_IF_MET, is_met },
  { STR_INIT(" of raw data is none"), ONNX_REFUSED_IF_MET, is_taken },
  { STR_INIT("attribute without its value"), ONNX_REFUSED_IF_MET, is_wanted },
};

static bool is_refused(OnnxCheck *check, OnnxSpan at, Str words, OnnxRefused which)
{
  for (size_t i = 0; i < COUNT(conditions); i++) {
    if (str_contains(words, conditions[i].words))
      return which == conditions[i].which && (!conditions[i].is_refused || conditions[i].is_refused(check, at));
  }
  return which == ONNX_REFUSED_ALWAYS;
}

/// Up to the next one of the same line: `no attribute type; refused: no attribute type`.
static OnnxSpan first_refusal(const OnnxModel *model, OnnxSpan at)
{
  size_t more = str_find(str_slice(model->text, at.start, at.end), STR("; " ONNX_REFUSED_NOTE), 0);
  return more == STR_NOT_FOUND ? at : (OnnxSpan){ at.start, at.start + (uint32_t)more };
}

/// What one cause does to many places of a model: a file that is missing, a writer of before IR version 2.
static const Str of_whole_model[] = { STR_INIT("the file of its values "), STR_INIT("no attribute type"),
                                      STR_INIT("text that is no UTF-8") };

/// Which of them it is; COUNT(of_whole_model) for another one.
static size_t whole_model_kind(const OnnxModel *model, OnnxSpan at)
{
  size_t kind = 0;
  Str words = str_slice(model->text, at.start, at.end);
  while (kind < COUNT(of_whole_model) && !str_starts_with(words, of_whole_model[kind]))
    kind++;
  return kind;
}

/// " The same holds for 7 more."
static Str others_of_kind(OnnxCheck *check, size_t kind)
{
  const OnnxModel *model = check->model;
  uint32_t count = 0;
  for (size_t i = 0; i < model->refusals.count; i++)
    count += whole_model_kind(model, model->refusals.items[i]) == kind;
  return count < 2 ? STR("") : arena_printf(check->arena, " The same holds for %u more.", count - 1);
}

/// In a function of a model so old that the checker doesn't look at functions.
static bool is_passed(const OnnxCheck *check, OnnxSpan at)
{
  const OnnxFunction *function = onnx_functions_are_passed(check) ? check->model->functions : NULL;
  while (function && (at.start < function->graph.at.start || at.start >= function->graph.at.end))
    function = function->next;
  return function != NULL;
}

void onnx_report_refusals(OnnxCheck *check, OnnxRefused which)
{
  const OnnxModel *model = check->model;
  bool told[COUNT(of_whole_model) + 1] = { false };
  for (size_t i = 0; i < model->refusals.count; i++) {
    OnnxSpan at = model->refusals.items[i];
    size_t kind = whole_model_kind(model, at);
    if (told[kind] || !is_refused(check, at, str_slice(model->text, at.start, at.end), which) || is_passed(check, at))
      continue;
    bool is_whole = kind < COUNT(of_whole_model);
    told[kind] = is_whole;
    OnnxSpan first = first_refusal(model, at);
    Str others = is_whole ? others_of_kind(check, kind) : STR("");
    onnx_report(check, first, RULE_TENSOR_DATA, (Severity)SEVERITY_DEFAULT,
                "The checker refuses what the model says here: %.*s.%.*s", (int)(first.end - first.start),
                model->text.data + first.start, STR_ARG(others));
  }
  check->function = NULL;
}

static bool is_nested_undefined(const OnnxType *type)
{
  const OnnxType *inner = type;
  while (inner && inner->inner)
    inner = inner->inner;
  bool is_none = inner && (inner->kind == ONNX_TYPE_NONE || (inner->kind == ONNX_TYPE_TENSOR && inner->element == 0));
  return inner != type && is_none;
}

/// Whether a node with a schema takes what goes into the call as its input `i`.
static bool is_taken_inside(OnnxCheck *check, const OnnxFunction *function, uint32_t i)
{
  const OnnxValue *input = function->graph.inputs;
  bool is_one = false;
  while (input && i-- > 0)
    input = input->next;
  for (uint32_t k = function->first_event; input && !is_one && k < function->end_event; k++) {
    if (check->nodes_tried++ >= ONNX_LATER_BUDGET)
      break;
    const OnnxEvent *event = &check->model->events.items[k];
    check->function = function;
    is_one = event->kind == ONNX_AT_NODE && has_symbol(&event->node->inputs, input->name.symbol) &&
             onnx_schema_of(check, event->node, NULL);
  }
  check->function = NULL;
  return is_one;
}

static bool looks_at_input(OnnxCheck *check, const OnnxNode *node, uint32_t i)
{
  const OnnxFunction *function = onnx_called_function(check, node);
  return onnx_schema_of(check, node, NULL) || (function && is_taken_inside(check, function, i));
}

/// Reports those of `asked`, by symbol, that the node takes, each once.
static void report_taken(OnnxCheck *check, const OnnxNode *node, const OnnxValue **asked)
{
  for (uint32_t i = 0; i < node->inputs.count; i++) {
    uint32_t symbol = node->inputs.items[i].symbol;
    const OnnxValue *input = symbol != ONNX_NO_SYMBOL ? asked[symbol] : NULL;
    if (!input || !looks_at_input(check, node, i))
      continue;
    asked[symbol] = NULL;
    onnx_report_related(check, input->type_at, RULE_TYPE_MISMATCH, SEVERITY_ERROR, node->op_at, "Needed here.",
                        "Nothing gives this a type, and `%.*s` goes on with it.", STR_ARG(node->op));
  }
}

void onnx_check_nested_undefined(OnnxCheck *check)
{
  const OnnxValue **asked = xcalloc(check->symbols.texts.count + 1, sizeof(*asked));
  size_t count = 0;
  for (const OnnxValue *input = check->model->graph->inputs; input; input = input->next) {
    if (input->name.symbol == ONNX_NO_SYMBOL || !is_nested_undefined(input->type))
      continue;
    asked[input->name.symbol] = input;
    count++;
  }
  check->function = NULL;
  for (size_t i = 0; i < check->model->events.count && count > 0; i++) {
    const OnnxEvent *event = &check->model->events.items[i];
    if (event->kind == ONNX_AT_NODE && !event->function)
      report_taken(check, event->node, asked);
  }
  free(asked);
}

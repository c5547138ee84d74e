// Functions that call themselves, at once or through others: onnx and its runtimes put bodies in the place of calls, so
// they never come to an end.

#include "graph/onnx/onnx_rules.h"

/// A call of one function in the body of another; 0 is the model's graph, function i is i + 1.
typedef struct Call {
  uint32_t from;
  uint32_t to;
  const OnnxNode *node;
} Call;

typedef enum Colour {
  UNSEEN,
  OPEN,  ///< One of those that the walk has come through.
  DONE,
} Colour;

typedef struct Visit {
  uint32_t function;
  uint32_t next;  ///< The next call to look at.
} Visit;

typedef struct Calls {
  OnnxCheck *check;
  Vec(Call) calls;  ///< Sorted by `from`.
  uint32_t *first;  ///< By function: its first call; one more at the end.
  uint32_t count;   ///< Functions and the graph.
  uint8_t *colours;
  uint64_t *nodes;                 ///< By function: those that a call stands for, with those of further calls.
  uint32_t *levels;                ///< By function: how deep calls nest in it.
  const OnnxFunction **functions;  ///< By function; NULL for the graph.
  Vec(Visit) stack;
} Calls;

static uint32_t number_of(const OnnxFunction *function)
{
  return function ? function->number + 1 : 0;
}

static int compare_calls(const void *left, const void *right)
{
  const Call *a = left;
  const Call *b = right;
  if (a->from != b->from)
    return a->from < b->from ? -1 : 1;
  return a->node->at.start < b->node->at.start ? -1 : 1;
}

static void collect(Calls *calls)
{
  OnnxCheck *check = calls->check;
  for (size_t i = 0; i < check->model->events.count; i++) {
    const OnnxEvent *event = &check->model->events.items[i];
    const OnnxFunction *callee = event->kind == ONNX_AT_NODE ? onnx_called_function(check, event->node) : NULL;
    if (callee)
      vec_push(&calls->calls, (Call){ number_of(event->function), number_of(callee), event->node });
  }
  vec_sort(&calls->calls, compare_calls);
  calls->first = xcalloc(calls->count + 1, sizeof(*calls->first));
  for (size_t i = 0; i < calls->calls.count; i++)
    calls->first[calls->calls.items[i].from + 1]++;
  for (uint32_t i = 0; i < calls->count; i++)
    calls->first[i + 1] += calls->first[i];
}

static void visit(Calls *calls, uint32_t function)
{
  calls->colours[function] = OPEN;
  vec_push(&calls->stack, (Visit){ function, calls->first[function] });
}

/// What a call stands for, when all that it calls is known. A body that is open is never put in its own place.
static void sum_up(Calls *calls, uint32_t function)
{
  const OnnxFunction *body = calls->functions[function];
  uint64_t nodes = body ? body->end_event - body->first_event : 0;
  uint32_t levels = 0;
  for (uint32_t i = calls->first[function]; i < calls->first[function + 1]; i++) {
    uint32_t to = calls->calls.items[i].to;
    bool is_done = calls->colours[to] == DONE;
    if (is_done && __builtin_add_overflow(nodes, calls->nodes[to], &nodes))
      nodes = UINT64_MAX;
    levels = is_done && calls->levels[to] >= levels ? calls->levels[to] + 1 : levels;
  }
  calls->nodes[function] = nodes;
  calls->levels[function] = levels;
}

/// A call of a function that is open leads back to it.
static void walk(Calls *calls, uint32_t root, Severity severity)
{
  visit(calls, root);
  while (calls->stack.count > 0) {
    Visit *top = vec_last(&calls->stack);
    if (top->next == calls->first[top->function + 1]) {
      sum_up(calls, top->function);
      calls->colours[top->function] = DONE;
      calls->stack.count--;
      continue;
    }
    const Call *call = &calls->calls.items[top->next++];
    if (calls->colours[call->to] == UNSEEN)
      visit(calls, call->to);
    else if (calls->colours[call->to] == OPEN)
      onnx_report(calls->check, call->node->op_at, RULE_MODEL_FUNCTION, severity,
                  "This call leads back to the function that it stands in, so it has no end.");
  }
}

static void begin(Calls *calls, OnnxCheck *check)
{
  *calls = (Calls){ .check = check, .count = 1 };
  for (const OnnxFunction *function = check->model->functions; function; function = function->next)
    calls->count = function->number + 2;
  calls->colours = xcalloc(calls->count, 1);
  calls->nodes = xcalloc(calls->count, sizeof(*calls->nodes));
  calls->levels = xcalloc(calls->count, sizeof(*calls->levels));
  calls->functions = xcalloc(calls->count, sizeof(*calls->functions));
  for (const OnnxFunction *function = check->model->functions; function; function = function->next)
    calls->functions[number_of(function)] = function;
  collect(calls);
  walk(calls, 0, SEVERITY_ERROR);
}

static void end(Calls *calls)
{
  vec_free(&calls->calls);
  vec_free(&calls->stack);
  free(calls->first);
  free(calls->colours);
  free(calls->nodes);
  free(calls->levels);
  free(calls->functions);
}

void onnx_check_recursion(OnnxCheck *check)
{
  Calls calls;
  begin(&calls, check);
  for (uint32_t i = 1; i < calls.count; i++) {
    if (calls.colours[i] == UNSEEN)
      walk(&calls, i, SEVERITY_WARNING);  // Nothing calls it, so nothing hangs.
  }
  end(&calls);
}

bool onnx_calls_are_followed(OnnxCheck *check)
{
  Calls calls;
  begin(&calls, check);
  bool fits = calls.nodes[0] <= ONNX_CALL_BUDGET && calls.levels[0] <= ONNX_CALL_DEPTH;
  end(&calls);
  return fits;
}

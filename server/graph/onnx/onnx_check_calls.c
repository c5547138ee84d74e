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

/// A call of a function that is open leads back to it.
static void walk(Calls *calls, uint32_t root, Severity severity)
{
  visit(calls, root);
  while (calls->stack.count > 0) {
    Visit *top = vec_last(&calls->stack);
    if (top->next == calls->first[top->function + 1]) {
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

void onnx_check_recursion(OnnxCheck *check)
{
  Calls calls = { .check = check, .count = 1 };
  for (const OnnxFunction *function = check->model->functions; function; function = function->next)
    calls.count = function->number + 2;
  calls.colours = xcalloc(calls.count, 1);
  collect(&calls);
  walk(&calls, 0, SEVERITY_ERROR);
  for (uint32_t i = 1; i < calls.count; i++) {
    if (calls.colours[i] == UNSEEN)
      walk(&calls, i, SEVERITY_WARNING);  // Nothing calls it, so nothing hangs.
  }
  vec_free(&calls.calls);
  vec_free(&calls.stack);
  free(calls.first);
  free(calls.colours);
}

// The interpreter: goes through the statements of a file with a stack of those that are open; see interpret.h.

#include "python/model/interpret.h"

#include "base/limits.h"

void interpret_move_to(Interpreter *in, Passage passage)
{
  in->at = passage;
  in->passage = interpret_note_passage(in, passage);
}

static Frame *open_frame(Interpreter *in, PyRef node)
{
  Frame frame = {
    .node = node,
    .end = in->tree->nodes[node].next,
    .before = in->at,
    .rest = in->at,
    .chosen = in->at,
    .stamp = ++in->stamps,
    .exits = in->exits,
    .first_joined = in->joined.count,
    .first_ruled_out = in->ruled_out.count,
    .narrowed = PY_ABSENT,
  };
  vec_push(&in->frames, frame);
  return vec_last(&in->frames);
}

// --- Branches ---

/// A `try` that does nothing but import, and note that it could.
static bool only_imports(const PyTree *tree, PyRef try_statement)
{
  enum { MOST = 8 };
  PyRef block = py_child(tree, try_statement, PY_F_BODY);
  uint32_t count = 0;
  for (PyRef node = block ? py_first_child(tree, block) : 0; node; node = py_next_sibling(tree, node), count++) {
    PyNodeKind kind = py_kind(tree, node);
    bool is_import = kind == PYK_IMPORT_STATEMENT || kind == PYK_IMPORT_FROM_STATEMENT;
    bool is_noted =
        kind == PYK_EXPRESSION_STATEMENT && count > 0 && py_kind(tree, py_first_child(tree, node)) == PYK_ASSIGNMENT;
    if (count == MOST || (!is_import && !is_noted))
      return false;
  }
  return count > 0;
}

/// `except ImportError:` and what else says that a name or an argument is not there.
static bool handles_absence(const PyTree *tree, PyRef try_statement)
{
  if (only_imports(tree, try_statement))
    return true;
  static const char *const names[] = { "ImportError", "ModuleNotFoundError", "AttributeError", "TypeError" };
  PyRef suppressed = py_tree_suppressed(tree, try_statement);
  if (suppressed)
    return str_contains_one_of(py_text(tree, suppressed), names, COUNT(names));
  for (PY_EACH_CHILD(tree, clause, try_statement)) {
    PyRef first = py_kind(tree, clause) == PYK_EXCEPT_CLAUSE ? py_first_child(tree, clause) : 0;
    if (first && py_kind(tree, first) != PYK_BLOCK && str_contains_one_of(py_text(tree, first), names, COUNT(names)))
      return true;
  }
  return false;
}

/// Of those that have a meeting; a `with` has one only where it suppresses exceptions.
static bool is_try(PyNodeKind kind)
{
  return kind == PYK_TRY_STATEMENT || kind == PYK_WITH_STATEMENT;
}

/// `if`, `for`, `try`...: what holds the blocks of which some are run.
static void open_meeting(Interpreter *in, PyRef node)
{
  PyNodeKind kind = py_kind(in->tree, node);
  Frame *frame = open_frame(in, node);
  frame->out = (Passage){ .without = CALL_SET_ALL, .may_have_left = true };
  frame->is_loop = kind == PYK_FOR_STATEMENT || kind == PYK_WHILE_STATEMENT;
  if (is_try(kind) && handles_absence(in->tree, node)) {
    frame->chosen.asks_version = frame->rest.asks_version = true;
    interpret_move_to(in, frame->chosen);
  }
  if (frame->is_loop)
    in->loops++;
}

/// Whether the block may be left anywhere, or run again.
static bool is_region(const PyTree *tree, const Frame *meeting, PyRef block)
{
  return tree->nodes[block].parent == meeting->node && (meeting->is_loop || is_try(py_kind(tree, meeting->node)));
}

static void open_branch(Interpreter *in, PyRef block)
{
  uint32_t top = (uint32_t)in->frames.count - 1;
  bool is_own = is_region(in->tree, &in->frames.items[top], block);
  bool is_else = py_kind(in->tree, in->tree->nodes[block].parent) == PYK_ELSE_CLAUSE;
  Frame *branch = open_frame(in, block);
  Frame *meeting = &in->frames.items[top];
  branch->is_branch = true;
  interpret_open_branch(in, branch);
  if (meeting->is_loop && is_own && in->loops <= PY_LOOP_DEPTH)
    interpret_forget(in, block);
  if (is_own)
    interpret_open_region(in, branch);
  Passage start = is_else ? meeting->rest : meeting->chosen;
  meeting->has_else |= is_else;
  start.has_left = false;
  if (meeting->narrowed != PY_ABSENT && !is_else)
    interpret_assign(in, meeting->narrowed, meeting->narrowing);
  meeting->narrowed = PY_ABSENT;
  meeting->chosen = meeting->rest;
  interpret_move_to(in, start);
}

static void note_end(Frame *meeting, Passage end)
{
  if (interpret_is_left(end)) {
    meeting->has_left = true;
    return;
  }
  meeting->passed++;
  meeting->may_leave |= end.may_have_left && !meeting->before.may_have_left;
  meeting->out.opsets |= end.opsets;
  meeting->out.without &= end.without;
  meeting->out.is_unsure |= end.is_unsure;
  meeting->out.asks_version |= end.asks_version;
  meeting->out.may_have_left &= end.may_have_left;
}

static void close_branch(Interpreter *in)
{
  Frame branch = *vec_last(&in->frames);
  in->frames.count--;
  Frame *meeting = vec_last(&in->frames);
  in->ruled_out.count = branch.first_ruled_out;
  bool is_joined = !interpret_is_left(in->at) && !(branch.is_region && meeting->is_loop);
  interpret_close_branch(in, &branch, is_joined ? meeting : NULL);
  if (branch.is_region)
    interpret_close_region(in, &branch);
  note_end(meeting, in->at);
  interpret_move_to(in, meeting->rest);
}

/// After an `if` without other branches whose block is left its condition is false.
static void rule_out(Interpreter *in, const Frame *frame)
{
  bool is_only_rest = frame->passed == 1 && !frame->has_else && !interpret_is_left(frame->rest);
  if (frame->left_if && is_only_rest)
    vec_push(&in->ruled_out, ((RuledOut){ frame->left_if, in->function }));
}

/// After an `if`: the union of what its branches leave. Of all of them that is what was before.
static Passage passage_after_if(Frame *frame)
{
  if (!frame->has_else)
    note_end(frame, frame->rest);
  Passage after = frame->before;
  if (frame->passed == 0) {
    after.has_left = true;
    if (!frame->has_else && interpret_is_left(frame->rest))
      after.opsets &= frame->rest.opsets;  // None, where the condition holds whenever this is run.
    return after;
  }
  after.opsets = frame->out.opsets;
  after.without = frame->out.without;
  after.may_have_left = frame->out.may_have_left;
  if (frame->has_left)
    after.is_unsure = frame->out.is_unsure;
  if (frame->has_left || frame->may_leave)
    after.asks_version = frame->out.asks_version;
  return after;
}

static void close_meeting(Interpreter *in)
{
  Frame frame = *vec_last(&in->frames);
  in->frames.count--;
  in->loops -= frame.is_loop;
  PyNodeKind kind = py_kind(in->tree, frame.node);
  Passage after = frame.before;
  if (kind == PYK_IF_STATEMENT) {
    after = passage_after_if(&frame);
    rule_out(in, &frame);
  } else if (kind == PYK_TRY_STATEMENT)
    after.has_left |= frame.passed == 0 && frame.has_left;
  else
    frame.passed = UINT32_MAX;  // Maybe none of the branches is run.
  after.is_unsure |= kind != PYK_IF_STATEMENT && frame.rest.is_unsure;
  after.may_have_left |= kind != PYK_IF_STATEMENT && in->exits > frame.exits;
  interpret_meet(in, &frame);
  interpret_move_to(in, after);
}

// --- Functions ---

/// Its parameters are known before its body; what it changes of other names is taken back.
static void open_function(Interpreter *in, uint32_t index)
{
  const PyFunction *function = &in->model->functions.items[index];
  Passage start = in->flow->passages.items[in->flow->reached[function->node]];
  Frame *frame = open_frame(in, function->body);
  start.without = in->function != PY_ABSENT    ? in->at.without
                  : in->rows.function == index ? (CallSet)(CALL_SET_ALL << in->rows.count)
                                               : 0;
  frame->is_function = true;
  interpret_open_branch(in, frame);
  frame->region = in->region;
  frame->loops = in->loops;
  frame->function = in->function;
  in->loops = 0;
  in->region = 0;
  in->function = index;
  for (uint32_t i = 0; i < function->param_count; i++) {
    PyRef name = py_model_params(in->model, function)[i].name_node;
    uint32_t slot = interpret_bound(in, name);
    Meaning meaning = meaning_unknown;
    meaning.value = interpret_parameter(in, &in->model->bindings.items[slot]);
    if (in->rows.function == index)
      interpret_pass_literals(in, function->first_param + i, &meaning);
    interpret_assign(in, slot, meaning);
  }
  start.opsets = start.without == CALL_SET_ALL ? 0 : OPSET_SET_ALL;
  start.is_unsure = start.has_left = start.may_have_left = false;
  in->exits = 0;
  interpret_move_to(in, start);
}

/// What is given back at the end of a function, where nothing is, if that can be reached.
static void note_ending(Interpreter *in)
{
  Result *result = &in->results[in->function];
  PyRef node = in->model->functions.items[in->function].node;
  bool is_left = interpret_is_left(in->at);
  result->is_done = true;
  if (result->is_generator)
    in->flow->endings[in->function] = PY_ENDS_AS_GENERATOR;
  if (result->is_generator || in->tree->nodes[node].has_error || (!is_left && in->at.may_have_left)) {
    result->meaning = meaning_unknown;
    return;
  }
  if (!is_left) {
    Meaning none = meaning_unknown;
    none.value = interpret_value(PY_NONE);
    result->meaning = result->has_return ? meaning_join(result->meaning, none) : none;
  }
  in->flow->endings[in->function] = is_left             ? result->has_return ? PY_ENDS_WITH_RETURN : PY_ENDS_WITH_RAISE
                                    : result->has_value ? PY_MAY_FALL_THROUGH
                                                        : PY_FALLS_THROUGH;
}

static void close_function(Interpreter *in)
{
  Frame frame = *vec_last(&in->frames);
  in->frames.count--;
  in->ruled_out.count = frame.first_ruled_out;
  note_ending(in);
  in->function = frame.function;
  in->exits = frame.exits;
  in->loops = frame.loops;
  in->region = frame.region;
  interpret_close_branch(in, &frame, NULL);
  interpret_move_to(in, frame.before);
}

/// What an unknown function that never comes back may be called: `fail(...)`, `self.unsupported(...)`, `sys.exit()`,
/// `pytest.skip()`.
static bool sounds_final(Str name)
{
  static const char *const words[] = { "fail",        "raise",        "error",       "exit",    "abort",
                                       "unsupported", "nimplemented", "pytest.skip", "skipTest" };
  return str_contains_one_of(name, words, COUNT(words));
}

/// The kinds that a function of symbolic_helper gives back; 0 for other functions.
static uint32_t helper_result(const Interpreter *in, const PyCall *call)
{
  Str prefix = STR("torch.onnx.symbolic_helper.");
  const PyHelper *helper =
      str_starts_with(call->qualified, prefix)
          ? export_api_helper(in->file->db, str_slice(call->qualified, prefix.len, call->qualified.len))
          : NULL;
  return helper ? helper->result : 0;
}

/// Notes in `passage` if a call surely doesn't come back, or may not. True for one that raises in all exports but those
/// that keep torch's operators.
static bool read_call(const Interpreter *in, PyRef node, Passage *passage)
{
  const PyCall *call = py_model_call(in->model, node);
  if (!call)
    return false;
  uint32_t result = helper_result(in, call);
  passage->has_left |= result == PY_RAISES;
  if (call->function != PY_ABSENT)
    passage->has_left |= in->flow->endings[call->function] == PY_ENDS_WITH_RAISE;
  else
    passage->may_have_left |= result ? (result & PY_RAISES) != 0 : sounds_final(py_text(in->tree, call->function_node));
  return passage->has_left || ((result & PY_RAISES) && (result & ~(uint32_t)(PY_RAISES | PY_NONE)) == 0);
}

static void note_return(Interpreter *in, PyRef statement)
{
  PyRef value = py_first_child(in->tree, statement);
  Result *result = in->function == PY_ABSENT ? NULL : &in->results[in->function];
  Meaning meaning = meaning_unknown;
  meaning.value = interpret_value(PY_NONE);
  Passage passage = { 0 };
  if (value)
    meaning = interpret_meaning(in, value);
  if (read_call(in, value, &passage) || interpret_is_left(in->at))
    return;
  if (value && interpret_is_flag(in, meaning))
    meaning.hints |= ASKS_VERSION;
  if (result)
    result->meaning = result->has_return ? meaning_join(result->meaning, meaning) : meaning;
  if (result)
    result->has_return = true;
  if (result && value)
    result->has_value = true;
}

// --- Statements ---

/// The open statement whose part `node` is, in one of its clauses or itself; NULL where the text is broken.
static Frame *meeting_of(Interpreter *in, PyRef node)
{
  Frame *frame = in->frames.count > 0 ? vec_last(&in->frames) : NULL;
  PyRef parent = in->tree->nodes[node].parent;
  if (!frame || frame->is_branch || frame->is_function || frame->is_plain)
    return NULL;
  return frame->node == parent || frame->node == in->tree->nodes[parent].parent ? frame : NULL;
}

static void read_condition(Interpreter *in, Frame *frame, PyRef node)
{
  Meaning condition = interpret_meaning(in, node);
  bool is_while = py_kind(in->tree, in->tree->nodes[node].parent) == PYK_WHILE_STATEMENT;
  Passage before = frame->rest;
  bool is_first = py_kind(in->tree, in->tree->nodes[node].parent) == PYK_IF_STATEMENT;
  frame->left_if = is_first ? interpret_left_if(in, node) : 0;
  frame->chosen = interpret_pass(before, condition, true);
  frame->rest = interpret_pass(before, condition, false);
  if (is_while) {
    frame->rest = before;
    frame->rest.is_unsure |= (condition.hints & ASKS_OPSET) != 0;
    frame->chosen = frame->rest;
  }
  if (is_while || !interpret_narrow(in, frame, node))
    interpret_ask(in, node, in->tree->nodes[node].next);
  interpret_move_to(in, frame->rest);
}

/// What all cases of a `match` know.
static void read_subject(Interpreter *in, Frame *frame, PyRef node)
{
  uint32_t hints = interpret_meaning(in, node).hints;
  frame->rest.is_unsure |= (hints & ASKS_OPSET) != 0;
  frame->rest.asks_version |= (hints & ASKS_VERSION) != 0;
  frame->chosen = frame->rest;
  interpret_move_to(in, frame->rest);
}

/// `assert False`
static bool never_holds(const PyTree *tree, PyRef condition)
{
  return py_kind(tree, condition) == PYK_FALSE || py_kind(tree, condition) == PYK_INTEGER;
}

/// `pytest.importorskip("torch", minversion="2.5")`
static bool skips_older(const Interpreter *in, PyRef node)
{
  const PyCall *call = py_model_call(in->model, node);
  return call && str_equal(str_after_last(call->qualified, '.'), STR("importorskip")) &&
         (call->argument_count > 1 || call->has_dictionary_splat);
}

/// `pytestmark = pytest.mark.skipif(torch.__version__ < "2.5")`: what follows is there for some versions only.
static bool skips_tests(const Interpreter *in, PyRef statement)
{
  bool is_assignment = statement && py_kind(in->tree, statement) == PYK_ASSIGNMENT;
  PyRef left = is_assignment ? py_child(in->tree, statement, PY_F_LEFT) : 0;
  if (statement && skips_older(in, left ? py_child(in->tree, statement, PY_F_RIGHT) : statement))
    return true;
  return left && str_equal(py_text(in->tree, left), STR("pytestmark")) &&
         (interpret_child(in, statement, PY_F_RIGHT).hints & ASKS_VERSION);
}

static void read_statement(Interpreter *in, PyRef node)
{
  Passage passage = in->at;
  PyRef first = py_first_child(in->tree, node);
  switch (py_kind(in->tree, node)) {
  case PYK_RETURN_STATEMENT:
    note_return(in, node);
    in->exits++;
    passage.has_left = true;
    break;
  case PYK_RAISE_STATEMENT:
    in->exits++;
    passage.has_left = true;
    break;
  case PYK_BREAK_STATEMENT:
  case PYK_CONTINUE_STATEMENT:
    passage.has_left = true;
    break;
  case PYK_EXPRESSION_STATEMENT:
    read_call(in, first, &passage);
    passage.asks_version |= skips_tests(in, first);
    break;
  case PYK_ASSERT_STATEMENT:
    if (!first)
      return;
    passage = interpret_pass(passage, interpret_meaning(in, first), true);
    passage.asks_version = in->at.asks_version;
    passage.may_have_left |= never_holds(in->tree, first);
    interpret_ask(in, first, in->tree->nodes[first].next);
    break;
  default:
    return;
  }
  interpret_move_to(in, passage);
}

/// A decorator such as `@skipIfTorchOlder("2.1")` or `@needs_dynamo`, which may be such a one: what is decorated is
/// there for some versions only.
static void read_decorator(Interpreter *in, PyRef decorator)
{
  static const char *const words[] = { "skip", "require", "need", "xfail" };
  Passage passage = in->at;
  passage.asks_version |= (interpret_meaning(in, decorator).hints & ASKS_VERSION) &&
                          str_contains_one_of(py_text(in->tree, decorator), words, COUNT(words));
  interpret_move_to(in, passage);
}

static void visit_plain(Interpreter *in, PyRef node)
{
  const PyNode *at = &in->tree->nodes[node];
  PyNodeKind parent = py_kind(in->tree, at->parent);
  Frame *meeting = meeting_of(in, node);
  interpret_expression(in, node);
  if (meeting && at->field == PY_F_CONDITION)
    read_condition(in, meeting, node);
  else if (meeting && at->field == PY_F_SUBJECT && parent == PYK_MATCH_STATEMENT)
    read_subject(in, meeting, node);
  else if (parent == PYK_FOR_STATEMENT && at->field == PY_F_RIGHT)
    interpret_expression(in, py_child(in->tree, at->parent, PY_F_LEFT));  // Now it is known what it gets.
  else if (py_kind(in->tree, node) == PYK_DECORATOR)
    read_decorator(in, node);
  else
    read_statement(in, node);
}

/// A block belongs to what holds it; those of classes, most `with` and the module are run like the code around them.
static bool is_branch(const PyTree *tree, PyRef block)
{
  PyNodeKind kind = py_kind(tree, tree->nodes[block].parent);
  return kind == PYK_IF_STATEMENT || kind == PYK_ELIF_CLAUSE || kind == PYK_ELSE_CLAUSE || kind == PYK_FOR_STATEMENT ||
         kind == PYK_WHILE_STATEMENT || kind == PYK_TRY_STATEMENT || kind == PYK_EXCEPT_CLAUSE ||
         kind == PYK_CASE_CLAUSE || py_tree_suppressed(tree, tree->nodes[block].parent) != 0;
}

/// The block of a function: at once inside another one, as its names come from there. Others come last.
static PyRef visit_body(Interpreter *in, PyRef block)
{
  uint32_t function = py_model_function_at(in->model, in->tree->nodes[block].parent);
  if (function == PY_ABSENT || in->function == PY_ABSENT)
    return in->tree->nodes[block].next;
  open_function(in, function);
  return block + 1;
}

static PyRef visit_block(Interpreter *in, PyRef block)
{
  PyRef parent = in->tree->nodes[block].parent;
  if (py_kind(in->tree, parent) == PYK_FUNCTION_DEFINITION)
    return visit_body(in, block);
  if (is_branch(in->tree, block) && meeting_of(in, block))
    open_branch(in, block);
  return block + 1;
}

/// Returns the node to go on with.
static PyRef visit(Interpreter *in, PyRef node)
{
  in->flow->reached[node] = in->passage;
  switch (py_kind(in->tree, node)) {
  case PYK_IF_STATEMENT:
  case PYK_FOR_STATEMENT:
  case PYK_WHILE_STATEMENT:
  case PYK_TRY_STATEMENT:
  case PYK_MATCH_STATEMENT:
    open_meeting(in, node);
    return node + 1;
  case PYK_WITH_STATEMENT:
    if (py_tree_suppressed(in->tree, node))
      open_meeting(in, node);
    return node + 1;
  case PYK_BLOCK:
    return visit_block(in, node);
  case PYK_ELIF_CLAUSE:
  case PYK_ELSE_CLAUSE:
  case PYK_EXCEPT_CLAUSE:
  case PYK_FINALLY_CLAUSE:
  case PYK_CASE_CLAUSE:
  case PYK_CLASS_DEFINITION:
  case PYK_FUNCTION_DEFINITION:
  case PYK_ERROR:
    return node + 1;
  case PYK_DECORATED_DEFINITION:
    open_frame(in, node)->is_plain = true;
    return node + 1;
  default:
    visit_plain(in, node);
    return in->tree->nodes[node].next;
  }
}

static void close_frame(Interpreter *in)
{
  const Frame *frame = vec_last(&in->frames);
  if (frame->is_plain)
    interpret_move_to(in, in->frames.items[--in->frames.count].before);
  else if (frame->is_function)
    close_function(in);
  else if (frame->is_branch)
    close_branch(in);
  else
    close_meeting(in);
}

void interpret_statements(Interpreter *in, PyRef node, PyRef end)
{
  size_t outer = in->frames.count;
  while (node < end || in->frames.count > outer) {
    while (in->frames.count > outer && vec_last(&in->frames)->end <= node)
      close_frame(in);
    if (node < end)
      node = visit(in, node);
  }
}

void interpret_function(Interpreter *in, uint32_t index)
{
  const PyFunction *function = &in->model->functions.items[index];
  if (!function->body || py_kind(in->tree, function->node) == PYK_LAMBDA)
    return;
  open_function(in, index);
  interpret_statements(in, function->body + 1, in->tree->nodes[function->body].next);
  close_function(in);
}

#include "python/syntax/python_tree.h"

#include <stdatomic.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "base/spare.h"
#include "python/syntax/python_parts.h"
#include "python/syntax/python_reader.h"

enum { BATCH_SIZE = 16 * 1024 };

/// A decorated class, the class, its block.
enum { HEAD_LIMIT = 3 };

/// The nodes that an inner part after hangs below, as they are without it.
typedef struct ClassHead {
  PyNode nodes[HEAD_LIMIT];
  PyRef at[HEAD_LIMIT];
  uint32_t count;
} ClassHead;

typedef struct PySyntaxPart {
  uint32_t start;
  PyRef first;
  bool has_error;   ///< Also where none of its nodes has one.
  Unread left_out;  ///< Within it; `end` is 0 for nothing.
  ClassHead *head;  ///< NULL if no inner part is after.
} PySyntaxPart;

struct PySyntax {
  atomic_uint references;
  Str text;
  char *bytes;  ///< Owns `text`.
  PyNode *nodes;
  uint32_t count;
  PySyntaxPart *parts;  ///< One more than `part_count`: the last one is the end.
  uint32_t part_count;
  Vec(Unread) unread;
};

// --- Plans ---

typedef struct Part {
  uint32_t start;
  bool is_inner;
  bool has_error;
  Unread left_out;
  const PyNode *nodes;  ///< Where `first` is an index; NULL until it is read.
  PyRef first;
  uint32_t count;
  uint32_t shift;         ///< What their offsets lack.
  const ClassHead *head;  ///< What some of `nodes` were; may be NULL.
} Part;

/// Parts that one thread reads, one after the other.
typedef struct Batch {
  uint32_t first;
  uint32_t end;
  PyNode *nodes;  ///< Of all of them; the parent of their roots is 0.
} Batch;

struct PySyntaxPlan {
  PySyntax *syntax;    ///< Being built; `previous` if that has the same text.
  PySyntax *previous;  ///< Retained; may be NULL.
  Part *parts;
  uint32_t part_count;
  Vec(Batch) batches;
  size_t bytes;
};

/// What is the same at both ends of two texts.
typedef struct Edit {
  uint32_t start;
  uint32_t old_end;
  uint32_t new_end;
} Edit;

static Edit difference(Str old, Str new)
{
  size_t start = str_common_prefix(old, new);
  size_t end = str_common_suffix(str_slice(old, start, old.len), str_slice(new, start, new.len));
  return (Edit){ (uint32_t)start, (uint32_t)(old.len - end), (uint32_t)(new.len - end) };
}

static uint32_t part_end(const PySyntaxPlan *plan, uint32_t i)
{
  return i + 1 < plan->part_count ? plan->parts[i + 1].start : (uint32_t)plan->syntax->text.len;
}

/// Takes over the nodes of parts that the old text has, too.
static void reuse_parts(PySyntaxPlan *plan)
{
  const PySyntax *old = plan->previous;
  Edit edit = difference(old->text, plan->syntax->text);
  uint32_t at = 0;
  for (uint32_t i = 0; i < plan->part_count; i++) {
    Part *part = &plan->parts[i];
    uint32_t end = part_end(plan, i);
    bool is_before = end <= edit.start;
    if (!is_before && part->start < edit.new_end)
      continue;
    uint32_t shift = is_before ? 0 : edit.new_end - edit.old_end;
    while (at < old->part_count && old->parts[at].start + shift < part->start)
      at++;
    if (at == old->part_count)
      return;
    const PySyntaxPart *same = &old->parts[at];
    if (same->start + shift != part->start || same[1].start + shift != end)
      continue;
    part->nodes = old->nodes;
    part->first = same->first;
    part->count = same[1].first - same->first;
    part->shift = shift;
    part->has_error = same->has_error;
    part->left_out = same->left_out;
    part->head = same->head;
  }
}

static void make_batches(PySyntaxPlan *plan)
{
  for (uint32_t i = 0; i < plan->part_count; i++) {
    if (plan->parts[i].nodes)
      continue;
    size_t size = part_end(plan, i) - plan->parts[i].start;
    Batch *last = plan->batches.count > 0 ? vec_last(&plan->batches) : NULL;
    plan->bytes += size;
    if (last && last->end == i && part_end(plan, i) - plan->parts[last->first].start <= BATCH_SIZE)
      last->end = i + 1;
    else
      vec_push(&plan->batches, (Batch){ .first = i, .end = i + 1 });
  }
}

enum { TEXT_ROOM = 4096 };  ///< A text that is a little longer than the one before takes the same room.

static PySyntax *begin_syntax(Str text)
{
  PySyntax *syntax = xcalloc(1, sizeof(*syntax));
  syntax->references = 1;
  syntax->bytes = xmalloc((text.len / TEXT_ROOM + 1) * TEXT_ROOM);
  if (text.len > 0)
    memcpy(syntax->bytes, text.data, text.len);
  syntax->bytes[text.len] = '\0';
  syntax->text = str_make(syntax->bytes, text.len);
  return syntax;
}

PySyntaxPlan *py_syntax_plan(Str text, const PySyntax *previous)
{
  PySyntaxPlan *plan = xcalloc(1, sizeof(*plan));
  plan->previous = previous ? py_syntax_retain(previous) : NULL;
  if (previous && str_equal(text, previous->text)) {
    plan->syntax = py_syntax_retain(previous);
    return plan;
  }
  plan->syntax = begin_syntax(text);
  if (text.len > PY_TEXT_LIMIT) {
    vec_push(&plan->syntax->unread, (Unread){ 0, (uint32_t)text.len, UNREAD_TOO_LARGE });
    return plan;
  }
  PyParts parts = { 0 };
  py_parts_find(text, &parts);
  plan->part_count = (uint32_t)parts.count;
  plan->parts = xcalloc(parts.count, sizeof(*plan->parts));
  for (uint32_t i = 0; i < parts.count; i++)
    plan->parts[i] = (Part){ .start = parts.items[i].start, .is_inner = parts.items[i].is_inner };
  vec_free(&parts);
  if (previous)
    reuse_parts(plan);
  make_batches(plan);
  return plan;
}

uint32_t py_syntax_plan_count(const PySyntaxPlan *plan)
{
  return (uint32_t)plan->batches.count;
}

size_t py_syntax_plan_bytes(const PySyntaxPlan *plan)
{
  return plan->bytes;
}

static void read_part(PySyntaxPlan *plan, uint32_t i, PyReader *reader)
{
  Part *part = &plan->parts[i];
  part->shift = part->start;
  Str text = str_slice(plan->syntax->text, part->start, part_end(plan, i));
  part->first = (PyRef)reader->nodes.count;
  part->has_error = py_reader_read(reader, text) != PY_READ;
  part->left_out = reader->left_out;
  part->count = (uint32_t)reader->nodes.count - part->first;
}

void py_syntax_plan_run(PySyntaxPlan *plan, uint32_t i)
{
  Batch *batch = &plan->batches.items[i];
  PyReader reader;
  py_reader_begin(&reader);
  for (uint32_t p = batch->first; p < batch->end; p++)
    read_part(plan, p, &reader);
  batch->nodes = py_reader_end(&reader);
  for (uint32_t p = batch->first; p < batch->end; p++)
    plan->parts[p].nodes = batch->nodes;
}

/// A node of a part at its place, `base` being that of the first one. Roots have the parent 0.
static PyNode place_node(const Part *part, PyNode node, PyRef base)
{
  node.start += part->shift;
  node.end += part->shift;
  node.parent = node.parent < part->first ? 0 : node.parent - part->first + base;
  node.next = node.next - part->first + base;
  return node;
}

static void place_part(PyNode *nodes, const Part *part, PyRef base)
{
  for (uint32_t i = 0; i < part->count; i++)
    nodes[base + i] = place_node(part, part->nodes[part->first + i], base);
  for (uint32_t i = 0; part->head && i < part->head->count; i++)
    nodes[base + part->head->at[i]] = place_node(part, part->head->nodes[i], base);
  nodes[0].has_error |= part->has_error;
}

static PyRef child_of_kind(const PyTree *tree, PyRef node, PyField field, PyNodeKind kind)
{
  PyRef child = py_child(tree, node, field);
  return child && py_kind(tree, child) == kind ? child : 0;
}

/// Finds the class whose body goes on after `part`. Where there is none, because the part is broken, its last root
/// stands for it.
static void find_head(const PySyntax *syntax, PySyntaxPart *part, PyRef end)
{
  if (part->first == end)
    return;
  PyTree tree = { .text = syntax->text, .nodes = syntax->nodes, .count = end };
  ClassHead *head = xcalloc(1, sizeof(*head));
  part->head = head;
  PyRef root = part->first;
  while (syntax->nodes[root].next < end)
    root = syntax->nodes[root].next;
  head->at[head->count++] = root;
  PyRef class = root;
  if (py_kind(&tree, root) == PYK_DECORATED_DEFINITION)
    class = child_of_kind(&tree, root, PY_F_DEFINITION, PYK_CLASS_DEFINITION);
  PyRef body = py_kind(&tree, class) == PYK_CLASS_DEFINITION ? child_of_kind(&tree, class, PY_F_BODY, PYK_BLOCK) : 0;
  if (body && syntax->nodes[body].next == end) {
    if (class != root)
      head->at[head->count++] = class;
    head->at[head->count++] = body;
  }
  for (uint32_t i = 0; i < head->count; i++) {
    head->nodes[i] = syntax->nodes[head->at[i]];
    head->at[i] -= part->first;
  }
}

/// Comments at the end of a class belong to it: where the last one ends, after `from`, which is in a line of the
/// class.
static uint32_t end_of_comments(Str text, uint32_t from, uint32_t limit)
{
  uint32_t end = from;
  for (size_t line = from; line < limit;) {
    size_t at = line;
    while (at < limit && ascii_is_blank(text.data[at]))
      at++;
    size_t line_end = str_find_char(text, '\n', at);
    line_end = line_end < limit ? line_end : limit;
    bool is_blank = str_trim(str_slice(text, at, line_end)).len == 0;
    bool is_inside = line == from || at > line;
    if (!is_blank && (!is_inside || text.data[at] != '#'))
      break;
    if (!is_blank)
      end = (uint32_t)line_end;
    line = line_end + 1;
  }
  return end;
}

/// Hangs a part, which is placed at `base` and whose text ends at `limit`, below the class that begins in `outer`.
static void hang_inner(PySyntax *syntax, const PySyntaxPart *outer, const Part *part, PyRef base, uint32_t limit)
{
  PyRef end = base + part->count;
  PyNode *nodes = syntax->nodes;
  const ClassHead *head = outer->head;
  if (!head)
    return;
  bool has_error = part->has_error || head->nodes[head->count - 1].kind != PYK_BLOCK;
  uint32_t text_end = 0;
  for (PyRef root = base; root < end; root = nodes[root].next) {
    nodes[root].parent = outer->first + head->at[head->count - 1];
    text_end = nodes[root].end;
  }
  text_end = text_end > 0 ? end_of_comments(syntax->text, text_end, limit) : 0;
  for (uint32_t i = 0; i < head->count; i++) {
    PyNode *above = &nodes[outer->first + head->at[i]];
    above->next = end;
    above->end = text_end > above->end ? text_end : above->end;
    above->has_error |= has_error;
  }
  nodes[0].has_error |= has_error;
}

static void place_parts(PySyntaxPlan *plan)
{
  PySyntax *syntax = plan->syntax;
  uint32_t count = 1;
  for (uint32_t i = 0; i < plan->part_count; i++)
    count += plan->parts[i].count;
  syntax->count = count;
  syntax->nodes = spare_take(count * sizeof(*syntax->nodes));
  syntax->nodes[0] = (PyNode){ .kind = PYK_MODULE, .next = count, .end = (uint32_t)syntax->text.len };
  syntax->part_count = plan->part_count;
  syntax->parts = xcalloc(plan->part_count + 1, sizeof(*syntax->parts));
  PyRef base = 1;
  PySyntaxPart *outer = NULL;
  for (uint32_t i = 0; i < plan->part_count; i++) {
    const Part *part = &plan->parts[i];
    syntax->parts[i] =
        (PySyntaxPart){ .start = part->start, .first = base, .has_error = part->has_error, .left_out = part->left_out };
    Unread left_out = part->left_out;
    if (left_out.end > 0)
      vec_push(&syntax->unread, (Unread){ part->start + left_out.start, part->start + left_out.end, left_out.reason });
    place_part(syntax->nodes, part, base);
    PyRef end = base + part->count;
    if (part->is_inner)
      hang_inner(syntax, outer, part, base, part_end(plan, i));
    else
      outer = &syntax->parts[i];
    if (!part->is_inner && i + 1 < plan->part_count && plan->parts[i + 1].is_inner)
      find_head(syntax, outer, end);
    base = end;
  }
  syntax->parts[plan->part_count] = (PySyntaxPart){ .start = (uint32_t)syntax->text.len, .first = base };
}

PySyntax *py_syntax_plan_finish(PySyntaxPlan *plan)
{
  for (uint32_t i = 0; i < plan->batches.count; i++) {
    if (!plan->batches.items[i].nodes)
      py_syntax_plan_run(plan, i);
  }
  if (plan->syntax != plan->previous)
    place_parts(plan);
  PySyntax *syntax = py_syntax_retain(plan->syntax);
  py_syntax_plan_free(plan);
  return syntax;
}

void py_syntax_plan_free(PySyntaxPlan *plan)
{
  if (!plan)
    return;
  for (uint32_t i = 0; i < plan->batches.count; i++)
    free(plan->batches.items[i].nodes);
  vec_free(&plan->batches);
  free(plan->parts);
  py_syntax_release(plan->syntax);
  py_syntax_release(plan->previous);
  free(plan);
}

// --- A file's syntax ---

PySyntax *py_syntax_new(Str text, const PySyntax *previous)
{
  return py_syntax_plan_finish(py_syntax_plan(text, previous));
}

PySyntax *py_syntax_retain(const PySyntax *syntax)
{
  PySyntax *counted = (PySyntax *)syntax;
  atomic_fetch_add(&counted->references, 1);
  return counted;
}

void py_syntax_release(PySyntax *syntax)
{
  if (!syntax || atomic_fetch_sub(&syntax->references, 1) != 1)
    return;
  for (uint32_t i = 0; i < syntax->part_count; i++)
    free(syntax->parts[i].head);
  free(syntax->parts);
  vec_free(&syntax->unread);
  spare_give(syntax->nodes);
  free(syntax->bytes);
  free(syntax);
}

Str py_syntax_source(const PySyntax *syntax)
{
  return syntax->text;
}

const PyNode *py_syntax_nodes(const PySyntax *syntax, uint32_t *ret_count)
{
  *ret_count = syntax->count;
  return syntax->nodes;
}

const Unread *py_syntax_unread(const PySyntax *syntax, size_t *ret_count)
{
  *ret_count = syntax->unread.count;
  return syntax->unread.items;
}

PyRef py_node_at(const PyTree *tree, size_t offset)
{
  PyRef node = 0;
  for (PyRef child = py_first_child(tree, 0); child;) {
    const PyNode *candidate = &tree->nodes[child];
    PyRef next = py_next_sibling(tree, child);
    bool next_is_better = next && tree->nodes[next].start <= offset;
    if (candidate->start <= offset && offset <= candidate->end && !next_is_better) {
      node = child;
      child = py_first_child(tree, child);
    } else {
      child = next;
    }
  }
  return node;
}

PyChoice py_tree_choice(const PyTree *tree, PyRef expression)
{
  PyRef yes = py_first_child(tree, expression);
  PyRef condition = yes ? py_next_sibling(tree, yes) : 0;
  return (PyChoice){ yes, condition, condition ? py_next_sibling(tree, condition) : 0 };
}

PyComparison py_tree_comparison(const PyTree *tree, PyRef node)
{
  PyRef left = py_kind(tree, node) == PYK_COMPARISON_OPERATOR ? py_first_child(tree, node) : 0;
  PyRef sign = left ? py_next_sibling(tree, left) : 0;
  PyRef right = sign && py_kind(tree, sign) == PYK_OPERATOR ? py_next_sibling(tree, sign) : 0;
  bool is_one = right && !py_next_sibling(tree, right);
  return is_one ? (PyComparison){ left, sign, right } : (PyComparison){ 0 };
}

bool py_tree_compares(const PyTree *tree, PyRef comparison)
{
  PyRef sign = py_child(tree, comparison, PY_F_OPERATORS);
  Str text = sign ? py_text(tree, sign) : (Str){ 0 };
  return text.len > 0 && (text.data[0] == '<' || text.data[0] == '>' || text.data[0] == '=' || text.data[0] == '!');
}

PyRef py_tree_strip(const PyTree *tree, PyRef node)
{
  while (node && py_kind(tree, node) == PYK_PARENTHESIZED_EXPRESSION && py_first_child(tree, node))
    node = py_first_child(tree, node);
  return node;
}

static PyRef element_from(const PyTree *tree, PyRef child)
{
  while (child && (py_kind(tree, child) == PYK_ERROR || py_kind(tree, child) == PYK_OTHER))
    child = py_next_sibling(tree, child);
  return child;
}

PyRef py_tree_first_element(const PyTree *tree, PyRef node)
{
  return element_from(tree, py_first_child(tree, node));
}

PyRef py_tree_next_element(const PyTree *tree, PyRef node)
{
  return element_from(tree, py_next_sibling(tree, node));
}

PyRef py_tree_keyword_value(const PyTree *tree, PyRef argument)
{
  for (PyRef part = py_first_child(tree, argument); part; part = py_next_sibling(tree, part)) {
    if (py_kind(tree, part) == PYK_ERROR)
      return part;
  }
  return py_child(tree, argument, PY_F_VALUE);
}

bool py_tree_may_leave(const PyTree *tree, PyRef statement)
{
  for (PY_EACH_NODE(tree, node, statement)) {
    PyNodeKind kind = py_kind(tree, node);
    if (kind == PYK_RETURN_STATEMENT || kind == PYK_RAISE_STATEMENT)
      return true;
    if (kind == PYK_FUNCTION_DEFINITION)
      node = tree->nodes[node].next - 1;  // It leaves itself.
  }
  return false;
}

/// 1 of `True`, 0 of `False` and `0`; -1 of anything else.
static int literal_truth(const PyTree *tree, PyRef condition)
{
  condition = py_tree_strip(tree, condition);
  bool is_zero = py_kind(tree, condition) == PYK_FALSE || str_equal(py_text(tree, condition), STR("0"));
  return is_zero ? 0 : py_kind(tree, condition) == PYK_TRUE ? 1 : -1;
}

/// Whether the parent of a node has another part that lets it never come to this one.
static bool is_left_out(const PyTree *tree, PyRef node)
{
  PyRef parent = tree->nodes[node].parent;
  uint8_t field = tree->nodes[node].field;
  PyNodeKind kind = py_kind(tree, parent);
  if (kind == PYK_CONDITIONAL_EXPRESSION) {
    PyChoice choice = py_tree_choice(tree, parent);
    return (node == choice.yes || node == choice.no) &&
           literal_truth(tree, choice.condition) == (node == choice.yes ? 0 : 1);
  }
  if (kind == PYK_BOOLEAN_OPERATOR && field == PY_F_RIGHT) {
    bool is_and = str_equal(py_text(tree, py_child(tree, parent, PY_F_OPERATOR)), STR("and"));
    return literal_truth(tree, py_child(tree, parent, PY_F_LEFT)) == (is_and ? 0 : 1);
  }
  PyRef condition = kind == PYK_WHILE_STATEMENT || field == PY_F_CONSEQUENCE || field == PY_F_ALTERNATIVE
                        ? py_child(tree, parent, PY_F_CONDITION)
                        : 0;
  if (field == PY_F_ALTERNATIVE)
    return kind != PYK_WHILE_STATEMENT && condition && literal_truth(tree, condition) == 1;
  return condition && node != condition && literal_truth(tree, condition) == 0;
}

bool py_tree_never_runs(const PyTree *tree, PyRef node)
{
  int depth = 0;
  for (; node && depth < PY_NESTING_LIMIT && !is_left_out(tree, node); depth++)
    node = tree->nodes[node].parent;
  return node && depth < PY_NESTING_LIMIT;
}

PyRef py_tree_statement(const PyTree *tree, PyRef node, PyRef *ret_block)
{
  int depth = 0;
  *ret_block = 0;
  for (PyRef at = node; at && depth < PY_NESTING_LIMIT; at = tree->nodes[at].parent, depth++) {
    *ret_block = tree->nodes[at].parent;
    PyNodeKind kind = py_kind(tree, *ret_block);
    if (kind == PYK_BLOCK || kind == PYK_MODULE)
      return at;
  }
  return 0;
}

PyRef py_tree_suppressed(const PyTree *tree, PyRef statement)
{
  enum { ITEMS = 4 };
  PyRef clause = py_kind(tree, statement) == PYK_WITH_STATEMENT ? py_first_child(tree, statement) : 0;
  PyRef item = clause ? py_first_child(tree, clause) : 0;
  for (int i = 0; item && i < ITEMS; i++, item = py_next_sibling(tree, item)) {
    PyRef call = py_kind(tree, item) == PYK_WITH_ITEM ? py_first_child(tree, item) : 0;
    PyRef function = call ? py_tree_callee(tree, call) : 0;
    if (function && str_equal(str_after_last(py_text(tree, function), '.'), STR("suppress")))
      return py_child(tree, call, PY_F_ARGUMENTS);
  }
  return 0;
}

PyRef py_tree_try_around(const PyTree *tree, PyRef node)
{
  // What `except name:` names is looked up when something was raised, and caught by none of these.
  bool is_caught_name = false;
  PyRef child = 0;
  for (int depth = 0; node && depth < PY_NESTING_LIMIT; child = node, node = tree->nodes[node].parent, depth++) {
    bool is_try = py_kind(tree, node) == PYK_TRY_STATEMENT && !is_caught_name;
    if (is_try || py_tree_suppressed(tree, node))
      return node;
    is_caught_name = py_kind(tree, node) == PYK_EXCEPT_CLAUSE && child && py_kind(tree, child) != PYK_BLOCK;
  }
  return 0;
}

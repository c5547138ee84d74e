#include "syntax/python.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <tree_sitter/api.h>

#include "syntax/python_parts.h"

const TSLanguage *tree_sitter_python(void);

enum {
  SYMBOL_LIMIT = 512,
  FIELD_LIMIT = 64,
  PARSE_MICROS = 3 * 1000 * 1000,  ///< For a file. Garbage makes the parser slow; 200 KB of source take it 30 ms.
  BATCH_SIZE = 16 * 1024,
};

typedef Vec(PyNode) PyNodes;

/// A decorated class, the class, its block.
enum { HEAD_LIMIT = 3 };

/// The nodes that an inner part behind hangs below, as they are without it.
typedef struct ClassHead {
  PyNode nodes[HEAD_LIMIT];
  PyRef at[HEAD_LIMIT];
  uint32_t count;
} ClassHead;

typedef struct PySyntaxPart {
  uint32_t start;
  PyRef first;
  bool has_error;   ///< Also where none of its nodes has one.
  ClassHead *head;  ///< NULL if no inner part is behind.
} PySyntaxPart;

struct PySyntax {
  atomic_uint references;
  Str text;
  char *bytes;  ///< Owns `text`.
  PyNode *nodes;
  uint32_t count;
  PySyntaxPart *parts;  ///< One more than `part_count`: the last one is the end.
  uint32_t part_count;
};

static const char *const kind_names[PYK_KIND_COUNT] = {
  [PYK_OTHER] = "other",
  [PYK_ERROR] = "ERROR",
  [PYK_MISSING] = "MISSING",
  [PYK_OPERATOR] = "operator",
#define NODE(id, name) [PYK_##id] = name,
#include "syntax/python_nodes.def"
#undef NODE
};

static const char *const field_names[PY_FIELD_COUNT] = {
#define FIELD(id, name) [PY_F_##id] = name,
#include "syntax/python_fields.def"
#undef FIELD
};

static struct {
  pthread_once_t once;
  uint8_t kinds[SYMBOL_LIMIT];  ///< PyNodeKind by tree-sitter symbol.
  bool is_dropped[SYMBOL_LIMIT];
  uint8_t fields[FIELD_LIMIT];  ///< PyField by tree-sitter field.
} tables = { .once = PTHREAD_ONCE_INIT };

const char *py_node_kind_name(PyNodeKind kind)
{
  return kind_names[kind];
}

static void fill_tables(void)
{
  const TSLanguage *language = tree_sitter_python();
  uint32_t symbols = ts_language_symbol_count(language);
  for (uint32_t symbol = 0; symbol < symbols && symbol < SYMBOL_LIMIT; symbol++) {
    Str name = str_from(ts_language_symbol_name(language, (TSSymbol)symbol));
    bool is_named = ts_language_symbol_type(language, (TSSymbol)symbol) == TSSymbolTypeRegular;
    tables.is_dropped[symbol] = str_equal(name, STR("comment")) || str_equal(name, STR("line_continuation"));
    for (int kind = PYK_OPERATOR + 1; is_named && kind < PYK_KIND_COUNT; kind++) {
      if (str_equal(name, str_from(kind_names[kind])))
        tables.kinds[symbol] = (uint8_t)kind;
    }
  }
  for (int field = PY_F_NONE + 1; field < PY_FIELD_COUNT; field++) {
    Str name = str_from(field_names[field]);
    TSFieldId id = ts_language_field_id_for_name(language, name.data, (uint32_t)name.len);
    if (id < FIELD_LIMIT)
      tables.fields[id] = (uint8_t)field;
  }
  tables.fields[0] = PY_F_NONE;
}

// --- Flattening ---

typedef struct Flattener {
  PyNodes nodes;
  Vec(PyRef) open;    ///< The kept nodes above the cursor.
  uint64_t deadline;  ///< In microseconds. What recovery makes of garbage may take the cursor the square of its size.
  unsigned steps;
} Flattener;

static uint64_t micros_now(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

static bool is_late(Flattener *flat)
{
  return ++flat->steps % 16 == 0 && micros_now() > flat->deadline;
}

static PyNodeKind kind_of(TSNode node)
{
  if (ts_node_is_missing(node))
    return PYK_MISSING;
  TSSymbol symbol = ts_node_symbol(node);
  if (symbol == (TSSymbol)-1)
    return PYK_ERROR;
  return symbol < SYMBOL_LIMIT ? (PyNodeKind)tables.kinds[symbol] : PYK_OTHER;
}

/// Appends the node if it is of interest; says whether.
static bool append_node(Flattener *flat, TSNode node, TSFieldId field_id)
{
  TSSymbol symbol = ts_node_symbol(node);
  PyField field = field_id < FIELD_LIMIT ? (PyField)tables.fields[field_id] : PY_F_NONE;
  PyNodeKind kind = kind_of(node);
  if (!ts_node_is_named(node) && kind != PYK_MISSING) {
    if (field != PY_F_OPERATOR && field != PY_F_OPERATORS)
      return false;
    kind = PYK_OPERATOR;
  }
  if (symbol < SYMBOL_LIMIT && tables.is_dropped[symbol])
    return false;
  vec_push(&flat->nodes, (PyNode){
                             .kind = (uint8_t)kind,
                             .field = (uint8_t)field,
                             .has_error = ts_node_has_error(node),
                             .parent = *vec_last(&flat->open),
                             .start = ts_node_start_byte(node),
                             .end = ts_node_end_byte(node),
                         });
  return true;
}

/// Appends the subtree of `root`, a top-level statement; false if it took too long.
static bool append_subtree(Flattener *flat, TSNode root)
{
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  size_t base = flat->open.count;
  bool enters = append_node(flat, root, 0);
  bool is_root = true;
  bool is_whole = true;
  for (;;) {
    is_whole = !is_late(flat);
    if (!is_whole)
      break;
    if (!is_root)
      enters = append_node(flat, ts_tree_cursor_current_node(&cursor), ts_tree_cursor_current_field_id(&cursor));
    PyRef self = (PyRef)flat->nodes.count - 1;
    bool is_leaf = !enters || flat->nodes.items[self].kind == PYK_STRING;
    if (!is_leaf && ts_tree_cursor_goto_first_child(&cursor)) {
      vec_push(&flat->open, self);
      is_root = false;
      continue;
    }
    if (enters)
      flat->nodes.items[self].next = self + 1;
    if (is_root)
      break;
    while (flat->open.count > base && !ts_tree_cursor_goto_next_sibling(&cursor)) {
      ts_tree_cursor_goto_parent(&cursor);
      PyRef parent = flat->open.items[--flat->open.count];
      flat->nodes.items[parent].next = (PyRef)flat->nodes.count;
    }
    if (flat->open.count == base)
      break;
  }
  ts_tree_cursor_delete(&cursor);
  flat->open.count = base;
  return is_whole;
}

// --- Plans ---

typedef struct Part {
  uint32_t start;
  bool is_inner;
  bool has_error;
  const PyNode *nodes;  ///< Where `first` is an index; NULL until it is read.
  PyRef first;
  uint32_t count;
  uint32_t shift;         ///< What their offsets lack.
  const ClassHead *head;  ///< What some of `nodes` were; may be NULL.
} Part;

/// Parts that one thread reads, one behind the other.
typedef struct Batch {
  uint32_t first;
  uint32_t end;
  PyNodes nodes;  ///< Of all of them; the parent of their roots is 0.
} Batch;

struct PySyntaxPlan {
  PySyntax *syntax;    ///< Being built.
  PySyntax *previous;  ///< Retained; may be NULL.
  Part *parts;
  uint32_t part_count;
  Vec(Batch) batches;
  size_t bytes;
  atomic_uint_fast64_t micros_left;
};

/// What is the same at both ends of two texts.
typedef struct Edit {
  uint32_t start;
  uint32_t old_end;
  uint32_t new_end;
} Edit;

static Edit difference(Str old, Str new)
{
  size_t limit = old.len < new.len ? old.len : new.len;
  size_t start = 0;
  while (start < limit && old.data[start] == new.data[start])
    start++;
  size_t end = 0;
  while (end < limit - start && old.data[old.len - 1 - end] == new.data[new.len - 1 - end])
    end++;
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

static PySyntax *begin_syntax(Str text)
{
  PySyntax *syntax = xcalloc(1, sizeof(*syntax));
  syntax->references = 1;
  syntax->bytes = xstrdup_str(text);
  syntax->text = str_make(syntax->bytes, text.len);
  return syntax;
}

PySyntaxPlan *py_syntax_plan(Str text, const PySyntax *previous)
{
  pthread_once(&tables.once, fill_tables);
  PySyntaxPlan *plan = xcalloc(1, sizeof(*plan));
  plan->syntax = begin_syntax(text);
  plan->previous = previous ? py_syntax_retain(previous) : NULL;
  plan->micros_left = PARSE_MICROS;
  if (text.len > PY_TEXT_LIMIT)
    return plan;
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

static TSTree *parse(TSParser *parser, Str text, uint64_t micros)
{
  // Each time, because that gives it a new scanner: the old one may still take itself to be in an f-string.
  if (!ts_parser_set_language(parser, tree_sitter_python()))
    abort();  // The grammar was generated for an ABI that this library does not read: a broken build.
  ts_parser_set_timeout_micros(parser, micros);
  TSTree *tree = ts_parser_parse_string(parser, NULL, text.data, (uint32_t)text.len);
  if (!tree)
    ts_parser_reset(parser);
  return tree;
}

static bool append_statements(Flattener *flat, const TSTree *tree)
{
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  bool is_whole = true;
  for (bool more = ts_tree_cursor_goto_first_child(&cursor); more && is_whole;
       more = ts_tree_cursor_goto_next_sibling(&cursor))
    is_whole = append_subtree(flat, ts_tree_cursor_current_node(&cursor));
  ts_tree_cursor_delete(&cursor);
  return is_whole;
}

static void append_unread(Flattener *flat, uint32_t len)
{
  PyRef next = (PyRef)flat->nodes.count + 1;
  vec_push(&flat->nodes, (PyNode){ .kind = PYK_ERROR, .has_error = true, .next = next, .end = len });
}

static void spend(PySyntaxPlan *plan, uint64_t micros)
{
  uint_fast64_t left = atomic_load(&plan->micros_left);
  while (!atomic_compare_exchange_weak(&plan->micros_left, &left, left > micros ? left - micros : 0)) {
  }
}

static void read_part(PySyntaxPlan *plan, uint32_t i, TSParser *parser, Flattener *flat)
{
  Part *part = &plan->parts[i];
  part->first = (PyRef)flat->nodes.count;
  part->shift = part->start;
  Str text = str_slice(plan->syntax->text, part->start, part_end(plan, i));
  uint64_t micros = atomic_load(&plan->micros_left);
  uint64_t start = micros_now();
  flat->deadline = start + micros;
  TSTree *tree = micros > 0 ? parse(parser, text, micros) : NULL;
  part->has_error = !tree || ts_node_has_error(ts_tree_root_node(tree));
  if (!tree || !append_statements(flat, tree)) {
    flat->nodes.count = part->first;
    append_unread(flat, (uint32_t)text.len);
    part->has_error = true;
  }
  ts_tree_delete(tree);
  spend(plan, micros_now() - start);
  part->count = (uint32_t)flat->nodes.count - part->first;
}

void py_syntax_plan_run(PySyntaxPlan *plan, uint32_t i)
{
  Batch *batch = &plan->batches.items[i];
  TSParser *parser = ts_parser_new();
  Flattener flat = { 0 };
  vec_push(&flat.open, 0);
  vec_push(&flat.nodes, (PyNode){ .kind = PYK_MODULE });
  for (uint32_t p = batch->first; p < batch->end; p++)
    read_part(plan, p, parser, &flat);
  for (uint32_t p = batch->first; p < batch->end; p++)
    plan->parts[p].nodes = flat.nodes.items;
  batch->nodes.items = flat.nodes.items;
  vec_free(&flat.open);
  ts_parser_delete(parser);
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

/// Finds the class whose body goes on behind `part`. Where there is none, because the part is broken, its last root
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

/// Comments at the end of a class belong to it: where the last one ends, behind `from`, which is in a line of the
/// class.
static uint32_t end_of_comments(Str text, uint32_t from, uint32_t limit)
{
  uint32_t end = from;
  for (size_t line = from; line < limit;) {
    size_t at = line;
    while (at < limit && (text.data[at] == ' ' || text.data[at] == '\t'))
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
  syntax->nodes = xcalloc(count, sizeof(*syntax->nodes));
  syntax->nodes[0] = (PyNode){ .kind = PYK_MODULE, .next = count, .end = (uint32_t)syntax->text.len };
  syntax->part_count = plan->part_count;
  syntax->parts = xcalloc(plan->part_count + 1, sizeof(*syntax->parts));
  PyRef base = 1;
  PySyntaxPart *outer = NULL;
  for (uint32_t i = 0; i < plan->part_count; i++) {
    const Part *part = &plan->parts[i];
    syntax->parts[i] = (PySyntaxPart){ .start = part->start, .first = base, .has_error = part->has_error };
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
    if (!plan->batches.items[i].nodes.items)
      py_syntax_plan_run(plan, i);
  }
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
    vec_free(&plan->batches.items[i].nodes);
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
  free(syntax->nodes);
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

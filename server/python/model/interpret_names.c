// What names stand for while a function is gone through: in branches, where these meet, and in regions that may run
// again or be left anywhere.

#include "base/limits.h"
#include "python/model/interpret.h"

Meaning meaning_join(Meaning a, Meaning b)
{
  uint32_t both = a.hints & b.hints;
  uint32_t same_number = a.number == b.number ? both & (HAS_NUMBER | IS_PASSED) : 0;
  return (Meaning){
    .value = interpret_join(a.value, b.value),
    .hints = ((a.hints | b.hints) & (ASKS_OPSET | ASKS_VERSION)) | (both & IS_OPSET) | same_number,
    .true_at = a.true_at & b.true_at,
    .false_at = a.false_at & b.false_at,
    .number = a.number,
    .yes = a.yes | b.yes,
    .no = a.no | b.no,
    .made = a.made == b.made ? a.made : 0,
  };
}

uint32_t interpret_slot(const Interpreter *in, PyRef identifier)
{
  return py_model_name_at(in->model, identifier);
}

/// What another scope binds more than once may be any of that when it is used.
Meaning interpret_name(const Interpreter *in, PyRef node, uint32_t slot)
{
  if (slot == PY_ABSENT)
    return meaning_unknown;
  const PyBinding *binding = &in->model->bindings.items[slot];
  Meaning meaning = in->slots[slot].meaning;
  bool is_own = binding->scope == py_model_scope_of(in->model, node) && !in->slots[slot].is_global;
  if (!is_own && binding->next != PY_ABSENT) {
    Meaning any = meaning_unknown;
    any.hints = meaning.hints & (ASKS_OPSET | ASKS_VERSION);
    return any;
  }
  return meaning;
}

static void note_changed(Interpreter *in, uint32_t at, Meaning meaning)
{
  Slot *slot = &in->slots[at];
  if (slot->region == in->region) {
    Changed *changed = &in->changed.items[slot->region_index];
    changed->meaning = meaning_join(changed->meaning, meaning);
    return;
  }
  slot->region = in->region;
  slot->region_index = (uint32_t)in->changed.count;
  vec_push(&in->changed, ((Changed){ at, meaning }));
}

uint32_t interpret_bound_slot(const Interpreter *in, PyRef node)
{
  return in->model->bindings.items[interpret_bound(in, node)].first;
}

static void set(Interpreter *in, uint32_t at, Meaning meaning)
{
  Slot *slot = &in->slots[at];
  if (slot->branch != in->branch) {
    vec_push(&in->undo, ((Undo){ at, slot->branch, slot->meaning }));
    slot->branch = in->branch;
  }
  slot->meaning = meaning;
}

void interpret_assign(Interpreter *in, uint32_t at, Meaning meaning)
{
  if (in->loops > PY_LOOP_DEPTH)
    meaning.value = unknown;
  if (interpret_is_flag(in, meaning))
    meaning.hints |= ASKS_VERSION;
  set(in, at, meaning);
  if (in->region != 0)
    note_changed(in, at, meaning);
}

/// `x += y` raises if x is a value of the graph: it is never run again.
static bool is_run_once(const Interpreter *in, PyRef name)
{
  uint32_t slot = interpret_bound_slot(in, name);
  return py_kind(in->tree, in->tree->nodes[name].parent) == PYK_AUGMENTED_ASSIGNMENT &&
         py_file_is_only(in->slots[slot].meaning.value, PY_VALUE);
}

void interpret_forget(Interpreter *in, PyRef node)
{
  for (PY_EACH_NODE(in->tree, at, node)) {
    if (sparse_has(&in->bound_nodes, at) && !is_run_once(in, at))
      set(in, interpret_bound_slot(in, at), meaning_unknown);
    interpret_lengthen(in, at);
  }
}

// --- Branches ---

void interpret_open_branch(Interpreter *in, Frame *branch)
{
  branch->outer = in->branch;
  branch->first_undo = in->undo.count;
  in->branch = branch->stamp;
}

static void join_into(Interpreter *in, const Frame *meeting, uint32_t at)
{
  Slot *slot = &in->slots[at];
  if (slot->meeting == meeting->stamp) {
    Joined *joined = &in->joined.items[slot->meeting_index];
    joined->meaning = meaning_join(joined->meaning, slot->meaning);
    joined->branches++;
    return;
  }
  vec_push(&in->joined, ((Joined){ at, 1, slot->meeting, slot->meeting_index, slot->meaning }));
  slot->meeting = meeting->stamp;
  slot->meeting_index = (uint32_t)in->joined.count - 1;
}

void interpret_close_branch(Interpreter *in, Frame *branch, Frame *meeting)
{
  while (in->undo.count > branch->first_undo) {
    const Undo *undo = &in->undo.items[--in->undo.count];
    if (meeting)
      join_into(in, meeting, undo->slot);
    in->slots[undo->slot].meaning = undo->meaning;
    in->slots[undo->slot].branch = undo->branch;
  }
  in->branch = branch->outer;
}

void interpret_meet(Interpreter *in, Frame *meeting)
{
  for (size_t i = in->joined.count; i-- > meeting->first_joined;) {
    Joined joined = in->joined.items[i];
    Slot *slot = &in->slots[joined.slot];
    slot->meeting = joined.meeting;
    slot->meeting_index = joined.meeting_index;
    bool is_everywhere = joined.branches == meeting->passed;
    interpret_assign(in, joined.slot, is_everywhere ? joined.meaning : meaning_join(joined.meaning, slot->meaning));
  }
  in->joined.count = meeting->first_joined;
}

// --- Regions ---

void interpret_open_region(Interpreter *in, Frame *region)
{
  region->is_region = true;
  region->region = in->region;
  region->first_changed = in->changed.count;
  in->region = region->stamp;
}

void interpret_close_region(Interpreter *in, Frame *region)
{
  in->region = region->region;
  size_t end = in->changed.count;
  for (size_t i = region->first_changed; i < end; i++) {
    Changed changed = in->changed.items[i];
    interpret_assign(in, changed.slot, meaning_join(changed.meaning, in->slots[changed.slot].meaning));
  }
  // What the region around notes of them comes after the old ones; move it to their place.
  size_t noted = in->changed.count - end;
  for (size_t i = 0; i < noted; i++) {
    Changed *to = &in->changed.items[region->first_changed + i];
    *to = in->changed.items[end + i];
    if (in->slots[to->slot].region == in->region)
      in->slots[to->slot].region_index = (uint32_t)(region->first_changed + i);
  }
  in->changed.count = region->first_changed + noted;
}

// --- Conditions about names ---

/// Whether a comparison asks what something is: `is`, `in`, `== None`.
static bool asks_what(const PyTree *tree, PyRef comparison)
{
  for (PY_EACH_CHILD(tree, child, comparison)) {
    PyNodeKind kind = py_kind(tree, child);
    Str text = kind == PYK_OPERATOR ? py_text(tree, child) : (Str){ 0 };
    if (kind == PYK_NONE || str_starts_with(text, STR("is")) || str_ends_with(text, STR("in")))
      return true;
  }
  return false;
}

void interpret_ask(Interpreter *in, PyRef first, PyRef end)
{
  const PyTree *tree = in->tree;
  PyRef comparison = 0;
  bool asks = false;
  for (PyRef node = first; node < end; node++) {
    if (py_kind(tree, node) != PYK_IDENTIFIER)
      continue;
    PyRef parent = tree->nodes[node].parent;
    if (py_kind(tree, parent) == PYK_ATTRIBUTE && tree->nodes[node].field == PY_F_OBJECT)
      continue;  // `x.type().dim() > 2` asks something that only a value of the graph has.
    bool is_compared = node != first && py_kind(tree, parent) == PYK_COMPARISON_OPERATOR;
    if (is_compared && parent != comparison) {
      comparison = parent;
      asks = asks_what(tree, parent);
    }
    uint32_t slot = is_compared && !asks ? PY_ABSENT : interpret_slot(in, node);
    if (slot == PY_ABSENT || in->slots[slot].meaning.value.kinds == 0)
      continue;
    Meaning meaning = in->slots[slot].meaning;
    meaning.value = unknown;
    interpret_assign(in, slot, meaning);
  }
}

/// The identifier in `x is None` (`ret_is` true) or `x is not None`; 0 for other comparisons.
static PyRef compared_with_none(const PyTree *tree, PyRef comparison, bool *ret_is)
{
  PyComparison at = py_tree_comparison(tree, comparison);
  if (!at.right || py_kind(tree, at.left) != PYK_IDENTIFIER || py_kind(tree, at.right) != PYK_NONE)
    return 0;
  Str text = py_text(tree, at.sign);
  *ret_is = str_equal(text, STR("is"));
  return str_starts_with(text, STR("is")) ? at.left : 0;
}

bool interpret_narrow(Interpreter *in, Frame *frame, PyRef condition)
{
  const PyTree *tree = in->tree;
  bool is_none = false;
  condition = py_tree_strip(tree, condition);
  PyRef name = py_kind(tree, condition) == PYK_COMPARISON_OPERATOR ? compared_with_none(tree, condition, &is_none) : 0;
  uint32_t slot = name ? interpret_slot(in, name) : PY_ABSENT;
  if (slot == PY_ABSENT || (in->slots[slot].meaning.value.kinds & PY_NONE) == 0)
    return false;
  Meaning none = in->slots[slot].meaning;
  Meaning other = none;
  none.value = interpret_value(PY_NONE);
  other.value.kinds &= ~(uint32_t)PY_NONE;
  frame->narrowed = slot;
  frame->narrowing = is_none ? none : other;
  interpret_assign(in, slot, is_none ? other : none);
  return true;
}

// Torch operators: unpacked on first use, schemas split into arguments.

#include "base/ascii.h"
#include "base/sort.h"
#include "base/vec.h"
#include "facts/symbolics_internal.h"
#include "symbolics.pb-c.h"

/// A position in a schema text.
typedef struct Cursor {
  Str text;
  size_t at;
} Cursor;

static bool is_open(char c)
{
  return c == '(' || c == '[';
}

static bool is_close(char c)
{
  return c == ')' || c == ']';
}

/// The end of the item that starts at `from`: a comma or closing bracket outside of any bracket or string.
static size_t item_end(Str s, size_t from)
{
  size_t depth = 0;
  for (size_t i = from; i < s.len;) {
    char c = s.data[i];
    if (c == '"' || c == '\'') {
      i = ascii_literal_end(s, i);
      continue;
    }
    if (depth == 0 && (c == ',' || is_close(c)))
      return i;
    depth += is_open(c);
    depth -= is_close(c);
    i++;
  }
  return s.len;
}

/// Where the bracket that opens at `open` closes; the text's length if it does not.
static size_t matching_close(Str s, size_t open)
{
  size_t end = item_end(s, open + 1);
  while (end < s.len && s.data[end] == ',')
    end = item_end(s, end + 1);
  return end;
}

/// Types that take other types in parentheses; after any other word, parentheses are an alias annotation.
static bool is_generic(Str word)
{
  static const char *const names[] = { "Dict", "Future", "RRef", "Union", "NamedTuple", "Await" };
  return str_is_one_of(word, names, COUNT(names));
}

/// Reads a type at the cursor: the word or group, then any of alias annotation, `[]`, `[2]`, `?`. The alias is left
/// out of the type.
static void read_type(Cursor *cursor, TorchArgument *argument, Arena *arena)
{
  Str s = cursor->text;
  size_t start = cursor->at;
  size_t i = start;
  while (i < s.len && ascii_is_dotted(s.data[i]))
    i++;
  bool is_group = i == start || is_generic(str_slice(s, start, i));
  if (i < s.len && s.data[i] == '(' && is_group)
    i = matching_close(s, i) + 1;
  Str head = str_slice(s, start, i);
  size_t tail = i;
  while (i < s.len && (is_open(s.data[i]) || s.data[i] == '?' || s.data[i] == '*')) {
    size_t close = is_open(s.data[i]) ? matching_close(s, i) : i;
    if (s.data[i] == '(' && argument->alias.len == 0) {
      argument->alias = str_slice(s, i + 1, close);
      head = arena_printf(arena, "%.*s%.*s", STR_ARG(head), (int)(i - tail), s.data + tail);
      tail = close + 1;
    }
    i = close + 1;
  }
  if (i > s.len)
    i = s.len;
  if (tail > i)
    tail = i;
  argument->type = tail == i ? head : arena_printf(arena, "%.*s%.*s", STR_ARG(head), (int)(i - tail), s.data + tail);
  cursor->at = i;
}

static void skip_blanks(Cursor *cursor)
{
  while (cursor->at < cursor->text.len && cursor->text.data[cursor->at] == ' ')
    cursor->at++;
}

/// "Tensor(a!) self=1" at the cursor, up to `end`.
static TorchArgument read_argument(Cursor *cursor, size_t end, Arena *arena)
{
  TorchArgument argument = { 0 };
  read_type(cursor, &argument, arena);
  Str rest = str_trim(str_slice(cursor->text, cursor->at, end));
  size_t equals = str_find_char(rest, '=', 0);
  argument.name = str_trim(str_slice(rest, 0, equals));
  if (equals != STR_NOT_FOUND) {
    argument.has_default = true;
    argument.default_text = str_trim(str_slice(rest, equals + 1, rest.len));
  }
  cursor->at = end;
  return argument;
}

typedef Vec(TorchArgument) ArgumentVec;

/// The items of a parenthesised list; the cursor begins after "(" and ends after ")".
static void read_list(Cursor *cursor, ArgumentVec *list, bool *ret_dots, Arena *arena)
{
  bool kwarg_only = false;
  for (;;) {
    skip_blanks(cursor);
    size_t end = item_end(cursor->text, cursor->at);
    Str item = str_trim(str_slice(cursor->text, cursor->at, end));
    if (str_equal(item, STR("*"))) {
      kwarg_only = true;
    } else if (str_equal(item, STR("..."))) {
      *ret_dots = true;
    } else if (item.len > 0) {
      TorchArgument argument = read_argument(cursor, end, arena);
      argument.is_kwarg_only = kwarg_only;
      vec_push(list, argument);
    }
    cursor->at = end + 1;
    if (end >= cursor->text.len || cursor->text.data[end] != ',')
      return;
  }
}

static const TorchArgument *keep(ArgumentVec *list, uint32_t *ret_count, Arena *arena)
{
  TorchArgument *kept = vec_copy(list, arena);
  *ret_count = (uint32_t)list->count;
  vec_free(list);
  return kept;
}

void torch_overload_parse(TorchOverload *overload, Arena *arena)
{
  Cursor cursor = { overload->schema, str_find_char(overload->schema, '(', 0) };
  ArgumentVec arguments = { 0 }, returns = { 0 };
  if (cursor.at == STR_NOT_FOUND)
    return;
  cursor.at++;
  read_list(&cursor, &arguments, &overload->has_varargs, arena);
  cursor.text = str_slice(cursor.text, cursor.at, cursor.text.len);
  cursor.at = 0;
  if (str_starts_with(cursor.text, STR(" -> "))) {
    cursor.at = 4;
    bool is_list = cursor.at < cursor.text.len && cursor.text.data[cursor.at] == '(';
    size_t close = is_list ? matching_close(cursor.text, cursor.at) : 0;
    // `(Tensor, Tensor)[]` is a type; `(Tensor, Tensor)` at the end is a list of returns.
    if (is_list && close + 1 >= cursor.text.len) {
      cursor.at++;
      read_list(&cursor, &returns, &overload->has_varreturns, arena);
    } else if (str_equal(str_slice(cursor.text, 4, cursor.text.len), STR("..."))) {
      overload->has_varreturns = true;
    } else if (!str_equal(str_slice(cursor.text, 4, cursor.text.len), STR("None"))) {  // Which is written as `()`, too.
      vec_push(&returns, read_argument(&cursor, cursor.text.len, arena));
    }
  }
  overload->arguments = keep(&arguments, &overload->argument_count, arena);
  overload->returns = keep(&returns, &overload->return_count, arena);
}

typedef Vec(TorchOverload) OverloadVec;
typedef Vec(TorchOutcome) OutcomeVec;

/// Drops the versions of `mask` from what lower layers said of this overload.
static void displace(OverloadVec *overloads, Str overload, uint32_t mask)
{
  for (size_t i = 0; i < overloads->count; i++) {
    if (str_equal(overloads->items[i].overload, overload))
      overloads->items[i].torch_versions &= ~mask;
  }
}

/// Empty where there is no such text.
static Str text_at(const Layer *layer, uint32_t index)
{
  return index < layer->torch_texts.count ? blobs_at(&layer->torch_texts, index) : (Str){ 0 };
}

/// The condition that `text` of the facts says, or that an outcome before this one has: those of several versions say
/// the same. No tokens if there is none.
static Condition condition_of(Str text, const OutcomeVec *before, Arena *arena)
{
  for (size_t i = before->count; i-- > 0;) {
    if (before->items[i].text.data == text.data)
      return before->items[i].condition;
  }
  Condition condition = { 0 };
  Str message;  // The compiler checked what it packed.
  return condition_parse(text, arena, &condition, &message) ? condition : (Condition){ 0 };
}

static void add_outcomes(SymbolicsDb *db, const Stack *stack, const Symbolics__TorchOutcomes *from, bool is_dynamo,
                         OutcomeVec *outcomes)
{
  for (size_t i = 0; i < from->n_outcomes; i++) {
    const Symbolics__Outcome *packed = from->outcomes[i];
    if ((bool)packed->dynamo != is_dynamo)
      continue;
    Str text = text_at(stack->layer, packed->condition);
    TorchOutcome outcome = {
      .kind = (OutcomeKind)packed->kind,
      .torch_versions = layer_map_versions(db, stack, packed->torch_versions),
      .opsets = packed->opsets,
      .condition = condition_of(text, outcomes, &db->arena),
      .text = text,
      .reason = text_at(stack->layer, packed->reason),
      .way_out = text_at(stack->layer, packed->way_out),
      .place = text_at(stack->layer, packed->place),
      .runtime = text_at(stack->layer, packed->runtime),
      .overload = text_at(stack->layer, packed->overload),
    };
    if (outcome.condition.count > 0)
      vec_push(outcomes, outcome);
  }
}

/// NULL if the layer does not have the operator.
static const Symbolics__TorchOperator *unpack_operator(SymbolicsDb *db, const Layer *layer, Str name)
{
  int64_t slot = layer_find_torch(layer, name);
  return slot == NO_SLOT ? NULL : layer_unpack_operator(layer, (uint32_t)slot, &db->arena);
}

/// Likewise.
static const Symbolics__TorchOutcomes *unpack_outcomes(SymbolicsDb *db, const Layer *layer, Str name)
{
  int64_t slot = layer_find_torch(layer, name);
  if (slot == NO_SLOT)
    return NULL;
  return layer_unpack(&symbolics__torch_outcomes__descriptor, blobs_at(&layer->torch_outcomes, (uint32_t)slot),
                      &db->arena);
}

/// `from` may be NULL.
static void add_layer(SymbolicsDb *db, const Stack *stack, Str name, const Symbolics__TorchOperator *from,
                      OverloadVec *overloads)
{
  for (size_t i = 0; from && i < from->n_overloads; i++) {
    const Symbolics__TorchOverload *packed = from->overloads[i];
    TorchOverload overload = { .overload = str_from(packed->overload),
                               .torch_versions = layer_map_versions(db, stack, packed->torch_versions) };
    const char *dot = overload.overload.len > 0 ? "." : "";
    overload.schema = arena_printf(&db->arena, "%.*s%s%s%s", STR_ARG(name), dot, packed->overload, packed->schema);
    torch_overload_parse(&overload, &db->arena);
    displace(overloads, overload.overload, overload.torch_versions);
    vec_push(overloads, overload);
  }
}

static int compare_overloads(const void *a, const void *b)
{
  const TorchOverload *x = a;
  const TorchOverload *y = b;
  int order = str_compare(x->overload, y->overload);
  uint32_t low_x = x->torch_versions & (0 - x->torch_versions), low_y = y->torch_versions & (0 - y->torch_versions);
  return order != 0 ? order : (low_x > low_y) - (low_x < low_y);
}

/// Unpacks the operator from every layer. The lock is held.
static void *build_operator(SymbolicsDb *db, const void *what)
{
  Str summary = { 0 };
  Str python_name = { 0 };
  Str name = *(const Str *)what;
  OverloadVec overloads = { 0 };
  for (uint32_t i = 0; i < db->layer_count; i++) {
    const Symbolics__TorchOperator *from = unpack_operator(db, db->stack[i].layer, name);
    add_layer(db, &db->stack[i], name, from, &overloads);
    if (from && from->summary[0]) {
      summary = str_from(from->summary);
      python_name = str_from(from->python_name);
    }
  }
  size_t kept = 0;
  for (size_t i = 0; i < overloads.count; i++) {
    if (overloads.items[i].torch_versions != 0)
      overloads.items[kept++] = overloads.items[i];
  }
  overloads.count = kept;
  sort_stable(overloads.items, kept, sizeof(TorchOverload), compare_overloads);
  TorchOperator *op = ARENA_NEW(&db->arena, TorchOperator);
  *op = (TorchOperator){ name, vec_copy(&overloads, &db->arena), (uint32_t)kept, summary, python_name };
  vec_free(&overloads);
  return op;
}

/// Apart from its overloads, because many operators are only asked for these, and reading conditions costs more.
typedef struct OutcomeTable {
  const TorchOutcome *items[2];  ///< Of the TorchScript exporter; of the dynamo exporter.
  uint32_t counts[2];
  uint32_t write_count;  ///< Of those of the TorchScript exporter: the last ones are about writes.
} OutcomeTable;

/// Whether it is about writes into what others see, which only operators do that work in place.
static bool is_of_writes(const TorchOutcome *outcome)
{
  for (uint32_t i = 0; i < outcome->condition.count; i++) {
    ConditionOp op = outcome->condition.tokens[i].op;
    if (op == CONDITION_WRITES_PART || op == CONDITION_LOSES_WRITE)
      return true;
  }
  return false;
}

/// Copies what is about writes, or all the rest, and returns how many these are.
static uint32_t copy_outcomes(TorchOutcome *to, const OutcomeVec *from, bool of_writes)
{
  uint32_t count = 0;
  for (size_t i = 0; i < from->count; i++) {
    if (is_of_writes(&from->items[i]) == of_writes)
      to[count++] = from->items[i];
  }
  return count;
}

/// As build_operator().
static void *build_outcomes(SymbolicsDb *db, const void *what)
{
  OutcomeVec outcomes[2] = { 0 };
  for (uint32_t i = 0; i < db->layer_count; i++) {
    const Symbolics__TorchOutcomes *from = unpack_outcomes(db, db->stack[i].layer, *(const Str *)what);
    for (int dynamo = 0; from && dynamo < 2; dynamo++)
      add_outcomes(db, &db->stack[i], from, dynamo, &outcomes[dynamo]);
  }
  OutcomeTable *table = ARENA_NEW(&db->arena, OutcomeTable);
  for (int dynamo = 0; dynamo < 2; dynamo++) {
    TorchOutcome *items = ARENA_ARRAY(&db->arena, TorchOutcome, outcomes[dynamo].count);
    uint32_t others = copy_outcomes(items, &outcomes[dynamo], false);
    uint32_t writes = copy_outcomes(items + others, &outcomes[dynamo], true);
    table->items[dynamo] = items;
    table->counts[dynamo] = others + writes;
    table->write_count = dynamo ? table->write_count : writes;
    vec_free(&outcomes[dynamo]);
  }
  return table;
}

/// The newest layer that has the name; NULL if none does.
static const Stack *find_layer(const SymbolicsDb *db, Str name, uint32_t *ret_slot)
{
  for (uint32_t i = db->layer_count; i-- > 0;) {
    int64_t slot = layer_find_torch(db->stack[i].layer, name);
    if (slot == NO_SLOT)
      continue;
    *ret_slot = (uint32_t)slot;
    return &db->stack[i];
  }
  return NULL;
}

const TorchOperator *symbolics_torch_operator(const SymbolicsDb *db, Str name)
{
  uint32_t slot;
  const Stack *stack = find_layer(db, name, &slot);
  if (!stack)
    return NULL;
  Str kept = blobs_at(&stack->layer->torch_names, slot);
  const TorchOperator *op = slots_get(db, &stack->torch, slot, build_operator, &kept);
  return op->overload_count > 0 ? op : NULL;
}

/// NULL if no layer has the name.
static const OutcomeTable *find_outcomes(const SymbolicsDb *db, Str name)
{
  uint32_t slot;
  const Stack *stack = find_layer(db, name, &slot);
  return stack ? slots_get(db, &stack->outcomes, slot, build_outcomes, &name) : NULL;
}

const TorchOutcome *symbolics_outcomes(const SymbolicsDb *db, uint32_t torch, Str kind, uint32_t *ret_count)
{
  Str name = symbolics_support_name(kind);
  const OutcomeTable *table = symbolics_has_outcomes(db, torch, name) ? find_outcomes(db, name) : NULL;
  *ret_count = 0;
  if (!table)
    return NULL;
  *ret_count = table->counts[false] - (str_ends_with(kind, STR("_")) ? 0 : table->write_count);
  return table->items[false];
}

const TorchOutcome *symbolics_dynamo_outcomes(const SymbolicsDb *db, Str name, uint32_t *ret_count)
{
  const OutcomeTable *table = find_outcomes(db, name);
  *ret_count = table ? table->counts[true] : 0;
  return table ? table->items[true] : NULL;
}

static bool is_in_newer_layer(const SymbolicsDb *db, uint32_t layer, Str name)
{
  for (uint32_t i = layer + 1; i < db->layer_count; i++) {
    if (layer_find_torch(db->stack[i].layer, name) != NO_SLOT)
      return true;
  }
  return false;
}

void symbolics_each_torch_name(const SymbolicsDb *db, Str prefix, bool (*visit)(Str name, void *context), void *context)
{
  for (uint32_t i = 0; i < db->layer_count; i++) {
    const Blobs *names = &db->stack[i].layer->torch_names;
    bool found;
    for (uint32_t k = blobs_find(names, 0, names->count, prefix, &found); k < names->count; k++) {
      Str name = blobs_at(names, k);
      if (!str_starts_with(name, prefix))
        break;
      if (!is_in_newer_layer(db, i, name) && !visit(name, context))
        return;
    }
  }
}

bool torch_overload_has_out(const TorchOverload *overload)
{
  // Arguments that are written into come after the `*`.
  size_t star = str_find(overload->schema, STR("*, "), 0);
  return star != STR_NOT_FOUND && str_find(overload->schema, STR("!) "), star) != STR_NOT_FOUND;
}

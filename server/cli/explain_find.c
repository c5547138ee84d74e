// What is meant by a word: a rule, an operator of one of the two worlds, an attribute, a name of torch.onnx.
#include <stdio.h>

#include "base/nearest.h"
#include "base/vec.h"
#include "cli/explain_private.h"
#include "host/say.h"

enum { NEAREST_SHOWN = 4 };

static bool has_torch_argument(const TorchOperator *op, Str name)
{
  for (uint32_t i = 0; i < op->overload_count; i++) {
    for (uint32_t k = 0; k < op->overloads[i].argument_count; k++) {
      if (str_equal(op->overloads[i].arguments[k].name, name))
        return true;
    }
  }
  return false;
}

/// "alpha" of "alpha_f", as g.op() spells it; empty if the word ends in no suffix.
static Str without_suffix(const Page *page, Str word)
{
  size_t mark = str_rfind_char(word, '_');
  if (mark == STR_NOT_FOUND || mark == 0)
    return (Str){ 0 };
  Str suffix = str_slice(word, mark + 1, word.len);
  return symbolics_is_suffix(page->db, page->torch, suffix) ? str_slice(word, 0, mark) : (Str){ 0 };
}

/// An operator's attribute or argument. Domains have dots too ("ai.onnx.ml::Scaler"), so the last one of the word
/// divides.
static bool find_member(const SymbolicsDb *db, Arena *arena, Subject *subject, Str member)
{
  size_t dot = str_rfind_char(subject->word, '.');
  const FoundOperator *found;
  size_t count = symbolics_find(db, str_slice(subject->word, 0, dot), arena, &found);
  for (size_t i = 0; i < count; i++) {
    if (found[i].onnx ? !onnx_operator_with_attribute(found[i].onnx, member)
                      : !has_torch_argument(found[i].torch, member))
      continue;
    subject->kind = SUBJECT_MEMBER;
    subject->operators = &found[i];
    subject->operator_count = 1;
    subject->member = member;
    return true;
  }
  return false;
}

/// Looking for one attribute name in all domains.
typedef struct AttributeQuery {
  const SymbolicsDb *db;
  Str domain;
  Str name;
  bool found;
} AttributeQuery;

static bool visit_name(Str name, void *context)
{
  AttributeQuery *query = context;
  const OnnxOperator *op = symbolics_onnx_operator(query->db, query->domain, name);
  query->found = op && onnx_operator_with_attribute(op, query->name);
  return !query->found;
}

static bool visit_domain(Str domain, void *context)
{
  AttributeQuery *query = context;
  query->domain = domain;
  symbolics_each_onnx_name(query->db, domain, (Str){ 0 }, visit_name, query);
  return !query->found;
}

static bool is_attribute(const SymbolicsDb *db, Str name)
{
  AttributeQuery query = { .db = db, .name = name };
  symbolics_each_onnx_domain(db, visit_domain, &query);
  return query.found;
}

static bool take_exact(Str name, void *context)
{
  Str *wanted = context;
  if (!str_equal(name, *wanted))
    return true;
  *wanted = (Str){ 0 };
  return false;
}

/// Nodes such as prim::If have no schema; a symbolic function, a pass or a line of ours may be about them.
static bool is_bare_kind(const SymbolicsDb *db, Str word)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(db, &versions);
  for (size_t i = 0; i < count; i++) {
    if (symbolics_pass(db, (uint32_t)i, word))
      return true;
  }
  if (describe_is_of_kind(word))
    return true;
  Str rest = word;
  symbolics_each_torch_name(db, word, take_exact, &rest);
  return rest.len == 0;
}

/// "Conv.pads", "aten::elu.alpha", "Elu.alpha_f".
static bool find_any_member(const Page *page, Subject *subject)
{
  size_t dot = str_rfind_char(subject->word, '.');
  if (dot == STR_NOT_FOUND)
    return false;
  Str member = str_slice(subject->word, dot + 1, subject->word.len);
  Str plain = without_suffix(page, member);
  return find_member(page->db, page->arena, subject, member) ||
         (plain.len > 0 && find_member(page->db, page->arena, subject, plain));
}

/// "pads", "alpha_f": of any operator.
static bool find_attribute(const Page *page, Subject *subject)
{
  Str names[] = { subject->word, without_suffix(page, subject->word) };
  for (size_t i = 0; i < COUNT(names); i++) {
    if (names[i].len == 0 || !is_attribute(page->db, names[i]))
      continue;
    subject->kind = SUBJECT_ATTRIBUTE;
    subject->member = names[i];
    return true;
  }
  return false;
}

/// "dims_i", where nothing has an attribute `dims`: what the suffix means.
static bool find_suffix(const Page *page, Subject *subject)
{
  Str plain = without_suffix(page, subject->word);
  Str suffix = str_slice(subject->word, plain.len, subject->word.len);
  if (plain.len == 0 || !describe_find_python(page, suffix, &subject->python))
    return false;
  subject->kind = SUBJECT_PYTHON;
  subject->member = plain;
  return true;
}

Subject explain_find(const Page *page, Str word)
{
  const SymbolicsDb *db = page->db;
  Arena *arena = page->arena;
  Subject subject = { .word = word, .rule = rule_find(word) };
  if (subject.rule != RULE_COUNT) {
    subject.kind = SUBJECT_RULE;
    return subject;
  }
  subject.operator_count = symbolics_find(db, word, arena, &subject.operators);
  if (subject.operator_count > 0) {
    subject.kind = SUBJECT_OPERATOR;
  } else if (str_find(word, STR("::"), 0) != STR_NOT_FOUND && is_bare_kind(db, word)) {
    subject.kind = SUBJECT_KIND;
  } else if (find_any_member(page, &subject)) {
    return subject;
  } else if (describe_find_python(page, word, &subject.python)) {
    subject.kind = SUBJECT_PYTHON;
  } else if (!find_attribute(page, &subject)) {
    find_suffix(page, &subject);
  }
  return subject;
}

// --- Did you mean ---

typedef struct NameList {
  Vec(const char *) names;
  const SymbolicsDb *db;
  Str domain;
  Arena arena;
  bool are_full;  ///< With their namespace.
} NameList;

static void add_name(NameList *list, Str space, Str name)
{
  Str shown = list->are_full && space.len > 0 ? arena_printf(&list->arena, "%.*s::%.*s", STR_ARG(space), STR_ARG(name))
                                              : arena_copy(&list->arena, name);
  vec_push(&list->names, shown.data);
}

static bool add_onnx(Str name, void *context)
{
  NameList *list = context;
  add_name(list, list->domain, name);
  return true;
}

static bool add_domain(Str domain, void *context)
{
  NameList *list = context;
  list->domain = domain;
  symbolics_each_onnx_name(list->db, domain, (Str){ 0 }, add_onnx, list);
  return true;
}

static bool add_torch(Str name, void *context)
{
  NameList *list = context;
  size_t colons = str_find(name, STR("::"), 0);
  if (colons != STR_NOT_FOUND)
    add_name(list, str_slice(name, 0, colons), str_slice(name, colons + 2, name.len));
  return true;
}

static bool add_helper(const PyHelper *helper, void *context)
{
  add_name(context, (Str){ 0 }, helper->name);
  return true;
}

static void collect(NameList *list)
{
  symbolics_each_onnx_domain(list->db, add_domain, list);
  symbolics_each_torch_name(list->db, (Str){ 0 }, add_torch, list);
  export_api_each_helper(list->db, (Str){ 0 }, add_helper, list);
  for (RuleId rule = 0; rule < RULE_COUNT; rule++)
    vec_push(&list->names, rule_info(rule)->name);
}

/// A namespace that nobody knows is somebody's own.
static bool is_foreign(const SymbolicsDb *db, Str word)
{
  size_t colons = str_find(word, STR("::"), 0);
  if (colons == STR_NOT_FOUND || symbolics_onnx_has_domain(db, str_slice(word, 0, colons)))
    return false;
  NameList list = { .db = db };
  symbolics_each_torch_name(db, str_slice(word, 0, colons + 2), add_torch, &list);
  bool is_torch = list.names.count > 0;
  vec_free(&list.names);
  arena_done(&list.arena);
  return !is_torch;
}

void explain_complain(const SymbolicsDb *db, Str word)
{
  Buffer message = { 0 };
  buffer_printf(&message, "onnxls: nothing is known of '%.*s'", STR_ARG(word));
  if (is_foreign(db, word))
    buffer_printf(&message, ", nor of any operator in '%.*s'",
                  STR_ARG(str_slice(word, 0, str_find(word, STR("::"), 0))));
  NameList list = { .db = db, .are_full = str_find(word, STR("::"), 0) != STR_NOT_FOUND };
  collect(&list);
  const char *near[NEAREST_SHOWN * 2];
  const char *shown[NEAREST_SHOWN];
  size_t shown_count = 0;
  char *text = xstrdup_str(word);
  size_t count = nearest_words(text, list.names.items, list.names.count, near, NEAREST_SHOWN * 2);
  for (size_t i = 0; i < count && shown_count < NEAREST_SHOWN; i++) {
    // aten::conv2d and quantized::conv2d are one name here.
    bool is_shown = false;
    for (size_t k = 0; k < shown_count; k++)
      is_shown |= strcmp(shown[k], near[i]) == 0;
    if (!is_shown)
      shown[shown_count++] = near[i];
  }
  for (size_t i = 0; i < shown_count; i++)
    buffer_printf(&message, "%s'%s'", i == 0 ? "; did you mean " : i + 1 == shown_count ? " or " : ", ", shown[i]);
  buffer_append(&message,
                shown_count > 0 ? STR("?") : STR("; names are such as Conv, aten::relu, Conv.pads, unused-value"));
  say("%.*s", STR_ARG(buffer_str(&message)));
  buffer_done(&message);
  free(text);
  vec_free(&list.names);
  arena_done(&list.arena);
}

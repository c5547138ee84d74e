/// What the files of `explain` share.
///
/// Ownership: a Subject borrows from the facts and the command line.
/// Units:     as in facts/symbolics.h.
/// Threads:   the main thread.
/// Sources:   docs/explain.md.
#pragma once

#include "cli/cli_facts.h"
#include "core/diagnostics.h"
#include "describe/describe.h"
#include "facts/facts_find.h"
#include "rpc/writer.h"

typedef enum SubjectKind {
  SUBJECT_NOTHING,
  SUBJECT_RULE,
  SUBJECT_OPERATOR,
  SUBJECT_KIND,       ///< A kind of torch nodes that has no schema: `word`.
  SUBJECT_MEMBER,     ///< An attribute of an ONNX operator or an argument of a torch operator.
  SUBJECT_ATTRIBUTE,  ///< Of any ONNX operator.
  SUBJECT_PYTHON,     ///< Of the Python side of torch.onnx.
} SubjectKind;

/// What a word on the command line means.
typedef struct Subject {
  SubjectKind kind;
  Str word;
  RuleId rule;
  const FoundOperator *operators;  ///< The first is meant; the others are called the same.
  size_t operator_count;
  Str member;  ///< "pads" of "Conv.pads", or the attribute; of a suffix what came before it.
  FoundPython python;
} Subject;

/// `page` says what the facts are and which version of torch is meant.
Subject explain_find(const Page *page, Str word);
/// Says on stderr that nothing is called so, and what may be meant.
void explain_complain(const SymbolicsDb *db, Str word);

/// The workspace of the current folder; NULL if it is in none. Searches folders.
Workspace *explain_workspace(void);
/// The current folder.
Str explain_folder(Arena *arena);

/// One JSON value. `page` says the opset and the torch version.
void explain_json_onnx(Buffer *out, const Page *page, const OnnxOperator *op);
/// `overload` may be empty for all of them.
void explain_json_torch(Buffer *out, const Page *page, const OperatorFacts *facts, Str overload);
void explain_json_member(Buffer *out, const Page *page, const FoundOperator *found, Str member);
void explain_json_attribute(Buffer *out, const Page *page, Str name);
void explain_json_python(Buffer *out, const Page *page, const FoundPython *found);
void explain_json_rule(Buffer *out, RuleId rule, Arena *arena);

/// The page of a rule as Markdown, or as text for a terminal.
Str explain_rule_markdown(RuleId rule);
Str explain_rule_text(RuleId rule, size_t width, Arena *arena);

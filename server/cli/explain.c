// `onnxls explain`: what the facts say of an operator or attribute, what a rule is about.
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/release.h"
#include "cli/commands.h"
#include "cli/explain_private.h"
#include "core/workspace_operators.h"
#include "host/say.h"

enum { PLAIN_WIDTH = 100, LEAST_WIDTH = 40, MOST_WIDTH = 140 };

typedef enum ExplainFlag {
  FLAG_EXPORTER,
  FLAG_FORMAT,
  FLAG_HELP,
  FLAG_OPSET,
  FLAG_TORCH,
  FLAG_COUNT,
} ExplainFlag;

static const Option options[FLAG_COUNT] = {
  [FLAG_EXPORTER] = { "exporter", 0, "NAME", "torchscript or dynamo" },
  [FLAG_FORMAT] = { "format", 0, "FORMAT", "text, json or markdown" },
  [FLAG_HELP] = { "help", 'h', NULL, "this page" },
  [FLAG_OPSET] = { "opset", 0, "N", "as it is at this opset (of another domain: at this version)" },
  [FLAG_TORCH] = { "torch", 0, "VERSION", "as it is in this torch version, such as 2.6; or auto" },
};

typedef enum ExplainFormat {
  FORMAT_TEXT,
  FORMAT_JSON,
  FORMAT_MARKDOWN,
} ExplainFormat;

static const char *const format_names[] = { "text", "json", "markdown" };

typedef struct Explain {
  FactsFlags flags;
  ExplainFormat format;
  const char *word;
  bool wants_help;
} Explain;

static void print_help(void)
{
  printf(
      "usage: onnxls explain OP|RULE|OP.ATTRIBUTE|ATTRIBUTE|PYTHON [flags]\n\n"
      "Tells what is known: of an ONNX operator (Conv, ai.onnx.ml::Scaler), a torch operator (aten::elu, elu,\n"
      "aten::add.Tensor), an attribute or argument (Conv.pads, aten::elu.alpha, axis), a rule (unused-value), and what\n"
      "symbolic functions are written with (symbolic_helper._scalar, parse_args.is, _f, torch.onnx.dynamo_export,\n"
      "export.dynamic_axes).\n\n");
  option_print_help(options, FLAG_COUNT);
  printf("\nFlags win over .onnxls.json, which is looked for in this folder and those above it.\n"
         "Exit codes: 0 explained, 2 nothing of that name is known, or a flag makes no sense.\n");
}

MUST_USE static Status take_flag(Explain *explain, const OptionReader *reader)
{
  size_t choice = 0;
  Status status = OK;
  if (reader->option == FLAG_HELP) {
    explain->wants_help = true;
  } else if (reader->option == FLAG_FORMAT) {
    status = option_choice(reader, format_names, 3, &choice);
    explain->format = (ExplainFormat)choice;
  } else {
    status = cli_facts_take_flag(&explain->flags, reader);
  }
  return status;
}

MUST_USE static Status read_words(Explain *explain, OptionReader *reader)
{
  for (;;) {
    switch (option_next(reader)) {
    case OPTION_BAD:
      return ERR_USAGE;
    case OPTION_FLAG:
      if (take_flag(explain, reader) != OK)
        return ERR_USAGE;
      break;
    case OPTION_OPERAND:
      if (explain->word) {
        say("%s: one name at a time; '%s' is a second one", reader->command, reader->value);
        return ERR_USAGE;
      }
      explain->word = reader->value;
      break;
    case OPTION_END:
      if (explain->word || explain->wants_help)
        return OK;
      say("%s: name an operator, an attribute or a rule: onnxls explain Conv", reader->command);
      return ERR_USAGE;
    }
  }
}

/// A terminal's own, within what reads well.
static size_t text_width(void)
{
  struct winsize size;
  if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
    return PLAIN_WIDTH;
  return size.ws_col < LEAST_WIDTH ? LEAST_WIDTH : size.ws_col > MOST_WIDTH ? MOST_WIDTH : size.ws_col;
}

/// Settings name an opset of ai.onnx, which says nothing of other domains' versions; a flag means what is asked about.
static int opset_for(const Explain *explain, const CliFacts *facts, const Subject *subject)
{
  bool is_other =
      subject->operator_count > 0 && subject->operators[0].onnx && subject->operators[0].onnx->domain.len > 0;
  return is_other ? explain->flags.opset : facts->opset;
}

// --- Text and Markdown ---

/// Other operators of the same name, in other domains and namespaces.
static void write_namesakes(Page *page, const Subject *subject)
{
  if (subject->operator_count < 2)
    return;
  markup_paragraph(&page->markup);
  markup_text(&page->markup, "Also called so: ");
  for (size_t i = 1; i < subject->operator_count; i++) {
    const FoundOperator *other = &subject->operators[i];
    if (i > 1)
      markup_text(&page->markup, ", ");
    markup_code(&page->markup, other->onnx ? describe_onnx_full_name(other->onnx, page->arena) : other->torch->name);
  }
}

/// Of the exporter that is meant. If nobody named one, the dynamo exporter isn't where it can't meet the operator.
static OperatorFacts facts_of(Page *page, Str name)
{
  OperatorTarget target = page_target(page);
  OperatorFacts facts = operator_facts(&target, name, false, page->arena);
  if (!page->exporter_is_default || target.exporter == EXPORTER_TORCHSCRIPT)
    return facts;
  target.exporter = EXPORTER_TORCHSCRIPT;
  OperatorFacts other = operator_facts(&target, name, false, page->arena);
  if (facts.verdict != VERDICT_UNKNOWN && other.verdict != VERDICT_REMOVED)
    return facts;
  page->exporter = EXPORTER_TORCHSCRIPT;
  return other;
}

static void describe_torch(Page *page, Str name, Str overload)
{
  OperatorFacts facts = facts_of(page, name);
  describe_torch_operator(page, &facts, overload);
}

static void write_subject(Page *page, const Subject *subject)
{
  const FoundOperator *found = subject->operators;
  switch (subject->kind) {
  case SUBJECT_OPERATOR:
    if (found->onnx)
      describe_onnx_operator(page, found->onnx);
    else
      describe_torch(page, found->torch->name, found->overload);
    write_namesakes(page, subject);
    break;
  case SUBJECT_KIND:
    describe_torch(page, subject->word, (Str){ 0 });
    break;
  case SUBJECT_MEMBER:
    if (found->onnx)
      describe_onnx_attribute(page, found->onnx, subject->member);
    else
      describe_torch_argument(page, found->torch, subject->member);
    break;
  case SUBJECT_ATTRIBUTE:
    describe_attribute_name(page, subject->member);
    break;
  case SUBJECT_PYTHON:
    describe_python(page, &subject->python);
    break;
  case SUBJECT_RULE:
  case SUBJECT_NOTHING:
    break;
  }
}

static Str explain_words(Page *page, const Subject *subject, bool as_markdown)
{
  if (subject->kind == SUBJECT_RULE)
    return as_markdown ? explain_rule_markdown(subject->rule)
                       : explain_rule_text(subject->rule, text_width(), page->arena);
  Hover texts = { .markdown = { 0 } };
  page->markup.for_terminal = true;
  write_subject(page, subject);
  markup_finish(&page->markup, page->arena, (Range){ 0, 0 }, &texts);
  return as_markdown ? arena_printf(page->arena, "%.*s\n", STR_ARG(texts.markdown))
                     : markup_layout(texts.plain, text_width(), page->arena);
}

// --- JSON ---

static void json_torch(Buffer *out, Page *page, Str name, Str overload)
{
  OperatorFacts facts = facts_of(page, name);
  explain_json_torch(out, page, &facts, overload);
}

static Str explain_json(Page *page, const Subject *subject)
{
  Buffer out = { 0 };
  const FoundOperator *found = subject->operators;
  switch (subject->kind) {
  case SUBJECT_OPERATOR:
    if (found->onnx)
      explain_json_onnx(&out, page, found->onnx);
    else
      json_torch(&out, page, found->torch->name, found->overload);
    break;
  case SUBJECT_KIND:
    json_torch(&out, page, subject->word, (Str){ 0 });
    break;
  case SUBJECT_MEMBER:
    explain_json_member(&out, page, found, subject->member);
    break;
  case SUBJECT_ATTRIBUTE:
    explain_json_attribute(&out, page, subject->member);
    break;
  case SUBJECT_PYTHON:
    explain_json_python(&out, page, &subject->python);
    break;
  case SUBJECT_RULE:
    explain_json_rule(&out, subject->rule, page->arena);
    break;
  case SUBJECT_NOTHING:
    break;
  }
  buffer_append_char(&out, '\n');
  Str text = arena_copy(page->arena, buffer_str(&out));
  buffer_done(&out);
  return text;
}

/// Of what may have a symbolic function: looks into the workspace, which may also know an operator that nobody else
/// does.
static Workspace *add_workspace(Page *page, Subject *subject)
{
  bool is_unknown = subject->kind == SUBJECT_NOTHING && str_find(subject->word, STR("::"), 0) != STR_NOT_FOUND;
  bool is_torch = subject->kind == SUBJECT_OPERATOR && subject->operators[0].torch;
  if (!is_unknown && !is_torch && subject->kind != SUBJECT_KIND)
    return NULL;
  Workspace *workspace = explain_workspace();
  page->workspace = workspace;
  page->folder = explain_folder(page->arena);
  if (is_unknown &&
      (workspace_opsets(workspace, subject->word) != 0 || workspace_count_definitions(workspace, subject->word) > 0))
    subject->kind = SUBJECT_KIND;
  return workspace;
}

/// What torch.onnx.export() takes in that torch if nobody says: since 2.9 the dynamo exporter, unless only the other
/// one has the opset.
static Exporter default_exporter(const CliFacts *facts)
{
  static const Release first = { { 2, 9 }, 2 };
  OpsetRange range;
  size_t end;
  bool is_dynamo = release_compare(release_read(facts->torch_name, &end), first) >= 0 &&
                   symbolics_opset_range(facts->db, facts->torch, EXPORTER_DYNAMO, &range) &&
                   (facts->opset == 0 || facts->opset >= range.min);
  return is_dynamo ? EXPORTER_DYNAMO : EXPORTER_TORCHSCRIPT;
}

static int run(const Explain *explain, const CliFacts *facts)
{
  Arena arena = { 0 };
  Page page = {
    .db = facts->db,
    .arena = &arena,
    .torch = facts->torch,
    .exporter = facts->exporter_is_default ? default_exporter(facts) : facts->exporter,
    .exporter_is_default = facts->exporter_is_default,
  };
  Subject subject = explain_find(&page, str_from(explain->word));
  Workspace *workspace = add_workspace(&page, &subject);
  int code = EXIT_USAGE;
  if (subject.kind == SUBJECT_NOTHING) {
    explain_complain(facts->db, subject.word);
  } else {
    if (subject.kind == SUBJECT_PYTHON && subject.member.len > 0)
      say("onnxls: no operator of ONNX has an attribute '%.*s'; this is what the suffix means",
          STR_ARG(subject.member));
    page.opset = opset_for(explain, facts, &subject);
    Str text = explain->format == FORMAT_JSON ? explain_json(&page, &subject)
                                              : explain_words(&page, &subject, explain->format == FORMAT_MARKDOWN);
    if (explain->format == FORMAT_JSON)
      fwrite(text.data, 1, text.len, stdout);
    else
      say_lines(stdout, text);
    code = fflush(stdout) == 0 ? EXIT_CLEAN : EXIT_USAGE;
  }
  workspace_release(workspace);
  arena_done(&arena);
  return code;
}

int cli_explain(int argc, char **argv)
{
  Explain explain = { .word = NULL };
  OptionReader reader = option_reader("onnxls explain", options, FLAG_COUNT, argc, argv);
  if (read_words(&explain, &reader) != OK)
    return EXIT_USAGE;
  if (explain.wants_help) {
    print_help();
    return EXIT_CLEAN;
  }
  CliFacts facts;
  if (cli_facts_open(&facts, &explain.flags) != OK)
    return EXIT_USAGE;
  int code = run(&explain, &facts);
  cli_facts_close(&facts);
  return code;
}

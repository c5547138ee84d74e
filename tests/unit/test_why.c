// Texts that people paste: what is cleaned off them, how they are cut, which messages are found, and what is said.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buffer.h"
#include "base/vec.h"
#include "why/cut.h"
#include "why/match.h"
#include "why/pick.h"
#include "why/why.h"

static Arena arena;

static int setup(void **state)
{
  return 0;
}

static int teardown(void **state)
{
  arena_done(&arena);
  return 0;
}

#define assert_str(actual, expected)                                                                                   \
  do {                                                                                                                 \
    Str actual_ = (actual);                                                                                            \
    Str copy_ = arena_copy(&arena, actual_);                                                                           \
    assert_string_equal(copy_.data ? copy_.data : "", (expected));                                                     \
  } while (0)

// --- Cleaning ---

static CleanText clean(const char *text)
{
  CleanText result;
  clean_text(str_from(text), &arena, &result);
  return result;
}

static void what_terminals_and_logs_add(void **state)
{
  assert_str(clean("\x1b[96mThis is step 1/3\x1b[0m of\r\nx\ry").text, "This is step 1/3 of\nx\ny\n");
  assert_str(clean("[96mThis is step 1/3[0m").text, "This is step 1/3\n");
  assert_str(clean("^[[31mred^[[0m").text, "red\n");
  assert_str(clean("\x1b]0;title\x07text").text, "text\n");
  assert_str(clean("> > quoted\n>>> import torch").text, "quoted\n>>> import torch\n");
  assert_str(clean("2026-01-01T00:00:00.1234567Z [rank0]: ValueError: x").text, "ValueError: x\n");
  assert_str(clean("export-1  | ValueError: x\na | b").text, "ValueError: x\na | b\n");
  assert_str(clean("W1121 08:49:37.618000 18783 torch/x.py:9273] Setting").text, "Setting\n");
  assert_str(clean("E   RuntimeError: x").text, "RuntimeError: x\n");
  assert_str(clean("\xE2\x94\x82 RuntimeError: x   \xE2\x94\x82").text, "RuntimeError: x\n");
  assert_str(clean("# ValueError: x\n#  index: 1").text, "ValueError: x\n index: 1\n");
  assert_str(clean("\xEF\xBB\xBFValueError: x").text, "ValueError: x\n");
  assert_str(clean("\x1b").text, "\n");
  assert_str(clean("\x1b[12").text, "\n");
}

/// A log's prefix is learned from a traceback, a step of the exporter or a warning; numbers in it may differ.
static void prefixes_that_nobody_listed(void **state)
{
  assert_str(clean("job\tRun\t12:00:01 Traceback (most recent call last):\njob\tRun\t12:00:02   File \"a.py\", line 1\n"
                   "job\tRun\t12:00:02 ValueError: x\nother")
                 .text,
             "Traceback (most recent call last):\n  File \"a.py\", line 1\nValueError: x\nother\n");
  assert_str(clean("(W pid=7)   File \"a.py\", line 1\n(W pid=12) ValueError: x").text,
             "  File \"a.py\", line 1\nValueError: x\n");
  assert_str(clean("  9: [torch.onnx] Obtain\n 10: [torch.onnx] Run\n 11:").text,
             "[torch.onnx] Obtain\n[torch.onnx] Run\n\n");
  assert_str(clean("ERR /a/b.py:1: UserWarning: x\nERR   code()").text, "/a/b.py:1: UserWarning: x\n  code()\n");
  assert_str(clean("errcode = 2 - ?Traceback (most recent call last):\n  File \"a.py\", line 1").text,
             "errcode = 2 - ?Traceback (most recent call last):\n  File \"a.py\", line 1\n");
  assert_str(clean("I get Traceback (most recent call last):\nI do not").text,
             "I get Traceback (most recent call last):\nI do not\n");
}

static void a_traceback_that_is_indented_as_a_whole(void **state)
{
  assert_str(
      clean("    Traceback (most recent call last):\n      File \"a.py\", line 1\n        f()\n\n    ValueError: x\n"
            "end\n    code")
          .text,
      "Traceback (most recent call last):\n  File \"a.py\", line 1\n    f()\n\nValueError: x\nend\n    code\n");
}

static void records_of_one_line(void **state)
{
  assert_str(
      clean(
          "{\"log\": \"Traceback (most recent call last):\\n  File \\\"a.py\\\", line 1\\n\\u274c\\tx\\u001b[0m\\n\", "
          "\"n\": 1}")
          .text,
      "Traceback (most recent call last):\n  File \"a.py\", line 1\n\xE2\x9D\x8C\tx\n");
  assert_str(clean("E: 'Traceback (most recent call last):\\n\\xe9\\u00").text,
             "Traceback (most recent call last):\n\xC3\xA9\n");
  assert_str(clean("E: 'Traceback (most recent call last):\\n\\").text, "Traceback (most recent call last):\n\n");
}

/// Every clean byte of this text is where clean_origin() says.
static void offsets_lead_back(void **state)
{
  const char *text = "> \x1b[1mabc\x1b[0m def\r\n2026-01-01T00:00:00Z ghi\n"
                     "A: 'Traceback (most recent call last):\\n b \\\" c\\nd'\nA: '  e";
  CleanText result = clean(text);
  for (size_t i = 0; i < result.text.len; i++) {
    if (result.text.data[i] != '\n')
      assert_int_equal(text[clean_origin(&result, i)], result.text.data[i]);
  }
}

// --- Frames ---

static WhyFrame frame(const char *line)
{
  WhyFrame result = { .line = UINT32_MAX };
  assert_true(why_read_frame(str_from(line), &result));
  return result;
}

static void frames_of_every_printer(void **state)
{
  static const char *const lines[] = {
    "  File \"/home/model.py\", line 12, in forward",
    "File ~/model.py:12, in Net.forward(self, x)",
    "/home/model.py:12 in forward",
    "/home/model.py:12: in forward",
    "  /home/model.py(12): forward",
    "    (node defined in /home/model.py(12): forward",
    "Caused by: (ops/model.py:12 in forward)",
    "File [~/model.py:12](https://localhost), in Net.forward(self, x)",
    "Cell In[3], line 12, in forward(x)",
  };
  for (size_t i = 0; i < COUNT(lines); i++) {
    WhyFrame result = frame(lines[i]);
    assert_int_equal(result.line, 12);
    assert_true(str_ends_with(result.function, STR("forward")));
  }
  assert_str(frame("[/lib/model.py](https://localhost:8080/#) in forward(self)").path, "/lib/model.py");
  assert_str(frame("<ipython-input-3-abc> in <module>").function, "<module>");
}

static void lines_that_are_no_frames(void **state)
{
  static const char *const lines[] = { "return model.py:12",
                                       "see model.py for more",
                                       "x = f(model.py)",
                                       "",
                                       "File \"",
                                       "12, in forward",
                                       "# File: model.py:12 in forward, code: x" };
  WhyFrame result;
  for (size_t i = 0; i < COUNT(lines); i++)
    assert_false(why_read_frame(str_from(lines[i]), &result));
  assert_true(why_read_source(STR("  # File: model.py:12 in forward, code: x"), &result));
  assert_int_equal(result.line, 12);
}

// --- Chains ---

static WhyCut cut(const char *text)
{
  CleanText cleaned = clean(text);
  WhyCut result;
  why_cut(&cleaned, &arena, &result);
  return result;
}

static void a_chain_is_cut_into_its_exceptions(void **state)
{
  WhyCut result = cut("Traceback (most recent call last):\n"
                      "  File \"a.py\", line 1, in f\n"
                      "    raise KeyError('RuntimeError: no')\n"
                      "KeyError: 'x'\n"
                      "\n"
                      "The above exception was the direct cause of the following exception:\n"
                      "\n"
                      "Traceback (most recent call last):\n"
                      "  File \"b.py\", line 2, in g\n"
                      "ValueError: outer\n"
                      "  second line\n"
                      "\n"
                      "Traceback (most recent call last):\n"
                      "  File \"c.py\", line 3, in h\n"
                      "AssertionError\n");
  assert_int_equal(result.failure_count, 3);
  assert_str(result.failures[0].type, "KeyError");
  assert_int_equal(result.failures[0].frame_count, 1);
  assert_int_equal(result.failures[0].chain, result.failures[1].chain);
  assert_int_not_equal(result.failures[1].chain, result.failures[2].chain);
  assert_int_equal(result.failures[1].end - result.failures[1].start, strlen("ValueError: outer\n  second line\n\n"));
  assert_int_equal(result.code_count, 1);
}

static void a_summary_belongs_to_the_exception_above(void **state)
{
  WhyCut result = cut("torch.onnx._internal.exporter._errors.ConversionError: Failed\n"
                      "- next steps\n"
                      "\n"
                      "## Exception summary\n"
                      "\n"
                      "<class 'TypeError'>: inner\n"
                      "\xE2\xAC\x86\xEF\xB8\x8F\n"
                      "<class 'torch.onnx._internal.exporter._errors.ConversionError'>: Error when translating\n"
                      "\n"
                      "(Refer to the full stack trace above for more information.)\n");
  assert_int_equal(result.failure_count, 3);
  assert_str(result.failures[1].type, "TypeError");
  for (size_t i = 1; i < 3; i++)
    assert_int_equal(result.failures[i].chain, result.failures[0].chain);
  assert_true(result.failures[1].is_summary && !result.failures[0].is_summary);
}

static void frames_inside_a_message_are_kept_apart(void **state)
{
  WhyCut result = cut("  File \"torch/x.py\", line 1, in f\n"
                      "    call()\n"
                      "a.b.GuardOnDataDependentSymNode: Could not guard\n"
                      "The following call raised this error:\n"
                      "  File \"decoder.py\", line 88, in forward\n"
                      "    if n == 1:\n");
  assert_int_equal(result.failure_count, 1);
  assert_int_equal(result.failures[0].frame_count, 1);
  assert_int_equal(result.failures[0].said_count, 1);
  assert_str(result.frames[result.failures[0].first_said].path, "decoder.py");
}

static void warnings_have_a_place(void **state)
{
  WhyCut result = cut("/home/model.py:12: TracerWarning: Converting\n  if x > 0:\nnote: Error\n");
  assert_int_equal(result.failure_count, 1);
  assert_true(result.failures[0].is_warning);
  assert_int_equal(result.frames[0].line, 12);
  assert_int_equal(result.code_count, 1);
}

static void capturing_succeeds_with_any_strategy(void **state)
{
  WhyCut result = cut("\xE2\x9D\x8C Obtain model graph with `torch.export.export(..., strict=False)`\n"
                      "\xE2\x9C\x85 Obtain model graph with `torch.export.export(..., strict=True)`\n"
                      "\xE2\x9A\xAA Obtain model graph with `torch.export.draft_export`\n"
                      "\xE2\x9D\x8C Translate the graph into ONNX\n");
  assert_int_equal(result.steps[STEP_CAPTURE], STEP_OK);
  assert_int_equal(result.steps[STEP_TRANSLATE], STEP_FAILED);
}

// --- Patterns ---

static bool matches(const char *pattern, const char *text, Match *match)
{
  uint64_t work = 0;
  Pattern compiled = match_compile(str_from(pattern), &arena);
  size_t at = compiled.parts[0].name.len > 0 ? str_find(str_from(text), compiled.parts[0].literal, 0) : 0;
  return at != STR_NOT_FOUND && match_pattern(&compiled, str_from(text), at, &work, match);
}

static void patterns_begin_at_words(void **state)
{
  uint64_t work = 0;
  Match match;
  Pattern name = match_compile(STR("export() got"), &arena);
  Pattern sign = match_compile(STR("(a) got"), &arena);
  assert_true(match_pattern(&name, STR("TypeError: export() got"), 11, &work, &match));
  assert_true(match_pattern(&name, STR("Module.export() got"), 7, &work, &match));
  assert_false(match_pattern(&name, STR("my_export() got"), 3, &work, &match));
  assert_false(match_pattern(&name, STR("2export() got"), 1, &work, &match));
  assert_true(match_pattern(&sign, STR("f(a) got"), 1, &work, &match));
  (void)state;
}

static void holes_of_each_kind(void **state)
{
  Match match;
  assert_true(matches("the {what} of {who.} end", "the colour of x end", &match));
  assert_str(match_hole(&match, STR("what")), "colour");
  assert_str(match_hole(&match, STR("who")), "x");
  assert_false(matches("the {what} end", "the colour\nof end", &match));
  assert_true(matches("the {what*} end", "the colour\nof x end", &match));
  assert_str(match_hole(&match, STR("what")), "colour\nof x");
  assert_false(matches("the {what.}x", "the a bx", &match));
  assert_true(matches("the  end", "the \n   end", &match));
  assert_true(matches("{who.} said {what}", "and x said so\nand", &match));
  assert_str(match_hole(&match, STR("who")), "x");
  assert_str(match_hole(&match, STR("what")), "so");
  assert_true(matches("dict {} and {what}", "dict {} and more", &match));
  assert_false(matches("the {what}", "the ", &match));
}

static void add_sample(Buffer *out, Str pattern)
{
  for (size_t i = 0; i < pattern.len; i++) {
    size_t close = pattern.data[i] == '{' ? str_find_char(pattern, '}', i) : STR_NOT_FOUND;
    bool is_hole = close != STR_NOT_FOUND && close > i + 1 && pattern.data[i + 1] >= 'a' &&
                   pattern.data[i + 1] <= 'z' && str_find_char(str_slice(pattern, i, close), ' ', 0) == STR_NOT_FOUND;
    if (!is_hole) {
      buffer_append_char(out, pattern.data[i]);
      continue;
    }
    buffer_append(out, STR("7q"));
    i = close;
  }
}

/// Each text of the catalogue, with something in its holes, is found again as that message.
static void every_pattern_finds_itself(void **state)
{
  const SymbolicsDb *db = symbolics_embedded();
  const MessageTable *table = symbolics_messages(db, 0);
  const MatchIndex *index = match_index_new(db, &arena);
  assert_true(table->message_count > 250);
  for (size_t i = 0; i < table->message_count; i++) {
    for (uint32_t k = 0; k < table->messages[i].pattern_count; k++) {
      Buffer sample = { 0 };
      MatchList found;
      add_sample(&sample, table->messages[i].patterns[k]);
      match_find(index, buffer_str(&sample), &arena, &found);
      bool is_found = false;
      for (size_t m = 0; m < found.count; m++)
        is_found |= found.items[m].message == &table->messages[i];
      if (!is_found)
        print_error("%.*s: %.*s\n", STR_ARG(table->messages[i].id), STR_ARG(buffer_str(&sample)));
      assert_true(is_found);
      buffer_done(&sample);
    }
  }
}

/// A log that says one thing over and over does not hide what it says at its end.
static void repetition_hides_nothing(void **state)
{
  Buffer text = { 0 };
  for (int i = 0; i < 20000; i++)
    buffer_append(&text, STR("Unsupported: ONNX export of operator x, y\n"));
  buffer_append(&text, STR("RuntimeError: Couldn't lower all tuples.\n"));
  MatchList found;
  match_find(match_index_new(symbolics_embedded(), &arena), buffer_str(&text), &arena, &found);
  assert_false(found.is_partial);
  assert_str(found.items[found.count - 1].message->id, "ts-lower-tuples");
  buffer_done(&text);
}

/// Beginnings of many messages whose holes reach far and never end: the work is cut off, and that is said.
static void work_is_bounded(void **state)
{
  Buffer text = { 0 };
  for (int i = 0; i < 40000; i++)
    buffer_append(&text, STR("Failed to export a node '"));
  MatchList found;
  match_find(match_index_new(symbolics_embedded(), &arena), buffer_str(&text), &arena, &found);
  assert_true(found.is_partial);
  assert_true(found.searched < text.len);
  buffer_done(&text);
}

// --- Answers ---

static WhyAnswer explain(const char *text)
{
  WhyAnswer answer;
  why_explain(str_from(text), symbolics_embedded(), &arena, &answer);
  return answer;
}

static void a_wrapped_and_quoted_message(void **state)
{
  const char *text = "> RuntimeError: Exporting the operator\n> col2im to ONNX opset version 11 is not\n> supported.\n";
  WhyAnswer answer = explain(text);
  assert_int_equal(answer.count, 1);
  assert_str(answer.findings[0].operator_, "aten::col2im");
  assert_true(str_find(answer.findings[0].fix, STR("opset_version=18"), 0) != STR_NOT_FOUND);
  assert_true(str_starts_with(str_from(text + answer.findings[0].start), STR("Exporting")));
  assert_true(answer.findings[0].end <= strlen(text));
}

static void quoted_code_says_nothing(void **state)
{
  WhyAnswer answer = explain("  File \"a.py\", line 1, in f\n"
                             "    raise RuntimeError('Protobuf parsing failed.')\n"
                             "KeyError: 'x'\n");
  assert_false(answer.has_cause);
  assert_int_equal(answer.count, 1);
  assert_str(answer.findings[0].what, "KeyError: 'x'");
  assert_str(answer.findings[0].file, "a.py");
}

static void an_unknown_exception_names_what_is_known(void **state)
{
  WhyAnswer answer = explain("RuntimeError: something about aten::polar went wrong\n");
  assert_false(answer.has_cause);
  assert_str(answer.findings[0].operator_, "aten::polar");
  assert_int_equal(explain("ValueError: x").findings[0].end, strlen("ValueError: x"));
  assert_true(str_find(answer.findings[0].what, STR("symbolic function for aten::polar"), 0) != STR_NOT_FOUND);
}

static void the_surest_of_two_wins(void **state)
{
  WhyAnswer answer =
      explain("Unsupported: ONNX export of operator adaptive_avg_pool2d, output size that are not factor of "
              "input size. Please feel free to request support");
  assert_int_equal(answer.count, 1);
  assert_str(answer.findings[0].id, "ts-adaptive-pool-factor");
}

static void own_frames_come_before_packages(void **state)
{
  WhyAnswer answer = explain("Traceback (most recent call last):\n"
                             "  File \"export.py\", line 40, in <module>\n"
                             "  File \"/lib/site-packages/torch/onnx/__init__.py\", line 1, in export\n"
                             "  File \"/home/net.py\", line 7, in forward\n"
                             "  File \"/lib/site-packages/timm/layers.py\", line 9, in forward\n"
                             "  File \"/lib/site-packages/torch/fx/x.py\", line 1, in g\n"
                             "a.GuardOnDataDependentSymNode: Could not guard on data-dependent expression Eq(u0, 1)\n");
  assert_str(answer.findings[0].file, "/home/net.py");
  assert_int_equal(answer.findings[0].line, 7);
}

static void a_message_within_another_text_only(void **state)
{
  assert_false(explain("TypeError: unhashable type: 'list'\n").has_cause);
  assert_true(explain("TypeError: unhashable type: 'list'\n"
                      "Error when calling function 'OnnxFunction(f)' with args '[]'\n")
                  .has_cause);
}

static void quotes_around_a_text_go_and_those_inside_stay(void **state)
{
  assert_str(why_bare(STR("'aten::add'.")), "aten::add");
  assert_str(why_bare(STR("`inputs[3]` is a tuple, but `d[3]` is a dict")),
             "`inputs[3]` is a tuple, but `d[3]` is a dict");
  assert_str(why_bare(STR("`a` and `b`")), "`a` and `b`");
  assert_str(why_bare(STR("'x")), "x");
}

static void a_nul_hides_no_words(void **state)
{
  static const char text[] = "ValueError: Dim name must be a valid identifier, got \0x\n";
  WhyAnswer answer;
  why_explain(str_make(text, sizeof(text) - 1), symbolics_embedded(), &arena, &answer);
  assert_int_equal(answer.count, 1);
  assert_str(answer.findings[0].id, "dim-name");
  assert_int_equal(str_find_char(answer.findings[0].cause, '\0', 0), STR_NOT_FOUND);
  assert_true(str_ends_with(answer.findings[0].cause, STR("x can't be the name of a Dim.")));
}

static void empty_and_strange_texts(void **state)
{
  assert_int_equal(explain("").count, 0);
  assert_int_equal(explain("\n\n\n").count, 0);
  assert_int_equal(explain("hello").count, 0);
  assert_int_equal(explain("{operator} {{{{ \x80\xff").count, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_terminals_and_logs_add),
    cmocka_unit_test(prefixes_that_nobody_listed),
    cmocka_unit_test(a_traceback_that_is_indented_as_a_whole),
    cmocka_unit_test(records_of_one_line),
    cmocka_unit_test(offsets_lead_back),
    cmocka_unit_test(frames_of_every_printer),
    cmocka_unit_test(lines_that_are_no_frames),
    cmocka_unit_test(a_chain_is_cut_into_its_exceptions),
    cmocka_unit_test(a_summary_belongs_to_the_exception_above),
    cmocka_unit_test(frames_inside_a_message_are_kept_apart),
    cmocka_unit_test(warnings_have_a_place),
    cmocka_unit_test(capturing_succeeds_with_any_strategy),
    cmocka_unit_test(holes_of_each_kind),
    cmocka_unit_test(patterns_begin_at_words),
    cmocka_unit_test(every_pattern_finds_itself),
    cmocka_unit_test(repetition_hides_nothing),
    cmocka_unit_test(work_is_bounded),
    cmocka_unit_test(a_wrapped_and_quoted_message),
    cmocka_unit_test(quoted_code_says_nothing),
    cmocka_unit_test(an_unknown_exception_names_what_is_known),
    cmocka_unit_test(the_surest_of_two_wins),
    cmocka_unit_test(own_frames_come_before_packages),
    cmocka_unit_test(a_message_within_another_text_only),
    cmocka_unit_test(quotes_around_a_text_go_and_those_inside_stay),
    cmocka_unit_test(a_nul_hides_no_words),
    cmocka_unit_test(empty_and_strange_texts),
  };
  return cmocka_run_group_tests(tests, setup, teardown);
}

// `onnxls db diff`: what differs between two versions of torch or onnx, or between a file of facts and what is loaded.
#include <stdio.h>

#include "base/vec.h"
#include "cli/commands.h"
#include "cli/db_private.h"
#include "cli/db_sides.h"
#include "host/say.h"
#include "rpc/writer.h"

typedef Vec(FactDiff) DiffVec;

typedef struct Comparison {
  Side sides[2];
  DiffVec diffs;
  bool skips_dynamo;  ///< Nothing is known of it on one side.
  Arena arena;
} Comparison;

static Str copy(Comparison *comparison, Str s)
{
  return s.len > 0 ? arena_copy(&comparison->arena, s) : (Str){ 0 };
}

static bool keep(const FactDiff *diff, void *context)
{
  Comparison *comparison = context;
  if (diff->what == DIFF_DYNAMO && comparison->skips_dynamo)
    return true;
  FactDiff kept = *diff;
  kept.name = copy(comparison, diff->name);
  kept.before = copy(comparison, diff->before);
  kept.after = copy(comparison, diff->after);
  Str *lines = ARENA_ARRAY(&comparison->arena, Str, diff->line_count);
  for (uint32_t i = 0; i < diff->line_count; i++)
    lines[i] = copy(comparison, diff->lines[i]);
  kept.lines = lines;
  vec_push(&comparison->diffs, kept);
  return true;
}

static bool knows_dynamo(const Side *side)
{
  OpsetRange range;
  if (!symbolics_opset_range(side->diff.db, side->diff.torch, EXPORTER_DYNAMO, &range))
    return false;
  SupportAnswer answer =
      symbolics_support(side->diff.db, side->diff.torch, EXPORTER_DYNAMO, STR("aten::relu"), range.max);
  return answer.status != SUPPORT_NO_FACTS;
}

typedef struct DomainVisit {
  Comparison *comparison;
  const SymbolicsDb *other;  ///< Domains that it has were compared already; may be NULL.
} DomainVisit;

static bool compare_domain(Str domain, void *context)
{
  DomainVisit *visit = context;
  Comparison *comparison = visit->comparison;
  if (visit->other && symbolics_onnx_has_domain(visit->other, domain))
    return true;
  FactsSide sides[2] = { comparison->sides[0].diff, comparison->sides[1].diff };
  for (int i = 0; i < 2 && domain.len > 0; i++)
    sides[i].opset = str_equal(domain, STR("ai.onnx.ml")) ? comparison->sides[i].ml : INT64_MAX;
  facts_diff_onnx(sides[0], sides[1], domain, keep, comparison);
  return true;
}

static void compare(Comparison *comparison)
{
  const Side *before = &comparison->sides[0];
  const Side *after = &comparison->sides[1];
  if (before->kind == SIDE_TORCH) {
    comparison->skips_dynamo = !knows_dynamo(before) || !knows_dynamo(after);
    facts_diff_torch(before->diff, after->diff, keep, comparison);
  } else if (before->kind == SIDE_OPSET) {
    facts_diff_onnx(before->diff, after->diff, (Str){ 0 }, keep, comparison);
  } else {
    DomainVisit visit = { .comparison = comparison };
    symbolics_each_onnx_domain(before->diff.db, compare_domain, &visit);
    visit.other = before->diff.db;
    symbolics_each_onnx_domain(after->diff.db, compare_domain, &visit);
  }
}

// --- Text ---

static const struct {
  DiffWhat what;
  const char *heading;
  const char *key;  ///< In JSON.
} groups[] = {
  { DIFF_TORCH_SCHEMA, "Schemas", "schema" },
  { DIFF_TORCHSCRIPT, "Opsets of the TorchScript exporter", "torchscript" },
  { DIFF_DYNAMO, "Opsets of the dynamo exporter", "dynamo" },
  { DIFF_ONNX, "Operators", "onnx" },
};

enum { GROUP_COUNT = COUNT(groups) };

static char sign(const FactDiff *diff)
{
  return diff->before.len == 0 ? '+' : diff->after.len == 0 ? '-' : '~';
}

static void print_schema(const FactDiff *diff)
{
  if (sign(diff) == '~')
    say_out("  ~ %.*s\n      was %.*s\n      now %.*s\n", STR_ARG(diff->name), STR_ARG(diff->before),
            STR_ARG(diff->after));
  else
    say_out("  %c %.*s\n", sign(diff), STR_ARG(diff->before.len > 0 ? diff->before : diff->after));
}

static Str or_none(Str opsets)
{
  return opsets.len > 0 ? opsets : STR("none");
}

static void print_diff(const FactDiff *diff)
{
  if (diff->what == DIFF_TORCH_SCHEMA) {
    print_schema(diff);
    return;
  }
  say_out("  %c %.*s: %.*s -> %.*s\n", sign(diff), STR_ARG(diff->name), STR_ARG(or_none(diff->before)),
          STR_ARG(or_none(diff->after)));
  for (uint32_t i = 0; i < diff->line_count; i++)
    say_out("      %.*s\n", STR_ARG(diff->lines[i]));
}

static void print_group(const Comparison *comparison, size_t group)
{
  size_t counts[3] = { 0 };
  for (size_t i = 0; i < comparison->diffs.count; i++) {
    const FactDiff *diff = &comparison->diffs.items[i];
    if (diff->what != groups[group].what)
      continue;
    char kind = sign(diff);
    counts[kind == '+' ? 0 : kind == '-' ? 1 : 2]++;
  }
  if (counts[0] + counts[1] + counts[2] == 0)
    return;
  say_out("\n%s: %zu new, %zu gone, %zu changed\n", groups[group].heading, counts[0], counts[1], counts[2]);
  for (size_t i = 0; i < comparison->diffs.count; i++) {
    if (comparison->diffs.items[i].what == groups[group].what)
      print_diff(&comparison->diffs.items[i]);
  }
}

static void print_text(const Comparison *comparison)
{
  say_out("%s -> %s: %zu difference%s\n", comparison->sides[0].word, comparison->sides[1].word, comparison->diffs.count,
          comparison->diffs.count == 1 ? "" : "s");
  if (comparison->skips_dynamo)
    say_out("The dynamo exporter is not known on both sides, so it is left out.\n");
  for (size_t i = 0; i < GROUP_COUNT; i++)
    print_group(comparison, i);
}

// --- JSON ---

static void write_diff(Writer *writer, const FactDiff *diff)
{
  writer_open(writer, '{');
  for (size_t i = 0; i < GROUP_COUNT; i++) {
    if (groups[i].what == diff->what)
      writer_member_str(writer, "what", str_from(groups[i].key));
  }
  writer_member_str(writer, "name", diff->name);
  writer_member_known_str(writer, "before", diff->before);
  writer_member_known_str(writer, "after", diff->after);
  writer_key(writer, "changes");
  writer_open(writer, '[');
  for (uint32_t i = 0; i < diff->line_count; i++)
    writer_str(writer, diff->lines[i]);
  writer_close(writer, ']');
  writer_close(writer, '}');
}

static void print_json(const Comparison *comparison)
{
  Buffer out = { 0 };
  Writer writer = { .out = &out };
  writer_open(&writer, '{');
  writer_member_int(&writer, "version", 1);
  writer_member_str(&writer, "before", str_from(comparison->sides[0].word));
  writer_member_str(&writer, "after", str_from(comparison->sides[1].word));
  writer_key(&writer, "differences");
  writer_open(&writer, '[');
  for (size_t i = 0; i < comparison->diffs.count; i++)
    write_diff(&writer, &comparison->diffs.items[i]);
  writer_close(&writer, ']');
  writer_close(&writer, '}');
  buffer_append_char(&out, '\n');
  fwrite(out.data, 1, out.len, stdout);
  buffer_done(&out);
}

int db_diff(const DbFlags *flags)
{
  CliFacts facts;
  Comparison comparison = { .skips_dynamo = false };
  if (cli_facts_open(&facts, &flags->facts) != OK)
    return EXIT_USAGE;
  int code = EXIT_USAGE;
  if (db_sides_open(facts.db, &flags->operands[1], comparison.sides) == OK) {
    compare(&comparison);
    if (flags->as_json)
      print_json(&comparison);
    else
      print_text(&comparison);
    code = fflush(stdout) != 0 ? EXIT_USAGE : comparison.diffs.count > 0 ? EXIT_FINDINGS : EXIT_CLEAN;
    db_sides_close(comparison.sides);
  }
  vec_free(&comparison.diffs);
  arena_done(&comparison.arena);
  cli_facts_close(&facts);
  return code;
}

// SARIF 2.1.0, for code scanning services.
// Source: OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0": 3.14 run, 3.27 result, 3.30
// region, 3.49 reportingDescriptor. Lines and columns count from 1 there, too, and an end is after the last character.

#include <inttypes.h>

#include "cli/report_private.h"
#include "text/path.h"
#include "text/uri.h"

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"
#define ROOT   "%SRCROOT%"

static const char *level_of(Severity severity)
{
  switch (severity) {
  case SEVERITY_ERROR:
    return "error";
  case SEVERITY_WARNING:
    return "warning";
  case SEVERITY_OFF:
    return "none";
  default:
    return "note";
  }
}

/// "key": { "text": … }
static void write_message(Writer *writer, const char *key, Str text)
{
  writer_key(writer, key);
  writer_open(writer, '{');
  writer_member_str(writer, "text", text);
  writer_close(writer, '}');
}

// --- The tool ---

static void write_rule(Writer *writer, RuleId rule, Arena *arena)
{
  const RuleInfo *info = rule_info(rule);
  Str url = rule_url(rule, arena);
  writer_open(writer, '{');
  writer_member_str(writer, "id", str_from(info->name));
  write_message(writer, "shortDescription", str_from(info->summary));
  write_message(writer, "fullDescription", str_from(info->summary));
  writer_key(writer, "help");
  writer_open(writer, '{');
  writer_member_str(writer, "text", arena_printf(arena, "%s See %.*s", info->summary, STR_ARG(url)));
  writer_member_str(writer, "markdown", arena_printf(arena, "%s [More](%.*s)", info->summary, STR_ARG(url)));
  writer_close(writer, '}');
  writer_member_str(writer, "helpUri", url);
  writer_key(writer, "defaultConfiguration");
  writer_open(writer, '{');
  writer_member_str(writer, "level", str_from(level_of(info->severity)));
  writer_close(writer, '}');
  writer_close(writer, '}');
}

/// Every rule, so that a result's ruleIndex is known before all results are.
static void write_tool(Writer *writer, Arena *arena)
{
  writer_key(writer, "tool");
  writer_open(writer, '{');
  writer_key(writer, "driver");
  writer_open(writer, '{');
  writer_member_str(writer, "name", STR("onnxls"));
  writer_member_str(writer, "semanticVersion", STR(ONNXLS_VERSION));
  writer_member_str(writer, "informationUri", rule_project_url());
  writer_key(writer, "rules");
  writer_open(writer, '[');
  for (int rule = 0; rule < RULE_COUNT; rule++)
    write_rule(writer, (RuleId)rule, arena);
  writer_close(writer, ']');
  writer_close(writer, '}');
  writer_close(writer, '}');
}

/// The folder's URI, which ends with a slash.
static Str root_uri(const ReportStyle *style, Arena *arena)
{
  Str uri = uri_from_path(path_normalize(str_from(style->folder), arena), arena);
  return str_ends_with(uri, STR("/")) ? uri : arena_printf(arena, "%.*s/", STR_ARG(uri));
}

static void begin(Buffer *out, const ReportStyle *style)
{
  Arena arena = { 0 };
  Writer writer = { .out = out };
  writer_open(&writer, '{');
  writer_member_str(&writer, "$schema", STR(SCHEMA));
  writer_member_str(&writer, "version", STR("2.1.0"));
  writer_key(&writer, "runs");
  writer_open(&writer, '[');
  writer_open(&writer, '{');
  write_tool(&writer, &arena);
  writer_member_str(&writer, "columnKind", STR("unicodeCodePoints"));
  writer_key(&writer, "originalUriBaseIds");
  writer_open(&writer, '{');
  writer_key(&writer, ROOT);
  writer_open(&writer, '{');
  writer_member_str(&writer, "uri", root_uri(style, &arena));
  writer_close(&writer, '}');
  writer_close(&writer, '}');
  writer_key(&writer, "results");
  writer_open(&writer, '[');
  arena_done(&arena);
}

static void end(Buffer *out, const ReportStyle *style, const ReportCounts *counts, Str files)
{
  Writer writer = { .out = out };
  buffer_append_char(out, '\n');
  writer_close(&writer, ']');
  writer_key(&writer, "invocations");
  writer_open(&writer, '[');
  writer_open(&writer, '{');
  writer_member_bool(&writer, "executionSuccessful", counts->failed == 0);
  writer_close(&writer, '}');
  writer_close(&writer, ']');
  writer_key(&writer, "properties");
  writer_open(&writer, '{');
  writer_key(&writer, "target");
  report_write_target(&writer, style->target);
  writer_close(&writer, '}');
  writer_close(&writer, '}');
  writer_close(&writer, ']');
  writer_close(&writer, '}');
  buffer_append_char(out, '\n');
}

// --- Results ---

typedef struct ResultWriter {
  Writer writer;
  const ReportedDocument *reported;
  Str uri;  ///< Of the file, relative to the root if it is below it.
  bool is_relative;
} ResultWriter;

static ResultWriter begin_results(Buffer *out, const ReportedDocument *reported)
{
  ResultWriter results = { .writer = { .out = out }, .reported = reported };
  Arena *arena = reported->arena;
  Str root = root_uri(reported->style, arena);
  results.uri = uri_from_path(path_join(str_from(reported->style->folder), str_from(reported->path), arena), arena);
  results.is_relative = str_starts_with(results.uri, root) && results.uri.len > root.len;
  if (results.is_relative)
    results.uri = str_slice(results.uri, root.len, results.uri.len);
  return results;
}

static void write_artifact(ResultWriter *results)
{
  Writer *writer = &results->writer;
  writer_key(writer, "artifactLocation");
  writer_open(writer, '{');
  writer_member_str(writer, "uri", results->uri);
  if (results->is_relative)
    writer_member_str(writer, "uriBaseId", STR(ROOT));
  writer_close(writer, '}');
}

static void write_region(ResultWriter *results, const char *key, Range range)
{
  Writer *writer = &results->writer;
  Place place = report_place(results->reported->document, range);
  writer_key(writer, key);
  writer_open(writer, '{');
  writer_member_int(writer, "startLine", place.line);
  writer_member_int(writer, "startColumn", place.column);
  writer_member_int(writer, "endLine", place.end_line);
  writer_member_int(writer, "endColumn", place.end_column);
  writer_close(writer, '}');
}

static void write_physical_location(ResultWriter *results, Range range)
{
  Writer *writer = &results->writer;
  writer_key(writer, "physicalLocation");
  writer_open(writer, '{');
  write_artifact(results);
  write_region(results, "region", range);
  writer_close(writer, '}');
}

static void write_related(ResultWriter *results, const Diagnostic *diagnostic)
{
  Writer *writer = &results->writer;
  writer_key(writer, "relatedLocations");
  writer_open(writer, '[');
  for (size_t i = 0; i < diagnostic->related_count; i++) {
    writer_open(writer, '{');
    writer_member_int(writer, "id", (int64_t)i + 1);
    write_message(writer, "message", diagnostic->related[i].message);
    write_physical_location(results, diagnostic->related[i].range);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static void write_fix(ResultWriter *results, const Fix *fix)
{
  Writer *writer = &results->writer;
  writer_open(writer, '{');
  write_message(writer, "description", fix->title);
  writer_key(writer, "artifactChanges");
  writer_open(writer, '[');
  writer_open(writer, '{');
  write_artifact(results);
  writer_key(writer, "replacements");
  writer_open(writer, '[');
  for (size_t i = 0; i < fix->edit_count; i++) {
    writer_open(writer, '{');
    write_region(results, "deletedRegion", fix->edits[i].range);
    write_message(writer, "insertedContent", fix->edits[i].text);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
  writer_close(writer, '}');
  writer_close(writer, ']');
  writer_close(writer, '}');
}

static void write_fixes(ResultWriter *results, const Diagnostic *diagnostic)
{
  Writer *writer = &results->writer;
  writer_key(writer, "fixes");
  writer_open(writer, '[');
  for (size_t i = 0; i < diagnostic->fix_count; i++) {
    if (diagnostic->fixes[i].edit_count > 0)
      write_fix(results, &diagnostic->fixes[i]);
  }
  writer_close(writer, ']');
}

static void write_fingerprint(ResultWriter *results, uint64_t fingerprint)
{
  Writer *writer = &results->writer;
  writer_key(writer, "partialFingerprints");
  writer_open(writer, '{');
  writer_member_str(writer, "ruleAndLine/v1", arena_printf(results->reported->arena, "%016" PRIx64, fingerprint));
  writer_close(writer, '}');
}

/// `fingerprint` is NULL for a result that a comment switches off.
static void write_result(ResultWriter *results, const Diagnostic *diagnostic, const uint64_t *fingerprint)
{
  Writer *writer = &results->writer;
  writer_open(writer, '{');
  writer_member_str(writer, "ruleId", str_from(rule_info(diagnostic->rule)->name));
  writer_member_int(writer, "ruleIndex", diagnostic->rule);
  writer_member_str(writer, "level", str_from(level_of(diagnostic->severity)));
  write_message(writer, "message", report_message(diagnostic, results->reported->arena));
  writer_key(writer, "locations");
  writer_open(writer, '[');
  writer_open(writer, '{');
  write_physical_location(results, diagnostic->range);
  writer_close(writer, '}');
  writer_close(writer, ']');
  if (diagnostic->related_count > 0)
    write_related(results, diagnostic);
  if (diagnostic->fix_count > 0)
    write_fixes(results, diagnostic);
  if (fingerprint)
    write_fingerprint(results, *fingerprint);
  // Services take a result for one that counts unless it has this list, even an empty one, wherever others have it.
  writer_key(writer, "suppressions");
  writer_raw(writer, fingerprint ? STR("[]") : STR("[{\"kind\":\"inSource\"}]"));
  writer_close(writer, '}');
}

static void write_document(Buffer *out, const ReportedDocument *reported)
{
  ResultWriter results = begin_results(out, reported);
  uint64_t *fingerprints = ARENA_ARRAY(reported->arena, uint64_t, reported->shown_count);
  report_fingerprints(reported, fingerprints);
  size_t start = out->len;
  for (size_t i = 0; i < reported->shown_count; i++) {
    results.writer.needs_comma = false;
    buffer_append(out, out->len > start ? STR(",\n") : STR("\n"));
    write_result(&results, reported->shown[i], &fingerprints[i]);
  }
  for (size_t i = 0; i < reported->list.suppressed_count; i++) {
    if (reported->list.suppressed[i].severity > reported->style->least)
      continue;
    results.writer.needs_comma = false;
    buffer_append(out, out->len > start ? STR(",\n") : STR("\n"));
    write_result(&results, &reported->list.suppressed[i], NULL);
  }
}

const ReportWriter report_sarif = {
  .name = "sarif",
  .least = SEVERITY_HINT,
  .separator = ",",
  .begin = begin,
  .document = write_document,
  .end = end,
};

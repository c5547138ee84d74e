// `onnxls db list`: the layers of facts, what they know, and where it comes from.
#include <stdio.h>

#include "base/vec.h"
#include "cli/commands.h"
#include "cli/db_private.h"
#include "describe/markup.h"
#include "host/say.h"
#include "rpc/writer.h"

enum { WIDTH = 100 };

// --- Text; tabs become columns ---

static void write_layers(Buffer *out, const SymbolicsDb *db)
{
  buffer_append(out, STR("Layers, the lowest first\n"));
  for (size_t i = 0; i < symbolics_layer_count(db); i++) {
    LayerInfo layer = symbolics_layer(db, i);
    buffer_printf(out, "  %.*s\t%u torch operators\t%u ONNX operators\t%zu KB\n", STR_ARG(layer.name),
                  layer.torch_names, layer.onnx_names, (layer.size + 1023) / 1024);
  }
}

static void write_torch(Buffer *out, const SymbolicsDb *db)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(db, &versions);
  buffer_append(out, STR("\nVersions of torch\n"));
  for (uint32_t i = 0; i < count; i++) {
    buffer_printf(out, "  %.*s", STR_ARG(versions[i]));
    for (int exporter = 0; exporter < EXPORTER_COUNT; exporter++) {
      OpsetRange range;
      if (symbolics_opset_range(db, i, (Exporter)exporter, &range))
        buffer_printf(out, "\t%s opsets %d-%d, usually %d", exporter_title((Exporter)exporter), range.min, range.max,
                      range.standard);
    }
    buffer_append_char(out, '\n');
  }
}

/// One domain of ONNX: how many operators, and the newest version.
typedef struct DomainCount {
  const SymbolicsDb *db;
  Str domain;
  uint32_t operators;
  uint32_t schemas;
  uint32_t newest;
} DomainCount;

static bool count_operator(Str name, void *context)
{
  DomainCount *count = context;
  const OnnxOperator *op = symbolics_onnx_operator(count->db, count->domain, name);
  if (!op)
    return true;
  count->operators++;
  count->schemas += op->version_count;
  uint32_t since = op->versions[op->version_count - 1].since;
  count->newest = since > count->newest ? since : count->newest;
  return true;
}

static DomainCount count_domain(const SymbolicsDb *db, Str domain)
{
  DomainCount count = { .db = db, .domain = domain };
  symbolics_each_onnx_name(db, domain, (Str){ 0 }, count_operator, &count);
  return count;
}

typedef struct ListContext {
  const SymbolicsDb *db;
  Buffer *out;
  Writer *writer;
} ListContext;

static bool write_domain(Str domain, void *context)
{
  ListContext *list = context;
  DomainCount count = count_domain(list->db, domain);
  Str name = domain.len > 0 ? domain : STR("ai.onnx");
  buffer_printf(list->out, "  %.*s\tup to %s %u\t%u operators\t%u schemas\n", STR_ARG(name),
                domain.len > 0 ? "version" : "opset", count.newest, count.operators, count.schemas);
  return true;
}

/// A source and the files that name it: one file's name, or how many there are.
typedef struct SourceCount {
  Str source;
  Str file;
  uint32_t files;
} SourceCount;

typedef Vec(SourceCount) SourceVec;

static bool count_source(Str file, Str source, void *context)
{
  SourceVec *sources = context;
  for (size_t i = 0; i < sources->count; i++) {
    if (str_equal(sources->items[i].source, source)) {
      sources->items[i].files++;
      return true;
    }
  }
  vec_push(sources, (SourceCount){ source, file, 1 });
  return true;
}

static void write_sources(Buffer *out, const SymbolicsDb *db)
{
  SourceVec sources = { 0 };
  symbolics_each_source(db, count_source, &sources);
  buffer_append(out, STR("\nSources\n"));
  for (size_t i = 0; i < sources.count; i++) {
    const SourceCount *count = &sources.items[i];
    if (count->files > 1)
      buffer_printf(out, "  %u files", count->files);
    else
      buffer_printf(out, "  %.*s", STR_ARG(count->file));
    buffer_printf(out, "\t%.*s\n", STR_ARG(count->source));
  }
  vec_free(&sources);
}

static void list_text(const SymbolicsDb *db)
{
  Arena arena = { 0 };
  Buffer out = { 0 };
  ListContext list = { .db = db, .out = &out };
  write_layers(&out, db);
  write_torch(&out, db);
  buffer_append(&out, STR("\nDomains of ONNX\n"));
  symbolics_each_onnx_domain(db, write_domain, &list);
  write_sources(&out, db);
  Str text = markup_layout(buffer_str(&out), WIDTH, &arena);
  say_lines(stdout, text);
  buffer_done(&out);
  arena_done(&arena);
}

// --- JSON ---

static void json_layers(Writer *writer, const SymbolicsDb *db)
{
  writer_key(writer, "layers");
  writer_open(writer, '[');
  for (size_t i = 0; i < symbolics_layer_count(db); i++) {
    LayerInfo layer = symbolics_layer(db, i);
    writer_open(writer, '{');
    writer_member_str(writer, "name", layer.name);
    writer_member_int(writer, "torch_versions", layer.torch_versions);
    writer_member_int(writer, "torch_operators", layer.torch_names);
    writer_member_int(writer, "onnx_operators", layer.onnx_names);
    writer_member_int(writer, "bytes", (int64_t)layer.size);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static void json_range(Writer *writer, const SymbolicsDb *db, uint32_t torch, Exporter exporter)
{
  OpsetRange range;
  writer_key(writer, exporter_name(exporter));
  if (!symbolics_opset_range(db, torch, exporter, &range)) {
    writer_null(writer);
    return;
  }
  writer_open(writer, '{');
  writer_member_int(writer, "min", range.min);
  writer_member_int(writer, "max", range.max);
  writer_member_int(writer, "default", range.standard);
  writer_close(writer, '}');
}

static void json_torch(Writer *writer, const SymbolicsDb *db)
{
  const Str *versions;
  size_t count = symbolics_torch_versions(db, &versions);
  writer_key(writer, "torch");
  writer_open(writer, '[');
  for (uint32_t i = 0; i < count; i++) {
    writer_open(writer, '{');
    writer_member_str(writer, "version", versions[i]);
    json_range(writer, db, i, EXPORTER_TORCHSCRIPT);
    json_range(writer, db, i, EXPORTER_DYNAMO);
    writer_close(writer, '}');
  }
  writer_close(writer, ']');
}

static bool json_domain(Str domain, void *context)
{
  ListContext *list = context;
  DomainCount count = count_domain(list->db, domain);
  writer_open(list->writer, '{');
  writer_member_str(list->writer, "domain", domain);
  writer_member_int(list->writer, "version", count.newest);
  writer_member_int(list->writer, "operators", count.operators);
  writer_member_int(list->writer, "schemas", count.schemas);
  writer_close(list->writer, '}');
  return true;
}

static bool json_source(Str file, Str source, void *context)
{
  ListContext *list = context;
  writer_open(list->writer, '{');
  writer_member_str(list->writer, "file", file);
  writer_member_str(list->writer, "source", source);
  writer_close(list->writer, '}');
  return true;
}

static void list_json(const SymbolicsDb *db)
{
  Buffer out = { 0 };
  Writer writer = { .out = &out };
  ListContext list = { .db = db, .writer = &writer };
  writer_open(&writer, '{');
  writer_member_int(&writer, "version", 1);
  json_layers(&writer, db);
  json_torch(&writer, db);
  writer_key(&writer, "onnx");
  writer_open(&writer, '[');
  symbolics_each_onnx_domain(db, json_domain, &list);
  writer_close(&writer, ']');
  writer_key(&writer, "sources");
  writer_open(&writer, '[');
  symbolics_each_source(db, json_source, &list);
  writer_close(&writer, ']');
  writer_close(&writer, '}');
  buffer_append_char(&out, '\n');
  fwrite(out.data, 1, out.len, stdout);
  buffer_done(&out);
}

int db_list(const DbFlags *flags)
{
  CliFacts facts;
  if (cli_facts_open(&facts, &flags->facts) != OK)
    return EXIT_USAGE;
  if (flags->as_json)
    list_json(facts.db);
  else
    list_text(facts.db);
  cli_facts_close(&facts);
  return fflush(stdout) == 0 ? EXIT_CLEAN : EXIT_USAGE;
}

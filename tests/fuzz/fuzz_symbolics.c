// The reader of compiled facts: any bytes are refused or answer every kind of look-up.

#include <stdint.h>

#include "facts/export_api.h"
#include "facts/symbolics.h"

typedef struct Walk {
  const SymbolicsDb *db;
  Str domain;
  uint32_t sum;  ///< Keeps the reads from being optimised away.
} Walk;

static uint32_t touch(Str s)
{
  uint32_t sum = (uint32_t)s.len;
  for (size_t i = 0; i < s.len; i++)
    sum += (unsigned char)s.data[i];
  return sum;
}

static bool visit_torch(Str name, void *context)
{
  Walk *walk = context;
  const TorchOperator *op = symbolics_torch_operator(walk->db, name);
  for (uint32_t i = 0; op && i < op->overload_count; i++) {
    walk->sum += touch(op->overloads[i].schema);
    for (uint32_t k = 0; k < op->overloads[i].argument_count; k++)
      walk->sum += touch(op->overloads[i].arguments[k].type) + touch(op->overloads[i].arguments[k].default_text);
    for (uint32_t k = 0; k < op->overloads[i].return_count; k++)
      walk->sum += touch(op->overloads[i].returns[k].type);
  }
  for (uint32_t torch = 0; torch < 4; torch++) {
    SupportAnswer answer = symbolics_support(walk->db, torch, EXPORTER_TORCHSCRIPT, name, 13);
    walk->sum += answer.pass ? touch(answer.pass->reason) : (uint32_t)answer.status;
    walk->sum += (uint32_t)symbolics_support(walk->db, torch, EXPORTER_DYNAMO, name, 18).since;
    walk->sum += (uint32_t)symbolics_dynamo(walk->db, torch, name, (Str){ 0 }, 18).since;
  }
  return true;
}

static bool visit_onnx(Str name, void *context)
{
  Walk *walk = context;
  const OnnxOperator *op = symbolics_onnx_operator(walk->db, walk->domain, name);
  for (uint32_t i = 0; op && i < op->version_count; i++) {
    const OnnxSchema *schema = &op->versions[i];
    for (uint32_t k = 0; k < schema->input_count; k++)
      walk->sum += touch(schema->inputs[k].name) + schema->inputs[k].option;
    for (uint32_t k = 0; k < schema->attribute_count; k++)
      walk->sum += touch(schema->attributes[k].default_text) + touch(schema->attributes[k].phrase);
    for (uint32_t k = 0; k < schema->constraint_count; k++)
      for (uint32_t t = 0; t < schema->constraints[k].type_count; t++)
        walk->sum += touch(schema->constraints[k].types[t]);
  }
  return true;
}

static bool visit_domain(Str domain, void *context)
{
  Walk *walk = context;
  walk->domain = domain;
  symbolics_each_onnx_name(walk->db, domain, (Str){ 0 }, visit_onnx, walk);
  return true;
}

static bool visit_helper(const PyHelper *helper, void *context)
{
  Walk *walk = context;
  walk->sum += touch(helper->summary) + helper->result;
  for (uint32_t i = 0; i < helper->signature_count; i++) {
    for (uint32_t k = 0; k < helper->signatures[i].parameter_count; k++)
      walk->sum +=
          touch(helper->signatures[i].parameters[k].name) + touch(helper->signatures[i].parameters[k].default_text);
  }
  walk->sum += export_api_helper_signature(helper, 1) != NULL;
  return true;
}

static bool visit_api(const PyApi *api, void *context)
{
  ((Walk *)context)->sum += touch(api->words) + (uint32_t)export_api_status(api, (TorchRelease){ 2, 6 });
  return true;
}

static bool visit_argument(const PyExportArgument *argument, void *context)
{
  Walk *walk = context;
  walk->sum += touch(argument->words) + touch(export_api_default(walk->db, argument, (TorchRelease){ 2, 6 }));
  return true;
}

static void visit_python(Walk *walk)
{
  export_api_each_helper(walk->db, (Str){ 0 }, visit_helper, walk);
  export_api_each_name(walk->db, visit_api, walk);
  export_api_each_argument(walk->db, visit_argument, walk);
  const PyDescriptor *descriptor = export_api_descriptor(walk->db, STR("i"));
  const PySuffix *suffix = export_api_suffix(walk->db, 0, STR("f"));
  walk->sum += (descriptor ? touch(descriptor->words) : 0) + (suffix ? touch(suffix->words) : 0);
  walk->sum += export_api_ignores_unknown(walk->db, 1);
}

static bool visit_source(Str file, Str source, void *context)
{
  ((Walk *)context)->sum += touch(file) + touch(source);
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  for (int layered = 0; layered < 2; layered++) {
    SymbolicsDb *db;
    const SymbolicsDb *base = layered ? symbolics_embedded() : NULL;
    if (symbolics_open(STR("test"), str_make((const char *)data, size), base, &db) != OK)
      return 0;
    Walk walk = { .db = db };
    if (!layered) {
      symbolics_each_torch_name(db, (Str){ 0 }, visit_torch, &walk);
      symbolics_each_onnx_domain(db, visit_domain, &walk);
    } else {
      visit_torch(STR("aten::relu"), &walk);
      symbolics_each_onnx_name(db, (Str){ 0 }, STR("Re"), visit_onnx, &walk);
    }
    visit_python(&walk);
    symbolics_each_source(db, visit_source, &walk);
    symbolics_free(db);
  }
  return 0;
}

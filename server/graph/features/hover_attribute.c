// Hover on an attribute of a node.

#include "describe/describe.h"
#include "graph/features/hover_private.h"

/// Attributes of old dumps: `aten::add[alpha={1}](%4, %4)` passes an argument so.
static void hover_torch_attribute(OperatorContext *job, Str op, Str name)
{
  const TorchOperator *torch = operator_context_torch(job, op);
  for (uint32_t i = 0; torch && i < torch->overload_count; i++) {
    const TorchOverload *overload = &torch->overloads[i];
    for (uint32_t k = 0; k < overload->argument_count; k++) {
      const TorchArgument *argument = &overload->arguments[k];
      if (!str_equal(argument->name, name))
        continue;
      markup_text(&job->markup, "Argument ");
      markup_code(&job->markup, arena_printf(job->arena, "%.*s %.*s%s%.*s", STR_ARG(argument->type), STR_ARG(name),
                                             argument->has_default ? "=" : "", STR_ARG(argument->default_text)));
      markup_text(&job->markup, " of ");
      markup_code(&job->markup, op);
      return;
    }
  }
}

void hover_attribute(OperatorContext *job, const LineView *view, size_t node, Place place)
{
  Str attribute_name = str_trim(line_view_text(view, node));
  Str op_name = hover_operator_of(job, place);
  Str domain;
  Str name;
  if (str_equal(attribute_name, STR("onnx_name"))) {
    markup_text(&job->markup, "The name of the node in the exported model");
    return;
  }
  if (!hover_operator_is_onnx(job, op_name, place, &domain, &name)) {
    hover_torch_attribute(job, op_name, attribute_name);
    return;
  }
  const OnnxOperator *op = symbolics_onnx_operator(job->db, domain, name);
  const OnnxSchema *schema = op ? onnx_operator_in_graph(op, job->opset) : NULL;
  if (!schema)
    return;
  const OnnxAttribute *attribute = onnx_schema_attribute(schema, attribute_name);
  if (attribute) {
    operator_context_write_attribute(job, attribute);
    return;
  }
  markup_code(&job->markup, name);
  markup_text(&job->markup, " has no attribute ");
  markup_code(&job->markup, markup_shorten(attribute_name, 100, job->arena));
  markup_text(&job->markup, op->domain.len > 0 ? " in version %u" : " in opset %u",
              op->domain.len > 0 ? schema->since : (uint32_t)job->opset);
}

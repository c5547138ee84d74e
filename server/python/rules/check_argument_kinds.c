// What the arguments of public functions can't be: kinds of Python values, and objects of other classes. Each row was
// tried with every kind in torch 2.6 and 2.14 (tests/truth/argument_kinds.jsonl); what it doesn't name raises, and
// those of onnx in 1.12, 1.17 and 1.20.

#include "base/limits.h"
#include "python/rules/export/example_inputs.h"
#include "python/rules/public_objects.h"

enum {
  NUMBER = PY_INT | PY_BOOL | PY_FLOAT,
  ALL = PY_NONE | NUMBER | PY_STRING | PY_LIST | PY_DICT | PY_DTYPE | PY_ARRAY | PY_TENSOR,
  EVERY = 0xffff,  ///< All arguments by position.
};

typedef struct ArgumentKind {
  Str function;
  const char *name;
  uint32_t position;
  uint32_t takes;       ///< Of ALL; a list without elements is never told.
  const char *words;    ///< What it is.
  const char *objects;  ///< Classes of public_class_of() that it takes, with `|` between; NULL for any.
  const char *strings;  ///< Those that it takes, with `|` between, or what they hold, after `?`; NULL for any.
} ArgumentKind;

#define PROGRAM "torch.export.ExportedProgram"
#define MODULE  "torch.nn.Module|torch.fx.GraphModule|torch.export.module"
#define CAPTURE(function, mod, args)                                                                                   \
  { STR_INIT(function), "mod", 0, mod, "a torch.nn.Module", MODULE, NULL },                                            \
      { STR_INIT(function), "args", 1, args, "a tuple of example inputs", "", NULL },                                  \
      { STR_INIT(function), "kwargs", 2, PY_NONE | PY_DICT, "a dict that has the inputs by name", "", NULL },          \
      { STR_INIT(function),                                                                                            \
        "dynamic_shapes",                                                                                              \
        PY_ABSENT,                                                                                                     \
        PY_NONE | PY_DICT | PY_LIST,                                                                                   \
        "a dict or tuple that goes by the inputs",                                                                     \
        "torch.export.ShapesCollection|torch.export.AdditionalInputs",                                                 \
        NULL },                                                                                                        \
  {                                                                                                                    \
    STR_INIT(function), "preserve_module_call_signature", PY_ABSENT, PY_LIST | PY_DICT, "a tuple of names of modules", \
        "", NULL                                                                                                       \
  }
#define OPERATOR(function)                                                                                             \
  {                                                                                                                    \
    STR_INIT(function), "op", 0, PY_STRING, "an operator or its name, such as \"mylib::foo\"",                         \
        "torch.library.CustomOpDef", "?::"                                                                             \
  }
// Text is a list of its letters: each is a name then. An array of numpy may hold names, nodes and messages, too.
#define NAMES(function, name, position)                                                                                \
  {                                                                                                                    \
    STR_INIT(function), name, position, PY_NONE | PY_LIST | PY_DICT | PY_STRING | PY_ARRAY, "a list of names", "",     \
        "unknown"                                                                                                      \
  }
#define LIST(function, name, position, others, words)                                                                  \
  {                                                                                                                    \
    STR_INIT(function), name, position, PY_LIST | PY_ARRAY | (others), words, "", NULL                                 \
  }
#define TEXT(function, name, position)                                                                                 \
  {                                                                                                                    \
    STR_INIT(function), name, position, PY_STRING, "a text", "", NULL                                                  \
  }
#define FLAG(member, name)                                                                                             \
  {                                                                                                                    \
    STR_INIT(member), name, 0, ALL & ~(PY_STRING | PY_LIST | PY_DICT), "True or False", NULL, NULL                     \
  }
#define OPTIONS    "onnxruntime.SessionOptions"  // Whose members are set like arguments.
#define NAME_PAIRS "a list of pairs, each an output of the first and an input of the second"
#define ANY_MODEL  "a ModelProto or an onnx_ir.Model", "onnx.ModelProto|onnx_ir.Model", NULL
#define MESSAGES                                                                                                       \
  "onnx.ModelProto|onnx.GraphProto|onnx.NodeProto|onnx.TensorProto|onnx.AttributeProto|onnx.ValueInfoProto|"           \
  "onnx.FunctionProto|onnx.TypeProto|onnx.TensorShapeProto|onnx.OperatorSetIdProto"
// Such a member is taken for the number that ONNX has for its type, which is taken as well.
#define QUANT_TYPE(function, name)                                                                                     \
  {                                                                                                                    \
    STR_INIT("onnxruntime.quantization." function), name, PY_ABSENT, PY_INT, "a member of QuantType", "", NULL         \
  }
#define SIZES        "a list of sizes"
#define ELEMENT_TYPE "a type such as onnx.TensorProto.FLOAT"
static const ArgumentKind kinds[] = {
  CAPTURE("torch.export.export", ALL & ~(PY_NONE | PY_DTYPE), PY_LIST | PY_TENSOR),
  CAPTURE("torch.export.draft_export", 0, PY_LIST),
  CAPTURE("torch.export.export_for_training", 0, PY_LIST),
  // What is no model is told by the rules about exports.
  { STR_INIT("torch.onnx.export"), "model", 0, ALL, "the model", PROGRAM "|types.GeneratorType|" MODULE, NULL },
  { STR_INIT("torch.export.save"), "ep", 0, 0, "an ExportedProgram", PROGRAM, NULL },
  { STR_INIT("torch.export.save"), "f", 1, PY_STRING, "a path, or a file that is open for bytes", "io.BytesIO", NULL },
  { STR_INIT("torch.export.save"), "extra_files", PY_ABSENT, PY_NONE | PY_DICT, "a dict of texts by name", "", NULL },
  { STR_INIT("torch.export.load"), "f", 0, PY_STRING, "a path, or a file that is open for bytes", "io.BytesIO", NULL },
  { STR_INIT("torch.export.unflatten"), "module", 0, 0, "an ExportedProgram", PROGRAM, NULL },
  { STR_INIT("torch.export.register_dataclass"), "cls", 0, 0, "a dataclass", "", NULL },
  { STR_INIT("torch.export.AdditionalInputs.add"), "args", 0, PY_LIST, "a tuple of inputs", "", NULL },
  { STR_INIT("torch.export.AdditionalInputs.add"), "kwargs", 1, PY_NONE | PY_DICT, "a dict that has the inputs by name",
    "", NULL },
  { STR_INIT("torch.export.Dim"), "name", 0, PY_STRING, "a name", "", NULL },
  { STR_INIT("torch.export.Dim"), "max", PY_ABSENT, PY_NONE | NUMBER, "an int", "", NULL },
  { STR_INIT("torch.export.dims"), "name", EVERY, PY_STRING, "a name", "", NULL },
  { STR_INIT("torch.export.dims"), "max", PY_ABSENT, PY_NONE | NUMBER, "an int", "", NULL },
  { STR_INIT(PROGRAM ".run_decompositions"), "decomp_table", 0, PY_NONE | PY_DICT | PY_TENSOR,
    "a dict of decompositions", "", NULL },
  { STR_INIT("torch.onnx.ONNXProgram.save"), "destination", 0, PY_STRING | PY_BOOL, "a path", "io.BytesIO", NULL },
  { STR_INIT("torch.onnx.ONNXProgram.apply_weights"), "state_dict", 0, PY_DICT,
    "a state_dict, of which it reads the items", "", NULL },
  { STR_INIT("torch.onnx.ONNXProgram.rename_axes"), "rename_mapping", 0, PY_DICT, "a dict of new names", "", NULL },
  { STR_INIT("torch.onnx.ONNXProgram.compute_values"), "value_names", 0, PY_LIST | PY_STRING | PY_DICT,
    "a list of names", "", NULL },
  { STR_INIT("torch.onnx.verification.verify_onnx_program"), "onnx_program", 0, 0, "an ONNXProgram",
    "torch.onnx.ONNXProgram", NULL },
  { STR_INIT("torch.onnx.ops.symbolic"), "inputs", 1, PY_LIST | PY_TENSOR, "a list of tensors", "", NULL },
  { STR_INIT("torch.onnx.ops.symbolic_multi_out"), "inputs", 1, PY_LIST | PY_TENSOR, "a list of tensors", "", NULL },
  { STR_INIT("torch.onnx.ops.symbolic_multi_out"), "dtypes", PY_ABSENT, PY_LIST, "a list with a type for each output",
    "", NULL },
  { STR_INIT("torch.cond"), "true_fn", 1, 0, "a function or a module", MODULE, NULL },
  { STR_INIT("torch.cond"), "false_fn", 2, 0, "a function or a module", MODULE, NULL },
  { STR_INIT("torch.cond"), "operands", 3, PY_LIST, "a tuple or list of tensors", "", NULL },
  { STR_INIT("torch.library.custom_op"), "name", 0, PY_STRING, "the name, such as \"mylib::foo\"", "", NULL },
  { STR_INIT("torch.library.custom_op"), "fn", 1, PY_NONE, "a function", "", NULL },
  { STR_INIT("torch.library.custom_op"), "mutates_args", PY_ABSENT, PY_LIST | PY_STRING | PY_DICT, "a tuple of names",
    "", "unknown" },
  { STR_INIT("torch.library.custom_op"), "device_types", PY_ABSENT, PY_NONE | PY_STRING | PY_LIST | PY_DICT,
    "a device or a list", "", NULL },
  { STR_INIT("torch.library.custom_op"), "schema", PY_ABSENT, PY_NONE | PY_STRING, "a schema as text", "", "?(" },
  OPERATOR("torch.library.register_fake"),
  OPERATOR("torch.library.register_kernel"),
  OPERATOR("torch.library.register_vmap"),
  OPERATOR("torch.library.register_autograd"),
  { STR_INIT("torch.library.register_kernel"), "device_types", 1, PY_NONE | PY_STRING | PY_LIST | PY_DICT,
    "a device or a list", "", NULL },
  { STR_INIT("torch.library.define"), "schema", 1, PY_STRING, "a schema as text", "", "?(" },
  { STR_INIT("torch.library.Library"), "ns", 0, PY_STRING, "a name space", "", NULL },
  { STR_INIT("torch.library.Library"), "kind", 1, PY_STRING, "\"DEF\", \"IMPL\" or \"FRAGMENT\"", "",
    "DEF|IMPL|FRAGMENT" },
  { STR_INIT("torch.library.Library"), "dispatch_key", 2, PY_STRING, "a key such as \"CPU\"", "", NULL },
  { STR_INIT("torch.library.Library.define"), "schema", 0, PY_STRING, "a schema as text", "", "?(" },
  { STR_INIT("torch.library.Library.impl"), "op_name", 0, PY_STRING, "an operator or its name",
    "torch.library.CustomOpDef", NULL },
  { STR_INIT("torch.library.Library.impl"), "fn", 1, 0, "a function", MODULE "|torch.library.CustomOpDef", NULL },
  { STR_INIT("torch.library.Library.impl"), "dispatch_key", 2, PY_STRING, "a key such as \"CPU\"", "", NULL },
  { STR_INIT("torch.library.infer_schema"), "prototype_function", 0, 0, "a function", "", NULL },
  { STR_INIT("torch.library.infer_schema"), "mutates_args", PY_ABSENT, PY_LIST | PY_STRING | PY_DICT,
    "a tuple of names", "", "unknown" },
  { STR_INIT("torch.library.opcheck"), "args", 1, ALL & ~(PY_NONE | NUMBER | PY_DTYPE), "a tuple of arguments", NULL,
    NULL },
  { STR_INIT("torch.library.opcheck"), "op", 0, 0, "an operator", "torch.library.CustomOpDef", NULL },
  { STR_INIT("onnxscript.script"), "opset", 0, PY_NONE, "an opset such as onnxscript.opset18", NULL, NULL },
  { STR_INIT("onnxscript.script"), "default_opset", 1, PY_NONE, "an opset such as onnxscript.opset18", NULL, NULL },
  { STR_INIT("onnx.save"), "proto", 0, 0, "a ModelProto", "onnx.ModelProto", NULL },
  { STR_INIT("onnx.save_model"), "proto", 0, 0, "a ModelProto", "onnx.ModelProto", NULL },
  { STR_INIT("onnx.checker.check_model"), "model", 0, ALL, "a ModelProto", "onnx.ModelProto", NULL },
  { STR_INIT("onnx.shape_inference.infer_shapes"), "model", 0, 0, "a ModelProto", "onnx.ModelProto", NULL },
  { STR_INIT("onnx.version_converter.convert_version"), "model", 0, 0, "a ModelProto", "onnx.ModelProto", NULL },
  { STR_INIT("onnx.version_converter.convert_version"), "target_version", 1, PY_INT, "a number", "", NULL },
  { STR_INIT("onnx.checker.check_graph"), "graph", 0, 0, "a GraphProto", "onnx.GraphProto", NULL },
  { STR_INIT("onnx.helper.printable_graph"), "graph", 0, 0, "a GraphProto", "onnx.GraphProto", NULL },
  { STR_INIT("onnx.helper.make_node"), "op_type", 0, PY_STRING, "the name of an operator", "", NULL },
  NAMES("onnx.helper.make_node", "inputs", 1),
  NAMES("onnx.helper.make_node", "outputs", 2),
  { STR_INIT("onnx.helper.make_tensor_value_info"), "name", 0, PY_STRING, "a name", "", NULL },
  { STR_INIT("onnx.helper.make_tensor_value_info"), "elem_type", 1, PY_INT | PY_BOOL, ELEMENT_TYPE, "", NULL },
  { STR_INIT("onnx.helper.make_tensor_value_info"), "shape", 2, PY_NONE | PY_LIST | PY_DICT | PY_STRING,
    "a list with a size, a name or None for each axis", "", "unknown" },
  { STR_INIT("onnx.helper.make_tensor"), "name", 0, PY_STRING, "a name", "", NULL },
  { STR_INIT("onnx.helper.make_tensor"), "data_type", 1, PY_INT | PY_BOOL, ELEMENT_TYPE, "", NULL },
  LIST("onnx.helper.make_tensor", "dims", 2, PY_NONE | PY_TENSOR, SIZES),
  LIST("onnx.helper.make_graph", "nodes", 0, 0, "a list of nodes"),
  { STR_INIT("onnx.helper.make_graph"), "name", 1, PY_STRING, "a name", "", NULL },
  LIST("onnx.helper.make_graph", "inputs", 2, 0, "a list of what make_tensor_value_info() gives"),
  LIST("onnx.helper.make_graph", "outputs", 3, 0, "a list of what make_tensor_value_info() gives"),
  LIST("onnx.helper.make_graph", "initializer", 4, PY_NONE, "a list of tensors"),
  { STR_INIT("onnx.helper.make_model"), "graph", 0, 0, "a GraphProto", "onnx.GraphProto", NULL },
  LIST("onnx.helper.make_model", "opset_imports", PY_ABSENT, PY_NONE, "a list of what make_opsetid() gives"),
  { STR_INIT("onnx.helper.make_model"), "ir_version", PY_ABSENT, PY_INT | PY_BOOL, "a number", "", NULL },
  TEXT("onnx.helper.make_model", "producer_name", PY_ABSENT),
  LIST("onnx.helper.make_model", "functions", PY_ABSENT, PY_NONE, "a list of what make_function() gives"),
  { STR_INIT("onnx.helper.make_node"), "domain", PY_ABSENT, PY_NONE | PY_STRING, "the name of a domain", "", NULL },
  { STR_INIT("onnx.helper.make_node"), "name", PY_ABSENT, PY_NONE | PY_STRING, "a text", "", NULL },
  TEXT("onnx.helper.make_attribute", "key", 0),
  TEXT("onnx.helper.make_function", "domain", 0),
  TEXT("onnx.helper.make_function", "fname", 1),
  NAMES("onnx.helper.make_function", "inputs", 2),
  NAMES("onnx.helper.make_function", "outputs", 3),
  LIST("onnx.helper.make_function", "nodes", 4, 0, "a list of nodes"),
  LIST("onnx.helper.make_function", "opset_imports", 5, 0, "a list of what make_opsetid() gives"),
  { STR_INIT("onnx.helper.set_model_props"), "dict_value", 1, PY_DICT, "a dict of texts", "", NULL },
  { STR_INIT("onnx.helper.get_node_attr_value"), "node", 0, 0, "a NodeProto", "onnx.NodeProto", NULL },
  { STR_INIT("onnx.helper.tensor_dtype_to_np_dtype"), "tensor_dtype", 0, PY_INT | PY_BOOL, ELEMENT_TYPE, "", NULL },
  { STR_INIT("onnx.numpy_helper.from_array"), "name", 1, PY_NONE | PY_STRING, "a text", "", NULL },
  { STR_INIT("onnx.parser.parse_model"), "model_text", 0, PY_STRING, "a model as text", "", NULL },
  { STR_INIT("onnx.parser.parse_graph"), "graph_text", 0, PY_STRING, "a graph as text", "", NULL },
  { STR_INIT("onnx.printer.to_text"), "proto", 0, 0, "a ModelProto, a GraphProto or a FunctionProto",
    "onnx.ModelProto|onnx.GraphProto|onnx.FunctionProto", NULL },
  { STR_INIT("onnx.inliner.inline_local_functions"), "model", 0, 0, "a ModelProto", MESSAGES, NULL },
  { STR_INIT("onnx.external_data_helper.convert_model_to_external_data"), "model", 0, 0, "a ModelProto",
    "onnx.ModelProto", NULL },
  { STR_INIT("onnx.external_data_helper.load_external_data_for_model"), "model", 0, 0, "a ModelProto",
    "onnx.ModelProto", NULL },
  { STR_INIT("onnx.save"), "f", 1, PY_STRING | PY_BOOL, "a path", "io.BytesIO", NULL },
  { STR_INIT("onnx.save_model"), "f", 1, PY_STRING | PY_BOOL, "a path", "io.BytesIO", NULL },
  { STR_INIT("onnx.helper.make_opsetid"), "domain", 0, PY_STRING, "the name of a domain", "", NULL },
  { STR_INIT("onnx.helper.make_opsetid"), "version", 1, PY_INT | PY_BOOL, "a number", "", NULL },
  { STR_INIT("onnx.numpy_helper.from_array"), "arr", 0, PY_ARRAY | NUMBER, "an array of numpy", "", NULL },
  { STR_INIT("onnx.numpy_helper.to_array"), "tensor", 0, 0, "a TensorProto", "onnx.TensorProto", NULL },
  { STR_INIT("onnx.load"), "f", 0, PY_STRING, "a path, or a file that is open for bytes", "io.BytesIO", NULL },
  { STR_INIT("onnx.load_model_from_string"), "s", 0, 0, "the bytes of a model", "", NULL },
  { STR_INIT("onnxruntime.quantization.quantize_dynamic"), "model_input", 0, PY_STRING, "a path or a ModelProto",
    "onnx.ModelProto", NULL },
  { STR_INIT("onnxruntime.quantization.quantize_dynamic"), "model_output", 1, PY_STRING | PY_BOOL, "a path", "", NULL },
  QUANT_TYPE("quantize_dynamic", "weight_type"),
  { STR_INIT("onnxruntime.quantization.quantize_dynamic"), "extra_options", PY_ABSENT, PY_NONE | PY_DICT, "a dict", "",
    NULL },
  { STR_INIT("onnxruntime.quantization.quantize_static"), "extra_options", PY_ABSENT, PY_NONE | PY_DICT, "a dict", "",
    NULL },
  QUANT_TYPE("quantize_static", "weight_type"),
  QUANT_TYPE("quantize_static", "activation_type"),
  { STR_INIT("onnxruntime.quantization.quantize_static"), "quant_format", PY_ABSENT, PY_STRING,
    "a member of QuantFormat", "", "QDQ" },
  { STR_INIT("onnxruntime.quantization.quantize_static"), "model_input", 0, PY_STRING, "a path or a ModelProto",
    "onnx.ModelProto", NULL },
  { STR_INIT("onnxruntime.quantization.quantize_static"), "model_output", 1, PY_STRING | PY_BOOL, "a path", "", NULL },
  { STR_INIT("onnxruntime.quantization.quantize_static"), "calibration_data_reader", 2, 0,
    "a CalibrationDataReader, which has get_next()", "", NULL },
  { STR_INIT("onnx_ir.save"), "model", 0, 0, "an onnx_ir.Model", "onnx_ir.Model", NULL },
  LIST("onnx_ir.Node", "inputs", 2, 0, "a list of values"),
  { STR_INIT("onnx_ir.Node"), "attributes", 3, PY_LIST | PY_DICT, "a list of attributes", "", NULL },
  { STR_INIT("onnx_ir.node"), "attributes", 2, PY_NONE | PY_DICT, "a dict of values by name", "", NULL },
  { STR_INIT("onnxruntime.InferenceSession"), "path_or_bytes", 0, ALL, "a path, or what SerializeToString() gives", "",
    NULL },
  { STR_INIT("onnx_ir.load"), "path", 0, PY_STRING, "a path", "", NULL },
  { STR_INIT("onnx_ir.from_proto"), "proto", 0, 0, "a message such as a ModelProto", MESSAGES, NULL },
  { STR_INIT("onnx_ir.to_proto"), "ir_object", 0, 0, "an object of onnx_ir", "onnx_ir.Model|onnx_ir.Graph", NULL },
  { STR_INIT("onnxscript.optimizer.optimize"), "model", 0, 0, ANY_MODEL },
  { STR_INIT("onnxscript.rewriter.rewrite"), "model", 0, 0, ANY_MODEL },
  { STR_INIT("onnxscript.rewriter.rewrite"), "pattern_rewrite_rules", 1, PY_NONE | PY_LIST, "a list of rules", "",
    NULL },
  { STR_INIT("onnxscript.version_converter.convert_version"), "model", 0, 0, ANY_MODEL },
  { STR_INIT("onnxscript.optimizer.fold_constants"), "model", 0, 0, ANY_MODEL },
  { STR_INIT("onnxscript.optimizer.inline"), "model", 0, 0, ANY_MODEL },
  { STR_INIT("onnxscript.optimizer.remove_unused_nodes"), "model", 0, 0, ANY_MODEL },
  { STR_INIT("onnx.compose.merge_models"), "m1", 0, 0, "a ModelProto", "onnx.ModelProto", NULL },
  { STR_INIT("onnx.compose.merge_models"), "m2", 1, 0, "a ModelProto", "onnx.ModelProto", NULL },
  { STR_INIT("onnx.compose.merge_models"), "io_map", 2, PY_LIST, NAME_PAIRS, "", NULL },
  { STR_INIT("onnx.compose.merge_models"), "prefix1", PY_ABSENT, PY_NONE | PY_STRING, "a text", "", NULL },
  { STR_INIT("onnx.compose.merge_models"), "prefix2", PY_ABSENT, PY_NONE | PY_STRING, "a text", "", NULL },
  { STR_INIT("onnx.compose.merge_graphs"), "g1", 0, 0, "a GraphProto", "onnx.GraphProto", NULL },
  { STR_INIT("onnx.compose.merge_graphs"), "g2", 1, 0, "a GraphProto", "onnx.GraphProto", NULL },
  { STR_INIT("onnx.compose.merge_graphs"), "io_map", 2, PY_LIST, NAME_PAIRS, "", NULL },
  { STR_INIT("onnx.compose.add_prefix"), "model", 0, 0, "a ModelProto", "onnx.ModelProto", NULL },
  { STR_INIT("onnx.compose.add_prefix"), "prefix", 1, PY_STRING, "a text", "", NULL },
  { STR_INIT("onnx.utils.extract_model"), "input_path", 0, PY_STRING, "a path", "", NULL },
  { STR_INIT("onnx.utils.extract_model"), "output_path", 1, PY_STRING, "a path", "", NULL },
  NAMES("onnx.utils.extract_model", "input_names", 2),
  NAMES("onnx.utils.extract_model", "output_names", 3),
  { STR_INIT("onnx.shape_inference.infer_shapes_path"), "model_path", 0, PY_STRING, "a path", "", NULL },
  { STR_INIT("onnx.checker.check_node"), "node", 0, 0, "a NodeProto", "onnx.NodeProto", NULL },
  { STR_INIT("onnx.checker.check_tensor"), "tensor", 0, 0, "a TensorProto", "onnx.TensorProto", NULL },
  { STR_INIT("onnx.helper.get_attribute_value"), "attr", 0, 0, "an AttributeProto", "onnx.AttributeProto", NULL },
  { STR_INIT("onnx.reference.ReferenceEvaluator"), "proto", 0, PY_STRING, "a ModelProto or a path",
    "onnx.ModelProto|onnx.GraphProto|onnx.NodeProto|onnx.FunctionProto", NULL },
  { STR_INIT("onnx.reference.ReferenceEvaluator.run"), "feed_inputs", 1, PY_DICT, "a dict that has the inputs by name",
    "", NULL },
  { STR_INIT("onnxruntime.transformers.float16.convert_float_to_float16"), "model", 0, PY_STRING,
    "a ModelProto or a path", "onnx.ModelProto", NULL },
  { STR_INIT("onnxruntime.transformers.optimizer.optimize_model"), "input", 0, PY_STRING, "a path", "onnx.ModelProto",
    NULL },
  { STR_INIT("onnxruntime.IOBinding.bind_cpu_input"), "arr_on_cpu", 1, PY_ARRAY | NUMBER, "an array of numpy", "",
    NULL },
  { STR_INIT("onnxruntime.InferenceSession"), "sess_options", 1, PY_NONE, "a SessionOptions",
    "onnxruntime.SessionOptions", NULL },
  TEXT(OPTIONS ".add_session_config_entry", "key", 0),
  TEXT(OPTIONS ".add_session_config_entry", "value", 1),
  TEXT(OPTIONS ".add_free_dimension_override_by_name", "name", 0),
  { STR_INIT(OPTIONS ".add_free_dimension_override_by_name"), "size", 1, PY_INT | PY_BOOL, "a number", "", NULL },
  TEXT(OPTIONS ".add_free_dimension_override_by_denotation", "name", 0),
  { STR_INIT(OPTIONS ".add_free_dimension_override_by_denotation"), "size", 1, PY_INT | PY_BOOL, "a number", "", NULL },
  TEXT(OPTIONS ".logid", "logid", 0),
  TEXT(OPTIONS ".profile_file_prefix", "profile_file_prefix", 0),
  FLAG(OPTIONS ".enable_cpu_mem_arena", "enable_cpu_mem_arena"),
  FLAG(OPTIONS ".enable_mem_reuse", "enable_mem_reuse"),
  FLAG(OPTIONS ".use_deterministic_compute", "use_deterministic_compute"),
  { STR_INIT(OPTIONS ".log_verbosity_level"), "log_verbosity_level", 0, PY_INT | PY_BOOL, "a number", "", NULL },
  { STR_INIT("onnxruntime.RunOptions.log_severity_level"), "log_severity_level", 0, PY_INT | PY_BOOL, "a number", "",
    NULL },
  TEXT("onnxruntime.IOBinding.bind_input", "name", 0),
  TEXT("onnxruntime.IOBinding.bind_output", "name", 0),
  TEXT("onnxruntime.IOBinding.bind_cpu_input", "name", 0),
  { STR_INIT("onnxruntime.IOBinding.bind_input"), "element_type", 3, ALL & ~PY_DTYPE, "a type of numpy", NULL, NULL },
  { STR_INIT("onnxruntime.IOBinding.bind_output"), "element_type", 3, ALL & ~PY_DTYPE, "a type of numpy", NULL, NULL },
  { STR_INIT("onnxruntime.OrtValue.ortvalue_from_numpy"), "numpy_obj", 0, PY_ARRAY, "an array of numpy", "", NULL },
  { STR_INIT(OPTIONS ".graph_optimization_level"), "graph_optimization_level", 0, 0,
    "a member of onnxruntime.GraphOptimizationLevel", "", NULL },
  { STR_INIT(OPTIONS ".execution_mode"), "execution_mode", 0, 0, "a member of onnxruntime.ExecutionMode", "", NULL },
  { STR_INIT(OPTIONS ".intra_op_num_threads"), "intra_op_num_threads", 0, PY_INT | PY_BOOL, "a number", "", NULL },
  { STR_INIT(OPTIONS ".inter_op_num_threads"), "inter_op_num_threads", 0, PY_INT | PY_BOOL, "a number", "", NULL },
  { STR_INIT(OPTIONS ".log_severity_level"), "log_severity_level", 0, PY_INT | PY_BOOL, "a number", "", NULL },
  { STR_INIT(OPTIONS ".optimized_model_filepath"), "optimized_model_filepath", 0, PY_STRING, "a path", "", NULL },
  FLAG(OPTIONS ".enable_profiling", "enable_profiling"),
  FLAG(OPTIONS ".enable_mem_pattern", "enable_mem_pattern"),
};

// Lists, and what is in them: objects of a class, or of these kinds.
static const struct {
  Str function;
  const char *name;
  uint32_t position;
  uint32_t takes;
  Str element;
} list_kinds[] = {
  { STR_INIT("onnx.helper.make_model"), "opset_imports", PY_ABSENT, 0, STR_INIT("onnx.OperatorSetIdProto") },
  { STR_INIT("onnx.helper.make_graph"), "nodes", 0, 0, STR_INIT("onnx.NodeProto") },
  { STR_INIT("onnx.helper.make_graph"), "inputs", 2, 0, STR_INIT("onnx.ValueInfoProto") },
  { STR_INIT("onnx.helper.make_graph"), "outputs", 3, 0, STR_INIT("onnx.ValueInfoProto") },
  { STR_INIT("onnx.helper.make_graph"), "initializer", 4, 0, STR_INIT("onnx.TensorProto") },
  { STR_INIT("onnx.helper.make_tensor_value_info"), "shape", 2, PY_NONE | PY_INT | PY_BOOL | PY_STRING,
    STR_INIT("a size, a name or None") },
  { STR_INIT("onnx.helper.make_tensor"), "dims", 2, PY_INT | PY_BOOL, STR_INIT("a size") },
  { STR_INIT("onnx.helper.make_node"), "inputs", 1, PY_STRING, STR_INIT("a name") },
  { STR_INIT("onnx.helper.make_node"), "outputs", 2, PY_STRING, STR_INIT("a name") },
};

static void say(DiagSink *sink, PyRef node, Str function, const ArgumentKind *kind, Str what)
{
  RuleId rule = str_starts_with(function, STR("torch.library.")) ? RULE_CUSTOM_OP : RULE_EXPORT_ARGUMENT_TYPE;
  py_say(sink, rule, SEVERITY_ERROR, node,
         arena_printf(sink->arena, "'%s' of %.*s%s is %s, and this is %.*s.", kind->name, STR_ARG(function),
                      str_equal(function, STR(OPTIONS)) ? "" : "()", kind->words, STR_ARG(what)),
         NULL);
}

static bool is_listed(Str class_name, Str list)
{
  for (size_t start = 0; start < list.len;) {
    size_t end = str_find_char(list, '|', start);
    end = end == STR_NOT_FOUND ? list.len : end;
    if (str_equal(str_slice(list, start, end), class_name))
      return true;
    start = end + 1;
  }
  return false;
}

/// Letters are told by nobody: torch 2.6 takes `mutates_args="x"` for the name of a parameter.
static bool takes_string(Str strings, Str text)
{
  if (strings.data[0] == '?')
    return str_contains(text, str_slice(strings, 1, strings.len));
  return text.len < 2 || is_listed(text, strings);
}

/// `model.SerializeToString` without parentheses, which no argument takes.
static bool is_uncalled(const PyModel *model, PyRef node)
{
  return str_equal(py_tree_member_name(&model->tree, py_model_resolve(model, node)), STR("SerializeToString"));
}

/// `numpy.int8`, `torch.qint8` where only members of an enumeration, or ONNX's numbers of types, are taken.
static bool is_foreign_type(const PyModel *model, const ArgumentKind *kind, PyRef node, Arena *arena)
{
  static const char *const names[] = { "numpy.int8",  "numpy.uint8",  "numpy.int16",   "numpy.uint16",  "numpy.int32",
                                       "numpy.int64", "numpy.uint64", "numpy.float16", "numpy.float32", "numpy.float64",
                                       "numpy.bool_", "torch.qint8",  "torch.quint8" };
  Str words = str_from(kind->words);
  bool is_enum = (kind->takes & ~PY_INT) == 0 && str_starts_with(words, STR("a member of"));
  return (is_enum || str_equal(words, STR(ELEMENT_TYPE))) &&
         str_is_one_of(py_model_qualified(model, node, arena), names, COUNT(names));
}

/// An array that takes the place of a list of names or messages, and is of numbers. Sizes may be ints.
static Str array_of_numbers(DiagSink *sink, const ArgumentKind *kind, PyRef node)
{
  bool is_list = (kind->takes & PY_LIST) && (kind->takes & PY_ARRAY);
  Str type = is_list ? example_array_type(sink_python(sink)->model, node, sink->arena) : STR("");
  bool is_int = str_contains(type, STR("int"));
  bool are_numbers = is_int || str_starts_with(type, STR("float")) || str_equal(type, STR("bool"));
  if (!are_numbers || (is_int && str_equal(str_from(kind->words), STR(SIZES))))
    return (Str){ 0 };
  return arena_printf(sink->arena, "a numpy array of %.*s", STR_ARG(type));
}

static void check_value(DiagSink *sink, Str function, const ArgumentKind *kind, PyRef node)
{
  PyValue value = py_file_value(sink_python(sink), node);
  bool is_empty = value.kinds == PY_LIST && value.length == 0;
  bool is_list = str_equal(function, STR("torch.export.AdditionalInputs.add")) && kind->position == 0 &&
                 py_kind(&sink_python(sink)->model->tree, py_model_resolve(sink_python(sink)->model, node)) == PYK_LIST;
  if (is_list || (py_file_is_only(value, ALL & ~kind->takes) && !is_empty)) {
    say(sink, node, function, kind, py_file_value_text(value, sink->arena));
    return;
  }
  if (is_uncalled(sink_python(sink)->model, node)) {
    say(sink, node, function, kind, STR("a method that is not called: add `()`"));
    return;
  }
  Str text, array = array_of_numbers(sink, kind, node);
  if (array.len > 0)
    say(sink, node, function, kind, array);
  if (is_foreign_type(sink_python(sink)->model, kind, node, sink->arena))
    say(sink, node, function, kind, STR("a type of another package"));
  if (kind->strings && py_model_string(sink_python(sink)->model, node, sink->arena, &text) &&
      !takes_string(str_from(kind->strings), text))
    say(sink, node, function, kind, arena_printf(sink->arena, "'%.*s'", STR_ARG(str_slice(text, 0, 40))));
  Str class_name = kind->objects ? public_class_of(sink, node) : (Str){ 0 };
  if (class_name.len > 0 && !is_listed(class_name, str_from(kind->objects)))
    say(sink, node, function, kind, public_class_text(class_name, sink->arena));
}

void public_check_assigned(DiagSink *sink, Str member, PyRef value)
{
  for (size_t i = 0; i < COUNT(kinds); i++) {
    if (str_equal(member, kinds[i].function))
      check_value(sink, str_slice(member, 0, str_rfind_char(member, '.')), &kinds[i], value);
  }
}

bool public_refuses_none(Str function)
{
  for (size_t i = 0; i < COUNT(kinds); i++) {
    if (kinds[i].position == 0 && str_equal(function, kinds[i].function))
      return !(kinds[i].takes & PY_NONE) || kinds[i].objects;
  }
  return false;
}

/// One element of a list that is written out.
static void check_element(DiagSink *sink, PyRef node, uint32_t takes, Str wanted, const char *name)
{
  const PyFile *file = sink_python(sink);
  PyValue value = py_file_value(file, node);
  Str class_name = public_class_of(sink, node);
  Str what = class_name.len > 0 && !str_equal(class_name, wanted) ? public_class_text(class_name, sink->arena)
             : py_file_is_only(value, ALL & ~takes)               ? py_file_value_text(value, sink->arena)
                                                                  : STR("");
  if (what.len > 0 && !py_tree_is_splat(&file->model->tree, node))
    py_say(sink, RULE_EXPORT_ARGUMENT_TYPE, SEVERITY_ERROR, node,
           arena_printf(sink->arena, "What is in '%s' is %.*s, and this is %.*s.", name,
                        STR_ARG(takes ? wanted : public_class_text(wanted, sink->arena)), STR_ARG(what)),
           NULL);
}

static void check_lists(DiagSink *sink, const PyCall *call, Str function)
{
  const PyModel *model = sink_python(sink)->model;
  for (size_t i = 0; i < COUNT(list_kinds); i++) {
    const PyArgument *argument = str_equal(function, list_kinds[i].function)
                                     ? py_model_argument(model, call, list_kinds[i].position, list_kinds[i].name)
                                     : NULL;
    PyRef list = argument ? py_model_resolve(model, argument->value) : 0;
    PyNodeKind kind = list ? py_kind(&model->tree, list) : PYK_OTHER;
    if (kind != PYK_LIST && kind != PYK_TUPLE)
      continue;
    for (PY_EACH_CHILD(&model->tree, item, list))
      check_element(sink, item, list_kinds[i].takes, list_kinds[i].element, list_kinds[i].name);
  }
}

void public_check_arguments(DiagSink *sink, const PyCall *call, Str function)
{
  const PyModel *model = sink_python(sink)->model;
  // A file of symbolic functions calls hundreds of helpers, and no row is about them (check_helper_calls.c).
  if (str_starts_with(function, STR("torch.onnx.symbolic_")) || py_file_asks_version(sink_python(sink), call->node))
    return;
  if (str_starts_with(function, STR("onnx.helper.make_")))
    check_lists(sink, call, function);
  for (size_t i = 0; i < COUNT(kinds); i++) {
    const ArgumentKind *kind = &kinds[i];
    if (!str_equal(function, kind->function))
      continue;
    const PyArgument *argument =
        kind->position == EVERY ? NULL : py_model_argument(model, call, kind->position, kind->name);
    if (argument)
      check_value(sink, function, kind, argument->value);
    for (uint32_t k = 0; kind->position == EVERY && k < call->argument_count; k++) {
      argument = &py_model_arguments(model, call)[k];
      if (argument->keyword.len == 0 && !argument->is_splat && !argument->is_dictionary_splat)
        check_value(sink, function, kind, argument->value);
    }
  }
}

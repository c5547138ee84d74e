/// One operator in a symbolic function, as the rules about g.op() see it. Private to rules/.
///
/// Ownership: lives while the operator is checked.
/// Units:     sets of opsets as in python/model/python_file.h.
/// Threads:   as DiagSink.
/// Sources:   domain rules: torch.onnx._internal.jit_utils, onnx.checker; docs/rules/.
#pragma once

#include "python/rules/python_report.h"

typedef struct OpCheck {
  DiagSink *sink;
  const PyFile *file;
  const PyModel *model;
  const PyOp *op;
  PyOpsets opsets;
  const OnnxOperator *onnx;                    ///< NULL if the facts know no such operator, or its name is unknown.
  const OnnxSchema *schemas[OPSET_LIMIT + 1];  ///< In force, by opset of `opsets`; NULL where there is none.
  bool is_dead;                                ///< No opset reaches it.
  bool is_constant;                            ///< Constant, whose attributes have rules of their own.
  bool has_bad_input;                          ///< An input was reported: their number says nothing more.
  int *head_fixes;                             ///< How often @parse_args was offered in this file.
  bool has_moved_input;                        ///< An attribute that should be an input was reported.
} OpCheck;

/// Opsets of the check for which `test` says that the schema is wrong.
OpsetSet op_check_wrong(const OpCheck *check, bool (*test)(const OnnxSchema *schema, const void *context),
                        const void *context);
/// "at opset 13", "from opset 13 on", "at opsets 9-12": where something is wrong, among the opsets of the check.
Str op_check_when(const OpCheck *check, OpsetSet wrong);
int op_check_first_wrong(const OpCheck *check, OpsetSet wrong);

/// Whether `op.X(...)` of onnxscript, where it is run, gives all results that the schema names, and those are several.
/// Of BatchNormalization it gives as many as its mode has. Run with onnxscript 0.7.
bool op_gives_several(const OnnxSchema *schema);

/// How many values `torch.tensor([1, 2])` has, as far as its text shows: -1 if it doesn't.
int op_tensor_length(const PyModel *model, PyRef node);
/// The same of numpy.array().
int op_array_length(const PyModel *model, PyRef node);
/// The tensor that a Constant is made of: `X` of `g.op("Constant", value_t=X)`; 0 if it is something else.
PyRef op_constant_tensor(const PyModel *model, PyRef node);
/// The form of the name; says whether the name is worth looking up.
bool op_check_name(OpCheck *check);
/// `g.op(torch.relu, x)`
void op_check_name_type(OpCheck *check);
/// What ONNX lacks, with what was most likely meant.
void op_report_unknown(OpCheck *check);
/// `ai.onnx::Elu`: taken as a domain of one's own, in which no runtime finds it.
void op_report_default_domain(OpCheck *check);
/// Numbers of inputs and outputs.
void op_check_counts(OpCheck *check);
/// `outputs="2"`: torch compares it with a number.
void op_check_output_type(OpCheck *check);
/// Inputs that are Python values.
void op_check_inputs(OpCheck *check);
/// Whether the operator's value is surely left without a type.
bool op_lacks_type(const PyModel *model, const PyOp *op);
/// Inputs that are constants of one number where a list is wanted.
void op_check_constant_inputs(OpCheck *check);
/// Inputs that are lists of tensors, where the operator takes tensors.
void op_check_list_inputs(OpCheck *check);
/// Operators that ONNX Runtime has beside those of ONNX.
void op_check_contributed(const OpCheck *check);
/// Lists that contradict each other, or what the operator can take.
void op_check_lengths(OpCheck *check);
/// Element types of inputs that the operator does not take.
void op_check_element_types(OpCheck *check);
/// The rules about attributes.
void op_check_attributes(OpCheck *check);
/// Whose operator it is that stands in ONNX's domain; NULL if that is nobody known.
const char *op_plugin_runtime(Str name);
/// Is its name one of several, each with its condition, `"A" if condition else "B"`?
bool py_op_is_chosen(const PyModel *model, const PyOp *op);
/// Is the operator in a domain of its own, that is neither one of ONNX nor one of PyTorch?
bool py_op_is_custom(const PyOp *op);

/// A registered symbolic function and the torch operators that it converts. Private to rules/.
///
/// Ownership: lives while the function is checked; lists in the sink's arena.
/// Threads:   as DiagSink.
/// Sources:   torch.onnx.utils._run_symbolic_function: every argument of the schema is passed by position.
#pragma once

#include "python/rules/python_report.h"

typedef struct FunctionCheck {
  DiagSink *sink;
  const PyFile *file;
  const PyModel *model;
  uint32_t index;
  const PyFunction *function;
  const PyParam *params;  ///< The inputs, after the graph.
  uint32_t param_count;   ///< Those that take a positional argument.
  uint32_t required;      ///< Of them without a default.
  bool has_args;          ///< `*args`
  // What is known of one of the names that it is registered for:
  Str name;
  const TorchOverload *const *overloads;  ///< Those of the file's torch versions.
  uint32_t overload_count;                ///< 0: the operator is unknown.
  bool any_fits;                          ///< An overload passes a number of arguments that the function takes.
} FunctionCheck;

/// Begins the check of a function; false if it can't be understood (decorators, changed arguments).
bool function_check_begin(FunctionCheck *check, DiagSink *sink, uint32_t index);
/// Looks up an operator that it is registered for.
void function_check_name(FunctionCheck *check, Str name);
/// Whether the function takes the number of arguments that this overload passes.
bool function_takes(const FunctionCheck *check, const TorchOverload *overload);
/// Whether it tells something. Overloads that fit the number of parameters do, or all if none does.
bool function_counts(const FunctionCheck *check, const TorchOverload *overload);
/// The overload that the function is most likely written for; NULL if the operator is unknown.
const TorchOverload *function_best_overload(const FunctionCheck *check);
/// "elu(self, alpha, scale, input_scale)"
Str function_signature(const FunctionCheck *check, const TorchOverload *overload);
/// The first parameter is not a graph: nothing else can be said of the function.
bool function_lacks_graph(const FunctionCheck *check);
/// A decorator of this file that returns nothing leaves None in the place of the function.
bool function_is_lost(const PyFile *file, const PyFunction *function);
/// Where to point at: the name of a function, a whole lambda.
PyRef function_place(const FunctionCheck *check);

/// Adds the parameters that the operator has and the function lacks; NULL if that is not all that it takes.
const Fix *function_fix_parameters(const FunctionCheck *check);
/// Adds @parse_args, so that `param`, which is used for an attribute and nothing else, becomes a Python value; NULL if
/// that can't be.
const Fix *function_fix_parse_args(DiagSink *sink, uint32_t function, Str param);
/// The rules about @parse_args; `checks_types` if the order of the parameters is right, so that types can be compared.
void function_check_parse_args(const FunctionCheck *check, bool checks_types);

/// Operators that ONNX Runtime has beside those of ONNX, in its domain com.microsoft: what they take.
///
/// Ownership: everything lives for ever.
/// Units:     inputs and outputs are counted; bit i of `needed` is input i.
/// Errors:    NULL for what is none of them.
/// Threads:   any.
/// Sources:   onnxruntime.capi.onnxruntime_pybind11_state.get_all_operator_schema() of 1.21 to 1.23; names of later
///            releases are from its docs/ContribOperators.md.
#pragma once

#include "base/memory.h"
#include "facts/symbolics.h"

enum { CONTRIBUTED_WITHOUT_KERNEL = -1 };

typedef struct ContributedOperator {
  const char *name;
  int first_opset;  ///< Of the first release that has it; 0 if all have. CONTRIBUTED_WITHOUT_KERNEL: its schema alone.
  uint32_t min_input, max_input;
  uint32_t min_output, max_output;
  uint32_t needed;         ///< Bits of the inputs that have to be given.
  const char *attributes;  ///< "name:marks ...": as contributed.def says.
  const char *types;       ///< "input:T > output:T ; T=float": the same.
} ContributedOperator;

const ContributedOperator *contributed_operator(Str name);
/// An operator of a later release, of which only the name is known.
bool contributed_is_newer(Str name);
/// The nearest name that there is, in other letters or nearly the same; NULL for none.
const char *contributed_nearest(Str name, Arena *arena);
/// The next of `rest`, an operator's attributes, without its name; false at the end.
bool contributed_next_attribute(Str *rest, Str *ret_name, Str *ret_marks);
/// The marks of an attribute; empty if the operator has none of that name.
Str contributed_marks(const ContributedOperator *op, Str name);
/// What the marks say of a type: 'f', 'i', 's', 't', in capitals of a list; '\0' if it has no letter.
char contributed_type_letter(OnnxAttributeType type);

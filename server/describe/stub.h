/// The text of a symbolic function for an operator, to be filled in by people.
///
/// The function takes exactly the arguments that the exporter passes, with the names of the schema, and returns as many
/// values as the node has. Until somebody writes its body, it makes a node of a custom domain.
///
/// Ownership: a spec borrows its strings; the text lives in the arena.
/// Errors:    stub_can_register() says which operators there can be a function for.
/// Threads:   pure.
/// Sources:   torch.onnx.symbolic_helper.parse_args and _parse_arg, torch.onnx.register_custom_op_symbolic, as run with
///            torch 1.13, 2.6 and 2.14.
#pragma once

#include "base/limits.h"
#include "facts/symbolics.h"

/// How the exporter hands an argument to the function.
typedef enum StubLetter {
  STUB_VALUE,   ///< "v": a value of the graph.
  STUB_INT,     ///< "i"
  STUB_FLOAT,   ///< "f"
  STUB_BOOL,    ///< "b"
  STUB_STRING,  ///< "s"
  STUB_INTS,    ///< "is"
  STUB_FLOATS,  ///< "fs"
  STUB_UNUSED,  ///< "none": nothing that ONNX has a type for.
} StubLetter;

typedef struct StubArgument {
  Str name;  ///< As the schema has it; empty if there is no schema.
  StubLetter letter;
  bool is_tensor;
  bool is_optional;  ///< Some calls end before it; not for values, as a missing one is none.
} StubArgument;

/// What the dump says of a value that the operator returns.
typedef struct StubReturn {
  bool is_list;
  bool is_like_input;  ///< Of the same type as the first tensor among the arguments.
  const char *dtype;   ///< "float32"; NULL if it is not known.
  bool is_ranked;
  size_t rank;
} StubReturn;

/// Numbers that belong together in a call.
typedef struct StubShape {
  size_t argument_count;
  size_t return_count;
} StubShape;

typedef struct StubSpec {
  Str op;      ///< "aten::special_i0e"; as the dump spells it.
  Str schema;  ///< Empty if there is none.
  Str torch;
  int opset;
  StubArgument arguments[STUB_ARGUMENT_LIMIT];
  size_t argument_count;
  bool has_any_count;   ///< Calls have numbers of arguments that no list of parameters fits.
  bool has_attributes;  ///< Nodes have attributes, which are passed by keyword.
  StubReturn returns[STUB_RETURN_LIMIT];
  size_t return_count;
  StubShape shapes[STUB_SHAPE_LIMIT];  ///< If calls differ in their number of results: which belongs to which.
  size_t shape_count;
} StubSpec;

/// What the body of a stub says until somebody has written it.
#define STUB_TODO "TODO: make the result of ONNX operators."

/// Whether PyTorch takes a registration under this name. In-place operators are registered without their underscore.
bool stub_can_register(Str op);
/// "special_i0e": a Python name.
Str stub_function_name(Str op, Arena *arena);
/// How an argument of a schema's type is taken apart; `is_constant` says that every call passes a constant.
StubLetter stub_letter(Str type, bool is_constant);

/// A whole module.
Str stub_module(const StubSpec *spec, Arena *arena);
/// The function alone, to go after `text`, with the imports that are not in there yet.
Str stub_addition(const StubSpec *spec, Str text, Arena *arena);

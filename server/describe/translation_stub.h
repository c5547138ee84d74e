/// The text of a function of onnxscript for an overload that the dynamo exporter has none for, to be filled in by
/// people.
///
/// Ownership: the text lives in the arena.
/// Errors:    empty for a name that is no operator of torch.ops.
/// Threads:   pure.
/// Sources:   torch.onnx.export(custom_translation_table=) of torch 2.14: arguments come as the schema has them, those
/// with
///            their default are left out, keyword-only ones by name.
#pragma once

#include "facts/symbolics.h"

/// A module with the function and a table that has it: `overload` is "aten::histc" or "aten::sum.dim_IntList"; `schema`
/// may be NULL.
Str translation_stub(Str overload, const TorchOverload *schema, Arena *arena);
/// "sum" of "aten::sum.dim_IntList"; empty if that can be no name of a function.
Str translation_stub_name(Str overload, Arena *arena);

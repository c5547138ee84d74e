/// Sentences about operators, letters and functions that hovers, completion and signature help on Python share.
///
/// Ownership: they write into the caller's markup; scratch lives in the arena.
/// Units:     as in python/model/python_file.h.
/// Threads:   pure.
/// Sources:   facts/export_api.h.
#pragma once

#include "describe/markup.h"
#include "python/features/python_help.h"

typedef struct PyWords {
  const PyFile *file;
  Arena *arena;
  Markup *markup;
} PyWords;

/// "2.14"
Str py_words_torch_name(const PyFile *file);
/// "alpha_f" where g.op() is called, else "alpha".
Str py_words_attribute_name(const OnnxAttribute *attribute, bool is_graph_op, Arena *arena);
/// "float = 1.0", "int, required"
Str py_words_attribute_type(const OnnxAttribute *attribute, Arena *arena);

/// What the attribute means, and for g.op() what its suffix takes.
void py_words_write_attribute(const PyWords *words, const OnnxAttribute *attribute, bool is_graph_op);
void py_words_write_suffix(const PyWords *words, Str suffix);
/// The types that the input takes, and whether it may be left out.
void py_words_write_input(const PyWords *words, const OnnxSchema *schema, const OnnxParam *param);
/// At which opset something is shown, if that needs saying, or which opset the operator needs.
void py_words_write_opset(const PyWords *words, PyShownOpset shown, const OnnxOperator *op, const OnnxSchema *schema);
void py_words_write_letter(const PyWords *words, Str letter);
/// The letters that can read an argument of this schema type, the usual one first: "\"f\", \"t\", \"v\"".
Str py_words_letters(const PyWords *words, Str type);
void py_words_write_helper(const PyWords *words, const PyHelper *helper);
/// What became of a name of torch.onnx.
void py_words_write_api(const PyWords *words, const PyApi *api);
void py_words_write_export_argument(const PyWords *words, const PyExportArgument *argument);

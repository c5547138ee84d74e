/// Types that TorchScript gives plain expressions. Private to rules/.
///
/// Units:     nodes of the model.
/// Errors:    JIT_UNKNOWN for what is not sure.
/// Threads:   pure.
/// Sources:   torch.jit.script() of torch 1.13, 2.6 and 2.14.
#pragma once

#include "python/rules/script/jit_script.h"

typedef enum JitType {
  JIT_UNKNOWN,
  JIT_INT,
  JIT_FLOAT,
  JIT_BOOL,
  JIT_STRING,
  JIT_NONE,
  JIT_LIST,
  JIT_NUMBER,  ///< Of item(): which one is not known.
} JitType;

JitType jit_script_type(Forward *forward, PyRef node, int depth);
/// What is wrong by its type with a node in what is compiled.
void jit_script_check_types(Forward *forward, PyRef node);
/// The same of a string, also in print() and assert, which are compiled, too.
void jit_script_check_format(const Forward *forward, PyRef string);

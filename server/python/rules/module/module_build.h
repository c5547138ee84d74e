/// The modules that a list gets while a constructor, or a function that builds a model, runs with numbers that are
/// known: `for v in cfg: layers += [nn.Conv2d(channels, v, 3)]; channels = v`. Private to rules/.
///
/// Ownership: parts and their makers lie in the arena.
/// Units:     nodes of the model.
/// Errors:    a list of which not all is known is not built.
/// Threads:   pure.
#pragma once

#include "base/limits.h"
#include "python/rules/module/module_maker.h"

typedef struct BuiltPart {
  PyRef node;                ///< What makes the module...
  const ModuleMaker *maker;  ///< ...with the numbers that names have there.
} BuiltPart;

typedef struct BuiltParts {
  BuiltPart items[PY_BUILT_PART_LIMIT];
  size_t count;
} BuiltParts;

/// Adds what a list expression holds: written out, a comprehension, or a name of the function that the maker runs.
/// False if that is not known.
bool module_build_list(const ModuleMaker *maker, PyRef list, Arena *arena, BuiltParts *parts);
/// The same of `self.own`, a torch.nn.ModuleList that __init__() of the maker's class fills.
bool module_build_own(const ModuleMaker *maker, Str own, Arena *arena, BuiltParts *parts);
/// What makes `self.own`, which __init__() of the maker's class assigns several times, as branches go for these
/// numbers; with the maker whose names it uses. 0 if that is not known, or another method assigns it.
PyRef module_build_part(const ModuleMaker *maker, Str own, Arena *arena, const ModuleMaker **ret_maker);
/// The side of `a if stride == 1 else b`, and of `wide and a or b`, that is taken there; the expression itself where
/// that is not known.
PyRef module_build_side(const ModuleMaker *maker, PyRef value, Arena *arena);
/// Which of its results a function of the file gives for what a call gives it: `Net(64)` of `build("large")`. 0 if that
/// is not known.
PyRef module_build_returned(const PyModel *model, const PyCall *call, const PyFunction *function);
/// Whether __init__() surely does not set `self.own` for these numbers, and no other method does.
bool module_build_lacks(const ModuleMaker *maker, Str own, Arena *arena);

/// What the parts of module_maker.h ask each other. Private to module_maker.c, module_lists.c and module_arguments.c.
///
/// Ownership: as module_maker.h.
/// Units:     nodes of the model; `depth` says how many more expressions are looked through.
/// Errors:    what can't be told is false, NULL or -1.
/// Threads:   pure.
#pragma once

#include "python/rules/module/module_maker.h"

bool module_find_int(const ModuleMaker *maker, PyRef node, int depth, int64_t *ret_value);
/// What a name stands for in the loop that makes the module; NULL for other expressions.
const MadeName *module_name_made(const ModuleMaker *maker, PyRef node);
/// What a list holds, up to PY_MADE_LIST_LIMIT; its elements are not evaluated.
int module_list_of(const ModuleMaker *maker, PyRef node, int depth, MadeName *items);
/// Elements are evaluated where they stand, and only those that are asked for.
void module_evaluate(MadeName *item, int depth);
/// What an object is written as that was given from constructor to constructor, or is a member. `ret_maker` has the
/// names that it uses.
PyRef module_object_given(const ModuleMaker *maker, PyRef node, const ModuleMaker **ret_maker);

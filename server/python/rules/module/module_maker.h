/// A module of the file as it was made, and the numbers that its constructor works with: `nn.Linear(4 * width, 10)` in
/// the __init__() of `Net(width=8)`. Private to rules/.
///
/// Ownership: borrows the model; makers lie where the caller puts them.
/// Units:     nodes of the model.
/// Errors:    what can't be told is 0, NULL or -1.
/// Threads:   pure.
#pragma once

#include "python/rules/module/module_parts.h"

/// What a name stands for while a list of modules is built.
typedef struct MadeName {
  Str name;
  PyRef node;  ///< An expression; 0 if it is not known.
  int64_t number;
  bool is_number;
  const struct ModuleMaker *maker;  ///< Of an element that was not looked at yet: whose names it uses.
  const struct MadeName *list;      ///< What it holds, of a list that was computed...
  int list_count;                   ///< ...and how many; 0 for others.
  struct BuiltParts *parts;         ///< The modules that it holds, of which others may follow...
  size_t part_count;                ///< ...after so many; NULL for others.
} MadeName;

typedef struct ModuleMaker {
  const PyModel *model;
  const ModuleParts *parts;
  const PyCall *call;               ///< `Net(width=8)`; NULL if it is not known.
  PyRef class_node;                 ///< The class that is made; 0 outside of classes.
  const struct ModuleMaker *outer;  ///< Whose constructor makes it; NULL at the export.
  const PyFunction *builder;        ///< A function that makes and returns it, `build(64)`; NULL for a class.
  const MadeName *names;            ///< Of the function, where it is made in a loop: module_build.h.
  size_t name_count;
  bool has_members;  ///< Members of the object that changed until then are among them: `self.inplanes`.
} ModuleMaker;

/// What the parameter of that number in PyModel.params is given where the module is made, with the maker whose names it
/// uses; 0.
PyRef module_maker_given(const ModuleMaker *maker, const PyFunction *function, uint32_t param,
                         const ModuleMaker **ret_maker);
/// The same of a name that is such a parameter, and nothing else.
PyRef module_maker_value(const ModuleMaker *maker, PyRef name, const ModuleMaker **ret_maker);
/// What a call of a function of the file returns, with the maker whose names that uses; 0 for other calls.
PyRef module_maker_built(const ModuleMaker *maker, const PyCall *call, ModuleMaker *ret_maker);
/// A number in the constructor; false if it is not known.
bool module_maker_int(const ModuleMaker *maker, PyRef node, int64_t *ret_value);
/// What an expression there is written as, through names: `'M'`, `[64, 128]`, `None`; 0.
PyRef module_maker_written(const ModuleMaker *maker, PyRef node);
/// What a list holds there, through sums and slices, up to PY_MADE_LIST_LIMIT items; -1 if it is not known.
int module_maker_list(const ModuleMaker *maker, PyRef node, MadeName *items);
/// The call with what the name of its function stands for there: a class of torch.nn, a
/// class or a function of the file. NULL for other expressions.
const PyCall *module_maker_call(const ModuleMaker *maker, PyRef node, Arena *arena);
/// Whether it names what may be called so: a class or a function of the file, or something of torch.
bool module_maker_is_callee(const ModuleMaker *maker, PyRef name, Arena *arena);
/// Whether the function is the one that the maker runs: the builder, or __init__() of the class.
bool module_maker_runs(const ModuleMaker *maker, const PyFunction *function);
/// The only call in the file of a function that is in no class; NULL.
const PyCall *module_maker_only_call(const PyModel *model, uint32_t function);
/// `a + b` of numbers of that kind; false for other operators.
bool module_maker_apply(Str sign, int64_t a, int64_t b, int64_t *ret_value);
/// What `a < b` gives; -1 for what is no comparison of numbers.
int module_maker_compare(Str sign, int64_t a, int64_t b);
/// What a call there, in the names of `maker`, is given for a parameter: also by `**kwargs` that the function passes
/// on, and by `**config` of a dict; `maker` becomes the one whose names that uses. 0 if nothing is given, or, where
/// `ret_is_known` is false, nobody knows.
PyRef module_maker_argument(const ModuleMaker **maker, const PyCall *call, uint32_t position, Str keyword,
                            bool *ret_is_known);
/// Whether an expression there is a number that is none of these: `dim ** -0.5`.
bool module_maker_is_float(const ModuleMaker *maker, PyRef node);
/// An argument of a call there, from 0 to PY_DIM_NUMBER_LIMIT; -1 if it is something else, `absent` if it is not given.
int64_t module_maker_size(const ModuleMaker *maker, const PyCall *call, uint32_t position, const char *keyword,
                          int64_t absent);
/// The same of one axis, where all may have the same: `3` and `(3, 5)`.
int64_t module_maker_size_at(const ModuleMaker *maker, const PyCall *call, uint32_t position, const char *keyword,
                             int axis, int64_t absent);

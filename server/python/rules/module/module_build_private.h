/// One run of a constructor, or of a function that builds a model, with numbers that are known. Private to
/// module_build.c and what it is made of.
///
/// Ownership: a Build lies where it is begun; lists that names hold lie in its arena.
/// Units:     nodes of the model.
/// Errors:    what is not known is 0, false or -1.
/// Threads:   pure.
#pragma once

#include "python/rules/module/module_build.h"

typedef struct Build {
  const ModuleMaker *maker;
  Str name;  ///< The list: `layers`, `self.layers`; empty for one that is written out.
  Arena *arena;
  BuiltParts *parts;
  MadeName names[PY_MADE_NAME_LIMIT];  ///< What names, and members that change, stand for at that moment.
  size_t name_count;
  int steps, depth;
  PyRef until;      ///< The call before which it ends; 0.
  PyRef use;        ///< What asks for the list: it ends before that statement; 0.
  bool is_reached;  ///< One of them was met.
  bool is_done;     ///< So was it, or a `return`...
  PyRef returned;   ///< ...of that.
  bool is_one;      ///< It is no list: what it is assigned last counts.
} Build;

// --- What names stand for ---

const PyTree *build_tree(const Build *build);
/// What is known of a name, which is added; NULL if there are too many.
MadeName *build_name(Build *build, Str name);
/// The maker as it is now; of the build itself if it is only asked.
ModuleMaker build_maker_now(const Build *build);
bool build_number(const Build *build, PyRef node, int64_t *ret_number);
/// What an expression stands for now.
MadeName build_value(const Build *build, PyRef value);
/// Gives names what they stand for, in a loop or an assignment.
bool build_bind(Build *build, PyRef target, const MadeName *made);
/// Whether a condition holds: 1 or 0; -1 if it is not known.
int build_truth(const Build *build, PyRef asked);
/// Of what a statement may bind, nothing is known; false if it has to do with the list, or may return.
bool build_forget(Build *build, PyRef statement);

// --- Lists of modules that names hold ---

/// `layers = []`: begins a list, if it is one of modules.
void build_begin_list(Build *build, PyRef target, PyRef value);
/// What a name holds to which modules may be added; NULL for others.
MadeName *build_list_named(Build *build, PyRef node);
/// Adds a module, or those of a list, to what the name holds.
bool build_grow(Build *build, MadeName *list, PyRef what, bool is_list);
/// Takes what the maker knows of a list that a name holds; false if it knows nothing.
bool build_take_list(const ModuleMaker *maker, PyRef name, BuiltParts *parts);
/// Lists that an expression, a nested function or the target of an assignment may change are no longer known; false
/// for the one that is built.
bool build_lets_go(Build *build, PyRef node);
bool build_add_part(Build *build, PyRef node);
bool build_add_list(Build *build, PyRef list);

// --- Members ---

/// `self.inplanes = 64` of a number, or of a class, that methods change.
void build_bind_member(Build *build, PyRef target, const MadeName *made);
/// What calls of methods in it, `self._make_layer(64)`, make of members. Ends the build before the call that it goes
/// to.
void build_run_calls(Build *build, PyRef node);
/// What members are where the method is called that the maker runs.
void build_take_members(Build *build, const PyFunction *function);

/// Whether a loop runs it, or a comprehension: again and again.
bool build_is_in_loop(const PyTree *tree, PyRef node, PyRef body);
Build build_begin(const ModuleMaker *maker, Str name, Arena *arena, BuiltParts *parts);
/// The same with what names stand for where the maker makes it.
Build build_begin_there(const ModuleMaker *maker, Arena *arena, BuiltParts *parts);
/// Runs a function with what its maker gives its parameters; false where that could not be followed.
bool build_run(Build *build, const PyFunction *function);

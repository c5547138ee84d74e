// The opset in force: which registered function an export chooses, and at which opsets a piece of code runs.

#include "base/search.h"
#include "base/sort.h"
#include "python/model/python_file_private.h"

enum { ALWAYS_OPSET = 9 };  ///< The lowest that every version of the exporter has.

/// Is all that the set has from opset `first` to before `end` wrong?
static bool is_part_wrong(OpsetSet set, OpsetSet wrong, int first, int end)
{
  uint64_t part = set & opset_set_range(first, end - 1);
  return part != 0 && (part & ~wrong) == 0;
}

bool py_file_opsets_wrong(PyOpsets opsets, OpsetSet wrong)
{
  if ((opsets.set & wrong) == 0)
    return false;
  if (opsets.is_known || (opsets.set & wrong & opsets.named))
    return true;
  int first = 0;
  for (int opset = 1; opset <= OPSET_LIMIT; opset++) {
    if (!opset_set_has(opsets.starts, opset))
      continue;
    if (is_part_wrong(opsets.set, wrong, first, opset))
      return true;
    first = opset;
  }
  return is_part_wrong(opsets.set, wrong, first, OPSET_LIMIT + 1);
}

OpsetSet py_file_builtin_opsets(const PyFile *file, uint32_t torch, Str name)
{
  return symbolics_registered_opsets(file->db, torch, name);
}

OpsetSet py_file_registration_opsets(const PyModel *model, const PyRegistration *registration)
{
  OpsetSet set = 0;
  for (uint32_t i = 0; i < registration->opset_count; i++)
    set |= opset_set_of(model->opsets.items[registration->first_opset + i]);
  return set;
}

// --- What this file registers, by name ---

/// A name with all that registers it: many questions are asked of each, and there may be thousands.
struct PyCustomName {
  uint32_t hash;
  Str name;
  OpsetSet opsets;   ///< That the file registers it for,
  OpsetSet builtin;  ///< and torch.
  bool is_open;      ///< One registration doesn't tell its opsets.
  const TorchOperator *op;
};

static int compare_customs(const struct PyCustomName *a, const struct PyCustomName *b)
{
  if (a->hash != b->hash)
    return a->hash < b->hash ? -1 : 1;
  return str_compare(a->name, b->name);
}

static int compare_custom_items(const void *a, const void *b)
{
  return compare_customs(a, b);
}

void python_index_customs(PyFile *file)
{
  const PyModel *model = file->model;
  struct PyCustomName *items = xcalloc(model->registrations.count + 1, sizeof(*items));
  size_t count = 0;
  for (size_t i = 0; i < model->registrations.count; i++) {
    const PyRegistration *registration = &model->registrations.items[i];
    if (registration->kind == PY_REG_UNREGISTER)
      continue;
    if (registration->name_known)
      items[count++] = (struct PyCustomName){
        .hash = str_hash(registration->name),
        .name = registration->name,
        .opsets = py_file_registration_opsets(model, registration),
        .is_open = !registration->opset_known && !registration->opset_is_wrong_type,
      };
    file->registers_unknown |= !registration->name_known;
  }
  sort_stable(items, count, sizeof(*items), compare_custom_items);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (kept > 0 && compare_customs(&items[i], &items[kept - 1]) == 0) {
      items[kept - 1].opsets |= items[i].opsets;
      items[kept - 1].is_open |= items[i].is_open;
    } else {
      items[kept] = items[i];
      items[kept].builtin = py_file_builtin_opsets(file, file->torch, items[i].name);
      items[kept++].op = python_find_operator(file, items[i].name);
    }
  }
  file->customs = items;
  file->custom_count = kept;
}

static const struct PyCustomName *custom_of(const PyFile *file, Str name)
{
  const struct PyCustomName key = { .hash = str_hash(name), .name = name };
  size_t at;
  SEARCH_FIRST(at, 0, file->custom_count, file->customs[at].hash < key.hash);
  if (at == file->custom_count || file->customs[at].hash != key.hash)
    return NULL;
  if (str_equal(file->customs[at].name, name))
    return &file->customs[at];
  SEARCH_FIRST(at, at, file->custom_count, compare_customs(&file->customs[at], &key) < 0);
  bool is_found = at < file->custom_count && compare_customs(&file->customs[at], &key) == 0;
  return is_found ? &file->customs[at] : NULL;
}

bool py_file_registers(const PyFile *file, Str name)
{
  Str aten = STR("aten::");
  return custom_of(file, name) || (str_starts_with(name, aten) && custom_of(file, str_slice(name, 4, name.len)));
}

OpsetSet py_file_custom_opsets(const PyFile *file, Str name)
{
  const struct PyCustomName *custom = custom_of(file, name);
  return custom ? custom->opsets : 0;
}

OpsetSet py_file_all_opsets(const PyFile *file, Str name)
{
  const struct PyCustomName *custom = custom_of(file, name);
  return custom ? custom->opsets | custom->builtin : py_file_builtin_opsets(file, file->torch, name);
}

const TorchOperator *py_file_torch_operator(const PyFile *file, Str name)
{
  const struct PyCustomName *custom = custom_of(file, name);
  return custom ? custom->op : python_find_operator(file, name);
}

bool py_file_has_open_opsets(const PyFile *file, Str name)
{
  const struct PyCustomName *custom = custom_of(file, name);
  return file->registers_unknown || (custom && custom->is_open);
}

// --- Which function is chosen ---

bool py_file_is_ever_chosen(const PyFile *file, const PyRegistration *registration)
{
  OpsetSet own = py_file_registration_opsets(file->model, registration);
  if (!registration->opset_known || !registration->name_known || own == 0)
    return true;
  char text[256];
  Str name = registration->name;
  if (str_starts_with(name, STR("::")) && name.len + 4 <= sizeof(text)) {
    memcpy(text, "aten", 4);
    memcpy(text + 4, name.data, name.len);
    name = str_make(text, name.len + 4);
  }
  OpsetSet all = str_equal(name, registration->name) ? py_file_all_opsets(file, name)
                                                     : py_file_custom_opsets(file, registration->name) |
                                                           py_file_builtin_opsets(file, file->torch, name);
  for (int opset = file->range.min; opset <= file->range.max; opset++) {
    if (own & opset_set_of(opset_set_dispatch(all, opset)))
      return true;
  }
  return false;
}

/// The opsets at which torch's own function of this registration is the one that is chosen.
static OpsetSet active_range(const PyFile *file, const PyRegistration *registration, int opset)
{
  OpsetSet registered = py_file_builtin_opsets(file, file->torch, registration->name) | opset_set_of(opset);
  int end = opset + 1;
  while (end <= file->range.max && !opset_set_has(registered, end))
    end++;
  return opset_set_range(opset, end - 1);
}

/// The opsets of one registration of a function that is not torch's own: that of the export; else, where nobody tells,
/// every one that chooses the function. 9 and less is how people write "always"; somebody who writes 13 means it.
static PyOpsets custom_range(const PyFile *file, const PyRegistration *registration)
{
  OpsetSet own = py_file_registration_opsets(file->model, registration);
  OpsetSet all = py_file_all_opsets(file, registration->name);
  if (file->export_opset > 0)
    return (PyOpsets){ .set = own & opset_set_of(opset_set_dispatch(all, file->export_opset))
                                  ? opset_set_of(file->export_opset)
                                  : own,
                       .is_known = true };
  PyOpsets opsets = { .named = own & opset_set_range(ALWAYS_OPSET + 1, OPSET_LIMIT) };
  int last = 0;
  for (int opset = file->range.min; opset <= file->range.max; opset++) {
    int chosen = opset_set_dispatch(all, opset);
    if (!opset_set_has(own, chosen))
      continue;
    opsets.set |= opset_set_of(opset);
    opsets.starts |= chosen == last ? 0 : opset_set_of(opset);
    last = chosen;
  }
  return opsets.set ? opsets : (PyOpsets){ .set = own, .is_known = true };
}

/// What the registrations of a function say; false if there are none, or one is not understood.
static bool read_registrations(const PyFile *file, uint32_t function, PyOpsets *ret_opsets)
{
  const PyModel *model = file->model;
  bool is_found = false;
  *ret_opsets = (PyOpsets){ .is_known = true };
  for (PY_EACH_REGISTRATION(model, registration, function)) {
    if (!registration->opset_known || !registration->name_known)
      return false;
    if (registration->kind == PY_REG_FILE && !py_file_torch_operator(file, registration->name))
      continue;  // A helper that other names stand for.
    is_found = true;
    if (!model->is_builtin) {
      PyOpsets one = custom_range(file, registration);
      // Of two names at one opset the other may be the one that is used.
      ret_opsets->starts = ret_opsets->set & one.set ? 0 : ret_opsets->starts | one.starts;
      ret_opsets->set |= one.set;
      ret_opsets->named |= one.named;
      ret_opsets->is_known &= one.is_known;
      continue;
    }
    for (uint32_t n = 0; n < registration->opset_count; n++)
      ret_opsets->set |= active_range(file, registration, model->opsets.items[registration->first_opset + n]);
  }
  return is_found;
}

/// What is asked of a function for each of its operators.
struct PyRegistered {
  bool is_known;
  PyOpsets opsets;
};

void python_find_registered(PyFile *file)
{
  const PyModel *model = file->model;
  file->registered = xcalloc(model->functions.count + 1, sizeof(*file->registered));
  for (uint32_t i = 0; i < model->functions.count; i++) {
    struct PyRegistered *function = &file->registered[i];
    if (model->functions.items[i].roles & PY_ROLE_REGISTERED)
      function->is_known = read_registrations(file, i, &function->opsets);
  }
}

static bool opsets_of_function(const PyFile *file, uint32_t function, PyOpsets *ret_opsets)
{
  *ret_opsets = file->registered[function].opsets;
  return file->registered[function].is_known;
}

/// The opsets at which registered functions of this file call a helper, by way of other helpers, too; false if somebody
/// else may call it, or that is not known.
static bool opsets_of_callers(const PyFile *file, uint32_t function, int depth, OpsetSet *ret_set)
{
  const PyModel *model = file->model;
  uint32_t call = model->functions.items[function].first_call;
  bool is_known = call != PY_ABSENT;
  *ret_set = 0;
  for (int count = 0; call != PY_ABSENT && is_known; call = model->calls.items[call].next, count++) {
    bool is_unsure = false;
    uint32_t caller = model->calls.items[call].scope;
    OpsetSet guard = py_file_opset_guard(file, model->calls.items[call].node, &is_unsure);
    OpsetSet set = 0;
    PyOpsets opsets = { 0 };
    if (caller == PY_ABSENT || count == PY_CALLER_LIMIT || is_unsure)
      return false;
    if (opsets_of_function(file, caller, &opsets))
      set = opsets.set;
    else
      is_known = depth > 0 && opsets_of_callers(file, caller, depth - 1, &set);
    *ret_set |= set & guard;
  }
  return is_known;
}

/// Of a helper: the export's opset, if it is given and its callers are called there, else what its callers have.
static PyOpsets opsets_of_helper(const PyFile *file, PyRef node)
{
  const PyModel *model = file->model;
  uint32_t function = py_model_scope_of(model, node);
  OpsetSet called = 0;
  bool is_called = function != PY_ABSENT && opsets_of_callers(file, function, 2, &called) && called != 0;
  PyOpsets opsets = { .set = opset_set_of(file->export_opset), .is_known = true };
  int least = function == PY_ABSENT ? 0 : model->functions.items[function].least_opset;
  if (least > file->export_opset)
    return (PyOpsets){ .set = opset_set_range(least, OPSET_LIMIT) };
  if (!is_called || opset_set_has(called, file->export_opset))
    return opsets;
  return (PyOpsets){ .set = called };
}

PyOpsets py_file_opsets_of(const PyFile *file, PyRef node)
{
  const PyModel *model = file->model;
  bool is_unsure = false;
  OpsetSet guard = py_file_opset_guard(file, node, &is_unsure);
  PyOpsets opsets = { 0 };
  bool is_registered = false;
  // A lambda or a nested function runs at the opsets of the registered function around it.
  for (uint32_t function = py_model_scope_of(model, node); function != PY_ABSENT && !is_registered;
       function = model->functions.items[function].parent) {
    is_registered = opsets_of_function(file, function, &opsets);
    if (!is_registered && model->functions.items[function].parent != PY_ABSENT)
      guard &= py_file_opset_guard(file, model->functions.items[function].node, &is_unsure);
  }
  bool is_of_torch = model->is_builtin || model->least_opset > model->file_opset;
  int min = is_of_torch && model->least_opset > file->range.min ? model->least_opset : file->range.min;
  if (!is_registered && file->export_opset > 0 && !is_of_torch)
    opsets = opsets_of_helper(file, node);
  if ((!is_registered && opsets.set == 0) || (is_unsure && opsets.is_known))
    opsets = (PyOpsets){ .set = opset_set_range(min, file->range.max) };
  opsets.set &= guard;
  return opsets;
}

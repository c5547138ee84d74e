// The opset in force: which registered function an export chooses, and at which opsets a piece of code runs.

#include "analysis/python_private.h"

#include <stdlib.h>

static uint64_t bit(int opset)
{
  return opset >= 0 && opset <= SYMBOLICS_OPSET_LIMIT ? UINT64_C(1) << opset : 0;
}

static uint64_t bits(int min, int max)
{
  uint64_t set = 0;
  for (int opset = min; opset <= max; opset++)
    set |= bit(opset);
  return set;
}

int py_opsets_first(uint64_t set)
{
  for (int opset = 0; opset <= SYMBOLICS_OPSET_LIMIT; opset++) {
    if (set & bit(opset))
      return opset;
  }
  return 0;
}

uint64_t py_builtin_opsets(const PyFile *file, uint32_t torch, Str name)
{
  return symbolics_support_marks(file->db, torch, SYMBOLICS_TORCHSCRIPT, name).registered;
}

// Opsets from 9 on take the nearest function below; 7 and 8 look upwards, up to 9.
int py_dispatch(uint64_t registered, int opset)
{
  if (opset >= 9) {
    for (int at = opset; at >= 1; at--) {
      if (registered & bit(at))
        return at;
    }
    return 0;
  }
  for (int at = opset; at <= 9; at++) {
    if (registered & bit(at))
      return at;
  }
  return 0;
}

static uint64_t registration_opsets(const PyModel *model, const PyRegistration *registration)
{
  uint64_t set = 0;
  for (uint32_t i = 0; i < registration->opset_count; i++)
    set |= bit(model->opsets.items[registration->first_opset + i]);
  return set;
}

// --- What this file registers, by name ---

/// A name with all opsets that the file registers it for: many questions are asked of each, and there may be thousands.
struct PyCustomName {
  uint32_t hash;
  Str name;
  uint64_t opsets;
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
    if (registration->kind != PY_REG_UNREGISTER && registration->name_known)
      items[count++] = (struct PyCustomName){ str_hash(registration->name), registration->name,
                                              registration_opsets(model, registration) };
  }
  if (count > 1)
    qsort(items, count, sizeof(*items), compare_custom_items);
  size_t kept = 0;
  for (size_t i = 0; i < count; i++) {
    if (kept > 0 && compare_customs(&items[i], &items[kept - 1]) == 0)
      items[kept - 1].opsets |= items[i].opsets;
    else
      items[kept++] = items[i];
  }
  file->customs = items;
  file->custom_count = kept;
}

uint64_t py_custom_opsets(const PyFile *file, Str name)
{
  const struct PyCustomName key = { .hash = str_hash(name), .name = name };
  size_t low = 0;
  size_t high = file->custom_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (compare_customs(&file->customs[middle], &key) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  bool is_found = low < file->custom_count && compare_customs(&file->customs[low], &key) == 0;
  return is_found ? file->customs[low].opsets : 0;
}

// --- Which function is chosen ---

bool py_is_ever_chosen(const PyFile *file, const PyRegistration *registration)
{
  uint64_t own = registration_opsets(file->model, registration);
  if (!registration->opset_known || !registration->name_known || own == 0)
    return true;
  char text[256];
  Str name = registration->name;
  if (str_starts_with(name, STR("::")) && name.len + 4 <= sizeof(text)) {
    memcpy(text, "aten", 4);
    memcpy(text + 4, name.data, name.len);
    name = str_make(text, name.len + 4);
  }
  uint64_t all = py_custom_opsets(file, registration->name) | py_builtin_opsets(file, file->torch, name);
  for (int opset = file->range.min; opset <= file->range.max; opset++) {
    if (own & bit(py_dispatch(all, opset)))
      return true;
  }
  return false;
}

/// The opsets at which torch's own function of this registration is the one that is chosen.
static uint64_t active_range(const PyFile *file, const PyRegistration *registration, int opset)
{
  uint64_t registered = py_builtin_opsets(file, file->torch, registration->name) | bit(opset);
  int end = opset + 1;
  while (end <= file->range.max && (registered & bit(end)) == 0)
    end++;
  return bits(opset, end - 1);
}

/// The opsets of one registration of a function that is not torch's own.
static uint64_t custom_range(const PyFile *file, const PyRegistration *registration)
{
  uint64_t own = registration_opsets(file->model, registration);
  if (file->export_opset == 0)
    return own;
  uint64_t all = py_custom_opsets(file, registration->name) | py_builtin_opsets(file, file->torch, registration->name);
  int chosen = py_dispatch(all, file->export_opset);
  return own & bit(chosen) ? bit(file->export_opset) : own;
}

/// What the registrations of a function say; false if there are none, or one is not understood.
static bool opsets_of_function(const PyFile *file, uint32_t function, uint64_t *ret_set)
{
  const PyModel *model = file->model;
  bool is_known = false;
  *ret_set = 0;
  for (PY_EACH_REGISTRATION(model, registration, function)) {
    if (!registration->opset_known || !registration->name_known)
      return false;
    is_known = true;
    if (!model->is_builtin) {
      *ret_set |= custom_range(file, registration);
      continue;
    }
    for (uint32_t n = 0; n < registration->opset_count; n++)
      *ret_set |= active_range(file, registration, model->opsets.items[registration->first_opset + n]);
  }
  return is_known;
}

PyOpsets py_opsets_of(const PyFile *file, PyRef node)
{
  const PyModel *model = file->model;
  uint64_t guard = py_opset_guard(model, node);
  // A lambda or a nested function runs at the opsets of the registered function around it.
  for (uint32_t function = py_scope_of(model, node); function != PY_ABSENT;
       function = model->functions.items[function].parent) {
    uint64_t set;
    if ((model->functions.items[function].roles & PY_ROLE_REGISTERED) && opsets_of_function(file, function, &set))
      return (PyOpsets){ set & guard, true };
    if (model->functions.items[function].parent != PY_ABSENT)
      guard &= py_opset_guard(model, model->functions.items[function].node);
  }
  if (file->export_opset > 0 && !model->is_builtin)
    return (PyOpsets){ bit(file->export_opset) & guard, true };
  int min = model->is_builtin && model->file_opset > file->range.min ? model->file_opset : file->range.min;
  return (PyOpsets){ bits(min, file->range.max) & guard, false };
}

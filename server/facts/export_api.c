// Look-ups in the Python tables of all layers; the newest layer that has a name is believed.

#include "facts/export_api.h"

#include <stdlib.h>

#include "base/ascii.h"
#include "base/vec.h"
#include "facts/export_api_internal.h"

static const void *find_in(const NamedList *list, Str name)
{
  if (list->count == 0)
    return NULL;
  const uint32_t *slots = &list->slots[str_hash(name) & list->mask];
  for (uint32_t i = 0; i < NAME_PROBES; i++) {
    if (slots[i] == 0)
      return NULL;
    const void *item = (const char *)list->items + list->size * (slots[i] - 1);
    if (str_equal(*(const Str *)item, name))
      return item;
  }
  return bsearch(&name, list->items, list->count, list->size, str_compare_items);
}

/// From the newest layer that has it, down to layer `lowest`.
static const void *find_above(const SymbolicsDb *db, enum PythonList list, Str name, uint32_t lowest)
{
  const void *found = NULL;
  for (uint32_t i = db->layer_count; i-- > lowest && !found;)
    found = find_in(&export_api_table(db, i)->lists[list], name);
  return found;
}

static const void *find(const SymbolicsDb *db, enum PythonList list, Str name)
{
  return find_above(db, list, name, 0);
}

/// The next item of any layer that no newer layer hides; NULL at the end. Begin with a zeroed cursor.
typedef struct Walk {
  uint32_t layer;
  size_t next;
} Walk;

static const void *walk_next(const SymbolicsDb *db, enum PythonList list, Walk *walk)
{
  for (; walk->layer < db->layer_count; walk->layer++, walk->next = 0) {
    const NamedList *items = &export_api_table(db, walk->layer)->lists[list];
    while (walk->next < items->count) {
      const void *item = (const char *)items->items + items->size * walk->next++;
      if (!find_above(db, list, *(const Str *)item, walk->layer + 1))
        return item;
    }
  }
  return NULL;
}

bool export_api_parse_release(Str text, TorchRelease *ret_release)
{
  text = str_trim(text);
  uint64_t numbers[2];
  for (size_t i = 0; i < 2; i++) {
    size_t len = ascii_digits_end(text, 0);
    if (!str_to_uint(str_slice(text, 0, len), UINT16_MAX, &numbers[i]))
      return false;
    if (i == 0 && (len == text.len || text.data[len] != '.'))
      return false;
    text = str_slice(text, len + 1, text.len);
  }
  *ret_release = (TorchRelease){ (uint16_t)numbers[0], (uint16_t)numbers[1] };
  return true;
}

TorchRelease export_api_torch_release(const SymbolicsDb *db, uint32_t torch)
{
  if (torch >= db->version_count)
    return (TorchRelease){ 0 };
  return (TorchRelease){ (uint16_t)db->versions[torch]->major, (uint16_t)db->versions[torch]->minor };
}

// Functions.

const PyHelper *export_api_helper(const SymbolicsDb *db, Str name)
{
  return find(db, PYTHON_HELPERS, name);
}

const PySignature *export_api_helper_signature(const PyHelper *helper, uint32_t torch)
{
  for (uint32_t i = 0; i < helper->signature_count && torch < SYMBOLICS_TORCH_LIMIT; i++) {
    if (helper->signatures[i].torch_versions >> torch & 1)
      return &helper->signatures[i];
  }
  return NULL;
}

static bool is_of_module(Str name, Str module)
{
  return module.len > 0
             ? str_starts_with(name, module) && str_starts_with(str_slice(name, module.len, name.len), STR("."))
             : str_find_char(name, '.', 0) == STR_NOT_FOUND;
}

void export_api_each_helper(const SymbolicsDb *db, Str module, bool (*visit)(const PyHelper *helper, void *context),
                            void *context)
{
  Walk walk = { 0 };
  const PyHelper *helper;
  while ((helper = walk_next(db, PYTHON_HELPERS, &walk)) &&
         (!is_of_module(helper->name, module) || visit(helper, context)))
    continue;
}

// Letters and suffixes.

const PyDescriptor *export_api_descriptor(const SymbolicsDb *db, Str letter)
{
  return find(db, PYTHON_DESCRIPTORS, letter);
}

void export_api_each_descriptor(const SymbolicsDb *db, bool (*visit)(const PyDescriptor *descriptor, void *context),
                                void *context)
{
  Walk walk = { 0 };
  const PyDescriptor *descriptor;
  while ((descriptor = walk_next(db, PYTHON_DESCRIPTORS, &walk)) && visit(descriptor, context))
    continue;
}

const PySuffix *export_api_suffix(const SymbolicsDb *db, uint32_t torch, Str suffix)
{
  return symbolics_is_suffix(db, torch, suffix) ? find(db, PYTHON_SUFFIXES, suffix) : NULL;
}

// Names.

const PyApi *export_api_name(const SymbolicsDb *db, Str qualified_name)
{
  for (Str name = qualified_name; name.len > 0;) {
    const PyApi *api = find(db, PYTHON_API, name);
    if (api)
      return api;
    size_t dot = str_rfind_char(name, '.');
    name = str_slice(name, 0, dot == STR_NOT_FOUND ? 0 : dot);
  }
  return NULL;
}

PyApiStatus export_api_status(const PyApi *api, TorchRelease release)
{
  if (torch_release_is_set(api->added) && !torch_release_reached(release, api->added))
    return PY_API_NOT_YET;
  if (torch_release_reached(release, api->removed))
    return api->is_moved ? PY_API_MOVED : PY_API_REMOVED;
  if (torch_release_reached(release, api->deprecated))
    return PY_API_DEPRECATED;
  return api->is_private ? PY_API_PRIVATE : PY_API_FINE;
}

Str export_api_replacement(const PyApi *api, Str qualified_name, Arena *arena)
{
  bool is_inside = qualified_name.len > api->name.len && str_starts_with(qualified_name, api->name);
  if (!is_inside)
    return api->replacement;
  if (!api->is_moved)
    return (Str){ 0 };  // What replaces a module as a whole says nothing of the one name.
  Str rest = str_slice(qualified_name, api->name.len, qualified_name.len);
  return arena_printf(arena, "%.*s%.*s", STR_ARG(api->replacement), STR_ARG(rest));
}

void export_api_each_name(const SymbolicsDb *db, bool (*visit)(const PyApi *api, void *context), void *context)
{
  Walk walk = { 0 };
  const PyApi *api;
  while ((api = walk_next(db, PYTHON_API, &walk)) && visit(api, context))
    continue;
}

// torch.onnx.export().

// What is in modules and classes.

const PyApiMember *export_api_member(const SymbolicsDb *db, Str qualified_name)
{
  return find(db, PYTHON_MEMBERS, qualified_name);
}

bool export_api_each_member(const SymbolicsDb *db, Str module, bool (*visit)(const PyApiMember *member, void *context),
                            void *context)
{
  Walk walk = { 0 };
  const PyApiMember *member;
  bool has_any = false;
  while ((member = walk_next(db, PYTHON_MEMBERS, &walk)) != NULL) {
    size_t dot = str_rfind_char(member->name, '.');
    if (!str_equal(str_slice(member->name, 0, dot), module))
      continue;
    has_any = true;
    if (!visit || !visit(member, context))
      break;
  }
  return has_any;
}

typedef struct MemberNames {
  Arena *arena;
  Vec(const char *) names;
} MemberNames;

static bool add_name(const PyApiMember *member, void *context)
{
  MemberNames *list = context;
  size_t start = str_rfind_char(member->name, '.') + 1;
  vec_push(&list->names, arena_copy(list->arena, str_slice(member->name, start, member->name.len)).data);
  return true;
}

const char **export_api_member_names(const SymbolicsDb *db, Str module, Arena *arena, size_t *ret_count)
{
  MemberNames list = { .arena = arena };
  export_api_each_member(db, module, add_name, &list);
  const char **names = vec_copy(&list.names, arena);
  *ret_count = list.names.count;
  vec_free(&list.names);
  return names;
}

const PyExportArgument *export_api_argument(const SymbolicsDb *db, Str name)
{
  return find(db, PYTHON_ARGUMENTS, name);
}

const PyExportForm *export_api_form(const PyExportArgument *argument, uint32_t torch)
{
  for (uint32_t i = 0; i < argument->form_count && torch < SYMBOLICS_TORCH_LIMIT; i++) {
    if (argument->forms[i].torch_versions >> torch & 1)
      return &argument->forms[i];
  }
  return NULL;
}

void export_api_each_argument(const SymbolicsDb *db, bool (*visit)(const PyExportArgument *argument, void *context),
                              void *context)
{
  Walk walk = { 0 };
  const PyExportArgument *argument;
  while ((argument = walk_next(db, PYTHON_ARGUMENTS, &walk)) && visit(argument, context))
    continue;
}

/// The newest torch version that is not newer than `release`, or the oldest.
static uint32_t version_of(const SymbolicsDb *db, TorchRelease release)
{
  uint32_t best = 0;
  for (uint32_t i = 0; i < db->version_count; i++) {
    if (torch_release_reached(release, export_api_torch_release(db, i)))
      best = i;
  }
  return best;
}

Str export_api_default(const SymbolicsDb *db, const PyExportArgument *argument, TorchRelease release)
{
  for (uint32_t i = argument->default_count; i-- > 0;) {
    if (torch_release_reached(release, argument->defaults[i].since))
      return argument->defaults[i].text;
  }
  const PyExportForm *form = export_api_form(argument, version_of(db, release));
  return form ? form->default_text : (Str){ 0 };
}

bool export_api_ignores_unknown(const SymbolicsDb *db, uint32_t torch)
{
  Walk walk = { 0 };
  const PyExportArgument *argument;
  while ((argument = walk_next(db, PYTHON_ARGUMENTS, &walk))) {
    const PyExportForm *form = export_api_form(argument, torch);
    if (form && form->position == PY_REST)
      return true;
  }
  return false;
}

bool export_api_is_dynamo(const SymbolicsDb *db, TorchRelease release)
{
  const PyExportArgument *argument = export_api_argument(db, STR("dynamo"));
  return argument && torch_release_reached(release, argument->added) &&
         str_equal(export_api_default(db, argument, release), STR("True"));
}

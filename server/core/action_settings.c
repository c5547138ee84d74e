// Changes of `.onnxls.json` that keep everything else in it as it is: a value is replaced where it is, a new member
// goes before the first one.

#include "base/ascii.h"
#include "base/buffer.h"
#include "core/action_job.h"

/// A place in a JSON text. The text is only walked, not checked: what has no members can't be changed.
typedef struct Walk {
  Str text;
  size_t at;
} Walk;

static bool at_end(const Walk *walk)
{
  return walk->at >= walk->text.len;
}

static char here(const Walk *walk)
{
  return at_end(walk) ? '\0' : walk->text.data[walk->at];
}

static void skip_space(Walk *walk)
{
  while (!at_end(walk) && ascii_is_space(here(walk)))
    walk->at++;
}

static bool take(Walk *walk, char c)
{
  skip_space(walk);
  if (here(walk) != c)
    return false;
  walk->at++;
  return true;
}

static bool skip_string(Walk *walk)
{
  skip_space(walk);
  size_t end = here(walk) == '"' ? ascii_literal_end(walk->text, walk->at) : STR_NOT_FOUND;
  if (end == STR_NOT_FOUND)
    return false;
  walk->at = end;
  return true;
}

/// Any value, with its brackets closed.
static bool skip_value(Walk *walk)
{
  size_t depth = 0;
  skip_space(walk);
  size_t start = walk->at;
  while (!at_end(walk)) {
    char c = here(walk);
    if (c == '"') {
      if (!skip_string(walk))
        return false;
      continue;
    }
    if (depth == 0 && (c == ',' || c == '}' || c == ']' || ascii_is_space(c)))
      break;
    depth += c == '{' || c == '[';
    depth -= c == '}' || c == ']';
    walk->at++;
  }
  return depth == 0 && walk->at > start;
}

typedef struct Member {
  Range name;  ///< With its quotes.
  Range value;
} Member;

static bool take_member(Walk *walk, Member *ret_member)
{
  skip_space(walk);
  ret_member->name.start = walk->at;
  if (!skip_string(walk))
    return false;
  ret_member->name.end = walk->at;
  if (!take(walk, ':'))
    return false;
  skip_space(walk);
  ret_member->value.start = walk->at;
  bool is_good = skip_value(walk);
  ret_member->value.end = walk->at;
  return is_good;
}

/// The last member of that name, as JSON readers take it. False if the text is not an object to the end.
static bool find_member(Str text, const char *name, bool *ret_found, Member *ret_member, Member *ret_first)
{
  Walk walk = { text, 0 };
  size_t count = 0;
  *ret_found = false;
  if (!take(&walk, '{'))
    return false;
  for (bool goes_on = !take(&walk, '}'); goes_on; count++) {
    Member member;
    if (!take_member(&walk, &member))
      return false;
    if (count == 0)
      *ret_first = member;
    if (str_equal(str_slice(text, member.name.start + 1, member.name.end - 1), str_from(name))) {
      *ret_member = member;
      *ret_found = true;
    }
    if (!take(&walk, ',')) {
      goes_on = false;
      if (!take(&walk, '}'))
        return false;
    }
  }
  if (count == 0)
    *ret_first = (Member){ { walk.at - 1, walk.at - 1 }, { 0, 0 } };
  skip_space(&walk);
  return at_end(&walk);
}

/// What is between the brace and the first member: white space, which new members get as well.
static Str lead_of(Str text, size_t first)
{
  size_t start = first;
  while (start > 0 && ascii_is_space(text.data[start - 1]))
    start--;
  return str_slice(text, start, first);
}

/// New members, before the first one or into an empty object.
static TextEdit insert_members(Str text, const Member *first, const SettingChange *settings, size_t count, Arena *arena)
{
  bool is_empty = first->name.end == first->name.start;
  Str lead = is_empty ? STR("\n  ") : lead_of(text, first->name.start);
  Buffer out = { 0 };
  for (size_t i = 0; i < count; i++) {
    if (is_empty)
      buffer_append(&out, lead);
    buffer_printf(&out, "\"%s\": %.*s", settings[i].name, STR_ARG(settings[i].value));
    if (!is_empty || i + 1 < count)
      buffer_append_char(&out, ',');
    if (!is_empty)
      buffer_append(&out, lead.len > 0 ? lead : STR(" "));
  }
  if (is_empty)
    buffer_append_char(&out, '\n');
  size_t start = is_empty ? first->name.start - lead_of(text, first->name.start).len : first->name.start;
  TextEdit edit = { { start, first->name.start }, arena_copy(arena, buffer_str(&out)) };
  buffer_done(&out);
  return edit;
}

bool action_settings_edit_json(Str text, const SettingChange *settings, size_t count, Arena *arena,
                               const TextEdit **ret_edits, size_t *ret_count)
{
  TextEdit *edits = ARENA_ARRAY(arena, TextEdit, count + 1);
  SettingChange *added = ARENA_ARRAY(arena, SettingChange, count);
  size_t edit_count = 1;  // The first is that of new members, which comes before all others.
  size_t added_count = 0;
  Member first = { 0 };
  for (size_t i = 0; i < count; i++) {
    bool found;
    Member member;
    if (!find_member(text, settings[i].name, &found, &member, &first))
      return false;
    if (!found) {
      added[added_count++] = settings[i];
      continue;
    }
    size_t at = edit_count++;
    for (; at > 1 && edits[at - 1].range.start > member.value.start; at--)
      edits[at] = edits[at - 1];
    edits[at] = (TextEdit){ member.value, settings[i].value };
  }
  if (added_count > 0)
    edits[0] = insert_members(text, &first, added, added_count, arena);
  *ret_edits = added_count > 0 ? edits : edits + 1;
  *ret_count = added_count > 0 ? edit_count : edit_count - 1;
  return *ret_count > 0;
}

static Str new_file(const SettingChange *settings, size_t count, Arena *arena)
{
  Buffer out = { 0 };
  buffer_append(&out, STR("{"));
  for (size_t i = 0; i < count; i++)
    buffer_printf(&out, "%s\n  \"%s\": %.*s", i > 0 ? "," : "", settings[i].name, STR_ARG(settings[i].value));
  buffer_append(&out, STR("\n}\n"));
  Str text = arena_copy(arena, buffer_str(&out));
  buffer_done(&out);
  return text;
}

bool action_settings_change(const ActionJob *job, const SettingChange *settings, size_t count, FileChange *ret_change)
{
  const ActionWorld *world = job->world;
  Arena *arena = job->context->arena;
  if (world->settings_path.len == 0 || !world->read_file)
    return false;
  FileChange change = { .path = world->settings_path };
  if (world->read_file(world->settings_path, arena, world->read_file_context, &change.text)) {
    if (!action_settings_edit_json(change.text, settings, count, arena, &change.edits, &change.edit_count))
      return false;
  } else if (job->context->file_exists &&
             job->context->file_exists(world->settings_path, job->context->file_exists_context)) {
    return false;  // It is there and can't be read.
  } else {
    TextEdit *edit = ARENA_NEW(arena, TextEdit);
    edit->text = new_file(settings, count, arena);
    change.is_new = true;
    change.edits = edit;
    change.edit_count = 1;
  }
  *ret_change = change;
  return true;
}

#include "host/settings.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "base/vec.h"
#include "core/diagnostics.h"
#include "facts/runtime.h"
#include "host/read_file.h"
#include "host/requirements.h"
#include "text/path.h"

enum { TEXT_SHOWN = 60 };

/// One run of settings_apply().
typedef struct Reader {
  Settings *settings;
  const SettingsSource *source;
  Buffer *problems;
} Reader;

void settings_init(Settings *settings)
{
  *settings = (Settings){ .exporter = EXPORTER_TORCHSCRIPT, .max_diagnostics = SETTINGS_MAX_DIAGNOSTICS };
  memset(settings->severities, SEVERITY_DEFAULT, sizeof(settings->severities));
}

Settings settings_share(const Settings *settings)
{
  Settings copy = *settings;
  copy.arena = (Arena){ 0 };
  return copy;
}

void settings_done(Settings *settings)
{
  if (!settings)
    return;
  arena_done(&settings->arena);
  *settings = (Settings){ 0 };
}

/// "opset" in .onnxls.json is "x", but must be...
static void complain(Reader *reader, const char *setting, const Value *value, const char *allowed)
{
  char *shown = value_dump(value);
  bool is_long = shown && strlen(shown) > TEXT_SHOWN;
  buffer_printf(reader->problems, "\"%s\" in %s is %s; it must be %s\n", setting, reader->source->name,
                is_long || !shown ? value_kind_name(value) : shown, allowed);
  free(shown);
}

void settings_set_torch(Settings *settings, Str torch, const char *origin)
{
  settings->torch = arena_copy(&settings->arena, torch);
  settings->torch_origin = arena_copy(&settings->arena, str_from(origin));
}

/// Where a package is pinned: "requirements.txt" of the root itself, "sub/requirements.txt" of a folder in it.
static bool find_pin(Settings *settings, Str root, Str folder, Str package, Str *ret_version, Str *ret_origin)
{
  if (!requirements_find(folder, package, &settings->arena, ret_version, ret_origin))
    return false;
  Str inner = str_slice(folder, root.len < folder.len ? root.len + 1 : folder.len, folder.len);
  *ret_origin = path_join(inner, *ret_origin, &settings->arena);
  return true;
}

static bool find_torch(Settings *settings, Str root, Str folder)
{
  return settings->torch.len == 0 &&
         find_pin(settings, root, folder, STR("torch"), &settings->torch, &settings->torch_origin);
}

/// A release that the facts don't know says nothing; nobody has asked for it.
static bool find_runtime(Settings *settings, Str root, Str folder)
{
  Str package = STR("onnxruntime");
  Str version;
  Str origin;
  RuntimeChoice choice;
  if (settings->runtime_origin.len > 0 || !find_pin(settings, root, folder, package, &version, &origin))
    return false;
  Str runtime = arena_printf(&settings->arena, "%.*s %.*s", STR_ARG(package), STR_ARG(version));
  if (!symbolics_resolve_runtime(symbolics_embedded(), runtime, &choice))
    return false;
  settings->runtime = runtime;
  settings->runtime_origin = origin;
  return true;
}

static bool find_onnxscript(Settings *settings, Str root, Str folder)
{
  return settings->onnxscript.len == 0 &&
         find_pin(settings, root, folder, STR("onnxscript"), &settings->onnxscript, &settings->onnxscript_origin);
}

bool settings_find_pins(Settings *settings, Str root, Str folder)
{
  if (!requirements_may_pin(folder))
    return false;
  bool has_torch = find_torch(settings, root, folder);
  bool has_onnxscript = find_onnxscript(settings, root, folder);
  return find_runtime(settings, root, folder) || has_onnxscript || has_torch;
}

void settings_find_versions(Settings *settings, Str root, Str folder)
{
  bool is_asked = settings->torch.len > 0;
  for (Str at = folder; at.len >= root.len && at.len > 0; at = path_parent(at)) {
    settings_find_pins(settings, root, at);
    if (settings->torch.len > 0 && !is_asked)
      return;
  }
}

void settings_set_opset(Settings *settings, int opset, const char *origin)
{
  settings->opset = opset;
  settings->opset_origin = arena_copy(&settings->arena, str_from(origin));
}

void settings_set_runtime(Settings *settings, Str runtime, const char *origin)
{
  settings->runtime = arena_copy(&settings->arena, runtime);
  settings->runtime_origin = arena_copy(&settings->arena, str_from(origin));
}

static void read_torch(Reader *reader, const char *name, const Value *value)
{
  Str torch;
  TorchChoice choice;
  if (value_to_str(value, &torch) && symbolics_resolve_torch(symbolics_embedded(), torch, &choice))
    settings_set_torch(reader->settings, torch, reader->source->name);
  else
    complain(reader, name, value, "a version such as \"2.6\", or \"auto\"");
}

static void read_exporter(Reader *reader, const char *name, const Value *value)
{
  Str exporter = { 0 };
  value_to_str(value, &exporter);
  for (int i = 0; i < EXPORTER_COUNT; i++) {
    if (str_equal(exporter, str_from(exporter_names[i]))) {
      reader->settings->exporter = (Exporter)i;
      reader->settings->exporter_origin = arena_copy(&reader->settings->arena, str_from(reader->source->name));
      return;
    }
  }
  complain(reader, name, value, "\"torchscript\" or \"dynamo\"");
}

// Which opsets there are depends on torch and the exporter, which may come later: settings_target() looks at that.
static void read_opset(Reader *reader, const char *name, const Value *value)
{
  int64_t opset;
  if (value_to_int(value, &opset) && opset >= 1 && opset <= OPSET_LIMIT)
    settings_set_opset(reader->settings, (int)opset, reader->source->name);
  else
    complain(reader, name, value, "the number of an ONNX opset, such as 17");
}

static void read_runtime(Reader *reader, const char *name, const Value *value)
{
  Str runtime;
  RuntimeChoice choice;
  if (value_to_str(value, &runtime) &&
      (runtime.len == 0 || symbolics_resolve_runtime(symbolics_embedded(), runtime, &choice)))
    settings_set_runtime(reader->settings, runtime, reader->source->name);
  else
    complain(reader, name, value, "a runtime such as \"onnxruntime 1.21\"");
}

static void read_max_diagnostics(Reader *reader, const char *name, const Value *value)
{
  int64_t most;
  if (value_to_int(value, &most) && most >= 0 && most <= UINT32_MAX)
    reader->settings->max_diagnostics = (uint32_t)most;
  else
    complain(reader, name, value, "a number, where 0 means no limit");
}

static void read_group(Reader *reader, const char *name, const Value *value)
{
  if (!value_to_bool(value, &reader->settings->groups))
    complain(reader, name, value, "true or false");
}

static void complain_about_rule(Reader *reader, Str rule)
{
  RuleId near = rule_nearest(rule);
  buffer_printf(reader->problems, "\"rules\" in %s names \"%.*s\", which is not a rule; ", reader->source->name,
                STR_ARG(str_slice(rule, 0, TEXT_SHOWN)));
  if (near != RULE_COUNT)
    buffer_printf(reader->problems, "did you mean \"%s\"?\n", rule_info(near)->name);
  else
    buffer_append(reader->problems, STR("onnxls rules lists them\n"));
}

static void read_rule(Str rule, const Value *value, void *context)
{
  Reader *reader = context;
  RuleId id = rule_find(rule);
  if (id == RULE_COUNT) {
    complain_about_rule(reader, rule);
    return;
  }
  Str wanted = { 0 };
  value_to_str(value, &wanted);
  for (uint8_t i = 0; i < SEVERITY_COUNT; i++) {
    if (str_equal(wanted, str_from(severity_names[i]))) {
      reader->settings->severities[id] = i;
      return;
    }
  }
  char setting[80];
  snprintf(setting, sizeof(setting), "rules.%s", rule_info(id)->name);
  complain(reader, setting, value, "\"error\", \"warning\", \"info\", \"hint\" or \"off\"");
}

static void read_rules(Reader *reader, const char *name, const Value *value)
{
  if (value_kind(value) == VALUE_OBJECT)
    value_each(value, read_rule, reader);
  else
    complain(reader, name, value, "an object from rule names to severities");
}

static Str absolute(const Reader *reader, Str path)
{
  return path_join(reader->source->folder, path, &reader->settings->arena);
}

static void read_source_roots(Reader *reader, const char *name, const Value *value)
{
  size_t count = value_count(value);
  Str *roots = ARENA_ARRAY(&reader->settings->arena, Str, count);
  bool is_good = value_kind(value) == VALUE_ARRAY;
  for (size_t i = 0; i < count && is_good; i++) {
    Str root;
    is_good = value_to_str(value_at(value, i), &root);
    if (is_good)
      roots[i] = absolute(reader, root);
  }
  if (!is_good) {
    complain(reader, name, value, "an array of folders");
    return;
  }
  reader->settings->source_roots = roots;
  reader->settings->source_root_count = count;
}

static void read_db(Reader *reader, const char *name, const Value *value)
{
  Arena *arena = &reader->settings->arena;
  bool is_list = value_kind(value) == VALUE_ARRAY;
  size_t count = is_list ? value_count(value) : 1;
  Str *paths = ARENA_ARRAY(arena, Str, count);
  for (size_t i = 0; i < count; i++) {
    Str path;
    if (!value_to_str(is_list ? value_at(value, i) : value, &path) || path.len == 0) {
      complain(reader, name, value, "a file of facts, or an array of them");
      return;
    }
    paths[i] = absolute(reader, path);
  }
  reader->settings->db_paths = paths;
  reader->settings->db_path_count = count;
}

static void read_path_mappings(Reader *reader, const char *name, const Value *value)
{
  Arena *arena = &reader->settings->arena;
  size_t count = value_count(value);
  PathMapping *mappings = ARENA_ARRAY(arena, PathMapping, count);
  bool is_good = value_kind(value) == VALUE_ARRAY;
  for (size_t i = 0; i < count && is_good; i++) {
    Str from;
    Str to;
    is_good = value_to_str(value_get(value_at(value, i), "from"), &from) &&
              value_to_str(value_get(value_at(value, i), "to"), &to);
    if (is_good)
      mappings[i] = (PathMapping){ arena_copy(arena, from), absolute(reader, to) };
  }
  if (!is_good) {
    complain(reader, name, value, "an array of {\"from\": \"/there\", \"to\": \"/here\"}");
    return;
  }
  reader->settings->path_mappings = mappings;
  reader->settings->path_mapping_count = count;
}

static const struct {
  const char *name;
  size_t hides;  ///< Where in Settings.
} hint_kinds[] = {
  // Keep alphabetized.
  { "argumentNames", offsetof(Settings, hides_argument_names) },
  { "constantValues", offsetof(Settings, hides_constant_values) },
  { "inputNames", offsetof(Settings, hides_input_names) },
  { "opset", offsetof(Settings, hides_opsets) },
};

enum { HINT_KIND_COUNT = COUNT(hint_kinds) };

static void complain_about_hint(Reader *reader, Str kind)
{
  buffer_printf(reader->problems, "\"inlayHints\" in %s names \"%.*s\", which is not a kind of hint; there are ",
                reader->source->name, STR_ARG(str_slice(kind, 0, TEXT_SHOWN)));
  for (size_t i = 0; i < HINT_KIND_COUNT; i++)
    buffer_printf(reader->problems, "%s%s", i > 0 ? ", " : "", hint_kinds[i].name);
  buffer_append_char(reader->problems, '\n');
}

static void read_inlay_hint(Str kind, const Value *value, void *context)
{
  Reader *reader = context;
  size_t i = 0;
  while (i < HINT_KIND_COUNT && !str_equal(kind, str_from(hint_kinds[i].name)))
    i++;
  if (i == HINT_KIND_COUNT) {
    complain_about_hint(reader, kind);
    return;
  }
  bool is_shown;
  char setting[80];
  snprintf(setting, sizeof(setting), "inlayHints.%s", hint_kinds[i].name);
  if (value_to_bool(value, &is_shown))
    *(bool *)((char *)reader->settings + hint_kinds[i].hides) = !is_shown;
  else
    complain(reader, setting, value, "true or false");
}

static void read_inlay_hints(Reader *reader, const char *name, const Value *value)
{
  if (value_kind(value) == VALUE_OBJECT)
    value_each(value, read_inlay_hint, reader);
  else
    complain(reader, name, value, "an object from kinds of hints to true or false");
}

static void read_cache(Reader *reader, const char *name, const Value *value)
{
  bool is_wanted;
  if (value_to_bool(value, &is_wanted))
    reader->settings->skips_cache = !is_wanted;
  else
    complain(reader, name, value, "true or false");
}

static void read_workspace_index(Reader *reader, const char *name, const Value *value)
{
  bool wants_index;
  if (value_to_bool(value, &wants_index))
    reader->settings->skips_index = !wants_index;
  else
    complain(reader, name, value, "true or false");
}

static const struct {
  const char *name;
  void (*read)(Reader *reader, const char *name, const Value *value);
} known[] = {
  // Keep alphabetized.
  { "cache", read_cache },
  { "db", read_db },
  { "exporter", read_exporter },
  { "group", read_group },
  { "inlayHints", read_inlay_hints },
  { "maxDiagnostics", read_max_diagnostics },
  { "opset", read_opset },
  { "pathMappings", read_path_mappings },
  { "rules", read_rules },
  { "runtime", read_runtime },
  { "sourceRoots", read_source_roots },
  { "torch", read_torch },
  { "workspaceIndex", read_workspace_index },
};

enum { KNOWN_COUNT = COUNT(known) };

static void complain_about_name(Reader *reader, Str name)
{
  buffer_printf(reader->problems, "\"%.*s\" in %s is not a setting; there are ",
                STR_ARG(str_slice(name, 0, TEXT_SHOWN)), reader->source->name);
  for (size_t i = 0; i < KNOWN_COUNT; i++)
    buffer_printf(reader->problems, "%s%s", i > 0 ? ", " : "", known[i].name);
  buffer_append_char(reader->problems, '\n');
}

static void read_setting(Str name, const Value *value, void *context)
{
  Reader *reader = context;
  if (value_kind(value) == VALUE_NULL)
    return;  // Editors send null for what nobody set.
  for (size_t i = 0; i < KNOWN_COUNT; i++) {
    if (str_equal(name, str_from(known[i].name))) {
      known[i].read(reader, known[i].name, value);
      return;
    }
  }
  if (reader->source->is_strict && !str_equal(name, STR("$schema")))
    complain_about_name(reader, name);
}

void settings_apply(Settings *settings, const Value *values, const SettingsSource *source, Buffer *problems)
{
  Reader reader = { settings, source, problems };
  ValueKind kind = value_kind(values);
  if (kind == VALUE_OBJECT) {
    value_each(values, read_setting, &reader);
  } else if (kind != VALUE_MISSING && kind != VALUE_NULL) {
    buffer_printf(problems, "%s holds %s; settings are an object\n", source->name, value_kind_name(values));
  }
}

Status settings_read_file(const char *path, Value **ret_values, Buffer *problems)
{
  Buffer text = { 0 };
  ValueError error;
  Status status = read_whole_file(path, SETTINGS_BYTE_LIMIT, &text);
  if (status == ERR_IO) {
    buffer_printf(problems, "%s can't be read: %s\n", path, strerror(errno));
  } else if (status == ERR_LIMIT) {
    buffer_printf(problems, "%s is over 1 MB, which is too large for settings\n", path);
  } else if (status == OK) {
    status = value_parse(buffer_str(&text), ret_values, &error);
    if (status != OK) {
      buffer_printf(problems, "%s is not JSON: %s (line %d, column %d)\n", path, error.text, error.line, error.column);
    }
  }
  buffer_done(&text);
  return status;
}

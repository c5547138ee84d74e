/// Settings: what `.onnxls.json`, the editor and flags may say, and the target that comes of it.
///
/// Sources are applied one after the other and later ones win. A mistake gets one sentence that names the setting,
/// where it is and what is allowed; everything else keeps working.
///
/// Ownership: strings and lists live in the settings' own arena.
/// Errors:    sentences, one a line, in a buffer of the caller's.
/// Threads:   one thread at a time.
/// Sources:   docs/settings.md.
#pragma once

#include "base/buffer.h"
#include "core/target.h"
#include "rpc/value.h"

#define SETTINGS_FILE_NAME ".onnxls.json"

enum { SETTINGS_MAX_DIAGNOSTICS = 1000 };  ///< For each document, unless somebody says otherwise.

typedef struct Settings {
  Arena arena;
  Str torch;         ///< As written; empty or "auto" for the newest.
  Str torch_origin;  ///< Who said so, for people; empty if nobody did. As the next two.
  Str exporter_origin;
  Str opset_origin;
  Str runtime;  ///< As written; empty if nobody said.
  Str runtime_origin;
  Str onnxscript;  ///< "0.7.1"; empty if nobody said.
  Str onnxscript_origin;
  Exporter exporter;
  int opset;  ///< 0 if nobody said.
  uint8_t severities[TARGET_RULE_LIMIT];
  uint32_t max_diagnostics;
  bool groups;
  bool hides_argument_names;
  bool hides_constant_values;
  bool hides_input_names;
  bool hides_opsets;
  const Str *source_roots;
  size_t source_root_count;
  const PathMapping *path_mappings;
  size_t path_mapping_count;
  const Str *db_paths;  ///< Overlays, in the order in which they lie over each other.
  size_t db_path_count;
  bool skips_cache;  ///< Nothing is kept from one run to the next.
  bool skips_index;  ///< The workspace's files are not looked at.
} Settings;

typedef struct SettingsSource {
  const char *name;  ///< For messages: ".onnxls.json".
  Str folder;        ///< Relative paths are seen from here; empty if there is no such place.
  bool is_strict;    ///< Unknown names are mistakes. An editor keeps settings of its own in the same section.
} SettingsSource;

void settings_init(Settings *settings);
/// A copy that borrows all that the other one holds; settings_done() frees what is added to it.
Settings settings_share(const Settings *settings);
void settings_done(Settings *settings);

/// `origin` says for people who wants it: "--torch", ".onnxls.json".
void settings_set_torch(Settings *settings, Str torch, const char *origin);
void settings_set_opset(Settings *settings, int opset, const char *origin);
void settings_set_runtime(Settings *settings, Str runtime, const char *origin);

/// Where nobody says the versions of torch, onnxscript and ONNX Runtime: those that the files of a folder pin, see
/// host/requirements.h; false if it pins none. Who wants it is named as seen from the root: "sub/requirements.txt".
bool settings_find_pins(Settings *settings, Str root, Str folder);
/// The same of the nearest folder on the way up to the root, up to the first that pins torch.
void settings_find_versions(Settings *settings, Str root, Str folder);

/// `values` may be NULL or null: nothing is said then.
void settings_apply(Settings *settings, const Value *values, const SettingsSource *source, Buffer *problems);
/// ERR_NOT_FOUND without a sentence if there is no such file.
MUST_USE Status settings_read_file(const char *path, Value **ret_values, Buffer *problems);
/// The facts that the settings name; NULL for those built in.
Facts *settings_facts(const Settings *settings, Buffer *problems);
/// Checks what hangs together (torch, exporter, opset) against the facts.
Target *settings_target(const Settings *settings, Buffer *problems);
/// The same with facts at hand, NULL for those built in, instead of those that the settings name.
Target *settings_target_over(const Settings *settings, const Facts *facts, Buffer *problems);

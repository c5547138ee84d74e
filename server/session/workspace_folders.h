/// Folders of the workspace and their settings: from `.onnxls.json`, from initializationOptions, from the editor.
///
/// Ownership: the session owns folders; what is lent is good until settings or folders change.
/// Errors:    a mistake in settings is said once; everything else keeps working.
/// Threads:   the loop thread; facts are read on the pool.
/// Sources:   docs/settings.md; LSP 3.17 "Workspace Folders", "Configuration".
#pragma once

#include "host/folder_targets.h"
#include "session/request.h"

/// A root of the workspace. There is always one more at the end of the list, without a path, for everything else.
typedef struct Folder {
  char *uri;               ///< NULL in that last one.
  char *path;              ///< NULL if the URI is not a file.
  Value *file;             ///< What `.onnxls.json` says; NULL if nothing.
  Value *client;           ///< What the editor says for it; NULL if nothing.
  FolderTargets *targets;  ///< NULL until they are needed.
  bool wants_index;        ///< Its files are looked at for symbolic functions.
  uint64_t stamp;          ///< A number of its own whenever targets are others.
} Folder;

typedef struct FactsLoad FactsLoad;  // session/facts_load.h

void workspace_init(Session *session, const Value *params);
void workspace_done(Session *session);
/// Registers for changes and asks the editor for its settings.
void workspace_start(Session *session);
void workspace_did_change_configuration(Session *session, Message *message, Request *request);
void workspace_did_change_folders(Session *session, Message *message, Request *request);
void workspace_did_change_files(Session *session, Message *message, Request *request);
/// The folder a file is in; borrowed until settings or folders change. An empty path is that of no file.
const Folder *workspace_folder(const Session *session, Str path);
/// What a file is checked against; NULL until settings are known, and borrowed like the folder.
const Target *workspace_target(const Session *session, Str path);
/// A file was saved in the editor; it may hold settings.
void workspace_on_saved(Session *session, Str uri);
/// Settings, or facts that they name, may say something else now: workspace_apply_changes() is called soon.
void workspace_note_change(Session *session);

// workspace_targets.c
/// True while the settings in force are not known yet, so nothing can be analysed.
bool workspace_is_waiting(const Session *session);
/// Makes targets from changed settings, says what is wrong with them, and has documents checked again. Facts that were
/// not read before are read on the pool first.
void workspace_apply_changes(Session *session);
/// The workspace's symbolic functions are others now: targets and dumps follow.
void workspace_apply_symbolics(Session *session);
/// What code lenses say is another thing now.
void workspace_refresh_lenses(Session *session);

/// The settings of the command line: `.onnxls.json` of a folder, this one if nobody says another, or one above.
///
/// Ownership: settings_done() frees what was read.
/// Errors:    ERR_USAGE after messages on stderr: a wrong setting would make a result mean something else.
/// Threads:   the main thread.
/// Sources:   docs/settings.md.
#pragma once

#include "host/settings.h"

/// The nearest folder with that file, of `folder` and those above it, to free(); NULL if there is none.
char *settings_folder_above(Str folder);
/// Initializes the settings and reads the file of that folder, of this one or one above for NULL; problems go to the
/// buffer.
void settings_here(Settings *settings, const char *folder, Buffer *problems);
/// Where nobody says the torch version: what this folder pins, or the nearest one up to the folder of that file.
void settings_here_torch(Settings *settings);
/// The folder of that file, to free(); NULL if there is none, or if it switches the index of the workspace off and
/// `for_index` is set.
char *settings_here_root(bool for_index);
/// Prints the sentences; ERR_USAGE if there are any.
MUST_USE Status settings_here_report(const Buffer *problems);

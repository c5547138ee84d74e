/// Reading the Python files and dumps below folders, for what they tell each other (core/workspace.h).
///
/// Ownership: file_scan_done() frees everything; who takes a summary out puts NULL in its place.
/// Units:     bytes.
/// Errors:    what can't be read is left out. Sizes and numbers of files are bounded.
/// Threads:   one scan belongs to one thread at a time; it blocks on the file system.
#pragma once

#include <stdatomic.h>

#include "base/vec.h"
#include "core/workspace.h"
#include "host/files.h"
#include "host/unnamed_files.h"

/// A file that was looked at, or will be.
typedef struct ScannedFile {
  char *uri;                  ///< As workspace_uri() spells it.
  WorkspaceFile *summary;     ///< NULL if it has nothing to tell.
  Snapshot *snapshot;         ///< What it was read into, if that is kept; NULL.
  Definitions *definitions;   ///< Of a file that was left out, as no other one names it; NULL.
  Definitions *imports;       ///< Of one whose imports count; NULL.
  bool is_silent;             ///< It has nothing for us, unless another one imports its names...
  bool is_wanted;             ///< ...as one does.
  bool is_passive;            ///< Of one that was summed and is not silent: it has models and nothing else.
  KnownFile *known;           ///< As in FoundFile.
  char *path;                 ///< Of what file_scan_read() will read; else NULL.
  size_t size;                ///< As the system said when it was found.
  bool has_sum;               ///< `sum` is known...
  uint8_t sum[SHA256_BYTES];  ///< ...of its text, see file_scan_digest().
  bool is_leaf;               ///< It was named, and is not a folder: nothing is below it (any more).
} ScannedFile;

/// The folder of a relative path, and where it is.
typedef struct FolderName {
  char *folder;
  char *real;  ///< NULL if nobody knows.
} FolderName;

typedef struct FileScan {
  unsigned languages;            ///< A LanguageSet: what is looked for in folders.
  const atomic_bool *cancelled;  ///< May be NULL.
  Str torch;                     ///< Decides which exporter an export takes that doesn't say it; empty for unknown.
  size_t threads;                ///< That read files; 0 for the caller's alone.
  const Workspace *known;        ///< Of files that are not read; NULL.
  KnownFiles *known_files;       ///< What earlier runs found out; NULL.
  bool is_for_check;             ///< Snapshots are kept, of SCAN_KEPT_LIMIT bytes, and what no file names is left out.
  bool leaves_out_crashed;       ///< What host/crash_list.h names is not read.
  FolderName last_folder;        ///< Of the file that was named last.
  Vec(ScannedFile) files;
  size_t read;              ///< Files that are looked into...
  size_t total;             ///< ...and their bytes.
  bool has_digest;          ///< file_scan_digest() was asked.
  atomic_bool has_changed;  ///< What was read is not what file_scan_digest() saw.
  bool is_cut_short;        ///< There is more than the limits allow.
  Vec(char *) crashed;      ///< Paths that were left out because of `leaves_out_crashed`.
} FileScan;

/// Reads a file, or all below a folder. A file that is named so is read whatever it is called. A path that is a folder
/// or nothing is noted as one that has nothing to tell itself.
void file_scan_add(FileScan *scan, const char *path);
/// The same in two steps: finds what is to be read, and reads all that was found.
void file_scan_find(FileScan *scan, const char *path);
/// Takes a file that a walk found.
void file_scan_take(FileScan *scan, const FoundFile *file);
/// Finds a file that is only read if one of the others imports it.
void file_scan_find_silent(FileScan *scan, const FoundFile *file);
/// As file_scan_add(), of a file whose names another one imports.
void file_scan_add_wanted(FileScan *scan, const char *path);
void file_scan_read(FileScan *scan);
/// Adds the names and texts of all that was found and not read yet.
void file_scan_digest(FileScan *scan, Sha256 *sha);
/// The URI that a file has here, in the arena.
Str file_scan_uri(FileScan *scan, const char *path, Arena *arena);
/// Notes a path that is none of our business.
void file_scan_skip(FileScan *scan, const char *path);
/// What was found, as a workspace.
Workspace *file_scan_workspace(const FileScan *scan);
void file_scan_done(FileScan *scan);

/// The files that a command line names, or that a workspace has: files, folders walked for dumps and Python files, and
/// "-" for standard input.
///
/// A folder is walked for names that dumps usually have, in the order of their bytes, and if that is asked for, for
/// Python files that mention exporting. Hidden folders, node_modules, __pycache__, virtual environments and symbolic
/// links to folders are not entered, so a loop of links can't hold it. A file named by the user is always taken,
/// whatever its name.
///
/// Ownership: the list owns its paths; files_read() gives memory to free().
/// Units:     bytes.
/// Errors:    what can't be walked is said on stderr and counted in `problems`; the rest is still listed.
/// Threads:   files_read() from any thread, the list from one.
/// Sources:   docs/check.md, "What is checked".
#pragma once

#include <stdatomic.h>

#include "base/sha256.h"
#include "base/vec.h"
#include "core/snapshot.h"
#include "host/early_file.h"
#include "host/known_files.h"

typedef struct FoundFile {
  char *path;
  bool is_stdin;
  bool is_named;        ///< By the user, rather than found in a folder.
  bool is_unpinned;     ///< The names in its folder show that nothing is pinned there (host/requirements.h).
  size_t size;          ///< As the system says; SIZE_MAX for what has no size (a pipe).
  bool wants_hashes;    ///< Of the values that the text of a model leaves out.
  bool wants_values;    ///< A model's text leaves none out.
  bool needs_no_lines;  ///< Of a model's text, see SnapshotInput.
  bool is_unnamed;      ///< Nothing in the workspace names what it defines, see SnapshotInput.
  size_t most_work;     ///< As language_work() counts; what takes more is given up. 0 for no limit.
  EarlyFile *early;     ///< Its bytes, if they were read when it was found, owned by the list; NULL.
  KnownFile *known;     ///< What an earlier run found out about it, or this one may note; NULL. Borrowed.
  size_t scanned;       ///< Its number in a FileScan, from 1; 0 for none.
  Snapshot *before;     ///< What it was read into a moment ago, owned by the list; NULL.
  bool has_sum;         ///< `sum` is that of its text, which was read a moment ago.
  uint8_t sum[SHA256_BYTES];
} FoundFile;

typedef struct FileList {
  Vec(FoundFile) files;
  size_t problems;
  unsigned languages;            ///< A LanguageSet: what folders are searched for; to be set before the first one.
  const atomic_bool *cancelled;  ///< Ends a walk early; NULL if nobody will.
  bool is_quiet;                 ///< Nothing is said on stderr.
  bool takes_models;             ///< Folders are searched for binary models, too.
  bool reads_early;              ///< Small models are read as soon as they are found, up to EARLY_TOTAL_LIMIT in all.
  size_t early;                  ///< Bytes that were read so.
  int root;                      ///< The folder that is walked, open; -1 for none...
  size_t root_len;               ///< ...and what begins the paths in it.
  bool keeps_silent;             ///< `silent` is filled in.
  Vec(FoundFile) silent;         ///< Files of folders that have nothing for us, unless another one imports their names.
  bool keeps_missing;            ///< What is named and not there is listed, and fails when it is read.
  KnownFiles *known;             ///< What earlier runs found out; NULL.
  size_t limit;                  ///< So many files and folders are looked at in all; 0 for no limit.
  size_t seen;
} FileList;

void files_find(FileList *list, const char *operand);
/// True when a walk from `folder` for the languages of `sets` comes to what is at `path`, which is below it: no part
/// after `folder` is hidden, other people's code, or a link to a folder, and a file is one that the walk would take.
/// What is not there (any more) counts, too, and with `silent` also what FileList.silent is about.
bool files_is_walked(const char *folder, const char *path, unsigned sets, bool silent);
void files_done(FileList *list);
/// Whether what the file holds can be read only once: standard input, a pipe.
static inline bool files_come_once(const FoundFile *file)
{
  return file->is_stdin || file->size == SIZE_MAX;
}
/// Whether the name is that of a binary model.
bool files_is_model(const char *path);

/// Reads all of it, at most `limit` bytes: ERR_IO with errno set, or ERR_LIMIT. "-" is standard input.
MUST_USE Status files_read(const FoundFile *file, size_t limit, char **ret_text, size_t *ret_len);

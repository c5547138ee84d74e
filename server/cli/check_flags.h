/// What the flags and operands of `onnxls check` say.
///
/// Ownership: check_flags_done() frees the list of files and the folder; words belong to argv.
/// Units:     numbers are as given; 0 means that a flag was not used.
/// Errors:    ERR_USAGE after a message on stderr.
/// Threads:   the main thread.
/// Sources:   docs/check.md.
#pragma once

#include "cli/fix.h"
#include "cli/report.h"
#include "cli/rule_choice.h"
#include "host/files.h"

typedef struct CheckOperand {
  const char *word;
  bool is_list;  ///< It names a file with a list of files.
} CheckOperand;

typedef struct CheckFlags {
  Vec(CheckOperand) operands;
  FileList files;         ///< What these come to.
  char *folder;           ///< That of the process; the style borrows it.
  char *settings_folder;  ///< That of the settings, once they are read; NULL if there are none.
  ReportStyle style;
  bool has_severity;
  bool wants_help;
  bool exit_zero;
  bool wants_fix;
  bool is_dry_run;
  FixMode fix;                 ///< What these two come to.
  size_t threads;              ///< 0 is as many as there are processors.
  const char *stdin_filename;  ///< NULL if nobody said.
  const char *torch;           ///< NULL if nobody said.
  const char *runtime;         ///< The same.
  bool has_exporter;
  Exporter exporter;
  int opset;
  RuleChoice rules;
  const char *baseline;  ///< NULL for none.
  bool updates_baseline;
  bool reads_list_from_stdin;  ///< `--files-from -`
  uint32_t shard;              ///< From 1; 0 for all files.
  uint32_t shard_count;
  size_t timeout_work;  ///< LOAD_WORK_UNITs that each file may take.
  bool groups;
  bool skips_cache;
  bool skips_index;  ///< The settings say so.
  bool has_max_diagnostics;
  uint32_t max_diagnostics;
} CheckFlags;

MUST_USE Status check_flags_read(int argc, char **argv, CheckFlags *flags);
/// The folder that has all operands; that of the process where a list names the files.
Str check_flags_common_folder(const CheckFlags *flags, Arena *arena);
/// Finds the files, once it is known what is to be done with them.
MUST_USE Status check_flags_find(CheckFlags *flags);
void check_flags_done(CheckFlags *flags);
void check_flags_help(void);

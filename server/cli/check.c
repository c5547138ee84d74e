// `onnxls check`: reads the files that the command line names, asks the rules, and prints what they say.
// Small files are checked side by side, a batch at a time; the chunks of a large one are. What is printed never
// depends on threads: results are written in the order of the files.
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/check_cache.h"
#include "cli/check_target.h"
#include "cli/check_workspace.h"
#include "cli/commands.h"
#include "cli/file_names.h"
#include "cli/fix.h"
#include "cli/load.h"
#include "core/unread.h"
#include "host/lastwords.h"
#include "host/parallel.h"
#include "host/say.h"
#include "text/path.h"

enum { BATCH_FILES = 256 };  ///< Small files that are checked before their results are written.

typedef struct Check {
  CheckFlags *flags;
  ReportStyle style;  ///< With the target of this folder.
  FolderTargets *targets;
  CheckWorkspace *workspace;  ///< What the targets have, once it is needed (`has_workspace`).
  bool has_workspace;
  CheckCache *cache;  ///< NULL for none.
  size_t threads;
  FileResult *batch;  ///< BATCH_FILES of them.
  ReportCounts counts;
  FixCounts fixes;
  Buffer entries;  ///< Of all files, separated by commas.
  bool has_dumps;
  bool has_output;      ///< A document was printed, so the next one is led by a separator.
  bool stdout_is_gone;  ///< Its reader went away: nothing more to say, and no error.
  bool stdout_failed;
} Check;

static const char *shown_path(const Check *check, const FoundFile *file)
{
  if (!file->is_stdin)
    return file->path;
  return check->flags->stdin_filename ? check->flags->stdin_filename : "<stdin>";
}

static Str whole_text(const Snapshot *snapshot, Arena *arena)
{
  const Document *document = snapshot_document(snapshot);
  return document_slice(document, (Range){ 0, document_length(document) }, arena);
}

/// Fixes a file, or prints how it would be fixed. Consumes the snapshot; returns that of the text after the fixes.
static Snapshot *fix_file(const Check *check, FileResult *result, const char *path, Snapshot *snapshot)
{
  Snapshot *fixed = fix_snapshot(snapshot, &result->fixes.fixes);
  if (fixed != snapshot && check->flags->fix == FIX_SHOW) {
    Arena arena = { 0 };
    fix_diff(&result->out, path, whole_text(snapshot, &arena), whole_text(fixed, &arena));
    arena_done(&arena);
  } else if (fixed != snapshot &&
             fix_write(path, snapshot_document(snapshot), snapshot_document(fixed), &result->notes) != OK) {
    // What is reported is what the file holds.
    snapshot_release(fixed);
    fixed = snapshot_retain(snapshot);
    result->fixes = (FixCounts){ .failed = 1 };
  }
  result->fixes.files = result->fixes.fixes > 0;
  snapshot_release(snapshot);
  return fixed;
}

static void write_entry(const Check *check, FileResult *result, const ReportStyle *style, const Snapshot *snapshot,
                        const Coverage *coverage)
{
  ReportedFile file = {
    .path = shown_path(check, result->file),
    .language = snapshot ? snapshot_language(snapshot) : NULL,
    .coverage = *coverage,
  };
  report_file(&result->entry, style, &file);
}

static void check_file(const Check *check, FileResult *result, size_t threads)
{
  const char *path = shown_path(check, result->file);
  ReportStyle style = check->style;
  style.target = result->target;
  Arena arena = { 0 };
  Coverage coverage;
  lastwords_begin(STR("check"), str_from(path), -1);
  Snapshot *snapshot = load_snapshot(result->file, path, result->target, threads, &result->notes, &arena, &coverage);
  if (snapshot && check->flags->fix != FIX_NOTHING && !coverage.is_converted)
    snapshot = fix_file(check, result, path, snapshot);
  bool has_failed = load_has_failed(result->file, &coverage);
  result->gave_up = coverage.gave_up;
  result->names_others = coverage.names_others;
  result->is_dump = snapshot && rule_is_about(RULE_NO_RUNTIME_KERNEL, snapshot_language(snapshot));
  result->was_judged = snapshot && coverage.status != COVERAGE_SKIPPED && !coverage.gave_up && !coverage.is_damaged;
  Str failure = has_failed ? buffer_str(&result->notes) : STR("");
  if (coverage.status != COVERAGE_SKIPPED && check->flags->fix != FIX_SHOW)
    report_document(&result->out, &style, path, snapshot, failure, &result->counts);
  else if (has_failed && check->flags->fix != FIX_SHOW)
    report_failure(&result->out, &style, path, failure);
  result->counts.failed = has_failed;
  result->counts.partly = coverage.status == COVERAGE_PARTLY;
  result->counts.foreign = coverage.status == COVERAGE_CHECKED && !snapshot_model(snapshot);
  result->counts.skipped = coverage.status == COVERAGE_SKIPPED && !has_failed;
  write_entry(check, result, &style, snapshot, &coverage);
  if (!check_workspace_has_changed(check->workspace))
    check_cache_keep(check->cache, path, result);
  snapshot_release(snapshot);
  arena_done(&arena);
  lastwords_end();
}

/// All of it, unless the reader went away.
static void write_output(Check *check, Str text)
{
  for (size_t done = 0; done < text.len && !check->stdout_is_gone && !check->stdout_failed;) {
    ssize_t written = write(STDOUT_FILENO, text.data + done, text.len - done);
    if (written >= 0) {
      done += (size_t)written;
    } else if (errno == EPIPE) {
      check->stdout_is_gone = true;
    } else if (errno != EINTR) {
      say("onnxls: standard output: %s", strerror(errno));
      check->stdout_failed = true;
    }
  }
}

static void take_entry(Check *check, FileResult *result)
{
  if (result->entry.len == 0)
    return;
  if (report_streams_files(check->style.format)) {
    buffer_append(&result->out, buffer_str(&result->entry));
    buffer_append_char(&result->out, '\n');
  } else {
    buffer_append(&check->entries, check->entries.len > 0 ? STR(",\n") : STR("\n"));
    buffer_append(&check->entries, buffer_str(&result->entry));
  }
}

static void tell_baseline(const Check *check, const FileResult *result)
{
  Baseline *baseline = check->style.baseline;
  Arena arena = { 0 };
  if (baseline && result->was_judged)
    baseline_saw_file(baseline, report_baseline_path(&check->style, shown_path(check, result->file), &arena));
  arena_done(&arena);
}

static void write_result(Check *check, FileResult *result)
{
  say_lines(stderr, buffer_str(&result->notes));
  take_entry(check, result);
  if (result->out.len > 0) {
    Buffer lead = { 0 };
    if (check->has_output && check->flags->fix != FIX_SHOW)
      report_separate(&lead, &check->style);
    write_output(check, buffer_str(&lead));
    write_output(check, buffer_str(&result->out));
    check->has_output = true;
    buffer_done(&lead);
  }
  report_counts_add(&check->counts, &result->counts);
  tell_baseline(check, result);
  check->has_dumps |= result->is_dump;
  check->fixes.fixes += result->fixes.fixes;
  check->fixes.files += result->fixes.files;
  check->fixes.failed += result->fixes.failed;
  file_result_done(result);
}

static void find_file(void *context, size_t i)
{
  Check *check = context;
  FileResult *result = &check->batch[i];
  result->is_done = check_cache_find(check->cache, shown_path(check, result->file), result);
}

static void run_small_file(void *context, size_t i)
{
  Check *check = context;
  if (!check->batch[i].is_done)
    check_file(check, &check->batch[i], 1);
}

/// The files of the workspace are parsed only if there is something to check.
static void read_workspace(Check *check)
{
  check_workspace_read(check->workspace, check->targets, &check->flags->files);
  check->style.target = check_target_here(check->flags, check->targets);
  check->has_workspace = true;
}

static void set_targets(Check *check, size_t count)
{
  Arena arena = { 0 };
  for (size_t i = 0; i < count; i++) {
    FileResult *result = &check->batch[i];
    Str path = path_join(str_from(check->flags->folder), str_from(shown_path(check, result->file)), &arena);
    result->target = folder_targets_of(check->targets, path, result->file->is_unpinned);
    result->context = check->cache ? check_cache_context(check->cache, result->target) : NULL;
  }
  arena_done(&arena);
}

static bool is_all_done(const FileResult *batch, size_t count)
{
  size_t done = 0;
  while (done < count && batch[done].is_done)
    done++;
  return done == count;
}

/// Whether something is to be checked that depends on the Python files around it.
static bool needs_workspace(const FileResult *batch, size_t count)
{
  bool needs = false;
  for (size_t i = 0; i < count && !needs; i++)
    needs = !batch[i].is_done && !load_is_of_model(batch[i].file);
  return needs;
}

/// Checks one large file, or the small ones that are next to each other; returns how many.
static size_t run_batch(Check *check, const FoundFile *files, size_t left)
{
  bool is_large = files[0].size >= LARGE_FILE;
  size_t count = 0;
  size_t bytes = 0;
  do {
    check->batch[count] = (FileResult){ .file = &files[count] };
    bytes += files[count].size;
    count++;
  } while (!is_large && count < BATCH_FILES && count < left && files[count].size < LARGE_FILE);
  // As of one file: to start a thread costs more than to check a few small models.
  size_t worth = is_large ? check->threads : 1 + bytes / LARGE_FILE;
  size_t threads = worth < check->threads ? worth : check->threads;
  if (check->cache) {
    set_targets(check, count);
    parallel_for(count, threads, find_file, check);
  }
  if (is_all_done(check->batch, count))
    return count;
  bool reads = !check->has_workspace && needs_workspace(check->batch, count);
  if (reads)
    read_workspace(check);
  if (reads || !check->cache)
    set_targets(check, count);
  if (is_large)
    check_file(check, &check->batch[0], threads);
  else
    parallel_for(count, threads, run_small_file, check);
  return count;
}

static void run_files(Check *check)
{
  check->batch = xcalloc(BATCH_FILES, sizeof(*check->batch));
  const FileList *list = &check->flags->files;
  for (size_t first = 0; first < list->files.count && !check->stdout_is_gone;) {
    size_t count = run_batch(check, list->files.items + first, list->files.count - first);
    for (size_t i = 0; i < count; i++)
      write_result(check, &check->batch[i]);
    first += count;
  }
  free(check->batch);
}

static void write_fix_summary(const Check *check)
{
  Buffer summary = { 0 };
  if (check->flags->fix != FIX_NOTHING)
    fix_summary(&summary, check->flags->fix, &check->fixes);
  say_lines(stderr, buffer_str(&summary));
  buffer_done(&summary);
}

static void run_check(Check *check)
{
  if (check->flags->fix == FIX_SHOW) {
    run_files(check);
    write_fix_summary(check);
    return;
  }
  const ReportStyle *style = &check->style;
  Buffer begin = { 0 };
  Buffer end = { 0 };
  report_begin(&begin, style);
  write_output(check, buffer_str(&begin));
  run_files(check);
  report_end(&end, style, &check->counts, buffer_str(&check->entries));
  write_output(check, buffer_str(&end));
  write_fix_summary(check);
  if (!check->stdout_is_gone) {
    Buffer summary = { 0 };
    Buffer others = { 0 };
    check_target_append_others(&others, check->targets, style->target);
    report_summary(&summary, style, &check->counts, buffer_str(&others));
    say_lines(stderr, buffer_str(&summary));
    buffer_done(&summary);
    buffer_done(&others);
  }
  buffer_done(&begin);
  buffer_done(&end);
}

static int exit_code(const Check *check)
{
  bool has_nothing = check->counts.files == 0 && check->counts.skipped > 0;  // All that was found was passed over.
  if (check->counts.failed > 0 || check->fixes.failed > 0 || check->stdout_failed || has_nothing)
    return EXIT_USAGE;
  bool has_findings = check->counts.files_with_findings > 0;
  if (check->flags->fix == FIX_SHOW)
    has_findings = check->fixes.fixes > 0;
  return has_findings && !check->flags->exit_zero ? EXIT_FINDINGS : EXIT_CLEAN;
}

/// All that the flags name; the exit code.
static int check_files(Check *check)
{
  CheckFlags *flags = check->flags;
  Neighbours neighbours;
  check->threads = flags->threads > 0 ? flags->threads : parallel_default_threads();
  const char *root = flags->skips_index ? NULL : flags->settings_folder;
  check->workspace = check_workspace_find(&flags->files, root, check->threads);
  if (check_cache_may_open(flags, &check->style)) {
    check_workspace_digest(check->workspace, &flags->files, &neighbours);
    check->cache = check_cache_open(flags, &check->style, &neighbours);
  }
  if (flags->shard > 0)
    file_names_keep_shard(&flags->files, flags->shard, flags->shard_count);
  signal(SIGPIPE, SIG_IGN);  // A reader that went away is seen as EPIPE.
  check->counts.failed = flags->files.problems;
  run_check(check);
  if (check->has_dumps)
    check_target_note_runtime(check->style.target);
  return exit_code(check);
}

static void finish(Check *check)
{
  check_cache_close(check->cache);
  known_files_close(check->flags->files.known);
  check_workspace_free(check->workspace);
  buffer_done(&check->entries);
  folder_targets_free(check->targets);
}

/// All that comes before the first file is read.
MUST_USE static Status prepare(Check *check)
{
  CheckFlags *flags = check->flags;
  Status status = OK;
  if (flags->baseline)
    status = baseline_open(flags->baseline, flags->updates_baseline, &flags->style.baseline);
  if (status == OK)
    status = check_targets(flags, &check->targets);
  if (status != OK)
    return status;
  check->style = flags->style;
  check->style.target = check_target_here(flags, check->targets);
  if (check_cache_may_open(flags, &check->style))
    flags->files.known = check_cache_known_files(flags);
  flags->files.reads_early = known_files_is_empty(flags->files.known);  // Else most are not read at all.
  return check_flags_find(flags);
}

int cli_check(int argc, char **argv)
{
  CheckFlags flags;
  if (check_flags_read(argc, argv, &flags) != OK)
    return EXIT_USAGE;
  if (flags.wants_help) {
    check_flags_help();
    check_flags_done(&flags);
    return EXIT_CLEAN;
  }
  Check check = { .flags = &flags };
  int code = EXIT_USAGE;
  if (prepare(&check) == OK) {
    code = check_files(&check);
    if (check.style.baseline && !check.stdout_is_gone &&
        baseline_settle(check.style.baseline, check.style.target) != OK)
      code = EXIT_USAGE;
  }
  finish(&check);
  baseline_close(flags.style.baseline);
  check_flags_done(&flags);
  return code;
}

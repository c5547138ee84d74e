// Any bytes as a baseline: it is refused, or takes what it lists and nothing else, and what is written of that is one.
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/baseline.h"
#include "fuzz_check.h"
#include "quiet.h"

static char path[] = P_tmpdir "/onnxls-fuzz-baseline-XXXXXX";

static void remove_file(void)
{
  unlink(path);
}

static void make_file(void)
{
  static bool is_made;
  if (is_made)
    return;
  int fd = mkstemp(path);
  FUZZ_CHECK(fd >= 0 && close(fd) == 0 && atexit(remove_file) == 0);
  is_made = true;
}

static void write_file(Str text)
{
  make_file();
  FILE *file = fopen(path, "wb");
  FUZZ_CHECK(file && fwrite(text.data, 1, text.len, file) == text.len && fclose(file) == 0);
}

static void check_as_it_is(const Target *target)
{
  Baseline *baseline = NULL;
  if (baseline_open(path, false, &baseline) != OK)
    return;
  baseline_saw_file(baseline, STR("a.py"));
  FUZZ_CHECK(baseline_settle(baseline, target) == OK);
  baseline_close(baseline);
}

/// Whatever a message says, the file that it is written to can be read, and has it.
static void check_updated(const Target *target, Str message)
{
  Baseline *baseline = NULL;
  BaselineFinding finding = { STR("a.py"), STR("unsupported-op"), message, 42 };
  if (baseline_open(path, true, &baseline) != OK)
    return;
  FUZZ_CHECK(baseline_takes(baseline, &finding) && baseline_settle(baseline, target) == OK);
  baseline_close(baseline);
  FUZZ_CHECK(baseline_open(path, false, &baseline) == OK && baseline_takes(baseline, &finding));
  baseline_close(baseline);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  be_quiet();
  Str text = str_make((const char *)data, size);
  Target values = { .torch = STR("2.6"), .opset = 17 };
  memset(values.severities, SEVERITY_DEFAULT, sizeof(values.severities));
  Target *target = target_new(&values);
  write_file(text);
  check_as_it_is(target);
  if (size % 16 == 0)  // It waits for the disk.
    check_updated(target, text);
  target_release(target);
  return 0;
}

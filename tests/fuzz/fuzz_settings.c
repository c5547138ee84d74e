// Any bytes as .onnxls.json, after others that are good: what is wrong is said in whole sentences, and a target comes
// of it.
#include "fuzz_check.h"
#include "host/settings.h"

static void apply(Str text, bool is_strict, Buffer *problems)
{
  Value *values = NULL;
  ValueError error;
  if (value_parse(text, &values, &error) != OK)
    return;
  SettingsSource source = { .name = "settings", .folder = STR("/folder"), .is_strict = is_strict };
  Settings settings;
  settings_init(&settings);
  settings_apply(&settings, values, &source, problems);
  Target *target = settings_target(&settings, problems);
  FUZZ_CHECK(target);
  target_release(target);
  settings_done(&settings);
  value_release(values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  for (int is_strict = 0; is_strict < 2; is_strict++) {
    Buffer problems = { 0 };
    apply(str_make((const char *)data, size), is_strict, &problems);
    FUZZ_CHECK(problems.len == 0 || problems.data[problems.len - 1] == '\n');
    buffer_done(&problems);
  }
  return 0;
}

#include "facts/runtime.h"

#include "base/ascii.h"

static const Str known_name = STR_INIT("onnxruntime");

/// "1.21" as 1 << 16 | 21, and how long that is; 0 if none is there.
static uint32_t read_version(Str text, size_t *ret_len)
{
  size_t major_end = ascii_digits_end(text, 0);
  size_t minor_end = major_end < text.len && text.data[major_end] == '.' ? ascii_digits_end(text, major_end + 1) : 0;
  uint64_t major, minor;
  if (!str_to_uint(str_slice(text, 0, major_end), UINT8_MAX, &major) || minor_end == 0 ||
      !str_to_uint(str_slice(text, major_end + 1, minor_end), UINT16_MAX, &minor))
    return 0;
  *ret_len = minor_end;
  return (uint32_t)(major << 16 | minor);
}

/// The newest version that is no newer than `wanted`, or the oldest; NULL if there is none.
static const RuntimeFacts *nearest(const SymbolicsDb *db, uint32_t wanted, bool needs_outcomes, uint32_t *ret_version)
{
  const RuntimeFacts *found = NULL;
  uint32_t best = 0;
  for (uint32_t layer = 0; layer < symbolics_layer_count(db); layer++) {
    const MessageTable *table = symbolics_messages(db, layer);
    for (size_t i = 0; i < table->runtime_count; i++) {
      size_t len;
      const RuntimeFacts *facts = &table->runtimes[i];
      uint32_t version = needs_outcomes && !facts->has_outcomes ? 0 : read_version(facts->version, &len);
      bool is_better = best == 0 || (best > wanted ? version < best : version > best && version <= wanted);
      if (version == 0 || !is_better)
        continue;
      best = version;
      found = facts;
    }
  }
  *ret_version = best;
  return found;
}

static void choose_measured(const SymbolicsDb *db, uint32_t wanted, RuntimeChoice *choice)
{
  uint32_t version;
  choice->limits = nearest(db, wanted, false, &version);
  const RuntimeFacts *measured = nearest(db, wanted, true, &version);
  choice->measured = measured ? measured->version : (Str){ 0 };
  choice->is_exact = version == wanted;
  choice->is_before = version > wanted;
}

bool symbolics_resolve_runtime(const SymbolicsDb *db, Str text, RuntimeChoice *ret_choice)
{
  text = str_trim(text);
  *ret_choice = (RuntimeChoice){ .name = known_name };
  if (!str_starts_with(text, known_name))
    return false;
  Str rest = str_slice(text, known_name.len, text.len);
  size_t skip = 0;
  while (skip < rest.len && (rest.data[skip] == ' ' || rest.data[skip] == '=' || rest.data[skip] == '-'))
    skip++;
  Str version = str_slice(rest, skip, rest.len);
  if (rest.len == 0) {
    ret_choice->is_exact = true;
    return true;
  }
  size_t len;
  uint32_t wanted = read_version(version, &len);
  if (skip == 0 || wanted == 0 || (len < version.len && version.data[len] != '.'))
    return false;
  ret_choice->version = str_slice(version, 0, len);
  choose_measured(db, wanted, ret_choice);
  return true;
}

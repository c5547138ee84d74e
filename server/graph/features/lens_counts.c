#include "graph/features/lens_counts.h"

#include "base/limits.h"
#include "describe/type_tensor.h"
#include "graph/features/dump_at.h"
#include "graph/features/line_view.h"
#include "graph/model/call_view.h"
#include "graph/model/snapshot_dump.h"

/// The type as the dialect prints it. A line that is looked at for each of its values must not be long.
static Str printed_type(const FeatureContext *context, const GraphWalk *walk, Place definition)
{
  const GraphDialect *dialect = snapshot_dialect(context->snapshot);
  Str type = dialect->type_after ? call_view_printed_type(walk, dialect, definition) : walk_type(walk, definition);
  uint32_t line = dump_place_line(context->snapshot, definition);
  if (type.len > 0 || document_line(snapshot_document(context->snapshot), line).len > LENS_LINE_BYTES)
    return type;
  LineView view = line_view(context->snapshot, line, context->arena);
  return line_view_type_of(&view, dump_place_range(context->snapshot, definition).start);
}

void lens_counts_add(const FeatureContext *context, const GraphWalk *walk, Place definition, LensCounts *counts)
{
  Str type = printed_type(context, walk, definition);
  TensorText tensor;
  if (!type_read_tensor(type, &tensor) || !tensor.dtype || tensor.dtype->bytes == 0 || !tensor.is_ranked ||
      tensor.rank > DIM_LIMIT)
    return;
  uint64_t count = 1;
  for (size_t i = 0; i < tensor.rank; i++) {
    if (tensor.is_dynamic[i] || (tensor.sizes[i] > 0 && count > UINT32_MAX / tensor.sizes[i] * (uint64_t)UINT16_MAX))
      return;
    count *= tensor.sizes[i];
  }
  counts->values += count;
  counts->bytes += count * (uint64_t)tensor.dtype->bytes;
}

/// "102 MB"
static Str say_bytes(uint64_t bytes, Arena *arena)
{
  static const char *const units[] = { "bytes", "KB", "MB", "GB", "TB" };
  double amount = (double)bytes;
  size_t unit = 0;
  for (; amount >= 1000 && unit + 1 < COUNT(units); unit++)
    amount /= 1000;
  return arena_printf(arena, unit > 0 && amount < 10 ? "%.1f %s" : "%.0f %s", amount, units[unit]);
}

Str lens_counts_title(const LensCounts *counts, Arena *arena)
{
  Str nodes = arena_printf(arena, "%llu node%s", (unsigned long long)counts->nodes, counts->nodes == 1 ? "" : "s");
  Str refused = counts->refused == 0
                    ? (Str){ 0 }
                    : arena_printf(arena, ", %llu of them can't be exported", (unsigned long long)counts->refused);
  Str size = counts->values == 0
                 ? (Str){ 0 }
                 : arena_printf(arena, " | inputs: %llu values, %.*s", (unsigned long long)counts->values,
                                STR_ARG(say_bytes(counts->bytes, arena)));
  const Str parts[] = { nodes, refused, size };
  return arena_join(arena, parts, COUNT(parts));
}

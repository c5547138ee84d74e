#include "graph/model/trace.h"

#include "base/limits.h"
#include "base/search.h"

void trace_clear(Trace *trace)
{
  vec_clear(&trace->spans);
  vec_clear(&trace->names);
  trace->is_everything = false;
}

void trace_done(Trace *trace)
{
  vec_free(&trace->spans);
  vec_free(&trace->names);
}

void trace_add_items(Trace *trace, uint32_t chunk, uint32_t first, uint32_t last)
{
  if (trace->is_everything)
    return;
  // Usually the chunk asked for last, which is kept at the end.
  for (size_t i = trace->spans.count; i-- > 0;) {
    TraceSpan span = trace->spans.items[i];
    if (span.chunk != chunk)
      continue;
    if (first < span.first)
      span.first = first;
    if (last > span.last)
      span.last = last;
    trace->spans.items[i] = *vec_last(&trace->spans);
    *vec_last(&trace->spans) = span;
    return;
  }
  if (trace->spans.count < TRACE_SPAN_LIMIT)
    vec_push(&trace->spans, (TraceSpan){ chunk, first, last });
  else
    trace->is_everything = true;
}

void trace_add_name(Trace *trace, uint32_t hash)
{
  size_t count = trace->names.count;
  if (trace->is_everything)
    return;
  if (count > 0 && trace->names.items[count - 1] == hash)
    return;
  if (count < TRACE_NAME_LIMIT)
    vec_push(&trace->names, hash);
  else
    trace->is_everything = true;
}

void trace_add_all(Trace *trace, const Trace *taken)
{
  for (size_t i = 0; i < taken->spans.count; i++)
    trace_add_items(trace, taken->spans.items[i].chunk, taken->spans.items[i].first, taken->spans.items[i].last);
  for (size_t i = 0; i < taken->names.count; i++)
    trace_add_name(trace, taken->names.items[i]);
  trace->is_everything = trace->is_everything || taken->is_everything;
}

static int compare_hashes(const void *a, const void *b)
{
  uint32_t x = *(const uint32_t *)a;
  uint32_t y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void sort_names(Trace *trace)
{
  if (trace->names.count < 2)
    return;
  vec_sort(&trace->names, compare_hashes);
  size_t kept = 1;
  for (size_t i = 1; i < trace->names.count; i++) {
    if (trace->names.items[i] != trace->names.items[kept - 1])
      trace->names.items[kept++] = trace->names.items[i];
  }
  trace->names.count = kept;
}

void trace_take(Trace *trace, Trace *taken)
{
  sort_names(trace);
  *taken = (Trace){ .is_everything = trace->is_everything };
  vec_append(&taken->spans, trace->spans.items, trace->spans.count);
  vec_append(&taken->names, trace->names.items, trace->names.count);
  trace_clear(trace);
}

/// From the item's line to that of the next one: a statement may be written over several.
static Str text_of(const ChunkState *chunk, uint32_t i)
{
  const Item *items = chunk->index->items;
  uint32_t line = items[i].line;
  uint32_t next = i + 1 < chunk->index->item_count ? items[i + 1].line : chunk->text->line_count;
  size_t end = next > line && next < chunk->text->line_count ? chunk->text->starts[next] : chunk->text->len;
  return next > line ? str_slice(chunk_text(chunk), chunk->text->starts[line], end)
                     : text_chunk_line(chunk->text, line);
}

static bool same_item(const ChunkState *a, uint32_t i, const ChunkState *b, uint32_t k)
{
  return str_equal(text_of(a, i), text_of(b, k));
}

ChunkChange trace_chunk_change(const ChunkState *old, const ChunkState *now, uint32_t chunk)
{
  uint32_t old_count = old->index->item_count;
  uint32_t now_count = now->index->item_count;
  uint32_t shorter = old_count < now_count ? old_count : now_count;
  ChunkChange change = { chunk, 0, UINT32_MAX };
  while (change.first < shorter && same_item(old, change.first, now, change.first))
    change.first++;
  if (old_count != now_count || old->index->occurrence_count != now->index->occurrence_count)
    return change;
  change.end = old_count;
  while (change.end > change.first && same_item(old, change.end - 1, now, change.end - 1))
    change.end--;
  return change;
}

bool trace_holds(const Trace *trace, ChunkChange change)
{
  if (trace->is_everything || change.first >= change.end)
    return !trace->is_everything;
  for (size_t i = 0; i < trace->spans.count; i++) {
    const TraceSpan *span = &trace->spans.items[i];
    // One line further, because something may have come in between.
    if (span->chunk == change.chunk && span->last + 1 >= change.first && span->first < change.end)
      return false;
  }
  return true;
}

bool trace_has_name(const Trace *trace, uint32_t hash)
{
  size_t at;
  SEARCH_FIRST(at, 0, trace->names.count, trace->names.items[at] < hash);
  return trace->is_everything || (at < trace->names.count && trace->names.items[at] == hash);
}

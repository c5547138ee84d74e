#include "core/whole_text.h"

void *whole_text_plan(const Snapshot *snapshot, const void *previous)
{
  (void)previous;
  return (void *)snapshot;
}

uint32_t whole_text_count(const void *plan)
{
  (void)plan;
  return 0;
}

size_t whole_text_bytes(const void *plan)
{
  return document_length(snapshot_document(plan));
}

void whole_text_run(void *plan, uint32_t piece)
{
  (void)plan;
  (void)piece;
}

void whole_text_free_plan(void *plan)
{
  (void)plan;
}

void whole_text_check_nothing(DiagSink *sink)
{
  (void)sink;
}

void whole_text_each_unread(const Snapshot *snapshot, UnreadVisitor *visit, void *context)
{
  (void)snapshot;
  (void)visit;
  (void)context;
}

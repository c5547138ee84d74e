#include "session/work.h"

#include "base/limits.h"
#include "host/log.h"
#include "session/state.h"

static size_t longest_chunk(const Document *text)
{
  size_t longest = 0;
  for (uint32_t i = 0; i < text->chunk_count; i++) {
    if (text->chunks[i]->len > longest)
      longest = text->chunks[i]->len;
  }
  return longest;
}

size_t work_of_check(const OpenDocument *document)
{
  const Document *text = snapshot_document(document->snapshot);
  const Language *language = snapshot_language(document->snapshot);
  const Folder *folder = workspace_folder(document->session, str_from(document->path));
  bool is_known = language && language->works_by_line && document->checked_stamp == folder->stamp;
  size_t length = language_work(language, document_length(text));
  size_t found = document->found * FOUND_BYTES;
  return is_known && longest_chunk(text) <= LOOP_BYTES && found < length ? found : length;
}

size_t work_of_place(const OpenDocument *document)
{
  const Document *text = snapshot_document(document->snapshot);
  const Language *language = snapshot_language(document->snapshot);
  return language && language->works_by_line ? longest_chunk(text) : language_work(language, document_length(text));
}

size_t work_of_name(const OpenDocument *document)
{
  const Snapshot *snapshot = document->snapshot;
  const Language *language = snapshot_language(snapshot);
  bool is_known = language && language->knows_names;
  return is_known ? document_length(snapshot_document(snapshot)) : work_of_place(document);
}

size_t work_of_reading(const Document *text, const Language *language, size_t fresh)
{
  size_t longest = longest_chunk(text);
  if (!language || !language->works_by_line)
    return language_work(language, document_length(text));
  return fresh > longest ? fresh : longest;
}

void work_note(Session *session, size_t bytes)
{
  if (bytes <= session->most_work)
    return;
  session->most_work = bytes;
  log_line(LOG_DEBUG, "the most work on the loop so far: %zu bytes", bytes);
}

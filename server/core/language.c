#include "core/language.h"

#include "base/limits.h"
#include "core/target.h"

const Language *language_of_line(Str line)
{
  line = str_trim(str_slice(line, 0, SNIFF_LINE_BYTE_LIMIT));
  if (line.len == 0)
    return NULL;
  for (size_t i = 0; languages[i]; i++) {
    if (languages[i]->sniff_line && languages[i]->sniff_line(line))
      return languages[i];
  }
  return NULL;
}

/// `ret_last` is one that any other goes before; NULL.
static const Language *language_of_content(const Document *document, const Language **ret_last)
{
  *ret_last = NULL;
  bool is_quoting = false;
  size_t seen = 0;
  uint32_t lines = 0;
  for (uint32_t c = 0; c < document->chunk_count; c++) {
    const TextChunk *chunk = document->chunks[c];
    for (uint32_t i = 0; i < chunk->line_count && seen < SNIFF_BYTE_LIMIT && lines < SNIFF_LINE_LIMIT; i++, lines++) {
      Str line = text_chunk_line(chunk, i);
      seen += line.len + 1;
      const Language *language = language_of_line(line);
      is_quoting |= str_starts_with(line, STR("```"));
      if (language && language->is_whole && is_quoting)
        continue;
      if (language && !language->is_last)
        return language;
      *ret_last = language ? language : *ret_last;
    }
  }
  return NULL;
}

/// The first line that is neither blank nor a comment, without what is around it; empty if there is none in the text.
static Str first_line_of_code(Str text)
{
  for (size_t start = 0; start < text.len;) {
    size_t end = str_find_char(text, '\n', start);
    end = end == STR_NOT_FOUND ? text.len : end;
    Str line = str_trim(str_slice(text, start, end));
    if (line.len > 0 && line.data[0] != '#')
      return line;
    start = end + 1;
  }
  return (Str){ 0 };
}

/// The language whose texts may begin so, under any name.
static const Language *language_beginning(Str text)
{
  Str line = first_line_of_code(str_slice(text, 0, SNIFF_LINE_BYTE_LIMIT));
  for (size_t i = 0; languages[i]; i++) {
    if (languages[i]->may_begin && languages[i]->may_begin(line))
      return languages[i];
  }
  return NULL;
}

/// The one of a document that has the name of another language.
static const Language *language_under_other_name(const Document *document)
{
  const Language *last;
  const TextChunk *first = document->chunk_count > 0 ? document->chunks[0] : NULL;
  const Language *language = first ? language_beginning(str_make(first->text, first->len)) : NULL;
  return language && language_of_content(document, &last) == language ? language : NULL;
}

size_t language_work(const Language *language, size_t bytes)
{
  return language && !language->works_by_line ? bytes * TANGLED_WEIGHT : bytes;
}

uint32_t language_chunks(const Document *document)
{
  // Line ends count once at most above, so twice the limit is enough.
  uint32_t count = 0;
  while (count < document->chunk_count && document->chunk_offsets[count] < 2 * (size_t)SNIFF_BYTE_LIMIT &&
         document->chunk_lines[count] < SNIFF_LINE_LIMIT)
    count++;
  return count;
}

static bool has_ending(const Language *language, Str path, bool takes_vague)
{
  for (const LanguageEnding *ending = language->endings; ending->suffix.len > 0; ending++) {
    if ((takes_vague || !ending->is_vague) && str_ends_with(path, ending->suffix))
      return true;
  }
  return false;
}

static bool is_named(const Language *language, Str language_id, Str path)
{
  return str_equal(language_id, str_from(language->name)) || has_ending(language, path, false);
}

const Language *language_of_id(Str language_id)
{
  for (size_t i = 0; languages[i]; i++) {
    if (str_equal(language_id, str_from(languages[i]->name)))
      return languages[i];
  }
  return NULL;
}

static const Language *language_of_path(Str path)
{
  for (size_t i = 0; languages[i]; i++) {
    if (has_ending(languages[i], path, false))
      return languages[i];
  }
  return NULL;
}

const Language *language_of(const Document *document, Str language_id, Str path)
{
  for (size_t i = 0; languages[i]; i++) {
    const Language *other = NULL;
    if (languages[i]->goes_by_name && is_named(languages[i], language_id, path))
      return (other = language_under_other_name(document)) ? other : languages[i];
  }
  const Language *last;
  const Language *language = language_of_content(document, &last);
  if (!language)
    language = language_of_id(language_id);
  if (!language)
    language = language_of_path(path);
  return language ? language : last;
}

const Language *language_searching(Str path, unsigned sets)
{
  for (size_t i = 0; languages[i]; i++) {
    if ((languages[i]->sets & sets) != 0 && has_ending(languages[i], path, true))
      return languages[i];
  }
  return NULL;
}

bool language_wants(const Language *language, Str text)
{
  return !language->is_relevant || language->is_relevant(text) || language_beginning(text);
}

bool language_is_named(const Language *language, Str path)
{
  return has_ending(language, path, false);
}

Str language_without_ending(Str path, unsigned sets)
{
  for (size_t i = 0; languages[i]; i++) {
    for (const LanguageEnding *ending = languages[i]->endings; (languages[i]->sets & sets) && ending->suffix.len > 0;
         ending++) {
      if (str_ends_with(path, ending->suffix))
        return str_slice(path, 0, path.len - ending->suffix.len);
    }
  }
  return (Str){ 0 };
}

Exporter language_exporter(const Language *language, const Target *target)
{
  return language && language->is_for_dynamo ? EXPORTER_DYNAMO : target->exporter;
}

int language_opset(const Language *language, const Target *target)
{
  bool is_other = language_exporter(language, target) != target->exporter && target->dynamo_opset > 0;
  return is_other ? target->dynamo_opset : target->opset;
}

// One pass over the JSON with a stack of its own. What a value is about is a place; a table leads from the place of an
// object and a key to the place of the member. Elements of an array are at the place of the array.

#include "notebook/notebook_reader.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "text/magics.h"

typedef enum JsonPlace {
  AT_NOTHING,
  AT_ROOT,
  AT_FORMAT,
  AT_METADATA,
  AT_KERNEL,
  AT_LANGUAGE_INFO,
  AT_LANGUAGE,
  AT_CELL,
  AT_KIND,
  AT_SOURCE,
  AT_OUTPUT,
  AT_DATA,
  AT_PRINTED,
  AT_FAILED,
} JsonPlace;

/// nbformat 4, and what 3 calls otherwise.
static const struct {
  JsonPlace from;
  const char *key;
  JsonPlace to;
} steps[] = {
  { AT_ROOT, "nbformat", AT_FORMAT },
  { AT_ROOT, "metadata", AT_METADATA },
  { AT_ROOT, "cells", AT_CELL },
  { AT_ROOT, "worksheets", AT_ROOT },
  { AT_METADATA, "kernelspec", AT_KERNEL },
  { AT_METADATA, "language_info", AT_LANGUAGE_INFO },
  { AT_KERNEL, "language", AT_LANGUAGE },
  { AT_LANGUAGE_INFO, "name", AT_LANGUAGE },
  { AT_CELL, "cell_type", AT_KIND },
  { AT_CELL, "source", AT_SOURCE },
  { AT_CELL, "input", AT_SOURCE },
  { AT_CELL, "outputs", AT_OUTPUT },
  { AT_OUTPUT, "text", AT_PRINTED },
  { AT_OUTPUT, "data", AT_DATA },
  { AT_DATA, "text/plain", AT_PRINTED },
  { AT_OUTPUT, "traceback", AT_FAILED },
};

typedef struct Frame {
  char closer;
  JsonPlace place;
} Frame;

typedef struct Reader {
  Str file;
  size_t at;
  Vec(Frame) frames;
  Notebook *notebook;
  // Of the cell that is being read:
  Vec(Range) sources;
  bool is_code;
} Reader;

static bool fail(Reader *reader, const char *error)
{
  if (!reader->notebook->error) {
    reader->notebook->error = error;
    reader->notebook->error_at = reader->at;
  }
  return false;
}

// --- Cells ---

static void end_cell(Reader *reader)
{
  Notebook *notebook = reader->notebook;
  notebook->cell_count++;
  size_t start = notebook->code.text.len;
  for (size_t i = 0; reader->is_code && i < reader->sources.count; i++)
    notebook_text_add(&notebook->code, reader->sources.items[i]);
  notebook_text_end_line(&notebook->code, start);
  if (notebook->code.text.len > start) {
    magics_neutralise(notebook->code.text.data + start, notebook->code.text.len - start);
    vec_push(&notebook->cells, (NotebookCell){ notebook->cell_count, start });
  }
  vec_clear(&reader->sources);
  reader->is_code = false;
}

/// Of the cell that is being read.
static NotebookOutput *output_of(Reader *reader)
{
  Notebook *notebook = reader->notebook;
  uint32_t number = notebook->cell_count + 1;
  if (notebook->outputs.count == 0 || vec_last(&notebook->outputs)->number != number) {
    vec_push(&notebook->outputs, (NotebookOutput){ .number = number });
    vec_last(&notebook->outputs)->printed.file = reader->file;
    vec_last(&notebook->outputs)->failed.file = reader->file;
  }
  return vec_last(&notebook->outputs);
}

/// Each string of a traceback is a line or more without the last end.
static void take_string(Reader *reader, JsonPlace place, Range inside)
{
  Str text = str_slice(reader->file, inside.start, inside.end);
  switch (place) {
  case AT_KIND:
    reader->is_code = str_equal(text, STR("code"));
    break;
  case AT_SOURCE:
    vec_push(&reader->sources, inside);
    break;
  case AT_PRINTED:
    notebook_text_add(&output_of(reader)->printed, inside);
    break;
  case AT_FAILED:
    notebook_text_add(&output_of(reader)->failed, inside);
    notebook_text_end_line(&output_of(reader)->failed, 0);
    break;
  case AT_LANGUAGE:
    reader->notebook->language = inside;
    break;
  default:
    break;
  }
}

/// One output may end within a line, and the next one is another matter.
static void end_output(Reader *reader)
{
  Notebook *notebook = reader->notebook;
  if (notebook->outputs.count > 0)
    notebook_text_end_line(&vec_last(&notebook->outputs)->printed, 0);
}

static void leave_object(Reader *reader, JsonPlace place)
{
  if (place == AT_CELL)
    end_cell(reader);
  else if (place == AT_OUTPUT)
    end_output(reader);
}

// --- JSON ---

static void skip_space(Reader *reader)
{
  while (reader->at < reader->file.len && ascii_is_space(reader->file.data[reader->at]))
    reader->at++;
}

static char peek(const Reader *reader)
{
  return reader->at < reader->file.len ? reader->file.data[reader->at] : '\0';
}

/// A string, which begins here; what is inside of its quotes.
static bool read_string(Reader *reader, Range *ret_inside)
{
  size_t start = ++reader->at;
  for (; reader->at < reader->file.len; reader->at++) {
    char c = reader->file.data[reader->at];
    if (c == '\\') {
      reader->at++;
    } else if (c == '\n') {
      return fail(reader, "a string is not closed on its line");
    } else if (c == '"') {
      *ret_inside = (Range){ start, reader->at++ };
      return true;
    }
  }
  reader->at = reader->file.len;
  return fail(reader, "the file ends within a string");
}

static bool read_word(Reader *reader, JsonPlace place)
{
  size_t start = reader->at;
  while (reader->at < reader->file.len &&
         (ascii_is_word(reader->file.data[reader->at]) || memchr("+-.", reader->file.data[reader->at], 3)))
    reader->at++;
  Str word = str_slice(reader->file, start, reader->at);
  uint64_t number = 0;
  if (place == AT_FORMAT && str_to_uint(word, INT32_MAX, &number))
    reader->notebook->format = (int64_t)number;
  static const char *const words[] = { "true", "false", "null" };
  bool is_number = word.len > 0 && (ascii_is_digit(word.data[0]) || word.data[0] == '-');
  reader->at = is_number || str_is_one_of(word, words, COUNT(words)) ? reader->at : start;
  return reader->at > start || fail(reader, "a value was expected here");
}

static bool read_value(Reader *reader, JsonPlace place)
{
  Range inside;
  char c = peek(reader);
  if (c == '{' || c == '[') {
    if (reader->frames.count >= NOTEBOOK_DEPTH_LIMIT)
      return fail(reader, "it is nested too deeply");
    vec_push(&reader->frames, (Frame){ c == '{' ? '}' : ']', place });
    reader->at++;
    return true;
  }
  if (c != '"')
    return read_word(reader, place);
  if (!read_string(reader, &inside))
    return false;
  take_string(reader, place, inside);
  return true;
}

static JsonPlace step(JsonPlace from, Str key)
{
  for (size_t i = 0; i < COUNT(steps); i++) {
    if (steps[i].from == from && str_equal(key, str_from(steps[i].key)))
      return steps[i].to;
  }
  return AT_NOTHING;
}

static bool read_member(Reader *reader, JsonPlace place)
{
  Range key;
  if (peek(reader) != '"')
    return fail(reader, "a name in quotes was expected here");
  if (!read_string(reader, &key))
    return false;
  skip_space(reader);
  if (peek(reader) != ':')
    return fail(reader, "a colon was expected here");
  reader->at++;
  skip_space(reader);
  return read_value(reader, step(place, str_slice(reader->file, key.start, key.end)));
}

/// What comes next in the innermost object or array; `is_first` when nothing was in it before.
static bool read_next(Reader *reader, bool is_first)
{
  Frame frame = *vec_last(&reader->frames);
  if (peek(reader) == frame.closer) {
    reader->at++;
    reader->frames.count--;
    if (frame.closer == '}')
      leave_object(reader, frame.place);
    return true;
  }
  if (!is_first) {
    if (peek(reader) != ',')
      return fail(reader, reader->at < reader->file.len ? "a comma was expected here" : "the file ends too early");
    reader->at++;
    skip_space(reader);
  }
  return frame.closer == '}' ? read_member(reader, frame.place) : read_value(reader, frame.place);
}

static void read_json(Reader *reader)
{
  skip_space(reader);
  bool is_good = peek(reader) == '{' ? read_value(reader, AT_ROOT) : fail(reader, "a notebook begins with `{`");
  while (is_good && reader->frames.count > 0) {
    size_t before = reader->at;
    char last = reader->file.data[before - 1];
    skip_space(reader);
    is_good = read_next(reader, last == '{' || last == '[');
  }
  skip_space(reader);
  if (is_good && reader->at < reader->file.len)
    fail(reader, "something follows the end of the notebook");
}

void notebook_read(Str file, Notebook *ret_notebook)
{
  static const Str mark = STR_INIT("\xef\xbb\xbf");
  *ret_notebook = (Notebook){ .code = { .file = file } };
  Reader reader = { .file = file, .notebook = ret_notebook };
  reader.at = str_starts_with(file, mark) ? mark.len : 0;
  read_json(&reader);
  if (ret_notebook->error && reader.sources.count > 0)
    end_cell(&reader);
  vec_free(&reader.frames);
  vec_free(&reader.sources);
}

void notebook_done(Notebook *notebook)
{
  notebook_text_done(&notebook->code);
  vec_free(&notebook->cells);
  for (size_t i = 0; i < notebook->outputs.count; i++) {
    notebook_text_done(&notebook->outputs.items[i].printed);
    notebook_text_done(&notebook->outputs.items[i].failed);
  }
  vec_free(&notebook->outputs);
}

bool notebook_is_foreign(const Notebook *notebook)
{
  Str language = str_slice(notebook->code.file, notebook->language.start, notebook->language.end);
  return language.len > 0 && !str_equal_ignore_case(str_slice(language, 0, 6), STR("python")) &&
         !str_equal_ignore_case(language, STR("ipython"));
}

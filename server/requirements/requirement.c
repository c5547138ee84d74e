#include "requirements/requirement.h"

#include "base/ascii.h"
#include "base/limits.h"
#include "base/memory.h"

// --- Versions ---

/// What a sign says of the releases before and after the number after it.
typedef enum Meaning {
  MEANS_EQUAL,   ///< `==2.6.0`
  MEANS_PREFIX,  ///< `=2.6` of conda and of images: 2.6.1, too
  MEANS_LIKE,    ///< `~=2.6.0`: up to the next of the number before the last
  MEANS_CARET,   ///< `^2.6` of Poetry: up to the next of the first number that is not 0
  MEANS_TILDE,   ///< `~2.6` of Poetry: up to the next minor one
  MEANS_AT_LEAST,
  MEANS_AT_MOST,
  MEANS_BELOW,
  MEANS_NOTHING,  ///< `!=2.6.1`
} Meaning;

static const struct {
  const char *sign;
  Meaning meaning;
} signs[] = {
  // A sign comes before those that it begins with.
  { "===", MEANS_EQUAL },   { "==", MEANS_EQUAL },   { "~=", MEANS_LIKE },    { "!=", MEANS_NOTHING },
  { ">=", MEANS_AT_LEAST }, { "<=", MEANS_AT_MOST }, { ">", MEANS_AT_LEAST }, { "<", MEANS_BELOW },
  { "^", MEANS_CARET },     { "~", MEANS_TILDE },    { "=", MEANS_PREFIX },   { ":", MEANS_PREFIX },
};

typedef struct Reader {
  Str text;
  size_t at;
} Reader;

static char here(const Reader *reader)
{
  return reader->at < reader->text.len ? reader->text.data[reader->at] : '\0';
}

static void skip_blanks(Reader *reader)
{
  while (here(reader) == ' ' || here(reader) == '\t')
    reader->at++;
}

static bool skip_char(Reader *reader, char c)
{
  if (here(reader) != c)
    return false;
  reader->at++;
  return true;
}

static bool skip_quote(Reader *reader)
{
  return skip_char(reader, '"') || skip_char(reader, '\'');
}

static bool read_sign(Reader *reader, Meaning *ret_meaning)
{
  Str rest = str_slice(reader->text, reader->at, reader->text.len);
  for (size_t i = 0; i < COUNT(signs); i++) {
    if (!str_starts_with(rest, str_from(signs[i].sign)))
      continue;
    reader->at += str_from(signs[i].sign).len;
    *ret_meaning = signs[i].meaning;
    return true;
  }
  return false;
}

static void set_high(Requirement *requirement, Release high, bool is_below)
{
  int order = requirement->high.count == 0 ? -1 : release_compare(high, requirement->high);
  if (order > 0 || (order == 0 && !is_below))
    return;
  requirement->high = high;
  requirement->below_high = is_below;
}

static void set_low(Requirement *requirement, Release low)
{
  if (requirement->low.count == 0 || release_compare(low, requirement->low) > 0)
    requirement->low = low;
}

static unsigned caret_count(Release release)
{
  unsigned count = 1;
  while (count < release.count && release.numbers[count - 1] == 0)
    count++;
  return count;
}

static void apply(Requirement *requirement, Meaning meaning, Release release)
{
  if (meaning == MEANS_NOTHING)
    return;
  if (meaning != MEANS_AT_MOST && meaning != MEANS_BELOW)
    set_low(requirement, release);
  switch (meaning) {
  case MEANS_EQUAL:
  case MEANS_AT_MOST:
    set_high(requirement, release, false);
    break;
  case MEANS_BELOW:
    set_high(requirement, release, true);
    break;
  case MEANS_PREFIX:
    set_high(requirement, release_after(release, release.count), true);
    break;
  case MEANS_LIKE:
    set_high(requirement, release_after(release, release.count > 1 ? release.count - 1u : 1), true);
    break;
  case MEANS_CARET:
    set_high(requirement, release_after(release, caret_count(release)), true);
    break;
  case MEANS_TILDE:
    set_high(requirement, release_after(release, release.count > 1 ? 2 : 1), true);
    break;
  case MEANS_AT_LEAST:
  case MEANS_NOTHING:
    break;
  }
}

/// One sign and its number, after which `*` may stand for the rest of it.
static bool read_version(Reader *reader, Meaning meaning, Requirement *requirement)
{
  size_t len;
  skip_blanks(reader);
  Str rest = str_slice(reader->text, reader->at, reader->text.len);
  Release release = release_read(rest, &len);
  if (release.count == 0)
    return false;
  reader->at += len;
  bool is_open = str_starts_with(str_slice(rest, len, rest.len), STR(".*"));
  reader->at += is_open ? 2 : 0;
  // What comes after the numbers, "+cu124" or "-cuda12.1", is the same release.
  while (ascii_is_word(here(reader)) || here(reader) == '+' || here(reader) == '-' || here(reader) == '.')
    reader->at++;
  if (meaning == MEANS_EQUAL || meaning == MEANS_PREFIX)
    requirement->exact = str_slice(rest, 0, len);
  apply(requirement, is_open && meaning == MEANS_EQUAL ? MEANS_PREFIX : meaning, release);
  return true;
}

/// `= "2.6"`, `= "^2.6"`, `= { version = "2.6" }` of TOML; `=2.6` of conda has no quotes.
static bool read_toml(Reader *reader, Requirement *requirement)
{
  skip_blanks(reader);
  Str rest = str_slice(reader->text, reader->at, reader->text.len);
  if (here(reader) == '{') {
    Str line = str_slice(rest, 0, REQUIREMENTS_EXTRAS_LIMIT);
    line = str_slice(line, 0, str_find_char(line, '\n', 0));
    size_t version = str_find(line, STR("version"), 0);
    if (version == STR_NOT_FOUND)
      return false;
    reader->at += version + STR("version").len;
    skip_blanks(reader);
    if (!skip_char(reader, '='))
      return false;
    skip_blanks(reader);
  }
  bool is_quoted = skip_quote(reader);
  requirement->versions.start = reader->at;
  Meaning meaning = is_quoted ? MEANS_EQUAL : MEANS_PREFIX;
  read_sign(reader, &meaning);
  return read_version(reader, meaning, requirement);
}

static void read_versions(Reader *reader, Requirement *requirement)
{
  Meaning meaning;
  if (skip_char(reader, '[')) {  // extras
    size_t end = str_find_char(str_slice(reader->text, 0, reader->at + REQUIREMENTS_EXTRAS_LIMIT), ']', reader->at);
    reader->at = end == STR_NOT_FOUND ? reader->text.len : end + 1;
  }
  skip_blanks(reader);
  skip_char(reader, '(');
  requirement->versions = (Range){ reader->at, reader->at };
  bool goes_on = read_sign(reader, &meaning) && (meaning == MEANS_PREFIX ? read_toml(reader, requirement)
                                                                         : read_version(reader, meaning, requirement));
  while (goes_on) {
    requirement->versions.end = reader->at;
    skip_blanks(reader);
    goes_on = skip_char(reader, ',');
    skip_blanks(reader);
    goes_on = goes_on && read_sign(reader, &meaning) && read_version(reader, meaning, requirement);
  }
}

// --- Lock files ---

/// `version = "2.6.0"` in one of the lines after `name = "torch"`, before the next package.
static void read_locked(Reader *reader, Requirement *requirement)
{
  Str rest = str_slice(reader->text, reader->at, reader->at + 400);
  size_t end = str_find(rest, STR("[["), 0);
  rest = str_slice(rest, 0, end == STR_NOT_FOUND ? rest.len : end);
  size_t version = str_find(rest, STR("\nversion"), 0);
  requirement->is_locked = true;
  requirement->versions = (Range){ reader->at, reader->at };
  if (version == STR_NOT_FOUND)
    return;
  reader->at += version + STR("\nversion").len;
  skip_blanks(reader);
  if (!skip_char(reader, '=') || !read_toml(reader, requirement))
    return;
  requirement->versions.end = reader->at;
}

/// `"torch": {"hashes": [...], "version": "==2.6.0"}` of Pipfile.lock; false if no such object begins here.
static bool read_json(Reader *reader, Requirement *requirement)
{
  Meaning meaning;
  Reader inner = *reader;
  bool is_object = skip_char(&inner, '"');
  skip_blanks(&inner);
  is_object = is_object && skip_char(&inner, ':');
  skip_blanks(&inner);
  if (!is_object || !skip_char(&inner, '{'))
    return false;
  Str rest = str_slice(inner.text, inner.at, inner.at + REQUIREMENTS_OBJECT_LIMIT);
  rest = str_slice(rest, 0, str_find_char(rest, '}', 0));
  size_t version = str_find(rest, STR("\"version\": \""), 0);
  requirement->is_locked = true;
  if (version == STR_NOT_FOUND)
    return true;
  inner.at += version + STR("\"version\": \"").len;
  requirement->versions.start = requirement->versions.end = inner.at;
  if (read_sign(&inner, &meaning) && read_version(&inner, meaning, requirement))
    requirement->versions.end = inner.at;
  return true;
}

// --- Names ---

static bool is_name_char(char c)
{
  return ascii_is_word(c) || c == '-' || c == '.' || c == '/';
}

/// True when the place is in a comment: after a `#`, up to the end of its line.
static bool is_commented(RequirementCursor *cursor, size_t at)
{
  for (; cursor->looked < at; cursor->looked++) {
    char c = cursor->text.data[cursor->looked];
    cursor->in_comment = c == '#' || (cursor->in_comment && c != '\n');
  }
  return cursor->in_comment;
}

static size_t find_name(Str text, Str package, size_t from)
{
  for (size_t at = from; at + package.len <= text.len; at++) {
    if (ascii_to_lower(text.data[at]) == package.data[0] &&
        str_equal_ignore_case(str_slice(text, at, at + package.len), package))
      return at;
  }
  return STR_NOT_FOUND;
}

/// `/torch-2.6.0%2Bcu124-cp311-linux_x86_64.whl`: the name of a file with that package.
static bool is_archive(Str text, Range name)
{
  static const char *const endings[] = { ".whl", ".conda", ".tar.bz2", ".tar.gz" };
  Str rest = str_slice(text, name.end, name.end + REQUIREMENTS_ARCHIVE_LIMIT);
  size_t end = 0;
  if (name.start == 0 || text.data[name.start - 1] != '/' || rest.len < 2 || rest.data[0] != '-' ||
      !ascii_is_digit(rest.data[1]))
    return false;
  while (end < rest.len && (is_name_char(rest.data[end]) || rest.data[end] == '%' || rest.data[end] == '+'))
    end++;
  for (size_t i = 0; i < COUNT(endings); i++) {
    if (str_ends_with(str_slice(rest, 0, end), str_from(endings[i])))
      return true;
  }
  return false;
}

// --- Images ---

/// The first of the monthly images nvidia/pytorch:YY.MM with each torch. Most have a release in the making: up to 22.10
/// that of 1.13 lacks what 1.13 changed in the exporter, up to 21.12 that of 1.11 the same, and what 1.14 was to be
/// became 2.0. Source: the release notes of the images, the versions of NVIDIA's Jetson wheels by image, and what
/// images print when they start; 22.02 and 22.08 are as those around them.
static const struct {
  unsigned year, month;
  const char *torch;  ///< NULL where nothing is known any more.
} images[] = {
  { 20, 1, "1.4" },  { 20, 2, "1.5" },  { 20, 6, "1.6" },  { 20, 8, "1.7" },  { 20, 11, "1.8" },
  { 21, 3, "1.9" },  { 21, 7, "1.10" }, { 22, 1, "1.11" }, { 22, 3, "1.12" }, { 22, 11, "1.13" },
  { 22, 12, "2.0" }, { 23, 6, "2.1" },  { 23, 11, "2.2" }, { 24, 2, "2.3" },  { 24, 5, "2.4" },
  { 24, 8, "2.5" },  { 24, 11, "2.6" }, { 25, 2, "2.7" },  { 25, 5, "2.8" },  { 25, 7, NULL },
};

static bool comes_after(Str text, size_t at, Str wanted)
{
  return at >= wanted.len && str_equal(str_slice(text, at - wanted.len, at), wanted);
}

/// `:24.03-py3` after nvidia/pytorch.
static void read_image(Reader *reader, Requirement *requirement)
{
  size_t len;
  const char *torch = NULL;
  if (!skip_char(reader, ':'))
    return;
  Release tag = release_read(str_slice(reader->text, reader->at, reader->text.len), &len);
  for (size_t i = 0; i < COUNT(images) && tag.count == 2; i++) {
    if (tag.numbers[0] > images[i].year || (tag.numbers[0] == images[i].year && tag.numbers[1] >= images[i].month))
      torch = images[i].torch;
  }
  if (!torch)
    return;
  Reader inner = { str_from(torch), 0 };
  read_version(&inner, MEANS_PREFIX, requirement);
  requirement->versions = (Range){ reader->at, reader->at + len };
}

/// `ARG PYTORCH="1.6.0"`, `ENV TORCH_VERSION=2.1.0` of a Dockerfile, whose FROM or pip line has the name only.
static bool is_variable(Str text, Range torch, Range *ret_name)
{
  Range name = torch;
  if (comes_after(text, name.start, STR("PY")))
    name.start -= 2;
  if (!comes_after(text, name.start, STR("ARG ")) && !comes_after(text, name.start, STR("ENV ")))
    return false;
  bool is_line = name.start == STR("ARG ").len || text.data[name.start - STR("ARG ").len - 1] == '\n';
  if (str_starts_with(str_slice(text, name.end, text.len), STR("_VERSION")))
    name.end += STR("_VERSION").len;
  *ret_name = name;
  return is_line && name.end < text.len && text.data[name.end] == '=';
}

/// The whole name at a place where `package` is written; false if it is part of another one.
static bool whole_name(Str text, Str package, size_t at, Range *ret_name)
{
  bool is_torch = str_equal(package, STR("torch"));
  bool is_runtime = str_equal(package, STR("onnxruntime"));
  Range name = { at, at + package.len };
  if (is_torch && is_variable(text, name, ret_name))
    return true;
  if (is_torch && comes_after(text, at, STR("py")))
    name.start -= 2;
  Str rest = str_slice(text, name.end, text.len);
  if (is_runtime && (str_starts_with(rest, STR("-gpu")) || str_starts_with(rest, STR("_gpu"))))
    name.end += STR("-gpu").len;
  bool is_image = name.start != at &&
                  (comes_after(text, name.start, STR("pytorch/")) || comes_after(text, name.start, STR("nvidia/")));
  *ret_name = name;
  if (is_archive(text, name))
    return true;
  return (is_image || name.start == 0 || !is_name_char(text.data[name.start - 1])) &&
         (name.end == text.len || !is_name_char(text.data[name.end]));
}

static Requirement read_requirement(Str text, Range name)
{
  Requirement requirement = { .name = name };
  Reader reader = { text, name.end };
  bool is_quoted = name.start > 0 && (text.data[name.start - 1] == '"' || text.data[name.start - 1] == '\'');
  if (is_archive(text, name)) {
    requirement.versions = (Range){ ++reader.at, 0 };
    read_version(&reader, MEANS_EQUAL, &requirement);
    requirement.versions.end = reader.at;
  } else if (comes_after(text, name.start, STR("nvidia/"))) {
    read_image(&reader, &requirement);
  } else if (is_quoted && str_ends_with(str_slice(text, 0, name.start - 1), STR("name = "))) {
    read_locked(&reader, &requirement);
  } else if (!is_quoted || !read_json(&reader, &requirement)) {
    read_versions(&reader, &requirement);
  }
  return requirement;
}

bool requirement_next(RequirementCursor *cursor, Requirement *ret_requirement)
{
  Str text = cursor->text;
  for (size_t at; (at = find_name(text, cursor->package, cursor->at)) != STR_NOT_FOUND;) {
    Range name;
    cursor->at = at + 1;
    if (is_commented(cursor, at) || !whole_name(text, cursor->package, at, &name))
      continue;
    *ret_requirement = read_requirement(text, name);
    return true;
  }
  return false;
}

bool requirement_is_before(const Requirement *requirement, Release wanted)
{
  if (requirement->high.count == 0 || wanted.count == 0)
    return false;
  int order = release_compare(requirement->high, wanted);
  return requirement->below_high ? order <= 0 : order < 0;
}

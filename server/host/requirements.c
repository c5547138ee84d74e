#include "host/requirements.h"

#include <dirent.h>

#include "base/ascii.h"
#include "base/limits.h"
#include "host/read_file.h"
#include "text/path.h"

// --- Texts ---

static bool is_name_char(char c)
{
  return ascii_is_word(c) || c == '-' || c == '.' || c == '/';
}

static size_t skip_blanks(Str text, size_t at)
{
  while (at < text.len && (text.data[at] == ' ' || text.data[at] == '\t'))
    at++;
  return at;
}

/// "2.6" of "2.6.0+cu124"; empty if it does not begin with two numbers.
static Str short_version(Str text)
{
  size_t at = 0;
  int numbers = 0;
  while (at < text.len && ascii_is_digit(text.data[at]) && numbers < 2) {
    while (at < text.len && ascii_is_digit(text.data[at]))
      at++;
    if (++numbers < 2 && at + 1 < text.len && text.data[at] == '.' && ascii_is_digit(text.data[at + 1]))
      at++;
    else
      break;
  }
  return numbers == 2 && at <= 7 ? str_slice(text, 0, at) : (Str){ 0 };
}

/// `[dynamo,gpu]`, which nobody writes long.
static size_t skip_extras(Str text, size_t at)
{
  if (at >= text.len || text.data[at] != '[')
    return at;
  size_t end = str_find_char(str_slice(text, 0, at + REQUIREMENTS_EXTRAS_LIMIT), ']', at);
  return end == STR_NOT_FOUND ? text.len : end + 1;
}

/// What pins a version after a name: `==2.6.0`, `=2.6` of conda, `~=2.6.0`, `= "2.6.0"`, `:2.6.0-cuda` of an image.
static Str pinned_after(Str text, size_t at)
{
  at = skip_blanks(text, skip_extras(text, at));
  static const char *const signs[] = { "===", "==", "~=", "=", ":" };
  size_t sign = 0;
  while (sign < COUNT(signs) && !str_starts_with(str_slice(text, at, text.len), str_from(signs[sign])))
    sign++;
  if (sign == COUNT(signs))
    return (Str){ 0 };
  at = skip_blanks(text, at + str_from(signs[sign]).len);
  if (at < text.len && (text.data[at] == '"' || text.data[at] == '\''))
    at++;
  if (str_starts_with(str_slice(text, at, text.len), STR("==")))
    at += 2;
  return short_version(str_slice(text, at, text.len));
}

/// `version = "2.6.0"` in one of the lines after `name = "torch"`, before the next package.
static Str locked_after(Str text, size_t at)
{
  Str rest = str_slice(text, at, at + 400);
  size_t end = str_find(rest, STR("[["), 0);
  rest = str_slice(rest, 0, end == STR_NOT_FOUND ? rest.len : end);
  size_t version = str_find(rest, STR("\nversion"), 0);
  return version == STR_NOT_FOUND ? (Str){ 0 } : pinned_after(rest, version + STR("\nversion").len);
}

/// True when a comment that began in text[from, to), or was open before it (`is_open`), reaches `to`: after a `#`, up
/// to the end of its line.
static bool in_comment(Str text, size_t from, size_t to, bool is_open)
{
  for (size_t i = from; i < to; i++)
    is_open = text.data[i] == '#' || (is_open && text.data[i] != '\n');
  return is_open;
}

/// What the name at `at` pins.
static Str pinned_by(Str text, size_t at, size_t end)
{
  bool is_quoted = at > 0 && (text.data[at - 1] == '"' || text.data[at - 1] == '\'');
  bool is_lock = is_quoted && at >= 8 && str_ends_with(str_slice(text, 0, at - 1), STR("name = "));
  if (is_lock)
    return locked_after(text, end);
  return pinned_after(text, end);
}

/// Notes a version; false if it is not the one that was noted before.
static bool note(Str found, Str *version)
{
  if (found.len == 0)
    return true;
  bool is_same = version->len == 0 || str_equal(*version, found);
  *version = found;
  return is_same;
}

bool requirements_pinned(Str text, Str package, Arena *arena, Str *ret_version)
{
  Str version = { 0 };
  bool is_one = true;
  bool is_torch = str_equal(package, STR("torch"));
  bool is_commented = false;
  size_t looked = 0;
  for (size_t at = str_find(text, package, 0); at != STR_NOT_FOUND && is_one; at = str_find(text, package, at + 1)) {
    size_t end = at + package.len;
    // conda's name of torch, and the other one of the packages of ONNX Runtime.
    size_t start = is_torch && at >= 2 && str_equal(str_slice(text, at - 2, at), STR("py")) ? at - 2 : at;
    end += !is_torch && str_starts_with(str_slice(text, end, text.len), STR("-gpu")) ? STR("-gpu").len : 0;
    // The image pytorch/pytorch is named twice.
    bool is_image = start != at && start >= 8 && str_equal(str_slice(text, start - 8, start), STR("pytorch/"));
    bool is_word = (is_image || start == 0 || !is_name_char(text.data[start - 1])) &&
                   (end == text.len || !is_name_char(text.data[end]));
    is_commented = in_comment(text, looked, at, is_commented);
    looked = at;
    if (is_word && !is_commented)
      is_one = note(pinned_by(text, start, end), &version);
  }
  if (!is_one || version.len == 0)
    return false;
  *ret_version = arena_copy(arena, version);
  return true;
}

bool requirements_metadata(Str name, Str package, Arena *arena, Str *ret_version)
{
  if (!str_starts_with(name, package) || !str_ends_with(name, STR(".dist-info")))
    return false;
  Str rest = str_slice(name, package.len, name.len);
  rest = str_starts_with(rest, STR("_gpu")) ? str_slice(rest, STR("_gpu").len, rest.len) : rest;
  if (!str_starts_with(rest, STR("-")))
    return false;
  Str version = short_version(str_slice(rest, 1, rest.len));
  *ret_version = arena_copy(arena, version);
  return version.len > 0;
}

// --- Folders ---

/// Calls `visit` with the names in a folder until it returns false; the first ones, if there are very many.
static void each_name(const char *folder, bool (*visit)(Str name, void *context), void *context)
{
  DIR *dir = opendir(folder);
  struct dirent *entry;
  for (int seen = 0; dir && seen < REQUIREMENTS_ENTRY_LIMIT && (entry = readdir(dir)) != NULL; seen++) {
    if (!visit(str_from(entry->d_name), context))
      break;
  }
  if (dir)
    closedir(dir);
}

typedef struct Search {
  Arena *arena;
  Str package;
  Str folder;
  Str version;
  Str origin;
} Search;

static bool visit_package(Str name, void *context)
{
  Search *search = context;
  return !requirements_metadata(name, search->package, search->arena, &search->version);
}

static bool visit_python(Str name, void *context)
{
  Search *search = context;
  if (!str_starts_with(name, STR("python3")))
    return true;
  Str packages = arena_printf(search->arena, "%.*s/%.*s/site-packages", STR_ARG(search->folder), STR_ARG(name));
  each_name(packages.data, visit_package, search);
  return search->version.len == 0;
}

/// A virtual environment: what is really installed.
static bool find_environment(Str folder, const char *name, Search *search)
{
  search->folder = arena_printf(search->arena, "%.*s/%s/lib", STR_ARG(folder), name);
  search->origin = arena_copy(search->arena, str_from(name));
  each_name(search->folder.data, visit_python, search);
  return search->version.len > 0;
}

static bool find_in_file(Str folder, Str name, Search *search)
{
  Buffer text = { 0 };
  Str path = path_join(folder, name, search->arena);
  bool is_found = read_whole_file(path.data, REQUIREMENTS_BYTE_LIMIT, &text) == OK &&
                  requirements_pinned(buffer_str(&text), search->package, search->arena, &search->version);
  buffer_done(&text);
  search->origin = arena_copy(search->arena, name);
  return is_found;
}

/// requirements-dev.txt and the like, the first by name, so that the order in the folder does not matter.
static bool visit_requirements(Str name, void *context)
{
  Search *search = context;
  bool is_one = str_starts_with(name, STR("requirements")) && str_ends_with(name, STR(".txt"));
  if (is_one && (search->origin.len == 0 || str_compare(name, search->origin) < 0))
    search->origin = arena_copy(search->arena, name);
  return true;
}

static bool find_other_requirements(Str folder, Search *search)
{
  Str path = arena_copy(search->arena, folder);
  search->origin = (Str){ 0 };
  each_name(path.data, visit_requirements, search);
  return search->origin.len > 0 && find_in_file(folder, search->origin, search);
}

bool requirements_find(Str folder, Str package, Arena *arena, Str *ret_version, Str *ret_origin)
{
  static const char *const environments[] = { ".venv", "venv" };
  static const char *const files[] = { "uv.lock",        "poetry.lock",     "requirements.txt", "constraints.txt",
                                       "pyproject.toml", "environment.yml", "environment.yaml", "Dockerfile" };
  Search search = { .arena = arena, .package = package };
  bool is_found = false;
  for (size_t i = 0; i < COUNT(environments) && !is_found; i++)
    is_found = find_environment(folder, environments[i], &search);
  for (size_t i = 0; i < COUNT(files) && !is_found; i++)
    is_found = find_in_file(folder, str_from(files[i]), &search);
  is_found = is_found || find_other_requirements(folder, &search);
  if (is_found) {
    *ret_version = search.version;
    *ret_origin = search.origin;
  }
  return is_found;
}

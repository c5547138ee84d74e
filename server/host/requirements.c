#include "host/requirements.h"

#include <dirent.h>

#include "base/limits.h"
#include "host/read_file.h"
#include "requirements/requirement.h"
#include "text/path.h"

// --- Texts ---

/// The first two numbers of a release, as facts of torch and runtimes name it, or all that is written.
static Str version_of(Str exact, bool is_short)
{
  size_t end;
  Release release = release_read(exact, &end);
  if (release.count < 2)
    return (Str){ 0 };
  if (!is_short)
    return str_slice(exact, 0, end);
  size_t second = str_find_char(exact, '.', str_find_char(exact, '.', 0) + 1);
  return str_slice(exact, 0, second == STR_NOT_FOUND || second > end ? end : second);
}

/// onnxscript gets operators with every release.
static bool is_short_package(Str package)
{
  return !str_equal(package, STR("onnxscript"));
}

bool requirements_pinned(Str text, Str package, Arena *arena, Str *ret_version)
{
  Str version = { 0 };
  Requirement requirement;
  RequirementCursor cursor = { .text = text, .package = package };
  while (requirement_next(&cursor, &requirement)) {
    Str found = version_of(requirement.exact, is_short_package(package));
    if (found.len > 0 && version.len > 0 && !str_equal(found, version))
      return false;
    version = found.len > 0 ? found : version;
  }
  *ret_version = arena_copy(arena, version);
  return version.len > 0;
}

bool requirements_metadata(Str name, Str package, Arena *arena, Str *ret_version)
{
  if (!str_starts_with(name, package) || !str_ends_with(name, STR(".dist-info")))
    return false;
  Str rest = str_slice(name, package.len, name.len);
  rest = str_starts_with(rest, STR("_gpu")) ? str_slice(rest, STR("_gpu").len, rest.len) : rest;
  if (!str_starts_with(rest, STR("-")))
    return false;
  Str version = version_of(str_slice(rest, 1, rest.len), is_short_package(package));
  *ret_version = arena_copy(arena, version);
  return version.len > 0;
}

// --- Folders ---

/// Calls `visit` with the names in a folder until it returns false; the first ones, if there are very many.
static void each_name(const char *folder, bool (*visit)(Str name, void *context), void *context)
{
  DIR *dir = memory_taken(opendir(folder));
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

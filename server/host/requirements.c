#include "host/requirements.h"

#include <assert.h>
#include <dirent.h>
#include <unistd.h>

#include "base/limits.h"
#include "host/read_file.h"
#include "requirements/requirement.h"
#include "text/path.h"

// --- Texts ---

/// The first two numbers of a release, as facts of torch and runtimes name it, or all of them; without zeros in front.
static Str version_of(Str exact, bool is_short, Arena *arena)
{
  size_t end;
  Release release = release_read(exact, &end);
  if (release.count < 2)
    return (Str){ 0 };
  Str version = arena_printf(arena, "%u.%u", release.numbers[0], release.numbers[1]);
  for (size_t i = 2; !is_short && i < release.count; i++)
    version = arena_printf(arena, "%.*s.%u", STR_ARG(version), release.numbers[i]);
  return version;
}

/// onnxscript gets operators with every release.
static bool is_short_package(Str package)
{
  return !str_equal(package, STR("onnxscript"));
}

/// The one release that is allowed, or the two numbers that all of them begin with: ">=2.6,<2.7".
static Str pinned_by(const Requirement *requirement, bool is_short, Arena *arena)
{
  Release low = requirement->low;
  Release high = requirement->high;
  Str version = version_of(requirement->exact, is_short, arena);
  if (version.len > 0 || !is_short || low.count < 2 || high.count < 2)
    return version;
  int order = release_compare(high, release_after(low, 2));
  bool is_one = order < 0 || (order == 0 && requirement->below_high);
  return is_one ? arena_printf(arena, "%u.%u", low.numbers[0], low.numbers[1]) : version;
}

bool requirements_pinned(Str text, Str package, Arena *arena, Str *ret_version)
{
  Str version = { 0 };
  Requirement requirement;
  RequirementCursor cursor = { .text = text, .package = package };
  while (requirement_next(&cursor, &requirement)) {
    Str found = pinned_by(&requirement, is_short_package(package), arena);
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
  Str version = version_of(str_slice(rest, 1, rest.len), is_short_package(package), arena);
  *ret_version = arena_copy(arena, version);
  return version.len > 0;
}

// --- Folders ---

/// Calls `visit` with the names in a folder until it returns false; the first ones, if there are very many. True when
/// those were all.
static bool each_name(const char *folder, bool (*visit)(Str name, void *context), void *context)
{
  DIR *dir = memory_taken(opendir(folder));
  struct dirent *entry = NULL;
  for (int seen = 0; dir && seen < REQUIREMENTS_ENTRY_LIMIT && (entry = readdir(dir)) != NULL; seen++) {
    if (!visit(str_from(entry->d_name), context))
      break;
  }
  if (dir)
    closedir(dir);
  return !dir || !entry;
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

/// A virtual environment: what is really installed. Windows has no folder for each Python in it.
static bool find_environment(Str folder, Str name, Search *search)
{
  Str packages = arena_printf(search->arena, "%.*s/%.*s/Lib/site-packages", STR_ARG(folder), STR_ARG(name));
  search->folder = arena_printf(search->arena, "%.*s/%.*s/lib", STR_ARG(folder), STR_ARG(name));
  search->origin = arena_copy(search->arena, name);
  each_name(search->folder.data, visit_python, search);
  if (search->version.len == 0)
    each_name(packages.data, visit_package, search);
  return search->version.len > 0;
}

/// What PowerShell's `>` writes is UTF-16; names and versions are ASCII in it.
static void fold_utf16(Buffer *text)
{
  if (!str_starts_with(buffer_str(text), STR("\xff\xfe")))
    return;
  size_t len = 0;
  for (size_t i = 2; i + 1 < text->len; i += 2)
    text->data[len++] = text->data[i + 1] == 0 ? text->data[i] : '?';
  text->len = len;
}

static bool find_in_file(Str folder, Str name, Search *search)
{
  Buffer text = { 0 };
  Str path = path_join(folder, name, search->arena);
  bool is_found = read_whole_file(path.data, REQUIREMENTS_BYTE_LIMIT, &text) == OK;
  fold_utf16(&text);
  is_found = is_found && requirements_pinned(buffer_str(&text), search->package, search->arena, &search->version);
  buffer_done(&text);
  search->origin = arena_copy(search->arena, name);
  return is_found;
}

/// A tree of PyTorch itself, built, installed or neither: what it says of its own version.
static bool find_tree(Str folder, Search *search)
{
  static const struct {
    const char *name;
    Str lead;  ///< What the line begins with.
  } places[] = {
    { "torch/version.py", STR_INIT("__version__ = '") },
    { "version.txt", STR_INIT("") },
    { "setup.py", STR_INIT("version = '") },
  };
  Str own = path_join(folder, STR("torch/onnx/__init__.py"), search->arena);
  if (!str_equal(search->package, STR("torch")) || access(own.data, F_OK) != 0)
    return false;
  for (size_t i = 0; i < COUNT(places) && search->version.len == 0; i++) {
    Buffer text = { 0 };
    search->origin = str_from(places[i].name);
    Str path = path_join(folder, search->origin, search->arena);
    bool is_read = read_whole_file(path.data, REQUIREMENTS_BYTE_LIMIT, &text) == OK;
    Str lead = arena_printf(search->arena, "\n%.*s", STR_ARG(places[i].lead));
    Str all = is_read ? arena_printf(search->arena, "\n%.*s", STR_ARG(buffer_str(&text))) : STR("");
    size_t at = str_find(all, lead, 0);
    if (at != STR_NOT_FOUND)
      search->version = version_of(str_slice(all, at + lead.len, all.len), true, search->arena);
    buffer_done(&text);
  }
  return search->version.len > 0;
}

/// Files that may pin a package, in the order in which they are believed: what was installed before what was wished
/// for.
static const struct {
  Str folder;
  Str name;         ///< The whole name, or how names begin...
  Str ending;       ///< ...that end like this.
  bool is_pattern;  ///< Not the whole name.
} lists[] = {
#define WHOLE(name)                                                                                                    \
  {                                                                                                                    \
    STR_INIT(""), STR_INIT(name), STR_INIT(""), false                                                                  \
  }
#define PATTERN(folder, begin, ending)                                                                                 \
  {                                                                                                                    \
    STR_INIT(folder), STR_INIT(begin), STR_INIT(ending), true                                                          \
  }
  WHOLE("uv.lock"),
  WHOLE("poetry.lock"),
  WHOLE("pdm.lock"),
  WHOLE("pylock.toml"),
  WHOLE("Pipfile.lock"),
  WHOLE("pixi.lock"),
  WHOLE("requirements.txt"),
  WHOLE("constraints.txt"),
  WHOLE("pyproject.toml"),
  WHOLE("Pipfile"),
  WHOLE("setup.cfg"),
  WHOLE("setup.py"),
  WHOLE("pixi.toml"),
  WHOLE("environment.yml"),
  WHOLE("environment.yaml"),
  WHOLE("conda.yml"),
  WHOLE("conda.yaml"),
  WHOLE("Dockerfile"),
  PATTERN("", "requirements", ".txt"),
  PATTERN("requirements", "", ".txt"),
  PATTERN("", "Dockerfile", ""),
  PATTERN("docker", "Dockerfile", ""),
  WHOLE("tox.ini"),
#undef WHOLE
#undef PATTERN
};

Str requirements_glob(size_t index, Arena *arena)
{
  if (index >= COUNT(lists))
    return (Str){ 0 };
  const Str parts[] = { lists[index].folder, lists[index].folder.len > 0 ? STR("/") : STR(""), lists[index].name,
                        lists[index].is_pattern ? STR("*") : STR(""), lists[index].ending };
  return arena_join(arena, parts, COUNT(parts));
}

/// What comes after the last slash; `path` becomes what comes before it.
static Str take_name(Str *path)
{
  size_t slash = str_rfind_char(*path, '/');
  Str name = str_slice(*path, slash == STR_NOT_FOUND ? 0 : slash + 1, path->len);
  *path = str_slice(*path, 0, slash == STR_NOT_FOUND ? 0 : slash);
  return name;
}

/// Of a name in the folder of that name, or in one that has none.
static bool is_list(Str folder, Str name)
{
  for (size_t i = 0; i < COUNT(lists); i++) {
    bool may_be = lists[i].name.len == 0 || str_starts_with(name, str_slice(lists[i].name, 0, 1));  // It mostly isn't.
    if (!may_be || (lists[i].folder.len > 0 && !str_equal(folder, lists[i].folder)))
      continue;
    if (lists[i].is_pattern ? str_starts_with(name, lists[i].name) && str_ends_with(name, lists[i].ending)
                            : str_equal(name, lists[i].name))
      return true;
  }
  return false;
}

bool requirements_is_list(Str path)
{
  Str name = take_name(&path);
  return is_list(take_name(&path), name);
}

typedef struct Names {
  Arena *arena;
  Str begin, ending;
  Str after;  ///< Of names up to this one it is known that they pin nothing.
  Str first;  ///< The first of the others, by name, so that the order in the folder does not matter.
} Names;

static bool visit_list(Str name, void *context)
{
  Names *names = context;
  bool is_one =
      str_starts_with(name, names->begin) && str_ends_with(name, names->ending) && str_compare(name, names->after) > 0;
  if (is_one && (names->first.len == 0 || str_compare(name, names->first) < 0))
    names->first = arena_copy(names->arena, name);
  return true;
}

/// The first files of a folder whose names begin and end like that.
static bool find_in_files(Str folder, Str inner, Str begin, Str ending, Search *search)
{
  Str path = inner.len > 0 ? path_join(folder, inner, search->arena) : arena_copy(search->arena, folder);
  Names names = { search->arena, begin, ending, { 0 }, { 0 } };
  for (int tried = 0; tried < REQUIREMENTS_FILE_LIMIT; tried++) {
    names.first = (Str){ 0 };
    each_name(path.data, visit_list, &names);
    if (names.first.len == 0)
      return false;
    Str name = inner.len > 0 ? path_join(inner, names.first, search->arena) : names.first;
    if (find_in_file(folder, name, search))
      return true;
    names.after = names.first;
  }
  return false;
}

/// Folders of virtual environments.
static const Str environments[] = { STR_INIT(".venv"), STR_INIT("venv"), STR_INIT("env") };

/// What the names that are looked for begin with: each name of each folder is asked.
static bool may_begin(char c)
{
  return strchr("PDcdeprstuv.", c) && c != '\0';
}

bool requirements_may_be_in(Str name)
{
  if (name.len == 0 || !may_begin(name.data[0]))
    return false;
  bool may_pin = is_list(STR(""), name) || str_equal(name, STR("torch"));
  for (size_t i = 0; i < COUNT(environments) && !may_pin; i++)
    may_pin = str_equal(name, environments[i]);
  for (size_t i = 0; i < COUNT(lists) && !may_pin; i++) {
    Str looked_for = lists[i].folder.len > 0 ? lists[i].folder : lists[i].name;
    assert(may_begin(looked_for.data[0]));
    may_pin = lists[i].folder.len > 0 && str_equal(name, looked_for);
  }
  return may_pin;
}

static bool visit_name(Str name, void *context)
{
  (void)context;
  return !requirements_may_be_in(name);
}

bool requirements_may_pin(Str folder)
{
  Arena arena = { 0 };
  bool may_pin = !each_name(arena_copy(&arena, folder).data, visit_name, NULL);
  arena_done(&arena);
  return may_pin;
}

bool requirements_find(Str folder, Str package, Arena *arena, Str *ret_version, Str *ret_origin)
{
  Search search = { .arena = arena, .package = package };
  bool is_found = find_tree(folder, &search);
  for (size_t i = 0; i < COUNT(environments) && !is_found; i++)
    is_found = find_environment(folder, environments[i], &search);
  for (size_t i = 0; i < COUNT(lists) && !is_found; i++) {
    is_found = lists[i].is_pattern ? find_in_files(folder, lists[i].folder, lists[i].name, lists[i].ending, &search)
                                   : find_in_file(folder, lists[i].name, &search);
  }
  if (is_found) {
    *ret_version = search.version;
    *ret_origin = search.origin;
  }
  return is_found;
}

#include "host/crash_list.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/map.h"
#include "host/build_id.h"
#include "host/cache.h"
#include "host/read_file.h"
#include "text/path.h"

enum { BUILD_SIZE = 16 };

static int file = -1;
static char build[BUILD_SIZE + 1];
static Map *crashes;  ///< URI to the int64_t when; NULL for none.

/// What tells this build from others, in hexadecimal digits.
static void name_build(void)
{
  uint64_t hash = hash_add_str(hash_add_str(0, build_id()), STR(ONNXLS_VERSION));
  snprintf(build, sizeof(build), "%016llx", (unsigned long long)hash);
}

/// "1763891044 0123456789abcdef file:///w/a.py"
static void take_line(Str line)
{
  uint64_t when = 0;
  size_t first = str_find_char(line, ' ', 0);
  if (first == STR_NOT_FOUND || !str_to_uint(str_slice(line, 0, first), INT64_MAX, &when))
    return;
  Str rest = str_slice(line, first + 1, line.len);
  Str uri = str_slice(rest, BUILD_SIZE + 1, rest.len);
  if (!str_starts_with(rest, str_from(build)) || uri.len == 0)
    return;
  int64_t *kept = xmalloc(sizeof(*kept));
  *kept = (int64_t)when;
  free(map_put(crashes, uri, kept));
}

static void take_lines(Str text)
{
  if (text.len > 0 && !crashes)
    crashes = map_new();
  for (size_t at = 0; at < text.len;) {
    size_t end = str_find_char(text, '\n', at);
    end = end == STR_NOT_FOUND ? text.len : end;
    take_line(str_slice(text, at, end));
    at = end + 1;
  }
}

void crash_list_open(void)
{
  Arena arena = { 0 };
  Buffer text = { 0 };
  Str folder = cache_make_folder(&arena);
  Str path = path_join(folder, STR("crashes"), &arena);
  name_build();
  if (folder.len > 0 && read_whole_file(path.data, CRASH_LIST_BYTE_LIMIT, &text) == ERR_LIMIT)
    unlink(path.data);  // Old crashes, most of them of old builds.
  take_lines(buffer_str(&text));
  if (folder.len > 0 && file < 0)
    file = open(path.data, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  buffer_done(&text);
  arena_done(&arena);
}

bool crash_list_has(Str uri, int64_t written_at)
{
  const int64_t *when = crashes ? map_get(crashes, uri) : NULL;
  return when && written_at <= *when;
}

static size_t append(char *line, size_t at, Str text)
{
  memcpy(line + at, text.data, text.len);
  return at + text.len;
}

void crash_list_note(const char *uri)
{
  static char line[CRASH_LIST_LINE_LIMIT];  // One write, so that lines of several processes don't mix.
  char room[STR_INT_ROOM];
  Str name = str_from(uri);
  if (file < 0 || name.len + STR_INT_ROOM + BUILD_SIZE + 3 > sizeof(line))
    return;
  size_t len = append(line, 0, str_from_int((int64_t)time(NULL), room));
  line[len++] = ' ';
  len = append(line, len, str_from(build));
  line[len++] = ' ';
  len = append(line, len, name);
  line[len++] = '\n';
  ssize_t ignored = write(file, line, len);
  (void)ignored;
}

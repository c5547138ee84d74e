/// Parses dumps with the torch-ir grammar and checks what the server relies on.
///
///   parse_corpus PATH...              files, or folders with all files below them
///   parse_corpus --cuts PATH...       also cuts at lines' starts: all, or as many as CUTS spread over a long file
///   parse_corpus --bench FILE [RUNS]  MB/s at 64 KB chunks, one tree a chunk
///   parse_corpus --fuzz N SEED PATH   N random mutations of lines of the files
///   parse_corpus --kinds PATH...      how many lines of each kind there are
///
/// A file is parsed whole, and each of its lines alone. Both must give the same nodes, line by line,
/// and neither may have ERROR or MISSING nodes. In a file called `hostile_*` or `damaged_*` lines
/// may be damaged; there, and for mutations, what holds is: a line that no erroneous top-level node
/// touches is sound, and has the nodes that it has alone. `spoiled` counts the sound lines that an
/// erroneous node of a neighbour does touch.
///
/// Exit code: 0 when all is well, 1 when not, 2 on wrong usage.

#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <tree_sitter/api.h>

const TSLanguage *tree_sitter_torch_ir(void);

enum { CHUNK_BYTES = 64 * 1024, KIND_LIMIT = 256, CUT_LIMIT_BYTES = 200 * 1024, CUTS = 40 };

typedef struct Text {
  char *bytes;
  size_t size;
} Text;

// One line's outline: a hash of its top-level nodes, and whether an erroneous one touches it.
typedef struct LineShape {
  uint64_t hash;
  bool damaged;
} LineShape;

typedef struct Lines {
  size_t *starts;
  size_t count;
} Lines;

typedef struct Totals {
  size_t files, lines, bytes;
  size_t errors, missing, spoiled, differing, failed_files;
} Totals;

static size_t kind_counts[KIND_LIMIT];

// ---- Files --------------------------------------------------------------------------------------

static void *must(void *memory)
{
  if (!memory) {
    fputs("out of memory\n", stderr);
    exit(2);
  }
  return memory;
}

static bool read_text(const char *path, Text *ret_text)
{
  FILE *file = fopen(path, "rb");
  if (!file || fseek(file, 0, SEEK_END) != 0)
    return false;
  long size = ftell(file);
  rewind(file);
  ret_text->bytes = must(malloc((size_t)size + 1));
  ret_text->size = fread(ret_text->bytes, 1, (size_t)size, file);
  fclose(file);
  return true;
}

// The end of the line that starts at `start`, its line break included.
static size_t line_end(Text text, size_t start)
{
  for (size_t i = start; i < text.size; i++) {
    if (text.bytes[i] == '\n')
      return i + 1;
    if (text.bytes[i] == '\r')
      return i + 1 < text.size && text.bytes[i + 1] == '\n' ? i + 2 : i + 1;
  }
  return text.size;
}

typedef void FileVisitor(const char *path, void *context);

static int by_name(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool visit_path(const char *path, FileVisitor *visit, void *context)
{
  struct stat status;
  if (stat(path, &status) != 0) {
    perror(path);
    return false;
  }
  if (!S_ISDIR(status.st_mode)) {
    visit(path, context);
    return true;
  }

  DIR *folder = opendir(path);
  if (!folder) {
    perror(path);
    return false;
  }
  char **names = NULL;
  size_t count = 0;
  for (struct dirent *entry; (entry = readdir(folder));) {
    if (entry->d_name[0] == '.')
      continue;
    size_t size = strlen(path) + strlen(entry->d_name) + 2;
    names = must(realloc(names, (count + 1) * sizeof *names));
    names[count] = must(malloc(size));
    snprintf(names[count++], size, "%s/%s", path, entry->d_name);
  }
  closedir(folder);
  if (count)
    qsort(names, count, sizeof *names, by_name);
  bool ok = true;
  for (size_t i = 0; i < count; i++) {
    ok = visit_path(names[i], visit, context) && ok;
    free(names[i]);
  }
  free(names);
  return ok;
}

// ---- Trees --------------------------------------------------------------------------------------

static bool is_missing_or_error(TSNode node, size_t *errors, size_t *missing)
{
  bool bad = false;
  if (ts_node_is_missing(node)) {
    ++*missing;
    bad = true;
  } else if (strcmp(ts_node_type(node), "ERROR") == 0) {
    ++*errors;
    bad = true;
  }
  return bad;
}

// Counts ERROR and MISSING nodes at and below the cursor, and leaves it where it was.
static void count_damage(TSTreeCursor *cursor, size_t *errors, size_t *missing)
{
  if (!ts_node_has_error(ts_tree_cursor_current_node(cursor)))
    return;
  size_t depth = 0;
  for (;;) {
    is_missing_or_error(ts_tree_cursor_current_node(cursor), errors, missing);
    if (ts_tree_cursor_goto_first_child(cursor)) {
      depth++;
      continue;
    }
    while (depth > 0 && !ts_tree_cursor_goto_next_sibling(cursor)) {
      ts_tree_cursor_goto_parent(cursor);
      depth--;
    }
    if (depth == 0)
      return;
  }
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
  return (hash ^ value) * UINT64_C(1099511628211);
}

// The shape of a line: its top-level nodes' kinds and sizes, and those of their named children.
static uint64_t node_hash(uint64_t hash, TSNode node, uint32_t line_start)
{
  hash = mix(hash, ts_node_symbol(node) + 1u);
  hash = mix(hash, ts_node_start_byte(node) - line_start);
  hash = mix(hash, ts_node_end_byte(node) - line_start);
  return mix(hash, ts_node_named_child_count(node));
}

static void count_kinds(TSTree *tree)
{
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  for (bool more = ts_tree_cursor_goto_first_child(&cursor); more; more = ts_tree_cursor_goto_next_sibling(&cursor)) {
    TSSymbol symbol = ts_node_symbol(ts_tree_cursor_current_node(&cursor));
    if (symbol < KIND_LIMIT)
      kind_counts[symbol]++;
  }
  ts_tree_cursor_delete(&cursor);
}

static Lines find_lines(Text text)
{
  size_t capacity = 64;
  Lines lines = { must(malloc(capacity * sizeof *lines.starts)), 0 };
  for (size_t at = 0; at < text.size; at = line_end(text, at)) {
    if (lines.count == capacity)
      lines.starts = must(realloc(lines.starts, (capacity *= 2) * sizeof *lines.starts));
    lines.starts[lines.count++] = at;
  }
  return lines;
}

// Fills the shapes of the lines that start at starts[0..count). A sound node may not cross a line's
// end; when one does, the line that it reaches gets a shape that no line has alone.
static void shape_lines(TSTree *tree, const size_t *starts, size_t count, LineShape *shapes, size_t *errors,
                        size_t *missing)
{
  TSNode root = ts_tree_root_node(tree);
  bool lost = strcmp(ts_node_type(root), "source_file") != 0;
  for (size_t i = 0; i < count; i++)
    shapes[i] = (LineShape){ UINT64_C(14695981039346656037), lost };
  TSTreeCursor cursor = ts_tree_cursor_new(root);
  if (lost) {
    count_damage(&cursor, errors, missing);
  } else if (ts_tree_cursor_goto_first_child(&cursor)) {
    size_t line = 0;
    do {
      TSNode node = ts_tree_cursor_current_node(&cursor);
      uint32_t start = ts_node_start_byte(node), end = ts_node_end_byte(node);
      bool damaged = ts_node_has_error(node) || ts_node_is_missing(node);
      while (line + 1 < count && starts[line + 1] <= start)
        line++;
      for (size_t i = line; i < count && (i == line || starts[i] < end); i++) {
        shapes[i].hash = node_hash(shapes[i].hash, node, (uint32_t)starts[line]);
        shapes[i].damaged = shapes[i].damaged || damaged;
      }
      count_damage(&cursor, errors, missing);
    } while (ts_tree_cursor_goto_next_sibling(&cursor));
  }
  ts_tree_cursor_delete(&cursor);
}

static TSTree *parse(TSParser *parser, const char *bytes, size_t size)
{
  TSTree *tree = ts_parser_parse_string(parser, NULL, bytes, (uint32_t)size);
  return must(tree);
}

// ---- Checks -------------------------------------------------------------------------------------

typedef struct Check {
  TSParser *parser;
  Totals totals;
  bool cuts;
  bool quiet;
} Check;

static bool may_be_damaged(const char *path)
{
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  return strncmp(name, "hostile_", 8) == 0 || strncmp(name, "damaged_", 8) == 0;
}

static void show_line(const char *what, const char *path, size_t line, Text text, size_t start)
{
  size_t size = line_end(text, start) - start;
  printf("  %s %s:%zu: %.*s\n", what, path, line + 1, (int)(size > 200 ? 200 : size), text.bytes + start);
}

// Compares each line's shape in a whole with its shape alone. Returns how many break the promise.
static size_t compare_with_alone(TSParser *parser, Text text, Lines lines, const LineShape *whole, size_t *spoiled,
                                 const char *path)
{
  size_t differing = 0, zero = 0, ignored = 0;
  for (size_t i = 0; i < lines.count; i++) {
    LineShape alone;
    size_t size = (i + 1 < lines.count ? lines.starts[i + 1] : text.size) - lines.starts[i];
    TSTree *tree = parse(parser, text.bytes + lines.starts[i], size);
    shape_lines(tree, &zero, 1, &alone, &ignored, &ignored);
    ts_tree_delete(tree);
    if (whole[i].damaged) {
      *spoiled += !alone.damaged;
    } else if (alone.damaged || alone.hash != whole[i].hash) {
      differing++;
      show_line("differs:", path, i, text, lines.starts[i]);
    }
  }
  return differing;
}

// Parses what comes before and what comes after lines' starts.
static size_t compare_cuts(TSParser *parser, Text text, Lines lines, const LineShape *whole, const char *path)
{
  LineShape *part = must(calloc(lines.count + 1, sizeof *part));
  size_t *starts = must(calloc(lines.count + 1, sizeof *starts));
  size_t differing = 0, ignored = 0;
  for (size_t cut = 1; cut < lines.count; cut += 1 + lines.count / CUTS) {
    for (size_t half = 0; half < 2; half++) {
      size_t first = half ? cut : 0;
      size_t from = lines.starts[first], to = half ? text.size : lines.starts[cut];
      size_t count = half ? lines.count - cut : cut;
      for (size_t i = 0; i < count; i++)
        starts[i] = lines.starts[first + i] - from;
      TSTree *tree = parse(parser, text.bytes + from, to - from);
      shape_lines(tree, starts, count, part, &ignored, &ignored);
      ts_tree_delete(tree);
      for (size_t i = 0; i < count; i++) {
        const LineShape *was = &whole[first + i];
        if (!was->damaged && !part[i].damaged && part[i].hash != was->hash) {
          differing++;
          show_line("differs when cut:", path, first + i, text, lines.starts[first + i]);
        }
      }
    }
  }
  free(part);
  free(starts);
  return differing;
}

static void check_file(const char *path, void *context)
{
  Check *check = context;
  Text text;
  if (!read_text(path, &text)) {
    perror(path);
    check->totals.failed_files++;
    return;
  }
  Lines lines = find_lines(text);
  LineShape *whole = must(calloc(lines.count + 1, sizeof *whole));
  size_t errors = 0, missing = 0, spoiled = 0;
  bool lenient = may_be_damaged(path);

  TSTree *tree = parse(check->parser, text.bytes, text.size);
  shape_lines(tree, lines.starts, lines.count, whole, &errors, &missing);
  count_kinds(tree);
  ts_tree_delete(tree);
  for (size_t i = 0; i < lines.count && !lenient; i++) {
    if (whole[i].damaged)
      show_line("damaged:", path, i, text, lines.starts[i]);
  }
  size_t differing = compare_with_alone(check->parser, text, lines, whole, &spoiled, path);
  if (check->cuts && text.size <= CUT_LIMIT_BYTES)
    differing += compare_cuts(check->parser, text, lines, whole, path);

  bool failed = differing || (!lenient && (errors || missing));
  if (!check->quiet || failed)
    printf("%8zu lines %6zu ERROR %4zu MISSING %4zu spoiled %4zu differing  %s%s\n", lines.count, errors, missing,
           spoiled, differing, path, failed ? "  FAILED" : "");
  check->totals.files++;
  check->totals.lines += lines.count;
  check->totals.bytes += text.size;
  check->totals.errors += errors;
  check->totals.missing += missing;
  check->totals.spoiled += spoiled;
  check->totals.differing += differing;
  check->totals.failed_files += failed;
  free(whole);
  free(lines.starts);
  free(text.bytes);
}

// ---- Bench --------------------------------------------------------------------------------------

static double now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int bench(TSParser *parser, const char *path, int runs)
{
  Text text;
  if (!read_text(path, &text)) {
    perror(path);
    return 2;
  }
  double best = 0;
  size_t chunks = 0;
  for (int run = 0; run < runs; run++) {
    double start = now();
    chunks = 0;
    for (size_t at = 0; at < text.size; chunks++) {
      size_t end = at;
      do
        end = line_end(text, end);
      while (end < text.size && end - at < CHUNK_BYTES);
      ts_tree_delete(parse(parser, text.bytes + at, end - at));
      at = end;
    }
    double speed = (double)text.size / 1e6 / (now() - start);
    best = speed > best ? speed : best;
  }
  printf("%.1f MB/s  (best of %d; %zu bytes in %zu chunks)  %s\n", best, runs, text.size, chunks, path);
  free(text.bytes);
  return 0;
}

// ---- Fuzz ---------------------------------------------------------------------------------------

typedef struct Pool {
  char **lines;
  size_t *sizes;
  size_t count;
} Pool;

static void pool_file(const char *path, void *context)
{
  Pool *pool = context;
  Text text;
  if (!read_text(path, &text))
    return;
  for (size_t at = 0; at < text.size;) {
    size_t end = line_end(text, at);
    if (pool->count % 1024 == 0) {
      pool->lines = must(realloc(pool->lines, (pool->count + 1024) * sizeof *pool->lines));
      pool->sizes = must(realloc(pool->sizes, (pool->count + 1024) * sizeof *pool->sizes));
    }
    pool->lines[pool->count] = must(malloc(end - at));
    memcpy(pool->lines[pool->count], text.bytes + at, end - at);
    pool->sizes[pool->count++] = end - at;
    at = end;
  }
  free(text.bytes);
}

static uint64_t random_state;

static size_t random_below(size_t limit)
{
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return limit ? (size_t)(random_state % limit) : 0;
}

// Changes one place of the buffer; the pieces are those that the scanner looks for.
static size_t mutate(char *buffer, size_t size, size_t capacity)
{
  static const char *const pieces[] = {
    "%",     " : ",  " = ", ", ",        "(",  ")",    "[",    "]",      "\"",   "'",        "\n",
    "\r",    "\r\n", " # ", ", scope: ", "):", ") {",  "^F",   "graph(", "->",   "return (", "block0(",
    "with ", "}",    "<",   ">",         "\\", "\xff", "\xc3", "=",      ":1:2", "::",       " ",
  };
  size_t at = random_below(size + 1);
  switch (random_below(4)) {
  case 0: {  // Delete.
    size_t n = random_below(size - at + 1);
    n = n > 12 ? 12 : n;
    memmove(buffer + at, buffer + at + n, size - at - n);
    return size - n;
  }
  case 1: {  // Insert a piece.
    const char *piece = pieces[random_below(sizeof pieces / sizeof *pieces)];
    size_t n = strlen(piece);
    if (size + n > capacity)
      return size;
    memmove(buffer + at + n, buffer + at, size - at);
    memcpy(buffer + at, piece, n);
    return size + n;
  }
  case 2:  // Any byte, NUL included.
    if (at < size)
      buffer[at] = (char)random_below(256);
    return size;
  default:  // Cut.
    return random_below(8) == 0 ? at : size;
  }
}

static int fuzz(TSParser *parser, size_t rounds, uint64_t seed, const char *path)
{
  enum { CAPACITY = 1 << 16 };
  Pool pool = { 0 };
  if (!visit_path(path, pool_file, &pool) || pool.count == 0)
    return 2;
  random_state = seed * UINT64_C(0x9E3779B97F4A7C15) + 1;
  size_t damaged_texts = 0, line_count = 0, spoiled = 0, differing = 0, errors = 0, missing = 0;
  Text text = { must(malloc(CAPACITY)), 0 };
  double start = now(), slowest = 0;
  for (size_t round = 0; round < rounds && differing == 0; round++) {
    text.size = 0;
    for (size_t n = 1 + random_below(4); n > 0; n--) {
      size_t pick = random_below(pool.count);
      if (text.size + pool.sizes[pick] > CAPACITY)
        break;
      memcpy(text.bytes + text.size, pool.lines[pick], pool.sizes[pick]);
      text.size += pool.sizes[pick];
    }
    for (size_t n = 1 + random_below(4); n > 0; n--)
      text.size = mutate(text.bytes, text.size, CAPACITY);

    double before = now();
    TSTree *tree = parse(parser, text.bytes, text.size);
    double spent = now() - before;
    slowest = spent > slowest ? spent : slowest;
    Lines lines = find_lines(text);
    LineShape *whole = must(calloc(lines.count + 1, sizeof *whole));
    shape_lines(tree, lines.starts, lines.count, whole, &errors, &missing);
    damaged_texts += ts_node_has_error(ts_tree_root_node(tree));
    ts_tree_delete(tree);
    differing += compare_with_alone(parser, text, lines, whole, &spoiled, "mutation");
    line_count += lines.count;
    if (differing) {
      printf("round %zu:\n", round);
      fwrite(text.bytes, 1, text.size, stdout);
    }
    free(whole);
    free(lines.starts);
  }
  printf(
      "%zu mutations, %zu lines: %zu texts damaged, %zu sound lines spoiled, %zu differing; %.1f s, slowest %.1f ms\n",
      rounds, line_count, damaged_texts, spoiled, differing, now() - start, slowest * 1e3);
  for (size_t i = 0; i < pool.count; i++)
    free(pool.lines[i]);
  free(pool.lines);
  free(pool.sizes);
  free(text.bytes);
  return differing != 0;
}

// ---- Main ---------------------------------------------------------------------------------------

static int usage(void)
{
  fputs("usage: parse_corpus [--cuts] [--quiet] [--kinds] PATH...\n"
        "       parse_corpus --bench FILE [RUNS]\n"
        "       parse_corpus --fuzz N SEED PATH\n",
        stderr);
  return 2;
}

static int run_checks(TSParser *parser, int argc, char **argv)
{
  Check check = { .parser = parser };
  bool kinds = false, ok = true;
  int paths = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--cuts") == 0) {
      check.cuts = true;
    } else if (strcmp(argv[i], "--quiet") == 0) {
      check.quiet = true;
    } else if (strcmp(argv[i], "--kinds") == 0) {
      kinds = true;
    } else if (argv[i][0] == '-') {
      return usage();
    } else {
      paths++;
      ok = visit_path(argv[i], check_file, &check) && ok;
    }
  }
  if (!paths)
    return usage();
  Totals t = check.totals;
  printf("%zu files, %zu lines, %zu bytes: %zu ERROR, %zu MISSING, %zu spoiled, %zu differing, %zu files failed\n",
         t.files, t.lines, t.bytes, t.errors, t.missing, t.spoiled, t.differing, t.failed_files);
  if (kinds) {
    const TSLanguage *language = tree_sitter_torch_ir();
    for (TSSymbol i = 0; i < KIND_LIMIT; i++) {
      if (kind_counts[i])
        printf("%10zu %s\n", kind_counts[i], ts_language_symbol_name(language, i));
    }
  }
  return ok && t.failed_files == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
  if (argc < 2)
    return usage();
  TSParser *parser = ts_parser_new();
  if (!ts_parser_set_language(parser, tree_sitter_torch_ir())) {
    fputs("the tree-sitter library does not take this parser's ABI\n", stderr);
    return 1;
  }
  int code;
  if (strcmp(argv[1], "--bench") == 0)
    code = argc == 3 || argc == 4 ? bench(parser, argv[2], argc == 4 ? atoi(argv[3]) : 5) : usage();
  else if (strcmp(argv[1], "--fuzz") == 0)
    code = argc == 5 ? fuzz(parser, strtoul(argv[2], NULL, 10), strtoul(argv[3], NULL, 10), argv[4]) : usage();
  else
    code = run_checks(parser, argc, argv);
  ts_parser_delete(parser);
  return code;
}

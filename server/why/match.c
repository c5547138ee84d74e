#include "why/match.h"

#include "base/ascii.h"
#include "base/vec.h"

enum { KEY = 4, BUCKETS = 4096 };

typedef struct Entry {
  const Message *message;
  Pattern pattern;
  Str key;        ///< The first KEY bytes of its first literal part.
  size_t number;  ///< Of the message.
  struct Entry *next;
} Entry;

struct MatchIndex {
  Entry *buckets[BUCKETS];
  size_t message_count;
};

static uint32_t hash_key(const char *key)
{
  uint32_t value = (uint32_t)(unsigned char)key[0] | (uint32_t)(unsigned char)key[1] << 8 |
                   (uint32_t)(unsigned char)key[2] << 16 | (uint32_t)(unsigned char)key[3] << 24;
  return value * 2654435761u >> 20;
}

static bool is_blank(char c)
{
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_name_byte(char c)
{
  return (c >= 'a' && c <= 'z') || c == '_';
}

/// Reads the hole at the front of `text`; returns its length, 0 if there is none.
static size_t read_hole(Str text, PatternPart *ret_part)
{
  size_t i = 1;
  while (i < text.len && is_name_byte(text.data[i]))
    i++;
  if (text.len < 3 || text.data[0] != '{' || i == 1)
    return 0;
  ret_part->name = str_slice(text, 1, i);
  ret_part->mark = i < text.len && (text.data[i] == '.' || text.data[i] == '*') ? text.data[i] : '\0';
  i += ret_part->mark != '\0';
  return i < text.len && text.data[i] == '}' ? i + 1 : 0;
}

/// The literal part at the front of `text`, up to the next hole.
static Str literal_part(Str text)
{
  PatternPart part;
  size_t i = 0;
  while (i < text.len && (text.data[i] != '{' || read_hole(str_slice(text, i, text.len), &part) == 0))
    i++;
  return str_slice(text, 0, i);
}

Pattern match_compile(Str text, Arena *arena)
{
  PatternPart *parts = ARENA_ARRAY(arena, PatternPart, WHY_HOLE_LIMIT + 1);
  uint32_t count = 0;
  do {
    PatternPart part = { 0 };
    size_t length = read_hole(text, &part);
    if (length == 0)
      part = (PatternPart){ 0 };
    text = str_slice(text, length, text.len);
    part.literal = literal_part(text);
    text = str_slice(text, part.literal.len, text.len);
    parts[count++] = part;
  } while (text.len > 0 && count <= WHY_HOLE_LIMIT);
  return (Pattern){ parts, count };
}

/// Whether `literal` is in `text` at `at`. Blanks of it are any white space, at least one byte. `*ret_end` is after
/// it.
static bool literal_at(Str literal, Str text, size_t at, uint64_t *work, size_t *ret_end)
{
  size_t i = 0;
  while (i < literal.len && at < text.len) {
    (*work)++;
    if (literal.data[i] != ' ') {
      if (literal.data[i++] != text.data[at++])
        return false;
      continue;
    }
    if (!is_blank(text.data[at]))
      return false;
    while (i < literal.len && literal.data[i] == ' ')
      i++;
    for (; at < text.len && is_blank(text.data[at]); at++)
      (*work)++;
  }
  *ret_end = at;
  return i == literal.len;
}

/// How far a hole that starts at `from` may reach.
static size_t hole_limit(PatternPart hole, Str text, size_t from)
{
  size_t limit = from + (hole.mark == '*' ? WHY_HOLE_LONG_LIMIT : WHY_HOLE_LINE_LIMIT);
  size_t end = from;
  if (limit > text.len)
    limit = text.len;
  if (hole.mark == '*')
    return limit;
  while (end < limit && text.data[end] != '\n' && (hole.mark != '.' || !is_blank(text.data[end])))
    end++;
  return end;
}

static void add_hole(Match *match, Str name, Str text)
{
  if (match->hole_count < WHY_HOLE_LIMIT)
    match->holes[match->hole_count++] = (Hole){ name, text };
}

/// A hole in front of everything reaches back over a word or to the start of its line.
static size_t leading_start(PatternPart hole, Str text, size_t at)
{
  size_t start = at;
  while (start > 0 && at - start < WHY_HOLE_LINE_LIMIT && text.data[start - 1] != '\n' &&
         (hole.mark != '.' || !is_blank(text.data[start - 1])))
    start--;
  return start;
}

/// The hole at `from` up to where the literal text after it comes first; false if it does not within the hole's reach.
static bool fill_hole(PatternPart hole, Str text, size_t from, uint64_t *work, Match *match)
{
  size_t limit = hole_limit(hole, text, from);
  Str literal = hole.literal;
  if (literal.len == 0) {
    *work += limit - from;
    size_t end = limit;
    // Markdown around the message: `**... of 12**`.
    while (hole.mark == '.' && end > from + 1 && (text.data[end - 1] == '*' || text.data[end - 1] == '`'))
      end--;
    add_hole(match, hole.name, str_slice(text, from, end));
    match->end = limit;
    return limit > from;
  }
  for (size_t at = from; at <= limit && at < text.len; at++) {
    (*work)++;
    if (text.data[at] != literal.data[0] && !(literal.data[0] == ' ' && is_blank(text.data[at])))
      continue;
    if (!literal_at(literal, text, at, work, &match->end))
      continue;
    add_hole(match, hole.name, str_slice(text, from, at));
    return true;
  }
  return false;
}

/// `export() got ...` says nothing of `my_export() got ...`.
static bool is_inside_word(PatternPart first, Str text, size_t at)
{
  return first.name.len == 0 && at > 0 && ascii_is_word(first.literal.data[0]) && ascii_is_word(text.data[at - 1]);
}

bool match_pattern(const Pattern *pattern, Str text, size_t at, uint64_t *work, Match *ret_match)
{
  const PatternPart *first = &pattern->parts[0];
  Match match;
  match.start = at;
  match.hole_count = 0;
  if (!literal_at(first->literal, text, at, work, &match.end) || is_inside_word(*first, text, at))
    return false;
  if (first->name.len > 0) {
    match.start = leading_start(*first, text, at);
    *work += at - match.start;
    add_hole(&match, first->name, str_slice(text, match.start, at));
    if (match.start == at)
      return false;
  }
  match.weight = (uint32_t)first->literal.len;
  for (uint32_t i = 1; i < pattern->count; i++) {
    if (!fill_hole(pattern->parts[i], text, match.end, work, &match))
      return false;
    match.weight += (uint32_t)pattern->parts[i].literal.len;
  }
  *ret_match = match;
  return true;
}

static void add_entry(MatchIndex *index, const Message *message, Str pattern, Arena *arena)
{
  Pattern compiled = match_compile(pattern, arena);
  Str literal = compiled.parts[0].literal;
  if (literal.len < KEY)
    return;  // The compiler refuses it, too.
  Entry *entry = ARENA_NEW(arena, Entry);
  Entry **bucket = &index->buckets[hash_key(literal.data)];
  *entry = (Entry){ message, compiled, str_slice(literal, 0, KEY), index->message_count, *bucket };
  *bucket = entry;
}

MatchIndex *match_index_new(const SymbolicsDb *db, Arena *arena)
{
  MatchIndex *index = ARENA_NEW(arena, MatchIndex);
  for (uint32_t layer = 0; layer < symbolics_layer_count(db); layer++) {
    const MessageTable *table = symbolics_messages(db, layer);
    for (size_t i = 0; i < table->message_count; i++) {
      for (uint32_t k = 0; k < table->messages[i].pattern_count; k++)
        add_entry(index, &table->messages[i], table->messages[i].patterns[k], arena);
      index->message_count++;
    }
  }
  return index;
}

static int compare_matches(const void *a, const void *b)
{
  const Match *x = a;
  const Match *y = b;
  if (x->start != y->start)
    return x->start < y->start ? -1 : 1;
  return (x->weight < y->weight) - (x->weight > y->weight);
}

typedef struct Search {
  const MatchIndex *index;
  Str text;
  uint64_t work;
  Vec(Match) matches;
  uint8_t *counts;  ///< Matches of each message.
} Search;

/// Everything that begins at `at`.
static void match_at(Search *search, size_t at)
{
  char key[KEY];
  for (size_t i = 0; i < KEY; i++)
    key[i] = is_blank(search->text.data[at + i]) ? ' ' : search->text.data[at + i];
  for (const Entry *entry = search->index->buckets[hash_key(key)]; entry; entry = entry->next) {
    Match match;
    search->work++;
    if (memcmp(entry->key.data, key, KEY) != 0 || search->counts[entry->number] == WHY_MATCH_LIMIT ||
        !match_pattern(&entry->pattern, search->text, at, &search->work, &match))
      continue;
    match.message = entry->message;
    search->counts[entry->number]++;
    vec_push(&search->matches, match);
  }
}

void match_find(const MatchIndex *index, Str text, Arena *arena, MatchList *ret_list)
{
  Search search = { .index = index, .text = text };
  uint64_t limit = (uint64_t)text.len * WHY_WORK_PER_BYTE + WHY_WORK;
  size_t at = 0;
  search.counts = ARENA_ARRAY(arena, uint8_t, index->message_count + 1);
  for (; at + KEY <= text.len && search.work < limit; at++)
    match_at(&search, at);
  size_t count = search.matches.count;
  *ret_list = (MatchList){ ARENA_ARRAY(arena, Match, count), count, at + KEY <= text.len, at };
  if (count > 0)
    memcpy(ret_list->items, search.matches.items, count * sizeof(Match));
  vec_sort(ret_list, compare_matches);
  vec_free(&search.matches);
}

Str match_hole(const Match *match, Str name)
{
  for (uint32_t i = 0; i < match->hole_count; i++) {
    if (str_equal(match->holes[i].name, name))
      return match->holes[i].text;
  }
  return (Str){ 0 };
}

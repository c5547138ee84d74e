/// Finding the catalogue's messages in a text, all at once, in time that grows with the text alone.
///
/// Ownership: an index borrows the messages; matches and their Strs borrow text and messages, arrays live in the arena.
/// Units:     offsets into the text that is searched; work in compared bytes.
/// Errors:    what was not looked at because of the limit on work is said.
/// Threads:   an index is immutable after it was made.
/// Sources:   symbolics-db/README.md, "Messages".
#pragma once

#include "base/limits.h"
#include "facts/messages.h"

typedef struct Hole {
  Str name;
  Str text;
} Hole;

typedef struct Match {
  const Message *message;
  size_t start, end;
  uint32_t weight;  ///< Literal bytes of the pattern: the more, the surer.
  Hole holes[WHY_HOLE_LIMIT];
  uint32_t hole_count;
} Match;

typedef struct MatchList {
  Match *items;  ///< In the order of their starts.
  size_t count;
  bool is_partial;  ///< The limit on work was reached: text after `searched` was not looked at.
  size_t searched;
} MatchList;

typedef struct MatchIndex MatchIndex;

/// Of all layers of the database.
MatchIndex *match_index_new(const SymbolicsDb *db, Arena *arena);
void match_find(const MatchIndex *index, Str text, Arena *arena, MatchList *ret_list);
/// A hole and the literal text after it.
typedef struct PatternPart {
  Str name;   ///< Empty in the first part, if the pattern begins with literal text.
  char mark;  ///< '.' a word, '*' over lines, or '\0'.
  Str literal;
} PatternPart;

typedef struct Pattern {
  const PatternPart *parts;  ///< At least one.
  uint32_t count;
} Pattern;

Pattern match_compile(Str text, Arena *arena);
/// Whether `pattern` matches `text` with its first literal part at `at`. Fills all of `*ret_match` but the message.
bool match_pattern(const Pattern *pattern, Str text, size_t at, uint64_t *work, Match *ret_match);
/// Empty if the match has no such hole.
Str match_hole(const Match *match, Str name);

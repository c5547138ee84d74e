// The matches of a text: which of them count, and which say the same.

#include "why/pick.h"

/// Whether every part of "a & b" is in the text.
static bool holds_all(Str text, Str parts)
{
  Str sign = STR(" & ");
  for (size_t start = 0; start <= parts.len;) {
    size_t end = str_find(parts, sign, start);
    if (str_find(text, str_slice(parts, start, end), 0) == STR_NOT_FOUND)
      return false;
    if (end == STR_NOT_FOUND)
      return true;
    start = end + sign.len;
  }
  return true;
}

/// What `within` of messages that were asked for says of the text.
typedef struct WithinCache {
  Vec(const Message *) holding, lacking;
} WithinCache;

static bool is_among(const Message *const *items, size_t count, const Message *message)
{
  for (size_t i = 0; i < count; i++) {
    if (items[i] == message)
      return true;
  }
  return false;
}

/// Asked once of each message, for a text may be long and hold one often.
static bool is_within(WithinCache *cache, const Why *why, const Message *message)
{
  if (message->within.len == 0 || is_among(cache->holding.items, cache->holding.count, message))
    return true;
  if (is_among(cache->lacking.items, cache->lacking.count, message))
    return false;
  bool holds = holds_all(why->clean.text, message->within);
  if (holds)
    vec_push(&cache->holding, message);
  else
    vec_push(&cache->lacking, message);
  return holds;
}

/// Whether `a` says what `b` says, and surer.
static bool is_surer(const Hit *a, const Hit *b)
{
  MessageLevel first = a->match->message->level;
  MessageLevel second = b->match->message->level;
  if (first == MESSAGE_CONTEXT || second == MESSAGE_CONTEXT)
    return false;
  if (a->match->message == b->match->message && first == MESSAGE_OUTER && a->match->weight == b->match->weight)
    return a > b;  // The one further in is about what really failed.
  bool is_cause = first == MESSAGE_CAUSE;
  bool was_cause = second == MESSAGE_CAUSE;
  if (is_cause != was_cause && (first == MESSAGE_OUTER || second == MESSAGE_OUTER))
    return is_cause;
  return a->match->weight > b->match->weight || (a->match->weight == b->match->weight && a < b);
}

static bool overlaps(const Hit *a, const Hit *b)
{
  return a->match->start < b->match->end && b->match->start < a->match->end;
}

/// Of matches that overlap, the surest stays.
static void drop_overlapped(Why *why)
{
  for (size_t i = 0; i < why->hit_count; i++) {
    for (size_t k = i + 1; k < why->hit_count && why->hits[k].match->start < why->hits[i].match->end; k++) {
      Hit *a = &why->hits[i];
      Hit *b = &why->hits[k];
      if (a->is_dropped || b->is_dropped || !overlaps(a, b))
        continue;
      a->is_dropped = is_surer(b, a);
      b->is_dropped = !a->is_dropped && is_surer(a, b);
    }
  }
}

/// A capture that failed in one way and succeeded in another is not what a later step failed for.
static bool is_overcome(const Why *why, const WhyFailure *failure)
{
  return failure && failure->is_of_strategy && why->cut.has_step[STEP_CAPTURE] &&
         why->cut.steps[STEP_CAPTURE] == STEP_OK && why_outcome(&why->cut) != WHY_SUCCEEDED;
}

void why_make_hits(Why *why)
{
  WithinCache cache = { 0 };
  why->hits = ARENA_ARRAY(why->arena, Hit, why->matches.count);
  for (size_t i = 0; i < why->matches.count; i++) {
    const Match *match = &why->matches.items[i];
    const WhyFailure *failure = why_failure_at(&why->cut, match->start);
    if (why_is_code(&why->cut, &why->clean, match->start) || !is_within(&cache, why, match->message) ||
        is_overcome(why, failure))
      continue;
    why->hits[why->hit_count++] = (Hit){ match, failure, failure ? failure->chain : NO_CHAIN, false };
  }
  vec_free(&cache.holding);
  vec_free(&cache.lacking);
  drop_overlapped(why);
}

// What is wrong where shapes are followed: the first of it is kept.

#include "python/rules/forward/forward_values.h"

void forward_refuse(ShapeWalk *walk, PyRef node, Str why)
{
  if (walk->why.len == 0 && !walk->is_open) {
    walk->where = node;
    walk->why = why;
  }
}

void forward_refuse_none(ShapeWalk *walk, PyRef node, Str what, const Followed *a, const Followed *b)
{
  if (!walk->trial && (a->kind == FOLLOWED_NONE || b->kind == FOLLOWED_NONE))
    forward_refuse(walk, node, arena_printf(walk->export->sink->arena, "%.*s None", STR_ARG(what)));
}

void forward_refuse_tuple(ShapeWalk *walk, PyRef node, Str what, const Followed *of)
{
  if (!walk->trial && of->kind == FOLLOWED_TUPLE)
    forward_refuse(walk, node,
                   arena_printf(walk->export->sink->arena, "%.*s a %s", STR_ARG(what), of->is_list ? "list" : "tuple"));
}

void forward_refuse_for_exporter(ShapeWalk *walk, PyRef node, Str why)
{
  if (walk->why.len > 0 || why.len == 0 || walk->export->kind != EXPORT_TRACES)
    return;
  walk->is_of_exporter = true;
  walk->where = node;
  walk->why = why;
}

void forward_refuse_call(ShapeWalk *walk, PyRef node, Str why)
{
  walk->is_of_exporter = walk->is_of_call = true;
  walk->where = node;
  walk->why = why;
}

RuleId forward_rule_of_exporter(const ShapeWalk *walk)
{
  return walk->is_of_call ? RULE_REFUSED_CALL : RULE_UNSUPPORTED_OP;
}

Str forward_words_of_exporter(const ShapeWalk *walk, const char *with, Arena *arena)
{
  return arena_printf(arena, "With %s, %s%.*s", with, walk->is_of_call ? "" : "forward() ",
                      STR_ARG(walk->is_of_call ? walk->why : arena_printf(arena, "%.*s.", STR_ARG(walk->why))));
}

void forward_refuse_shape(ShapeWalk *walk, PyRef node, Str why, const Shape *shape)
{
  if (walk->why.len == 0)
    walk->refused = *shape;
  forward_refuse(walk, node, why);
}

// The map from byte strings to pointers: growth, removal, keys that share a place in the table, and order.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/map.h"
#include "base/vec.h"

enum { MANY = 2000 };

static char marks[MANY];  ///< Something to point at.

static Str name_of(Arena *arena, int number)
{
  return arena_printf(arena, "name-%d", number);
}

typedef Vec(size_t) Order;

static void note_order(Str key, void *value, void *context)
{
  (void)key;
  vec_push((Order *)context, (size_t)((char *)value - marks));
}

/// The map has exactly those entries of name_of() that the rule chooses, in order.
static void assert_holds(Map *map, int count, bool (*is_there)(int number))
{
  Arena arena = { 0 };
  Order order = { 0 };
  map_each(map, note_order, &order);
  size_t at = 0;
  for (int i = 0; i < count; i++) {
    assert_ptr_equal(map_get(map, name_of(&arena, i)), is_there(i) ? &marks[i] : NULL);
    if (is_there(i))
      assert_int_equal(order.items[at++], i);
  }
  assert_int_equal(order.count, at);
  assert_int_equal(map_count(map), at);
  vec_free(&order);
  arena_done(&arena);
}

static bool is_any(int number)
{
  return number >= 0;
}

static bool is_no_third(int number)
{
  return number % 3 != 0;
}

static void an_empty_map_has_nothing(void **state)
{
  (void)state;
  Map *map = map_new();
  assert_null(map_get(map, STR("a")));
  assert_null(map_remove(map, STR("a")));
  assert_null(map_get(NULL, STR("a")));
  assert_int_equal(map_count(NULL), 0);
  map_each(map, note_order, NULL);
  map_each(NULL, note_order, NULL);
  map_free(map);
  map_free(NULL);
}

static void keys_are_bytes_and_copied(void **state)
{
  (void)state;
  Map *map = map_new();
  char key[] = "key";
  assert_null(map_put(map, str_from(key), &marks[0]));
  key[0] = 'K';
  assert_ptr_equal(map_get(map, STR("key")), &marks[0]);
  assert_null(map_get(map, str_from(key)));
  assert_null(map_put(map, (Str){ 0 }, &marks[1]));
  assert_null(map_put(map, STR("a\0b"), &marks[2]));
  assert_null(map_put(map, STR("a"), &marks[3]));
  assert_ptr_equal(map_get(map, STR("")), &marks[1]);
  assert_ptr_equal(map_get(map, STR("a\0b")), &marks[2]);
  assert_ptr_equal(map_get(map, STR("a")), &marks[3]);
  map_free(map);
}

static void putting_again_replaces(void **state)
{
  (void)state;
  Map *map = map_new();
  assert_null(map_put(map, STR("a"), &marks[0]));
  assert_ptr_equal(map_put(map, STR("a"), &marks[1]), &marks[0]);
  assert_ptr_equal(map_get(map, STR("a")), &marks[1]);
  assert_int_equal(map_count(map), 1);
  map_free(map);
}

static void it_grows_and_keeps_order(void **state)
{
  (void)state;
  Arena arena = { 0 };
  Map *map = map_new();
  for (int i = 0; i < MANY; i++) {
    assert_null(map_put(map, name_of(&arena, i), &marks[i]));
    // Around every size at which the table may be made anew.
    if (i < 100)
      assert_holds(map, i + 1, is_any);
  }
  assert_holds(map, MANY, is_any);
  map_free(map);
  arena_done(&arena);
}

static void what_was_removed_is_gone(void **state)
{
  (void)state;
  Arena arena = { 0 };
  Map *map = map_new();
  for (int i = 0; i < MANY; i++)
    map_put(map, name_of(&arena, i), &marks[i]);
  for (int i = 0; i < MANY; i += 3) {
    assert_ptr_equal(map_remove(map, name_of(&arena, i)), &marks[i]);
    assert_null(map_remove(map, name_of(&arena, i)));
  }
  assert_holds(map, MANY, is_no_third);
  map_free(map);
  arena_done(&arena);
}

static void what_comes_back_is_last(void **state)
{
  (void)state;
  Map *map = map_new();
  Order order = { 0 };
  map_put(map, STR("a"), &marks[0]);
  map_put(map, STR("b"), &marks[1]);
  map_remove(map, STR("a"));
  assert_null(map_put(map, STR("a"), &marks[2]));
  map_each(map, note_order, &order);
  assert_int_equal(order.count, 2);
  assert_int_equal(order.items[0], 1);
  assert_int_equal(order.items[1], 2);
  vec_free(&order);
  map_free(map);
}

/// A table in which every slot was used once must not make searches endless.
static void coming_and_going_never_fills_it(void **state)
{
  (void)state;
  Arena arena = { 0 };
  Map *map = map_new();
  map_put(map, STR("stays"), &marks[0]);
  for (int i = 0; i < MANY; i++) {
    assert_null(map_put(map, name_of(&arena, i), &marks[i]));
    assert_ptr_equal(map_remove(map, name_of(&arena, i)), &marks[i]);
    assert_null(map_get(map, STR("absent")));
  }
  assert_ptr_equal(map_get(map, STR("stays")), &marks[0]);
  assert_int_equal(map_count(map), 1);
  map_free(map);
  arena_done(&arena);
}

/// Names whose hashes end alike, so that they want the same slot of every table of up to 256.
static void find_colliding(Arena *arena, Str *ret_names, size_t count)
{
  size_t found = 0;
  for (int i = 0; found < count; i++) {
    Str name = name_of(arena, i);
    // The last slot: the search for a free one goes around the end.
    if ((str_hash(name) & 0xff) == 0xff)
      ret_names[found++] = name;
  }
}

static void colliding_names_are_told_apart(void **state)
{
  (void)state;
  enum { SHARING = 60 };
  Arena arena = { 0 };
  Str names[SHARING];
  find_colliding(&arena, names, SHARING);
  Map *map = map_new();
  for (size_t i = 0; i < SHARING; i++)
    assert_null(map_put(map, names[i], &marks[i]));
  for (size_t i = 0; i < SHARING; i += 2)
    assert_ptr_equal(map_remove(map, names[i]), &marks[i]);
  // Those after a removed one are still reached, and what comes back is there once.
  for (size_t i = 1; i < SHARING; i += 2)
    assert_ptr_equal(map_get(map, names[i]), &marks[i]);
  assert_ptr_equal(map_put(map, names[SHARING - 1], &marks[0]), &marks[SHARING - 1]);
  assert_int_equal(map_count(map), SHARING / 2);
  map_free(map);
  arena_done(&arena);
}

static void remove_visited(Str key, void *value, void *context)
{
  Map *map = context;
  if (((char *)value - marks) % 3 == 0)
    map_remove(map, key);
}

static void a_visit_may_remove_its_entry(void **state)
{
  (void)state;
  Arena arena = { 0 };
  Map *map = map_new();
  for (int i = 0; i < 100; i++)
    map_put(map, name_of(&arena, i), &marks[i]);
  map_each(map, remove_visited, map);
  assert_holds(map, 100, is_no_third);
  map_free(map);
  arena_done(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_empty_map_has_nothing),        cmocka_unit_test(keys_are_bytes_and_copied),
    cmocka_unit_test(putting_again_replaces),          cmocka_unit_test(it_grows_and_keeps_order),
    cmocka_unit_test(what_was_removed_is_gone),        cmocka_unit_test(what_comes_back_is_last),
    cmocka_unit_test(coming_and_going_never_fills_it), cmocka_unit_test(colliding_names_are_told_apart),
    cmocka_unit_test(a_visit_may_remove_its_entry),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

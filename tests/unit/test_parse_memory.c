// Blocks for tree-sitter keep what is in them whatever happens to others, and all memory goes back with the last one.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#define PARSE_MEMORY_POOLS  // With sanitizers, too.
#include "syntax/parse_memory.c"

#include <cmocka.h>

#include "random_numbers.h"

enum { BLOCKS = 300, LARGEST = 700 };

typedef struct TestBlock {
  unsigned char *memory;
  size_t size;
  unsigned char mark;
} TestBlock;

static void fill(TestBlock *block)
{
  memset(block->memory, block->mark, block->size);
}

static void check(const TestBlock *block, size_t size)
{
  for (size_t i = 0; i < size; i++)
    assert_int_equal(block->memory[i], block->mark);
}

static void change(TestBlock *block, size_t size, unsigned char mark)
{
  check(block, block->size);
  if (mark % 3 == 0) {
    parse_memory_free(block->memory);
    block->memory = parse_memory_take(size);
  } else {
    block->memory = parse_memory_resize(block->memory, size);
    check(block, size < block->size ? size : block->size);
  }
  assert_int_equal((uintptr_t)block->memory % 16, 0);
  block->size = size;
  block->mark = mark;
  fill(block);
}

static void test_blocks(void **state)
{
  (void)state;
  TestBlock blocks[BLOCKS] = { 0 };
  for (size_t step = random_share(200000); step > 0; step--)
    change(&blocks[random_below(BLOCKS)], random_below(LARGEST), (unsigned char)step);
  assert_true(pool.live > 0);
  for (size_t i = 0; i < BLOCKS; i++) {
    check(&blocks[i], blocks[i].size);
    parse_memory_free(blocks[i].memory);
  }
  assert_int_equal(pool.live, 0);
  assert_null(pool.slabs);
}

/// What was given back is taken again, so that a long parse needs no more than what it has at once.
static void test_blocks_are_used_again(void **state)
{
  (void)state;
  void *kept = parse_memory_take(1);
  void *first = parse_memory_take(100);
  parse_memory_free(first);
  for (size_t i = 0; i < 10000; i++)
    parse_memory_free(parse_memory_take(97 + i % 8));
  assert_ptr_equal(parse_memory_take(112), first);
  assert_null(pool.slabs->next);
  parse_memory_free(first);
  parse_memory_free(kept);
  assert_null(pool.slabs);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_blocks),
    cmocka_unit_test(test_blocks_are_used_again),
  };
  return cmocka_run_group_tests_name("memory of tree-sitter", tests, NULL, NULL);
}

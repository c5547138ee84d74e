#include "host/lastwords.h"

#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sanitizer.h"
#include "host/crash_list.h"
#include "host/log.h"

enum {
  SLOT_COUNT = 64,
  TASK_SIZE = 64,
  URI_SIZE = 2048,
  EXIT_NO_MEMORY = 2,  // As in docs/check.md, "Exit codes".
  EXIT_CRASH = 101,
  STACK_SIZE = 16 * 1024,
};

typedef struct Slot {
  char task[TASK_SIZE];
  char uri[URI_SIZE];
  int64_t version;
  atomic_bool is_busy;
  char stack[STACK_SIZE];  ///< For the handler, so that running out of stack gets its line, too.
} Slot;

static Slot slots[SLOT_COUNT];
static atomic_uint slots_taken;
static _Thread_local Slot *own;

static void use_stack(Slot *slot)
{
#ifndef HAS_SANITIZER
  sigaltstack(&(stack_t){ .ss_sp = slot->stack, .ss_size = sizeof(slot->stack) }, NULL);
#endif
}

static Slot *take_slot(void)
{
  unsigned taken = atomic_fetch_add(&slots_taken, 1);
  Slot *slot = &slots[taken < SLOT_COUNT ? taken : SLOT_COUNT - 1];
  if (taken < SLOT_COUNT)
    use_stack(slot);
  return slot;
}

/// What is not printable ASCII is written as in a URI, so that a name does nothing to a terminal.
static void copy(char *to, size_t size, Str from)
{
  static const char digits[] = "0123456789ABCDEF";
  size_t len = 0;
  bool is_plain = true;  // As nearly every one is; it is asked of each file.
  for (size_t i = 0; i < from.len; i++)
    is_plain &= (unsigned char)(from.data[i] - ' ') < 0x7f - ' ';
  if (is_plain && from.len > 0 && from.len + 3 < size) {
    memcpy(to, from.data, from.len);
    to[from.len] = '\0';
    return;
  }
  for (size_t i = 0; i < from.len && len + 3 < size; i++) {
    unsigned char byte = (unsigned char)from.data[i];
    if (byte >= ' ' && byte < 0x7f) {
      to[len++] = from.data[i];
      continue;
    }
    to[len++] = '%';
    to[len++] = digits[byte >> 4];
    to[len++] = digits[byte & 15];
  }
  to[len] = '\0';
}

void lastwords_begin(Str task, Str uri, int64_t version)
{
  if (!own)
    own = take_slot();
  copy(own->task, sizeof(own->task), task);
  copy(own->uri, sizeof(own->uri), uri);
  own->version = version;
  atomic_store(&own->is_busy, true);
}

void lastwords_end(void)
{
  if (own)
    atomic_store(&own->is_busy, false);
}

static void say(const char *text)
{
  ssize_t ignored = write(STDERR_FILENO, text, strlen(text));
  if (log_descriptor() >= 0)
    ignored = write(log_descriptor(), text, strlen(text));
  (void)ignored;
}

static void say_number(int64_t number)
{
  char room[STR_INT_ROOM];
  say(str_from_int(number, room).data);
}

static void say_slot(const Slot *slot, const char *lead)
{
  say(lead);
  say(slot->task);
  if (slot->uri[0]) {
    say(" of ");
    say(slot->uri);
  }
  if (slot->version >= 0) {
    say(" version ");
    say_number(slot->version);
  }
  say("\n");
}

static void say_own(void)
{
  if (own->task[0])
    say_slot(own, atomic_load(&own->is_busy) ? "onnxls:   in " : "onnxls:   idle; last was ");
}

static void say_slots(void)
{
  if (own)
    say_own();
  unsigned taken = atomic_load(&slots_taken);
  for (unsigned i = 0; i < taken && i < SLOT_COUNT; i++) {
    if (&slots[i] != own && atomic_load(&slots[i].is_busy))
      say_slot(&slots[i], "onnxls:   at the same time in ");
  }
}

/// So that the next server leaves the file out.
static void note_indexed(void)
{
  if (own && atomic_load(&own->is_busy) && strcmp(own->task, INDEXING_TASK) == 0)
    crash_list_note(own->uri);
}

/// Not a bug: the machine, or a limit such as `ulimit -v`, has no more to give.
static void on_no_memory(size_t size)
{
  say("onnxls: out of memory: ");
  say_number((int64_t)size);
  say(" bytes more were refused; allow more (ulimit -v), or look at fewer or smaller files at a time\n");
  say_slots();
  _exit(EXIT_NO_MEMORY);
}

#ifdef HAS_SANITIZER

void __sanitizer_set_death_callback(void (*callback)(void));

/// It has words of its own.
static void catch_signals(void)
{
  __sanitizer_set_death_callback(note_indexed);
}

#else

static void on_crash(int number)
{
  say("onnxls: internal error: signal ");
  say_number(number);
  say("\n");
  say_slots();
  note_indexed();
  _exit(EXIT_CRASH);
}

static void catch_signals(void)
{
  struct sigaction action = { .sa_handler = on_crash, .sa_flags = SA_ONSTACK | SA_RESETHAND };
  static const int signals[] = { SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV };
  for (size_t i = 0; i < COUNT(signals); i++)
    sigaction(signals[i], &action, NULL);
}

#endif

void lastwords_install(void)
{
  if (!own)
    own = take_slot();
  memory_on_exhausted(on_no_memory);
  catch_signals();
}

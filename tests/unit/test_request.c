// A request gets one answer: not two, and not none.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "session/request.h"
#include "session/state.h"

enum { MESSAGE_LIMIT = 1 << 20 };

typedef struct Fixture {
  uv_loop_t loop;
  Session *session;
  Buffer sent;  // All bodies, a line each.
} Fixture;

static void write_body(Buffer *body, void *context)
{
  Fixture *fixture = context;
  buffer_append(&fixture->sent, buffer_str(body));
  buffer_append_char(&fixture->sent, '\n');
  buffer_done(body);
}

static Request *new_request(Fixture *fixture)
{
  Str text = STR("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"textDocument/hover\"}");
  return request_new(fixture->session, message_parse(xstrdup_str(text), text.len));
}

static int set_up(void **state)
{
  Fixture *fixture = xcalloc(1, sizeof(*fixture));
  SessionOutput output = { .write = write_body, .context = fixture };
  assert_int_equal(uv_loop_init(&fixture->loop), 0);
  fixture->session = session_new(&fixture->loop, &output, MESSAGE_LIMIT);
  *state = fixture;
  return 0;
}

static int tear_down(void **state)
{
  Fixture *fixture = *state;
  session_free(fixture->session);
  uv_run(&fixture->loop, UV_RUN_DEFAULT);
  assert_int_equal(uv_loop_close(&fixture->loop), 0);
  buffer_done(&fixture->sent);
  free(fixture);
  return 0;
}

static void assert_sent(const Fixture *fixture, const char *expected)
{
  Arena arena = { 0 };
  assert_string_equal(arena_copy(&arena, buffer_str(&fixture->sent)).data, expected);
  arena_done(&arena);
}

static void a_second_answer_is_not_sent(void **state)
{
  Fixture *fixture = *state;
  Request *request = new_request(fixture);
  request_reply(request, STR("1"));
  request_reply(request, STR("2"));
  request_fail(request, RPC_REQUEST_FAILED, "no");
  request_free(request);
  assert_sent(fixture, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":1}\n");
  assert_int_equal(fixture->session->refused_replies, 2);
  assert_int_equal(fixture->session->lost_requests, 0);
}

static void an_error_is_an_answer(void **state)
{
  Fixture *fixture = *state;
  Request *request = new_request(fixture);
  request_fail(request, RPC_REQUEST_FAILED, "no");
  request_reply(request, STR("1"));
  request_free(request);
  assert_sent(fixture, "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32803,\"message\":\"no\"}}\n");
  assert_int_equal(fixture->session->refused_replies, 1);
}

static void one_that_nobody_answered_gets_an_error(void **state)
{
  Fixture *fixture = *state;
  request_free(new_request(fixture));
  assert_sent(fixture, "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":"
                       "{\"code\":-32603,\"message\":\"the server lost this request\"}}\n");
  assert_int_equal(fixture->session->lost_requests, 1);
  assert_int_equal(fixture->session->requests.count, 0);
}

static void a_cancelled_one_is_answered_once(void **state)
{
  Fixture *fixture = *state;
  Request *request = new_request(fixture);
  request_cancel(fixture->session, STR("7"));
  request_cancel(fixture->session, STR("7"));
  request_free(request);
  assert_sent(fixture, "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32800,\"message\":\"cancelled\"}}\n");
  assert_int_equal(fixture->session->refused_replies + fixture->session->lost_requests, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_second_answer_is_not_sent, set_up, tear_down),
    cmocka_unit_test_setup_teardown(an_error_is_an_answer, set_up, tear_down),
    cmocka_unit_test_setup_teardown(one_that_nobody_answered_gets_an_error, set_up, tear_down),
    cmocka_unit_test_setup_teardown(a_cancelled_one_is_answered_once, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

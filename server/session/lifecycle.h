/// From initialize to exit.
///
/// Threads:   the loop thread.
/// Sources:   LSP 3.17 "Server lifecycle".
#pragma once

#include "session/request.h"

void lifecycle_cancel(Session *session, Message *message, Request *request);
void lifecycle_exit(Session *session, Message *message, Request *request);
void lifecycle_initialize(Session *session, Message *message, Request *request);
void lifecycle_initialized(Session *session, Message *message, Request *request);
void lifecycle_set_trace(Session *session, Message *message, Request *request);
void lifecycle_shutdown(Session *session, Message *message, Request *request);
void lifecycle_cancel_progress(Session *session, Message *message, Request *request);

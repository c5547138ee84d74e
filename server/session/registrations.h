/// What the client is asked for once it is initialized, because LSP has it in no capability of a server.
///
/// Errors:    a client that refuses is logged, and sends less.
/// Threads:   the loop thread.
/// Sources:   LSP 3.17 "Register Capability".
#pragma once

#include "session/request.h"

/// News of settings and of the files of every language, and the formatting of ONNX text: as far as the client can.
void registrations_send(Session *session);

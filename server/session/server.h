/// The server process: a session on a stream, with signals and the client's process watched.
///
/// Ownership: options are borrowed for the call.
/// Units:     bytes.
/// Errors:    said on standard error; the return value is the exit code.
/// Threads:   the main thread; call once.
/// Sources:   LSP 3.17 "Implementation Considerations"; docs/protocol.md, "Lifecycle".
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ServerTransport {
  SERVER_STDIO,
  SERVER_PIPE,    ///< `address` is the path of a local socket.
  SERVER_SOCKET,  ///< `address` is a port of 127.0.0.1.
} ServerTransport;

typedef struct ServerOptions {
  ServerTransport transport;
  const char *address;
  int64_t client_process;  ///< 0 if nobody said.
  const char *log_file;    ///< NULL for none.
  size_t message_limit;    ///< 0 for the usual one.
  bool is_unconfined;      ///< The process keeps what it doesn't need (host/sandbox.h).
} ServerOptions;

/// 0 after shutdown and exit (or the end of input), and after SIGTERM; 1 if the client went away without saying so;
/// 2 if the stream could not be opened, or the system gives too few descriptors to begin with.
int server_run(const ServerOptions *options);

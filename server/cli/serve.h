/// `onnxls serve`, which is also what `onnxls` does without any command.
///
/// Ownership: argv belongs to the caller.
/// Errors:    exit codes of session/server.h; EXIT_USAGE for flags that make no sense.
/// Threads:   the main thread.
/// Sources:   docs/protocol.md, "Starting the server".
#pragma once

int cli_serve(int argc, char **argv);

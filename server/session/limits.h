/// Every limit of a session, and why it is what it is. A limit that is reached is said once (client_say_limit()).
///
/// Units:     bytes where a name does not say otherwise. Limits count work, never time: how long something takes
///            depends on the machine. Only delays and what is waited for are times, in ms.
/// Threads:   constants.
/// Sources:   docs/protocol.md, "Limits"; docs/performance.md.
#pragma once

enum {
  // What waits.
  REQUEST_LIMIT = 1000,            ///< Open requests from which on reading pauses: more than any editor asks at once.
  OUTPUT_HIGH = 64 * 1024 * 1024,  ///< To send, from which on nothing new is begun: a few answers about a large dump...
  OUTPUT_LOW = 16 * 1024 * 1024,   ///< ...until it is down to this.
  CHANGED_LIMIT = 1000,            ///< Files and folders that changed, in one scan: the next one begins sooner.

  // What runs at once.
  JOB_LIMIT = 2,         ///< Requests on the pool: analysis and checks need it, too.
  ANALYSIS_THREADS = 4,  ///< Of one document.

  // What runs on the loop; everything else is for the pool.
  LOOP_BYTES = 256 * 1024,   ///< The most that anything there looks at: some 10 ms where reading is slowest.
  INLINE_BYTES = 96 * 1024,  ///< New text that is read there: a little more than one chunk.
  CHECK_BYTES = 64 * 1024,   ///< What rules may look at there, and features that look at everything.
  FOUND_BYTES = 256,         ///< What a diagnostic counts for, where checking costs what is found: about its JSON.

  // Files that are read for a request.
  CLOSED_LIMIT = 4 * 1024 * 1024,  ///< That no editor has open: larger than any symbolic_opset*.py by far.
  EDITED_LIMIT = 4 * 1024 * 1024,  ///< That an action edits.

  // How often a client is told.
  PROGRESS_CHUNKS = 32,  ///< About 2 MB: from here on reading a document takes long enough to show...
  PROGRESS_MS = 50,      ///< ...this often.
  TRIM_CHUNKS = 16,      ///< After reading more than this, free memory goes back to the system.

  // How long to wait.
  DELAY_MIN_MS = 1,        ///< For more edits, before diagnostics: nobody sees this...
  DELAY_MAX_MS = 200,      ///< ...and longer looks broken.
  TURN_MS = 10,            ///< How long requests may keep the loop from reading; there is always another turn.
  SETTINGS_WAIT_MS = 300,  ///< For an editor that was asked for its settings.

  FACTS_ROUNDS = 3,  ///< How often facts are read again that change while they are read.
};

/// What is said once.
typedef enum SessionLimit {
  LIMIT_REQUESTS = 1 << 0,
  LIMIT_OUTPUT = 1 << 1,
  LIMIT_INDEX = 1 << 2,
  LIMIT_CLOSED = 1 << 3,
  LIMIT_EDITED = 1 << 4,
} SessionLimit;

/// How long a session waits, and how often it tells of its progress. No answer depends on these.
///
/// Units:     ms, and chunks of a document.
/// Threads:   constants.
/// Sources:   docs/performance.md.
#pragma once

enum {
  // How often a client is told.
  PROGRESS_CHUNKS = 32,  ///< About 2 MB: from here on reading a document takes long enough to show...
  PROGRESS_MS = 50,      ///< ...this often.

  // How long to wait.
  DELAY_MIN_MS = 1,        ///< For more edits, before diagnostics: nobody sees this...
  DELAY_MAX_MS = 200,      ///< ...and longer looks broken.
  QUIET_MS = 100,          ///< Without an analysis, and what was put off for one is done.
  REST_MS = 500,           ///< Likewise, and memory goes back to the system: longer than between two keystrokes.
  TURN_MS = 10,            ///< How long requests may keep the loop from reading; there is always another turn.
  SETTINGS_WAIT_MS = 300,  ///< For an editor that was asked for its settings.
};

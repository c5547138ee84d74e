/// The session itself: what all of its modules share. Private to session/.
///
/// Each module has a header of its own that says what it does for the others; here is only the state.
///
/// Ownership: the session owns all of it.
/// Units:     times are uv_now() in ms.
/// Threads:   the loop thread owns all of it. A job on the pool sees `client` and `loop`, which stay as they are.
/// Sources:   docs/architecture.md, "A request's way".
#pragma once

#include "base/map.h"
#include "base/vec.h"
#include "host/facts_watch.h"
#include "rpc/frame.h"
#include "session/client.h"
#include "session/index.h"
#include "session/methods.h"
#include "session/workspace_folders.h"
#include "session/workspace_pull.h"

typedef enum Phase {
  PHASE_NEW,  ///< Before `initialize`.
  PHASE_RUNNING,
  PHASE_SHUT_DOWN,
  PHASE_EXITED,
} Phase;

typedef enum Trace {
  TRACE_OFF,
  TRACE_MESSAGES,
  TRACE_VERBOSE,
} Trace;

struct Session {
  uv_loop_t *loop;
  SessionOutput output;
  FrameDecoder decoder;
  Phase phase;
  Trace trace;
  ClientCapabilities client;
  Vec(Incoming) inbox;
  size_t inbox_next;        ///< First that was not looked at.
  Vec(Request *) requests;  ///< All that are open, in any place.
  Vec(Outgoing) outgoing;
  int64_t next_outgoing_id;
  Map *documents;  ///< URI to OpenDocument.
  Map *cells;      ///< URI of a cell to the OpenDocument of its notebook.
  Vec(WorkspacePull *) pulls;
  PulledFiles *pulled;    ///< What the newest pull found on disk; NULL for nothing.
  uint64_t world_stamp;   ///< Another number after each change of files or targets.
  Vec(Request *) jobs;    ///< Heavy requests that wait for room.
  unsigned jobs_running;  ///< On the pool.
  unsigned analyses_running;
  unsigned checks_running;
  bool is_full;     ///< Too much waits to be sent: nothing new is begun.
  bool is_pressed;  ///< Reading was asked to pause.
  bool is_stopping;
  uint64_t next_stamp;  ///< Numbers for texts, targets and results.
  // What the files of the workspace tell each other:
  Index *index;
  Workspace *workspace;  ///< As of index_workspace(); NULL for nothing.
  // Settings:
  Vec(Folder) folders;
  Value *init_options;              ///< NULL if none.
  uint64_t settings_awaited_until;  ///< Analysis waits for the editor's settings; 0 if it need not.
  bool is_initialized;              ///< The client sent `initialized`: now we may ask it things.
  bool settings_changed;            ///< Targets have to be made again.
  uintptr_t settings_round;         ///< Which question about settings is the newest.
  char *last_problems;              ///< What was said about settings, to say it once.
  FactsWatch *facts_watch;          ///< On the files that settings name; NULL before they name any.
  FactsLoad *facts_load;            ///< On the pool; NULL if none is.
  unsigned facts_rounds;            ///< How often they were read for the settings of now.
  // What should not happen, and what was said:
  unsigned refused_replies;  ///< Second answers to one request.
  unsigned lost_requests;    ///< Those that nobody answered.
  unsigned limits_said;      ///< SessionLimit bits.
  size_t most_work;          ///< On the loop at once, so far.
  // Loop handles:
  uv_check_t check;  ///< Runs a turn after each poll.
  uv_idle_t idle;    ///< Active while a turn must follow without waiting.
  uv_timer_t timer;
  uv_timer_t quiet;  ///< Since the last analysis.
  unsigned handles;  ///< That are not closed yet.
};

/// The loop must come back soon: something can go on.
void session_wake(Session *session);
/// What is analysed or checked needs much memory for a moment. Where nothing follows soon, it goes back to the system.
void session_note_work(Session *session);

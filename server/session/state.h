/// What a session is made of. Private to session/.
///
/// The loop thread owns all of it. What a pool thread may touch is said at each field of Request and Analysis.
///
/// A request has one holder at any time: the inbox, a document's list of those that wait for its analysis, the queue of
/// jobs, or the pool. request_reply() and request_fail() send its one reply; a holder frees a request that was answered
/// meanwhile (cancelled) when it comes across it.
///
/// Ownership: said at each field.
/// Units:     times are uv_now() in ms where not said otherwise.
/// Threads:   the loop thread, see above.
/// Sources:   docs/architecture.md, "A request's way".
#pragma once

#include <stdatomic.h>

#include "base/map.h"
#include "base/vec.h"
#include "core/workspace.h"
#include "host/facts_watch.h"
#include "host/settings.h"
#include "lsp/capabilities.h"
#include "lsp/document_params.h"
#include "lsp/navigation_json.h"
#include "lsp/params.h"
#include "lsp/tokens_json.h"
#include "rpc/frame.h"
#include "session/session.h"

typedef struct Method Method;
typedef struct OpenDocument OpenDocument;
typedef struct Analysis Analysis;
typedef struct Progress Progress;
typedef struct Index Index;

enum {
  REQUEST_LIMIT = 1000,  ///< Open requests from which on reading pauses.
  JOB_LIMIT = 2,         ///< Heavy requests at once: analysis needs the pool, too.
  ANALYSIS_THREADS = 4,
  OUTPUT_HIGH = 64 * 1024 * 1024,  ///< Bytes to send from which on nothing new is begun...
  OUTPUT_LOW = 16 * 1024 * 1024,   ///< ...until they are down to this.
  TURN_MS = 10,                    ///< How long requests may keep the loop from reading.
};

typedef struct Request {
  Session *session;
  Message *message;
  const Method *method;  ///< NULL until it is dispatched.
  uint64_t received_ns;
  bool is_answered;
  Arena arena;  ///< The pool thread's while it runs.
  FeatureParams params;
  // While it waits for the analysis of what the client had when it asked:
  Document *text;  ///< Retained.
  int64_t version;
  uint64_t text_stamp;  ///< OpenDocument.stamp of that text.
  // While it runs:
  uv_work_t work;
  Snapshot *snapshot;        ///< Retained.
  Workspace *workspace;      ///< Retained; may be NULL.
  atomic_bool cancelled;     ///< Set by the loop thread, polled by the pool thread.
  Buffer reply;              ///< Written by the pool thread.
  TokenData *tokens_before;  ///< Retained; what a delta is made against, or NULL.
  TokenData *tokens_after;   ///< Made by the answer.
  uint64_t result_id;        ///< For tokens.
  uint64_t target_stamp;     ///< Folder.stamp of the snapshot's target.
} Request;

/// What a feature's answer may look at: it runs on any thread.
typedef struct FeatureCall {
  AnswerContext answer;
  FeatureContext feature;
  const FeatureParams *params;
  Request *request;  ///< For the token fields only.
} FeatureCall;

struct OpenDocument {
  Session *session;
  char *uri;
  char *path;  ///< Empty if the URI is no file.
  char *language_id;
  int64_t version;
  Document *text;
  uint64_t stamp;          ///< A number of its own for each text of the session.
  bool is_desynced;        ///< An edit made no sense: no answers until the text is known again.
  Snapshot *snapshot;      ///< The newest that was made; NULL before the first.
  Analysis *analysis;      ///< In flight on the pool; NULL if none.
  Vec(Request *) waiting;  ///< For analysis, in the order they came.
  TokenData *tokens;       ///< The last answer to semanticTokens; NULL if none.
  bool is_due;             ///< Diagnostics should be made now.
  uint64_t due_at;         ///< When they should be made; 0 if nothing is planned.
  uint64_t dirty_since;    ///< Of the first edit they do not show.
  unsigned streak;         ///< How many edits they do not show.
  double cost_ms;          ///< What an analysis after an edit took lately.
  bool has_said_hidden;    ///< That there are more diagnostics than the limit.
  bool has_said_unread;    ///< That a limit left something out.
};

/// A message that was read and not yet looked at.
typedef struct Incoming {
  Message *message;  ///< NULL if it is a request: that has it.
  Request *request;
} Incoming;

/// A question that we asked the client.
typedef struct Outgoing {
  int64_t id;
  void (*on_answer)(Session *session, const Message *answer, void *context);  ///< `answer` NULL: the session ends.
  void *context;
} Outgoing;

/// A root of the workspace. There is always one more at the end of the list, without a path, for everything else.
typedef struct Folder {
  char *uri;         ///< NULL in that last one.
  char *path;        ///< NULL if the URI is no file.
  Value *file;       ///< What `.onnxls.json` says; NULL if nothing.
  Value *client;     ///< What the editor says for it; NULL if nothing.
  Target *target;    ///< NULL until it is needed.
  bool wants_index;  ///< Its files are looked at for symbolic functions.
  uint64_t stamp;    ///< A number of its own for each target.
} Folder;

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
  Map *documents;         ///< URI to OpenDocument.
  Vec(Request *) jobs;    ///< Heavy requests that wait for room.
  unsigned jobs_running;  ///< On the pool.
  unsigned analyses_running;
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
  // Loop handles:
  uv_check_t check;  ///< Runs a turn after each poll.
  uv_idle_t idle;    ///< Active while a turn must follow without waiting.
  uv_timer_t timer;
  unsigned handles;  ///< That are not closed yet.
};

// session.c
/// The loop must come back soon: something can go on.
void session_wake(Session *session);
/// Sets the timer for the next thing that is planned.
void session_plan_timer(Session *session);

// request.c
Request *request_new(Session *session, Message *message);
/// Frees a request that was answered.
void request_free(Request *request);
/// Begins the reply: what is written next is the result.
Writer request_begin_reply(Request *request);
void request_end_reply(Request *request);
/// Sends a result that is JSON already.
void request_reply(Request *request, Str result);
void request_fail(Request *request, RpcError error, const char *text);
/// Answers the open requests with this id as cancelled.
void request_cancel(Session *session, Str id);
/// A reply to a message that is no request, or has no id that could be read.
void request_refuse(Session *session, const Message *message);

// methods.c
struct Method {
  const char *name;
  enum {
    RUN_STATE,  ///< Changes the session: on the loop, in the order of messages.
    RUN_LIGHT,  ///< A feature that answers at once: on the loop, when the snapshot is there.
    RUN_HEAVY,  ///< A feature that may take long: on the pool.
  } kind;
  enum { IS_REQUEST, IS_NOTIFICATION } shape;
  void (*handle)(Session *session, Message *message, Request *request);  ///< RUN_STATE; `request` NULL if none.
  ParamsReader *read;                                                    ///< Features.
  void (*answer)(FeatureCall *call, Writer *writer);                     ///< Features; writes one JSON value.
  const char *empty;  ///< Features: the answer for a document that is not open, or not in step.
};
const Method *method_find(Str name);
/// Looks at one message; consumes both.
void method_dispatch(Session *session, Incoming incoming);

// client.c
/// Begins a notification: what is written next is its params.
Writer client_begin_notification(Session *session, const char *method, Buffer *body);
void client_end_notification(Session *session, Buffer *body);
/// Asks the client; `params` is JSON, or empty for none.
void client_ask(Session *session, const char *method, Str params,
                void (*on_answer)(Session *session, const Message *answer, void *context), void *context);
void client_take_answer(Session *session, const Message *answer);
void client_forget_all(Session *session);
/// LSP's MessageType.
typedef enum ShowType {
  SHOW_ERROR = 1,
  SHOW_WARNING,
  SHOW_INFO,
  SHOW_LOG,
} ShowType;
/// window/showMessage, which people see.
void client_show(Session *session, ShowType type, const char *format, ...) PRINTF_LIKE(3, 4);
/// window/logMessage, which they find if they look.
void client_log(Session *session, ShowType type, const char *format, ...) PRINTF_LIKE(3, 4);
/// $/logTrace, if the client wants it; `verbose` only if it wants that, too.
void client_trace(Session *session, Str text, const Value *verbose);

// sync.c
void sync_did_open(Session *session, Message *message, Request *request);
void sync_did_change(Session *session, Message *message, Request *request);
void sync_did_close(Session *session, Message *message, Request *request);
void sync_did_save(Session *session, Message *message, Request *request);
OpenDocument *sync_find(const Session *session, Str uri);
void sync_close_all(Session *session);

// analysis.c
/// Does what can be done for this document now: analysis, waiting requests, diagnostics.
void analysis_pump(OpenDocument *document);
void analysis_pump_all(Session *session);
/// Runs the request when the document's present text was analysed.
void analysis_await(OpenDocument *document, Request *request);
/// An edit happened (or an opening): plans diagnostics.
void analysis_plan(OpenDocument *document, bool is_edit);
/// The document goes away: gives up what is in flight, and answers who waits.
void analysis_abandon(OpenDocument *document);
/// When the next planned thing is due; 0 if none.
uint64_t analysis_next_due(const Session *session);

// jobs.c
/// Answers a feature request from a snapshot (retained here), here or on the pool.
void job_run(Request *request, Snapshot *snapshot);
/// The same for a file of the index that no editor has open, as it is on disk; false if there is no such file.
bool job_run_closed(Request *request);
void job_start_waiting(Session *session);

// publish.c
void publish_diagnostics(OpenDocument *document);
void publish_empty(Session *session, Str uri);
void publish_answer(FeatureCall *call, Writer *writer);

// actions.c: both look at the session, so they run on the loop.
void answer_actions(FeatureCall *call, Writer *writer);
void answer_command(FeatureCall *call, Writer *writer);

// answers.c
void answer_completion(FeatureCall *call, Writer *writer);
void answer_definition(FeatureCall *call, Writer *writer);
void answer_folding(FeatureCall *call, Writer *writer);
void answer_highlight(FeatureCall *call, Writer *writer);
void answer_hover(FeatureCall *call, Writer *writer);
void answer_implementation(FeatureCall *call, Writer *writer);
void answer_inlay_hints(FeatureCall *call, Writer *writer);
void answer_links(FeatureCall *call, Writer *writer);
void answer_references(FeatureCall *call, Writer *writer);
void answer_selection(FeatureCall *call, Writer *writer);
void answer_symbols(FeatureCall *call, Writer *writer);
void answer_tokens_delta(FeatureCall *call, Writer *writer);
void answer_tokens_full(FeatureCall *call, Writer *writer);
void answer_tokens_range(FeatureCall *call, Writer *writer);

// answers_code.c
void answer_call_items(FeatureCall *call, Writer *writer);
void answer_incoming_calls(FeatureCall *call, Writer *writer);
void answer_lenses(FeatureCall *call, Writer *writer);
void answer_outgoing_calls(FeatureCall *call, Writer *writer);
void answer_signature(FeatureCall *call, Writer *writer);
void workspace_symbols(Session *session, Message *message, Request *request);

// lifecycle.c
void lifecycle_cancel(Session *session, Message *message, Request *request);
void lifecycle_exit(Session *session, Message *message, Request *request);
void lifecycle_initialize(Session *session, Message *message, Request *request);
void lifecycle_initialized(Session *session, Message *message, Request *request);
void lifecycle_set_trace(Session *session, Message *message, Request *request);
void lifecycle_shutdown(Session *session, Message *message, Request *request);
void lifecycle_ignore(Session *session, Message *message, Request *request);

// index.c
Index *index_new(void);
/// Nothing must be on the pool any more. NULL is fine.
void index_free(Index *index);
/// Is something read in the background?
bool index_is_busy(const Index *index);
/// The newest of all files; borrowed until the next call. NULL for nothing.
const Workspace *index_workspace(Session *session);
/// Does the file at `uri` tell the others anything?
bool index_has(const Session *session, Str uri);
/// Folders or settings changed: reads the Python files and dumps of other folders than before, in the background.
void index_update(Session *session);
/// A new snapshot of an open document is there.
void index_take(OpenDocument *document);
/// A file changed on disk, or its document was closed: what is on disk counts.
void index_read_file(Session *session, Str uri);
/// Gives up what runs.
void index_stop(Session *session);

// workspace.c
void workspace_init(Session *session, const Value *params);
void workspace_done(Session *session);
/// Registers for changes and asks the editor for its settings.
void workspace_start(Session *session);
void workspace_did_change_configuration(Session *session, Message *message, Request *request);
void workspace_did_change_folders(Session *session, Message *message, Request *request);
void workspace_did_change_files(Session *session, Message *message, Request *request);
/// The folder a file is in; borrowed until settings or folders change. An empty path is that of no file.
const Folder *workspace_folder(const Session *session, Str path);
/// Makes targets from changed settings, says what is wrong with them, and has documents checked again.
void workspace_apply_changes(Session *session);
/// The workspace's symbolic functions are others now: targets and dumps follow.
void workspace_apply_symbolics(Session *session);
/// What code lenses say is another thing now.
void workspace_refresh_lenses(Session *session);
/// A settings file was saved in the editor.
void workspace_on_saved(Session *session, Str uri);

// progress.c
/// NULL if the client shows none. `title` is shown as it is.
Progress *progress_new(Session *session, const char *title);
void progress_report(Progress *progress, unsigned percent);
/// Ends it, however far it came. NULL is fine.
void progress_end(Progress *progress);

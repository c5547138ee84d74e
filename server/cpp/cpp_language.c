#include "cpp/cpp_language.h"

#include <stdlib.h>

#include "core/features.h"
#include "core/whole_text.h"
#include "core/workspace.h"
#include "cpp/cpp_library.h"

typedef struct CppModel {
  CppOperators operators;  ///< In the arena.
  Arena arena;
} CppModel;

// --- The model ---

static void *plan_source(const Snapshot *snapshot, const void *previous)
{
  (void)previous;
  const Document *document = snapshot_document(snapshot);
  Arena arena = { 0 };
  Str text = document_slice(document, (Range){ 0, document_length(document) }, &arena);
  bool is_relevant = cpp_library_is_relevant(text);
  arena_done(&arena);
  return is_relevant ? (void *)snapshot : NULL;
}

static void *finish_plan(void *plan)
{
  const Document *document = snapshot_document(plan);
  CppModel *model = xcalloc(1, sizeof(*model));
  Str text = document_slice(document, (Range){ 0, document_length(document) }, &model->arena);
  model->operators = cpp_library_operators(text, &model->arena);
  return model;
}

static void free_model(void *cpp_model)
{
  CppModel *model = cpp_model;
  Arena arena = model->arena;
  arena_done(&arena);
  free(model);
}

static const LanguageModel cpp_model = {
  .plan = plan_source,
  .plan_finish = finish_plan,
  WHOLE_TEXT_STEPS,
  .free = free_model,
};

// --- The row ---

static void summarize(const Snapshot *snapshot, WorkspaceFile *file)
{
  const CppModel *model = snapshot_model(snapshot);
  workspace_file_take_operators(file, snapshot_document(snapshot), model->operators.items, model->operators.count);
}

static const LanguageFeatures no_features;

const Language cpp_language = {
  .name = "cpp",
  .title = "a C++ source",
  .sets = IN_SOURCES,
  .endings = (const LanguageEnding[]){ { STR_INIT(".cpp"), false },
                                       { STR_INIT(".cc"), false },
                                       { STR_INIT(".cxx"), false },
                                       { STR_INIT(".cu"), false },
                                       { STR_INIT(".cuh"), false },
                                       { STR_INIT(".h"), false },
                                       { STR_INIT(".hpp"), false },
                                       { { 0 }, false } },
  .goes_by_name = true,
  .first_code = "all code",
  .unread_advice = "split the file",
  .is_relevant = cpp_library_is_relevant,
  .model = &cpp_model,
  .check = whole_text_check_nothing,
  .each_unread = whole_text_each_unread,
  .summarize = summarize,
  .features = &no_features,
};

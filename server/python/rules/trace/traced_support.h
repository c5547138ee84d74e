/// Functions of torch in forward() that the TorchScript exporter can't convert at any opset. Private to rules/.
///
/// Ownership: what a TracedSupport points to is the workspace's.
/// Units:     nodes of the sink's Python file.
/// Errors:    nothing is said where an export may take another exporter, or the file makes functions known that are
///            not counted.
/// Threads:   as DiagSink.
/// Sources:   exports of PyTorch's own database of operators with torch 1.13, 2.6 and 2.14.
#pragma once

#include "core/workspace.h"
#include "python/rules/export/exported_code.h"

struct TracedSupport {
  bool is_judged;
  int opset;                                 ///< The newest that exports of its models name; 0 if one names none.
  bool has_linear, has_crops, has_compiled;  ///< The file calls something that is named so.
  bool has_padding;                          ///< The same: pad_packed_sequence().
  const WorkspaceSymbolic *unknown;          ///< May be for any operator; NULL. See core/unknown_registration.h.
};

/// Whether each export of the file surely takes the TorchScript exporter and asks for no other kind of nodes, and all
/// functions are counted that the file makes known. Also of one that exports nothing. `for_others`: or may take it, if
/// which one torch takes by itself is not known.
bool traced_support_is_plain(DiagSink *sink, bool for_others);
/// What the whole file decides, with the exports of other files that reach its models.
TracedSupport traced_support(DiagSink *sink, const ExportedReach *reach);
/// Of `y[mask] = 0`, where `subscript` is what is written.
void traced_support_check_write(Forward *forward, PyRef subscript);
/// Of a call that an export surely runs; forward->support is what the file decides.
void traced_support_check(Forward *forward, const PyCall *call);

/// Overlays in JSON (docs/overlay.schema.json) to records, for facts that users write or export.
///
/// Ownership: nothing is kept of `text`.
/// Units:     bytes.
/// Errors:    mistakes become messages of the records, "file: onnx[3].inputs[0]: what"; what is right is read all the
///            same, but records_pack() refuses a file with mistakes.
/// Threads:   one thread at a time for one Records.
/// Sources:   docs/overlay.schema.json.
#pragma once

#include "records.h"

void overlay_read_json(Records *records, Str file, Str text);

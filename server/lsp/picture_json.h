/// Pictures as JSON: what the page draws, in an editor and in a file.
///
/// Ownership: borrows everything.
/// Units:     lines from 0, pixels. Members that say nothing are left out.
/// Threads:   pure.
/// Sources:   docs/protocol.md, "Pictures".
#pragma once

#include "core/picture.h"
#include "rpc/writer.h"

void picture_json_write(Writer *writer, const Picture *picture);

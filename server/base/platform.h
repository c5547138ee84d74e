/// What people on different systems write differently. What the systems themselves do otherwise is kept from us by the
/// folder windows/, and by host/windows/.
///
/// Threads:   constants.
#pragma once

#ifdef _WIN32
#define PATH_LIST_SEPARATOR ";"
#define PROGRAM_ENDING      ".exe"
#else
#define PATH_LIST_SEPARATOR ":"
#define PROGRAM_ENDING      ""
#endif

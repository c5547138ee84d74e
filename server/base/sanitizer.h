/// Whether this is a build with AddressSanitizer or ThreadSanitizer, which handle signals and look into the process
/// themselves.
///
/// Threads:   constants.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HAS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HAS_SANITIZER 1
#endif
#endif

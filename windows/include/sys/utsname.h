/// What machine this is.
///
/// Threads:   any.
#pragma once

struct utsname {
  char sysname[16];
  char machine[16];
};

int uname(struct utsname *ret_name);

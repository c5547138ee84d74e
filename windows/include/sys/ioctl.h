/// The width of a console.
///
/// Threads:   any.
#pragma once

enum { TIOCGWINSZ = 1 };

struct winsize {
  unsigned short ws_row;
  unsigned short ws_col;
};

/// 0, or -1 where the descriptor is no console.
int ioctl(int descriptor, int request, struct winsize *ret_size);

#!/bin/bash
# Runs a program for Windows by Debian's wine64, whose own words on standard error nobody needs. Wine knows pipes and
# files; the sockets that Node has instead of pipes get a pipe in between.
export WINEDEBUG="${WINEDEBUG:--all}" WINEPREFIX="${WINEPREFIX:-$HOME/.wine-onnxls}"
export WINESERVER="${WINESERVER:-/usr/lib/wine/wineserver64}"
export LC_ALL="${LC_ALL:-C.UTF-8}"  # Names of files are UTF-8.
[ ! -S /dev/stdin ] || exec < <(exec cat)
[ ! -S /dev/stdout ] || exec > >(exec cat)
exec /usr/lib/wine/wine64 "$@"

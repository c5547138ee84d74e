#!/bin/sh
# build.sh [--server FILE] [--target NAME] [--output DIR]: checks and bundles the extension, and packages it twice:
#
#   onnxls-VERSION.vsix           for every system; the server is the one that the user has
#   onnxls-NAME-VERSION.vsix      with the server in it, for linux-x64, or for NAME: linux-arm64, win32-x64
#
# The server in the package is FILE, stripped, or one that is built here with nothing but the C library to be found at run
# time, on Linux on x86-64.
# DIR is build/vscode unless you say otherwise.
set -eu

die() {
  echo "build.sh: $*" >&2
  exit 1
}

usage() {
  die "usage: build.sh [--server FILE] [--target NAME] [--output DIR]"
}

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
server=
target=linux-x64
output=$root/build/vscode
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || usage
  case $1 in
  --server) server=$(realpath "$2") ;;
  --target) target=$2 ;;
  --output) output=$2 ;;
  *) usage ;;
  esac
  shift 2
done
mkdir -p "$output"
output=$(cd "$output" && pwd)
cd "$here"

install_packages() {
  if ! cmp -s package-lock.json node_modules/.onnxls-lock; then
    npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
    cp package-lock.json node_modules/.onnxls-lock
  fi
}

build_server() {
  build=$root/build/static
  (cd "$root" && cmake --preset static) >"$output/configure.log" ||
    die "$output/configure.log says why the server can't be built"
  cmake --build "$build" --target onnxls -- --quiet
  server=$build/onnxls
}

# Of the libraries that are in the program, as Debian and npm have them.
copy_licences() {
  mkdir -p "$1"
  for library in libuv1 libjansson libprotobuf-c; do
    [ ! -e "/usr/share/doc/$library-dev/copyright" ] || cp "/usr/share/doc/$library-dev/copyright" "$1/$library.txt"
  done
  cp "$root/node_modules/tree-sitter/LICENSE" "$1/tree-sitter.txt"
  cp "$root/node_modules/tree-sitter/vendor/tree-sitter/lib/src/unicode/LICENSE" "$1/tree-sitter-unicode.txt"
  cp "$root/node_modules/tree-sitter-python/LICENSE" "$1/tree-sitter-python.txt"
}

# package FILE [OPTION ...], with the same bytes each time. Links of README.md begin in this folder, not in the repository's.
package() {
  file=$1
  shift
  node node_modules/@vscode/vsce/vsce package --no-dependencies --baseContentUrl "$repository/blob/HEAD/$folder" \
    --baseImagesUrl "$repository/raw/HEAD/$folder" --out "$file" "$@" >"$output/vsce.log" 2>&1 || {
    cat "$output/vsce.log" >&2
    exit 1
  }
  node "$root/packaging/zip.mjs" "$file"
  echo "$file"
}

install_packages
npx --no-install tsc --noEmit
npm run --silent bundle -- --log-level=warning
trap 'rm -rf "$here/server" "$here/LICENSE.txt" "$here/CHANGELOG.md"' EXIT
cp "$root/LICENSE" LICENSE.txt
cp "$root/CHANGELOG.md" CHANGELOG.md
version=$(node -p 'require("./package.json").version')
repository=$(node -p 'require("./package.json").repository.url.replace(/\.git$/, "")')
folder=$(node -p 'require("./package.json").repository.directory')
rm -rf server
package "$output/onnxls-$version.vsix"

if [ -n "$server" ] || [ "$(uname -s)-$(uname -m)" = Linux-x86_64 ]; then
  [ -n "$server" ] || build_server
  name=onnxls
  [ "$target" != win32-x64 ] || name=onnxls.exe
  mkdir -p server
  cp "$server" "server/$name"
  chmod 755 "server/$name"
  [ "$target" != linux-x64 ] || strip "server/$name"
  copy_licences server/licences
  package "$output/onnxls-$target-$version.vsix" --target "$target"
fi

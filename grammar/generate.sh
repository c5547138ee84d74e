#!/bin/sh
# Regenerate the parsers of the grammars in this folder, or check that they are current.
#
#   generate.sh            write src/parser.c and its companions of every grammar
#   generate.sh --check    generate into a temporary folder; fail when anything differs from the tree
#   generate.sh --test     run test/corpus and test/highlight of every grammar
#   generate.sh --tool     print the command line of the tree-sitter CLI, getting it first if needed
#
# The result depends on the generator's version, so exactly one is used: Debian 13's tree-sitter-cli.
# It is taken from the Debian mirror that apt already uses and unpacked under build/tools with the
# C library that it needs; nothing is installed and no root rights are needed. grammar.js needs node.
set -eu

WANTED=0.22.6
SUITE=trixie
ABI=14

here=$(cd "$(dirname "$0")" && pwd)
tools=${ONNXLS_TOOLS:-$(dirname "$here")/build/tools}
root=$tools/tree-sitter-cli

die() {
  echo "generate.sh: $*" >&2
  exit 1
}

# The mirror that apt takes the base system from.
mirror() {
  apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/$'
}

# A private apt: own sources, lists and cache, so the machine's own configuration stays as it is.
get_cli() {
  uri=$(mirror)
  [ -n "$uri" ] || die "apt knows no Debian mirror"
  keyring=/usr/share/keyrings/debian-archive-keyring.gpg
  [ -r "$keyring" ] || die "$keyring is missing"
  arch=$(dpkg --print-architecture)

  apt=$tools/apt
  rm -rf "$apt" "$root.new"
  mkdir -p "$apt/lists/partial" "$apt/archives/partial" "$apt/etc" "$apt/parts" "$root.new"
  : >"$apt/status"
  echo "deb [arch=$arch signed-by=$keyring] $uri $SUITE main" >"$apt/sources.list"
  # Without a user of its own apt can read and write these folders wherever they are.
  set -- -q -o "Dir::State=$apt" -o "Dir::State::status=$apt/status" -o "Dir::State::lists=$apt/lists" \
    -o "Dir::Cache=$apt" -o "Dir::Cache::archives=$apt/archives" \
    -o "Dir::Etc::sourcelist=$apt/sources.list" -o "Dir::Etc::sourceparts=$apt/parts" \
    -o "Dir::Etc::preferences=$apt/etc/none" -o "Dir::Etc::preferencesparts=$apt/parts" \
    -o "APT::Sandbox::User=$(id -un)" -o "APT::Architecture=$arch" -o "APT::Architectures=$arch"
  apt-get "$@" update >&2 || die "apt-get update failed"
  (cd "$apt/archives" && apt-get "$@" download tree-sitter-cli libc6 libgcc-s1 >&2) || die "download failed"
  for deb in "$apt"/archives/*.deb; do
    dpkg-deb -x "$deb" "$root.new"
  done
  rm -rf "$apt" "$root"
  mv "$root.new" "$root"
}

cli() {
  "$loader" --library-path "$libs" "$root/usr/bin/tree-sitter" "$@"
}

find_cli() {
  [ -x "$root/usr/bin/tree-sitter" ] || get_cli
  # Debian 13 keeps everything under /usr; the loader's name differs between machines.
  loader=$(find "$root" -name 'ld-linux*.so*' | head -n 1)
  [ -n "$loader" ] || die "no dynamic loader in $root"
  libs=$(dirname "$(find "$root" -name 'libc.so.6' | head -n 1)")
  version=$(cli --version) || die "the tree-sitter CLI does not run"
  case $version in
    "tree-sitter $WANTED"*) ;;
    *) die "wanted tree-sitter $WANTED, found $version" ;;
  esac
}

grammars() {
  for js in "$here"/*/grammar.js; do
    [ -e "$js" ] && dirname "$js"
  done
}

# generate FOLDER: the CLI writes src/ beside grammar.js and may add binding files; keep only src/.
generate() {
  (cd "$1" && cli generate --no-bindings --abi "$ABI") || die "$1: generation failed"
}

# The CLI wants writable folders of its own; give it some outside the user's home.
isolate() {
  scratch=$(mktemp -d)
  trap 'rm -rf "$scratch"' EXIT
  trap 'exit 130' INT TERM
  mkdir -p "$scratch/home"
  export HOME="$scratch/home" XDG_CONFIG_HOME="$scratch/home" XDG_CACHE_HOME="$scratch/home"
  export TREE_SITTER_DIR="$scratch/home" TREE_SITTER_LIBDIR="$scratch/home/lib"
  mkdir -p "$TREE_SITTER_LIBDIR"
}

generated='parser.c grammar.json node-types.json tree_sitter'

check() {
  cp -R "$here" "$scratch/grammar"
  failed=0
  for dir in $(grammars); do
    copy=$scratch/grammar/$(basename "$dir")
    for file in $generated; do rm -rf "$copy/src/$file"; done
    generate "$copy"
    diff -r "$copy/src" "$dir/src" >"$scratch/diff" || failed=1
    head -n 20 "$scratch/diff" >&2
  done
  [ "$failed" = 0 ] || die "generated files are not current; run grammar/generate.sh"
}

case ${1-} in
  '' | --check | --test | --tool) ;;
  *) die "unknown argument $1" ;;
esac
isolate
find_cli
case ${1-} in
  --check) check ;;
  --tool) echo "$loader --library-path $libs $root/usr/bin/tree-sitter" ;;
  --test) for dir in $(grammars); do (cd "$dir" && cli test) || die "$dir: tests failed"; done ;;
  *) for dir in $(grammars); do generate "$dir"; done ;;
esac

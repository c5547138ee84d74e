#!/bin/sh
# install.sh: connects the editors of this user to onnxls. `install.sh --help` says what it does.
set -eu

usage() {
  cat <<'END'
usage: install.sh [--dry-run] [--uninstall] [--force] [server] [neovim] [emacs] [vscode]

Connects the editors that it finds, or only those that you name, to onnxls:

  server   ~/.local/bin/onnxls becomes a link to the program, if none is on the PATH
  neovim   a link among Neovim's packages (~/.local/share/nvim/site/pack/onnxls)
  emacs    the package onnxls, installed by Emacs itself among yours
  vscode   the extension onnxls, installed by VS Code itself (code, codium, code-insiders, code-server)

  --dry-run     say what would be done, and do nothing
  --uninstall   take away what it made
  --force       replace what is in the way, and remove what it did not make

It works for you alone and needs no root. Your own files, such as init.el, init.lua and settings.json, are never changed:
where a line of yours is wanted, it says which. Doing it twice is doing it once.
END
}

here=$(cd "$(dirname "$0")" && pwd -P)
home=${HOME:?is not set}
data=${XDG_DATA_HOME:-$home/.local/share}
dry_run=
uninstall=
force=
failures=0

say() {
  printf '%-8s %s\n' "$1:" "$2"
}

fail() {
  say "$1" "$2" >&2
  failures=$((failures + 1))
}

# run WORD TEXT COMMAND...: says TEXT and does COMMAND; only says it in a dry run.
run() {
  word=$1
  text=$2
  shift 2
  if [ -n "$dry_run" ]; then
    say "$word" "would $text"
    return 0
  fi
  say "$word" "$text"
  output=$("$@" 2>&1) || fail "$word" "that failed: $output"
}

has() {
  command -v "$1" >/dev/null 2>&1
}

# Where things lie: in an unpacked archive, or in a checkout.
find_server() {
  for file in "$here/bin/onnxls" "$here/build/release/onnxls"; do
    [ ! -x "$file" ] || { echo "$file" && return; }
  done
}

find_client() {
  for folder in "$here/share/onnxls/editors/$1" "$here/editors/$1"; do
    [ ! -d "$folder" ] || { echo "$folder" && return; }
  done
}

# The package for this machine has the server in it; the other one is for every machine.
find_vsix() {
  machine=$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m | sed 's/x86_64/x64/; s/aarch64/arm64/')
  for file in "$here/share/onnxls/editors/vscode/onnxls-$machine-"*.vsix "$here/build/package/onnxls-$machine-"*.vsix \
    "$here/build/vscode/onnxls-$machine-"*.vsix "$here/share/onnxls/editors/vscode/onnxls-"[0-9]*.vsix \
    "$here/build/package/onnxls-"[0-9]*.vsix "$here/build/vscode/onnxls-"[0-9]*.vsix; do
    [ ! -f "$file" ] || { echo "$file" && return; }
  done
}

# is_ours TARGET LINK: made by this script, perhaps that of another version elsewhere.
is_ours() {
  target=$(readlink "$2") || return 1
  [ "$(basename "$(dirname "$target")")/$(basename "$target")" = "$(basename "$(dirname "$1")")/$(basename "$1")" ]
}

# put_link WORD TARGET LINK
put_link() {
  if [ "$(readlink "$3" 2>/dev/null)" = "$2" ]; then
    say "$1" "$3 is there already"
  elif { [ -e "$3" ] || [ -L "$3" ]; } && ! is_ours "$2" "$3" && [ -z "$force" ]; then
    fail "$1" "$3 is in the way and was not made here; --force replaces it"
  else
    run "$1" "link $3 to $2" replace_with_link "$2" "$3"
  fi
}

replace_with_link() {
  mkdir -p "$(dirname "$2")"
  rm -rf "$2"
  ln -s "$1" "$2"
}

# take_link WORD TARGET LINK
take_link() {
  if [ ! -e "$3" ] && [ ! -L "$3" ]; then
    say "$1" "nothing to take away"
  elif ! is_ours "$2" "$3" && [ -z "$force" ]; then
    fail "$1" "$3 was not made here; --force removes it"
  else
    run "$1" "remove $3" remove_link "$3"
  fi
}

remove_link() {
  rm -rf "$1"
  rmdir -p "$(dirname "$1")" 2>/dev/null || true
}

do_server() {
  server=$(find_server)
  link=$home/.local/bin/onnxls
  if [ -z "$uninstall$force" ] && has onnxls && [ "$(command -v onnxls)" != "$link" ]; then
    say server "$(command -v onnxls) is on the PATH already"
  elif [ -z "$server" ]; then
    fail server "there is none in $here; ./dev build makes it"
  elif [ -n "$uninstall" ]; then
    take_link server "$server" "$link"
  else
    put_link server "$server" "$link"
    case :$PATH: in
    *":$home/.local/bin:"*) ;;
    *) say server "~/.local/bin is not on your PATH yet: add it, or editors won't find the server" ;;
    esac
  fi
}

do_neovim() {
  client=$(find_client neovim)
  link=$data/nvim/site/pack/onnxls/start/onnxls
  if [ -z "$client" ]; then
    fail neovim "its client is not in $here"
  elif [ -n "$uninstall" ]; then
    take_link neovim "$client" "$link"
  elif ! has nvim; then
    missing neovim nvim
  else
    put_link neovim "$client" "$link"
    [ -e "$client/doc/tags" ] || run neovim "write the tags of its help" nvim --headless -u NONE -c "helptags $client/doc" -c qall
  fi
}

# emacs_do FORM: package.el, with the folder that Emacs itself takes for packages.
emacs_do() {
  emacs --batch --eval "(progn (require 'package) (package-initialize) $1)"
}

# Its directory, as a checkout or an archive has it, holds more than the package: the README and what CMake added.
emacs_install() {
  copy=$(mktemp -d)
  mkdir "$copy/onnxls"
  cp "$1"/*.el "$copy/onnxls/"
  rm -f "$copy/onnxls/onnxls-autoloads.el" "$copy/onnxls/onnxls-pkg.el"
  code=0
  emacs_do "(progn
    (dolist (old (cdr (assq 'onnxls package-alist)))
      (when (file-in-directory-p (package-desc-dir old) package-user-dir) (package-delete old t)))
    (setq package-alist (assq-delete-all 'onnxls package-alist))
    (package-install-file \"$copy/onnxls\"))" || code=$?
  rm -rf "$copy"
  return $code
}

do_emacs() {
  client=$(find_client emacs)
  if [ -z "$client" ]; then
    fail emacs "its client is not in $here"
  elif ! has emacs; then
    missing emacs emacs
  elif [ -n "$uninstall" ]; then
    run emacs "have Emacs delete its package onnxls" emacs_do "(dolist (old (cdr (assq 'onnxls package-alist)))
      (when (file-in-directory-p (package-desc-dir old) package-user-dir) (package-delete old t)))"
  else
    run emacs "have Emacs install the package in $client" emacs_install "$client"
    say emacs "one line of yours has the server started: (add-hook 'onnxls-mode-hook #'onnxls-ensure)"
  fi
}

do_vscode() {
  vsix=$(find_vsix)
  found=
  for program in code codium code-insiders code-server; do
    has $program || continue
    found=yes
    if [ -n "$uninstall" ]; then
      run vscode "have $program remove the extension" remove_extension $program
    elif [ -z "$vsix" ]; then
      fail vscode "its package is not made yet; editors/vscode/build.sh makes it"
    else
      run vscode "have $program install $vsix" $program --install-extension "$vsix" --force
    fi
  done
  [ -n "$found" ] || missing vscode code
}

# One that is not there is gone.
remove_extension() {
  ! "$1" --list-extensions | grep -qx onnxls.onnxls || "$1" --uninstall-extension onnxls.onnxls
}

# missing WORD PROGRAM: an error only for what somebody named.
missing() {
  if [ -n "$named" ]; then
    fail "$1" "there is no '$2' on the PATH"
  else
    say "$1" "there is no '$2' on the PATH; left alone"
  fi
}

named=
for word in "$@"; do
  case $word in
  --dry-run) dry_run=yes ;;
  --uninstall) uninstall=yes ;;
  --force) force=yes ;;
  -h | --help) usage && exit 0 ;;
  server | neovim | emacs | vscode) named="$named $word" ;;
  *) echo "install.sh: what is '$word'? install.sh --help lists what there is" >&2 && exit 2 ;;
  esac
done
for part in ${named:-server neovim emacs vscode}; do
  "do_$part"
done
[ "$failures" -eq 0 ]

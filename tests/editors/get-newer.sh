#!/bin/sh
# get-newer.sh DIR [SUITE ...]: Debian roots with newer editors than Debian 12 has, for ONNXLS_EDITORS_DIR=DIR.
# get-newer.sh --bare DIR [SUITE ...]: Debian roots with nothing in them, in which packages can be installed.
#
#   trixie  Neovim 0.10, Emacs 30, Helix 25.01    forky  Neovim 0.12, Emacs 30 or newer, lsp-mode 10, Helix 25.07
#
# Half a minute and about 700 MB each, 300 MB if bare. They come from the mirror that apt already uses; debootstrap
# checks signatures. Root rights are needed for getting them, none for running what is in them. A root that is there
# stays.
set -eu

die() {
  echo "get-newer.sh: $*" >&2
  exit 1
}

packages=neovim,emacs-nox,elpa-lsp-mode,hx
if [ "${1:-}" = --bare ]; then
  packages=
  shift
fi
[ $# -ge 1 ] || die "usage: get-newer.sh [--bare] DIR [SUITE ...]"
dir=$1
shift
[ $# -gt 0 ] || set -- trixie forky

[ "$(id -u)" -eq 0 ] || die "only root can make Debian roots"
command -v debootstrap >/dev/null || die "debootstrap is missing: apt-get install debootstrap"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/$') ||
  die "apt knows no Debian mirror"
scripts=/usr/share/debootstrap/scripts

mkdir -p "$dir"
for suite in "$@"; do
  root=$dir/$suite
  if [ -d "$root" ]; then
    echo "$root is there" >&2
    continue
  fi
  # A suite that this debootstrap has never heard of is made as its predecessor is.
  script=$scripts/$suite
  [ -e "$script" ] || script=$scripts/sid
  rm -rf "$root.new"
  debootstrap --variant=minbase ${packages:+--include=$packages} "$suite" "$root.new" "$mirror" "$script" \
    >"$dir/$suite.log" 2>&1 || die "debootstrap failed; $dir/$suite.log says why"
  if [ -z "$packages" ]; then
    cp /etc/resolv.conf /etc/hosts "$root.new/etc/"  # So that apt in there reaches what apt here reaches.
  else
    chroot "$root.new" dpkg-query -W -f '${Package} ${Version}\n' neovim emacs-nox elpa-lsp-mode hx >&2
  fi
  mv "$root.new" "$root"
done

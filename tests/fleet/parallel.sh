#!/bin/sh
# The recipe of docs/fleets.md for GNU parallel, run by hand: tests/fleet/parallel.sh ONNXLS FOLDER
# One of the parts is killed on its way and run again; what comes out has to be what one run says.
set -eu
onnxls=$(readlink -f "$1")
folder=$(readlink -f "$2")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir part
export onnxls folder XDG_CACHE_HOME="$work"

# shellcheck disable=SC2016  # parallel's shells replace these.
seq 8 | parallel --jobs 4 --joblog log --retries 3 '
  [ {} != 3 ] || [ -e killed ] || { touch killed; kill -9 $$; }
  "$onnxls" check --no-cache "$folder" --shard {}/8 --format jsonl >part/{}.draft 2>/dev/null; [ $? -le 2 ] && mv part/{}.draft part/{}.jsonl'
"$onnxls" merge part/*.jsonl >merged.jsonl || [ $? -eq 1 ]
"$onnxls" check --no-cache "$folder" --format jsonl >single.jsonl 2>/dev/null || true
"$onnxls" merge single.jsonl >whole.jsonl || [ $? -eq 1 ]
cmp whole.jsonl merged.jsonl
[ -e killed ]
echo "parallel: $(grep -c '"status"' merged.jsonl) files in 8 parts, one of them begun twice: as in one run"

#!/bin/sh
# What action.yml runs. Paths and flags are words with blanks between them, and nothing in them is run.
set -eu
set -f
[ -z "${ONNXLS_WHEEL:-}" ] || python3 -m pip install --quiet --no-index "$ONNXLS_WHEEL"
command -v onnxls >/dev/null || {
  echo "::error::onnxls is not on the PATH; name a wheel of it"
  exit 2
}
# shellcheck disable=SC2086
exec onnxls check --format github ${ONNXLS_FLAGS:-} -- ${ONNXLS_PATHS:-.}

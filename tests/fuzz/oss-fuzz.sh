#!/bin/sh
# oss-fuzz.sh [TARGET ...]: builds the fuzz targets (all) as OSS-Fuzz wants its projects to: with its compiler and flags
# ($CC, $CFLAGS, $LIB_FUZZING_ENGINE), in $WORK, and into $OUT, each with its seeds beside it. What the program is linked
# with (README.md, "Systems") has to be there.
set -eu
cd "$(dirname "$0")/../.."
: "${OUT:?is not set}" "${WORK:?is not set}" "${LIB_FUZZING_ENGINE:?is not set}"

[ $# -gt 0 ] || set -- $(ls tests/fuzz/fuzz_*.c | sed 's,.*/fuzz_\(.*\)\.c,\1,')
[ -d node_modules/tree-sitter-python ] || npm ci --ignore-scripts --no-audit --no-fund
cmake -S . -B "$WORK/onnxls" -G Ninja -D CMAKE_BUILD_TYPE=None -D ONNXLS_FUZZ=ON \
  -D ONNXLS_FUZZ_ENGINE="$LIB_FUZZING_ENGINE" -D ONNXLS_STATIC_LIBRARIES=ON
for name in "$@"; do
  cmake --build "$WORK/onnxls" --target "fuzz_$name"
  cp "$WORK/onnxls/tests/fuzz/fuzz_$name" "$OUT/"
  seeds=tests/fuzz/seeds/$name
  [ ! -d "$seeds" ] || (cd "$seeds" && python3 -m zipfile -c "$OUT/fuzz_${name}_seed_corpus.zip" .)
done

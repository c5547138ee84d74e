#!/bin/sh
# packaging/libraries.sh TOOLCHAIN.cmake FOLDER: builds the libraries that onnxls links, as archives, from Debian's sources.
# FOLDER/source gets the sources, FOLDER/prefix what was built. What is there already is left alone.
set -eu
toolchain=$(realpath "$1")
mkdir -p "$2/source"
folder=$(realpath "$2")
prefix=$folder/prefix

# apt-get, with the sources of the suite that this machine has its packages of, and nothing of it changed.
sources_only() {
  apt-get -q -q -o APT::Sandbox::User=root -o Dir::State::Lists="$folder/apt/lists" -o Dir::Etc::SourceList="$folder/apt/sources.list" \
    -o Dir::Etc::SourceParts=- "$@"
}

get_sources() {
  mkdir -p "$folder/apt/lists/partial"
  apt-get indextargets --format 'deb-src $(REPO_URI) $(RELEASE) main' 'Created-By: Packages' |
    grep -E '/debian/? ' | sort -u >"$folder/apt/sources.list"
  sources_only update
  (cd "$folder/source" && sources_only source libuv1 jansson protobuf-c >/dev/null)
}

# build NAME [OPTION ...]: the one folder in source/ that is called so.
build() {
  name=$1
  shift
  cmake -S "$(echo "$folder/source/$name"-*/)" -B "$folder/build/$name" -G Ninja --toolchain "$toolchain" \
    -D CMAKE_BUILD_TYPE=Release -D CMAKE_POSITION_INDEPENDENT_CODE=ON -D CMAKE_INSTALL_PREFIX="$prefix" \
    -D CMAKE_INSTALL_LIBDIR=lib -D BUILD_SHARED_LIBS=OFF "$@" >"$folder/$name.log"
  cmake --build "$folder/build/$name" >>"$folder/$name.log"
  cmake --install "$folder/build/$name" >>"$folder/$name.log"
}

# Its own CMake files want protobuf's compiler for the other machine; the run-time library is one file.
build_protobuf_c() {
  source=$(echo "$folder/source/protobuf-c"-*/)
  version=$(basename "$source" | sed 's/.*-//')
  cat >"$source/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(protobuf-c C)
add_library(protobuf-c STATIC protobuf-c/protobuf-c.c)
target_include_directories(protobuf-c PRIVATE .)
install(TARGETS protobuf-c)
install(FILES protobuf-c/protobuf-c.h DESTINATION include/protobuf-c)
END
  build protobuf-c
  cat >"$prefix/lib/pkgconfig/libprotobuf-c.pc" <<END
Name: libprotobuf-c
Description: Protocol Buffers C library
Version: $version
Libs: -L$prefix/lib -lprotobuf-c
Cflags: -I$prefix/include
END
}

[ ! -e "$prefix/complete" ] || exit 0
rm -rf "$prefix" "$folder/build" "$folder/source"
mkdir -p "$folder/source"
get_sources
build libuv1 -D LIBUV_BUILD_TESTS=OFF -D LIBUV_BUILD_BENCH=OFF
build jansson -D JANSSON_BUILD_DOCS=OFF -D JANSSON_WITHOUT_TESTS=ON -D JANSSON_EXAMPLES=OFF
build_protobuf_c
touch "$prefix/complete"

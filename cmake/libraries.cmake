# The libraries of other people. With ONNXLS_STATIC_LIBRARIES they are archives: the program then needs nothing but the
# C library of the machine that it runs on.
find_package(PkgConfig REQUIRED)
set(uv libuv)
if(ONNXLS_STATIC_LIBRARIES)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(uv libuv-static)  # Its archive has a name of its own.
endif()
pkg_check_modules(UV REQUIRED IMPORTED_TARGET ${uv})
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c)

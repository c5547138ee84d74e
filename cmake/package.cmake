# `cpack -G DEB` makes a Debian package, `cpack -G TGZ` an archive to unpack anywhere; ./dev package makes both.
set(CPACK_PACKAGE_VENDOR onnxls)
set(CPACK_PACKAGE_CONTACT "onnxls contributors <onnxls@users.noreply.github.com>")
set(CPACK_PACKAGE_HOMEPAGE_URL https://github.com/onnxls/onnxls)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "language server for people who export PyTorch models to ONNX")
set(CPACK_PACKAGE_DESCRIPTION
"Reads the graphs that PyTorch prints and says, in an editor or in continuous
integration, which operators can't be exported to ONNX at the wanted opset
and since which opset they can, what a value is, where it is used, and which
line of Python made it.
.
It comes with its clients for Neovim and Emacs; any other client of the
Language Server Protocol can start it, too. It runs no Python and opens no
connection of its own.")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/prepare_package.cmake)
set(CPACK_ONNXLS_SOURCE ${PROJECT_SOURCE_DIR})

string(TOLOWER ${CMAKE_SYSTEM_NAME} system)
set(CPACK_PACKAGE_FILE_NAME onnxls-${PROJECT_VERSION}-${system}-${CMAKE_SYSTEM_PROCESSOR})
set(CPACK_GENERATOR TGZ)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
if(ONNXLS_GLIBC_2_36)  # What hardening.cmake asks of the loader is no symbol that dpkg-shlibdeps knows.
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6 (>= 2.36)")
endif()
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "neovim | emacs")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)

include(CPack)

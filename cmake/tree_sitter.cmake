# The runtime of tree-sitter. Releases before 0.20.8 corrupt the heap when a tree is deeper than 65,535, and pkg-config
# does not tell them apart (Debian 12's 0.20.7 says 0.6.3), so the library is compiled in: the npm package of the
# runtime carries its C sources (package.json pins it; ./dev fetches it).
option(ONNXLS_SYSTEM_TREE_SITTER "Link the system's tree-sitter, if it parses what old ones crash on" OFF)

set(python_grammar ${PROJECT_SOURCE_DIR}/node_modules/tree-sitter-python/src)
set(tree_sitter ${PROJECT_SOURCE_DIR}/node_modules/tree-sitter/vendor/tree-sitter/lib)
foreach(source ${python_grammar}/parser.c ${tree_sitter}/src/lib.c)
  if(NOT EXISTS ${source})
    message(FATAL_ERROR "${source} is missing: run `npm ci --ignore-scripts` in ${PROJECT_SOURCE_DIR}")
  endif()
endforeach()

# Sets ONNXLS_SYSTEM_TREE_SITTER_WORKS, once for a build folder. A crash is a failure, too.
function(try_system_tree_sitter)
  if(DEFINED ONNXLS_SYSTEM_TREE_SITTER_WORKS)
    return()
  endif()
  pkg_check_modules(TREE_SITTER IMPORTED_TARGET tree-sitter)
  if(TREE_SITTER_FOUND)
    try_run(exit_code compiles
      SOURCES ${PROJECT_SOURCE_DIR}/cmake/tree_sitter_check.c ${python_grammar}/parser.c ${python_grammar}/scanner.c
      CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${python_grammar}"
      LINK_LIBRARIES PkgConfig::TREE_SITTER
      C_STANDARD 11)
  endif()
  set(works OFF)
  if(compiles AND exit_code STREQUAL "0")
    set(works ON)
  endif()
  set(ONNXLS_SYSTEM_TREE_SITTER_WORKS ${works} CACHE INTERNAL "Does the system's tree-sitter parse deep nesting?")
endfunction()

add_library(tree_sitter_runtime INTERFACE)
if(ONNXLS_SYSTEM_TREE_SITTER)
  try_system_tree_sitter()
  if(NOT ONNXLS_SYSTEM_TREE_SITTER_WORKS)
    message(WARNING "The system's tree-sitter is missing, too old, or crashes on deep nesting; the bundled one is used")
  endif()
endif()
if(ONNXLS_SYSTEM_TREE_SITTER AND ONNXLS_SYSTEM_TREE_SITTER_WORKS)
  pkg_check_modules(TREE_SITTER REQUIRED IMPORTED_TARGET tree-sitter)
  target_link_libraries(tree_sitter_runtime INTERFACE PkgConfig::TREE_SITTER)
else()
  add_library(tree_sitter_bundled STATIC ${tree_sitter}/src/lib.c)
  target_include_directories(tree_sitter_bundled PUBLIC ${tree_sitter}/include PRIVATE ${tree_sitter}/src)
  target_compile_definitions(tree_sitter_bundled PRIVATE _DEFAULT_SOURCE _POSIX_C_SOURCE=200112L TREE_SITTER_HIDE_SYMBOLS)
  # Debug builds watch its memory, and nothing else: tests parse very deep nesting with them.
  target_compile_options(tree_sitter_bundled PRIVATE -w $<$<CONFIG:Debug>:-O1>)
  if(ONNXLS_SANITIZE MATCHES undefined)
    target_compile_options(tree_sitter_bundled PRIVATE -fno-sanitize=undefined)
  endif()
  target_link_libraries(tree_sitter_runtime INTERFACE tree_sitter_bundled)
endif()

# Compile and link options of everything that is ours; generated code gets no warnings.
add_library(onnxls_options INTERFACE)
target_compile_definitions(onnxls_options INTERFACE _GNU_SOURCE ONNXLS_VERSION="${PROJECT_VERSION}")
target_compile_options(onnxls_options INTERFACE
  -Wall -Wextra -Wpedantic -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
  -Wwrite-strings -Wundef -Wvla -Wno-unused-parameter
  $<$<NOT:$<BOOL:${ONNXLS_TOGETHER}>>:-Wshadow>  # What one file names, another one's parameters may be called, too.
  $<$<BOOL:${ONNXLS_WERROR}>:-Werror>)
if(ONNXLS_SANITIZE)
  add_compile_options(-fsanitize=${ONNXLS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ONNXLS_SANITIZE})
endif()
# Nor do they see a variable that nobody set: with this it holds what no pointer and no length is.
if(ONNXLS_SANITIZE)
  include(CheckCCompilerFlag)
  check_c_compiler_flag(-ftrivial-auto-var-init=pattern ONNXLS_CAN_FILL_VARIABLES)
  if(ONNXLS_CAN_FILL_VARIABLES)
    add_compile_options(-ftrivial-auto-var-init=pattern)
  endif()
endif()
# What the sanitizers add makes gcc see values that nobody set.
if(ONNXLS_SANITIZE AND CMAKE_C_COMPILER_ID STREQUAL GNU)
  target_compile_options(onnxls_options INTERFACE -Wno-maybe-uninitialized)
endif()
# gcc has AddressSanitizer guard every record of what UndefinedBehaviorSanitizer would say, 300,000 of them, at each start of
# the program. A trap needs none, and the stack that comes with it says the line; the build for fuzzing (clang) has the words.
if(ONNXLS_SANITIZE MATCHES undefined AND CMAKE_C_COMPILER_ID STREQUAL GNU)
  add_compile_options(-fsanitize-undefined-trap-on-error)
endif()
if(ONNXLS_SANITIZE MATCHES address)
  add_library(onnxls_sanitizer OBJECT ${CMAKE_CURRENT_LIST_DIR}/sanitizer.c)
  link_libraries($<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:$<TARGET_OBJECTS:onnxls_sanitizer>>)
endif()
if(ONNXLS_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(ONNXLS_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

# Compile and link options of everything that is ours; generated code gets no warnings.
add_library(onnxls_options INTERFACE)
target_compile_definitions(onnxls_options INTERFACE _GNU_SOURCE ONNXLS_VERSION="${PROJECT_VERSION}")
target_compile_options(onnxls_options INTERFACE
  -Wall -Wextra -Wshadow -Wpedantic -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
  -Wwrite-strings -Wundef -Wvla -Wno-unused-parameter $<$<BOOL:${ONNXLS_WERROR}>:-Werror>)
if(ONNXLS_SANITIZE)
  add_compile_options(-fsanitize=${ONNXLS_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ONNXLS_SANITIZE})
endif()
if(ONNXLS_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(ONNXLS_COVERAGE)
  add_compile_options(--coverage)
  add_link_options(--coverage)
endif()

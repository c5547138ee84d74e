# What every session runs stands together in the program, so that few of its pages are mapped: server/function_order.ld is a
# linker script that adds to the linker's own one. It names functions; one that is gone, or that another compiler calls
# otherwise, is passed over. `./dev order` writes it.
include(CheckLinkerFlag)

set(ONNXLS_FUNCTION_ORDER ${PROJECT_SOURCE_DIR}/server/function_order.ld)
if(WIN32 OR ONNXLS_SANITIZE OR ONNXLS_COVERAGE)
  set(ONNXLS_ORDERS_FUNCTIONS OFF)
else()
  check_linker_flag(C -Wl,-T,${ONNXLS_FUNCTION_ORDER} ONNXLS_ORDERS_FUNCTIONS)
endif()
if(ONNXLS_ORDERS_FUNCTIONS)
  add_compile_options(-ffunction-sections)
endif()

# onnxls_order_functions(TARGET): of a program.
function(onnxls_order_functions target)
  if(ONNXLS_ORDERS_FUNCTIONS)
    target_link_options(${target} PRIVATE -Wl,-T,${ONNXLS_FUNCTION_ORDER})
    set_target_properties(${target} PROPERTIES LINK_DEPENDS ${ONNXLS_FUNCTION_ORDER})
  endif()
endfunction()

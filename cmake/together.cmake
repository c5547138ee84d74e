# onnxls_compile_together(TARGET FILE.c ...): with ONNXLS_TOGETHER, the compiler is started for groups of files
# (together.awk). Which files may be in one group is asked again whenever one of them changed.
function(onnxls_compile_together target)
  if(NOT ONNXLS_TOGETHER)
    return()
  endif()
  set(groups ${CMAKE_CURRENT_BINARY_DIR}/${target}_groups.cmake)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/server/*.h)
  execute_process(COMMAND awk -f ${PROJECT_SOURCE_DIR}/cmake/together.awk ${headers} ${ARGN}
    OUTPUT_FILE ${groups} COMMAND_ERROR_IS_FATAL ANY)
  include(${groups})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers} ${ARGN}
    ${PROJECT_SOURCE_DIR}/cmake/together.awk)
endfunction()

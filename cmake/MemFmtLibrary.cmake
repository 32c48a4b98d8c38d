# memfmt_library(NAME SOURCES a.cpp ... [DEPENDS target ...] [LINK_LIBS lib ...])
#
# One static library per room.  LINK_LIBS names other rooms; libMLIR and libLLVM
# are always the shared ones.
function(memfmt_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  add_dependencies(${name} MemFmtHeaders ${ARG_DEPENDS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  set_property(GLOBAL APPEND PROPERTY MEMFMT_LIBRARIES ${name})
endfunction()

# memfmt_tool(NAME SOURCES a.cpp ... LINK_LIBS lib ...)
function(memfmt_tool name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} MLIR LLVM)
endfunction()

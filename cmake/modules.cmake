# eddy_module(<folder> SOURCES ... [DEPS targets ...] [PRIVATE_DEPS targets ...] [TESTS ...] [TEST_DEPS targets ...])
#
# Declares the static library of one folder of the source tree and its test program. The target is named after the
# folder (framework/ir -> eddy_framework_ir). Tests stand beside the code as <unit>_test.cpp.
include(CTest)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)

# Catch2 2.13 is header-only: its main() and its precompiled header are compiled once and shared by all test programs.
file(WRITE ${CMAKE_BINARY_DIR}/catch_main.cpp "#define CATCH_CONFIG_MAIN\n#include <catch2/catch.hpp>\n")
add_library(eddy_catch_main STATIC ${CMAKE_BINARY_DIR}/catch_main.cpp)
# The precompiled header belongs to a program, not a library, because the flags of position independence must agree.
file(WRITE ${CMAKE_BINARY_DIR}/catch_pch.cpp "int main() { return 0; }\n")
add_executable(eddy_catch_pch EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/catch_pch.cpp)
target_link_libraries(eddy_catch_pch PRIVATE fmt::fmt)
target_precompile_headers(eddy_catch_pch PRIVATE <catch2/catch.hpp>)

function(eddy_module folder)
  cmake_parse_arguments(M "" "" "SOURCES;DEPS;PRIVATE_DEPS;TESTS;TEST_DEPS" ${ARGN})
  string(REPLACE "/" "_" name ${folder})
  set(target eddy_${name})
  add_library(${target} STATIC ${M_SOURCES})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC ${M_DEPS} PRIVATE ${M_PRIVATE_DEPS})
  if(M_TESTS)
    eddy_test(${target}_test SOURCES ${M_TESTS} DEPS ${target} ${M_TEST_DEPS})
  endif()
endfunction()

# eddy_test(<target> SOURCES ... DEPS ... [LABELS ...]): one Catch2 program; ctest runs it from the source tree's root.
function(eddy_test target)
  cmake_parse_arguments(T "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  add_executable(${target} ${T_SOURCES})
  target_link_libraries(${target} PRIVATE ${T_DEPS} eddy_catch_main)
  target_precompile_headers(${target} REUSE_FROM eddy_catch_pch)
  add_test(NAME ${target} COMMAND ${target} --durations no WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  if(NOT T_LABELS)
    set(T_LABELS unit)
  endif()
  set_tests_properties(${target} PROPERTIES LABELS "${T_LABELS}")
endfunction()

# Language, warnings and sanitizers: the same for every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)

option(EDDY_WERROR "Treat warnings as errors" OFF)
set(EDDY_SANITIZE "" CACHE STRING "Sanitizers to build with, for instance address,undefined or thread")

# -ffp-contract=off: a result must not depend on which expressions the compiler happens to fuse.
add_compile_options(-Wall -Wextra -ffp-contract=off)
# GCC 12 at -O2 warns falsely of uninitialized members in std::variant.
add_compile_options($<$<CONFIG:Release>:-Wno-maybe-uninitialized>)
if(EDDY_WERROR)
  add_compile_options(-Werror)
endif()
if(EDDY_SANITIZE)
  # The sanitizers' own code makes GCC 12 warn about std::function in <regex>, falsely.
  add_compile_options(-fsanitize=${EDDY_SANITIZE} -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  add_link_options(-fsanitize=${EDDY_SANITIZE})
endif()

find_program(EDDY_CCACHE ccache)
if(EDDY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Objects are shared between build folders and checkouts; precompiled headers need the sloppiness.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${EDDY_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
endif()

# oneDNN (Debian: libdnnl-dev): float32 matrix products. Sets EDDY_HAS_DNNL and the target eddy::dnnl.
# Found by its files: Debian's own dnnl-config.cmake demands the OpenCL headers. Its threading is switched off through
# OpenMP's interface, so OpenMP is needed as well.
find_path(EDDY_DNNL_INCLUDE_DIR oneapi/dnnl/dnnl.h)
find_library(EDDY_DNNL_LIBRARY dnnl)
mark_as_advanced(EDDY_DNNL_INCLUDE_DIR EDDY_DNNL_LIBRARY)
find_package(OpenMP QUIET COMPONENTS CXX)
if(EDDY_DNNL_INCLUDE_DIR AND EDDY_DNNL_LIBRARY AND OpenMP_CXX_FOUND)
  set(EDDY_HAS_DNNL ON)
  if(NOT TARGET eddy::dnnl)
    add_library(eddy::dnnl INTERFACE IMPORTED)
    target_include_directories(eddy::dnnl SYSTEM INTERFACE ${EDDY_DNNL_INCLUDE_DIR})
    target_link_libraries(eddy::dnnl INTERFACE ${EDDY_DNNL_LIBRARY} OpenMP::OpenMP_CXX)
  endif()
else()
  set(EDDY_HAS_DNNL OFF)
endif()

# FindCUDAToolkit.cmake: find_package(CUDAToolkit) for projects that vgpucc.cmake
# is the toolchain file of. There is the runtime, of the driver API what maps to
# it, and NVTX, all in one library. What is not there, CUDA::cublas and kin, CMake
# names where a project links it.
set(CUDAToolkit_FOUND TRUE)
set(CUDAToolkit_VERSION 13.0)
set(CUDAToolkit_VERSION_MAJOR 13)
set(CUDAToolkit_VERSION_MINOR 0)
set(CUDAToolkit_INCLUDE_DIRS "${VGPU_INCLUDE_DIR}")
get_filename_component(CUDAToolkit_LIBRARY_DIR "${VGPU_LIBRARY}" DIRECTORY)
get_filename_component(CUDAToolkit_BIN_DIR "${CMAKE_CUDA_COMPILER}" DIRECTORY)
set(CUDAToolkit_NVCC_EXECUTABLE "${CMAKE_CUDA_COMPILER}")

if(NOT TARGET CUDA::toolkit)
  add_library(CUDA::toolkit INTERFACE IMPORTED)
  target_include_directories(CUDA::toolkit SYSTEM INTERFACE
    "${VGPU_INCLUDE_DIR}")
  foreach(_name cudart cudart_static cuda_driver nvToolsExt nvtx3 cudart_static_deps)
    add_library(CUDA::${_name} INTERFACE IMPORTED)
    target_link_libraries(CUDA::${_name} INTERFACE CUDA::toolkit
      "${VGPU_LIBRARY}" pthread m dl)
  endforeach()
  unset(_name)
endif()

# vgpucc.cmake: a CMake toolchain file: CUDA projects are built by vgpucc.
#
#     cmake -S . -B build --toolchain PREFIX/lib/vgpucc/cmake/vgpucc.cmake
#
# -DCMAKE_CUDA_COMPILER=vgpucc alone is not enough: CMake asks a compiler of
# CUDA whether it is NVIDIA's or clang, by its --version, and then for the folder
# of NVIDIA's libraries. vgpucc is neither and has no such folder, so it says
# here what CMake would ask; what its options mean is in Compiler/VGPU-CUDA.cmake.

# Installed, or in the repository: three folders up in both.
get_filename_component(_vgpu_root "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
if(EXISTS "${_vgpu_root}/bin/vgpucc")
  set(CMAKE_CUDA_COMPILER "${_vgpu_root}/bin/vgpucc")
  set(VGPU_LIBRARY "${_vgpu_root}/lib/vgpucc/libvgpu.a")
  set(VGPU_INCLUDE_DIR "${_vgpu_root}/include/vgpucc")
else()
  set(CMAKE_CUDA_COMPILER "${_vgpu_root}/build/bin/vgpucc")
  set(VGPU_LIBRARY "${_vgpu_root}/build/lib/libvgpu.a")
  set(VGPU_INCLUDE_DIR "${_vgpu_root}/vgpu/include")
endif()

set(CMAKE_CUDA_COMPILER_ID_RUN 1)
set(CMAKE_CUDA_COMPILER_ID VGPU)
set(CMAKE_CUDA_COMPILER_VERSION 13.0)
set(CMAKE_CUDA_STANDARD_COMPUTED_DEFAULT 17)
set(CMAKE_CUDA_EXTENSIONS_COMPUTED_DEFAULT ON)
# Code is for no architecture; what a project asks for is passed over.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES OFF)
endif()
# No program is tried: CMake would take what is linked besides from what the
# linker says, and forget the virtual GPU.
set(CMAKE_CUDA_ABI_COMPILED TRUE)
set(CMAKE_CUDA_COMPILER_ABI ELF)
set(CMAKE_CUDA_SIZEOF_DATA_PTR 8)
set(CMAKE_CUDA_BYTE_ORDER LITTLE_ENDIAN)
# Where C++ links, because a target has C++ files, too.
set(CMAKE_CUDA_IMPLICIT_LINK_LIBRARIES "${VGPU_LIBRARY};pthread;m;dl")
set(CMAKE_CUDA_HOST_LINK_LAUNCHER "${CMAKE_CUDA_COMPILER}")

# Compiler/VGPU-CUDA.cmake and FindCUDAToolkit.cmake are beside this.
list(PREPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")

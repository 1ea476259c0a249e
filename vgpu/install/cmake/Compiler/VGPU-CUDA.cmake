# VGPU-CUDA.cmake: what vgpucc's options mean. CMake includes this by the name of
# the compiler. They are nvcc's, but vgpucc links by itself, and has no step that
# links device code.
include(Compiler/CMakeCommonCompilerMacros)

set(_vgpu "<CMAKE_CUDA_COMPILER> -forward-unknown-to-host-compiler")
set(_CMAKE_COMPILE_AS_CUDA_FLAG "-x cu")
set(_CMAKE_CUDA_WHOLE_FLAG "-c")
set(_CMAKE_CUDA_RDC_FLAG "-rdc=true")
set(CMAKE_CUDA_COMPILER_HAS_DEVICE_LINK_PHASE False)
set(CMAKE_CUDA_VERBOSE_FLAG "-v")

set(CMAKE_CUDA_COMPILE_OBJECT
  "${_vgpu} <DEFINES> <INCLUDES> <FLAGS> -x cu <CUDA_COMPILE_MODE> <SOURCE> -o <OBJECT>")
set(CMAKE_CUDA_LINK_EXECUTABLE
  "${_vgpu} <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
set(CMAKE_CUDA_CREATE_SHARED_LIBRARY
  "${_vgpu} <LINK_FLAGS> -shared <SONAME_FLAG><TARGET_SONAME> -o <TARGET> <OBJECTS> <LINK_LIBRARIES>")
unset(_vgpu)

set(CMAKE_DEPFILE_FLAGS_CUDA "-MD -MT <DEP_TARGET> -MF <DEP_FILE>")
set(CMAKE_CUDA_DEPFILE_FORMAT gcc)
if((NOT DEFINED CMAKE_DEPENDS_USE_COMPILER OR CMAKE_DEPENDS_USE_COMPILER)
    AND CMAKE_GENERATOR MATCHES "Makefiles")
  set(CMAKE_CUDA_DEPENDS_USE_COMPILER TRUE)
endif()

set(CMAKE_CUDA_COMPILE_OPTIONS_PIE -Xcompiler=-fPIE)
set(CMAKE_CUDA_COMPILE_OPTIONS_PIC -Xcompiler=-fPIC)
set(CMAKE_CUDA_COMPILE_OPTIONS_VISIBILITY -Xcompiler=-fvisibility=)
set(CMAKE_CUDA_COMPILE_OPTIONS_WARNING_AS_ERROR "-Werror" "all-warnings")
set(CMAKE_INCLUDE_SYSTEM_FLAG_CUDA "-isystem=")
set(CMAKE_CUDA_LINKER_WRAPPER_FLAG "-Wl,")
set(CMAKE_CUDA_LINKER_WRAPPER_FLAG_SEP ",")
string(APPEND CMAKE_CUDA_FLAGS_DEBUG_INIT " -g")
string(APPEND CMAKE_CUDA_FLAGS_RELEASE_INIT " -O3 -DNDEBUG")
string(APPEND CMAKE_CUDA_FLAGS_MINSIZEREL_INIT " -O1 -DNDEBUG")
string(APPEND CMAKE_CUDA_FLAGS_RELWITHDEBINFO_INIT " -O2 -g -DNDEBUG")

foreach(_standard 03 11 14 17 20 23)
  set(CMAKE_CUDA${_standard}_STANDARD_COMPILE_OPTION "-std=c++${_standard}")
  set(CMAKE_CUDA${_standard}_EXTENSION_COMPILE_OPTION "-std=gnu++${_standard}")
endforeach()
unset(_standard)
__compiler_check_default_language_standard(CUDA 1.0 17)

# SPDX-License-Identifier: BSD-3-Clause
# Language levels, warnings and sanitizers that hold for the whole tree.
set(CMAKE_C_STANDARD 17)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_CXX_EXTENSIONS ON)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g -DNDEBUG")
set(CMAKE_CXX_FLAGS_DEBUG "-Og -g")
set(CMAKE_C_FLAGS_DEBUG "-Og -g")

find_package(Threads REQUIRED)

# Flags of our own code (tests and apps of others are spared).
add_library(uccs_flags INTERFACE)
target_compile_options(uccs_flags INTERFACE -Wall -Wextra -Wshadow
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<BOOL:${UCCS_WARNINGS_AS_ERRORS}>:-Werror>)

# Internals: no exceptions, no RTTI; so that a C user needs only libc.
add_library(uccs_internal_flags INTERFACE)
target_link_libraries(uccs_internal_flags INTERFACE uccs_flags)
target_compile_options(uccs_internal_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti -Wpedantic -fno-semantic-interposition>)

if(UCCS_SANITIZE)
  add_compile_options(-fsanitize=${UCCS_SANITIZE} -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${UCCS_SANITIZE})
  if(UCCS_SANITIZE STREQUAL "undefined")
    add_compile_options(-fno-sanitize-recover=all)
  elseif(UCCS_SANITIZE STREQUAL "thread")
    # gcc warns that TSan does not model fences; every fence we rely on also has an atomic access.
    add_compile_options(-Wno-tsan)
  endif()
endif()

# SPDX-License-Identifier: BSD-3-Clause
# uccs_room(<name> DIR <folder below src> SEES <rooms...> SOURCES <files...> [LIBRARIES <targets...>])
#
# One room of docs/ARCHITECTURE.md as an object library `uccs_<name>`. Its include path holds links to
# itself and to the rooms in SEES (with what those see), and nothing else: an arrow that points upward
# does not compile. tools/check-includes.py checks the finer rules line by line.
set(UCCS_ROOM_TREE ${CMAKE_BINARY_DIR}/rooms)

function(uccs_room name)
  cmake_parse_arguments(ROOM "" "DIR" "SEES;SOURCES;LIBRARIES" ${ARGN})
  if(NOT ROOM_DIR)
    set(ROOM_DIR ${name})
  endif()
  set(closure ${ROOM_DIR})
  foreach(seen IN LISTS ROOM_SEES)
    get_property(below GLOBAL PROPERTY UCCS_ROOM_${seen}_CLOSURE)
    list(APPEND closure ${below})
  endforeach()
  list(REMOVE_DUPLICATES closure)
  set_property(GLOBAL PROPERTY UCCS_ROOM_${name}_CLOSURE ${closure})

  set(root ${UCCS_ROOM_TREE}/${name})
  foreach(folder IN LISTS closure)
    get_filename_component(parent ${root}/${folder} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${folder} ${root}/${folder} SYMBOLIC)
  endforeach()

  add_library(uccs_${name} OBJECT ${ROOM_SOURCES})
  target_include_directories(uccs_${name} PRIVATE ${root} ${PROJECT_SOURCE_DIR}/include
    ${PROJECT_SOURCE_DIR}/gen)
  target_link_libraries(uccs_${name} PRIVATE uccs_internal_flags Threads::Threads ${ROOM_LIBRARIES})
endfunction()

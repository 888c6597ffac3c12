# SPDX-License-Identifier: BSD-3-Clause
# What is made from the lists in gen/ at build time and not committed.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# uccs_generate(<output> BY <script in gen/> ARGUMENTS ... DEPENDS ...): the output is what it prints
set(UCCS_LISTS shmem.families shmemx.families types.def fortran.families fortran.def generate.py)
list(TRANSFORM UCCS_LISTS PREPEND ${PROJECT_SOURCE_DIR}/gen/)
function(uccs_generate output)
  cmake_parse_arguments(GENERATE "" "BY" "ARGUMENTS" ${ARGN})
  get_filename_component(name ${output} NAME)
  add_custom_command(OUTPUT ${output}
    COMMAND Python3::Interpreter -B ${PROJECT_SOURCE_DIR}/gen/${GENERATE_BY} ${GENERATE_ARGUMENTS} > ${output}.new
    COMMAND ${CMAKE_COMMAND} -E rename ${output}.new ${output}
    DEPENDS ${PROJECT_SOURCE_DIR}/gen/${GENERATE_BY} ${UCCS_LISTS}
    COMMENT "Generating ${name}" VERBATIM)
endfunction()

# uccs_add_fortran_program(<name> <source> [FLAGS]): a program made by oshfort, for CMake the imported
# target <name>_program (not <name>: CMake would look for a rule of that target to make the file).
function(uccs_add_fortran_program name source)
  set(program ${CMAKE_BINARY_DIR}/bin/${name})
  set(wrapper ${CMAKE_BINARY_DIR}/bin/oshfort)
  add_custom_command(OUTPUT ${program}
    COMMAND ${CMAKE_COMMAND} -E env SHMEM_FC=${UCCS_FORTRAN_COMPILER} ${wrapper} -O2 -Wall -Werror ${ARGN}
      ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${program}
    WORKING_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}
    DEPENDS ${source} uccs uccs_fortran ${wrapper} COMMENT "oshfort ${source}" VERBATIM)
  add_custom_target(${name} ALL DEPENDS ${program})
  add_executable(${name}_program IMPORTED GLOBAL)
  set_target_properties(${name}_program PROPERTIES IMPORTED_LOCATION ${program})
endfunction()

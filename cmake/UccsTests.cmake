# SPDX-License-Identifier: BSD-3-Clause
# uccs_add_spmd_test(<name> <target> PES <counts...> [ARGS ...] [LABELS ...] [TIMEOUT s])
#
# Registers <name>.np<k> for each k: the program under our own launcher with k processes. The launcher
# ends the job at the first failure; the time limit is there so that a hang is a failure too. What runs with
# four processes and no settings is kept in UCCS_SPMD_SUITE, which tests/cluster runs across hosts.
function(uccs_add_spmd_test name target)
  cmake_parse_arguments(SPMD "" "TIMEOUT" "PES;ARGS;LABELS;ENVIRONMENT" ${ARGN})
  if(NOT BUILD_TESTING)
    return()
  endif()
  if(NOT SPMD_TIMEOUT)
    set(SPMD_TIMEOUT 60)
  endif()
  if(UCCS_SANITIZE)
    math(EXPR SPMD_TIMEOUT "${SPMD_TIMEOUT} * 5")
    list(FILTER SPMD_PES INCLUDE REGEX "^[124]$")  # slow enough with few
  endif()
  if("4" IN_LIST SPMD_PES AND NOT SPMD_ENVIRONMENT)
    string(REPLACE ";" " " words "${SPMD_ARGS}")
    set_property(GLOBAL APPEND PROPERTY UCCS_SPMD_SUITE "${name} $<TARGET_FILE:${target}> ${words}")
  endif()
  foreach(k IN LISTS SPMD_PES)
    add_test(NAME ${name}.np${k}
      COMMAND ${CMAKE_BINARY_DIR}/bin/oshrun -n ${k} --timeout ${SPMD_TIMEOUT}
              $<TARGET_FILE:${target}> ${SPMD_ARGS})
    math(EXPR outer "${SPMD_TIMEOUT} + 30")
    set_tests_properties(${name}.np${k} PROPERTIES
      TIMEOUT ${outer} LABELS "spmd;${SPMD_LABELS}" SKIP_RETURN_CODE 77
      ENVIRONMENT "${SPMD_ENVIRONMENT}")
  endforeach()
endfunction()

# uccs_add_network_test(<name> <target> PES <counts...> [NODE_SIZE n] [ARGS ...] [LABELS ...])
#
# The same with the ECs of this machine as nodes of n (default 1), which reach each other over tcp. Registers
# nodes.<name>.np<k>, where there is a network and not TSan, which cannot see what it orders.
function(uccs_add_network_test name target)
  cmake_parse_arguments(NETWORK "" "NODE_SIZE" "PES;ARGS;LABELS;ENVIRONMENT" ${ARGN})
  get_property(networks GLOBAL PROPERTY UCCS_NETWORKS)
  if(NOT "ofi" IN_LIST networks OR UCCS_SANITIZE STREQUAL "thread")
    return()
  endif()
  if(NOT NETWORK_NODE_SIZE)
    set(NETWORK_NODE_SIZE 1)
  endif()
  uccs_add_spmd_test(nodes.${name} ${target} PES ${NETWORK_PES} ARGS ${NETWORK_ARGS}
    LABELS cluster ${NETWORK_LABELS} ENVIRONMENT
    "UCCS_NODE_SIZE=${NETWORK_NODE_SIZE};UCCS_NET_PLUGINS=${CMAKE_BINARY_DIR}/lib;${NETWORK_ENVIRONMENT}")
endfunction()

# SPDX-License-Identifier: BSD-3-Clause
# Tests again with the ECs of this machine as two nodes of two (UCCS_NODE_SIZE): what is between the nodes
# goes over the network, which is tcp on the loopback. Short: one count of ECs, a case of each kind.
get_property(networks GLOBAL PROPERTY UCCS_NETWORKS)

# uccs_add_nodes_test(<name> <target> [ARGS ...]): once for each network of the build
function(uccs_add_nodes_test name target)
  cmake_parse_arguments(NODES "" "VARIANT" "ARGS;ENVIRONMENT" ${ARGN})
  foreach(network IN LISTS networks)
    uccs_add_spmd_test(nodes.${network}.${name} ${target} ARGS ${NODES_ARGS} PES 4 LABELS cluster ENVIRONMENT
      "UCCS_NET=${network}:tcp;UCCS_NODE_SIZE=2;UCCS_NET_PLUGINS=${CMAKE_BINARY_DIR}/lib;${NODES_ENVIRONMENT}")
  endforeach()
endfunction()

foreach(case medium large flood last_words)
  uccs_add_nodes_test(uccs.am.${case} uccs_am ARGS ${case})
endforeach()
foreach(case contiguous strided signal)
  uccs_add_nodes_test(uccs.rma.${case} uccs_rma ARGS ${case})
endforeach()
foreach(case types concurrent)
  uccs_add_nodes_test(uccs.atomic.${case} uccs_atomic ARGS ${case})
endforeach()
foreach(case sizes order)
  uccs_add_nodes_test(uccs.message.${case} uccs_message ARGS ${case})
endforeach()
uccs_add_nodes_test(uccs.am.medium.fault uccs_am ARGS medium ENVIRONMENT UCCS_WRAP=fault)
foreach(program computing rma_types signals locks ordering memory teams active_sets collectives_types
    extensions)
  uccs_add_nodes_test(shmem.${program} shmem_${program})
endforeach()
foreach(case broadcasts gathers alltoalls reductions scans groups_come_and_go)
  uccs_add_nodes_test(coll.${case} coll_test ARGS ${case} 5)
endforeach()

# A connection that breaks is an error that names the peer. libfabric's tcp tries again for long.
if("ucx" IN_LIST networks)
  add_executable(shmem_broken shmem/broken.c)
  target_link_libraries(shmem_broken PRIVATE UCCS::uccs uccs_flags)
  foreach(case put get atomic long wait)
    add_test(NAME nodes.ucx.broken.${case} COMMAND ${CMAKE_BINARY_DIR}/bin/oshrun -n 3
      $<TARGET_FILE:shmem_broken> ${case})
    set_tests_properties(nodes.ucx.broken.${case} PROPERTIES LABELS "spmd;cluster" TIMEOUT 30
      ENVIRONMENT "UCCS_NET=ucx:tcp;UCCS_NODE_SIZE=2;UCCS_NET_PLUGINS=${CMAKE_BINARY_DIR}/lib"
      PASS_REGULAR_EXPRESSION "EC 2 (is gone|cannot be reached any more): UCX says")
  endforeach()
endif()

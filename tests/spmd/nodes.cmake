# SPDX-License-Identifier: BSD-3-Clause
# Tests again with the ECs of this machine as two nodes of two (UCCS_NODE_SIZE): what is between the nodes
# goes over the network, which is tcp on the loopback. Short: one count of ECs, a case of each kind.
get_property(networks GLOBAL PROPERTY UCCS_NETWORKS)

# uccs_add_nodes_test(<name> <target> [MESSAGES] [PES count] [NODE_SIZE n] [ARGS ...]): once for each network of the
# build. MESSAGES: there is nothing else, so that TSan can judge it.
function(uccs_add_nodes_test name target)
  cmake_parse_arguments(NODES "MESSAGES" "PES;NODE_SIZE" "ARGS;ENVIRONMENT;LABELS" ${ARGN})
  if(UCCS_SANITIZE STREQUAL "thread" AND NOT NODES_MESSAGES)
    return()
  endif()
  if(NOT NODES_PES)
    set(NODES_PES 4)
  endif()
  if(NOT NODES_NODE_SIZE)
    set(NODES_NODE_SIZE 2)
  endif()
  set(playing "UCCS_NODE_SIZE=${NODES_NODE_SIZE};${network_environment};${NODES_ENVIRONMENT}")
  foreach(network IN LISTS networks)
    uccs_add_spmd_test(nodes.${network}.${name} ${target} ARGS ${NODES_ARGS} PES ${NODES_PES}
      LABELS cluster ${NODES_LABELS} ENVIRONMENT "UCCS_NET=${network}:tcp;${playing}")
  endforeach()
endfunction()

foreach(case medium large flood last_words relayed_words)
  uccs_add_nodes_test(uccs.am.${case} uccs_am MESSAGES ARGS ${case})
endforeach()
foreach(case contiguous strided signal)
  uccs_add_nodes_test(uccs.rma.${case} uccs_rma ARGS ${case})
endforeach()
foreach(case types concurrent floats passive)
  uccs_add_nodes_test(uccs.atomic.${case} uccs_atomic ARGS ${case})
endforeach()
uccs_add_nodes_test(uccs.windows uccs_windows PES 2 NODE_SIZE 1)
foreach(case sizes order unreceived)
  uccs_add_nodes_test(uccs.message.${case} uccs_message MESSAGES ARGS ${case})
endforeach()
# Messages come to lanes whose residents wait elsewhere.
uccs_add_nodes_test(uccs.threads.hand_over uccs_threads MESSAGES ARGS hand_over)
uccs_add_nodes_test(uccs.am.medium.fault uccs_am ARGS medium ENVIRONMENT UCCS_WRAP=fault)
foreach(program bursts chunks computing counting quiets rma_types rma_strides signals locks ordering memory teams teams_any
    active_sets collectives_types extensions handles)
  uccs_add_nodes_test(shmem.${program} shmem_${program})
endforeach()
foreach(program between naps streams)
  uccs_add_nodes_test(shmem.${program} shmem_${program} PES 2 NODE_SIZE 1)
endforeach()
uccs_add_nodes_test(shmem.levels shmem_levels NODE_SIZE 1)
uccs_add_nodes_test(shmem.levels.fault shmem_levels NODE_SIZE 1 ENVIRONMENT UCCS_WRAP=fault)
foreach(case broadcasts gathers alltoalls reductions scans groups_come_and_go)
  uccs_add_nodes_test(coll.${case} coll_test ARGS ${case} 5)
endforeach()

# Contexts that pack: PEs on the node and off it, one per node with the least buffers, with messages that
# are put off, and with calls that are looked at.
uccs_add_nodes_test(shmem.aggregation shmem_aggregation)
uccs_add_nodes_test(shmem.aggregation.fault shmem_aggregation ENVIRONMENT UCCS_WRAP=fault)
uccs_add_nodes_test(check.aggregation shmem_aggregation ENVIRONMENT UCCS_CHECK=1)
foreach(case memory messages last_words)
  uccs_add_nodes_test(uccs.aggregate.${case} uccs_aggregate ARGS ${case})
endforeach()
uccs_add_nodes_test(uccs.aggregate.thread uccs_aggregate ARGS messages ENVIRONMENT UCCS_PROGRESS=thread)
uccs_add_network_test(shmem.aggregation.small shmem_aggregation PES 3 ENVIRONMENT
  UCCS_AGGREGATE_BYTES=256)

# Check mode looks at calls first; collectives are compared between the nodes, too.
foreach(program rma_types teams)
  uccs_add_nodes_test(check.${program} shmem_${program} ENVIRONMENT UCCS_CHECK=1)
endforeach()
foreach(case broadcasts gathers alltoalls reductions scans)
  uccs_add_nodes_test(check.coll.${case} coll_test ARGS ${case} 5 PES 3 NODE_SIZE 1 ENVIRONMENT UCCS_CHECK=1)
endforeach()
if(UCCS_SANITIZE STREQUAL "thread")  # what follows are no messages either
  set(networks)
endif()
foreach(network IN LISTS networks)
  set(playing "UCCS_NET=${network}:tcp;UCCS_NODE_SIZE=1;${network_environment}")
  add_test(NAME nodes.${network}.check.misuse COMMAND Python3::Interpreter
    ${CMAKE_CURRENT_LIST_DIR}/shmem/misuse.py ${CMAKE_BINARY_DIR}/bin/oshrun $<TARGET_FILE:shmem_misuse_calls>
    between-nodes)
  set_tests_properties(nodes.${network}.check.misuse PROPERTIES LABELS "spmd;cluster;shmem" TIMEOUT 300
    ENVIRONMENT "${playing}")
  add_test(NAME nodes.${network}.check.mismatch
    COMMAND ${CMAKE_BINARY_DIR}/bin/oshrun -n 3 --timeout 30 $<TARGET_FILE:coll_test> mismatch)
  set_tests_properties(nodes.${network}.check.mismatch PROPERTIES LABELS "spmd;cluster;coll" TIMEOUT 60
    ENVIRONMENT "${playing};UCCS_CHECK=1"
    PASS_REGULAR_EXPRESSION "collectives do not match: EC 2 is in .* first of the group, in ")
endforeach()

include(gasnet/nodes.cmake)

# Without a network: one message that says why.
add_test(NAME nodes.none COMMAND uccsrun -n 2 $<TARGET_FILE:shmem_computing>)
set_tests_properties(nodes.none PROPERTIES LABELS "cluster;spmd" TIMEOUT 30
  ENVIRONMENT "UCCS_NODE_SIZE=1;UCCS_NET=none"
  PASS_REGULAR_EXPRESSION "no network joins the nodes: UCCS_NET=none forbids it")

foreach(network IN LISTS networks)
  add_test(NAME nodes.${network}.no_interface COMMAND uccsrun -n 2 $<TARGET_FILE:shmem_computing>)
  set_tests_properties(nodes.${network}.no_interface PROPERTIES LABELS "cluster;spmd" TIMEOUT 30
    ENVIRONMENT "UCCS_NODE_SIZE=1;UCCS_NET=${network};UCCS_NET_INTERFACE=nowhere0;${network_environment}"
    PASS_REGULAR_EXPRESSION "error: no network: .* on interface nowhere0")
endforeach()

# A connection that breaks is an error that names the peer. libfabric's tcp tries again for long.
if("ucx" IN_LIST networks)
  add_executable(shmem_broken shmem/broken.c)
  target_link_libraries(shmem_broken PRIVATE UCCS::uccs uccs_flags)
  foreach(case put get atomic long wait)
    add_test(NAME nodes.ucx.broken.${case} COMMAND ${CMAKE_BINARY_DIR}/bin/oshrun -n 3
      $<TARGET_FILE:shmem_broken> ${case})
    set_tests_properties(nodes.ucx.broken.${case} PROPERTIES LABELS "spmd;cluster" TIMEOUT 30
      ENVIRONMENT "UCCS_NET=ucx:tcp;UCCS_NODE_SIZE=2;${network_environment}"
      PASS_REGULAR_EXPRESSION "EC 2 on [^ ]+ (cannot be reached: UCX says|has not answered in time)")
  endforeach()
endif()

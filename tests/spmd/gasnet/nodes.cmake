# SPDX-License-Identifier: BSD-3-Clause
# GASNet between nodes: what is mapped on one, fetched over the network from others. Nodes of one EC each,
# three of them, where rounds are odd; and of two.
foreach(case puts values many)
  uccs_add_nodes_test(gasnet.rma.${case} gasnet_rma ARGS ${case} LABELS gasnet)
endforeach()
foreach(case gets memset words lists)
  uccs_add_nodes_test(gasnet.rma.${case} gasnet_rma ARGS ${case} PES 3 NODE_SIZE 1 LABELS gasnet)
endforeach()
foreach(case puts lists)
  uccs_add_nodes_test(gasnet.rma.${case}_everything gasnet_rma_everything ARGS ${case} LABELS gasnet)
endforeach()
uccs_add_nodes_test(gasnet.rma.values_inline gasnet_rma_inline ARGS values PES 2 NODE_SIZE 1 LABELS gasnet)
foreach(case arguments flood)
  uccs_add_nodes_test(gasnet.am.${case} gasnet_am ARGS ${case} LABELS gasnet)
endforeach()
uccs_add_nodes_test(gasnet.am.sizes gasnet_am ARGS sizes PES 3 NODE_SIZE 1 LABELS gasnet)
uccs_add_nodes_test(gasnet.am.arguments_everything gasnet_am_everything ARGS arguments PES 2 NODE_SIZE 1
  LABELS gasnet)
uccs_add_nodes_test(gasnet.am.flood.fault gasnet_am ARGS flood PES 2 NODE_SIZE 1 LABELS gasnet
  ENVIRONMENT UCCS_WRAP=fault)
foreach(case names order)
  uccs_add_nodes_test(gasnet.barrier.${case} gasnet_barrier ARGS ${case} LABELS gasnet)
endforeach()
foreach(case mismatches service)
  uccs_add_nodes_test(gasnet.barrier.${case} gasnet_barrier ARGS ${case} PES 3 NODE_SIZE 1 LABELS gasnet)
endforeach()
uccs_add_nodes_test(gasnet.barrier.mismatches.pairs gasnet_barrier ARGS mismatches LABELS gasnet)
foreach(case messages transfers locks)
  uccs_add_nodes_test(gasnet.threads.${case} gasnet_threads ARGS ${case} 2 PES 2 NODE_SIZE 1 LABELS gasnet)
endforeach()
foreach(case queries largest)
  uccs_add_nodes_test(gasnet.job.${case} gasnet_job ARGS ${case} LABELS gasnet)
endforeach()

# Not under sanitizers, which trip over threads of the libraries that run while a process ends.
set(ending_networks ${networks})
if(UCCS_SANITIZE)
  set(ending_networks)
endif()
foreach(network IN LISTS ending_networks)
  add_test(NAME nodes.${network}.gasnet.ends COMMAND Python3::Interpreter
    ${CMAKE_CURRENT_LIST_DIR}/ends.py ${CMAKE_BINARY_DIR}/bin/uccsrun $<TARGET_FILE:gasnet_job> --between-nodes)
  set_tests_properties(nodes.${network}.gasnet.ends PROPERTIES LABELS "spmd;cluster;gasnet" TIMEOUT 300
    ENVIRONMENT "UCCS_NET=${network}:tcp;UCCS_NODE_SIZE=1;${network_environment}")
endforeach()

# Under a launcher that is not ours rank 0 stays until the others have left.
find_program(hydra mpiexec.hydra)
if(hydra AND networks)
  add_test(NAME nodes.hydra.gasnet.hello COMMAND ${hydra} -n 2 -env UCCS_NODE a $<TARGET_FILE:gasnet_hello>
    : -n 2 -env UCCS_NODE b $<TARGET_FILE:gasnet_hello>)
  list(GET networks 0 network)
  set_tests_properties(nodes.hydra.gasnet.hello PROPERTIES LABELS "spmd;cluster;gasnet" TIMEOUT 90
    ENVIRONMENT "UCCS_NET=${network}:tcp;${network_environment}")
endif()

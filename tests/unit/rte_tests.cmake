# Included by the tests' CMakeLists: unit tests of src/rte on its objects, and a job that uses the
# public calls.
add_executable(rte_test
  ${CMAKE_CURRENT_LIST_DIR}/rte_exchange_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rte_packet_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/rte_single_test.cpp)
target_link_libraries(rte_test PRIVATE uccs_rte uccs_base GTest::gtest GTest::gtest_main
  Threads::Threads ${CMAKE_DL_LIBS})
add_test(NAME rte_test COMMAND rte_test)
set_tests_properties(rte_test PROPERTIES LABELS rte TIMEOUT 120)

add_executable(rte_job_test ${CMAKE_CURRENT_LIST_DIR}/rte_job_test.cpp)
target_link_libraries(rte_job_test PRIVATE uccs Threads::Threads)
add_test(NAME rte_job_test_single COMMAND rte_job_test)
set_tests_properties(rte_job_test_single PROPERTIES LABELS rte TIMEOUT 60)
foreach(n 1 2 3 4 8)
  add_test(NAME rte_job_test_${n}
    COMMAND uccsrun -n ${n} --timeout 100 -x EXPECTED_ECS=${n} $<TARGET_FILE:rte_job_test>)
  set_tests_properties(rte_job_test_${n} PROPERTIES LABELS rte TIMEOUT 120)
endforeach()

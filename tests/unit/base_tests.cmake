# Included by the tests' CMakeLists: unit tests of src/base, on its objects (internals are hidden).
add_executable(base_test
  ${CMAKE_CURRENT_LIST_DIR}/base_config_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/base_cpus_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/base_misc_test.cpp
  ${CMAKE_CURRENT_LIST_DIR}/base_parse_test.cpp)
target_link_libraries(base_test PRIVATE uccs_base GTest::gtest GTest::gtest_main Threads::Threads)
add_test(NAME base_test COMMAND base_test)
# Settings of whoever runs the tests must not reach them.
set_tests_properties(base_test PROPERTIES LABELS base TIMEOUT 60
  ENVIRONMENT_MODIFICATION "UCCS_LOG=unset:;UCCS_SPIN=unset:;SHMEM_SYMMETRIC_SIZE=unset:")

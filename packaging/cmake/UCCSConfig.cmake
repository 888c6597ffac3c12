# find_package(UCCS): target UCCS::uccs
include(${CMAKE_CURRENT_LIST_DIR}/UCCSTargets.cmake)

# find_package(OpenSHMEM): target OpenSHMEM::openshmem, and the launcher in OpenSHMEM_LAUNCHER
include(CMakeFindDependencyMacro)
find_dependency(UCCS PATHS ${CMAKE_CURRENT_LIST_DIR}/../UCCS NO_DEFAULT_PATH)
if(NOT TARGET OpenSHMEM::openshmem)
  add_library(OpenSHMEM::openshmem INTERFACE IMPORTED)
  set_target_properties(OpenSHMEM::openshmem PROPERTIES INTERFACE_LINK_LIBRARIES UCCS::uccs)
endif()
find_program(OpenSHMEM_LAUNCHER oshrun PATHS ${CMAKE_CURRENT_LIST_DIR}/../../../bin NO_DEFAULT_PATH)

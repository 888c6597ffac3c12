// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>

/// Heads the definition of a routine for Fortran.
#define UCCS_FORTRAN(result, name, parameters)                                 \
  extern "C" __attribute__((visibility("default"))) result name##_ parameters; \
  extern "C" result name##_ parameters

namespace uccs::shmem {

/// What SHPALLOC counts in.
constexpr size_t kFortranWordBytes = 4;

/// A loop that runs backwards ends before its start: a negative number of elements is none.
inline size_t fortran_count(int count) { return count > 0 ? static_cast<size_t>(count) : 0; }

/// An array of any type for the routines of C.
template <class Address>
struct FortranArray {
  Address address;
  template <class T>
  operator T*() const {
    return static_cast<T*>(address);
  }
};
template <class Address>
FortranArray(Address) -> FortranArray<Address>;

}  // namespace uccs::shmem

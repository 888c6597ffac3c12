! SPDX-License-Identifier: BSD-3-Clause
! The first OpenSHMEM program in Fortran: every PE says who it is.
!
!   oshfort hello.f90 -o hello && oshrun -n 4 ./hello
program hello
  use shmem
  implicit none

  call shmem_init()  ! before any other shmem_ routine
  ! The lines come in any order: nothing makes one PE wait for another here.
  print '(a, i0, a, i0)', 'PE ', shmem_my_pe(), ' of ', shmem_n_pes()
  call shmem_finalize()  ! waits for all PEs
end program hello

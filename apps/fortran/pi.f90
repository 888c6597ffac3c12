! SPDX-License-Identifier: BSD-3-Clause
! Pi by integrating 4 / (1 + x^2) from 0 to 1: the work is split beforehand, and a reduction adds up
! what the PEs found.
!
!   oshfort pi.f90 -o pi && oshrun -n 4 ./pi
program pi_integral
  use shmem
  implicit none
  integer, parameter :: intervals = 10 * 1000 * 1000
  real(8), parameter :: width = 1d0 / intervals
  real(8), save :: my_part = 0d0, pi  ! arguments of a reduction have to be symmetric
  real(8) :: x, error
  integer :: me, pes, i
  logical :: is_good

  call shmem_init()
  me = shmem_my_pe()
  pes = shmem_n_pes()

  ! The midpoint rule. PE `me` takes the intervals me, me + pes, me + 2 pes, ...
  do i = me, intervals - 1, pes
    x = (i + 0.5d0) * width
    my_part = my_part + 4d0 / (1d0 + x * x) * width
  end do

  ! Adds up my_part of all PEs and leaves the sum in pi, on all PEs. All of them have to call it.
  if (shmem_double_sum_reduce(SHMEM_TEAM_WORLD, pi, my_part, 1) /= 0) call shmem_global_exit(1)

  error = abs(pi - 3.14159265358979323846d0)
  is_good = error < 1d-11
  if (me == 0) print '(a, f16.14, a, es8.1, a, i0, a, a)', 'pi = ', pi, ', error ', error, ', by ', pes, &
      ' PEs : ', trim(merge('VERIFIED', 'FAILED  ', is_good))
  if (.not. is_good) call shmem_global_exit(1)
  call shmem_finalize()
end program pi_integral

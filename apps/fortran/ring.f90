! SPDX-License-Identifier: BSD-3-Clause
! A number goes around: each PE waits for it, adds its own and puts it into the next PE's memory. The
! last one hands it back to PE 0.
!
!   oshfort ring.f90 -o ring && oshrun -n 4 ./ring
program ring
  use shmem
  use, intrinsic :: iso_c_binding, only: c_int64_t
  implicit none

  ! Saved variables, those of modules and common blocks are symmetric: they exist on every PE, and the
  ! others can write them. Variables of the main program are saved anyway; `save` says it.
  integer, save :: total = 0
  integer(c_int64_t), save :: arrived = 0
  integer :: me, pes, next
  integer, parameter :: rounds = 1000
  integer :: round
  logical :: is_good

  call shmem_init()
  me = shmem_my_pe()
  pes = shmem_n_pes()
  next = mod(me + 1, pes)

  do round = 1, rounds
    ! The signal arrives after the number. PE 0 starts each round, and ends it.
    if (me == 0) then
      if (pes > 1) then
        call shmem_putmem_signal(total, total, 4, arrived, int(round, c_int64_t), SHMEM_SIGNAL_SET, next)
        call wait_for(round)
      end if
    else
      call wait_for(round)
      total = total + me
      call shmem_putmem_signal(total, total, 4, arrived, int(round, c_int64_t), SHMEM_SIGNAL_SET, next)
    end if
  end do

  call shmem_barrier_all()
  is_good = me /= 0 .or. total == rounds * (pes * (pes - 1) / 2)
  if (me == 0) print '(a, i0, a, i0, a, a)', 'total ', total, ', ', pes, ' PEs : ', &
      trim(merge('VERIFIED', 'FAILED  ', is_good))
  if (.not. is_good) call shmem_global_exit(1)
  call shmem_finalize()

contains
  subroutine wait_for(value)
    integer, intent(in) :: value
    integer(c_int64_t) :: seen
    seen = shmem_signal_wait_until(arrived, SHMEM_CMP_EQ, int(value, c_int64_t))
  end subroutine wait_for
end program ring

! SPDX-License-Identifier: BSD-3-Clause
! Heat flowing in a square plate with cold edges, as apps/heat does in C. Every PE owns some columns of
! the plate, as Fortran's arrays run down the columns; in each step the neighbours put the columns next
! to them straight into its memory.
!
!   oshfort heat.f90 -o heat && oshrun -n 4 ./heat
program heat
  use shmem
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: n = 300, width = n + 2, steps = 300
  real(8), parameter :: rate = 0.2d0  ! how much heat flows per step; up to 0.25 is stable

  integer(c_int64_t), save :: from_left = 0, from_right = 0  ! the last step whose column has arrived
  real(8), save :: mine, largest
  real(8), pointer :: grid(:, :, :)
  type(c_ptr) :: memory
  real(8) :: angle, decay
  integer :: me, pes, first, columns, columns_left, most, i, j, step, old, new
  logical :: is_good

  call shmem_init()
  me = shmem_my_pe()
  pes = shmem_n_pes()
  if (pes > n) then
    if (me == 0) print '(a, i0, a)', 'heat: at most ', n, ' PEs, so that each has a column'
    call shmem_global_exit(2)
  end if
  first = n * me / pes + 1
  columns = n * (me + 1) / pes - first + 1
  columns_left = first - 1 - n * (me - 1) / pes  ! of the left neighbour, if there is one

  ! All PEs allocate symmetric memory together and of the same size, so it has to do for the largest
  ! part. Two grids, as a step reads one and writes the other; calloc sets them to zero. Columns 0 and
  ! columns + 1, the halo, are copies of the neighbours' columns, or the cold edge.
  most = (n + pes - 1) / pes
  memory = shmem_calloc(2 * width * (most + 2), 8)
  if (.not. c_associated(memory)) call shmem_global_exit(1)
  call c_f_pointer(memory, grid, [width, most + 2, 2])
  grid(0:, 0:, 1:) => grid

  ! This initial state keeps its shape, a step only multiplies it by `decay`: the solution is known.
  angle = acos(-1d0) / (n + 1)
  decay = 1d0 - 4d0 * rate * (1d0 - cos(angle))
  do j = 0, columns + 1
    do i = 1, n
      grid(i, j, 1) = sin(i * angle) * sin((first + j - 1) * angle)
    end do
  end do
  call shmem_barrier_all()  ! nobody puts anything here before I am ready

  do step = 1, steps
    old = 2 - mod(step, 2)
    new = 3 - old
    do j = 1, columns
      do i = 1, n
        grid(i, j, new) = grid(i, j, old) + rate * (grid(i - 1, j, old) + grid(i + 1, j, old) &
            + grid(i, j - 1, old) + grid(i, j + 1, old) - 4d0 * grid(i, j, old))
      end do
    end do
    ! A place in the memory of another PE is named by the same place in mine.
    if (me > 0) call shmem_double_put_signal(grid(0, columns_left + 1, new), grid(0, 1, new), width, &
        from_right, int(step, c_int64_t), SHMEM_SIGNAL_SET, me - 1)
    if (me < pes - 1) call shmem_double_put_signal(grid(0, 0, new), grid(0, columns, new), width, &
        from_left, int(step, c_int64_t), SHMEM_SIGNAL_SET, me + 1)
    if (me > 0) call shmem_int64_wait_until(from_left, SHMEM_CMP_GE, int(step, c_int64_t))
    if (me < pes - 1) call shmem_int64_wait_until(from_right, SHMEM_CMP_GE, int(step, c_int64_t))
  end do

  new = 1 + mod(steps, 2)
  mine = 0d0
  do j = 1, columns
    do i = 1, n
      mine = max(mine, abs(grid(i, j, new) - decay**steps * sin(i * angle) * sin((first + j - 1) * angle)))
    end do
  end do
  if (shmem_double_max_reduce(SHMEM_TEAM_WORLD, largest, mine, 1) /= 0) call shmem_global_exit(1)
  is_good = largest < 1d-12
  if (me == 0) print '(a, es8.1, a, i0, a, a)', 'error ', largest, ', ', pes, ' PEs : ', &
      trim(merge('VERIFIED', 'FAILED  ', is_good))
  if (.not. is_good) call shmem_global_exit(1)
  call shmem_free(memory)
  call shmem_finalize()
end program heat

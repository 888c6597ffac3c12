! SPDX-License-Identifier: BSD-3-Clause
! The module: explicit interfaces, counts of both kinds, teams, contexts, memory, waits.
module data
  use, intrinsic :: iso_c_binding
  implicit none
  integer, parameter :: n = 12
  integer(c_int32_t) :: i4(n) = 0, from4(n), scalar = 0, matrix(3, 4) = 0
  integer(c_int64_t) :: i8(n) = 0, signal = 0, flags(n) = 0
  real(c_float) :: r4(n) = 0
  real(c_double) :: r8(n) = 0, part, total, all_parts(8)
  complex(c_double_complex) :: z = 0, z_total
  character(kind=c_char) :: letters(n) = ' '
end module data

program modern
  use shmem
  use data
  implicit none
  type(shmem_team_t) :: evens
  type(shmem_ctx_t) :: ctx
  type(shmem_team_config_t) :: config
  type(c_ptr) :: block
  integer(c_int32_t), pointer :: words(:), others(:)
  integer :: me, pes, next, before, provided, i, status
  integer(c_size_t) :: found(n)

  call check(shmem_init_thread(SHMEM_THREAD_MULTIPLE, provided) == 0, 'shmem_init_thread')
  call check(provided == SHMEM_THREAD_MULTIPLE, 'provided')
  me = shmem_my_pe()
  pes = shmem_n_pes()
  next = mod(me + 1, pes)
  before = mod(me + pes - 1, pes)
  call check(shmem_pe_accessible(next), 'shmem_pe_accessible')

  from4 = [(me * 100 + i, i = 1, n)]
  call shmem_int32_put(i4, from4, n, next)                 ! default kind
  call shmem_float_put(r4, [(me + 0.5, i = 1, n)], n, next)
  call shmem_double_put(r8, [(me + 0.25d0, i = 1, n)], int(n, c_size_t), next)
  call shmem_int64_p(i8(3), 7_8 + me, next)
  call shmem_char_put(letters, 'abcdefghijkl', n, next)
  call shmem_put32(matrix, from4, 12, next)                ! any rank
  call shmem_int32_atomic_add(scalar, 5, 0)                ! scalars, too
  call shmem_barrier_all()
  call check(all(i4 == [(before * 100 + i, i = 1, n)]), 'shmem_int32_put')
  call check(all(r4 == before + 0.5) .and. all(r8 == before + 0.25d0), 'float, double put')
  call check(i8(3) == 7 + before .and. shmem_int64_g(i8(3), me) == 7 + before, 'p, g')
  call check(letters(12) == 'l', 'shmem_char_put')
  call check(matrix(3, 4) == before * 100 + 12, 'a matrix')
  call check(shmem_int32_atomic_fetch(scalar, 0) == 5 * pes, 'shmem_int32_atomic_add')
  call shmem_double_get(r8, r8, 0, next)
  call shmem_int_iget(from4, i4, 1, 2, 6, next)
  call check(from4(2) == me * 100 + 3, 'shmem_int_iget')

  call shmem_barrier_all()

  ! Signals and waits.
  call shmem_double_put_signal(r8, [(1d0 * me, i = 1, n)], n, signal, 1_8, SHMEM_SIGNAL_ADD, next)
  call check(shmem_signal_wait_until(signal, SHMEM_CMP_GE, 1_8) == 1, 'shmem_signal_wait_until')
  call check(all(r8 == before), 'shmem_double_put_signal')
  call shmem_int64_atomic_set(flags(5), 3_8, next)
  call shmem_int64_wait_until(flags(5), SHMEM_CMP_EQ, 3_8)
  call check(shmem_int64_wait_until_some(flags, n, found, cmp=SHMEM_CMP_EQ, cmp_value=3_8) == 1, 'some')
  call check(found(1) == 4, 'indices count from 0')
  call check(shmem_int64_test_any(flags, n, cmp=SHMEM_CMP_EQ, cmp_value=9_8) == -1, 'none')
  call check(shmem_int64_test(flags(1), SHMEM_CMP_EQ, 0_8) == 1, 'test')

  ! Reductions and teams.
  part = me + 1
  call check(shmem_double_sum_reduce(SHMEM_TEAM_WORLD, total, part, 1) == 0, 'shmem_double_sum_reduce')
  call check(total == pes * (pes + 1) / 2, 'sum')
  z = cmplx(1, me, c_double_complex)
  status = shmem_complexd_sum_reduce(SHMEM_TEAM_WORLD, z_total, z, 1)
  call check(z_total == cmplx(pes, pes * (pes - 1) / 2, c_double_complex), 'complex sum')
  status = shmem_double_fcollect(SHMEM_TEAM_WORLD, all_parts, part, 1)
  call check(all(all_parts(:pes) == [(i, i = 1, pes)]), 'fcollect')
  status = shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 2, (pes + 1) / 2, config, 0_c_long, evens)
  call check(status == 0, 'shmem_team_split_strided')
  if (mod(me, 2) == 0) then
    call check(shmem_team_my_pe(evens) == me / 2, 'shmem_team_my_pe')
    status = shmem_int32_broadcast(evens, i4, from4, n, 0)
    call check(shmem_team_translate_pe(evens, 0, SHMEM_TEAM_WORLD) == 0, 'shmem_team_translate_pe')
    call check(shmem_team_create_ctx(evens, SHMEM_CTX_PRIVATE, ctx) == 0, 'shmem_team_create_ctx')
    call shmem_ctx_int32_put(ctx, i4, from4, n, 0)
    call shmem_ctx_quiet(ctx)
    call shmem_ctx_destroy(ctx)
    call check(shmem_team_sync(evens) == 0, 'shmem_team_sync')
  end if
  call shmem_team_destroy(evens)
  call check(evens%handle == 0 .eqv. mod(me, 2) == 1, 'the handle of a team')

  ! Symmetric memory.
  block = shmem_malloc(4 * n)
  call c_f_pointer(block, words, [n])
  words = me
  call shmem_barrier_all()
  call c_f_pointer(shmem_team_ptr(SHMEM_TEAM_WORLD, words, next), others, [n])
  if (associated(others)) call check(all(others == next), 'shmem_team_ptr')
  call shmem_barrier_all()
  block = shmem_realloc(block, 1000000_c_size_t)
  call c_f_pointer(block, words, [n])
  call check(all(words == me), 'shmem_realloc')
  call shmem_free(block)
  call check(shmemx_wtime() > 0d0, 'shmemx_wtime')
  call shmem_finalize()

contains
  subroutine check(is_good, what)
    logical, intent(in) :: is_good
    character(*), intent(in) :: what
    if (is_good) return
    print '(a, i0, 2a)', 'PE ', shmem_my_pe(), ': FAILED: ', what
    call shmem_global_exit(1)
  end subroutine check
end program modern

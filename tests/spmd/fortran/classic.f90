! SPDX-License-Identifier: BSD-3-Clause
! OpenSHMEM's Fortran interface of old: implicit interfaces, common blocks, Cray pointers.
program classic
  implicit none
  include 'shmem.fh'
  integer, parameter :: n = 10
  integer shmem_my_pe, shmem_n_pes, my_pe, num_pes, shmem_test_lock, shmem_swap
  integer(4) shmem_int4_fadd, shmem_int4_cswap, shmem_int4_swap, shmem_int4_finc, shmem_int4_fetch
  integer(8) shmem_int8_fadd, shmem_int8_cswap, shmem_int8_swap, shmem_int8_finc, shmem_int8_fetch
  real(4) shmem_real4_fetch, shmem_real4_swap
  real(8) shmem_real8_fetch, shmem_real8_swap
  integer(8) shmem_ptr
  logical shmem_pe_accessible, shmem_addr_accessible
  external shmem_barrier_all, shmem_quiet

  integer me, pes, next, before, i, errcode, major, minor
  character(64) name
  ! Symmetric: a common block, and saved variables.
  integer i4(n)
  integer(8) i8(n)
  real r4(n)
  double precision r8(n)
  complex c4(n)
  logical l4(n)
  common /moved/ i8, r8, c4, i4, r4, l4
  character(n), save :: text
  integer, save :: lock = 0, guarded = 0, ready = 0, local_i4(n)
  integer(8), save :: ready8 = 0
  real(4), save :: atom4 = 0.
  real(8), save :: atom8 = 0d0
  integer, save :: word = 0
  integer(8), save :: long_word = 0

  integer block(n)
  pointer (block_at, block)
  integer other(n)
  pointer (other_at, other)

  call start_pes(0)
  me = shmem_my_pe()
  pes = shmem_n_pes()
  next = mod(me + 1, pes)
  before = mod(me + pes - 1, pes)
  call check(me == my_pe() .and. pes == num_pes(), 'my_pe, num_pes')
  call check(shmem_pe_accessible(next) .and. .not. shmem_pe_accessible(pes), 'shmem_pe_accessible')
  call check(shmem_addr_accessible(i4, next), 'shmem_addr_accessible')
  call shmem_info_get_version(major, minor)
  call check(major == SHMEM_MAJOR_VERSION .and. minor == SHMEM_MINOR_VERSION, 'version')
  call shmem_info_get_name(name)
  call check(name == SHMEM_VENDOR_STRING, 'shmem_info_get_name')

  ! Puts to the next PE: what arrives here is of the one before.
  call shmem_integer_put(i4, [(me * 100 + i, i = 1, n)], n, next)
  call shmem_real_put(r4, [(me + i * 0.5, i = 1, n)], n, next)
  call shmem_double_put(r8, [(me + i * 0.25d0, i = 1, n)], n, next)
  call shmem_complex_put(c4, [(cmplx(me, i), i = 1, n)], n, next)
  call shmem_logical_put(l4, [(mod(me + i, 2) == 0, i = 1, n)], n, next)
  call shmem_character_put(text, repeat(char(97 + me), n), n, next)
  call shmem_put8(i8, [(me * 1000_8 + i, i = 1, n)], n, next)
  call shmem_integer_put(i4, i4, -1, next)  ! nothing
  call shmem_barrier_all()
  call check(all(i4 == [(before * 100 + i, i = 1, n)]), 'shmem_integer_put')
  call check(all(r4 == [(before + i * 0.5, i = 1, n)]), 'shmem_real_put')
  call check(all(r8 == [(before + i * 0.25d0, i = 1, n)]), 'shmem_double_put')
  call check(all(c4 == [(cmplx(before, i), i = 1, n)]), 'shmem_complex_put')
  call check(all(l4 .eqv. [(mod(before + i, 2) == 0, i = 1, n)]), 'shmem_logical_put')
  call check(text == repeat(char(97 + before), n), 'shmem_character_put')
  call check(all(i8 == [(before * 1000_8 + i, i = 1, n)]), 'shmem_put8')
  call shmem_get32(local_i4, i4, n, next)
  call check(all(local_i4 == [(me * 100 + i, i = 1, n)]), 'shmem_get32')
  call shmem_getmem(local_i4, i4, 8, me)
  call shmem_get_both()
  call check(local_i4(1) == before * 100 + 1 .and. local_i4(3) == me * 100 + 3, 'shmem_getmem')
  call shmem_integer_iget(local_i4, i4, 2, 1, 5, next)
  call check(all(local_i4(1::2) == [(me * 100 + i, i = 1, 5)]), 'shmem_integer_iget')
  call shmem_barrier_all()
  call shmem_double_iput(r8, [(-1d0 * i, i = 1, n)], 1, 2, 5, next)
  call shmem_put128(c4, [(2. * i, i = 1, 4)], 1, next)
  call shmem_barrier_all()
  call check(all(r8(:5) == [(1d0 - 2d0 * i, i = 1, 5)]), 'shmem_double_iput')
  call check(c4(1) == (2., 4.) .and. c4(2) == (6., 8.), 'shmem_put128')

  ! Atomics at PE 0.
  call shmem_int4_add(word, 2, 0)
  call shmem_int4_inc(word, 0)
  i = shmem_int4_fadd(word, 3, 0)
  i = shmem_int4_finc(word, 0)
  call shmem_int8_add(long_word, 2_8**33, 0)
  i8(1) = shmem_int8_fadd(long_word, 1_8, 0)
  call shmem_barrier_all()
  call check(shmem_int4_fetch(word, 0) == 7 * pes, 'add, inc, fadd, finc of integer(4)')
  call check(shmem_int8_fetch(long_word, 0) == (2_8**33 + 1) * pes, 'add, fadd of integer(8)')
  call shmem_barrier_all()
  call shmem_int4_set(word, me, next)
  call shmem_real4_set(atom4, me + 0.5, next)
  call shmem_real8_set(atom8, me + 0.25d0, next)
  call shmem_barrier_all()
  call check(shmem_int4_swap(word, -1, me) == before, 'shmem_int4_swap')
  call check(shmem_int4_cswap(word, -1, 5, me) == -1 .and. shmem_swap(word, 6, me) == 5, 'shmem_int4_cswap')
  call check(shmem_int8_cswap(long_word, -1_8, 5_8, me) /= -1, 'shmem_int8_cswap')
  call check(shmem_int8_swap(long_word, 9_8, me) /= 9 .and. shmem_int8_finc(long_word, me) == 9, 'shmem_int8_swap')
  call check(shmem_real4_swap(atom4, 1., me) == before + 0.5 .and. shmem_real4_fetch(atom4, me) == 1., 'real4')
  call check(shmem_real8_swap(atom8, 1d0, me) == before + 0.25d0 .and. shmem_real8_fetch(atom8, me) == 1d0, 'real8')

  ! Waiting; locks of 4 bytes.
  call shmem_int8_inc(ready8, next)
  call shmem_int8_wait_until(ready8, SHMEM_CMP_EQ, 1_8)
  call shmem_int4_inc(ready, next)
  call shmem_wait(ready, 0)
  call shmem_int4_wait_until(ready, SHMEM_CMP_GE, 1)
  do i = 1, 20
    call shmem_set_lock(lock)
    call shmem_integer_get(local_i4, guarded, 1, 0)
    call shmem_integer_put(guarded, local_i4(1) + 1, 1, 0)
    call shmem_clear_lock(lock)
  end do
  call shmem_barrier_all()
  call shmem_integer_get(local_i4, guarded, 1, 0)
  call check(local_i4(1) == 20 * pes, 'locks')
  if (me == 0) call check(shmem_test_lock(lock) == 0, 'shmem_test_lock')
  call shmem_barrier_all()
  if (me /= 0) call check(shmem_test_lock(lock) == 1, 'shmem_test_lock of a lock that is held')
  call shmem_barrier_all()
  if (me == 0) call shmem_clear_lock(lock)

  ! The symmetric heap.
  call shpalloc(block_at, n, errcode, 1)
  call check(errcode == 0, 'shpalloc')
  block = me
  call shmem_barrier_all()
  other_at = shmem_ptr(block, next)
  if (other_at /= 0) call check(all(other == next), 'shmem_ptr')
  call shmem_barrier_all()
  call shpclmove(block_at, 100000, errcode, 1)
  call check(errcode >= 0 .and. all(block == me), 'shpclmove')
  call shpdeallc(block_at, errcode, 1)
  call check(errcode == 0, 'shpdeallc')
  call shpalloc(block_at, 0, errcode, 0)
  call check(errcode == -1, 'shpalloc of nothing')
  i8 = 0
  call shpdeallc(loc(i8), errcode, 0)
  call check(errcode == -1, 'shpdeallc of what is no block')

  call shmem_fence()
  call shmem_quiet()
  call shmem_set_cache_inv()
  call shmem_finalize()

contains
  subroutine shmem_get_both()
    call shmem_int4_wait_until(i4(1), SHMEM_CMP_NE, -1)
  end subroutine shmem_get_both

  subroutine check(is_good, what)
    logical, intent(in) :: is_good
    character(*), intent(in) :: what
    if (is_good) return
    print '(a, i0, 2a)', 'PE ', me, ': FAILED: ', what
    call shmem_global_exit(1)
  end subroutine check
end program classic

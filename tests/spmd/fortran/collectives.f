! SPDX-License-Identifier: BSD-3-Clause
! Collectives of old, in fixed form.
      program collectives
      implicit none
      include 'mpp/shmem.fh'
      integer n
      parameter (n = 8)
      integer shmem_my_pe, shmem_n_pes, me, pes, i, total
      integer source4(n), dest4(8 * n), psync(SHMEM_REDUCE_SYNC_SIZE)
      integer*8 source8(n), dest8(8 * n)
      real*4 real_source(n), real_dest(n)
      real*8 double_source(n), double_dest(n)
      real(16) quad_source(n), quad_dest(n)
      complex(4) complex_source(n), complex_dest(n)
      complex(8) z_source(n), z_dest(n)
      integer pwrk(SHMEM_REDUCE_MIN_WRKDATA_SIZE)
      common /symmetric/ quad_source, quad_dest, z_source, z_dest,
     &  complex_source, complex_dest, double_source, double_dest,
     &  source8, dest8, real_source, real_dest, source4, dest4, pwrk
      data psync /SHMEM_REDUCE_SYNC_SIZE * SHMEM_SYNC_VALUE/
      save psync

      call shmem_init()
      me = shmem_my_pe()
      pes = shmem_n_pes()
      total = pes * (pes + 1) / 2
      do i = 1, n
        source4(i) = me * 100 + i
        source8(i) = me * 1000 + i
        real_source(i) = me + 1
        double_source(i) = me + 1
        quad_source(i) = (me + 1) * 1.1q0
        complex_source(i) = cmplx(me + 1, 1)
        z_source(i) = cmplx(2, 0, 8)
      end do

      dest4 = -1
      dest8 = -1
      call shmem_barrier_all
      call shmem_broadcast4(dest4, source4, n, 0, 0, 0, pes, psync)
      call shmem_broadcast64(dest8, source8, n, 0, 0, 0, pes, psync)
      call check(dest4(n) .eq. n .or. me .eq. 0, 'broadcast4')
      call check(dest8(n) .eq. n .or. me .eq. 0, 'broadcast64')
      call shmem_barrier(0, 0, pes, psync)
      call shmem_fcollect4(dest4, source4, n, 0, 0, pes, psync)
      call check(dest4(n * pes) .eq. (pes - 1) * 100 + n, 'fcollect4')
      call shmem_collect8(dest8, source8, n, 0, 0, pes, psync)
      call check(dest8(1 + n * (pes - 1)) .eq. (pes - 1) * 1000 + 1,
     &  'collect8')
      call shmem_barrier_all
      call shmem_alltoall32(dest4, source4, 1, 0, 0, pes, psync)
      call check(dest4(pes) .eq. (pes - 1) * 100 + me + 1, 'alltoall32')
      call shmem_barrier_all
      call shmem_alltoalls64(dest8, source8, 1, 1, 1, 0, 0, pes, psync)
      call check(dest8(pes) .eq. (pes - 1) * 1000 + me + 1,
     &  'alltoalls64')

      source4(1) = me + 1
      call shmem_int4_sum_to_all(dest4, source4, 1, 0, 0, pes, pwrk,
     &  psync)
      call check(dest4(1) .eq. total, 'int4_sum')
      call shmem_int4_xor_to_all(dest4, source4, 0, 0, 0, pes, pwrk,
     &  psync)
      call shmem_int8_max_to_all(dest8, source8, n, 0, 0, pes, pwrk,
     &  psync)
      call check(dest8(n) .eq. (pes - 1) * 1000 + n, 'int8_max')
      call shmem_int4_and_to_all(dest4, source4, 1, 0, 0, pes, pwrk,
     &  psync)
      call check(dest4(1) .eq. 0 .or. pes .eq. 1, 'int4_and')
      call shmem_real4_sum_to_all(real_dest, real_source, n, 0, 0, pes,
     &  pwrk, psync)
      call check(real_dest(n) .eq. total, 'real4_sum')
      call shmem_real8_min_to_all(double_dest, double_source, n, 0, 0,
     &  pes, pwrk, psync)
      call check(double_dest(n) .eq. 1, 'real8_min')
      call shmem_real16_sum_to_all(quad_dest, quad_source, n, 0, 0,
     &  pes, pwrk, psync)
      call check(abs(quad_dest(n) - total * 1.1q0) .lt. 1q-30,
     &  'real16_sum')
      call shmem_real16_max_to_all(quad_dest, quad_source, n, 0, 0,
     &  pes, pwrk, psync)
      call check(quad_dest(n) .eq. pes * 1.1q0, 'real16_max')
      call shmem_comp4_sum_to_all(complex_dest, complex_source, n, 0,
     &  0, pes, pwrk, psync)
      call check(complex_dest(n) .eq. cmplx(total, pes), 'comp4_sum')
      call shmem_comp8_prod_to_all(z_dest, z_source, n, 0, 0, pes,
     &  pwrk, psync)
      call check(z_dest(1) .eq. cmplx(2.0d0 ** pes, 0, 8), 'comp8_prod')
      call shmem_finalize
      end

      subroutine check(is_good, what)
      logical is_good
      character*(*) what
      if (.not. is_good) then
        print *, 'FAILED: ', what
        call shmem_global_exit(1)
      end if
      end

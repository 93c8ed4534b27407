! SPDX-License-Identifier: BSD-3-Clause
! Programs of MPI-1 in fixed form with mpif.h: the examples of the book
! that are printed in Fortran, and what the book says of Fortran.
! Run on two ranks. ex fig-1.1; ex 2.2, ex 2.6, ex 4.18; req 1.2.10
! req 1.2.27 req 2.3.15 req 3.3.27 req 4.3.29 req 5.3.35
! req fortran 1.1, 1.2, 1.3, 1.4, 1.11, 1.13, 3.29, 3.31, 3.32, 4.53, 5.68, 5.71
! req fortran 5.72, 6.87, 6.90, 7.102, 7.103, 10.119, 10.127
      program mpi1
      use check
      implicit double precision (a-h,o-z)
      include 'mpif.h'
      integer ierr, rank, size
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierr)
      call MPI_ERRHANDLER_SET(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
      call MPI_ERRHANDLER_SET(MPI_COMM_SELF, MPI_ERRORS_RETURN, ierr)
      call figure11(rank)
      call strings(rank)
      call maxlocs(rank, size)
      call truths(size)
      call addresses
      call sections(rank)
      call structures(rank)
      call common(rank)
      call keyvals
      call lists(rank)
      call grids
      call handlers
      call MPI_PCONTROL(1)
      call MPI_FINALIZE(ierr)
      call report()
      end

! Two buffers of different types in one unit.
      subroutine figure11(rank)
      use check
      implicit none
      include 'mpif.h'
      integer rank, ierr, n(3), st(MPI_STATUS_SIZE), last
      parameter (last = MPI_ERR_LASTCODE)
      real*8 x(3)
      if (rank .eq. 0) then
        x(1) = 1.5d0
        x(2) = 2.5d0
        n(1) = 7
        call MPI_SEND(x, 2, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, &
     &    ierr)
        call MPI_SEND(n, 1, MPI_INTEGER, 1, 2, MPI_COMM_WORLD, ierr)
      else if (rank .eq. 1) then
        call MPI_RECV(x, 3, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 1,    &
     &    MPI_COMM_WORLD, st, ierr)
        call expect_value(st(MPI_SOURCE), 0, 'the source')
        call expect_value(st(MPI_TAG), 1, 'the tag')
        call MPI_GET_COUNT(st, MPI_DOUBLE_PRECISION, n, ierr)
        call expect_value(n(1), 2, 'the count')
        call MPI_RECV(n, 3, MPI_INTEGER, 0, 2, MPI_COMM_WORLD,          &
     &    MPI_STATUS_IGNORE, ierr)
        call expect_value(n(1), 7, 'the integer of figure 1.1')
        call expect(x(2) .eq. 2.5d0, 'the real of figure 1.1')
      end if
      select case (ierr)
      case (MPI_SUCCESS)
      case (MPI_ERR_COMM, last)
        call expect(.false., 'success')
      end select
      end

! Examples 2.2 and 2.6: characters, one by one, and parts of strings.
      subroutine strings(rank)
      use check
      implicit none
      include 'mpif.h'
      integer rank, ierr, st(MPI_STATUS_SIZE)
      character*20 greeting
      character*10 a, b
      a = 'abcdefghij'
      if (rank .eq. 0) then
        greeting = 'Hello there'
        call MPI_SEND(greeting, 11, MPI_CHARACTER, 1, 99,               &
     &    MPI_COMM_WORLD, ierr)
        call MPI_SEND(a, 5, MPI_CHARACTER, 1, 0, MPI_COMM_WORLD, ierr)
      else if (rank .eq. 1) then
        greeting = '********************'
        call MPI_RECV(greeting, 20, MPI_CHARACTER, 0, 99,               &
     &    MPI_COMM_WORLD, st, ierr)
        call expect(greeting .eq. 'Hello there*********', 'ex 2.2')
        b = '----------'
        call MPI_RECV(b(6:10), 5, MPI_CHARACTER, 0, 0, MPI_COMM_WORLD,  &
     &    st, ierr)
        call expect(b .eq. '-----abcde', 'ex 2.6')
      end if
      end

! Example 4.18: the index of a pair is a DOUBLE PRECISION.
      subroutine maxlocs(rank, size)
      use check
      implicit none
      include 'mpif.h'
      integer rank, size, ierr, i
      double precision in(2,30), out(2,30)
      do 10 i = 1, 30
        in(1,i) = dble(mod(i + rank, size))
        in(2,i) = rank
10    continue
      call MPI_REDUCE(in, out, 30, MPI_2DOUBLE_PRECISION, MPI_MAXLOC, 0,&
     &  MPI_COMM_WORLD, ierr)
      if (rank .eq. 0) then
        do 20 i = 1, 30
          call expect(out(1,i) .eq. size - 1, 'ex 4.18, values')
          call expect_value(mod(i + int(out(2,i)), size), size - 1,     &
     &      'ex 4.18, the rank')
20      continue
      end if
      end

      subroutine truths(size)
      use check
      implicit none
      include 'mpif.h'
      integer size, ierr
      logical in(2), out(2)
      logical*1 small, sum
      in(1) = .true.
      in(2) = .false.
      call MPI_ALLREDUCE(in, out, 2, MPI_LOGICAL, MPI_LXOR,             &
     &  MPI_COMM_WORLD, ierr)
      call expect(out(1) .eqv. mod(size, 2) .eq. 1, 'MPI_LXOR')
      call expect(.not. out(2), 'MPI_LXOR of .false.')
      small = .true.
      call MPI_ALLREDUCE(small, sum, 1, MPI_LOGICAL1, MPI_LAND,         &
     &  MPI_COMM_WORLD, ierr)
      call expect(sum .eqv. .true., 'MPI_LAND of LOGICAL*1')
      end

! An address that does not fit an INTEGER is an error, not cut.
      subroutine addresses
      use check
      implicit none
      include 'mpif.h'
      integer ierr, short, class, x(2)
      integer(MPI_ADDRESS_KIND) long, next
      x = 0
      call MPI_GET_ADDRESS(x(1), long, ierr)
      call MPI_GET_ADDRESS(x(2), next, ierr)
      call expect(MPI_AINT_DIFF(next, long) .eq. 4, 'MPI_AINT_DIFF')
      call expect(MPI_AINT_ADD(long, next - long) .eq. next, 'AINT_ADD')
      call MPI_ADDRESS(x, short, ierr)
      if (long .gt. huge(short)) then
        call MPI_ERROR_CLASS(ierr, class, ierr)
        call expect_value(class, MPI_ERR_ARG, 'class of MPI_ADDRESS')
      else
        call expect(short .eq. long, 'MPI_ADDRESS')
      end if
      end

! Every other row and column of a matrix that is stored by columns, and
! a section that the compiler copies.
      subroutine sections(rank)
      use check
      implicit none
      include 'mpif.h'
      integer rank, ierr, row, both, extent, st(MPI_STATUS_SIZE), i
      integer double
      real a(6,6), b(3,3), c(9)
      do 10 i = 0, 35
        a(mod(i,6) + 1, i / 6 + 1) = i
10    continue
      call MPI_TYPE_EXTENT(MPI_REAL, extent, ierr)
      call MPI_TYPE_VECTOR(3, 1, 2, MPI_REAL, row, ierr)
      call MPI_TYPE_HVECTOR(3, 1, 12 * extent, row, both, ierr)
      call MPI_TYPE_COMMIT(both, ierr)
      call MPI_SENDRECV(a, 1, both, rank, 0, b, 9, MPI_REAL, rank, 0,   &
     &  MPI_COMM_WORLD, st, ierr)
      call expect(all(b .eq. a(1:6:2,1:6:2)), 'an hvector of vectors')
      call MPI_SENDRECV(a(1:6:2,1:6:2), 9, MPI_REAL, rank, 0, c, 9,     &
     &  MPI_REAL, rank, 0, MPI_COMM_WORLD, st, ierr)
      call expect(all(c .eq. reshape(a(1:6:2,1:6:2), (/ 9 /))),         &
     &  'a section that the compiler copies')
      call MPI_TYPE_FREE(both, ierr)
      call MPI_TYPE_FREE(row, ierr)
      call expect_value(row, MPI_DATATYPE_NULL, 'a freed datatype')
      call MPI_TYPE_CREATE_SUBARRAY(2, (/ 6, 6 /), (/ 2, 3 /),          &
     &  (/ 1, 2 /), MPI_ORDER_FORTRAN, MPI_REAL, both, ierr)
      call MPI_TYPE_COMMIT(both, ierr)
      call MPI_SENDRECV(a, 1, both, rank, 0, c, 6, MPI_REAL, rank, 0,   &
     &  MPI_COMM_WORLD, st, ierr)
      call expect(all(c(1:6) .eq. reshape(a(2:3,3:5), (/ 6 /))),        &
     &  'a subarray in the order of Fortran')
      call MPI_TYPE_FREE(both, ierr)
      double = 0
      call MPI_TYPE_SIZE(MPI_DOUBLE_PRECISION, double, ierr)
      call expect_value(double, 8, 'the size of DOUBLE PRECISION')
      end

      subroutine structures(rank)
      use check
      implicit none
      include 'mpif.h'
      type particle
        sequence
        integer class
        double precision place(3)
        character kind
      end type
      type(particle) p(5), q(5)
      integer rank, ierr, types(3), lengths(3), one, many, i
      integer(MPI_ADDRESS_KIND) at(3), start, next
      do 10 i = 1, 5
        p(i)%class = i
        p(i)%place = i * 0.5d0
        p(i)%kind = 'k'
        q(i)%kind = '-'
10    continue
      call MPI_GET_ADDRESS(p(1), start, ierr)
      call MPI_GET_ADDRESS(p(2), next, ierr)
      call MPI_GET_ADDRESS(p(1)%class, at(1), ierr)
      call MPI_GET_ADDRESS(p(1)%place, at(2), ierr)
      call MPI_GET_ADDRESS(p(1)%kind, at(3), ierr)
      at = at - start
      lengths = (/ 1, 3, 1 /)
      types = (/ MPI_INTEGER, MPI_DOUBLE_PRECISION, MPI_CHARACTER /)
      call MPI_TYPE_CREATE_STRUCT(3, lengths, at, types, one, ierr)
      call MPI_TYPE_CREATE_RESIZED(one, 0_MPI_ADDRESS_KIND,             &
     &  next - start, many, ierr)
      call MPI_TYPE_COMMIT(many, ierr)
      call MPI_SENDRECV(p, 5, many, rank, 3, q, 5, many, rank, 3,       &
     &  MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      do 20 i = 1, 5
        call expect(q(i)%class .eq. i .and. q(i)%kind .eq. 'k' .and.    &
     &    all(q(i)%place .eq. i * 0.5d0), 'an array of structures')
20    continue
      call MPI_TYPE_FREE(one, ierr)
      call MPI_TYPE_FREE(many, ierr)
      call MPI_TYPE_STRUCT(2, (/ 2, 1 /), (/ 0, 8 /),                   &
     &  (/ MPI_INTEGER, MPI_REAL /), one, ierr)
      call MPI_TYPE_UB(one, i, ierr)
      call expect_value(i, 12, 'MPI_TYPE_UB')
      call MPI_TYPE_LB(one, i, ierr)
      call expect_value(i, 0, 'MPI_TYPE_LB')
      call MPI_TYPE_FREE(one, ierr)
      call MPI_TYPE_HINDEXED(2, (/ 1, 1 /), (/ 4, 12 /), MPI_INTEGER,   &
     &  one, ierr)
      call MPI_TYPE_EXTENT(one, i, ierr)
      call expect_value(i, 12, 'the extent of an hindexed type')
      call MPI_TYPE_FREE(one, ierr)
      end

! Variables of COMMON and EQUIVALENCE are one sequence.
      subroutine common(rank)
      use check
      implicit none
      include 'mpif.h'
      integer rank, ierr, i(4), got(4), whole(4), first
      real r(2)
      common /block/ first, i
      equivalence (whole(3), r(1))
      first = 1
      i = (/ 2, 3, 4, 5 /)
      call MPI_SENDRECV(first, 4, MPI_INTEGER, rank, 0, got, 4,         &
     &  MPI_INTEGER, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call expect(all(got .eq. (/ 1, 2, 3, 4 /)), 'a COMMON block')
      r = 2.0
      call MPI_SENDRECV(whole(3), 2, MPI_REAL, rank, 0, got, 2,         &
     &  MPI_REAL, rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call expect_value(got(2), transfer(2.0, 0), 'an EQUIVALENCE')
      end

      subroutine twice(comm, key, extra, in, out, flag, ierr)
      implicit none
      integer comm, key, extra, in, out, ierr
      logical flag
      out = 2 * in + extra
      flag = .true.
      ierr = 0
      end

      subroutine forget(comm, key, value, extra, ierr)
      implicit none
      integer comm, key, value, extra, ierr, count, last
      common /forgotten/ count, last
      count = count + 1
      last = value
      ierr = 0
      end

      subroutine keyvals
      use check
      implicit none
      include 'mpif.h'
      integer ierr, key, dup, none, copy, value, count, last
      logical flag
      external twice, forget
      common /forgotten/ count, last
      count = 0
      call MPI_KEYVAL_CREATE(twice, forget, key, 3, ierr)
      call MPI_KEYVAL_CREATE(MPI_DUP_FN, MPI_NULL_DELETE_FN, dup, 0,    &
     &  ierr)
      call MPI_KEYVAL_CREATE(MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN, none,&
     &  0, ierr)
      call MPI_COMM_DUP(MPI_COMM_SELF, copy, ierr)
      call MPI_ATTR_PUT(copy, key, -20, ierr)
      call MPI_ATTR_PUT(copy, dup, -7, ierr)
      call MPI_ATTR_PUT(copy, none, 8, ierr)
      call MPI_COMM_DUP(copy, value, ierr)
      call MPI_COMM_FREE(copy, ierr)
      call expect(count .eq. 1 .and. last .eq. -20, 'delete function')
      copy = value
      call MPI_ATTR_GET(copy, key, value, flag, ierr)
      call expect(flag .and. value .eq. -37, 'a copied attribute')
      call MPI_ATTR_GET(copy, dup, value, flag, ierr)
      call expect(flag .and. value .eq. -7, 'MPI_DUP_FN')
      call MPI_ATTR_GET(copy, none, value, flag, ierr)
      call expect(.not. flag, 'MPI_NULL_COPY_FN')
      call MPI_ATTR_DELETE(copy, key, ierr)
      call expect_value(count, 2, 'calls of the delete function')
      call MPI_COMM_FREE(copy, ierr)
      call MPI_KEYVAL_FREE(key, ierr)
      call MPI_KEYVAL_FREE(dup, ierr)
      call MPI_KEYVAL_FREE(none, ierr)
      call MPI_ATTR_GET(MPI_COMM_WORLD, MPI_TAG_UB, value, flag, ierr)
      call expect(flag .and. value .ge. 32767, 'MPI_TAG_UB')
      end

! Lists of requests: indices count from 1.
      subroutine lists(rank)
      use check
      implicit none
      include 'mpif.h'
      integer rank, ierr, r(100), a(100), i, at, done(100), n
      integer st(MPI_STATUS_SIZE,100)
      do 10 i = 1, 100
        call MPI_IRECV(a(i), 1, MPI_INTEGER, rank, i, MPI_COMM_WORLD,   &
     &    r(i), ierr)
10    continue
      call MPI_SEND(4, 1, MPI_INTEGER, rank, 3, MPI_COMM_WORLD, ierr)
      call MPI_WAITANY(100, r, at, st, ierr)
      call expect(at .eq. 3 .and. a(3) .eq. 4, 'MPI_WAITANY')
      call expect_value(r(3), MPI_REQUEST_NULL, 'a completed request')
      call MPI_SEND(5, 1, MPI_INTEGER, rank, 100, MPI_COMM_WORLD, ierr)
      call MPI_WAITSOME(100, r, n, done, st, ierr)
      call expect(n .eq. 1 .and. done(1) .eq. 100, 'MPI_WAITSOME')
      call expect_value(st(MPI_TAG,1), 100, 'its tag')
      do 20 i = 1, 99
        if (i .ne. 3) call MPI_SEND(i, 1, MPI_INTEGER, rank, i,         &
     &    MPI_COMM_WORLD, ierr)
20    continue
      call MPI_WAITALL(100, r, st, ierr)
      call expect(all(r .eq. MPI_REQUEST_NULL), 'MPI_WAITALL')
      call expect_value(st(MPI_TAG,42), 42, 'a tag of MPI_WAITALL')
      call MPI_WAITANY(100, r, at, MPI_STATUS_IGNORE, ierr)
      call expect_value(at, MPI_UNDEFINED, 'no active request')
      end

! Nodes count from 0, elements of arrays from 1.
      subroutine grids
      use check
      implicit none
      include 'mpif.h'
      integer ierr, graph, cart, group, out, n, from, to
      logical flag
      call MPI_GRAPH_CREATE(MPI_COMM_SELF, 1, (/ 1 /), (/ 0 /),         &
     &  .false., graph, ierr)
      call MPI_GRAPH_NEIGHBORS(graph, 0, 1, out, ierr)
      call expect_value(out, 0, 'a neighbour')
      call MPI_COMM_FREE(graph, ierr)
      call MPI_CART_CREATE(MPI_COMM_SELF, 2, (/ 1, 1 /),                &
     &  (/ .true., .false. /), .true., cart, ierr)
      call MPI_CART_SHIFT(cart, 0, 1, from, to, ierr)
      call expect(from .eq. 0 .and. to .eq. 0, 'direction 0 is dims(1)')
      call MPI_CART_SHIFT(cart, 1, 1, from, to, ierr)
      call expect(from .eq. MPI_PROC_NULL, 'direction 1 is dims(2)')
      call MPI_COMM_FREE(cart, ierr)
      call MPI_COMM_GROUP(MPI_COMM_WORLD, group, ierr)
      call MPI_GROUP_RANGE_INCL(group, 1, (/ 0, 0, 1 /), out, ierr)
      call MPI_GROUP_SIZE(out, n, ierr)
      call expect_value(n, 1, 'a range')
      call MPI_GROUP_FREE(group, ierr)
      call MPI_GROUP_FREE(out, ierr)
      call MPI_INITIALIZED(flag, ierr)
      call expect(flag .eqv. .true., 'MPI_INITIALIZED')
      write (*, '(a)', advance='no') ''
      end

      subroutine handler(comm, code)
      implicit none
      integer comm, code, seen
      common /handled/ seen
      seen = comm
      end

      subroutine handlers
      use check
      implicit none
      include 'mpif.h'
      integer ierr, h, seen, comm
      external handler
      common /handled/ seen
      seen = 0
      call MPI_COMM_DUP(MPI_COMM_SELF, comm, ierr)
      call MPI_ERRHANDLER_CREATE(handler, h, ierr)
      call MPI_ERRHANDLER_SET(comm, h, ierr)
      call MPI_SEND(h, -1, MPI_INTEGER, 0, 0, comm, ierr)
      call expect(ierr .ne. MPI_SUCCESS .and. seen .eq. comm,           &
     &  'an error handler of MPI-1')
      call MPI_ERRHANDLER_FREE(h, ierr)
      call MPI_COMM_FREE(comm, ierr)
      end

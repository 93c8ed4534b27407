! SPDX-License-Identifier: BSD-3-Clause
! Datatypes by precision and range, what a datatype was made of, special arguments in module mpi.
! req fortran 2.23, 2.28, 3.51, 4.53, 5.77, 7.95, 7.98, 7.99, 7.100
! req errata 2.46
program types
  use check
  implicit none
  call typed()
  call report()

contains

  subroutine typed()
    use mpi_f08
    call MPI_Init()
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call by_precision()
    call long_kinds()
    call by_digits()
    call contents()
    call many_handles()
    call by_numbers()
    call MPI_Finalize()
  end subroutine typed

  subroutine by_precision()
    use mpi_f08
    type(MPI_Datatype) :: one, again
    real(selected_real_kind(15, 307)) :: x(3), y(3)
    integer :: size, ierror, class, integers, addresses, datatypes, combiner
    call MPI_Type_create_f90_real(15, 307, one)
    call MPI_Type_create_f90_real(15, 307, again)
    call expect(one == again, "the same precision and range give the same handle")
    call MPI_Type_size(one, size)
    call expect_value(size, storage_size(x) / 8, "the size of REAL with 15 digits")
    call MPI_Type_get_envelope(one, integers, addresses, datatypes, combiner)
    call expect_value(combiner, MPI_COMBINER_F90_REAL, "its combiner")
    x = [1, 2, 3]
    call MPI_Allreduce(x, y, 3, one, MPI_SUM, MPI_COMM_SELF)
    call expect(all(x == y), "a sum of REAL with 15 digits")
    call MPI_Type_create_f90_real(6, MPI_UNDEFINED, one)
    call MPI_Type_size(one, size)
    call expect_value(size, storage_size(real(1, selected_real_kind(6))) / 8, "REAL with 6 digits")
    call MPI_Type_create_f90_complex(MPI_UNDEFINED, 200, one)
    call MPI_Type_size(one, size)
    call expect_value(size, 16, "COMPLEX with exponents of 200")
    call MPI_Type_create_f90_real(1000, MPI_UNDEFINED, one, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_ARG, "the class of a precision that does not exist")
  end subroutine by_precision

  ! Where the compiler has no kind of 10 bytes, 18 digits are the kind of 16 bytes.
  subroutine long_kinds()
    use mpi_f08
    integer, parameter :: extended = selected_real_kind(18, 4931)
    real(extended) :: x(3), y(3)
    complex(extended) :: u(2), v(2)
    real(16) :: p(3), q(3)
    complex(16) :: s(2), t(2)
    type(MPI_Datatype) :: reals, complexes, matching
    call MPI_Type_create_f90_real(18, 4931, reals)
    call MPI_Type_create_f90_complex(18, 4931, complexes)
    x = [1, 2, 3]
    x = x / 3
    y = x
    call MPI_Reduce_local(x, y, 3, reals, MPI_SUM)
    call expect(all(y == 2 * x), "a sum of REAL with 18 digits")
    u = cmplx(x(1), -x(2), extended)
    v = (2.0_extended, 0.0_extended)
    call MPI_Reduce_local(u, v, 2, complexes, MPI_PROD)
    call expect(all(v == 2 * u), "a product of COMPLEX with 18 digits")
    p = [1, 2, 3]
    p = p / 3
    q = p
    call MPI_Reduce_local(p, q, 3, MPI_REAL16, MPI_SUM)
    call expect(all(q == 2 * p), "a sum of REAL(16)")
    s = (1.5_16, 0.25_16)
    t = (2.0_16, -1.0_16)
    call MPI_Reduce_local(s, t, 2, MPI_COMPLEX32, MPI_PROD)
    call expect(all(t == (1.5_16, 0.25_16) * (2.0_16, -1.0_16)), "a product of COMPLEX(16)")
    call MPI_Type_match_size(MPI_TYPECLASS_REAL, 16, matching)
    call expect(matching == MPI_REAL16, "REAL of 16 bytes")
  end subroutine long_kinds

  subroutine by_digits()
    use mpi_f08
    type(MPI_Datatype) :: type
    integer, parameter :: digits(4) = [2, 4, 9, 18], bytes(4) = [1, 2, 4, 8]
    integer :: i, size
    do i = 1, 4
      call MPI_Type_create_f90_integer(digits(i), type)
      call MPI_Type_size(type, size)
      call expect_value(size, bytes(i), "the size of an INTEGER by its digits")
    end do
    call MPI_Type_size(MPI_INTEGER, size)
    call expect_value(size, storage_size(size) / 8, "MPI_INTEGER")
    call MPI_Type_size(MPI_LOGICAL, size)
    call expect_value(size, storage_size(.true.) / 8, "MPI_LOGICAL")
    call MPI_Type_size(MPI_DOUBLE_COMPLEX, size)
    call expect_value(size, 16, "MPI_DOUBLE_COMPLEX")
  end subroutine by_digits

  subroutine contents()
    use mpi_f08
    type(MPI_Datatype) :: row, rows, parts(3)
    integer :: integers(1), size
    integer(MPI_ADDRESS_KIND) :: addresses(1)
    call MPI_Type_vector(2, 1, 3, MPI_REAL, row)
    call MPI_Type_contiguous(4, row, rows)
    parts = MPI_BYTE
    call MPI_Type_get_contents(rows, 1, 0, 1, integers, addresses, parts)
    call expect(integers(1) == 4 .and. parts(2) == MPI_BYTE, "contents of a contiguous type")
    call MPI_Type_size(parts(1), size)
    call expect(size == 8 .and. parts(1) /= MPI_BYTE, "the type it was made of")
    call MPI_Type_free(parts(1))
    call MPI_Type_free(rows)
    call MPI_Type_free(row)
  end subroutine contents

  ! More handles than the first blocks of the table of numbers hold, and a number that is none.
  subroutine many_handles()
    use mpi_f08
    integer, parameter :: many = 5000
    type(MPI_Datatype) :: all_types(many), unknown
    integer :: i, size, ierror, class
    do i = 1, many
      call MPI_Type_contiguous(i, MPI_BYTE, all_types(i))
    end do
    do i = 1, many
      call MPI_Type_size(all_types(i), size)
      call expect_value(size, i, "the size of one of many datatypes")
      call MPI_Type_free(all_types(i))
    end do
    unknown%MPI_VAL = 99999999
    call MPI_Type_size(unknown, size, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_TYPE, "the class of a number that is no handle")
  end subroutine many_handles

  subroutine by_numbers()
    use mpi
    integer :: a(3), b(3), type, ierror, statuses(MPI_STATUS_SIZE, 2)
    integer :: requests(2)
    integer(MPI_ADDRESS_KIND) :: place
    a = [1, 2, 3]
    b = 0
    call MPI_Get_address(a, place, ierror)
    call MPI_Type_create_hindexed(1, [3], [place], MPI_INTEGER, type, ierror)
    call MPI_Type_commit(type, ierror)
    call MPI_Isend(MPI_BOTTOM, 1, type, 0, 4, MPI_COMM_SELF, requests(1), ierror)
    call MPI_Irecv(b, 3, MPI_INTEGER, 0, MPI_ANY_TAG, MPI_COMM_SELF, requests(2), ierror)
    call MPI_Waitall(2, requests, statuses, ierror)
    call expect(all(a == b), "MPI_BOTTOM in module mpi")
    call expect_value(statuses(MPI_TAG, 2), 4, "a tag in an array of statuses")
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
    call MPI_Type_free(type, ierror)
    call MPI_Allreduce(MPI_IN_PLACE, a, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_SELF, ierror)
    call expect(all(a == b), "MPI_IN_PLACE in module mpi")
  end subroutine by_numbers

end program types

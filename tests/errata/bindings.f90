! SPDX-License-Identifier: BSD-3-Clause
! Names of arguments, types of absolute addresses, attributes and padded names, beside
! bindings.c, which has the main program.
! req errata 1.15, 1.16, 1.30, 1.31, 2.3, 2.4, 2.36, 2.39, 3.15
module errata_bindings
  use mpi_f08
  use check
  implicit none
  real, target, save, asynchronous :: r(5)

contains

  ! The type that describes r by its address; C uses it with MPI_BOTTOM.
  integer function errata_type_of_r() bind(c)
    integer :: lengths(1)
    integer(kind=MPI_ADDRESS_KIND) :: places(1)
    type(MPI_Datatype) :: types(1), type
    r = [1.0, 2.0, 3.0, 4.0, 5.0]
    lengths(1) = 5
    call MPI_Get_address(r, places(1))
    types(1) = MPI_REAL
    call MPI_Type_create_struct(1, lengths, places, types, type)
    call MPI_Type_commit(type)
    call MPI_Sendrecv(MPI_BOTTOM, 1, type, 0, 1, MPI_BOTTOM, 1, type, 0, 1, MPI_COMM_SELF, &
        MPI_STATUS_IGNORE)
    call expect(all(r == [1.0, 2.0, 3.0, 4.0, 5.0]), "r, sent to itself by its address")
    errata_type_of_r = type%MPI_VAL
  end function errata_type_of_r

  ! What C set is an address here; what is there is what C wrote.
  subroutine errata_attribute(key, address) bind(c)
    integer, value :: key
    integer(kind=MPI_ADDRESS_KIND), value :: address
    integer(kind=MPI_ADDRESS_KIND) :: is
    logical :: flag
    call MPI_Comm_get_attr(MPI_COMM_SELF, key, is, flag)
    call expect(flag .and. is == address, "an attribute of C is an address in Fortran")
  end subroutine errata_attribute

  subroutine errata_names() bind(c)
    character(len=MPI_MAX_PROCESSOR_NAME) :: processor
    character(len=MPI_MAX_OBJECT_NAME) :: name
    integer :: length
    processor = repeat("x", len(processor))
    name = repeat("x", len(name))
    call MPI_Get_processor_name(processor, length)
    call expect(length >= 1 .and. length <= MPI_MAX_PROCESSOR_NAME, "the length of the processor's name")
    call expect(processor(length + 1:) == " " .and. index(processor, achar(0)) == 0, &
        "the processor's name is padded with blanks")
    call MPI_Comm_get_name(MPI_COMM_SELF, name, length)
    call expect(length == 13 .and. name == "MPI_COMM_SELF" .and. name(14:) == " ", &
        "the communicator's name is padded with blanks")
  end subroutine errata_names

  ! Arguments by their names: a wrong one does not compile.
  subroutine errata_keywords() bind(c)
    type(MPI_Datatype) :: type, etype, filetype
    type(MPI_File) :: file
    integer(kind=MPI_OFFSET_KIND) :: disp
    integer(kind=MPI_ADDRESS_KIND) :: stride, lb, extent
    character(len=MPI_MAX_DATAREP_STRING) :: datarep
    character(len=MPI_MAX_OBJECT_NAME) :: name
    integer :: ierror, length
    stride = 12
    call MPI_Type_create_hvector(count=2, blocklength=1, stride=stride, oldtype=MPI_INTEGER, &
        newtype=type)
    call MPI_Type_get_extent(datatype=type, lb=lb, extent=extent)
    call expect(extent == 16, "the extent of an hvector")
    call MPI_Type_free(type)
    disp = -1
    call MPI_File_get_view(fh=MPI_FILE_NULL, disp=disp, etype=etype, filetype=filetype, &
        datarep=datarep, ierror=ierror)
    call expect(ierror /= MPI_SUCCESS, "a view of MPI_FILE_NULL")
    file = MPI_FILE_NULL
    call MPI_Comm_set_name(comm=MPI_COMM_SELF, comm_name="a constant handle")
    call MPI_Comm_get_name(MPI_COMM_SELF, name, length)
    call expect(name == "a constant handle", "the name of what a constant stands for")
    call MPI_Comm_set_name(comm=MPI_COMM_SELF, comm_name="MPI_COMM_SELF")
  end subroutine errata_keywords

  subroutine errata_report() bind(c)
    call report()
  end subroutine errata_report

end module errata_bindings

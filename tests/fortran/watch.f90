! SPDX-License-Identifier: BSD-3-Clause
! What the generated modules watched_FORM say of one call: which function of C is expected, what it
! has to have seen at which place, what Fortran has to have got there.
module watch
  use, intrinsic :: iso_c_binding
  use check
  implicit none
  private
  integer, parameter, public :: number = c_long_long
  integer, parameter :: failing_code = 16
  integer, public :: watched = 0
  character(len=80) :: function_name
  character(len=8) :: form_name
  integer :: expected_code
  public :: watch_for, watch_failing, watch_again, called, saw, saw_address, saw_text, got, got_text

  interface
    subroutine watch_reset(answer) bind(C)
      import
      integer(c_int), value :: answer
    end subroutine watch_reset
    integer(c_int) function watch_calls() bind(C)
      import
    end function watch_calls
    integer(c_int) function watch_is_name(should_be) bind(C)
      import
      character(kind=c_char), intent(in) :: should_be(*)
    end function watch_is_name
    integer(c_long_long) function watch_value(place) bind(C)
      import
      integer(c_int), value :: place
    end function watch_value
    integer(c_long_long) function watch_address(start) bind(C)
      import
      type(*), intent(in) :: start(*)
    end function watch_address
    integer(c_int) function watch_is_text(place, should_be) bind(C)
      import
      integer(c_int), value :: place
      character(kind=c_char), intent(in) :: should_be(*)
    end function watch_is_text
  end interface

contains

  subroutine watch_for(name, form)
    character(len=*), intent(in) :: name, form
    function_name = name
    form_name = form
    watched = watched + 1
    call watch_again()
  end subroutine watch_for

  subroutine watch_again()
    expected_code = 0
    call watch_reset(expected_code)
  end subroutine watch_again

  ! The function of C returns an error, which is the caller's ierror.
  subroutine watch_failing()
    expected_code = failing_code
    call watch_reset(expected_code)
  end subroutine watch_failing

  subroutine called(ierror)
    integer, intent(in), optional :: ierror
    call expect_value(int(watch_calls()), 1, text("calls of the function in C", 0))
    call expect(watch_is_name(trim(function_name) // c_null_char) /= 0, text("the name of the function in C", 0))
    if (present(ierror)) call expect_value(ierror, expected_code, text("ierror", 0))
  end subroutine called

  subroutine saw(place, should_be)
    integer, intent(in) :: place
    integer(number), intent(in) :: should_be
    call expect(watch_value(place) == should_be, text("what C gets", place))
  end subroutine saw

  subroutine saw_address(place, start)
    integer, intent(in) :: place
    type(*), intent(in) :: start(*)
    call expect(watch_value(place) == watch_address(start), text("the address that C gets", place))
  end subroutine saw_address

  subroutine saw_text(place, should_be)
    integer, intent(in) :: place
    character(len=*), intent(in) :: should_be
    call expect(watch_is_text(place, should_be // c_null_char) /= 0, text("the string that C gets", place))
  end subroutine saw_text

  subroutine got(place, is, should_be)
    integer, intent(in) :: place
    integer(number), intent(in) :: is, should_be
    call expect(is == should_be, text("what Fortran gets", place))
  end subroutine got

  subroutine got_text(place, is, should_be)
    integer, intent(in) :: place
    character(len=*), intent(in) :: is, should_be
    call expect(is == should_be .and. index(is, c_null_char) == 0, text("the string that Fortran gets", place))
  end subroutine got_text

  function text(what, place)
    character(len=*), intent(in) :: what
    integer, intent(in) :: place
    character(len=:), allocatable :: text
    character(len=12) :: of_place
    of_place = ""
    if (place > 0 .or. what(1:1) == "w") write (of_place, '(a,i0)') " at ", place
    text = trim(function_name) // " (" // trim(form_name) // "): " // what // trim(of_place)
  end function text

end module watch

! SPDX-License-Identifier: BSD-3-Clause
! A failing check prints its name and the line of what was wrong; report() ends the program.
module check
  implicit none
  integer, private :: failures = 0

contains

  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (holds) return
    failures = failures + 1
    print '(2a)', "does not hold: ", what
  end subroutine expect

  subroutine expect_value(is, should_be, what)
    integer, intent(in) :: is, should_be
    character(len=*), intent(in) :: what
    if (is == should_be) return
    failures = failures + 1
    print '(2a,i0,a,i0)', what, " is ", is, ", should be ", should_be
  end subroutine expect_value

  subroutine report()
    if (failures /= 0) error stop 1
  end subroutine report

end module check

! SPDX-License-Identifier: BSD-3-Clause
! Processes that come and go, through mpi_f08: the program spawns itself. Command lines, commands of
! several programs, parents, intercommunicators, ports and names.
! req fortran 5.70, 5.65, 4.52
program processes
  use mpi_f08
  use check
  implicit none
  integer :: rank, size
  character(len=400) :: self
  character(len=40) :: role
  type(MPI_Comm) :: parent

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  call get_command_argument(0, self)
  call MPI_Comm_get_parent(parent)
  if (parent /= MPI_COMM_NULL) then
    call get_command_argument(1, role)
    call be_child()
  else
    call command_lines()
    call without_arguments()
    call multiple()
    call merged()
    call refused()
    call ports()
    call names()
  end if
  call MPI_Finalize()
  call report()

contains

  ! A child answers with the number of its arguments, then each with its length.
  subroutine be_child()
    character(len=40) :: word
    character(len=MPI_MAX_OBJECT_NAME) :: name
    integer :: i, length, answer(4)
    logical :: found
    integer(MPI_ADDRESS_KIND) :: number
    type(MPI_Comm) :: all
    call MPI_Comm_get_name(parent, name, length)
    call expect(name == "MPI_COMM_PARENT", "the name of the parents' communicator")
    select case (role)
    case ("port")
      call call_at_port(parent)
    case ("merge")
      call MPI_Intercomm_merge(parent, .true., all)
      call sum_over(all)
      call MPI_Comm_disconnect(all)
    case default
      call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, number, found)
      answer = [command_argument_count(), rank, size, int(number)]
      call expect(found, "the attribute MPI_APPNUM")
      call MPI_Send(answer, 4, MPI_INTEGER, 0, 1, parent)
      do i = 1, answer(1)
        call get_command_argument(i, word, length)
        call MPI_Send(word, length, MPI_CHARACTER, 0, 2, parent)
      end do
    end select
    call MPI_Comm_disconnect(parent)
  end subroutine be_child

  subroutine hear(children, child, words, place, program)
    type(MPI_Comm), intent(in) :: children
    integer, intent(in) :: child, place, program
    character(len=*), intent(in) :: words(:)
    character(len=40) :: word
    integer :: answer(4), i, length
    type(MPI_Status) :: status
    if (rank /= 0) return
    call MPI_Recv(answer, 4, MPI_INTEGER, child, 1, children, MPI_STATUS_IGNORE)
    call expect_value(answer(1), ubound(words, 1), "the number of arguments")
    call expect_value(answer(2), place, "the rank of a child")
    call expect_value(answer(4), program, "the number of a child's command")
    do i = 1, answer(1)
      word = ""
      call MPI_Recv(word, len(word), MPI_CHARACTER, child, 2, children, status)
      call MPI_Get_count(status, MPI_CHARACTER, length)
      call expect(word == words(i) .and. length == len_trim(words(i)), "an argument: "//words(i))
    end do
  end subroutine hear

  ! The blank element ends the arguments, blanks inside and before a word stay, those after it go.
  subroutine command_lines()
    character(len=12) :: arguments(5)
    integer :: codes(2), remote
    type(MPI_Comm) :: children
    logical :: inter
    arguments = [character(len=12) :: "words", "two words", " before", "", "not this"]
    codes = -1
    call MPI_Comm_spawn(trim(self)//"  ", arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &
        children, codes)
    call expect(all(codes == MPI_SUCCESS), "error codes of a spawn, at every rank")
    call MPI_Comm_test_inter(children, inter)
    call MPI_Comm_remote_size(children, remote)
    call expect(inter .and. remote == 2, "the communicator of two children")
    call hear(children, 0, arguments(:3), 0, 0)
    call hear(children, 1, arguments(:3), 1, 0)
    call MPI_Comm_disconnect(children)
    call expect(children == MPI_COMM_NULL, "a communicator that was disconnected")
  end subroutine command_lines

  subroutine without_arguments()
    character(len=1) :: none(0)
    type(MPI_Comm) :: children
    integer :: ierror
    call MPI_Comm_spawn(self, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, children, &
        MPI_ERRCODES_IGNORE, ierror)
    call expect_value(ierror, MPI_SUCCESS, "ierror of a spawn")
    call hear(children, 0, none, 0, 0)
    call MPI_Comm_disconnect(children)
  end subroutine without_arguments

  ! The arguments of each command are a row of the table.
  subroutine multiple()
    character(len=400) :: commands(2)
    character(len=8) :: arguments(2, 3)
    integer :: codes(3), i
    type(MPI_Info) :: infos(2)
    type(MPI_Comm) :: children
    commands = self
    arguments(1, :) = [character(len=8) :: "first", "", ""]
    arguments(2, :) = [character(len=8) :: "second", "2", ""]
    infos = MPI_INFO_NULL
    codes = -1
    call MPI_Comm_spawn_multiple(2, commands, arguments, [1, 2], infos, 0, MPI_COMM_WORLD, &
        children, codes)
    call expect(all(codes == MPI_SUCCESS), "error codes of a spawn of two commands")
    call hear(children, 0, arguments(1, :1), 0, 0)
    call hear(children, 1, arguments(2, :2), 1, 1)
    call hear(children, 2, arguments(2, :2), 2, 1)
    call MPI_Comm_disconnect(children)
    call MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, [1, 1], infos, 0, MPI_COMM_WORLD, &
        children, MPI_ERRCODES_IGNORE)
    do i = 0, 1
      call hear(children, i, arguments(1, :0), i, i)
    end do
    call MPI_Comm_disconnect(children)
  end subroutine multiple

  subroutine sum_over(all)
    type(MPI_Comm), intent(in) :: all
    integer :: one, total, number
    one = 1
    call MPI_Comm_size(all, number)
    call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, all)
    call expect_value(total, number, "a sum over parents and children")
  end subroutine sum_over

  subroutine merged()
    type(MPI_Comm) :: children, all
    integer :: place
    call MPI_Comm_spawn(self, [character(len=5) :: "merge", ""], 2, MPI_INFO_NULL, 0, &
        MPI_COMM_WORLD, children, MPI_ERRCODES_IGNORE)
    call MPI_Intercomm_merge(children, .false., all)
    call MPI_Comm_rank(all, place)
    call expect_value(place, rank, "the rank of a parent beside its children")
    call sum_over(all)
    call MPI_Comm_disconnect(all)
    call MPI_Comm_disconnect(children)
  end subroutine merged

  subroutine refused()
    integer :: codes(2), ierror, class, length
    character(len=MPI_MAX_ERROR_STRING) :: text
    type(MPI_Comm) :: children
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    codes = MPI_SUCCESS
    call MPI_Comm_spawn("/no/such/program   ", MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &
        children, codes, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_SPAWN, "the class of a program that is missing")
    call MPI_Error_string(ierror, text, length)
    call expect(rank /= 0 .or. index(text, "/no/such/program") > 0, "the text names the program")
    call expect(all(codes /= MPI_SUCCESS), "error codes of a spawn that failed")
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  end subroutine refused

  ! A child gets the port's name as a message, and calls there.
  subroutine ports()
    character(len=MPI_MAX_PORT_NAME) :: port
    integer :: told
    type(MPI_Comm) :: children, caller
    port = ""
    if (rank == 0) call MPI_Open_port(MPI_INFO_NULL, port)
    call MPI_Comm_spawn(self, [character(len=4) :: "port", ""], 1, MPI_INFO_NULL, 0, &
        MPI_COMM_WORLD, children, MPI_ERRCODES_IGNORE)
    if (rank == 0) call MPI_Send(port, len(port), MPI_CHARACTER, 0, 3, children)
    call MPI_Comm_accept(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, caller)
    if (rank == 0) then
      call MPI_Recv(told, 1, MPI_INTEGER, 0, 4, caller, MPI_STATUS_IGNORE)
      call expect_value(told, 4711, "what a caller sent")
    end if
    call MPI_Comm_disconnect(caller)
    call MPI_Comm_disconnect(children)
    if (rank == 0) call MPI_Close_port(port)
  end subroutine ports

  subroutine call_at_port(parents)
    type(MPI_Comm), intent(in) :: parents
    character(len=MPI_MAX_PORT_NAME) :: port
    type(MPI_Comm) :: server
    call MPI_Recv(port, len(port), MPI_CHARACTER, 0, 3, parents, MPI_STATUS_IGNORE)
    call MPI_Comm_connect(port, MPI_INFO_NULL, 0, MPI_COMM_WORLD, server)
    call MPI_Send(4711, 1, MPI_INTEGER, 0, 4, server)
    call MPI_Comm_disconnect(server)
  end subroutine call_at_port

  ! A name is found without its blanks, and is gone after it was withdrawn.
  subroutine names()
    character(len=MPI_MAX_PORT_NAME) :: port, found
    character(len=60) :: service
    integer :: ierror, class
    if (rank /= 0) return
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Open_port(MPI_INFO_NULL, port)
    write (service, '(a,i0)') "fortran processes ", getpid()
    call MPI_Publish_name(service, MPI_INFO_NULL, port)
    call MPI_Lookup_name(trim(service), MPI_INFO_NULL, found)
    call expect(found == port, "the port behind a name")
    call MPI_Unpublish_name(trim(service)//"   ", MPI_INFO_NULL, port)
    call MPI_Lookup_name(service, MPI_INFO_NULL, found, ierror)
    call MPI_Error_class(ierror, class)
    call expect_value(class, MPI_ERR_NAME, "the class of a name that is gone")
    call MPI_Close_port(port)
  end subroutine names

end program processes

// SPDX-License-Identifier: BSD-3-Clause
// Words for collective calls that do not match.
#include "text.h"

#include <cctype>

namespace tessera::coll::check {

namespace {

std::string type_text(const Services& services, const Amount& amount) {
  const char* const name = amount.type != 0 ? services.name(amount.type) : nullptr;
  if (name != nullptr) return name;
  return "a derived type of " + std::to_string(amount.size) + " bytes";
}

std::string amount_text(const Services& services, const Amount& amount) {
  const auto told = [&](const char* argument) {
    return std::string(argument) + " " + std::to_string(amount.count) + " of " +
           type_text(services, amount);
  };
  switch (amount.measure) {
    case Measure::none:
      return "no data";
    case Measure::count:
      return told("count");
    case Measure::sendcount:
      return told("sendcount");
    case Measure::recvcount:
      return told("recvcount");
    case Measure::recvcounts:
      return told("recvcounts that add up to");
  }
  return {};
}

std::string root_text(int root) {
  if (root == kRoot) return "root MPI_ROOT";
  if (root == kProcNull) return "root MPI_PROC_NULL";
  return "root " + std::to_string(root);
}

std::string op_text(const Services& services, std::uint8_t reduction) {
  const char* const name = reduction != kUserOp ? services.name(reduction) : nullptr;
  return name != nullptr ? name : "an operation of the program's own";
}

std::string said_by(const Services& services, const Participant& who, Difference difference) {
  if (who.record == nullptr) return who.name + " has ended its use of the communicator";
  const std::string call =
      who.name + " calls " + function_name(who.record->operation, who.record->form);
  switch (difference) {
    case Difference::none:
    case Difference::operation:
    case Difference::form:
      return call;
    case Difference::root:
      return call + " with " + root_text(who.record->root);
    case Difference::reduction:
      return call + " with " + op_text(services, who.record->reduction);
    case Difference::in_place:
      return call + (who.record->in_place ? " with MPI_IN_PLACE" : " with a send buffer");
    case Difference::amount:
      return call + " with " + amount_text(services, who.amount);
  }
  return call;
}

std::string making_text(Operation operation, CallForm form) {
  switch (static_cast<Making>(static_cast<std::size_t>(operation) - kOperations)) {
    case Making::duplicate:
      return form == CallForm::nonblocking ? "MPI_Comm_idup" : "MPI_Comm_dup";
    case Making::split:
      return "MPI_Comm_split or what works like it (MPI_Cart_create and others)";
    case Making::create:
      return "MPI_Comm_create";
    case Making::create_inter:
      return "MPI_Intercomm_create";
    case Making::merge:
      return "MPI_Intercomm_merge";
  }
  return "an unknown function";
}

// Whether it is about an intercommunicator, or of arrays of counts.
bool special(Difference difference, const Participant& one, const Participant& other) {
  if (difference == Difference::root) return one.record->root < 0 || other.record->root < 0;
  return difference == Difference::amount && other.amount.measure == Measure::recvcounts;
}

// One sentence on what is right.
const char* remedy(Difference difference, bool special) {
  switch (difference) {
    case Difference::none:
    case Difference::operation:
      return "Let all ranks of a communicator call the same collective operations in the same "
             "order.";
    case Difference::form:
      return "Call the same form everywhere: blocking, nonblocking and persistent operations never "
             "match each other.";
    case Difference::root:
      return special ? "Give the rank of the root in one group, MPI_ROOT or MPI_PROC_NULL in that "
                       "of the root."
                     : "Give the same root on all ranks.";
    case Difference::reduction:
      return "Give the same operation on all ranks.";
    case Difference::in_place:
      return "Give MPI_IN_PLACE on all ranks or on none.";
    case Difference::amount:
      if (special) return "Give the same array of counts, and one type, on all ranks.";
      return "Let counts and types stand for the same sequence of basic types on all ranks; in a "
             "gather, scatter or exchange what one rank sends must be what the other one receives.";
  }
  return "";
}

}  // namespace

std::string function_name(Operation operation, CallForm form) {
  if (static_cast<std::size_t>(operation) >= kOperations) return making_text(operation, form);
  std::string word = name(operation);
  if (form == CallForm::nonblocking) return "MPI_I" + word;
  word.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(word.front())));
  return "MPI_" + word + (form == CallForm::persistent ? "_init" : "");
}

Text mismatch_text(const Services& services, const std::string& communicator, std::uint64_t number,
                   Difference difference, const Participant& one, const Participant& other) {
  return {"coll-mismatch",
          "collective operation " + std::to_string(number) + " on " + communicator +
              " is not the same on all ranks: " + said_by(services, one, difference) + ", " +
              said_by(services, other, difference) + ".",
          remedy(difference, special(difference, one, other))};
}

Text stuck_text(const std::string& communicator) {
  return {"coll-stuck",
          "a collective operation on " + communicator +
              " cannot be left, although its error handler is MPI_ERRORS_RETURN or the program's "
              "own: other ranks do not take part in it, and messages may still come for its "
              "buffers. The job ends here.",
          "Correct the calls reported above."};
}

}  // namespace tessera::coll::check

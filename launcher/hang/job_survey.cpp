// SPDX-License-Identifier: BSD-3-Clause
// What one host tells, and what the judge makes of it.
#include "launcher/hang/job_survey.h"

#include <algorithm>

#include "launcher/carrier/fields.h"

namespace tessera::launcher {
namespace {

using State = RankWait::State;

constexpr std::int64_t kOwnPatienceMs = 700;  // less than the judge's

HostWaits those_of_interest(WaitSurvey::Waits waits) {
  HostWaits found;
  for (std::uint32_t rank = 0; rank < waits.size(); ++rank)
    if (waits[rank].state != State::active) found.emplace_back(rank, std::move(waits[rank]));
  return found;
}

bool is_valid(const HostWaits& waits, std::uint32_t job_size) noexcept {
  return std::all_of(waits.begin(), waits.end(), [job_size](const auto& each) {
    return each.first < job_size && each.second.state <= State::gone;
  });
}

}  // namespace

template <class Way>
void describe(Way& way, ReportedWait& wait) {
  way.bytes(&wait, sizeof wait);
}

template <class Way>
void describe(Way& way, ReportedMessage& message) {
  way.bytes(&message, sizeof message);
}

template <class Way>
void describe(Way& way, ReportedHold& hold) {
  way.bytes(&hold, sizeof hold);
}

template <class Way>
void describe(Way& way, KnownComm& comm) {
  describe_all(way, comm.context, comm.name, comm.calls, comm.processes, comm.all_members,
               comm.members, comm.flavor);
}

template <class Way>
void describe(Way& way, ThreadWait& thread) {
  describe_all(way, thread.function, thread.any);
}

template <class Way>
void describe(Way& way, SendPlace& send) {
  describe_all(way, send.rank, send.tag, send.context, send.caller);
}

template <class Way>
void describe(Way& way, RankWait& wait) {
  describe_all(way, wait.state, wait.standing, wait.function, wait.since_ns, wait.standstill,
               wait.waited_ms, wait.any, wait.waits, wait.further, wait.outside, wait.switches,
               wait.sends, wait.arrived, wait.holds, wait.comms, wait.callers, wait.sent_from);
}

std::string encode(const HostWaits& waits) {
  HostWaits copy = waits;
  Writer writer;
  describe(writer, copy);
  return std::move(writer.text);
}

HostWaits decode(std::string_view bytes, std::uint32_t job_size) {
  Reader reader(bytes);
  HostWaits waits;
  describe(reader, waits);
  const bool whole = !reader.damaged && reader.ended() && is_valid(waits, job_size);
  return whole ? waits : HostWaits{};
}

WaitReporter::WaitReporter(HostSurvey survey, Send send, Millis now) noexcept
    : survey_(std::move(survey)), send_(std::move(send)), next_(now + WaitSurvey::kLongWait) {}

void WaitReporter::look(Millis now, bool judged) {
  if (now < next_) return;
  if (question_ != 0)
    answer(now, judged);
  else
    tell(now, judged);
}

void WaitReporter::asked(std::uint32_t question, Millis now) {
  question_ = survey_.ask_all() ? question : 0;
  give_up_at_ = now + kOwnPatienceMs;
  next_ = now + WaitSurvey::kAnswerLook;
}

void WaitReporter::answer(Millis now, bool judged) {
  next_ = now + WaitSurvey::kAnswerLook;
  if (!survey_.all_answered() && now < give_up_at_) return;
  const HostWaits waits = judged ? those_of_interest(survey_.answers(now)) : HostWaits{};
  if (send_(question_, encode(waits)) || now >= give_up_at_) question_ = 0;
}

void WaitReporter::tell(Millis now, bool judged) {
  next_ = now + WaitSurvey::kLook;
  const HostWaits waits =
      judged ? those_of_interest(survey_.rough(now, WaitSurvey::kLongWait)) : HostWaits{};
  Key key;
  for (const auto& [rank, wait] : waits) key.emplace_back(rank, wait.since_ns);
  const bool stands_still = key == seen_;
  seen_ = key;
  if (key == told_ || (!stands_still && told_.empty())) return;
  if (send_(0, encode(waits))) told_ = std::move(key);
}

JobSurvey::JobSurvey(HostSurvey own, std::uint32_t hosts, Ask ask)
    : own_(std::move(own)), hosts_(hosts), ask_(std::move(ask)) {}

void JobSurvey::told(std::uint32_t node, std::uint32_t question, std::string_view waits) {
  Host& host = hosts_[node];
  if (question == 0) {
    host.rough = decode(waits, job_size());
  } else if (question == host.asked) {
    host.full = decode(waits, job_size());
    host.answered = question;
  }
}

JobSurvey::Waits JobSurvey::rough(Millis now, Millis at_least) const {
  Waits waits = own_.rough(now, at_least);
  for (const Host& host : hosts_)
    for (const auto& [rank, wait] : host.rough) waits[rank] = wait;
  return waits;
}

// A host none of whose ranks waits is not asked; what it has told, that ranks are gone, stays.
bool JobSurvey::ask(const Ranks& ranks) {
  if (!own_.ask(ranks)) return false;
  ++question_;
  for (std::uint32_t node = 0; node < hosts_.size(); ++node) {
    Host& host = hosts_[node];
    const bool waits = std::any_of(host.rough.begin(), host.rough.end(), [](const auto& each) {
      return each.second.state == State::waits;
    });
    host.full = waits ? HostWaits{} : host.rough;
    host.asked = waits ? question_ : 0;
    if (waits) ask_(node, question_);
  }
  return true;
}

bool JobSurvey::all_answered() {
  const bool own = own_.all_answered();
  return own && std::all_of(hosts_.begin(), hosts_.end(), [](const Host& host) {
           return host.asked == 0 || host.answered == host.asked;
         });
}

JobSurvey::Waits JobSurvey::answers(Millis now) {
  Waits waits = own_.answers(now);
  for (const Host& host : hosts_)
    for (const auto& [rank, wait] : host.full) waits[rank] = wait;
  return waits;
}

}  // namespace tessera::launcher

// Journals: records, replayed without computing a decision again.
#include <fmt/format.h>

#include <utility>

#include "duets/base/error.h"
#include "duets/protocol/coordinator.h"

namespace duets::protocol {
namespace {

void check(bool ok, const char* what) {
  if (!ok)
    throw base::Error(base::ErrorKind::kDecode, fmt::format("coordinator records: {}", what));
}

}  // namespace

Coordinator Coordinator::replay(std::shared_ptr<const Study> study,
                                const random::StudySecret& secret, const base::Executor& executor,
                                std::span<const base::Bytes> records) {
  Coordinator coordinator(std::move(study), secret, executor);
  for (const base::Bytes& record : records) {
    coordinator.follow(decode_record(record));
  }
  return coordinator;
}

void Coordinator::follow(const Record& record) {
  if (const auto* opened = std::get_if<EpochOpened>(&record)) {
    apply_opened(*opened);
  } else if (const auto* taken = std::get_if<MessageTaken>(&record)) {
    apply_taken(*taken);
  } else {
    const auto& closed = std::get<EpochClosed>(record);
    check(is_open_ && closed.epoch == epoch_, "an epoch closed out of order");
    check(closed.has_trim != closes(), "every epoch but the last of a stage ends with a trim");
    check(!closed.has_trim || closed.trim.epoch == epoch_, "a trim of another epoch");
    for (const std::uint32_t a : closed.participants) {
      check(taken_.contains(AgentId{a}), "a participant without a message");
    }
    EpochReport settled;
    settle_participation(closed.participants, settled);
    apply_closed(closed);
  }
}

void Coordinator::apply_opened(const EpochOpened& opened) {
  const EpochId expected = base::value(epoch_) == 0 ? EpochId{1} : epoch_;
  check(opened.epoch == expected && !is_open_ && !finished_, "an epoch opened out of order");
  epoch_ = opened.epoch;
  check(opened.report.length == lengths_[base::value(epoch_) - 1], "an epoch of another length");
  pool_.reset();
  EpochReport replayed;
  replay_points(replayed);
  check(opened.has_inducing == sends_values(), "an inducing set missing or too many");
  if (opened.has_inducing) {
    check(opened.inducing.epoch == epoch_, "an inducing set of another epoch");
    view_->apply(opened.inducing);
  }
  open_report_ = opened.report;
  is_open_ = true;
  summary_.add(opened);
}

void Coordinator::apply_taken(const MessageTaken& taken) {
  check(is_open_, "a message between epochs");
  const auto* upload = std::get_if<Upload>(&taken.message);
  // An earlier version took rewards of any size: its records are read, and closing decides.
  const std::optional<Reason> reason = refusal_of(taken.message);
  check(!reason || *reason == Reason::kUnusable, "a message that does not fit its epoch");
  const AgentId agent = upload != nullptr ? upload->agent : std::get<Closing>(taken.message).agent;
  check(taken_.emplace(agent, taken.message).second, "a message taken twice");
  summary_.add(taken);
}

void Coordinator::apply_closed(const EpochClosed& closed) {
  for (const Message& message : broadcasts(*study_, closed)) {
    view_->apply(message);
    trims_.emplace(closed.epoch, std::get<Trim>(message));
  }
  if (closed.has_report) lambda_ = closed.report.lambda;
  if (closes()) stage_ends_.emplace(epoch_, point_digests_);
  is_open_ = false;
  summary_.add(closed);
  if (is_last()) {
    finished_ = true;
  } else {
    epoch_ = base::next(epoch_);
    taken_.clear();
  }
}

}  // namespace duets::protocol

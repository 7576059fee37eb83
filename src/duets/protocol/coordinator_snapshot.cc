// Snapshots and journals: records, replayed without computing a decision again.
#include <fmt/format.h>

#include <utility>

#include "duets/base/error.h"
#include "duets/protocol/coordinator.h"

namespace duets::protocol {
namespace {

constexpr std::uint32_t kCoordinatorVersion = 2;
constexpr const char* kCoordinatorMagic = "duets coordinator";

void check_snapshot(bool ok, const char* what) {
  if (!ok)
    throw base::Error(base::ErrorKind::kDecode, fmt::format("coordinator records: {}", what));
}

}  // namespace

base::Bytes Coordinator::snapshot() const {
  base::ByteWriter out;
  out.text(kCoordinatorMagic);
  out.u32(kCoordinatorVersion);
  out.digest(study_digest(*study_));
  out.u32(static_cast<std::uint32_t>(log_.size()));
  for (const Record& record : log_) out.blob(encode_record(record));
  return out.take();
}

Coordinator Coordinator::restore(std::shared_ptr<const Study> study,
                                 const random::StudySecret& secret, const base::Executor& executor,
                                 std::span<const std::uint8_t> bytes) {
  base::ByteReader in(bytes);
  check_snapshot(in.text() == kCoordinatorMagic, "not a snapshot of a coordinator");
  check_snapshot(in.u32() == kCoordinatorVersion, "written by another version");
  Coordinator coordinator(std::move(study), secret, executor);
  check_snapshot(in.digest() == study_digest(*coordinator.study_), "belongs to another study");
  const std::uint32_t num_records = in.u32();
  for (std::uint32_t i = 0; i < num_records; ++i) {
    coordinator.apply(decode_record(in.blob()), Source::kSnapshot);
  }
  in.expect_end();
  return coordinator;
}

Coordinator Coordinator::replay(std::shared_ptr<const Study> study,
                                const random::StudySecret& secret, const base::Executor& executor,
                                std::span<const base::Bytes> records) {
  Coordinator coordinator(std::move(study), secret, executor);
  for (const base::Bytes& record : records) {
    coordinator.apply(decode_record(record), Source::kJournal);
  }
  return coordinator;
}

// Messages of a closed epoch are needed again only where later epochs use its rewards.
bool Coordinator::needs_earlier_messages() const {
  return study_->data == DataPolicy::kSurviving || study_->parameters == Parameters::kLearned;
}

bool Coordinator::is_open() const {
  return !log_.empty() && !std::holds_alternative<EpochClosed>(log_.back());
}

void Coordinator::apply(const Record& record, Source source) {
  if (const auto* opened = std::get_if<EpochOpened>(&record)) {
    apply_opened(*opened);
  } else if (const auto* taken = std::get_if<MessageTaken>(&record)) {
    apply_taken(*taken);
  } else {
    const auto& closed = std::get<EpochClosed>(record);
    check_snapshot(is_open() && closed.epoch == epoch_, "an epoch closed out of order");
    check_snapshot(closed.has_trim != is_last(), "every epoch but the last ends with a trim");
    check_snapshot(!closed.has_trim || closed.trim.epoch == epoch_, "a trim of another epoch");
    if (source == Source::kJournal || needs_earlier_messages() || is_last()) {
      for (const std::uint32_t a : closed.participants) {
        check_snapshot(taken_.contains(AgentId{a}), "a participant without a message");
      }
      EpochReport settled;
      settle_participation(closed.participants, settled);
    }
    if (closed.has_trim) view_->apply(closed.trim);
    apply_closed(closed);
  }
}

void Coordinator::apply_opened(const EpochOpened& opened) {
  const EpochId expected = base::value(epoch_) == 0 ? EpochId{1} : epoch_;
  check_snapshot(opened.epoch == expected && !is_open() && !finished_,
                 "an epoch opened out of order");
  epoch_ = opened.epoch;
  check_snapshot(opened.has_inducing == sends_projection(), "an inducing set missing or too many");
  check_snapshot(opened.report.length == lengths_[base::value(epoch_) - 1],
                 "an epoch of another length");
  pool_.reset();
  EpochReport replayed;
  replay_points(replayed);
  if (opened.has_inducing) {
    check_snapshot(opened.inducing.epoch == epoch_, "an inducing set of another epoch");
    view_->apply(opened.inducing);
  }
  open_report_ = opened.report;
  log_.push_back(opened);
}

void Coordinator::apply_taken(const MessageTaken& taken) {
  check_snapshot(is_open(), "a message between epochs");
  const auto* upload = std::get_if<Upload>(&taken.message);
  // An earlier version took rewards of any size: its records are read, and closing decides.
  const std::optional<Reason> reason = refusal_of(taken.message);
  check_snapshot(!reason || *reason == Reason::kUnusable, "a message that does not fit its epoch");
  const AgentId agent = upload != nullptr ? upload->agent : std::get<Closing>(taken.message).agent;
  check_snapshot(taken_.emplace(agent, taken.message).second, "a message taken twice");
  log_.push_back(taken);
}

void Coordinator::apply_closed(const EpochClosed& closed) {
  complete_ = complete_ && is_complete(closed.report);
  run_digest_ = closed.run_digest;
  state_digest_ = closed.state_digest;
  if (closed.has_report) reports_.push_back(closed.report);
  if (closed.has_trim) trims_.emplace(closed.epoch, closed.trim);
  if (closed.has_report) lambda_ = closed.report.lambda;
  if (!needs_earlier_messages() && !is_last()) {
    std::erase_if(log_, [](const Record& r) { return std::holds_alternative<MessageTaken>(r); });
  }
  log_.push_back(closed);
  if (is_last()) {
    finished_ = true;
  } else {
    epoch_ = base::next(epoch_);
    taken_.clear();
  }
}

}  // namespace duets::protocol

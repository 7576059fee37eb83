// Snapshots: the records that still matter, replayed without computing a decision again.
#include <fmt/format.h>

#include <utility>

#include "duets/base/error.h"
#include "duets/protocol/coordinator.h"

namespace duets::protocol {
namespace {

constexpr std::uint32_t kSnapshotVersion = 1;
constexpr const char* kSnapshotMagic = "duets coordinator";

}  // namespace

base::Bytes Coordinator::snapshot() const {
  base::ByteWriter out;
  out.text(kSnapshotMagic);
  out.u32(kSnapshotVersion);
  out.digest(study_digest(*study_));
  out.u32(static_cast<std::uint32_t>(log_.size()));
  for (const Record& record : log_) out.blob(encode_record(record));
  return out.take();
}

Coordinator Coordinator::restore(std::shared_ptr<const Study> study,
                                 const random::StudySecret& secret, const base::Executor& executor,
                                 std::span<const std::uint8_t> bytes) {
  const auto check = [](bool ok, const char* what) {
    if (!ok)
      throw base::Error(base::ErrorKind::kDecode, fmt::format("coordinator snapshot: {}", what));
  };
  base::ByteReader in(bytes);
  check(in.text() == kSnapshotMagic, "not a snapshot of a coordinator");
  check(in.u32() == kSnapshotVersion, "written by another version");
  Coordinator coordinator(std::move(study), secret, executor);
  check(in.digest() == study_digest(*coordinator.study_), "belongs to another study");
  const std::uint32_t num_records = in.u32();
  for (std::uint32_t i = 0; i < num_records; ++i) coordinator.apply(decode_record(in.blob()));
  in.expect_end();
  return coordinator;
}

void Coordinator::apply(const Record& record) {
  if (const auto* opened = std::get_if<EpochOpened>(&record)) {
    apply_opened(*opened);
  } else if (const auto* taken = std::get_if<MessageTaken>(&record)) {
    const auto* upload = std::get_if<Upload>(&taken->message);
    taken_.emplace(upload != nullptr ? upload->agent : std::get<Closing>(taken->message).agent,
                   taken->message);
    log_.push_back(record);
  } else {
    const auto& closed = std::get<EpochClosed>(record);
    if (closed.epoch != epoch_ || finished_) {
      throw base::Error(base::ErrorKind::kDecode,
                        "coordinator snapshot: an epoch closed out of order");
    }
    EpochReport settled = open_report_;
    if (study_->data == DataPolicy::kSurviving || is_last()) {
      settle_participation(closed.participants, settled);
    }
    complete_ = complete_ && is_complete(closed.report);
    if (closed.has_trim) view_->apply(closed.trim);
    apply_closed(closed);
  }
}

void Coordinator::apply_opened(const EpochOpened& opened) {
  const EpochId expected = base::value(epoch_) == 0 ? EpochId{1} : epoch_;
  if (opened.epoch != expected || finished_) {
    throw base::Error(base::ErrorKind::kDecode,
                      "coordinator snapshot: an epoch opened out of order");
  }
  epoch_ = opened.epoch;
  pool_.reset();
  EpochReport replayed;
  replay_points(replayed);
  if (opened.has_inducing) view_->apply(opened.inducing);
  open_report_ = opened.report;
  log_.push_back(opened);
}

void Coordinator::apply_closed(const EpochClosed& closed) {
  run_digest_ = closed.run_digest;
  state_digest_ = closed.state_digest;
  if (closed.has_report) reports_.push_back(closed.report);
  if (closed.has_trim) trims_.emplace(closed.epoch, closed.trim);
  // Messages of a closed epoch are needed again only where later epochs use its data.
  if (study_->data == DataPolicy::kEpoch && !is_last()) {
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

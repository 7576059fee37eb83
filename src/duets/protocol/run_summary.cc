#include "duets/protocol/run_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "duets/base/error.h"
#include "duets/protocol/epoch_model.h"

namespace duets::protocol {

RunSummary::RunSummary(const Study& study)
    : study_(study), lengths_(lengths(study)), ledger_(study.agents) {}

void RunSummary::add(const Record& record) {
  if (const auto* opened = std::get_if<EpochOpened>(&record)) {
    if (opened->has_inducing) add_broadcast(opened->inducing, opened->inducing.closing);
  } else if (const auto* taken = std::get_if<MessageTaken>(&record)) {
    add_taken(taken->message);
  } else {
    add_closed(std::get<EpochClosed>(record));
  }
}

void RunSummary::add_broadcast(const Message& message, bool closing) {
  const std::uint64_t reals = num_reals(message);
  const std::uint64_t bytes = encode(message).size();
  if (closing) {
    ledger_.closing_broadcast(reals, bytes);
  } else {
    ledger_.broadcast(reals, bytes);
  }
}

void RunSummary::add_taken(const Message& message) {
  const std::uint64_t reals = num_reals(message);
  const std::uint64_t bytes = encode(message).size();
  if (const auto* closing = std::get_if<Closing>(&message)) {
    ledger_.closing_uplink(closing->agent, reals, bytes);
    open_holes_[base::value(closing->agent)] = closing->holes;
    if (closing->has_best) closing_bests_[base::value(closing->agent)] = closing->best;
  } else {
    const auto& upload = std::get<Upload>(message);
    ledger_.uplink(upload.agent, reals, bytes);
    open_holes_[base::value(upload.agent)] = upload.holes;
  }
}

EpochAbsence RunSummary::absence(const EpochClosed& closed) const {
  EpochAbsence absence;
  for (const std::uint32_t a : absent(study_, closed)) absence.excluded.insert(a);
  for (const std::uint32_t a : closed.participants) {
    const auto found = open_holes_.find(a);
    if (found != open_holes_.end() && !found->second.empty()) absence.holes.insert(*found);
  }
  return absence;
}

void RunSummary::add_closed(const EpochClosed& closed) {
  if (finished()) {
    throw base::Error(base::ErrorKind::kDecode, "records: an epoch closed after the last");
  }
  ++num_closed_;
  if (closed.has_report) epochs_.push_back(closed.report);
  run_digest_ = closed.run_digest;
  state_digest_ = closed.state_digest;
  EpochAbsence away = absence(closed);
  if (away != EpochAbsence{}) participation_.emplace(base::value(closed.epoch), std::move(away));
  for (const std::uint32_t a : closed.participants) {
    const auto best = closing_bests_.find(a);
    if (best == closing_bests_.end()) continue;
    if (!best_ || best->second.reward > best_->reward) best_ = best->second;
  }
  open_holes_.clear();
  closing_bests_.clear();
  for (const Message& message : broadcasts(study_, closed)) add_broadcast(message, false);
  mark();
}

void RunSummary::mark() {
  const base::LedgerTotals totals = ledger_.totals();
  CommunicationPoint point;
  point.epoch = static_cast<std::uint32_t>(communication_.size() + 1);
  point.t =
      std::accumulate(lengths_.begin(), lengths_.begin() + static_cast<std::ptrdiff_t>(num_closed_),
                      std::uint32_t{0});
  point.paper = totals.paper;
  point.figure = static_cast<double>(totals.figure);
  point.links = static_cast<double>(totals.links);
  point.closing = static_cast<double>(totals.closing);
  point.bytes = totals.bytes + totals.closing_bytes;
  communication_.push_back(point);
}

std::optional<Recommendation> RunSummary::recommendation() const {
  if (epochs_.empty()) return std::nullopt;
  const EpochReport& last = epochs_.back();
  const bool learns = study_.parameters == Parameters::kLearned;
  const double width = learns ? kLearnedInterval : last.width;
  Recommendation out{last.epoch, last.best_point, last.max_mean, width * last.best_stddev, {}};
  const bool saw_everything = recalls_all(study_, last.epoch);
  if (draws_samples(study_, last.epoch)) {
    Missed& missed = out.missed.emplace();
    missed = {last.shortfall, kBetterBy * std::sqrt(last.kernel.variance), last.missed};
    // What the last one cuts is part of its own shortfall; samples of the whole run see everything.
    if (saw_everything) return out;
    for (const EpochReport& cut : std::span(epochs_).first(epochs_.size() - 1)) {
      missed.expected += cut.lost;
      missed.chance += (1 - missed.chance) * cut.lost_chance;
    }
  }
  return out;
}

double RunSummary::smallest_margin() const {
  double smallest = std::numeric_limits<double>::infinity();
  for (const EpochReport& report : epochs_) smallest = std::min(smallest, report.smallest_margin);
  return smallest;
}

double RunSummary::mean_error() const {
  double largest = 0;
  for (const EpochReport& report : epochs_) largest = std::max(largest, report.mean_error);
  return largest;
}

RunSummary summarise(const Study& study, std::span<const base::Bytes> records) {
  RunSummary summary(study);
  for (const base::Bytes& record : records) summary.add(decode_record(record));
  return summary;
}

}  // namespace duets::protocol

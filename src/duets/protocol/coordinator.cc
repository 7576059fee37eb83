#include "duets/protocol/coordinator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "duets/base/error.h"

namespace duets::protocol {
namespace {

std::shared_ptr<const Study> validated(std::shared_ptr<const Study> study) {
  validate(*study);
  return study;
}

}  // namespace

Coordinator::Coordinator(std::shared_ptr<const Study> study, const random::StudySecret& secret,
                         const base::Executor& executor)
    : study_(validated(std::move(study))),
      lengths_(lengths(*study_)),
      executor_(executor),
      replay_(study_, secret, executor),
      learner_(study_),
      lambda_(study_->lambda),
      summary_(*study_) {
  view_ = std::make_shared<PublicView>(study_, secret.public_coin(), executor_);
}

Effects Coordinator::start() {
  base::require(base::value(epoch_) == 0, "start", "twice", "a study starts once");
  Effects effects;
  epoch_ = EpochId{1};
  open_epoch(effects);
  return effects;
}

std::vector<AgentId> Coordinator::waiting_for() const {
  std::vector<AgentId> missing;
  if (finished_) return missing;
  for (std::uint32_t agent = 0; agent < study_->agents; ++agent) {
    if (!taken_.contains(AgentId{agent})) missing.push_back(AgentId{agent});
  }
  return missing;
}

std::optional<Reason> Coordinator::objection(AgentId agent, EpochId epoch, std::uint64_t digest,
                                             const std::vector<std::uint32_t>& holes) const {
  if (base::value(agent) >= study_->agents) return Reason::kForeign;
  if (epoch > epoch_ || base::value(epoch) == 0) return Reason::kForeign;
  if (epoch < epoch_ || finished_) return Reason::kStale;
  if (!holes.empty() && holes.back() >= open_report_.length) return Reason::kShape;
  if (std::adjacent_find(holes.begin(), holes.end(), std::greater_equal<>()) != holes.end()) {
    return Reason::kShape;
  }
  if (digest != points_digest_of(agent)) return Reason::kDiverged;
  return std::nullopt;
}

std::size_t Coordinator::num_values(std::size_t num_holes) const {
  if (!sends_values()) return 0;
  if (sends_rewards()) return open_report_.length - num_holes;
  return static_cast<std::size_t>(view_->inducing(epoch_).latents.rows());
}

bool Coordinator::usable(const std::vector<double>& values) const {
  if (sends_values() && sends_rewards()) return std::ranges::all_of(values, is_usable_reward);
  return std::ranges::all_of(values, [](double value) { return std::isfinite(value); });
}

std::optional<Reason> Coordinator::objection(const Upload& upload) const {
  const EpochId epoch = upload.epoch;
  if (auto reason = objection(upload.agent, epoch, upload.points_digest, upload.holes))
    return reason;
  if (closes()) return Reason::kShape;
  if (upload.kind != view_->inducing(epoch).message.upload) return Reason::kShape;
  if (upload.values.size() != num_values(upload.holes.size())) return Reason::kShape;
  if (upload.format.numbers != study_->numbers) return Reason::kShape;
  if (!usable(upload.values)) return Reason::kUnusable;
  return std::nullopt;
}

// It does not say so itself, but its points do. Epochs without queries have the same: none.
EpochId Coordinator::epoch_of(const Closing& closing) const {
  const EpochId end = closes() ? epoch_ : EpochId{stage_of(*study_, epoch_).end()};
  const std::uint32_t agent = base::value(closing.agent);
  if (agent >= study_->agents) return end;
  const auto is_of = [&](const std::vector<std::uint64_t>& digests) {
    return sent_digest(digests[agent], study_->numbers, true) == closing.points_digest;
  };
  if (epoch_ == end && is_of(point_digests_)) return end;
  const auto found =
      std::ranges::find_if(stage_ends_, [&](const auto& known) { return is_of(known.second); });
  return found == stage_ends_.end() ? end : found->first;
}

std::optional<Reason> Coordinator::objection(const Closing& closing) const {
  if (auto reason =
          objection(closing.agent, epoch_of(closing), closing.points_digest, closing.holes)) {
    return reason;
  }
  if (closing.values.size() != num_values(closing.holes.size())) return Reason::kShape;
  if (closing.format.numbers != study_->numbers) return Reason::kShape;
  const std::uint32_t best_epoch = base::value(closing.best.epoch);
  if (closing.has_best && (best_epoch < 1 || best_epoch > lengths_.size() ||
                           closing.best.slot >= lengths_[best_epoch - 1])) {
    return Reason::kShape;
  }
  if (!usable(closing.values) || !is_usable_reward(closing.best.reward)) return Reason::kUnusable;
  return std::nullopt;
}

void Coordinator::refuse(AgentId agent, EpochId epoch, Reason reason, Effects& effects) const {
  const Refusal refusal{agent, epoch, reason};
  effects.messages.push_back({agent, refusal});
  effects.events.push_back(MessageRefused{refusal});
}

void Coordinator::take(const Message& message, AgentId agent, Effects& effects) {
  taken_.emplace(agent, message);
  summary_.add(MessageTaken{message});
  unsent_.push_back(MessageTaken{message});
  if (taken_.size() < study_->agents) return;
  finish_epoch(everybody(), effects);
}

Effects Coordinator::receive(const Message& message) {
  if (const auto* upload = std::get_if<Upload>(&message)) {
    return with_unsent(receive_upload(*upload));
  }
  if (const auto* closing = std::get_if<Closing>(&message)) {
    return with_unsent(receive_closing(*closing));
  }
  throw base::Error(base::ErrorKind::kProtocol,
                    "the coordinator takes uploads and closing messages");
}

// A message stays taken when closing its epoch fails. Its record then leaves with the next effects,
// or the journal would lack a message that the coordinator goes on with.
Effects Coordinator::with_unsent(Effects effects) {
  effects.records.insert(effects.records.begin(), unsent_.begin(), unsent_.end());
  unsent_.clear();
  return effects;
}

Effects Coordinator::receive_upload(const Upload& upload) {
  Effects effects;
  const auto reason = objection(upload);
  const auto before = taken_.find(upload.agent);
  if (reason == Reason::kStale && trims_.contains(upload.epoch)) {
    effects.messages.push_back({upload.agent, trims_.at(upload.epoch)});
  }
  if (reason) {
    refuse(upload.agent, upload.epoch, *reason, effects);
  } else if (before == taken_.end()) {
    take(upload, upload.agent, effects);
  } else if (encode(before->second) != encode(upload)) {
    refuse(upload.agent, upload.epoch, Reason::kConflict, effects);
  }
  return effects;
}

Effects Coordinator::receive_closing(const Closing& closing) {
  Effects effects;
  const auto reason = objection(closing);
  const auto before = taken_.find(closing.agent);
  const EpochId epoch = epoch_of(closing);
  if (reason == Reason::kStale && trims_.contains(epoch)) {
    effects.messages.push_back({closing.agent, trims_.at(epoch)});
  }
  if (reason) {
    refuse(closing.agent, epoch, *reason, effects);
  } else if (before == taken_.end()) {
    take(closing, closing.agent, effects);
  } else if (encode(before->second) != encode(closing)) {
    refuse(closing.agent, epoch, Reason::kConflict, effects);
  }
  return effects;
}

std::vector<std::uint32_t> Coordinator::checked_participants(
    EpochId epoch, const std::vector<AgentId>& participants) const {
  base::require(epoch == epoch_ && !finished_, "close.epoch", fmt::format("{}", base::value(epoch)),
                fmt::format("the open epoch is {}", base::value(epoch_)));
  base::require(!participants.empty(), "close.agents", "[]", "at least one agent must take part");
  std::vector<std::uint32_t> agents;
  for (const AgentId agent : participants) {
    const std::string text = fmt::format("{}", base::value(agent));
    base::require(agents.empty() || agents.back() < base::value(agent), "close.agents", text,
                  "agents must increase");
    base::require(taken_.contains(agent), "close.agents", text, "has not uploaded");
    agents.push_back(base::value(agent));
  }
  return agents;
}

Effects Coordinator::close(EpochId epoch, const std::vector<AgentId>& participants) {
  Effects effects;
  finish_epoch(checked_participants(epoch, participants), effects);
  return with_unsent(std::move(effects));
}

Effects Coordinator::resume() {
  if (base::value(epoch_) == 0) return start();
  Effects effects;
  if (finished_) return effects;
  if (!is_open()) {
    open_epoch(effects);
  } else if (taken_.size() == study_->agents) {
    finish_epoch(everybody(), effects);
  }
  return effects;
}

}  // namespace duets::protocol

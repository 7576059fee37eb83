#include "duets/protocol/agent.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duets/base/error.h"
#include "duets/gp/sparse.h"

namespace duets::protocol {

Agent::Agent(std::shared_ptr<const Study> study, AgentId id, const random::Coin& coin,
             std::shared_ptr<PublicView> view, DrawnPoints drawn)
    : study_(std::move(study)),
      lengths_(lengths(*study_)),
      id_(id),
      coin_(coin),
      view_(std::move(view)),
      drawn_(std::move(drawn)),
      history_(*study_) {
  open_epoch(EpochId{1});
}

void Agent::open_epoch(EpochId epoch) {
  const std::uint32_t length = lengths_[base::value(epoch) - 1];
  const std::uint32_t before =
      epoch == EpochId{1} ? 0 : plan_.first_t + lengths_[base::value(epoch) - 2];
  std::shared_ptr<const region::Draw> draw = drawn_ ? drawn_(epoch) : nullptr;
  if (!draw) {
    draw = std::make_shared<const region::Draw>(
        view_->private_points(id_, coin_, {epoch, 0, length}, view_->executor()));
  }
  if (recalls_all(*study_, epoch)) {
    history_.recall();
  } else {
    history_.keep_inside(view_->region(epoch));
  }
  history_.open(draw);
  plan_ = {epoch, before, std::move(draw)};
  closes_ = closes(*study_, epoch);
  sends_values_ = sends_values(*study_, epoch);
  answers_ = {std::vector(length, SlotState::kOpen), std::vector(length, 0.0)};
  num_open_ = length;
  best_before_ = best_;
  outstanding_.reset();
  finished_ = false;
}

void Agent::set_slot(std::uint32_t slot, SlotState state, double reward) {
  // Asked for every query: texts are made only when they are needed.
  if (slot >= answers_.states.size()) {
    base::refuse(
        "slot", fmt::format("{}", slot),
        fmt::format("epoch {} has {} slots", base::value(plan_.epoch), answers_.states.size()));
  }
  const bool same = answers_.states[slot] == state && answers_.rewards[slot] == reward;
  if (answers_.states[slot] != SlotState::kOpen && !same) {
    base::refuse(
        "slot", fmt::format("{}", slot),
        fmt::format("was answered differently before in epoch {}", base::value(plan_.epoch)));
  }
  if (same) return;
  --num_open_;
  answers_.states[slot] = state;
  answers_.rewards[slot] = reward;
  if (state == SlotState::kReward) keep_best({id_, plan_.epoch, slot, reward});
}

// Equal rewards go to the earliest epoch and slot, whatever the order in which they are reported.
void Agent::keep_best(const BestTrial& trial) {
  const bool better = !best_ || trial.reward > best_->reward;
  const bool as_good = best_ && trial.reward == best_->reward;
  if (better || (as_good && trial.epoch == best_->epoch && trial.slot < best_->slot)) {
    best_ = trial;
  }
}

std::optional<Message> Agent::report(std::uint32_t slot, double reward) {
  if (!is_usable_reward(reward)) {
    base::refuse("reward", fmt::format("{}", reward),
                 fmt::format("must be finite and below {} in size; report a failed query as a hole",
                             kLargestRewardText));
  }
  set_slot(slot, SlotState::kReward, reward);
  return send_when_ready();
}

std::optional<Message> Agent::report_hole(std::uint32_t slot) {
  set_slot(slot, SlotState::kHole, 0.0);
  return send_when_ready();
}

void Agent::fail(const std::string& what) const {
  throw base::Error(
      base::ErrorKind::kProtocol,
      fmt::format("agent {} in epoch {}: {}", base::value(id_), base::value(plan_.epoch), what));
}

std::optional<Message> Agent::receive(const Message& message) {
  if (const auto* refusal = std::get_if<Refusal>(&message)) {
    if (refusal->agent != id_) fail("a refusal for another agent");
    if (refusal->reason == Reason::kDiverged) {
      throw base::Error(base::ErrorKind::kDiverged,
                        fmt::format("agent {}, epoch {}: the coordinator replays other points than "
                                    "this agent drew",
                                    base::value(refusal->agent), base::value(refusal->epoch)));
    }
    return std::nullopt;
  }
  if (const auto* inducing = std::get_if<InducingSet>(&message)) {
    if (inducing->epoch < plan_.epoch) return std::nullopt;
    if (inducing->epoch > plan_.epoch) {
      fail(fmt::format("an inducing set of epoch {}", base::value(inducing->epoch)));
    }
    view_->apply(*inducing);
    answers_.has_inducing = true;
    return send_when_ready();
  }
  if (const auto* trim = std::get_if<Trim>(&message)) {
    if (trim->epoch < plan_.epoch) return std::nullopt;
    if (trim->epoch > plan_.epoch || is_last()) {
      fail(fmt::format("a trim of epoch {}", base::value(trim->epoch)));
    }
    const auto& excluded = trim->excluded;
    const bool took_part = !std::binary_search(excluded.begin(), excluded.end(), base::value(id_));
    if (took_part && !outstanding_ && study_->data == DataPolicy::kSurviving) {
      fail(
          "the coordinator has its rewards of this epoch, but this machine does not; with data = "
          "\"surviving\" an agent can continue only with its journal");
    }
    view_->apply(*trim);
    end_epoch(took_part);
    open_epoch(base::next(plan_.epoch));
    return send_when_ready();
  }
  fail("a message that only agents send");
}

// How far an agent got in an epoch that went on without it depends on time; nothing of that may
// reach the result.
void Agent::end_epoch(bool took_part) {
  if (!took_part) history_.exclude();
  if (answers_.disowned) history_.set_rewards({});  // those of another machine count
  if (!took_part || !outstanding_ || answers_.disowned) best_ = best_before_;
}

void Agent::disown() {
  if (study_->data == DataPolicy::kSurviving) {
    fail(
        "another machine's rewards of this epoch count; with data = \"surviving\" an agent goes on "
        "only where its answers are kept");
  }
  answers_.disowned = true;
}

std::vector<std::uint32_t> Agent::holes() const {
  std::vector<std::uint32_t> holes;
  const auto& states = answers_.states;
  for (std::uint32_t slot = 0; slot < states.size(); ++slot) {
    if (states[slot] == SlotState::kHole) holes.push_back(slot);
  }
  return holes;
}

std::optional<Message> Agent::send_when_ready() {
  if (outstanding_ || num_open_ > 0) return std::nullopt;
  if (sends_values_ && !answers_.has_inducing) return std::nullopt;
  history_.set_rewards(answers_.rewards);
  history_.set_holes(holes());
  if (closes_) {
    outstanding_ = make_closing();
    finished_ = is_last();
  } else {
    outstanding_ = make_upload();
  }
  return outstanding_;
}

RoundedNumbers Agent::values_to_send() const {
  const bool rewards = view_->inducing(plan_.epoch).message.upload == UploadKind::kRewards;
  std::vector<double> values;
  if (rewards) {
    for (std::size_t slot = 0; slot < answers_.rewards.size(); ++slot) {
      if (answers_.states[slot] == SlotState::kReward) values.push_back(answers_.rewards[slot]);
    }
  } else {
    values = project();
  }
  if (study_->numbers == Numbers::kDouble) return {std::move(values), {}};
  const std::uint32_t epoch = base::value(plan_.epoch);
  const std::optional<std::int32_t> exponent = view_->inducing(plan_.epoch).exponent;
  return rewards ? round_rewards(values, exponent, coin_, epoch)
                 : round_projection(values, exponent.value(), coin_, epoch);
}

std::vector<double> Agent::project() const {
  const Selection selection = history_.select();
  if (!selection.knows_rewards) {
    fail(
        "its rewards of an earlier epoch are not on this machine; with closing = \"all\" an agent "
        "can continue only with its journal");
  }
  const ResolvedInducing& inducing = view_->inducing(plan_.epoch);
  const numeric::Vector rewards = counted_rewards(*study_, inducing.model, selection.rewards);
  const numeric::Vector u = gp::project(inducing.model.kernel, inducing.features,
                                        study_->domain->features(selection.latents), rewards);
  return {u.data(), u.data() + u.size()};
}

Upload Agent::make_upload() const {
  RoundedNumbers values = values_to_send();
  return {id_,
          plan_.epoch,
          view_->inducing(plan_.epoch).message.upload,
          std::move(values.numbers),
          holes(),
          sent_digest(points_digest(plan_.latents()), study_->numbers, false),
          values.format};
}

Closing Agent::make_closing() const {
  Closing closing;
  closing.agent = id_;
  closing.has_best = best_.has_value();
  closing.best = best_.value_or(BestTrial{id_, {}, 0, 0.0});
  closing.format.numbers = study_->numbers;
  if (sends_values_) {
    RoundedNumbers values = values_to_send();
    closing.values = std::move(values.numbers);
    closing.format = values.format;
  }
  closing.holes = holes();
  closing.points_digest = sent_digest(points_digest(plan_.latents()), study_->numbers, true);
  return closing;
}

}  // namespace duets::protocol

#include "duets/protocol/verify_rewards.h"

#include <fmt/format.h>

#include "duets/base/error.h"

namespace duets::protocol {
namespace {

std::string subject(AgentId agent) {
  return fmt::format("message of agent {}, from its answers", base::value(agent));
}

std::string text_of(const Message& message) {
  return base::to_hex(base::digest_of(encode(message)));
}

}  // namespace

RewardCheck::RewardCheck(const std::shared_ptr<const Study>& study,
                         const random::StudySecret& secret, const base::Executor& executor,
                         std::span<const Answer> answers, std::vector<Finding>& findings)
    : study_(study), out_(findings, true) {
  const auto view = std::make_shared<PublicView>(study, secret.public_coin(), executor);
  for (const Answer& answer : answers) {
    base::require(base::value(answer.agent) < study->agents, "agent",
                  fmt::format("{}", base::value(answer.agent)),
                  fmt::format("the study has {} agents, counted from 0", study->agents));
    answers_[answer.agent][answer.epoch].push_back(answer);
  }
  for (const auto& [agent, unused] : answers_) {
    followers_.emplace(agent, Follower{Agent(study, agent, secret.agent_coin(agent), view), true});
  }
}

void RewardCheck::give_up(AgentId agent, const std::string& why) {
  out_.note(subject(agent), "not checked from here on", why);
  followers_.erase(agent);
}

void RewardCheck::answer(Follower& follower, EpochId epoch) {
  for (const Answer& answer : answers_[follower.agent.id()][epoch]) {
    check_point(follower, answer);
    if (answer.reward) {
      follower.agent.report(answer.slot, *answer.reward);
    } else {
      follower.agent.report_hole(answer.slot);
    }
  }
}

void RewardCheck::check_point(const Follower& follower, const Answer& answer) {
  const numeric::Points& latents = follower.agent.plan().latents();
  if (answer.values.empty() || answer.slot >= latents.rows()) return;
  ++num_points_;
  const numeric::Vector latent = latents.row(answer.slot).transpose();
  const std::vector<double> ours =
      study_->domain->values({latent.data(), study_->domain->dimension()});
  if (ours == answer.values) return;
  out_.wrong(fmt::format("point of trial {}-{}-{}, from its answers", base::value(answer.agent),
                         base::value(answer.epoch), answer.slot),
             fmt::format("{}", fmt::join(answer.values, " ")),
             fmt::format("{}", fmt::join(ours, " ")));
}

// Answers that contradict one another or the study end the check of their agent only.
void RewardCheck::begin_epoch(EpochId epoch) {
  out_.set_epoch(epoch);
  std::vector<std::pair<AgentId, std::string>> failed;
  for (auto& [agent, follower] : followers_) {
    try {
      answer(follower, epoch);
    } catch (const base::Error& error) {
      failed.emplace_back(agent, error.what());
    }
  }
  for (const auto& [agent, why] : failed) {
    out_.wrong(subject(agent), "not checked from here on", why);
    followers_.erase(agent);
  }
}

void RewardCheck::broadcast(const Message& message) {
  std::vector<std::pair<AgentId, std::string>> failed;
  for (auto& [agent, follower] : followers_) {
    const auto* trim = std::get_if<Trim>(&message);
    try {
      if (trim != nullptr && !follower.agent.outstanding()) follower.knows_all = false;
      follower.agent.receive(message);
    } catch (const base::Error& error) {
      failed.emplace_back(agent, error.what());
    }
  }
  for (const auto& [agent, why] : failed) give_up(agent, why);
}

void RewardCheck::compare(const Message& message) {
  const auto* upload = std::get_if<Upload>(&message);
  const AgentId agent = upload != nullptr ? upload->agent : std::get<Closing>(message).agent;
  const auto found = followers_.find(agent);
  if (found == followers_.end()) return;
  if (!found->second.agent.outstanding()) {
    out_.note(subject(agent), text_of(message), "not all answers are given: not checked");
    return;
  }
  Message ours = *found->second.agent.outstanding();
  // The best trial of an epoch whose answers are not here cannot be known.
  auto* closing = std::get_if<Closing>(&ours);
  const auto* theirs = std::get_if<Closing>(&message);
  if (closing != nullptr && theirs != nullptr && !found->second.knows_all) {
    closing->has_best = theirs->has_best;
    closing->best = theirs->best;
  }
  const std::string recorded = text_of(message);
  const std::string recomputed = text_of(ours);
  out_.same_text(subject(agent), recorded, recomputed);
  if (recorded != recomputed) return;
  const bool has_rewards = upload != nullptr || study_->closing != ClosingRule::kBest;
  made_again_.push_back({agent, found->second.agent.plan().epoch, has_rewards});
}

void RewardCheck::move_to(Verification& verification) {
  verification.num_points = num_points_;
  verification.made_again = std::move(made_again_);
}

void RewardCheck::follow(const Record& record) {
  for (const Message& message : broadcasts(*study_, record)) broadcast(message);
  if (const auto* opened = std::get_if<EpochOpened>(&record)) begin_epoch(opened->epoch);
  if (const auto* taken = std::get_if<MessageTaken>(&record)) compare(taken->message);
}

}  // namespace duets::protocol

// Small studies and runs of them, for tests.
#pragma once

#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "duets/base/error.h"
#include "duets/protocol/ensemble.h"

namespace duets::protocol {

/// Points of a lattice in the unit cube: spread out, all different, the same on every machine.
inline numeric::Points lattice(Eigen::Index n, Eigen::Index d) {
  numeric::Points points(n, d);
  for (Eigen::Index k = 0; k < d; ++k) {
    const double step = std::sqrt(static_cast<double>(k + 2) + 0.21);
    for (Eigen::Index i = 0; i < n; ++i) {
      const double x = 0.5 + step * static_cast<double>(i + 1);
      points(i, k) = x - std::floor(x);
    }
  }
  return points;
}

/// Three agents, epochs 2, 4, 3.
inline Study small_study(domain::Domain domain) {
  Study study;
  study.agents = 3;
  study.horizon = 9;
  study.domain = std::make_shared<const domain::Domain>(std::move(domain));
  study.kernel.lengthscales = {0.4};
  study.beta = 0.5;
  return study;
}

inline Study small_study() { return small_study(domain::Domain::finite(lattice(40, 2))); }

/// A narrow cut after the first epoch: on a box the next regions are small. They are covered, or
/// walked in where an int parameter makes covers impossible.
inline Study small_region_study(bool walks) {
  const domain::Parameter real{.name = "x"};
  const domain::Parameter whole{.name = "n", .type = domain::ParameterType::kInt, .high = 1000};
  Study study = small_study(walks ? domain::Domain::box({real, whole}) : domain::Domain::box(2));
  study.beta = 0.03;
  study.lambda = 0.01;
  study.horizon = 10;
  study.schedule = ScheduleRule::kExplicit;
  study.epochs = {8, 1, 1};
  return study;
}

inline std::shared_ptr<const Study> share(const Study& study) {
  return std::make_shared<const Study>(study);
}

/// Where a reward is asked for.
struct Query {
  numeric::Vector latent;
  std::uint32_t agent = 0, epoch = 0, slot = 0;
};
using RewardFunction = std::function<double(const Query&)>;

/// Smooth, with a ripple that differs between queries of one point as noise would.
inline double wavy_reward(const Query& q) {
  return std::cos(3 * q.latent.sum()) + 0.25 * q.latent[0] +
         0.1 * std::sin(1.0 + 5 * q.agent + 7 * q.epoch + 11 * q.slot);
}

/// What the kind of an error is, or nothing when the body throws none.
template <typename Body>
std::optional<base::ErrorKind> error_kind(const Body& body) {
  try {
    body();
  } catch (const base::Error& error) {
    return error.kind();
  }
  return std::nullopt;
}

/// What the text of an error is, or "" when the body throws none.
template <typename Body>
std::string error_text(const Body& body) {
  try {
    body();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

/// What can be seen of a coordinator between two inputs.
inline auto standing_of(const Coordinator& c) {
  const RunSummary& summary = c.summary();
  return std::tuple(c.epoch(), c.is_open(), c.finished(), c.waiting_for(), summary.epochs().size(),
                    summary.participation(), summary.run_digest(), summary.state_digest());
}

inline const base::SerialExecutor kTestExecutor;

/// Fails while it is told to, as a machine that runs out of something does.
class FailingExecutor final : public base::Executor {
 public:
  void parallel_for(std::size_t num_chunks,
                    const std::function<void(std::size_t)>& body) const override {
    if (fails) throw base::Error(base::ErrorKind::kNumeric, "told to fail");
    kTestExecutor.parallel_for(num_chunks, body);
  }
  bool fails = false;
};

inline std::vector<base::Bytes> encoded_records(const std::vector<Record>& records) {
  std::vector<base::Bytes> bytes;
  for (const Record& record : records) bytes.push_back(encode_record(record));
  return bytes;
}

/// An ensemble whose agents share nothing, with every record and broadcast it gave out.
class TestRun {
 public:
  /// `always_restart`: after every input a coordinator goes on that was replayed from the journal.
  explicit TestRun(const Study& study, RewardFunction reward = wavy_reward,
                   bool always_restart = false,
                   const random::StudySecret& secret = random::StudySecret::from_seed(7),
                   const base::Executor& executor = kTestExecutor)
      : reward_(std::move(reward)),
        always_restart_(always_restart),
        ensemble_(share(study), secret, executor, Sharing::kNothing,
                  [this](const Effects& effects) { keep(effects); }) {
    ensemble_.start();
  }

  Coordinator& coordinator() { return ensemble_.coordinator(); }
  const Coordinator& coordinator() const { return ensemble_.coordinator(); }
  const RunSummary& summary() const { return coordinator().summary(); }
  Agent& agent(std::uint32_t a) { return ensemble_.agent(a); }
  const Study& study() const { return ensemble_.study(); }
  /// Records, and messages in both directions, encoded.
  const std::vector<base::Bytes>& transcript() const { return transcript_; }
  const std::vector<Record>& records() const { return records_; }
  /// The same, encoded.
  const std::vector<base::Bytes>& journal() const { return journal_; }
  /// What was sent to all agents, encoded.
  const std::vector<base::Bytes>& broadcast() const { return broadcast_; }

  /// The agent answers all open slots of its plan; returns what it then sends.
  std::optional<Message> query(std::uint32_t a, const std::vector<std::uint32_t>& holes = {}) {
    std::vector<double> rewards = answers(agent(a)).rewards;
    for (const std::uint32_t slot : holes) rewards.at(slot) = std::nan("");
    return answer_plan(agent(a), rewards);
  }

  /// Carries a message to the coordinator and its effects to the agents.
  Effects deliver(const Message& message) { return ensemble_.deliver(message); }

  Effects close(std::uint32_t epoch, const std::vector<AgentId>& participants) {
    return ensemble_.close(EpochId{epoch}, participants);
  }

  /// All agents query and upload, but for those named; holes by agent.
  void run_epoch(const std::set<std::uint32_t>& excluded = {},
                 const std::map<std::uint32_t, std::vector<std::uint32_t>>& holes = {}) {
    ensemble_.run_epoch({excluded, holes}, [this](const Agent& agent) { return answers(agent); });
  }

  void finish() {
    ensemble_.run([this](const Agent& agent) { return answers(agent); });
  }

  /// The Trim that closed an epoch, from the records.
  const Trim& trim(std::uint32_t epoch) const {
    for (const Record& record : records_) {
      const auto* closed = std::get_if<EpochClosed>(&record);
      if (closed != nullptr && base::value(closed->epoch) == epoch) return closed->trim;
    }
    throw std::out_of_range("no trim");
  }

 private:
  PlanAnswers answers(const Agent& agent) const {
    const Plan& plan = agent.plan();
    PlanAnswers given;
    for (std::uint32_t slot = 0; slot < plan.latents().rows(); ++slot) {
      given.rewards.push_back(reward_({plan.latents().row(slot).transpose(),
                                       base::value(agent.id()), base::value(plan.epoch), slot}));
    }
    return given;
  }

  void keep(const Effects& effects) {
    for (const Record& record : effects.records) {
      const auto* taken = std::get_if<MessageTaken>(&record);
      if (taken != nullptr) transcript_.push_back(encode(taken->message));
      records_.push_back(record);
      journal_.push_back(encode_record(record));
      transcript_.push_back(journal_.back());
    }
    if (always_restart_) ensemble_.restart(journal_);
    for (const Outgoing& outgoing : effects.messages) {
      transcript_.push_back(encode(outgoing.message));
      if (!outgoing.to) broadcast_.push_back(encode(outgoing.message));
    }
  }

  RewardFunction reward_;
  bool always_restart_;
  std::vector<Record> records_;
  std::vector<base::Bytes> journal_;
  std::vector<base::Bytes> transcript_;
  std::vector<base::Bytes> broadcast_;
  Ensemble ensemble_;
};

}  // namespace duets::protocol

#include "duets/protocol/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "duets/base/error.h"
#include "duets/protocol/verify_findings.h"
#include "duets/protocol/verify_rewards.h"

namespace duets::protocol {
namespace {

std::uint64_t& digest_in(Message& message) {
  auto* upload = std::get_if<Upload>(&message);
  return upload != nullptr ? upload->points_digest : std::get<Closing>(message).points_digest;
}

AgentId sender(const Message& message) {
  const auto* upload = std::get_if<Upload>(&message);
  return upload != nullptr ? upload->agent : std::get<Closing>(message).agent;
}

class Verifier {
 public:
  Verifier(const std::shared_ptr<const Study>& study, const random::StudySecret& secret,
           const base::Executor& executor, std::span<const Answer> answers)
      : study_(*study),
        coordinator_(study, secret, executor),
        out_(result_.findings),
        rewards_(study, secret, executor, answers, result_.findings) {}

  Verification run(const std::vector<Record>& records) {
    for (const Record& record : records) {
      if (!step(record)) break;
      ++result_.num_checked;
    }
    if (result_.num_checked == records.size()) check_end();
    result_.finished = coordinator_.finished();
    rewards_.move_to(result_);
    return std::move(result_);
  }

 private:
  // False when the record does not fit: nothing after it can be checked.
  bool step(const Record& record) {
    try {
      std::visit([this](const auto& r) { check(r); }, record);
      rewards_.follow(record);
      return true;
    } catch (const base::Error& error) {
      out_.wrong("records", fmt::format("record {}", result_.num_checked), error.what());
      return false;
    }
  }

  void check(const EpochOpened& recorded) {
    out_.set_epoch(recorded.epoch);
    with_points_drawn_.clear();
    compare_opening(out_, study_, recorded, coordinator_.recompute(recorded));
    coordinator_.follow(recorded);
  }

  // A wrong digest of points is told and put right, so that the rest of the run can be checked.
  void check(const MessageTaken& recorded) {
    if (!coordinator_.is_open()) {
      throw base::Error(base::ErrorKind::kDecode, "a message between epochs");
    }
    ++result_.num_messages;
    Message message = recorded.message;
    const AgentId agent = sender(message);
    const std::optional<Reason> objection = coordinator_.refusal_of(message);
    if (!objection || *objection == Reason::kDiverged) {
      const std::uint64_t ours = coordinator_.points_digest_of(agent);
      if (digest_in(message) != ours) {
        out_.wrong(fmt::format("points of agent {}", base::value(agent)),
                   fmt::format("{:x}", digest_in(message)), fmt::format("{:x}", ours));
      }
      digest_in(message) = ours;
      with_points_drawn_.insert(base::value(agent));
    }
    if (const auto reason = coordinator_.refusal_of(message)) {
      out_.wrong(fmt::format("message of agent {}", base::value(agent)), "taken",
                 fmt::format("refused: {}", base::name_of(*reason)));
    }
    coordinator_.follow(MessageTaken{message});
  }

  void check(const EpochClosed& recorded) {
    out_.set_epoch(recorded.epoch);
    const RecomputedClosing recomputed = coordinator_.recompute(recorded);
    check_points(recorded);
    compare_closing(out_, study_, coordinator_.view(), recorded, recomputed);
    coordinator_.follow(recorded);
  }

  // An agent whose message has another digest than the points drawn here was named already.
  void check_points(const EpochClosed& recorded) {
    const auto drawn =
        std::count_if(recorded.participants.begin(), recorded.participants.end(),
                      [this](std::uint32_t agent) { return with_points_drawn_.contains(agent); });
    out_.same_text("points", fmt::format("{} agents", recorded.participants.size()),
                   fmt::format("{} agents", drawn));
  }

  // A coordinator writes the closing of an epoch with its last message, and the opening of the next
  // with the closing: a journal at rest ends nowhere between.
  void check_end() {
    if (result_.num_checked == 0 || coordinator_.finished()) return;
    if (coordinator_.waiting_for().empty()) {
      out_.wrong("records", "end before the epoch is closed", "all messages are present");
    } else if (!coordinator_.is_open()) {
      out_.wrong("records", "end before the next epoch is opened", "the last epoch is closed");
    }
  }

  const Study& study_;
  Verification result_;
  Coordinator coordinator_;
  FindingList out_;
  std::set<std::uint32_t> with_points_drawn_;  ///< agents of the open epoch
  RewardCheck rewards_;
};

}  // namespace

bool Verification::ok() const {
  return std::all_of(findings.begin(), findings.end(), [](const Finding& f) { return f.ok; });
}

Verification verify(const std::shared_ptr<const Study>& study, const random::StudySecret& secret,
                    std::span<const base::Bytes> records, const base::Executor& executor,
                    std::span<const Answer> answers) {
  std::vector<Record> decoded;
  decoded.reserve(records.size());
  for (const base::Bytes& bytes : records) decoded.push_back(decode_record(bytes));
  return Verifier(study, secret, executor, answers).run(decoded);
}

}  // namespace duets::protocol

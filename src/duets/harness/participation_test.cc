#include "duets/harness/participation.h"

#include <gtest/gtest.h>

#include <memory>

#include "duets/base/error.h"
#include "duets/protocol/agent.h"
#include "duets/protocol/coordinator.h"

namespace duets::harness {
namespace {

protocol::Study participation_study() {
  protocol::Study s;
  s.agents = 3;
  s.horizon = 9;
  s.domain = std::make_shared<const domain::Domain>(domain::Domain::box(2));
  s.kernel.lengthscales = {0.4};
  return s;
}

// Plays a run with these absences and keeps its records.
std::vector<base::Bytes> records_with(const Participation& participation) {
  const auto shared = std::make_shared<const protocol::Study>(participation_study());
  const auto secret = random::StudySecret::from_seed(1);
  const base::SerialExecutor executor;
  protocol::Coordinator coordinator(shared, secret, executor);
  const auto view = std::make_shared<protocol::PublicView>(shared, secret.public_coin(), executor);
  std::vector<protocol::Agent> agents;
  for (std::uint32_t a = 0; a < shared->agents; ++a) {
    agents.emplace_back(shared, base::AgentId{a}, secret.agent_coin(base::AgentId{a}), view);
  }
  std::vector<base::Bytes> records;
  const auto carry_out = [&](const protocol::Effects& effects) {
    for (const auto& record : effects.records) records.push_back(protocol::encode_record(record));
    for (const auto& outgoing : effects.messages) {
      for (protocol::Agent& agent : agents) agent.receive(outgoing.message);
    }
  };
  carry_out(coordinator.start());
  while (!coordinator.finished()) {
    const base::EpochId epoch = coordinator.epoch();
    const auto found = participation.find(base::value(epoch));
    const EpochAbsence absence = found == participation.end() ? EpochAbsence{} : found->second;
    std::vector<base::AgentId> participants;
    for (protocol::Agent& agent : agents) {
      const std::uint32_t a = base::value(agent.id());
      if (absence.excluded.contains(a)) continue;
      participants.push_back(agent.id());
      const auto holes = absence.holes.find(a);
      const std::set<std::uint32_t> failed =
          holes == absence.holes.end()
              ? std::set<std::uint32_t>{}
              : std::set<std::uint32_t>(holes->second.begin(), holes->second.end());
      std::optional<protocol::Message> message;
      const auto length = static_cast<std::uint32_t>(agent.plan().latents().rows());
      for (std::uint32_t slot = 0; slot < length; ++slot) {
        message = failed.contains(slot) ? agent.report_hole(slot) : agent.report(slot, 0.5 * slot);
      }
      carry_out(coordinator.receive(*message));
    }
    if (!absence.excluded.empty()) carry_out(coordinator.close(epoch, participants));
  }
  return records;
}

TEST(ParticipationOf, IsWhatTheRunWasPlayedWith) {
  Participation played;
  EXPECT_EQ(participation_of(participation_study(), records_with(played)), played);
  played[1].excluded = {1};
  played[1].holes[2] = {0};
  played[2].holes[0] = {1, 3};
  played[3].excluded = {0, 2};
  EXPECT_EQ(participation_of(participation_study(), records_with(played)), played);
}

TEST(ParticipationOf, KnowsClosedEpochsOnly) {
  Participation played;
  played[1].excluded = {1};
  played[2].excluded = {0};
  std::vector<base::Bytes> records = records_with(played);
  records.resize(6);  // opened, two messages, closed, opened, one message
  EXPECT_EQ(participation_of(participation_study(), records), (Participation{{1, played[1]}}));
}

TEST(ParticipationOf, RefusesOtherBytes) {
  const std::vector<base::Bytes> junk{{9}};
  EXPECT_THROW(participation_of(participation_study(), junk), base::Error);
}

}  // namespace
}  // namespace duets::harness

#include "duets/cli/participation_file.h"

#include <gtest/gtest.h>

namespace duets::cli {
namespace {

// Agents 0..4, epochs of 2, 4 and 6.
protocol::Study participation_study() {
  protocol::Study s;
  s.agents = 5;
  s.horizon = 12;
  s.schedule = protocol::ScheduleRule::kExplicit;
  s.epochs = {2, 4, 6};
  return s;
}

TEST(ParticipationFile, RoundTrips) {
  protocol::Participation full;
  protocol::Participation some;
  some[1].excluded = {3};
  some[2].holes[0] = {1, 3};
  some[2].holes[4] = {0};
  some[3].excluded = {0, 1, 2};
  some[3].holes[3] = {5};
  for (const protocol::Participation& participation : {full, some}) {
    const std::string text = participation_toml(participation);
    EXPECT_EQ(parse_participation(text, "p.toml", participation_study()), participation) << text;
  }
}

}  // namespace
}  // namespace duets::cli

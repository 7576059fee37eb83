#include "duets/problems/regret.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "duets/base/error.h"
#include "duets/problems/functions.h"

namespace duets::problems {
namespace {

using base::AgentId;

// Quarters and small integers add without rounding.
TEST(Regret, SumsOverAgentsAndTime) {
  RegretCurve regret(2, 3, 4);
  regret.add(AgentId{0}, 0, 3.75);
  regret.add(AgentId{1}, 0, 2);
  regret.add(AgentId{0}, 1, 4);
  regret.add(AgentId{1}, 1, 1.5);
  regret.add(AgentId{0}, 2, 4);
  regret.add(AgentId{1}, 2, 3.5);
  EXPECT_EQ(regret.cumulative(), (std::vector<double>{2.25, 4.75, 5.25}));
  EXPECT_EQ(regret.simple(), (std::vector<double>{0.25, 0, 0}));
  EXPECT_EQ(regret.total(), 5.25);
  EXPECT_EQ(regret.num_added(), 6u);
}

TEST(Regret, OneAgentOneQuery) {
  RegretCurve regret(1, 1, -1);
  EXPECT_EQ(regret.total(), 0);
  EXPECT_EQ(regret.simple()[0], std::numeric_limits<double>::infinity());
  regret.add(AgentId{0}, 0, -3);
  EXPECT_EQ(regret.total(), 2);
  EXPECT_EQ(regret.simple()[0], 2);
}

TEST(Regret, AQueryThatWasNotMadeContributesNothing) {
  RegretCurve regret(2, 2, 1);
  regret.add(AgentId{1}, 1, 0.5);
  EXPECT_EQ(regret.cumulative(), (std::vector<double>{0, 0.5}));
  EXPECT_EQ(regret.num_added(), 1u);
}

// The same bits whatever the order of arrival, though the sums round.
RC_GTEST_PROP(Regret, DoesNotDependOnTheOrderOfArrival, ()) {
  const auto agents = *rc::gen::inRange<std::uint32_t>(1, 6);
  const auto horizon = *rc::gen::inRange<std::uint32_t>(1, 8);
  RegretCurve forwards(agents, horizon, 1);
  RegretCurve backwards(agents, horizon, 1);
  const std::uint32_t count = agents * horizon;
  const auto value = [](std::uint32_t i) { return 1 / (3.0 + i); };
  for (std::uint32_t i = 0; i < count; ++i) {
    forwards.add(AgentId{i % agents}, i / agents, value(i));
    const std::uint32_t j = count - 1 - i;
    backwards.add(AgentId{j % agents}, j / agents, value(j));
  }
  RC_ASSERT(forwards.cumulative() == backwards.cumulative());
  RC_ASSERT(forwards.simple() == backwards.simple());
}

// Epoch by epoch, agent by agent: the same bits as all at once, and only the stretch is held.
TEST(Regret, StretchesGiveTheSameCurve) {
  constexpr std::uint32_t kAgents = 5;
  constexpr std::uint32_t kHorizon = 17;
  const auto value = [](std::uint32_t a, std::uint32_t t) { return 1 / (3.0 + 7 * a + t); };
  RegretCurve whole(kAgents, kHorizon, 1);
  RegretCurve stretches(kAgents, kHorizon, 1);
  std::uint32_t begin = 0;
  for (const std::uint32_t end : {1U, 6U, 7U, kHorizon}) {
    stretches.expect(end);
    for (std::uint32_t a = kAgents; a-- > 0;) {
      for (std::uint32_t t = begin; t < end; ++t) {
        if ((a + t) % 4 == 1) continue;  // never happened
        stretches.add(AgentId{a}, t, value(a, t));
        whole.add(AgentId{a}, t, value(a, t));
      }
    }
    begin = end;
    EXPECT_EQ(stretches.cumulative(), whole.cumulative());
    EXPECT_EQ(stretches.simple(), whole.simple());
  }
  EXPECT_EQ(stretches.num_added(), whole.num_added());
  EXPECT_EQ(stretches.total(), whole.total());
}

// An epoch without participants leaves the sums as they were.
TEST(Regret, AnEmptyStretchAddsNothing) {
  RegretCurve regret(2, 4, 1);
  regret.expect(1);
  regret.add(AgentId{0}, 0, 0.5);
  regret.expect(3);
  regret.expect(4);
  regret.add(AgentId{1}, 3, 0);
  EXPECT_EQ(regret.cumulative(), (std::vector<double>{0.5, 0.5, 0.5, 1.5}));
  EXPECT_EQ(regret.simple(), (std::vector<double>{0.5, 0.5, 0.5, 0.5}));
}

TEST(Regret, StretchesFollowEachOther) {
  RegretCurve regret(2, 4, 0);
  EXPECT_THROW(regret.expect(0), base::Error);
  EXPECT_THROW(regret.expect(5), base::Error);
  regret.expect(2);
  EXPECT_THROW(regret.add(AgentId{0}, 2, 0), base::Error);
  regret.add(AgentId{0}, 1, -1);
  EXPECT_THROW(regret.expect(2), base::Error);
  regret.expect(4);
  EXPECT_THROW(regret.add(AgentId{1}, 1, 0), base::Error);
  EXPECT_THROW(regret.expect(4), base::Error);
  EXPECT_EQ(regret.total(), 1);
  RegretCurve late(1, 2, 0);
  late.add(AgentId{0}, 1, 0);
  EXPECT_THROW(late.expect(2), base::Error);
}

// Against the best candidate no instant regret is negative at all: reference - value is 0 or more
// because the reference is one of the values.
TEST(Regret, NeverFallsAgainstTheBestCandidate) {
  const auto branin = make_branin();
  const numeric::Points candidates = (numeric::Points::Random(200, 2).array() + 1) / 2;
  std::vector<double> values(200);
  branin->values(candidates, values);
  RegretCurve regret(4, 50, *std::max_element(values.begin(), values.end()));
  for (std::uint32_t i = 0; i < 200; ++i) regret.add(AgentId{i / 50}, i % 50, values[i]);
  const auto curve = regret.cumulative();
  EXPECT_GE(curve.front(), 0);
  EXPECT_TRUE(std::is_sorted(curve.begin(), curve.end()));
  EXPECT_EQ(regret.simple().back(), 0);
}

TEST(Regret, BadInputIsRefused) {
  EXPECT_THROW(RegretCurve(0, 1, 0), base::Error);
  EXPECT_THROW(RegretCurve(1, 0, 0), base::Error);
  EXPECT_THROW(RegretCurve(1, 1, std::nan("")), base::Error);
  RegretCurve regret(2, 3, 0);
  EXPECT_THROW(regret.add(AgentId{2}, 0, 0), base::Error);
  EXPECT_THROW(regret.add(AgentId{0}, 3, 0), base::Error);
  EXPECT_THROW(regret.add(AgentId{0}, 0, std::nan("")), base::Error);
  regret.add(AgentId{0}, 0, -1);
  EXPECT_THROW(regret.add(AgentId{0}, 0, -1), base::Error);
  EXPECT_EQ(regret.num_added(), 1u);
  EXPECT_EQ(regret.total(), 1);
}

}  // namespace
}  // namespace duets::problems

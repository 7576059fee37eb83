#include "duets/base/ledger.h"

#include <gtest/gtest.h>

#include "duets/base/error.h"

namespace duets::base {
namespace {

struct Case {
  std::uint64_t agents;     // N
  std::uint64_t inducing;   // s
  std::uint64_t dimension;  // d
  std::uint64_t length;     // T_j
};

constexpr Case kCases[] = {{1, 1, 1, 1}, {1, 7, 2, 3}, {10, 23, 10, 2}, {3, 5, 50, 12}};

void all_agents_send(Ledger& ledger, std::uint64_t reals) {
  for (std::uint32_t a = 0; a < ledger.num_agents(); ++a) {
    ledger.uplink(AgentId{a}, reals, 8 * reals);
  }
}

void everyone_hears(Ledger& ledger, std::uint64_t reals) { ledger.broadcast(reals, 8 * reals); }

// The messages of a DUETS epoch, and the table's formulas for what they cost.
TEST(Ledger, DuetsEpochWithCoordinates) {
  for (const auto& [n, s, d, length] : kCases) {
    Ledger ledger(n);
    everyone_hears(ledger, s * d);  // S_j
    all_agents_send(ledger, s);     // u_n
    everyone_hears(ledger, s + 1);  // w_j, tau_j
    const LedgerTotals totals = ledger.totals();
    EXPECT_EQ(totals.paper, static_cast<double>(s * (d + 2) + 1));
    EXPECT_EQ(totals.figure, n * s);
    EXPECT_EQ(totals.links, n * s + n * (s * (d + 1) + 1));
    EXPECT_EQ(totals.bytes, 8 * totals.links);
    EXPECT_EQ(totals.closing, 0u);
  }
}

TEST(Ledger, DuetsEpochWithPublicInducingSet) {
  for (const auto& [n, s, d, length] : kCases) {
    Ledger ledger(n);
    everyone_hears(ledger, s);  // indices
    all_agents_send(ledger, s);
    everyone_hears(ledger, s + 1);
    EXPECT_EQ(ledger.totals().paper, static_cast<double>(3 * s + 1));
    EXPECT_EQ(ledger.totals().figure, n * s);
    EXPECT_EQ(ledger.totals().links, n * s + n * (2 * s + 1));
  }
}

TEST(Ledger, DuetsEpochWithRawUpload) {
  for (const auto& [n, s, d, length] : kCases) {
    Ledger ledger(n);
    everyone_hears(ledger, s * d);
    all_agents_send(ledger, length);
    everyone_hears(ledger, s + 1);
    EXPECT_EQ(ledger.totals().paper, static_cast<double>(length + s * (d + 1) + 1));
    EXPECT_EQ(ledger.totals().figure, n * length);
    EXPECT_EQ(ledger.totals().links, n * length + n * (s * (d + 1) + 1));
  }
}

TEST(Ledger, PooledSynchronisation) {
  for (const auto& [n, s, d, rounds] : kCases) {
    const std::uint64_t own = rounds * (d + 1);
    Ledger ledger(n);
    all_agents_send(ledger, own);
    ledger.broadcast(n * own, 8 * (n - 1) * own, own);  // the pool, without what the agent sent
    EXPECT_EQ(ledger.totals().paper, static_cast<double>(own + n * own));
    EXPECT_EQ(ledger.totals().figure, n * own);
    EXPECT_EQ(ledger.totals().links, n * n * own);
    EXPECT_EQ(ledger.totals().bytes, 8 * ledger.totals().links);
  }
}

TEST(Ledger, DictionarySynchronisation) {
  constexpr std::uint64_t n = 4, d = 3, m = 10;
  constexpr std::uint64_t sizes[n] = {1, 2, 3, 4};
  Ledger ledger(n);
  for (std::uint32_t a = 0; a < n; ++a) ledger.uplink(AgentId{a}, sizes[a] * d, 0);
  everyone_hears(ledger, m * d);
  all_agents_send(ledger, m * m + m);
  everyone_hears(ledger, m * m + m);
  EXPECT_EQ(ledger.totals().paper, 10.0 * d / n + (m * m + m) + (m * d + m * m + m));
  EXPECT_EQ(ledger.totals().figure, 10 * d + n * (m * m + m));
  EXPECT_EQ(ledger.totals().links, 10 * d + n * (m * m + m) + n * (m * d + m * m + m));
}

TEST(Ledger, SilenceCostsNothing) { EXPECT_EQ(Ledger(5).totals(), LedgerTotals{}); }

TEST(Ledger, ClosingStandsApart) {
  Ledger ledger(4);
  all_agents_send(ledger, 6);
  const LedgerTotals before = ledger.totals();
  for (std::uint32_t a = 0; a < 4; ++a) ledger.closing_uplink(AgentId{a}, 3, 40);
  ledger.closing_broadcast(2, 16);
  LedgerTotals after = ledger.totals();
  EXPECT_EQ(after.closing, 4u * 3 + 4 * 2);
  EXPECT_EQ(after.closing_bytes, 4u * 40 + 4 * 16);
  after.closing = after.closing_bytes = 0;
  EXPECT_EQ(after, before);
}

TEST(Ledger, BytesThatAreNoRealsCountAsBytesOnly) {
  Ledger ledger(3);
  ledger.uplink(AgentId{0}, 0, 8);
  ledger.broadcast(0, 5);
  EXPECT_EQ(ledger.totals(), (LedgerTotals{.bytes = 8 + 3 * 5}));
}

TEST(Ledger, BadInputIsRefusedAndChangesNothing) {
  EXPECT_THROW(Ledger(0), Error);
  Ledger ledger(2);
  EXPECT_THROW(ledger.uplink(AgentId{2}, 1, 1), Error);
  EXPECT_THROW(ledger.closing_uplink(AgentId{2}, 1, 1), Error);
  EXPECT_THROW(ledger.broadcast(1, 8, 2), Error);
  EXPECT_EQ(ledger.totals(), LedgerTotals{});
}

}  // namespace
}  // namespace duets::base

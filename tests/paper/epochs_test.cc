// Epoch lengths (algorithms 1 and 2) and the lemma on their number.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <vector>

#include "duets/protocol/schedule.h"

namespace duets::paper {
namespace {

using protocol::epoch_lengths;
using protocol::ScheduleRule;
using Lengths = std::vector<std::uint32_t>;

std::vector<std::uint32_t> horizons() {
  std::vector<std::uint32_t> all;
  for (std::uint32_t t = 2; t <= 600; ++t) all.push_back(t);
  for (std::uint32_t t = 700; t < 1000000; t = t * 5 / 4) all.push_back(t);
  for (const std::uint32_t t : {999999U, 1000000U, 1U << 20, 1U << 30}) all.push_back(t);
  return all;
}

TEST(PaperEpochs, LengthsOfTheReferenceTable) {
  std::ifstream file(DUETS_SOURCE_DIR "/tests/golden/epochs.json");
  ASSERT_TRUE(file.is_open());
  const nlohmann::json golden = nlohmann::json::parse(file);
  ASSERT_GE(golden.at("cases").size(), 11U);
  for (const nlohmann::json& c : golden.at("cases")) {
    const auto horizon = c.at("T").get<std::uint32_t>();
    const auto t1 = c.at("T1").get<std::uint32_t>();
    const Lengths lengths = epoch_lengths(ScheduleRule::kSqrtFloor, horizon, t1);
    EXPECT_EQ(lengths, c.at("lengths").get<Lengths>()) << "T = " << horizon << ", T1 = " << t1;
    const std::uint32_t planned = protocol::planned_length(ScheduleRule::kSqrtFloor, horizon, t1,
                                                           lengths, lengths.size() - 1);
    EXPECT_EQ(planned != lengths.back(), c.at("last_is_truncated").get<bool>())
        << "T = " << horizon << ", T1 = " << t1;
  }
}

TEST(PaperEpochs, OtherRulesAtTheSettingOfTheStudy) {
  EXPECT_EQ(epoch_lengths(ScheduleRule::kSqrtFloor, 50, 2), (Lengths{2, 10, 22, 16}));
  EXPECT_EQ(epoch_lengths(ScheduleRule::kSqrtCeil, 50, 2), (Lengths{2, 10, 23, 15}));
  EXPECT_EQ(epoch_lengths(ScheduleRule::kPairedDoubling, 50, 1),
            (Lengths{1, 1, 2, 2, 4, 4, 8, 8, 20}));
  EXPECT_EQ(epoch_lengths(ScheduleRule::kDoubling, 50, 2), (Lengths{2, 4, 8, 16, 20}));
}

TEST(PaperEpochs, LengthsSumToTheHorizon) {
  for (const ScheduleRule rule : {ScheduleRule::kSqrtFloor, ScheduleRule::kSqrtCeil,
                                  ScheduleRule::kDoubling, ScheduleRule::kPairedDoubling}) {
    for (const std::uint32_t horizon : horizons()) {
      for (const std::uint32_t t1 : {1U, 2U, 5U, 100U, horizon, horizon + 3}) {
        const Lengths lengths = epoch_lengths(rule, horizon, t1);
        EXPECT_EQ(std::accumulate(lengths.begin(), lengths.end(), std::uint64_t{0}), horizon);
        for (const std::uint32_t length : lengths) ASSERT_GE(length, 1U);
      }
    }
  }
}

// Used in the proof of the theorem: T_j / sqrt(T_{j-1}) <= sqrt(T), in whole numbers.
TEST(PaperEpochs, GrowthBoundOfTheTheorem) {
  for (const std::uint64_t horizon : horizons()) {
    const Lengths lengths =
        epoch_lengths(ScheduleRule::kSqrtFloor, static_cast<std::uint32_t>(horizon), 2);
    for (std::size_t j = 1; j < lengths.size(); ++j) {
      const std::uint64_t length = lengths[j];
      EXPECT_LE(length * length, horizon * lengths[j - 1]);
    }
  }
}

// The proof of the lemma uses T_j >= T^(1 - 2^(1-j)) T_1^(2^(1-j)). That holds when the square root
// is rounded up, and fails when it is rounded down as the algorithm says: T = 50 gives 22 < 22.36.
TEST(PaperEpochs, LowerBoundOfTheLemmaHoldsForRoundingUpOnly) {
  for (const std::uint32_t horizon : horizons()) {
    const Lengths lengths = epoch_lengths(ScheduleRule::kSqrtCeil, horizon, 2);
    for (std::size_t j = 1; j + 1 < lengths.size(); ++j) {
      const double share = std::exp2(-static_cast<double>(j));
      const double bound = std::pow(horizon, 1 - share) * std::pow(2.0, share);
      EXPECT_GE(lengths[j], bound * (1 - 1e-12)) << "T = " << horizon << ", epoch " << j + 1;
    }
  }
  const Lengths down = epoch_lengths(ScheduleRule::kSqrtFloor, 50, 2);
  EXPECT_LT(down[2], std::pow(50, 0.75) * std::pow(2, 0.25));
}

// The lemma: fewer than log log max(N, T) + 4 epochs for T_1 >= T / N, logarithms to base 2 as in
// its proof. Its statement survives the rounding down.
TEST(PaperEpochs, NumberOfEpochs) {
  int doubling_breaks_it = 0;
  for (const std::uint32_t horizon : horizons()) {
    for (const std::uint32_t agents : {1U, 2U, 3U, 7U, 10U, 16U, 100U, 1000U, 65536U, 1000000U}) {
      const std::uint32_t t1 = (horizon + agents - 1) / agents;
      const double bound = std::log2(std::log2(static_cast<double>(std::max(agents, horizon)))) + 4;
      for (const std::uint32_t first : {t1, t1 + 1, 2 * t1}) {
        const auto num = epoch_lengths(ScheduleRule::kSqrtFloor, horizon, first).size();
        EXPECT_LE(static_cast<double>(num), bound)
            << "T = " << horizon << ", N = " << agents << ", T1 = " << first;
      }
      const auto doubling = epoch_lengths(ScheduleRule::kDoubling, horizon, t1).size();
      doubling_breaks_it += static_cast<double>(doubling) > bound ? 1 : 0;
    }
  }
  EXPECT_GT(doubling_breaks_it, 100) << "the control: log T epochs are too many";
}

}  // namespace
}  // namespace duets::paper

#include "duets/cli/config_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

namespace duets::cli {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::Not;

// With the paper's defaults, unless `more` sets the model.
std::string study(const std::string& more, int agents = 10, int horizon = 50) {
  std::string usual = "[duets]\n";
  for (const char* table : {"[kernel]", "[noise]", "[duets]"}) {
    if (more.find(table) != std::string::npos) usual = "";
  }
  return "[study]\ndirection = \"maximize\"\nagents = " + std::to_string(agents) +
         "\nhorizon = " + std::to_string(horizon) + "\n" + usual + more;
}

const std::string kBranin = "[objective]\nbuiltin = \"branin\"\n";

StudyFile parse_checked(const std::string& text) { return parse_study(text, "t.toml", "."); }

std::vector<std::string> warnings(const StudyFile& file) {
  std::vector<std::string> texts;
  for (const ConfigWarning& warning : check(file).warnings) texts.push_back(warning.text);
  return texts;
}
std::vector<std::string> warnings(const std::string& text) { return warnings(parse_checked(text)); }

std::string fact(const StudyFile& file, const std::string& name) {
  for (const auto& [key, value] : config_rows(file, check(file))) {
    if (key == name) return value;
  }
  return "(none)";
}

TEST(ConfigCheckTest, FactsFollowFromTheFile) {
  const StudyFile file = parse_checked(study(kBranin));
  EXPECT_EQ(fact(file, "queries"), "10 agents x 50 = 500");
  EXPECT_EQ(fact(file, "epochs"), "4 (2, 10, 22, 16)");
  EXPECT_EQ(fact(file, "exchanges"), "3");
  EXPECT_EQ(fact(file, "candidates"), "(none)");
  EXPECT_EQ(fact(parse_checked(study("[space]\ncandidates = 70\n" + kBranin)), "candidates"), "70");
}

TEST(ConfigCheckTest, AWordInBracesThatIsNoParameterIsSaid) {
  const std::string space = "[space]\ndomain = \"box\"\ndimension = 2\n";
  const auto with = [&](const std::string& word) {
    return warnings(study(space + "[objective]\ncommand = [\"sh\", \"" + word + "\"]\n"));
  };
  EXPECT_THAT(with("{x1} {trial}"), Not(Contains(HasSubstr("objective.command"))));
  EXPECT_THAT(with("{x3}"), Contains(HasSubstr("{x3} in objective.command is the name of no")));
}

// An epoch that ends a stage has no cut, and after an early end no queries.
TEST(ConfigCheckTest, ExtendedStudiesAreForecastStageByStage) {
  for (const char* inducing : {"coin", "greedy", "public"}) {
    StudyFile file = parse_checked(study("[duets]\nvolume_floor = 0.01\ninducing = \"" +
                                         std::string(inducing) + "\"\n" + kBranin));
    file.study = protocol::ended_early(file.study, base::EpochId{2});
    EXPECT_EQ(fact(file, "queries"), "10 agents x 12 = 120");
    EXPECT_EQ(fact(file, "exchanges"), "2");
    EXPECT_EQ(check(file).exchanges.size(), 2U);
    file.study = protocol::extended(file.study, 50);
    EXPECT_EQ(fact(file, "queries"), "10 agents x 50 = 500");
    EXPECT_EQ(fact(file, "epochs"), "7 (2, 10, 0, 2, 8, 17, 11)");
    EXPECT_EQ(fact(file, "exchanges"), "5");
    const auto json = nlohmann::json::parse(config_json(file, check(file)));
    std::vector<std::uint32_t> uploads;
    for (const auto& epoch : json["epochs"]) {
      uploads.push_back(epoch["exchange"].is_null() ? 0 : epoch["length"].get<std::uint32_t>());
    }
    EXPECT_EQ(uploads, (std::vector<std::uint32_t>{2, 10, 0, 2, 8, 17, 0}));
    // Three cuts were planned in both stages, and five are made.
    EXPECT_NEAR(floor_of_all_cuts(file.study), std::pow(0.01, 5.0 / 3), 1e-12);
  }
}

TEST(ConfigCheckTest, OneEpochExchangesNothing) {
  const std::string one = "[duets]\nt1 = 60\n";
  EXPECT_THAT(warnings(study(one + kBranin)),
              Contains(HasSubstr("no agent learns from the others, and nothing is recommended")));
  EXPECT_THAT(warnings(study(one + "closing = \"all\"\n" + kBranin)),
              Contains(HasSubstr("no agent learns from the others: choose duets.t1 below")));
  EXPECT_THAT(warnings(study(kBranin)), Not(Contains(HasSubstr("learns from the others"))));
}

TEST(ConfigCheckTest, AFirstCutOnTooFewPoints) {
  const std::string t1 = "[duets]\nt1 = 1\n";
  EXPECT_THAT(warnings(study(t1 + kBranin, 2)), Contains(HasSubstr("first cut is based on 2")));
  EXPECT_THAT(warnings(study(t1 + kBranin, 3)), Not(Contains(HasSubstr("first cut is based"))));
}

TEST(ConfigCheckTest, LengthScalesThatAreTooLongOrTooShort) {
  EXPECT_THAT(warnings(study("[kernel]\nlengthscale = 1.5\n" + kBranin)),
              Contains(HasSubstr("longer than the space is wide (1)")));
  EXPECT_THAT(warnings(study("[kernel]\nlengthscale = 1.5\n[objective]\nbuiltin = \"h1\"\n")),
              Not(Contains(HasSubstr("longer than the space"))));
  // 500 balls of radius 0.01 cover at most a sixth of the square.
  EXPECT_THAT(warnings(study("[kernel]\nlengthscale = 0.01\n" + kBranin)),
              Contains(HasSubstr("is short for 500 queries")));
  EXPECT_THAT(warnings(study(kBranin)), Not(Contains(HasSubstr("is short for"))));
}

TEST(ConfigCheckTest, LambdaFarBelowTheNoise) {
  const std::string lambda = "[noise]\nlambda = 0.003\n";
  EXPECT_THAT(warnings(study(lambda + kBranin)), Contains(HasSubstr("will fit the noise")));
  // The same noise is ten times smaller in model units.
  EXPECT_THAT(warnings(study(lambda + kBranin + "scale = 10\n")),
              Not(Contains(HasSubstr("will fit the noise"))));
}

TEST(ConfigCheckTest, ProjectionsLongerThanRewards) {
  // p0 = 1000 makes every point an inducing point, so s = N T_j >= T_j up to pruning.
  const std::string all = "[duets]\np0 = 1000\nupload = ";
  EXPECT_THAT(warnings(study(all + "\"projection\"\n" + kBranin)),
              Contains(HasSubstr("longer than the raw")));
  for (const char* upload : {"\"auto\"\n", "\"rewards\"\n"}) {
    const std::string text = study(all + upload + kBranin);
    EXPECT_THAT(warnings(text), Not(Contains(HasSubstr("longer than the raw"))));
    EXPECT_EQ(fact(parse_checked(text), "forecast uploads"), "2 rewards, 10 rewards, 22 rewards");
  }
  // In one dimension with a long length scale a dozen pivots represent 170 rewards.
  const std::string line =
      "[space]\ndomain = \"box\"\ndimension = 1\n[kernel]\nlengthscale = 0.5\n"
      "[duets]\nupload = \"projection\"\n[objective]\nbuiltin = \"rkhs\"\n";
  EXPECT_THAT(warnings(study(line, 10, 1000)), Not(Contains(HasSubstr("longer than the raw"))));
}

TEST(ConfigCheckTest, ForecastsAreConsistent) {
  const StudyFile file = parse_checked(study(kBranin));
  const auto exchanges = forecast_exchanges(file.study, file.seed);
  ASSERT_EQ(exchanges.size(), 3U);
  for (std::size_t j = 0; j < exchanges.size(); ++j) {
    EXPECT_LE(exchanges[j].inducing, std::size_t{10} * exchanges[j].length);
    EXPECT_GE(exchanges[j].inducing, 1U);
    EXPECT_DOUBLE_EQ(exchanges[j].cut, 2 * 0.5 * std::sqrt(exchanges[j].sigma2_max));
    // The points are nested, so the variance can only fall.
    if (j > 0) {
      EXPECT_LE(exchanges[j].sigma2_max, exchanges[j - 1].sigma2_max);
    }
  }
  EXPECT_LE(exchanges.front().sigma2_max, 1.0);
}

TEST(ConfigCheckTest, AcceptanceIsTheVolumeOfABump) {
  // exp(-r^2/2) = 1/2 at r^2 = 2 ln 2; in the plane the share is pi (r l)^2.
  const StudyFile box = parse_checked(study(kBranin));
  EXPECT_NEAR(forecast_acceptance(box.study, 0.5).value(),
              std::numbers::pi * 2 * std::log(2.0) * 0.04, 1e-12);
  // In four dimensions it is pi^2 / 2 (r l)^4.
  const StudyFile four = parse_checked(study("[objective]\nbuiltin = \"hartmann4\"\n"));
  EXPECT_NEAR(forecast_acceptance(four.study, 0.5).value(),
              std::pow(std::numbers::pi, 2) / 2 * std::pow(2 * std::log(2.0) * 0.04, 2), 1e-12);
  // A ball of radius r l inside the unit ball of ten dimensions.
  const StudyFile ball =
      parse_checked(study("[kernel]\nname = \"matern-1/2\"\n[objective]\nbuiltin = \"h1\"\n"));
  EXPECT_NEAR(forecast_acceptance(ball.study, 1 - std::exp(-0.5)).value(), std::pow(0.5, 10),
              1e-12);
  EXPECT_EQ(forecast_acceptance(box.study, 1.0).value(), 1.0);
  EXPECT_EQ(
      forecast_acceptance(parse_checked(study("[space]\ncandidates = 9\n" + kBranin)).study, 0.5),
      std::nullopt);
}

TEST(ConfigCheckTest, LowAcceptanceIsForecast) {
  const std::string h1 = "[objective]\nbuiltin = \"h1\"\n";
  EXPECT_THAT(warnings(study("[duets]\nbeta = 0.01\n" + h1)),
              Contains(HasSubstr("hard to sample")));
  EXPECT_THAT(warnings(study("[duets]\nbeta = 0.5\n" + h1)),
              Not(Contains(HasSubstr("hard to sample"))));
}

TEST(ConfigCheckTest, AssumptionsOfTheTheory) {
  const auto theory = [](const char* bound, const char* subgaussian, int horizon) {
    return warnings(study(std::string("[space]\ncandidates = 50\ndimension = 1\n[noise]\nlambda = "
                                      "1.0\nbound = ") +
                              bound + "\nsubgaussian = " + subgaussian +
                              "\n[duets]\nmode = \"theory\"\n[kernel]\nlengthscale = 0.4\n"
                              "[objective]\nbuiltin = \"rkhs\"\nnorm = 2.0\nnoise = 0.1\n",
                          10, horizon));
  };
  EXPECT_THAT(theory("1.9", "0.1", 1000), Contains(HasSubstr("below the norm of the function")));
  EXPECT_THAT(theory("2.0", "0.09", 1000), Contains(HasSubstr("below that of the simulated")));
  EXPECT_THAT(theory("2.0", "0.1", 4), Contains(HasSubstr("no epoch will trim")));
  EXPECT_THAT(theory("2.0", "0.1", 100), Contains(HasSubstr("too short for the theorem")));
  const auto fine = theory("2.0", "0.1", 1000);
  EXPECT_TRUE(fine.empty()) << fine.front();
}

// By hand: lengths 2, 4, 2 of 3 agents, cuts 0.5 and 0.1, a function in [-1, 1].
TEST(ConfigCheckTest, TheRegretThatTheTheoremAllows) {
  protocol::Study study;
  study.agents = 3;
  study.horizon = 8;
  study.t1 = 2;
  study.mode = protocol::Mode::kTheory;
  study.domain = std::make_shared<const domain::Domain>(
      domain::Domain::finite(numeric::Points::Constant(1, 2, 0.5)));
  ASSERT_EQ(protocol::lengths(study), (std::vector<std::uint32_t>{2, 4, 2}));
  std::vector<ExchangeForecast> exchanges(2);
  exchanges[0].cut = 0.5;
  exchanges[0].sigma2_max = 1;
  exchanges[1].cut = 0.1;
  exchanges[1].sigma2_max = 1;
  const TheoryForecast theory = forecast_theory(study, exchanges);
  EXPECT_DOUBLE_EQ(theory.trivial_regret, 3 * 8 * 2);
  EXPECT_DOUBLE_EQ(theory.regret, 3 * (2 * 2 + 4 * 1 + 2 * 0.2));
  EXPECT_FALSE(theory.long_enough()) << "25.2 is more than half of 48";
  // p is 1 here: all points of both epochs are selected, two coordinates each.
  EXPECT_DOUBLE_EQ(theory.literal_reals, (6 + 12) * (2 + 2) + 2);
}

// One point: 1/2 ln(1 + N T k / lambda).
TEST(ConfigCheckTest, TheInformationGainOfAllQueries) {
  protocol::Study study;
  study.agents = 5;
  study.horizon = 4;
  study.lambda = 0.5;
  study.domain = std::make_shared<const domain::Domain>(
      domain::Domain::finite(numeric::Points::Constant(1, 2, 0.5)));
  EXPECT_NEAR(forecast_gain(study, 1).value, 0.5 * std::log1p(20 / 0.5), 1e-12);
  EXPECT_NEAR(forecast_gain(study, 1).bound, 0.5 * std::log1p(20 / 0.5), 1e-9);
}

const std::string kEarn = "goal = \"earn\"\n";

std::string preset(const std::string& name, const std::string& more = "") {
  return "[duets]\npreset = \"" + name + "\"\n" + more + kBranin;
}

TEST(ConfigCheckTest, APresetIsExplained) {
  EXPECT_THAT(fact(parse_checked(study(preset("safe"))), "preset"),
              HasSubstr("safe: tunes itself"));
  EXPECT_EQ(fact(parse_checked(study(kBranin)), "preset"), "(none)");
  EXPECT_EQ(fact(parse_checked(study(preset("quick", kEarn))), "epochs"),
            "9 (1, 1, 2, 2, 4, 4, 8, 8, 20)");
  EXPECT_EQ(fact(parse_checked(study(preset("quick"))), "epochs"), "7 (2, 2, 4, 4, 8, 8, 22)");
}

TEST(ConfigCheckTest, LearnedParametersAreShownAsGuesses) {
  const StudyFile file = parse_checked(study(preset("quick")));
  EXPECT_EQ(fact(file, "kernel"), "matern-5/2, length scale 0.289 as a first guess");
  EXPECT_THAT(fact(file, "learned from the rewards"), HasSubstr("length scale, variance, lambda"));
  EXPECT_THAT(fact(parse_checked(study(preset("quick", kEarn))), "forecast last cut"),
              HasSubstr(" prior deviations"));
  EXPECT_EQ(fact(file, "forecast last cut"), "(none)") << "a decision has no width";
  EXPECT_THAT(
      fact(parse_checked(study(preset("quick", "relevance = true\n"))), "learned from the rewards"),
      HasSubstr("for each feature"));
  // It does not depend on the units of the rewards, and lambda does not come from the file.
  EXPECT_THAT(warnings(study(preset("quick") + "noise = 50.0\n")), testing::IsEmpty());
  EXPECT_THAT(warnings(study("[kernel]\nlengthscale = 1.5\n" + preset("quick"))),
              testing::IsEmpty());
  EXPECT_EQ(fact(parse_checked(study(kBranin)), "learned from the rewards"), "(none)");
}

// 20 rewards: 10 agents have them after two epochs of 1 query, two after 1, 1, 2, 2, 4.
TEST(ConfigCheckTest, SmallFleetsCutWithTheGuess) {
  const auto cuts = [](int agents, int horizon) {
    return fact(parse_checked(study(preset("quick", kEarn), agents, horizon)),
                "cuts with a learned length scale");
  };
  EXPECT_THAT(cuts(10, 50), HasSubstr("7 of 8; the first 1 by the guess"));
  EXPECT_THAT(cuts(2, 50), HasSubstr("4 of 8; the first 4 by the guess"));
  EXPECT_EQ(cuts(20, 50), "all 8");
  EXPECT_THAT(cuts(1, 8), HasSubstr("none of 4: 20 rewards are not reached"));
}

// (0.02^2)^(1/8) = 0.376 and 0.5^8 = 0.0039.
TEST(ConfigCheckTest, TheFloorIsShown) {
  EXPECT_EQ(fact(parse_checked(study(preset("quick", kEarn))), "volume floor"),
            "each cut keeps at least 0.376 of its region, all together 0.0004");
  const std::string floors = kEarn + "volume_floor = 0.1\nepoch_floor = 0.5\n";
  EXPECT_EQ(fact(parse_checked(study(preset("quick", floors))), "volume floor"),
            "each cut keeps at least 0.5 of its region, all together 0.004");
  EXPECT_EQ(fact(parse_checked(study(kBranin)), "volume floor"), "(none)");
  EXPECT_EQ(fact(parse_checked(study(preset("quick"), 10, 1)), "volume floor"), "(none)");
}

TEST(ConfigCheckTest, TheFloorLimitsTheForecastAcceptance) {
  const std::string h1 = "[objective]\nbuiltin = \"h1\"\n";
  const StudyFile file = parse_checked(study("[duets]\nbeta = 0.01\nvolume_floor = 0.001\n" + h1));
  EXPECT_NEAR(forecast_acceptance(file.study, 0.01).value(), 1e-3, 1e-12);
  EXPECT_THAT(warnings(file), Not(Contains(HasSubstr("hard to sample"))));
  EXPECT_THAT(warnings(study("[duets]\nt1 = 1\nvolume_floor = 0.001\n" + kBranin, 2)),
              Not(Contains(HasSubstr("first cut is based"))));
}

TEST(ConfigCheckTest, StrataAreCounted) {
  const char* name = "parts of the region, one for each query";
  EXPECT_EQ(fact(parse_checked(study(preset("quick", kEarn))), name),
            "10, 10, 20, 20, 40, 40, 80, 80, 200");
  EXPECT_EQ(fact(parse_checked(study(preset("quick", "coins = \"independent\"\n"))), name),
            "(none)");
  // On a box at most 32768 parts of two points each; a finite set has its own points.
  const std::string epochs = "epochs = [1, 2]\n";
  EXPECT_EQ(fact(parse_checked(study(preset("quick", epochs), 20000, 3)), name),
            "20000, independent");
  EXPECT_EQ(
      fact(parse_checked(study("[space]\ncandidates = 9\n" + preset("quick", epochs), 20000, 3)),
           name),
      "20000, 40000");
}

// Short rewards are so short that they save the projection of the whole run at its end.
TEST(ConfigCheckTest, ShortRewardsAreSentToTheEnd) {
  const StudyFile file =
      parse_checked(study("[kernel]\nlengthscale = 0.5\n" + preset("quick"), 10, 600));
  for (const ExchangeForecast& exchange : forecast_exchanges(file.study, file.seed)) {
    EXPECT_TRUE(exchange.rewards);
  }
}

// Rewards come first, and after a projection surviving data has no more rewards.
TEST(ConfigCheckTest, UploadsOfSurvivingDataBeginWithRewards) {
  const StudyFile file = parse_checked(
      study("[kernel]\nlengthscale = 0.5\n" + preset("quick", "numbers = \"double\"\n"), 10, 600));
  const auto exchanges = forecast_exchanges(file.study, file.seed);
  ASSERT_GT(exchanges.size(), 10U);
  // 10 and 20 rewards are fewer than the 32 that are needed.
  for (std::size_t j = 0; j < 3; ++j) EXPECT_TRUE(exchanges[j].rewards) << j;
  EXPECT_FALSE(exchanges.back().rewards);
  for (std::size_t j = 1; j < exchanges.size(); ++j) {
    EXPECT_LE(exchanges[j].rewards, exchanges[j - 1].rewards) << j;
  }
  for (const ExchangeForecast& exchange : exchanges) EXPECT_LE(exchange.sigma2_max, 1.0);
}

TEST(ConfigCheckTest, LongListsOfEpochsAreCheap) {
  std::string epochs = "1";
  for (int i = 1; i < 5000; ++i) epochs += ", 1";
  const StudyFile file =
      parse_checked(study("[duets]\nepochs = [" + epochs + "]\n" + kBranin, 10, 5000));
  EXPECT_EQ(fact(file, "exchanges"), "4999");
  EXPECT_LT(fact(file, "epochs").size(), 80U);
}

TEST(ConfigCheckTest, AWarningHasACodeAndTheFieldToChange) {
  const auto only = [](const std::string& text) {
    const auto warnings = check(parse_checked(text)).warnings;
    EXPECT_EQ(warnings.size(), 1U);
    return warnings.at(0).code + " " + warnings.at(0).field;
  };
  EXPECT_EQ(only(study("[duets]\nt1 = 60\n" + kBranin)), "one-epoch duets.t1");
  EXPECT_EQ(only(study("[noise]\nlambda = 0.003\n" + kBranin)), "low-lambda noise.lambda");
  EXPECT_EQ(only(study("[kernel]\nlengthscale = 1.5\n" + kBranin)),
            "long-lengthscale kernel.lengthscale");
}

// The formulas of docs/guide.md, for two exchanges of 4 agents in 2 dimensions.
TEST(ConfigCheckTest, RealsFollowFromTheExchanges) {
  StudyFile file = parse_checked(study(kBranin, 4));
  const std::vector<ExchangeForecast> exchanges{{.length = 3, .rewards = true, .inducing = 5},
                                                {.length = 20, .inducing = 7}};
  const RealsForecast reals = forecast_reals(file.study, exchanges);
  EXPECT_EQ(reals.paper, 3 + (5 * 3 + 1) + 7 + (7 * 3 + 1));
  EXPECT_EQ(reals.figure, 4 * (3 + 7));
  EXPECT_EQ(reals.links, 4 * (3 + 5 * 3 + 1 + 7 + 7 * 3 + 1));
  file.study.inducing = protocol::Inducing::kPublic;
  EXPECT_EQ(forecast_reals(file.study, exchanges).paper, 3 + (2 * 5 + 1) + 7 + (2 * 7 + 1));
}

nlohmann::json json_of(const StudyFile& file) {
  return nlohmann::json::parse(config_json(file, check(file)));
}

// What the table says, JSON says as well.
TEST(ConfigCheckTest, JsonHasTheGoalTheCutsAndWhatIsLearned) {
  const StudyFile find = parse_checked(study(preset("auto", "goal = \"find\"\n")));
  EXPECT_THAT(fact(find, "goal"), HasSubstr("find: "));
  EXPECT_THAT(fact(find, "cuts"), HasSubstr(" to 0.35 of its region"));
  EXPECT_EQ(fact(find, "kernel family"), "chosen by evidence");
  const auto json = json_of(find);
  EXPECT_EQ(json["goal"], "find");
  EXPECT_EQ(json["cut"], "decision");
  EXPECT_EQ(json["epoch_cap"], 0.35);
  EXPECT_EQ(json["model"]["family"], true);
  EXPECT_EQ(json["model"]["relevance"], true);
}

TEST(ConfigCheckTest, WithoutAPresetJsonHasNoGoal) {
  const StudyFile plain = parse_checked(study(kBranin));
  for (const char* name : {"goal", "cuts", "kernel family"}) {
    EXPECT_EQ(fact(plain, name), "(none)");
  }
  const auto json = json_of(plain);
  EXPECT_TRUE(json["goal"].is_null());
  EXPECT_EQ(json["cut"], "width");
  EXPECT_TRUE(json["epoch_cap"].is_null());
  EXPECT_EQ(json["model"]["family"], false);
  EXPECT_EQ(json["model"]["relevance"], false);
}

TEST(ConfigCheckTest, TheCoordinatorSectionIsAFactOfServe) {
  const StudyFile file =
      parse_checked(study(kBranin + "[coordinator]\nlisten = \"localhost:1\"\nquorum = 2\n"));
  EXPECT_EQ(fact(file, "duets serve"), "listens on localhost:1, quorum 2");
  EXPECT_EQ(fact(parse_checked(study(kBranin)), "duets serve"), "(none)");
}

TEST(ConfigCheckTest, JsonHasNumbersWhereTheTableHasText) {
  const StudyFile file = parse_checked(study(kBranin));
  const auto json = json_of(file);
  EXPECT_EQ(json["queries"], 500);
  EXPECT_EQ(json["epochs"].size(), 4U);
  EXPECT_EQ(json["epochs"][1]["length"], 10);
  EXPECT_EQ(json["epochs"][1]["queries"], 100);
  EXPECT_GT(json["epochs"][0]["exchange"]["inducing"], 0);
  EXPECT_TRUE(json["epochs"][3]["exchange"].is_null());
  EXPECT_GT(json["memory_bytes"]["total"], 0);
  EXPECT_TRUE(json["domain"]["candidates"].is_null());
  const StudyFile one = parse_checked(study("[duets]\nt1 = 60\n" + kBranin));
  const auto warned = json_of(one);
  EXPECT_TRUE(warned["reals"].is_null());
  EXPECT_EQ(warned["warnings"][0]["code"], "one-epoch");
}

}  // namespace
}  // namespace duets::cli

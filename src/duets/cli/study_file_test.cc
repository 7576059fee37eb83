#include "duets/cli/study_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <string>

#include "duets/base/error.h"
#include "duets/study/section.h"

namespace duets::cli {
namespace {

const std::string kHead = "[study]\ndirection = \"maximize\"\nagents = 3\nhorizon = 20\n";

StudyFile parse(const std::string& text, const StudyOverrides& overrides = {}) {
  return parse_study(text, "some folder/my study.toml", DUETS_SOURCE_DIR, overrides);
}

// With the paper's defaults, unless `more` sets others.
StudyFile branin(const std::string& more = "[duets]\n") {
  return parse(kHead + "[objective]\nbuiltin = \"branin\"\n" + more);
}

std::string error_of(const std::string& text) {
  try {
    parse(text);
  } catch (const base::Error& error) {
    return error.what();
  }
  return "(no error)";
}

/// Writing and reading loses nothing, and writing again gives the same text.
void expect_round_trip(const StudyFile& file) {
  const std::string text = resolved_toml(file);
  const StudyFile again = parse_study(text, "elsewhere.toml", "/nowhere");
  EXPECT_EQ(protocol::study_digest(again.study), protocol::study_digest(file.study)) << text;
  EXPECT_EQ(again.seed, file.seed);
  EXPECT_TRUE(again.objective == file.objective) << text;
  EXPECT_EQ(again.space.source, file.space.source);
  EXPECT_EQ(again.space.radius, file.space.radius);
  EXPECT_EQ(again.lengthscales, file.lengthscales);
  EXPECT_EQ(again.study.kernel, file.study.kernel);
  EXPECT_EQ(again.study.domain->parameters(), file.study.domain->parameters());
  EXPECT_EQ(again.study.domain->candidates(), file.study.domain->candidates());
  EXPECT_EQ(again.coordinator, file.coordinator);
}

TEST(StudyFileTest, TheResolvedFileHasIntegersForAnInt) {
  const StudyFile file = parse(kHead +
                               "[space.batch]\ntype = \"int\"\nlow = -16.0\nhigh = 256\nstep = 16\n"
                               "[space.rate]\nlow = 1\nhigh = 2\n"
                               "[objective]\ncommand = [\"./measure\"]\n");
  const std::string text = resolved_toml(file);
  EXPECT_NE(text.find("low = -16\nhigh = 256\nlog = false\nstep = 16\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("low = 1.0\nhigh = 2.0\n"), std::string::npos) << text;
  expect_round_trip(file);
}

TEST(StudyFileTest, AWholeNumberMayBeWrittenAsAFloat) {
  const StudyFile file = parse(
      "[study]\ndirection = \"maximize\"\nagents = 1e3\nhorizon = 20.0\nseed = 7e0\n"
      "[objective]\nbuiltin = \"branin\"\n");
  EXPECT_EQ(file.study.agents, 1000);
  EXPECT_EQ(file.study.horizon, 20);
  EXPECT_EQ(file.seed, 7);
  for (const char* wrong : {"2.5", "-1.0", "1e300", "inf", "nan", "1e16"}) {
    EXPECT_NE(error_of("[study]\ndirection = \"maximize\"\nagents = " + std::string(wrong) +
                       "\nhorizon = 20\n[objective]\nbuiltin = \"branin\"\n")
                  .find("must be a whole number"),
              std::string::npos)
        << wrong;
  }
}

TEST(StudyFileTest, DefaultsAreTheDocumentedOnes) {
  const StudyFile file = branin();
  EXPECT_EQ(file.study.name, "my-study");
  EXPECT_EQ(file.seed, 1U);
  EXPECT_EQ(file.study.domain->shape(), domain::Shape::kBox);
  EXPECT_EQ(file.study.domain->dimension(), 2U);
  EXPECT_EQ(file.study.kernel.family, kernel::Family::kSquaredExponential);
  EXPECT_EQ(file.study.kernel.lengthscales, std::vector{0.2});
  EXPECT_EQ(file.study.kernel.variance, 1.0);
  EXPECT_EQ(file.study.lambda, 0.2);
  EXPECT_EQ(file.study.mode, protocol::Mode::kTuned);
  EXPECT_EQ(file.study.beta, 0.5);
  EXPECT_EQ(file.study.p0, 10.0);
  EXPECT_EQ(file.study.t1, 2U);
  EXPECT_EQ(file.study.schedule, protocol::ScheduleRule::kSqrtFloor);
  EXPECT_EQ(file.study.inducing, protocol::Inducing::kCoin);
  EXPECT_EQ(file.study.upload, protocol::UploadRule::kAuto);
  EXPECT_EQ(file.study.data, protocol::DataPolicy::kEpoch);
  EXPECT_EQ(file.study.closing, protocol::ClosingRule::kBest);
  EXPECT_EQ(file.study.volume_floor, 0.0);
  EXPECT_EQ(file.study.epoch_floor, 1.0);
  EXPECT_EQ(file.study.parameters, protocol::Parameters::kFixed);
  EXPECT_FALSE(file.study.relevance);
  EXPECT_EQ(file.study.coins, protocol::Coins::kIndependent);
  EXPECT_FALSE(file.preset);
  EXPECT_EQ(noise_of(file.objective), (problems::Noise{problems::NoiseKind::kGaussian, 0.2}));
  EXPECT_EQ(file.objective.offset, 0.0);
  EXPECT_EQ(file.objective.scale, 1.0);
}

TEST(StudyFileTest, BuiltinsHaveTheirNaturalDomain) {
  const StudyFile ball = parse(kHead + "[duets]\n[objective]\nbuiltin = \"h1\"\n");
  EXPECT_EQ(ball.study.domain->shape(), domain::Shape::kBall);
  EXPECT_EQ(ball.study.domain->dimension(), 10U);
  EXPECT_EQ(ball.study.kernel.lengthscales, std::vector{1.0});
  const StudyFile finite =
      parse(kHead + "[space]\ndomain = \"finite\"\n[objective]\nbuiltin = \"h2\"\n");
  EXPECT_EQ(finite.study.domain->candidates().rows(), 2000);
  EXPECT_EQ(finite.space.shape, region::CandidateShape::kBall);
  EXPECT_LE(finite.study.domain->candidates().rowwise().norm().maxCoeff(), 1.0);
}

TEST(StudyFileTest, CandidatesDiscretiseABoxOrBall) {
  const StudyFile box = branin("[space]\ndomain = \"box\"\ncandidates = 50\n");
  const StudyFile cube =
      branin("[space]\ndomain = \"finite\"\nshape = \"cube\"\ncandidates = 50\n");
  EXPECT_TRUE(box.study.domain->is_finite());
  EXPECT_EQ(box.study.domain->candidates(), cube.study.domain->candidates());
  const auto coin = random::StudySecret::from_seed(1).public_coin();
  EXPECT_EQ(box.study.domain->candidates(),
            region::random_candidates(coin, region::CandidateShape::kCube, 50, 2, 1.0));
  const StudyFile ball = parse(kHead + "[space]\ncandidates = 50\n[objective]\nbuiltin = \"h1\"\n");
  EXPECT_TRUE(ball.study.domain->is_finite());
  EXPECT_EQ(ball.space.shape, region::CandidateShape::kBall);
}

TEST(StudyFileTest, TheSeedOfTheCommandLineWins) {
  const std::string text =
      kHead + "seed = 5\n[space]\ncandidates = 9\n[objective]\nbuiltin = \"branin\"\n";
  EXPECT_EQ(parse(text).seed, 5U);
  const StudyFile other = parse(text, {.seed = 6});
  EXPECT_EQ(other.seed, 6U);
  EXPECT_NE(other.study.domain->candidates(), parse(text).study.domain->candidates());
}

TEST(StudyFileTest, ParametersKeepTheOrderOfTheFile) {
  const StudyFile file = parse(
      kHead +
      "[space.zeta]\nlow = 0\nhigh = 1\n[space.x10]\ntype = \"categorical\"\nchoices = [\"a\", "
      "\"b\"]\n[space.x2]\ntype = \"int\"\nlow = 1\nhigh = 3\n[kernel]\nlengthscale = [1, 2, 3]\n"
      "[objective]\ncommand = [\"./x\"]\n");
  EXPECT_EQ(file.study.domain->coordinate_names(), (std::vector<std::string>{"zeta", "x10", "x2"}));
  EXPECT_EQ(file.study.kernel.lengthscales, (std::vector<double>{1, 2, 2, 3}));
}

TEST(StudyFileTest, AListOfEpochsMakesTheScheduleExplicit) {
  const StudyFile file = branin("[duets]\nepochs = [5, 15]\n");
  EXPECT_EQ(protocol::lengths(file.study), (std::vector<std::uint32_t>{5, 15}));
}

TEST(StudyFileTest, ThePresetPaperIsTheDefaultOfAFileWithAModel) {
  const StudyFile named = branin("[duets]\npreset = \"paper\"\n");
  EXPECT_EQ(protocol::study_digest(named.study), protocol::study_digest(branin().study));
  EXPECT_EQ(named.preset, protocol::find_preset("paper"));
}

TEST(StudyFileTest, AFileWithoutAModelTunesItself) {
  const StudyFile silent = branin("");
  EXPECT_EQ(silent.preset, protocol::find_preset("auto"));
  const StudyFile named = branin("[duets]\npreset = \"auto\"\n");
  EXPECT_EQ(protocol::study_digest(silent.study), protocol::study_digest(named.study));
  for (const std::string table : {"[kernel]\n", "[noise]\n", "[duets]\n"}) {
    EXPECT_EQ(branin(table).preset, nullptr) << table;
  }
}

TEST(StudyFileTest, AGoalSetsKeysOfThePresetAndKeysWin) {
  const StudyFile find = branin("[duets]\ngoal = \"find\"\n");
  EXPECT_EQ(find.preset, protocol::find_preset("auto"));
  EXPECT_EQ(find.study.cut, protocol::CutRule::kDecision);
  EXPECT_EQ(find.study.kernel.family, kernel::Family::kMatern52);
  const StudyFile own = branin(
      "[duets]\npreset = \"quick\"\ngoal = \"find\"\ncut = \"width\"\nclosing = \"best\"\n"
      "[kernel]\nname = \"matern-3/2\"\n");
  EXPECT_EQ(own.study.cut, protocol::CutRule::kWidth);
  EXPECT_EQ(own.study.epoch_cap, 1.0) << "without a decision there is no cap";
  EXPECT_EQ(own.study.closing, protocol::ClosingRule::kBest);
  EXPECT_EQ(own.study.kernel.family, kernel::Family::kMatern32);
  EXPECT_TRUE(own.study.family);
  EXPECT_EQ(protocol::study_digest(branin("[duets]\ngoal = \"find\"\n").study),
            protocol::study_digest(branin("").study));
  EXPECT_EQ(branin("[duets]\ngoal = \"earn\"\n").study.cut, protocol::CutRule::kWidth);
  EXPECT_EQ(branin("[duets]\npreset = \"safe\"\n").goal, protocol::Goal::kEarn);
  EXPECT_THROW(branin("[duets]\npreset = \"paper\"\ngoal = \"find\"\n"), base::Error);
}

TEST(StudyFileTest, PresetsAreDefaultsAndKeysWin) {
  for (const protocol::Preset& preset : protocol::presets()) {
    const std::string line = fmt::format("[duets]\npreset = \"{}\"\n", preset.name);
    const StudyFile plain = branin(line);
    protocol::Study expected = plain.study;
    protocol::apply_preset(preset, expected);
    protocol::apply_goal(preset.goal, expected);
    EXPECT_EQ(protocol::study_digest(plain.study), protocol::study_digest(expected)) << line;
  }
  const StudyFile safe = branin(
      "[duets]\npreset = \"safe\"\nbeta = 0.7\nepoch_floor = 0.9\nschedule = \"warm-up\"\n"
      "t1 = 2\ncoins = \"independent\"\ninducing = \"greedy\"\ndata = \"epoch\"\nrelevance = "
      "true\n");
  EXPECT_EQ(safe.study.beta, 0.7);
  EXPECT_EQ(safe.study.side_floor, 0.05);
  EXPECT_EQ(safe.study.epoch_floor, 0.9);
  EXPECT_EQ(safe.study.schedule, protocol::ScheduleRule::kWarmUp);
  EXPECT_EQ(safe.study.t1, 2U);
  EXPECT_EQ(safe.study.coins, protocol::Coins::kIndependent);
  EXPECT_EQ(safe.study.inducing, protocol::Inducing::kGreedy);
  EXPECT_EQ(safe.study.data, protocol::DataPolicy::kEpoch);
  EXPECT_EQ(safe.study.parameters, protocol::Parameters::kLearned);
  EXPECT_TRUE(safe.study.relevance);
  // A floor of the file takes the place of the preset's.
  EXPECT_EQ(branin("[duets]\npreset = \"safe\"\nvolume_floor = 0.1\n").study.side_floor, 0.0);
  const std::string points = "[space]\npoints = [[0.1, 0.2], [0.3, 0.4]]\n";
  EXPECT_EQ(branin(points + "[duets]\npreset = \"safe\"\n").study.volume_floor, 1e-4);
  const StudyFile sided = branin(points + "[duets]\npreset = \"safe\"\nside_floor = 0.1\n");
  EXPECT_EQ(sided.study.volume_floor, 0.0);
  EXPECT_EQ(sided.study.side_floor, 0.1);
  // Disabling a part also removes its details.
  const StudyFile off = branin(
      "[kernel]\nvariance = 3\n[noise]\nlambda = 0.3\n"
      "[duets]\npreset = \"safe\"\nvolume_floor = 0\nparameters = \"fixed\"\n");
  EXPECT_EQ(off.study.epoch_floor, 1.0);
  EXPECT_EQ(off.study.lambda, 0.3);
  EXPECT_EQ(off.study.kernel.variance, 3.0);
  for (const StudyFile& file : {safe, off}) expect_round_trip(file);
}

TEST(StudyFileTest, APresetGuessesTheLengthScale) {
  const std::string quick = "[duets]\npreset = \"quick\"\n";
  const StudyFile box = branin(quick);
  EXPECT_EQ(box.lengthscales, std::vector{protocol::guessed_lengthscale(*box.study.domain)});
  EXPECT_EQ(branin(quick + "[kernel]\nlengthscale = 0.7\n").lengthscales, std::vector{0.7});
  const StudyFile points = branin(quick + "[space]\npoints = [[0.1, 0.2], [0.3, 0.4]]\n");
  // Two points sqrt(0.08) apart; half of the pairs are a point and itself.
  EXPECT_NEAR(points.lengthscales.front(), std::sqrt(0.04) / 2, 1e-15);
  for (const StudyFile& file : {box, points}) expect_round_trip(file);
  // The largest points that can be read are too far apart for a length scale.
  EXPECT_NE(error_of(kHead + quick +
                     "[space]\npoints = [[1e100, 1e100, 1e100], [-1e100, -1e100, "
                     "-1e100]]\n[objective]\ncommand = [\"./x\"]\n")
                .find("kernel.lengthscale = (missing): must be at least 1e-12 and at most 1e100"),
            std::string::npos);
  // A guess is not the paper's.
  EXPECT_EQ(branin("[duets]\npreset = \"paper\"\n").lengthscales, std::vector{0.2});
}

TEST(StudyFileTest, TheResolvedTextNamesItsPreset) {
  const std::string text = resolved_toml(branin("[duets]\npreset = \"safe\"\n"));
  for (const char* line :
       {"\n# preset = \"safe\", goal = \"earn\"\n", "\nbeta = 0.4\n", "\nside_floor = 0.05\n",
        "\nepoch_floor = 0.5\n", "\nparameters = \"learned\"\n", "\nrelevance = false\n",
        "\ncoins = \"stratified\"\n", "\nschedule = \"paired-doubling\"\n", "\nt1 = 1\n",
        "\ninducing = \"public\"\n", "\ndata = \"surviving\"\n", "\nupload = \"auto\"\n"}) {
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
  }
  // Learned values are not written, or the text could not be read again.
  for (const char* key : {"\nvariance = ", "\nlambda = "}) {
    EXPECT_EQ(text.find(key), std::string::npos) << key;
  }
}

TEST(StudyFileTest, NoNoiseIsNoNoise) {
  const StudyFile file = branin("noise = 0\nnoise_kind = \"bounded\"\n");
  EXPECT_EQ(noise_of(file.objective), (problems::Noise{problems::NoiseKind::kBounded, 0}));
  expect_round_trip(file);
}

TEST(StudyFileTest, TheCoordinatorIsRead) {
  const StudyFile file =
      branin("[coordinator]\nlisten = \"localhost:1\"\nquorum = 2\ndeadline = 1.5\n");
  EXPECT_EQ(file.coordinator.quorum, 2U);
  EXPECT_EQ(file.coordinator.deadline, 1.5);
  expect_round_trip(file);
}

TEST(StudyFileTest, BuiltinsAreEvaluatedOnTheFeatures) {
  const StudyFile file = parse(
      kHead +
      "[space.a]\nlow = 0\nhigh = 1\n[space.b]\ntype = \"categorical\"\nchoices = [\"u\", \"v\"]\n"
      "[kernel]\nname = \"matern-3/2\"\nlengthscale = 0.7\n"
      "[objective]\nbuiltin = \"rkhs\"\nnorm = 2.5\ncenters = 4\n");
  const auto problem = make_builtin(file);
  EXPECT_EQ(problem->dimension(), 3U);
  EXPECT_EQ(problem->facts().norm, 2.5);
  const StudyFile command = parse(kHead +
                                  "[space]\ndomain = \"box\"\ndimension = 1\n"
                                  "[objective]\ncommand = [\"./x\"]\n");
  EXPECT_THROW(make_builtin(command), base::Error);
}

TEST(StudyFileTest, AFunctionWithParametersBringsItsSpace) {
  const std::string trainer = "[objective]\nbuiltin = \"trainer\"\n";
  const StudyFile file = parse(kHead + trainer);
  const auto problem = make_builtin(file);
  EXPECT_EQ(file.study.domain->parameters(), problem->parameters());
  EXPECT_EQ(file.study.domain->coordinate_names(),
            (std::vector<std::string>{"learning_rate", "layers", "optimizer"}));
  EXPECT_EQ(file.study.domain->num_features(), problem->dimension());
  expect_round_trip(file);
  const auto refused = [&](const std::string& space) {
    return error_of(kHead + "[space" + space + trainer);
  };
  EXPECT_NE(refused(".rate]\nlow = 0\nhigh = 1\n").find("trainer has parameters of its own"),
            std::string::npos);
  for (const char* space : {"]\ncandidates = 9\n", "]\npoints = [[0.1, 0.5, 1, 0, 0]]\n",
                            "]\ndomain = \"ball\"\n", "]\ndimension = 5\n"}) {
    EXPECT_NE(refused(space), "(no error)") << space;
  }
}

TEST(StudyFileTest, ResolvedTextIsCompleteAndExact) {
  expect_round_trip(branin());
  expect_round_trip(branin("[duets]\nepochs = [5, 15]\n"));
  expect_round_trip(branin("[duets]\ninducing = \"public\"\nclosing = \"projection\"\n"));
  expect_round_trip(
      branin("[space]\npoints = [[0.1, 1e-300], [-1e17, 0.30000000000000004]]\n"
             "[kernel]\nlengthscale = [0.1, 3]\n"));
  expect_round_trip(parse(kHead +
                          "seed = 9223372036854775807\nname = \"a.b-c_1\"\n[space]\nradius = 0.3\n"
                          "shape = \"sphere\"\ncandidates = 7\ndimension = 3\n"
                          "[noise]\nbound = 3\nsubgaussian = 0.3\ndelta = 0.01\n"
                          "[duets]\nmode = \"theory\"\nschedule = \"paired-doubling\"\n"
                          "[objective]\nbuiltin = \"rkhs\"\noffset = -1e-7\nscale = 3\n"));
  expect_round_trip(parse(
      kHead +
      "[space.\"strange. name\"]\nlow = 1e-9\nhigh = 1\nlog = true\n[space.n]\ntype = \"int\"\n"
      "low = -5\nhigh = 5\nstep = 5\n[space.\"c\\\\d\"]\ntype = \"categorical\"\n"
      "choices = [\"quote \\\" and \\n newline\", \"\\u00e9\"]\n[objective]\n"
      "command = [\"./x\", \"\\t\"]\ninfeasible_value = 0.1\nretries = 2\ntimeout = 0.5\n"));
}

RC_GTEST_PROP(StudyFileTest, EveryNumberSurvivesTheResolvedText, ()) {
  // Any bits that are a number in range: shortest printing must read back exactly.
  const auto exponent = *rc::gen::inRange(-99, 99);
  const auto digits = *rc::gen::inRange<std::int64_t>(1, std::int64_t{1} << 53);
  const double value = std::abs(static_cast<double>(digits)) * std::pow(10.0, exponent - 16);
  RC_PRE(value >= study::kSmallest && value <= study::kLargest);
  StudyFile file = branin();
  file.study.lambda = value;
  RC_ASSERT(parse(resolved_toml(file)).study.lambda == value);
}

TEST(StudyFileTest, ReadyMadeStudiesLoadAndRoundTrip) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(DUETS_SOURCE_DIR "/studies")) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().string());
    const StudyFile file = load_study(entry.path());
    EXPECT_EQ(file.study.name, entry.path().stem().string());
    expect_round_trip(file);
    ++count;
  }
  EXPECT_GE(count, 10U);
}

// --- Points from a file ------------------------------------------------------------------------

std::string csv_error(const std::string& text) {
  try {
    study::parse_csv(text, "p.csv");
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    return error.what();
  }
  return "(no error)";
}

bool starts(const std::string& text, const std::string& start) { return text.starts_with(start); }

TEST(StudyFileTest, CsvRowsArePoints) {
  const numeric::Points points =
      study::parse_csv("x, y\r\n# a comment\n 1 ,+2.5\r\n\n-3e-1,4", "p.csv");
  ASSERT_EQ(points.rows(), 2);
  ASSERT_EQ(points.cols(), 2);
  EXPECT_EQ(points(0, 1), 2.5);
  EXPECT_EQ(points(1, 0), -0.3);
}

TEST(StudyFileTest, CsvErrorsNameTheirOwnLine) {
  EXPECT_EQ(csv_error("1,2\n3\n"), "p.csv:2:1: columns = 1: must be 2, as in the rows before");
  EXPECT_TRUE(starts(csv_error("1,2\n3,x\n"), "p.csv:2:2: column 2 = \"x\": must b"));
  EXPECT_TRUE(starts(csv_error("1,\n"), "p.csv:1:2: column 2 = \"\": must"));
  EXPECT_TRUE(starts(csv_error("a,1\n"), "p.csv:1:1: column 1 = \"a\": must "));
  EXPECT_TRUE(starts(csv_error("a\nb\n"), "p.csv:2:1: column 1 = \"b\": must "));
  EXPECT_TRUE(starts(csv_error("1\nnan\n"), "p.csv:2:1: column 1 = \""));
  EXPECT_TRUE(starts(csv_error("1\ninf\n"), "p.csv:2:1: column 1 = \""));
  EXPECT_TRUE(starts(csv_error("1\n1e999\n"), "p.csv:2:1: column 1 = \""));
  EXPECT_TRUE(starts(csv_error("x,y\n"), "p.csv:1:1: points = "));
  EXPECT_TRUE(starts(csv_error(""), "p.csv:1:1: points = "));
}

class CsvFileTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::path(testing::TempDir()) / ("study-file-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "p.csv") << "0.25,0.5\n0.75,1\n0.1,0.2\n";
    std::ofstream(folder_ / "ragged.csv") << "1,2\n3\n";
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::filesystem::path write(const std::string& space) const {
    std::ofstream(folder_ / "s.toml")
        << kHead << "[space]\n"
        << space << "[kernel]\nlengthscale = 0.2\n[objective]\nbuiltin = \"branin\"\n";
    return folder_ / "s.toml";
  }

  std::string load_error(const std::string& space) const {
    try {
      load_study(write(space));
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
      return error.what();
    }
    return "(no error)";
  }

  std::filesystem::path folder_;
};

TEST_F(CsvFileTest, IsRelativeToTheStudyAndIncludedInTheResolvedText) {
  const StudyFile file = load_study(write("file = \"p.csv\"\n"));
  EXPECT_EQ(file.study.domain->candidates().rows(), 3);
  EXPECT_EQ(file.space.file, "p.csv");
  expect_round_trip(file);
}

TEST_F(CsvFileTest, ErrorsAreNamed) {
  const std::string study = (folder_ / "s.toml").string() + ":6:1: ";
  EXPECT_EQ(load_error("file = \"q.csv\"\n").rfind(study + "space.file = ", 0), 0U);
  EXPECT_EQ(load_error("file = \".\"\n").rfind(study + "space.file = ", 0), 0U);
  EXPECT_EQ(load_error("file = \"ragged.csv\"\n").rfind("ragged.csv:2:1: columns = 1: ", 0), 0U);
  EXPECT_EQ(load_error("candidates = 3\nfile = \"p.csv\"\n")
                .rfind(study + "space.candidates = 3: does not go with given points", 0),
            0U);
  EXPECT_EQ(load_error("dimension = 3\nfile = \"p.csv\"\n")
                .rfind(study + "space.dimension = 3: must be 2", 0),
            0U);
  EXPECT_EQ(load_error("points = [[1, 2]]\nfile = \"p.csv\"\n")
                .rfind(study + "space.points = [[1, 2]]: give file or points, not both", 0),
            0U);
  EXPECT_NE(load_error("points = [[1, 2], [3]]\n").find("space.points[1] = [3]: must be an array"),
            std::string::npos);
  EXPECT_NE(load_error("points = [[1, nan]]\n").find("space.points[0] = nan: must be a finite"),
            std::string::npos);
}

TEST_F(CsvFileTest, AStudyThatCannotBeReadIsAnError) {
  for (const char* name : {"missing.toml", "."}) {
    try {
      load_study(folder_ / name);
      FAIL() << name;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
      EXPECT_NE(std::string(error.what()).find((folder_ / name).string()), std::string::npos);
    }
  }
}

// --- Hostile text ------------------------------------------------------------------------------

std::string repeated(const std::string& part, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += part;
  return out;
}

TEST(StudyFileTest, HostileTextIsRefusedEarly) {
  EXPECT_NE(error_of("a" + repeated(".a", 200000) + " = 1").find("16 dots"), std::string::npos);
  EXPECT_NE(error_of("[a" + repeated(" . \"#\"", 200000) + "]").find("16 dots"), std::string::npos);
  EXPECT_NE(error_of("a = " + repeated("[", 200000)).find("is not valid TOML"), std::string::npos);
  EXPECT_NE(error_of("a = " + repeated("{a=", 200000)).find("20000 keys"), std::string::npos);
  std::string headers;
  for (int i = 0; i < 30000; ++i) headers += "[x" + std::to_string(i) + ".y]\n";
  EXPECT_NE(error_of(headers).find("20000 tables"), std::string::npos);
  EXPECT_NE(error_of("a = [" + repeated("1,", 3000000) + "]").find("too many values"),
            std::string::npos);
  EXPECT_NE(error_of(std::string(study::kMaxStudyBytes + 1, '#')).find("32 MiB"),
            std::string::npos);
}

TEST(StudyFileTest, DotsInStringsAndCommentsAreNotKeys) {
  const std::string dots(100, '.');
  const std::string text = "# it's " + dots + "\n" + kHead +
                           "[space]\ndomain = \"box\"\ndimension = 1\n[objective]\ncommand = [\"" +
                           dots + "\", '" + dots + "', \"\"\"\n" + dots + "\\\" \"\"\"]\n";
  EXPECT_EQ(parse(text).objective.command.size(), 3U);
}

TEST(StudyFileTest, MessagesAreShortAndOnOneLine) {
  const std::string error = error_of("\"" + repeated("\\n", 50000) + "\" = 1");
  EXPECT_LT(error.size(), 300U);
  EXPECT_EQ(error.find('\n'), std::string::npos);
  const std::string value = error_of("[study]\nname = \"" + repeated("\\n", 50000) + "\"");
  EXPECT_LT(value.size(), 300U);
  EXPECT_EQ(value.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace duets::cli

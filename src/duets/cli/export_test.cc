#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "duets/base/error.h"
#include "duets/cli/export_files.h"
#include "duets/cli/export_tables.h"
#include "duets/cli/export_trials.h"
#include "duets/cli/run_manifest.h"
#include "duets/cli/study_file.h"
#include "duets/cli/study_simulation.h"
#include "duets/harness/run_tables.h"
#include "duets/harness/simulate.h"
#include "duets/protocol/ensemble.h"
#include "duets/report/csv_test_support.h"
#include "duets/service/agent_journal.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;

const char* const kExportedStudy =
    "[study]\nname = \"s\"\ndirection = \"maximize\"\nagents = 2\nhorizon = 12\nseed = 3\n"
    "[space]\ndomain = \"box\"\ndimension = 2\n[duets]\nt1 = 2\nbeta = 0.5\n"
    "[objective]\nbuiltin = \"branin\"\nnoise = 0.1\n";

class ExportTest : public ::testing::Test {
 protected:
  ExportTest()
      : file_(parse_study(kExportedStudy, "s.toml", {})),
        directory_(fs::temp_directory_path() / ("duets-export-" + std::to_string(getpid()))) {
    study_.definition = service::definition_of(file_);
    fs::remove_all(directory_);
  }
  ~ExportTest() override { fs::remove_all(directory_); }

  /// A journal of agent 0 with one answer, in its own directory.
  fs::path journal(const std::string& where, double value, const std::string& study = "s") {
    auto made =
        service::AgentJournal::open_or_make(directory_ / where, study, 0, std::string(16, 'i'));
    made.joined(protocol::study_digest(*study_.definition.study), study_.definition);
    service::JournalAnswer answer;
    answer.epoch = 1;
    answer.slot = 1;
    answer.value = value;
    answer.latent = {0.25, 0.5};
    made.append(answer);
    return made.path();
  }
  harness::RunResult recorded(const std::optional<random::StudySecret>& secret) const {
    return result_of(study_, {}, secret, base::SerialExecutor()).run;
  }
  std::string trials_text(const std::vector<std::string>& given) const {
    return trials_csv(merged_trials(find_given_journals(given), study_), study_);
  }
  std::string error_of(const std::vector<std::string>& given) {
    try {
      trials_text(given);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
      return error.what();
    }
    return "(no error)";
  }

  StudyFile file_;
  StudyExport study_;
  fs::path directory_;
};

/// The records of a coordinator while the study is simulated with its seed.
std::vector<base::Bytes> simulated_records(const StudyFile& file,
                                           const protocol::Participation& participation = {}) {
  const base::SerialExecutor executor;
  const harness::Simulation simulation = simulation_of(file, {});
  std::vector<base::Bytes> records;
  protocol::Ensemble ensemble(simulation.study, random::StudySecret::from_seed(file.seed), executor,
                              protocol::Sharing::kNothing, [&](const protocol::Effects& effects) {
                                for (const auto& record : effects.records) {
                                  records.push_back(protocol::encode_record(record));
                                }
                              });
  ensemble.start();
  ensemble.run(
      [&](const protocol::Agent& agent) {
        const protocol::Plan& plan = agent.plan();
        std::vector<double> values(static_cast<std::size_t>(plan.latents().rows()));
        simulation.problem->values(simulation.study->domain->features(plan.latents()), values);
        for (std::uint32_t slot = 0; slot < values.size(); ++slot) {
          values[slot] += problems::draw_noise(simulation.noise, ensemble.secret().problem_coin(),
                                               agent.id(), plan.first_t + slot);
        }
        return protocol::PlanAnswers{std::move(values), {}};
      },
      participation);
  return records;
}

TEST_F(ExportTest, TablesMatchTheSimulation) {
  study_.records = simulated_records(file_);
  const harness::RunResult exported = recorded(std::nullopt);
  harness::Observer silent;
  const harness::RunResult run =
      harness::simulate(simulation_of(file_, {}), base::SerialExecutor(), silent);
  EXPECT_EQ(to_csv(harness::epochs_table(exported)), to_csv(harness::epochs_table(run)));
  EXPECT_EQ(to_csv(harness::communication_table(exported)),
            to_csv(harness::communication_table(run)));
  EXPECT_EQ(manifest_json(exported, 1), manifest_json(run, 1));
}

// With the secret, the export has everything that a simulation has: the same bytes in every file,
// also when an agent was absent and queries failed.
TEST_F(ExportTest, WithTheSecretTheResultMatchesTheSimulation) {
  const auto secret = random::StudySecret::from_seed(file_.seed);
  for (const protocol::Participation& participation :
       {protocol::Participation{},
        protocol::Participation{{1, {{1}, {}}}, {2, {{}, {{0, {0, 2}}}}}}}) {
    study_.records = simulated_records(file_, participation);
    harness::Simulation simulation = simulation_of(file_, {});
    simulation.participation = participation;
    harness::Observer silent;
    const harness::RunResult run = harness::simulate(simulation, base::SerialExecutor(), silent);
    ASSERT_TRUE(run.picture);
    EXPECT_EQ(result_files(recorded(secret)), result_files(run));
  }
}

// Without the secret, everything that follows from the agents' points is missing, and says so.
TEST_F(ExportTest, WithoutTheSecretThereIsNoRegretAndNoMap) {
  study_.records = simulated_records(file_);
  const FileTexts files = result_files(recorded(std::nullopt));
  EXPECT_FALSE(files.contains("regret.csv"));
  EXPECT_FALSE(files.contains("figures/map.svg"));
  EXPECT_TRUE(files.contains("figures/region.svg"));
  EXPECT_NE(files.at("report.html").find("the point is in the agent's journal"), std::string::npos);
  const auto secret = random::StudySecret::from_seed(file_.seed);
  EXPECT_EQ(best_values_of(study_, secret), recorded(secret).best_trial->values);
}

TEST_F(ExportTest, AnUnfinishedStudyHasItsClosedEpochs) {
  study_.records = simulated_records(file_);
  study_.records.pop_back();
  const harness::RunResult exported = recorded(std::nullopt);
  EXPECT_EQ(exported.epochs.size(), 2U);
  EXPECT_EQ(exported.communication.size(), 2U);
  study_.records.clear();
  EXPECT_TRUE(recorded(std::nullopt).epochs.empty());
}

TEST_F(ExportTest, TheSameTrialInTwoJournalsIsListedOnce) {
  const std::string a = journal("a", 1.5), b = journal("b", 1.5);
  const std::string text = trials_text({a, b});
  EXPECT_EQ(text,
            harness::TrialTable(*file_.study.domain).head() + "0,1,1,1,0.25,0.5,reward,1.5,\n");
  EXPECT_EQ(trials_text({(directory_ / "a").string()}), text);
}

// Agent, epoch, slot and time differ, and every state has a row: swapped columns would be detected.
TEST_F(ExportTest, TrialsReadBackByColumn) {
  const std::uint32_t first_t = protocol::lengths(file_.study).at(0);  // of epoch 2
  auto made = service::AgentJournal::open_or_make(directory_ / "a", "s", 1, std::string(16, 'i'));
  made.joined(protocol::study_digest(*study_.definition.study), study_.definition);
  for (const auto& [slot, kind] : {std::pair{3U, service::JournalTrial::Kind::kValue},
                                   {1U, service::JournalTrial::Kind::kHole}}) {
    service::JournalAnswer answer;
    answer.epoch = 2;
    answer.slot = slot;
    answer.kind = kind;
    answer.value = 1.5;
    answer.latent = {0.25, 0.5};
    made.append(answer);
  }
  const report::CsvTable table(trials_text({made.path()}));
  const auto names = file_.study.domain->coordinate_names();
  ASSERT_EQ(table.num_rows(), 2U);
  EXPECT_EQ(table.difference(0, {{"agent", 1},
                                 {"epoch", 2},
                                 {"slot", 1},
                                 {"t", first_t + 1},
                                 {names[0], 0.25},
                                 {names[1], 0.5},
                                 {"state", "hole"},
                                 {"value", std::nullopt},
                                 {"regret", std::nullopt}}),
            "");
  EXPECT_EQ(table.difference(1, {{"agent", 1},
                                 {"epoch", 2},
                                 {"slot", 3},
                                 {"t", first_t + 3},
                                 {names[0], 0.25},
                                 {names[1], 0.5},
                                 {"state", "reward"},
                                 {"value", 1.5},
                                 {"regret", std::nullopt}}),
            "");
}

TEST_F(ExportTest, DifferentAnswersNameBothFiles) {
  const std::string a = journal("a", 1.5), b = journal("b", 2.5);
  const std::string error = error_of({a, b});
  EXPECT_NE(error.find(a), std::string::npos) << error;
  EXPECT_NE(error.find(b), std::string::npos) << error;
  EXPECT_NE(error.find("0-1-1"), std::string::npos) << error;
}

TEST_F(ExportTest, AnotherStudysJournalIsRefusedIfNamedAndIgnoredOtherwise) {
  const std::string other = journal("a", 1.5, "other");
  EXPECT_NE(error_of({other}).find("another study"), std::string::npos);
  EXPECT_EQ(trials_text({(directory_ / "a").string()}),
            harness::TrialTable(*file_.study.domain).head());
  EXPECT_NE(error_of({(directory_ / "missing").string()}).find("does not exist"),
            std::string::npos);
}

TEST_F(ExportTest, AJournalOfAnotherRunIsNamed) {
  study_.records = simulated_records(file_);
  const protocol::Message first =
      protocol::broadcasts(file_.study, protocol::decode_record(study_.records.front())).at(0);
  const std::string ours = journal("a", 1.5);
  {
    auto made = service::AgentJournal::open_or_make(directory_ / "a", "s", 0, std::string(16, 'i'));
    made.append(first);
  }
  EXPECT_NE(trials_text({ours}).find("0,1,1,1,"), std::string::npos);
  StudyFile other = file_;
  other.seed = 4;  // the same study, other coins
  study_.records = simulated_records(other);
  for (const std::string& given : {ours, (directory_ / "a").string()}) {
    try {
      trials_text({given});
      ADD_FAILURE() << given;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kDiverged);
      EXPECT_NE(std::string(error.what()).find(ours), std::string::npos) << error.what();
    }
  }
}

TEST_F(ExportTest, AnAgentThatDidNotTakePartIsExcluded) {
  protocol::EpochClosed closed;
  closed.epoch = base::EpochId{1};
  closed.participants = {1};
  study_.records = {protocol::encode_record(closed)};
  const std::string a = journal("a", 1.5);
  EXPECT_NE(trials_text({a}).find(",excluded,1.5,"), std::string::npos);
}

// Choices that need quotes, blanks around one, holes, and an excluded agent.
TEST_F(ExportTest, TrialsRoundTrip) {
  protocol::Study study = file_.study;
  study.domain = std::make_shared<const domain::Domain>(
      domain::Domain::box({{.name = "rate, log", .low = 0.1, .high = 9, .log = true},
                           {.name = "kind",
                            .type = domain::ParameterType::kCategorical,
                            .choices = {"a \"b\"", " c", "d,\ne"}}}));
  study_.definition.study = std::make_shared<const protocol::Study>(study);
  protocol::EpochClosed closed;
  closed.epoch = base::EpochId{1};
  closed.participants = {0};
  study_.records = {protocol::encode_record(closed)};
  std::vector<service::JournalTrial> trials(5);
  trials[0].query = {0, 1, 0, 0, {}, {0.30000000000000004, 0}};
  trials[1].query = {0, 1, 1, 1, {}, {1e-7, 1}};
  trials[2].query = {0, 3, 4, 10, {}, {2, 2}};
  trials[3].query = {1, 1, 0, 0, {}, {3, 0}};
  trials[4].query = {1, 2, 3, 5, {}, {3, 1}};
  trials[0].value = -1e300;
  trials[1].kind = service::JournalTrial::Kind::kHole;
  trials[2].kind = service::JournalTrial::Kind::kInfeasible;
  trials[2].value = 0.1;
  ASSERT_EQ(protocol::lengths(study), (std::vector<std::uint32_t>{2, 4, 6}));
  const std::string text = trials_csv(trials, study_);
  EXPECT_NE(text.find("\n1,1,0,0,3,\"a \"\"b\"\"\",excluded,0,\n"), std::string::npos) << text;
  const std::vector<service::JournalTrial> read = parse_trials(text, study);
  EXPECT_EQ(trials_csv(read, study_), text);
  ASSERT_EQ(read.size(), trials.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].query.values, trials[i].query.values) << i;
    EXPECT_EQ(read[i].kind, trials[i].kind) << i;
  }
}

TEST_F(ExportTest, InvalidRowsAreRefusedWithTheirLine) {
  const std::string head = harness::TrialTable(*file_.study.domain).head();
  const std::string good = "0,1,1,1,0.25,0.5,reward,1.5,\n";
  EXPECT_EQ(parse_trials(head + good, file_.study).size(), 1U);
  for (const std::string& bad :
       {std::string("x"), std::string("0,1,1,1,0.25,0.5,reward,1.5\n"),
        std::string("0,9,1,1,0.25,0.5,reward,1.5,\n"),
        std::string("7,1,1,1,0.25,0.5,reward,1.5,\n"),
        std::string("0,1,2,1,0.25,0.5,reward,1.5,\n"), std::string("0,1,1,1,a,0.5,reward,1.5,\n"),
        std::string("1,1,1,1,0.25,0.5,reward,inf,\n"), good}) {
    try {
      parse_trials(head + good + bad, file_.study);
      ADD_FAILURE() << bad;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
      EXPECT_NE(std::string(error.what()).find("line 3 "), std::string::npos) << error.what();
    }
  }
}

TEST(ExportDigests, EveryByteOfTheListIsChecked) {
  const FileTexts files{{"a.csv", "1,2\n"}, {"journal.bin", std::string("\0\xff", 2)}, {"z", ""}};
  const std::string text = digests_text(files);
  const FileTexts digests = parse_digests(text);
  ASSERT_EQ(digests.size(), files.size());
  for (const auto& [name, content] : files) EXPECT_EQ(digests.at(name), digest_text(content));
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string changed = text;
    changed[bit / 8] = static_cast<char>(changed[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_THROW(parse_digests(changed), base::Error) << bit;
  }
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_THROW(parse_digests(text.substr(0, size)), base::Error) << size;
  }
  EXPECT_THROW(parse_digests(text + "\n"), base::Error);
}

}  // namespace
}  // namespace duets::cli

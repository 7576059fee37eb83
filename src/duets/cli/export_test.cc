#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "duets/base/csv_test_support.h"
#include "duets/base/error.h"
#include "duets/cli/export_tables.h"
#include "duets/cli/result_tables.h"
#include "duets/cli/study_definition.h"
#include "duets/cli/study_simulation.h"
#include "duets/harness/simulate.h"
#include "duets/protocol/coordinator.h"
#include "duets/service/agent_journal.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;

const char* const kStudy =
    "[study]\nname = \"s\"\ndirection = \"maximize\"\nagents = 2\nhorizon = 12\nseed = 3\n"
    "[space]\ndomain = \"box\"\ndimension = 2\n[duets]\nt1 = 2\nbeta = 0.5\n"
    "[objective]\nbuiltin = \"branin\"\nnoise = 0.1\n";

class ExportTest : public ::testing::Test {
 protected:
  ExportTest()
      : file_(parse_study(kStudy, "s.toml", {})),
        directory_(fs::temp_directory_path() / ("duets-export-" + std::to_string(getpid()))) {
    study_.definition = definition_of(file_);
    fs::remove_all(directory_);
  }
  ~ExportTest() override { fs::remove_all(directory_); }

  /// A journal of agent 0 with one answer, in a directory of its own.
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
  std::string error_of(const std::vector<std::string>& given) {
    try {
      merged_trials(find_given_journals(given), study_);
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

/// Keeps what a coordinator would have stored while it is simulated with the study's seed.
std::vector<base::Bytes> simulated_records(const StudyFile& file) {
  const auto study = std::make_shared<const protocol::Study>(file.study);
  const auto secret = random::StudySecret::from_seed(file.seed);
  const base::SerialExecutor executor;
  protocol::Coordinator coordinator(study, secret, executor);
  const auto view = std::make_shared<protocol::PublicView>(study, secret.public_coin(), executor);
  std::vector<protocol::Agent> agents;
  for (std::uint32_t a = 0; a < study->agents; ++a) {
    agents.emplace_back(study, base::AgentId{a}, secret.agent_coin(base::AgentId{a}), view);
  }
  const harness::Simulation simulation = simulation_of(file);
  const random::Coin coin = secret.problem_coin();
  std::vector<base::Bytes> records;
  const auto carry_out = [&](const protocol::Effects& effects) {
    for (const auto& record : effects.records) records.push_back(protocol::encode_record(record));
    for (const auto& outgoing : effects.messages) {
      for (protocol::Agent& agent : agents) agent.receive(outgoing.message);
    }
  };
  carry_out(coordinator.start());
  while (!coordinator.finished()) {
    for (protocol::Agent& agent : agents) {
      const protocol::Plan plan = agent.plan();
      const numeric::Points features = study->domain->features(plan.latents());
      std::vector<double> values(static_cast<std::size_t>(features.rows()));
      simulation.problem->values(features, values);
      std::optional<protocol::Message> message;
      for (std::uint32_t slot = 0; slot < values.size(); ++slot) {
        message = agent.report(
            slot, values[slot] + problems::draw_noise(simulation.noise, coin, agent.id(),
                                                      plan.first_t + slot));
      }
      carry_out(coordinator.receive(message.value()));
    }
  }
  return records;
}

TEST_F(ExportTest, TablesAreThoseOfTheSimulation) {
  study_.records = simulated_records(file_);
  const harness::RunResult exported = result_of(study_, file_, true);
  harness::Observer silent;
  const harness::RunResult run =
      harness::simulate(simulation_of(file_), base::SerialExecutor(), silent);
  EXPECT_EQ(epochs_csv(exported), epochs_csv(run));
  EXPECT_EQ(communication_csv(exported), communication_csv(run));
  EXPECT_EQ(manifest_json(exported, 1), manifest_json(run, 1));
}

TEST_F(ExportTest, AnUnfinishedStudyHasWhatIsClosed) {
  study_.records = simulated_records(file_);
  study_.records.pop_back();
  const harness::RunResult exported = result_of(study_, file_, true);
  EXPECT_EQ(exported.epochs.size(), 2U);
  EXPECT_EQ(exported.communication.size(), 2U);
  study_.records.clear();
  EXPECT_TRUE(result_of(study_, file_, true).epochs.empty());
}

TEST_F(ExportTest, TheSameTrialInTwoJournalsStandsOnce) {
  const std::string a = journal("a", 1.5), b = journal("b", 1.5);
  const std::string text = merged_trials(find_given_journals({a, b}), study_);
  EXPECT_EQ(text, trials_head(*file_.study.domain) + "0,1,1,1,0.25,0.5,reward,1.5,\n");
  EXPECT_EQ(merged_trials(find_given_journals({(directory_ / "a").string()}), study_), text);
}

// Agent, epoch, slot and time differ, and every state has its row: swapped columns would be seen.
TEST_F(ExportTest, TrialsReadBackByColumn) {
  const std::uint32_t first_t = protocol::lengths(file_.study).at(0);  // of epoch 2
  auto made = service::AgentJournal::open_or_make(directory_ / "a", "s", 1, std::string(16, 'i'));
  made.joined(protocol::study_digest(*study_.definition.study), study_.definition);
  using Kind = service::JournalTrial::Kind;
  for (const auto& [slot, kind] : {std::pair{3U, Kind::kValue}, {1U, Kind::kHole}}) {
    service::JournalAnswer answer;
    answer.epoch = 2;
    answer.slot = slot;
    answer.kind = kind;
    answer.value = 1.5;
    answer.latent = {0.25, 0.5};
    made.append(answer);
  }
  const base::CsvTable table(merged_trials(find_given_journals({made.path()}), study_));
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

TEST_F(ExportTest, AnotherStudysJournalIsRefusedWhenNamedAndLeftOutOtherwise) {
  const std::string other = journal("a", 1.5, "other");
  EXPECT_NE(error_of({other}).find("another study"), std::string::npos);
  EXPECT_EQ(merged_trials(find_given_journals({(directory_ / "a").string()}), study_),
            trials_head(*file_.study.domain));
  EXPECT_NE(error_of({(directory_ / "missing").string()}).find("does not exist"),
            std::string::npos);
}

TEST_F(ExportTest, AJournalOfAnotherRunIsNamed) {
  study_.records = simulated_records(file_);
  const protocol::Message first =
      protocol::broadcasts(protocol::decode_record(study_.records.front())).at(0);
  const std::string ours = journal("a", 1.5);
  {
    auto made = service::AgentJournal::open_or_make(directory_ / "a", "s", 0, std::string(16, 'i'));
    made.append(first);
  }
  EXPECT_NE(merged_trials(find_given_journals({ours}), study_).find("0,1,1,1,"), std::string::npos);
  StudyFile other = file_;
  other.seed = 4;  // the same study, other coins
  study_.records = simulated_records(other);
  for (const std::string& given : {ours, (directory_ / "a").string()}) {
    try {
      merged_trials(find_given_journals({given}), study_);
      ADD_FAILURE() << given;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kDiverged);
      EXPECT_NE(std::string(error.what()).find(ours), std::string::npos) << error.what();
    }
  }
}

TEST_F(ExportTest, AnAgentThatDidNotTakePartIsCalledExcluded) {
  protocol::EpochClosed closed;
  closed.epoch = base::EpochId{1};
  closed.participants = {1};
  study_.records = {protocol::encode_record(closed)};
  const std::string a = journal("a", 1.5);
  EXPECT_NE(merged_trials(find_given_journals({a}), study_).find(",excluded,1.5,"),
            std::string::npos);
}

}  // namespace
}  // namespace duets::cli

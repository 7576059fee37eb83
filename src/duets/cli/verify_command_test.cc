#include "duets/cli/verify_command.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "duets/cli/exit_code.h"
#include "duets/cli/export_tables.h"
#include "duets/cli/export_trials.h"
#include "duets/cli/file_io.h"
#include "duets/cli/study_file.h"
#include "duets/protocol/ensemble.h"
#include "duets/service/export_file.h"
#include "duets/service/secret.h"
#include "duets/storage/secret_file.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;

const char* const kStudy =
    "[study]\nname = \"s\"\ndirection = \"maximize\"\nagents = 2\nhorizon = 9\nseed = 3\n"
    "[space]\ndomain = \"box\"\ndimension = 2\n[kernel]\nlengthscale = 0.4\n"
    "[duets]\nt1 = 2\nbeta = 0.5\n[objective]\nbuiltin = \"branin\"\nnoise = 0.1\n";

/// A run whose rewards are the first coordinate, as stored by a coordinator and agents' journals.
struct Played {
  StudyExport study;
  std::vector<service::JournalTrial> trials;
};

Played play(const random::StudySecret& secret) {
  Played played;
  played.study.definition = service::definition_of(parse_study(kStudy, "s.toml", {}));
  const auto& study = played.study.definition.study;
  const base::SerialExecutor executor;
  protocol::Ensemble ensemble(study, secret, executor, protocol::Sharing::kNothing,
                              [&](const protocol::Effects& effects) {
                                for (const auto& record : effects.records) {
                                  played.study.records.push_back(protocol::encode_record(record));
                                }
                              });
  ensemble.start();
  ensemble.run([&](const protocol::Agent& agent) {
    const protocol::Plan& plan = agent.plan();
    protocol::PlanAnswers answers;
    for (std::uint32_t slot = 0; slot < plan.latents().rows(); ++slot) {
      const numeric::Vector latent = plan.latents().row(slot).transpose();
      service::JournalTrial trial;
      trial.query = {base::value(agent.id()),
                     base::value(plan.epoch),
                     slot,
                     plan.first_t + slot,
                     {},
                     study->domain->values({latent.data(), 2})};
      trial.value = latent[0];
      played.trials.push_back(trial);
      answers.rewards.push_back(trial.value);
    }
    return answers;
  });
  std::sort(played.trials.begin(), played.trials.end(), [](const auto& a, const auto& b) {
    return std::pair(a.query.agent, a.query.t) < std::pair(b.query.agent, b.query.t);
  });
  return played;
}

class VerifyCommandTest : public ::testing::Test {
 protected:
  VerifyCommandTest()
      : directory_(fs::temp_directory_path() / ("duets-verify-" + std::to_string(getpid()))) {
    fs::remove_all(directory_);
    fs::create_directories(directory_ / "export" / "figures");
    const std::string text = service::new_secret_text();
    storage::write_secret_file(directory_ / "s.key", text);
    secret_ = service::parse_secret(text, "test");
    played_ = play(*secret_);
    flags_.path = (directory_ / "export").string();
    flags_.secret = (directory_ / "s.key").string();
    export_all();
  }
  ~VerifyCommandTest() override { fs::remove_all(directory_); }

  FileTexts tables() const {
    return tables_of(played_.study, {}, best_values_of(played_.study, *secret_));
  }

  // Writes the export of the run as it is now.
  void export_all() {
    files_ = tables();
    const base::Bytes journal =
        service::encode_export(played_.study.definition, played_.study.records);
    files_.emplace(kJournalFile, std::string(journal.begin(), journal.end()));
    files_.emplace(kTrialsFile, trials_csv(played_.trials, played_.study));
    write_all();
  }

  // Writes all of files_, with their current digests.
  void write_all() const {
    for (const auto& [name, text] : files_) write(name, text);
    write(std::string(kDigestsFile), digests_text(files_));
  }

  fs::path path(const std::string& name) const { return directory_ / "export" / name; }
  void write(const std::string& name, const std::string& text) const {
    write_whole_file(path(name), text);
  }

  // The exit code; sets the printed texts.
  ExitCode verify() {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    ExitCode code = ExitCode::kOk;
    told_.clear();
    try {
      verify_study(flags_, {});
    } catch (const CodedError& error) {
      code = error.code();
      told_ = error.what();
    } catch (const base::Error& error) {
      code = exit_code_of(error.kind());
      told_ = error.what();
    }
    printed_ = testing::internal::GetCapturedStdout();
    told_ += testing::internal::GetCapturedStderr();
    return code;
  }

  // Expects exit code 5 and the file's name in the error and in the output.
  void expect_wrong(const std::string& name) {
    EXPECT_EQ(verify(), ExitCode::kDiverged) << name;
    EXPECT_NE(told_.find(name + ": "), std::string::npos) << name << ": " << told_;
    EXPECT_NE(printed_.find(name + ": "), std::string::npos) << name << ": " << printed_;
  }

  fs::path directory_;
  VerifyFlags flags_;
  std::optional<random::StudySecret> secret_;
  Played played_;
  FileTexts files_;
  std::string printed_;
  std::string told_;
};

// With one digit changed, the 26th if there are so many; the last character if there is none.
std::string with_another_digit(std::string text) {
  std::vector<std::size_t> digits;
  for (std::size_t i = 0; i < text.size() && digits.size() < 26; ++i) {
    if (text[i] >= '0' && text[i] <= '9') digits.push_back(i);
  }
  char& c = text[digits.empty() ? text.size() - 1 : digits.back()];
  c = c == '9' ? '0' : static_cast<char>(c + 1);
  return text;
}

TEST_F(VerifyCommandTest, AnUnchangedRunVerifies) {
  EXPECT_EQ(verify(), ExitCode::kOk) << told_;
  EXPECT_NE(printed_.find("go to the end"), std::string::npos);
  flags_.path = path("journal.bin").string();
  flags_.format = Format::kJson;
  EXPECT_EQ(verify(), ExitCode::kOk) << told_;
  EXPECT_NE(printed_.find("\"ok\": true"), std::string::npos);
}

// A forger of a record must also update the checksum and the tables.
TEST_F(VerifyCommandTest, AChangedRecordIsNamed) {
  protocol::Record record = protocol::decode_record(played_.study.records[3]);
  std::get<protocol::EpochClosed>(record).trim.tau += 1e-6;
  played_.study.records[3] = protocol::encode_record(record);
  export_all();
  EXPECT_EQ(verify(), ExitCode::kDiverged);
  EXPECT_NE(printed_.find("epoch 1: tau: recorded"), std::string::npos) << printed_;
  EXPECT_NE(told_.find("epoch 1"), std::string::npos);
  flags_.format = Format::kCsv;
  EXPECT_EQ(verify(), ExitCode::kDiverged);
  EXPECT_NE(printed_.find("\n1,tau,"), std::string::npos);
  std::get<protocol::EpochClosed>(record).trim.weights[0] *= 2;
  played_.study.records[3] = protocol::encode_record(record);
  export_all();
  EXPECT_EQ(verify(), ExitCode::kDiverged);
  EXPECT_NE(printed_.find("\n1,weights"), std::string::npos) << printed_;
}

TEST_F(VerifyCommandTest, ADamagedJournalIsNamed) {
  fs::resize_file(path("journal.bin"), 40);
  expect_wrong("journal.bin");
  flags_.path = path("journal.bin").string();
  expect_wrong("journal.bin");
  played_.study.records[0][0] = 9;
  const base::Bytes journal =
      service::encode_export(played_.study.definition, played_.study.records);
  write("journal.bin", std::string(journal.begin(), journal.end()));
  expect_wrong("journal.bin");
}

TEST_F(VerifyCommandTest, AnOlderExportIsNamedAsSuch) {
  files_["journal.bin"][4 + 12] = 2;  // after the text and its length
  write("journal.bin", files_["journal.bin"]);
  fs::remove(path("digests.txt"));
  expect_wrong("journal.bin");
  EXPECT_NE(told_.find("format version 2, and this program reads version 10"), std::string::npos)
      << told_;
}

// --- Files ---------------------------------------------------------------------------------------

TEST_F(VerifyCommandTest, ADigitInAnyFileIsFoundAndTheFileNamed) {
  files_.emplace(kDigestsFile, digests_text(files_));
  for (const auto& [name, text] : files_) {
    if (name == kJournalFile) continue;
    write(name, with_another_digit(text));
    ASSERT_NE(read_whole_file(path(name)), text) << name;
    expect_wrong(name);
    write(name, text);
  }
  EXPECT_EQ(verify(), ExitCode::kOk) << told_;
}

TEST_F(VerifyCommandTest, AMissingFileIsNamed) {
  files_.emplace(kDigestsFile, digests_text(files_));
  for (const auto& [name, text] : files_) {
    fs::remove(path(name));
    expect_wrong(name);
    EXPECT_NE(told_.find(name + ": is missing"), std::string::npos) << told_;
    write(name, text);
  }
}

TEST_F(VerifyCommandTest, AnAddedFileIsNamed) {
  for (const std::string name : {"notes.txt", "epochs.csv.bak", "\x1b[31m"}) {
    write(name, "x");
    EXPECT_EQ(verify(), ExitCode::kDiverged);
    EXPECT_NE(told_.find("is not a file of an export"), std::string::npos) << told_;
    EXPECT_EQ(told_.find('\x1b'), std::string::npos);
    fs::remove(path(name));
  }
  write("figures/map.svg", "x");
  expect_wrong("figures/map.svg");
  fs::remove(path("figures/map.svg"));
  fs::create_directory(path("more"));
  expect_wrong("more");
  fs::remove(path("more"));
  // A table that the list of digests does not have.
  FileTexts without = files_;
  without.erase(std::string(kTrialsFile));
  write("digests.txt", digests_text(without));
  expect_wrong("trials.csv");
}

// Cheaper than the command: no run is recomputed.
TEST_F(VerifyCommandTest, EveryByteOfEveryFileIsChecked) {
  const FileTexts made_again = tables();
  files_.emplace(kDigestsFile, digests_text(files_));
  for (const auto& [name, text] : files_) {
    const std::size_t step = name == kJournalFile ? 7 : text.size() / 4000 + 1;
    for (std::size_t i = 0; i < text.size(); i += step) {
      std::string changed = text;
      changed[i] = static_cast<char>(changed[i] ^ (1 << (i % 8)));
      write(name, changed);
      ExportCheck check(flags_.path);
      check.compare(made_again);
      EXPECT_EQ(num_wrong(check.verdicts()), 1U) << name << " " << i;
      EXPECT_NE(check.verdicts().at(name).wrong, "") << name << " " << i;
    }
    write(name, text);
  }
}

// A forger who also updates the digests: everything that follows from the records is detected.
TEST_F(VerifyCommandTest, TablesThatWereChangedWithTheirDigestsAreFound) {
  const FileTexts honest = files_;
  for (const auto& [name, text] : tables()) {
    files_ = honest;
    files_[name] = with_another_digit(text);
    write_all();
    expect_wrong(name);
    EXPECT_NE(told_.find("digests.txt agrees with the file"), std::string::npos) << told_;
  }
  files_ = honest;
  write_all();
  FileTexts other = honest;
  other["epochs.csv"] += "x";
  write("digests.txt", digests_text(other));
  expect_wrong("digests.txt");
}

TEST_F(VerifyCommandTest, AnotherStudyInTheJournalIsFound) {
  std::string toml = played_.study.definition.toml;
  const std::string from = "beta = 0.5";
  ASSERT_NE(toml.find(from), std::string::npos);
  toml.replace(toml.find(from), from.size(), "beta = 0.6");
  played_.study.definition = service::read_definition(toml);
  export_all();
  EXPECT_EQ(verify(), ExitCode::kDiverged);
  EXPECT_NE(printed_.find("width: recorded 0.5, recomputed 0.6"), std::string::npos) << printed_;
}

// Rewards that were sent give the uploads to the bit; only values that were not sent can be forged.
TEST_F(VerifyCommandTest, TrialsThatWereChangedWithTheirDigests) {
  const std::vector<service::JournalTrial> honest = played_.trials;
  const std::uint32_t last = 3;
  for (service::JournalTrial& trial : played_.trials) {
    if (trial.query.agent == 1 && trial.query.epoch == 2 && trial.query.slot == 1)
      trial.value += 1e-9;
  }
  export_all();
  expect_wrong("trials.csv");
  EXPECT_NE(told_.find("message of agent 1, from its answers"), std::string::npos) << told_;

  played_.trials = honest;
  played_.trials[4].query.values[0] += 1e-9;
  export_all();
  expect_wrong("trials.csv");
  EXPECT_NE(told_.find("point of trial 0-2-2, from its answers"), std::string::npos) << told_;

  played_.trials = honest;
  played_.trials[2].kind = service::JournalTrial::Kind::kHole;
  export_all();
  expect_wrong("trials.csv");

  // In the last epoch only an agent's best trial is sent: the others may become smaller.
  played_.trials = honest;
  ASSERT_EQ(played_.trials.back().query.epoch, last);
  auto worst = std::min_element(played_.trials.begin(), played_.trials.end(),
                                [&](const auto& a, const auto& b) {
                                  return std::pair(a.query.epoch != last, a.value) <
                                         std::pair(b.query.epoch != last, b.value);
                                });
  worst->value -= 1;
  export_all();
  EXPECT_EQ(verify(), ExitCode::kOk) << told_;
  EXPECT_NE(told_.find("6 of 18 values, which are in no upload"), std::string::npos) << told_;
  worst->value += 100;
  export_all();
  expect_wrong("trials.csv");
}

TEST_F(VerifyCommandTest, PartsWithOnlyADigestAreListedOncePerFile) {
  EXPECT_EQ(verify(), ExitCode::kOk) << told_;
  EXPECT_EQ(told_.find("verified: "), 0U) << told_;
  for (const auto& [name, text] : files_) {
    const std::size_t at = told_.find("\n" + name + ": ");
    EXPECT_NE(at, std::string::npos) << name << told_;
    EXPECT_EQ(told_.find("\n" + name + ": ", at + 1), std::string::npos) << name << told_;
  }
  for (const char* part : {"seed, [objective] and [coordinator]", "\"build\"", "variance_rank",
                           "6 of 18 values, which are in no upload"}) {
    EXPECT_NE(told_.find(part), std::string::npos) << part << told_;
  }
  EXPECT_EQ(told_.find("--trials"), std::string::npos) << "trials.csv has all answers: " << told_;

  files_.erase(std::string(kTrialsFile));
  fs::remove(path("trials.csv"));
  write_all();
  EXPECT_EQ(verify(), ExitCode::kOk) << told_;
  EXPECT_NE(told_.find("the rewards in 6 messages of agents (--trials"), std::string::npos)
      << told_;

  flags_.path = path("journal.bin").string();
  flags_.format = Format::kJson;
  EXPECT_EQ(verify(), ExitCode::kOk) << told_;
  EXPECT_EQ(told_.find("study.toml: "), std::string::npos) << "it was not checked: " << told_;
}

TEST_F(VerifyCommandTest, AnotherSecretFailsWithAShortList) {
  storage::write_secret_file(directory_ / "other.key", service::new_secret_text());
  flags_.secret = (directory_ / "other.key").string();
  EXPECT_EQ(verify(), ExitCode::kDiverged);
  EXPECT_LT(std::count(printed_.begin(), printed_.end(), '\n'), 15) << printed_;
  EXPECT_NE(printed_.find(" more; --format csv shows all"), std::string::npos) << printed_;
  flags_.format = Format::kCsv;
  EXPECT_EQ(verify(), ExitCode::kDiverged);
  EXPECT_GT(std::count(printed_.begin(), printed_.end(), '\n'), 15) << printed_;
}

TEST_F(VerifyCommandTest, AMissingPathIsAUsageError) {
  const VerifyFlags good = flags_;
  flags_.path = (directory_ / "nosuch").string();
  EXPECT_EQ(verify(), ExitCode::kUsage);
  EXPECT_NE(told_.find("no such directory"), std::string::npos) << told_;
  flags_ = good;
  flags_.secret = (directory_ / "nosuch").string();
  EXPECT_EQ(verify(), ExitCode::kUsage);
  EXPECT_NE(told_.find("--secret"), std::string::npos) << told_;
}

TEST_F(VerifyCommandTest, ASecretThatOthersMayReadIsRefusedAndNeverShown) {
  const std::string text = read_whole_file(directory_ / "s.key");
  fs::permissions(directory_ / "s.key", fs::perms::others_read, fs::perm_options::add);
  EXPECT_EQ(verify(), ExitCode::kUsage);
  EXPECT_EQ(told_.find(text.substr(0, 16)), std::string::npos);
}

TEST_F(VerifyCommandTest, ADirectoryWithoutJournalIsAUsageError) {
  fs::remove(path("journal.bin"));
  fs::remove(path("digests.txt"));
  EXPECT_EQ(verify(), ExitCode::kUsage);
}

}  // namespace
}  // namespace duets::cli

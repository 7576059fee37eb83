#include "duets/cli/verify_command.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>

#include "duets/cli/exit_code.h"
#include "duets/cli/file_io.h"
#include "duets/protocol/agent.h"
#include "duets/service/export_file.h"
#include "duets/service/secret.h"
#include "duets/storage/secret_file.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;

service::Definition definition() {
  protocol::Study study;
  study.agents = 2;
  study.horizon = 9;
  study.domain = std::make_shared<const domain::Domain>(domain::Domain::box(2));
  study.kernel.lengthscales = {0.4};
  service::Definition d;
  d.study = std::make_shared<const protocol::Study>(study);
  return d;
}

std::vector<base::Bytes> records_of(const service::Definition& d,
                                    const random::StudySecret& secret) {
  const base::SerialExecutor executor;
  protocol::Coordinator coordinator(d.study, secret, executor);
  const auto view = std::make_shared<protocol::PublicView>(d.study, secret.public_coin(), executor);
  std::vector<protocol::Agent> agents;
  for (std::uint32_t a = 0; a < d.study->agents; ++a) {
    agents.emplace_back(d.study, base::AgentId{a}, secret.agent_coin(base::AgentId{a}), view);
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
    for (protocol::Agent& agent : agents) {
      const numeric::Points points = agent.plan().latents();
      for (std::uint32_t slot = 0; slot < points.rows(); ++slot) {
        agent.report(slot, points(slot, 0));
      }
      carry_out(coordinator.receive(*agent.outstanding()));
    }
  }
  return records;
}

class VerifyCommandTest : public ::testing::Test {
 protected:
  VerifyCommandTest()
      : directory_(fs::temp_directory_path() / ("duets-verify-" + std::to_string(getpid()))) {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    const std::string text = service::new_secret_text();
    storage::write_secret_file(directory_ / "s.key", text);
    records_ = records_of(definition(), service::parse_secret(text, "test"));
    flags_.path = directory_.string();
    flags_.secret = (directory_ / "s.key").string();
    write(records_);
  }
  ~VerifyCommandTest() override { fs::remove_all(directory_); }

  void write(const std::vector<base::Bytes>& records) const {
    const base::Bytes bytes = service::encode_export(definition(), records);
    write_whole_file(directory_ / "journal.bin", std::string(bytes.begin(), bytes.end()));
  }

  // The exit code, and what was printed.
  ExitCode verify() {
    testing::internal::CaptureStdout();
    ExitCode code = ExitCode::kOk;
    try {
      verify_study(flags_);
    } catch (const CodedError& error) {
      code = error.code();
      told_ = error.what();
    } catch (const base::Error& error) {
      code = exit_code_of(error.kind());
      told_ = error.what();
    }
    printed_ = testing::internal::GetCapturedStdout();
    return code;
  }

  fs::path directory_;
  VerifyFlags flags_;
  std::vector<base::Bytes> records_;
  std::string printed_;
  std::string told_;
};

TEST_F(VerifyCommandTest, AnHonestRunIsWell) {
  EXPECT_EQ(verify(), ExitCode::kOk) << told_;
  EXPECT_NE(printed_.find("go to the end"), std::string::npos);
  flags_.path = (directory_ / "journal.bin").string();
  flags_.format = Format::kJson;
  EXPECT_EQ(verify(), ExitCode::kOk) << told_;
  EXPECT_NE(printed_.find("\"ok\": true"), std::string::npos);
}

TEST_F(VerifyCommandTest, AChangedRecordIsNamed) {
  protocol::Record record = protocol::decode_record(records_[3]);
  std::get<protocol::EpochClosed>(record).trim.tau += 1e-6;
  records_[3] = protocol::encode_record(record);
  write(records_);
  EXPECT_EQ(verify(), ExitCode::kDiverged);
  EXPECT_NE(printed_.find("epoch 1: tau: recorded"), std::string::npos) << printed_;
  EXPECT_NE(told_.find("epoch 1"), std::string::npos);
  flags_.format = Format::kCsv;
  EXPECT_EQ(verify(), ExitCode::kDiverged);
  EXPECT_NE(printed_.find("\n1,tau,"), std::string::npos);
}

TEST_F(VerifyCommandTest, DamagedFilesAreStorage) {
  fs::resize_file(directory_ / "journal.bin", 40);
  EXPECT_EQ(verify(), ExitCode::kStorage);
  records_[0][0] = 9;
  write(records_);
  EXPECT_EQ(verify(), ExitCode::kStorage);
  EXPECT_NE(told_.find("journal.bin"), std::string::npos);
}

TEST_F(VerifyCommandTest, AnotherSecretIsNotWellAndToldShortly) {
  storage::write_secret_file(directory_ / "other.key", service::new_secret_text());
  flags_.secret = (directory_ / "other.key").string();
  EXPECT_EQ(verify(), ExitCode::kDiverged);
  EXPECT_LT(std::count(printed_.begin(), printed_.end(), '\n'), 15) << printed_;
  EXPECT_NE(printed_.find(" more; --format csv shows all"), std::string::npos) << printed_;
  flags_.format = Format::kCsv;
  EXPECT_EQ(verify(), ExitCode::kDiverged);
  EXPECT_GT(std::count(printed_.begin(), printed_.end(), '\n'), 15) << printed_;
}

TEST_F(VerifyCommandTest, WhatIsWellSaysWhatWasNotChecked) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(verify(), ExitCode::kOk) << told_;
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said.find("verified: "), 0U) << said;
  EXPECT_NE(said.find("--trials"), std::string::npos) << said;
  EXPECT_NE(said.find("not checked: study.toml, trials.csv"), std::string::npos) << said;
}

TEST_F(VerifyCommandTest, WhatDoesNotExistIsUsage) {
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

TEST_F(VerifyCommandTest, ADirectoryWithoutJournalIsUsage) {
  fs::remove(directory_ / "journal.bin");
  EXPECT_EQ(verify(), ExitCode::kUsage);
}

}  // namespace
}  // namespace duets::cli

// make_seeds DIRECTORY: writes the seeds of the byte formats, DIRECTORY/fuzz_message,
// DIRECTORY/fuzz_record, DIRECTORY/fuzz_wire_* and those of files and facts, from runs of the tiny
// studies. The stage `fuzz` runs it each time, so no seed is of an older format.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "duets/service/agent_journal.h"
#include "duets/service/export_file.h"
#include "duets/service/lease_table.h"
#include "duets/service/study_journal.h"
#include "duets/service/study_status.h"
#include "duets/service/wire.h"
#include "tiny_study.h"

namespace {

using namespace duets;

void write(const std::filesystem::path& path, const base::Bytes& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

void write(const std::filesystem::path& path, const google::protobuf::MessageLite& message) {
  const std::string bytes = message.SerializeAsString();
  write(path, base::Bytes(bytes.begin(), bytes.end()));
}

service::Definition tiny_definition(const std::shared_ptr<const protocol::Study>& study) {
  study::Objective objective;
  objective.command = {"./measure", "--fast"};
  objective.infeasible_value = -1;
  study::CoordinatorSettings coordinator;
  coordinator.quorum = 1;
  coordinator.deadline = 2.5;
  return service::definition_of(study::file_of(*study, objective, coordinator));
}

// With what the tiny studies lack: named parameters of every type.
std::shared_ptr<const protocol::Study> parameter_study() {
  using domain::ParameterType;
  protocol::Study study = *fuzz::tiny_study(false);
  study.domain = std::make_shared<const domain::Domain>(domain::Domain::box(
      {{.name = "rate", .low = 0.1, .high = 9, .log = true},
       {.name = "size", .type = ParameterType::kInt, .low = 1, .high = 9, .step = 2},
       {.name = "color", .type = ParameterType::kCategorical, .choices = {"red", "blue"}}}));
  return std::make_shared<const protocol::Study>(study);
}

v1::StudyStatus busy_status() {
  v1::StudyStatus status;
  status.set_study("tiny");
  status.set_state(v1::STUDY_STATE_RUNNING);
  status.set_agents(2);
  status.set_epoch(3);
  status.set_epochs(3);
  status.set_deadline_seconds(7);
  status.set_deadline(2);
  status.add_waiting_for(0);
  status.add_holding_up(1);
  v1::AgentStatus& agent = *status.add_agent_status();
  agent.set_agent(1);
  agent.set_presence(v1::PRESENCE_LIVE);
  agent.set_host("h");
  v1::EpochStatus& epoch = *status.add_closed_epochs();
  epoch.set_epoch(1);
  epoch.add_excluded(1);
  epoch.set_why("deadline");
  v1::Param& param = *status.mutable_best_trial()->add_params();
  param.set_name("x1");
  param.set_number(0.5);
  status.mutable_run_digest()->set_low(1);
  return status;
}

void write_export(const std::filesystem::path& path, std::shared_ptr<const protocol::Study> study,
                  const std::vector<protocol::Record>& transcript) {
  std::vector<base::Bytes> records;
  for (const auto& record : transcript) records.push_back(protocol::encode_record(record));
  write(path, service::encode_export(tiny_definition(study), records));
}

void write_facts(const std::filesystem::path& directory) {
  write(directory / "fuzz_leases" / "none", service::LeaseTable(3, 60).save());
  service::LeaseTable retired(3, 60);
  retired.retire(2);
  write(directory / "fuzz_leases" / "retired", retired.save());
  write(directory / "fuzz_study_facts" / "epochs",
        service::encode_epochs({{1, {10, 20, "complete"}}, {2, {20, 0, ""}}}));
  v1::Traffic traffic;
  traffic.set_calls(1);
  traffic.set_payload_up_bytes(2);
  traffic.set_payload_down_bytes(3);
  write(directory / "fuzz_study_facts" / "traffic", service::encode_traffic(traffic));
  write(directory / "fuzz_study_facts" / "policy", service::encode_policy({2, 3.0}));
  write(directory / "fuzz_study_facts" / "service",
        service::encode_service({10, "gave up", "why"}));
  service::JournalAnswer answer;
  answer.epoch = answer.slot = 1;
  answer.value = 0.5;
  answer.text = "why";
  answer.latent = {0.25, 0.75};
  write(directory / "fuzz_agent_journal" / "answer", service::encode_entry(answer));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: make_seeds DIRECTORY\n");
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  for (const bool finite : {false, true}) {
    const auto transcript = fuzz::run_tiny(fuzz::tiny_study(finite));
    const char* study = finite ? "finite" : "box";
    int number = 0;
    for (const auto& message : transcript.messages) {
      write(directory / "fuzz_message" / fmt::format("{}-{:02}", study, number),
            protocol::encode(message));
      write(directory / "fuzz_wire_message" / fmt::format("{}-{:02}", study, number),
            service::to_wire(message));
      write(directory / "fuzz_agent_journal" / fmt::format("{}-{:02}", study, number),
            service::encode_entry(message));
      ++number;
    }
    write_export(directory / "fuzz_export" / study, fuzz::tiny_study(finite), transcript.records);
    number = 0;
    for (const auto& record : transcript.records) {
      write(directory / "fuzz_record" / fmt::format("{}-{:02}", study, number++),
            protocol::encode_record(record));
    }
  }
  int number = 0;
  for (const auto& study : {fuzz::tiny_study(false), fuzz::tiny_study(true), parameter_study()}) {
    write(directory / "fuzz_wire_definition" / fmt::format("{}", number++),
          service::encode_definition(tiny_definition(study)));
  }
  write(directory / "fuzz_wire_status" / "busy", busy_status());
  write_facts(directory);
}

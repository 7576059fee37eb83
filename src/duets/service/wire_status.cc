#include "duets/service/study_status.h"
#include "duets/service/wire.h"
#include "duets/service/wire_parts.h"
#include "duets/service/wire_text.h"

namespace duets::service {
namespace {

void write(const AgentStatus& agent, v1::AgentStatus& wire) {
  wire.set_agent(agent.agent);
  wire.set_presence(static_cast<std::uint32_t>(agent.presence));
  wire.set_host(clean_text(agent.host));
  wire.set_heard_seconds_ago(agent.heard_seconds_ago);
  wire.set_uploaded(agent.uploaded);
  wire.set_answered(agent.answered);
  wire.set_holes(agent.holes);
  wire.set_seconds_per_query(agent.seconds_per_query);
  wire.set_query_seconds(agent.query_seconds);
  wire.set_token(agent.token);
  wire.set_epochs_excluded(agent.epochs_excluded);
  wire.set_problem(clean_text(agent.problem));
  wire.set_retired(agent.retired);
}

AgentStatus read(const v1::AgentStatus& wire) {
  AgentStatus agent;
  agent.agent = wire.agent();
  agent.presence = base::enum_of<Presence>(wire.presence(), "status.presence");
  agent.host = clean_text(wire.host());
  agent.heard_seconds_ago = wire.heard_seconds_ago();
  agent.uploaded = wire.uploaded();
  agent.answered = wire.answered();
  agent.holes = wire.holes();
  agent.seconds_per_query = wire.seconds_per_query();
  agent.query_seconds = wire.query_seconds();
  agent.token = wire.token();
  agent.epochs_excluded = wire.epochs_excluded();
  agent.problem = clean_text(wire.problem());
  agent.retired = wire.retired();
  return agent;
}

void write(const EpochStatus& epoch, v1::EpochStatus& wire) {
  wire.set_epoch(epoch.epoch);
  wire.set_length(epoch.length);
  wire.set_participants(epoch.participants);
  wire.set_holes(epoch.holes);
  wire.set_inducing(epoch.inducing);
  wire.set_region_fraction(epoch.region_fraction);
  wire.mutable_excluded()->Add(epoch.excluded.begin(), epoch.excluded.end());
  wire.set_why(clean_text(epoch.why));
  wire.set_seconds(epoch.seconds);
}

EpochStatus read(const v1::EpochStatus& wire) {
  EpochStatus epoch;
  epoch.epoch = wire.epoch();
  epoch.length = wire.length();
  epoch.participants = wire.participants();
  epoch.holes = wire.holes();
  epoch.inducing = wire.inducing();
  epoch.region_fraction = wire.region_fraction();
  epoch.excluded = {wire.excluded().begin(), wire.excluded().end()};
  epoch.why = clean_text(wire.why());
  epoch.seconds = wire.seconds();
  return epoch;
}

void write(const Traffic& traffic, v1::Traffic& wire) {
  wire.set_calls(traffic.calls);
  wire.set_payload_up_bytes(traffic.payload_up_bytes);
  wire.set_payload_down_bytes(traffic.payload_down_bytes);
  wire.set_reals_links(traffic.reals_links);
  wire.set_closing_bytes(traffic.closing_bytes);
  wire.set_closing_reals(traffic.closing_reals);
}

Traffic read(const v1::Traffic& wire) {
  return {.calls = wire.calls(),
          .payload_up_bytes = wire.payload_up_bytes(),
          .payload_down_bytes = wire.payload_down_bytes(),
          .reals_links = wire.reals_links(),
          .closing_bytes = wire.closing_bytes(),
          .closing_reals = wire.closing_reals()};
}

void write(const Found& found, v1::Found& wire) {
  wire.mutable_values()->Add(found.values.begin(), found.values.end());
  wire.set_value(found.value);
  wire.set_low(found.low);
  wire.set_high(found.high);
  wire.set_agent(found.agent);
  wire.set_epoch(found.epoch);
  wire.set_slot(found.slot);
}

Found read(const v1::Found& wire) {
  return {.values = {wire.values().begin(), wire.values().end()},
          .value = wire.value(),
          .low = wire.low(),
          .high = wire.high(),
          .agent = wire.agent(),
          .epoch = wire.epoch(),
          .slot = wire.slot()};
}

void write_progress(const StudyStatus& status, v1::StudyStatus& wire) {
  wire.set_epoch(status.epoch);
  wire.set_num_epochs(status.num_epochs);
  wire.set_epoch_length(status.epoch_length);
  wire.set_epoch_seconds(status.epoch_seconds);
  if (status.deadline_seconds) wire.set_deadline_seconds(*status.deadline_seconds);
  wire.set_quorum(status.quorum);
  wire.set_deadline(status.deadline);
  v1::Waiting& waiting = *wire.mutable_waiting();
  waiting.set_epoch(status.epoch);
  waiting.mutable_agents()->Add(status.waiting_for.begin(), status.waiting_for.end());
  waiting.set_num_agents(static_cast<std::uint32_t>(status.waiting_for.size()));
  waiting.set_seconds(status.epoch_seconds);
  for (const AgentStatus& agent : status.agent_status) write(agent, *wire.add_agent_status());
  for (const EpochStatus& epoch : status.epochs) write(epoch, *wire.add_epochs());
}

void require_count(int count, std::uint64_t most, const char* field) {
  base::require(static_cast<std::uint64_t>(count) <= most, field, fmt::format("{} entries", count),
                fmt::format("the study has {}", most));
}

void require_below(std::uint32_t number, std::uint32_t end, const char* field) {
  base::require(number < end, field, fmt::format("{}", number),
                fmt::format("must be below {}", end));
}

void check_counts(const v1::StudyStatus& wire) {
  require_count(wire.waiting().agents_size(), wire.agents(), "status.waiting");
  require_count(wire.agent_status_size(), wire.agents(), "status.agent_status");
  require_count(wire.epochs_size(), wire.num_epochs(), "status.epochs");
  for (const std::uint32_t agent : wire.waiting().agents()) {
    require_below(agent, wire.agents(), "status.waiting");
  }
  for (const v1::AgentStatus& agent : wire.agent_status()) {
    require_below(agent.agent(), wire.agents(), "status.agent");
  }
}

void read_progress(const v1::StudyStatus& wire, StudyStatus& status) {
  status.epoch = wire.epoch();
  status.num_epochs = wire.num_epochs();
  status.epoch_length = wire.epoch_length();
  status.epoch_seconds = wire.epoch_seconds();
  if (wire.has_deadline_seconds()) status.deadline_seconds = wire.deadline_seconds();
  status.quorum = wire.quorum();
  status.deadline = wire.deadline();
  status.waiting_for = {wire.waiting().agents().begin(), wire.waiting().agents().end()};
  for (const v1::AgentStatus& agent : wire.agent_status()) {
    status.agent_status.push_back(read(agent));
  }
  for (const v1::EpochStatus& epoch : wire.epochs()) status.epochs.push_back(read(epoch));
}

}  // namespace

v1::StudyStatus to_wire(const StudyStatus& status) {
  v1::StudyStatus wire;
  wire.set_name(clean_text(status.name));
  wire.set_state(static_cast<v1::StudyState>(status.state));
  wire.set_problem(clean_text(status.problem));
  wire.set_agents(status.agents);
  wire.set_horizon(status.horizon);
  write_progress(status, wire);
  if (status.recommendation) write(*status.recommendation, *wire.mutable_recommendation());
  if (status.best_trial) write(*status.best_trial, *wire.mutable_best_trial());
  *wire.mutable_study_digest() = to_wire(status.study_digest);
  *wire.mutable_run_digest() = to_wire(status.run_digest);
  *wire.mutable_state_digest() = to_wire(status.state_digest);
  wire.set_complete_participation(status.complete_participation);
  write(status.traffic, *wire.mutable_traffic());
  for (const std::string& name : status.coordinate_names)
    wire.add_coordinate_names(clean_text(name));
  wire.set_guarantee(clean_text(status.guarantee));
  wire.set_created_unix(status.created_unix);
  return wire;
}

StudyStatus from_wire(const v1::StudyStatus& wire) {
  check_counts(wire);
  StudyStatus status;
  status.name = clean_text(wire.name());
  status.state =
      base::enum_of<StudyState>(static_cast<std::uint32_t>(wire.state()), "status.state");
  status.problem = clean_text(wire.problem());
  status.agents = wire.agents();
  status.horizon = wire.horizon();
  read_progress(wire, status);
  if (wire.has_recommendation()) status.recommendation = read(wire.recommendation());
  if (wire.has_best_trial()) status.best_trial = read(wire.best_trial());
  status.study_digest = from_wire(wire.study_digest());
  status.run_digest = from_wire(wire.run_digest());
  status.state_digest = from_wire(wire.state_digest());
  status.complete_participation = wire.complete_participation();
  status.traffic = read(wire.traffic());
  for (const std::string& name : wire.coordinate_names()) {
    status.coordinate_names.push_back(clean_text(name));
  }
  status.guarantee = clean_text(wire.guarantee());
  status.created_unix = wire.created_unix();
  return status;
}

}  // namespace duets::service

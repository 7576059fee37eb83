#include "duets/cli/status_json.h"

#include <fmt/format.h>

#include "duets/cli/json_text.h"
#include "duets/cli/status_progress.h"

namespace duets::cli {
namespace {

using Json = nlohmann::ordered_json;
using service::StudyStatus;

Json params_json(const StudyView& view, const service::Found& found) {
  Json json = Json::object();
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    std::visit([&](const auto& shown) { json[coordinate_name(view, i)] = shown; },
               shown_value(view, i, found.values[i]));
  }
  return json;
}

Json recommendation_json(const StudyView& view) {
  if (!view.status.recommendation) return nullptr;
  const service::Found& found = *view.status.recommendation;
  return {{"params", params_json(view, found)},
          {"mean", found.value},
          {"low", found.low},
          {"high", found.high}};
}

Json best_trial_json(const StudyView& view) {
  if (!view.status.best_trial) return nullptr;
  const service::Found& found = *view.status.best_trial;
  return {{"params", params_json(view, found)},
          {"value", found.value},
          {"agent", found.agent},
          {"epoch", found.epoch},
          {"slot", found.slot}};
}

Json agent_json(const StudyStatus& s, const service::AgentStatus& a) {
  return {{"agent", a.agent},
          {"presence", base::name_of(a.presence)},
          {"host", a.host},
          {"heard_seconds_ago", a.heard_seconds_ago},
          {"uploaded", a.uploaded},
          {"answered", answered_of(s, a)},
          {"holes", a.holes},
          {"seconds_per_query", a.seconds_per_query},
          {"query_seconds", a.query_seconds},
          {"token", a.token},
          {"epochs_excluded", a.epochs_excluded},
          {"problem", a.problem},
          {"state", agent_state(s, a)},
          {"retired", a.retired}};
}

Json epoch_json(const service::EpochStatus& e) {
  return {{"epoch", e.epoch},       {"length", e.length},
          {"why", e.why},           {"participants", e.participants},
          {"holes", e.holes},       {"excluded", e.excluded},
          {"inducing", e.inducing}, {"region_fraction", e.region_fraction},
          {"seconds", e.seconds}};
}

Json head_json(const StudyStatus& s) {
  return {{"study", s.name},
          {"state", base::name_of(s.state)},
          {"problem", s.problem},
          {"served", s.served},
          {"agents", s.agents},
          {"horizon", s.horizon},
          {"epoch", s.epoch},
          {"epochs", s.num_epochs},
          {"epoch_length", s.epoch_length},
          {"created", s.created_unix}};
}

Json status_json(const StudyView& view) {
  const StudyStatus& s = view.status;
  Json json = head_json(s);
  json["epoch_seconds"] = s.epoch_seconds;
  json["deadline_seconds"] = or_null(s.deadline_seconds);
  json["quorum"] = s.quorum;
  json["deadline"] = s.deadline > 0 ? Json(s.deadline) : Json(nullptr);
  json["progress"] = progress_of(s);
  json["seconds_left"] = or_null(seconds_left(s));
  json["waiting_for"] = s.waiting_for;
  json["holding_up"] = service::holding_up(s);
  json["agent_status"] = Json::array();
  for (const service::AgentStatus& agent : s.agent_status) {
    json["agent_status"].push_back(agent_json(s, agent));
  }
  json["closed_epochs"] = Json::array();
  for (const service::EpochStatus& epoch : s.epochs) {
    json["closed_epochs"].push_back(epoch_json(epoch));
  }
  json["recommendation"] = recommendation_json(view);
  json["best_trial"] = best_trial_json(view);
  json["complete_participation"] = s.complete_participation;
  json["guarantee"] = s.guarantee;
  json["traffic"] = {{"calls", s.traffic.calls},
                     {"payload_up_bytes", s.traffic.payload_up_bytes},
                     {"payload_down_bytes", s.traffic.payload_down_bytes},
                     {"reals_links", s.traffic.reals_links},
                     {"closing_bytes", s.traffic.closing_bytes},
                     {"closing_reals", s.traffic.closing_reals}};
  json["study_digest"] = base::to_hex(s.study_digest);
  json["run_digest"] = base::to_hex(s.run_digest);
  json["state_digest"] = base::to_hex(s.state_digest);
  return json;
}

}  // namespace

std::string coordinate_name(const StudyView& view, std::size_t coordinate) {
  const auto& names = view.status.coordinate_names;
  return coordinate < names.size() ? names[coordinate] : fmt::format("x{}", coordinate + 1);
}

domain::ShownValue shown_value(const StudyView& view, std::size_t coordinate, double value) {
  if (!view.domain) return value;
  return domain::shown_value(view.domain->parameters(), coordinate, value);
}

std::string statuses_json(const std::vector<StudyView>& views) {
  if (views.size() == 1) return json_text(status_json(views.front()));
  Json json = Json::array();
  for (const StudyView& view : views) json.push_back(status_json(view));
  return json_text(json);
}

std::string list_json(const std::vector<StudyStatus>& statuses) {
  Json json = Json::array();
  for (const StudyStatus& status : statuses) json.push_back(head_json(status));
  return json_text(json);
}

std::string best_json(const StudyView& view) {
  return json_text({{"study", view.status.name},
                    {"state", base::name_of(view.status.state)},
                    {"recommendation", recommendation_json(view)},
                    {"best_trial", best_trial_json(view)},
                    {"guarantee", view.status.guarantee}});
}

}  // namespace duets::cli

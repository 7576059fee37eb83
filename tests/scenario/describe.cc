#include "describe.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

namespace duets::scenario {
namespace {

using namespace protocol;  // the nouns of every line below
using base::value;

const char* kind_name(UploadKind kind) {
  return kind == UploadKind::kProjection ? "projection" : "rewards";
}

std::string numbers_text(const std::vector<double>& values) {
  return fmt::format("{} sum={:.6g}", values.size(),
                     std::accumulate(values.begin(), values.end(), 0.0));
}

std::string settings_text(const region::SamplerSettings& s) {
  switch (s.method) {
    case region::Method::kIndex:
      return "index";
    case region::Method::kRejection:
      return fmt::format("rejection attempts={}", s.max_attempts);
    case region::Method::kWalk:
      return fmt::format("walk steps={}", s.walk_steps);
    case region::Method::kCover:
      return fmt::format("cover depth={} attempts={}", s.cover_depth, s.max_attempts);
  }
  return "?";
}

std::string fields(const InducingSet& m) {
  const std::string points = m.public_slots.empty()
                                 ? fmt::format("points={}", m.points.rows())
                                 : fmt::format("public={}", m.public_slots.size());
  return fmt::format("inducing-set epoch={} {} upload={}{}", value(m.epoch), points,
                     kind_name(m.upload), m.closing ? " closing" : "");
}

std::string fields(const Trim& m) {
  return fmt::format("trim epoch={} weights={} norm={:.6g} tau={:.6g} sampler={} excluded={}",
                     value(m.epoch), m.weights.size(), m.weights.norm(), m.tau,
                     settings_text(m.sampler), join(m.excluded));
}

std::string fields(const Upload& m) {
  return fmt::format("upload agent={} epoch={} {}={} holes={} points-digest={:016x}",
                     value(m.agent), value(m.epoch), kind_name(m.kind), numbers_text(m.values),
                     join(m.holes), m.points_digest);
}

std::string fields(const Closing& m) {
  const std::string best = m.has_best ? fmt::format("best={:.6g} at epoch={} slot={}",
                                                    m.best.reward, value(m.best.epoch), m.best.slot)
                                      : "best=none";
  return fmt::format("closing agent={} {} projection={} holes={} points-digest={:016x}",
                     value(m.agent), best, numbers_text(m.values), join(m.holes), m.points_digest);
}

std::string fields(const Refusal& m) {
  return fmt::format("refusal agent={} epoch={} reason=\"{}\"", value(m.agent), value(m.epoch),
                     base::name_of(m.reason));
}

std::string fields(const EpochOpened& r) {
  return fmt::format("opened epoch={} length={} inducing={}", value(r.epoch), r.report.length,
                     r.report.num_inducing);
}

std::string fields(const MessageTaken& r) {
  if (const auto* upload = std::get_if<Upload>(&r.message)) {
    return fmt::format("taken upload agent={} epoch={}", value(upload->agent),
                       value(upload->epoch));
  }
  return fmt::format("taken closing agent={}", value(std::get<Closing>(r.message).agent));
}

std::string fields(const EpochClosed& r) {
  return fmt::format("closed epoch={} participants={}{} run-digest={}", value(r.epoch),
                     join(r.participants), r.has_trim ? " trim" : "", base::to_hex(r.run_digest));
}

std::string fields(const EpochBegan& e) {
  return fmt::format("began epoch={} length={}", value(e.epoch), e.length);
}

std::string fields(const EpochEnded& e) {
  if (!e.has_report) return fmt::format("ended epoch={}", value(e.epoch));
  const EpochReport& r = e.report;
  return fmt::format(
      "ended epoch={} points={} holes={} participants={} region={} survivors={} "
      "sigma-max={:.6g} max-mean={:.6g}",
      value(e.epoch), r.num_points, r.num_holes, r.num_participants, r.region_points, r.survivors,
      r.max_stddev, r.max_mean);
}

std::string fields(const MessageRefused& e) {
  return fmt::format("refused agent={} epoch={} reason=\"{}\"", value(e.refusal.agent),
                     value(e.refusal.epoch), base::name_of(e.refusal.reason));
}

std::string fields(const MessageLeftOut& e) {
  return fmt::format("left out agent={} epoch={} why=\"{}\"", value(e.agent), value(e.epoch),
                     e.why);
}

std::string fields(const StudyFinished&) { return "finished"; }

}  // namespace

std::string join(const std::vector<std::uint32_t>& numbers) {
  return numbers.empty() ? "-" : fmt::format("{}", fmt::join(numbers, ","));
}

std::string join(const std::vector<AgentId>& agents) {
  std::vector<std::uint32_t> numbers;
  for (const AgentId agent : agents) numbers.push_back(value(agent));
  return join(numbers);
}

std::string describe(const Message& message) {
  return fmt::format("{} reals={} bytes={}",
                     std::visit([](const auto& m) { return fields(m); }, message),
                     num_reals(message), encode(message).size());
}

std::string describe(const Record& record) {
  return "record " + std::visit([](const auto& r) { return fields(r); }, record);
}

std::string describe(const Event& event) {
  return "event " + std::visit([](const auto& e) { return fields(e); }, event);
}

Lines describe(const Effects& effects) {
  Lines lines;
  for (const Record& record : effects.records) lines.push_back(describe(record));
  for (const Outgoing& out : effects.messages) {
    const std::string to = out.to ? fmt::format("to {}", value(*out.to)) : "to all";
    lines.push_back(to + ": " + describe(out.message));
  }
  for (const Event& event : effects.events) lines.push_back(describe(event));
  if (lines.empty()) lines.emplace_back("nothing");
  return lines;
}

}  // namespace duets::scenario

#include <fmt/format.h>

#include <span>

#include "duets/cli/study_file_sections.h"
#include "duets/domain/shown_value.h"

namespace duets::cli {
namespace {

/// Shortest form that reads back to the same number, and as a float.
std::string toml(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string toml(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte == 0x7f) {
      out += fmt::format("\\u{:04X}", byte);
    } else {
      out += c;
    }
  }
  return out + "\"";
}

template <class Range>
std::string toml_list(const Range& values) {
  std::string out = "[";
  for (const auto& value : values) {
    if (out.size() > 1) out += ", ";
    out += toml(value);
  }
  return out + "]";
}

/// Collects lines "key = value" under table headers.
class Writer {
 public:
  void table(std::string_view name) {
    if (!text_.empty()) text_ += '\n';
    text_ += fmt::format("[{}]\n", name);
  }
  void raw(std::string_view key, std::string_view value) {
    text_ += fmt::format("{} = {}\n", key, value);
  }
  void comment(std::string_view comment) { text_ += fmt::format("# {}\n", comment); }
  void text(std::string_view key, std::string_view value) { raw(key, toml(value)); }
  void number(std::string_view key, double value) { raw(key, toml(value)); }
  void whole(std::string_view key, std::uint64_t value) { raw(key, fmt::format("{}", value)); }
  void flag(std::string_view key, bool value) { raw(key, value ? "true" : "false"); }

  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

void write_study(const StudyFile& file, Writer& out) {
  out.table("study");
  out.text("name", file.study.name);
  out.text("direction", base::name_of(file.direction));
  out.whole("agents", file.study.agents);
  out.whole("horizon", file.study.horizon);
  out.whole("seed", file.seed);
  out.text("algorithm", "duets");
}

void write_parameter(const domain::Parameter& parameter, Writer& out) {
  using domain::ParameterType;
  out.table("space." + toml(parameter.name));
  if (parameter.type == ParameterType::kCategorical) {
    out.text("type", "categorical");
    out.raw("choices", toml_list(parameter.choices));
    return;
  }
  const bool whole = parameter.type == ParameterType::kInt;
  out.text("type", whole ? "int" : "float");
  // The bounds of an int are written as its values are.
  const auto number = [&](std::string_view key, double value) {
    if (!whole) return out.number(key, value);
    out.raw(key, domain::to_text(domain::shown_value({&parameter, 1}, 0, value)));
  };
  number("low", parameter.low);
  number("high", parameter.high);
  out.flag("log", parameter.log);
  if (whole) number("step", parameter.step);
}

void write_points(const StudyFile& file, Writer& out) {
  const numeric::Points& points = file.study.domain->candidates();
  if (!file.space.file.empty()) out.comment("from " + show_name(file.space.file));
  std::string rows = "[\n";
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    const double* row = points.row(i).data();
    rows += "  " + toml_list(std::span(row, static_cast<std::size_t>(points.cols()))) + ",\n";
  }
  out.raw("points", rows + "]");
}

void write_space(const StudyFile& file, Writer& out) {
  const domain::Domain& domain = *file.study.domain;
  out.table("space");
  out.text("domain", base::name_of(domain.shape()));
  out.whole("dimension", domain.dimension());
  if (domain.shape() == domain::Shape::kBall) out.number("radius", domain.radius());
  if (file.space.source == CandidateSource::kRandom) {
    out.whole("candidates", static_cast<std::uint64_t>(domain.candidates().rows()));
    out.text("shape", base::name_of(file.space.shape));
    if (file.space.shape != region::CandidateShape::kCube) out.number("radius", file.space.radius);
  }
  if (file.space.source == CandidateSource::kPoints) write_points(file, out);
  if (domain.shape() != domain::Shape::kBox) return;
  if (domain.parameters() == domain::Domain::box(domain.dimension()).parameters()) return;
  for (const domain::Parameter& parameter : domain.parameters()) write_parameter(parameter, out);
}

void write_model(const StudyFile& file, Writer& out) {
  out.table("kernel");
  out.text("name", base::name_of(file.study.kernel.family));
  out.raw("lengthscale", file.lengthscales.size() == 1 ? toml(file.lengthscales.front())
                                                       : toml_list(file.lengthscales));
  // Learned: variance and lambda are not the file's to say, and the length scale is a guess.
  const bool learned = file.study.parameters == protocol::Parameters::kLearned;
  if (!learned) out.number("variance", file.study.kernel.variance);
  out.table("noise");
  if (!learned) out.number("lambda", file.study.lambda);
  if (file.study.mode == protocol::Mode::kTheory) {
    out.number("bound", file.study.norm_bound);
    out.number("subgaussian", file.study.subgaussian);
    out.number("delta", file.study.delta);
  }
}

void write_learning(const protocol::Study& study, Writer& out) {
  out.number("volume_floor", study.volume_floor);
  if (study.volume_floor > 0) out.number("epoch_floor", study.epoch_floor);
  out.text("parameters", base::name_of(study.parameters));
  if (study.parameters == protocol::Parameters::kLearned) out.flag("relevance", study.relevance);
  out.text("coins", base::name_of(study.coins));
}

void write_duets(const StudyFile& file, Writer& out) {
  const protocol::Study& study = file.study;
  out.table("duets");
  if (file.preset) out.comment(fmt::format("preset = \"{}\"", protocol::name(*file.preset)));
  out.text("mode", base::name_of(study.mode));
  if (study.mode == protocol::Mode::kTuned) {
    out.number("beta", study.beta);
    if (study.inducing == protocol::Inducing::kCoin) {
      out.number("p0", study.p0);
      out.text("rate", base::name_of(study.rate));
    }
  }
  out.text("schedule", base::name_of(study.schedule));
  if (study.schedule == protocol::ScheduleRule::kExplicit) {
    out.raw("epochs", fmt::format("[{}]", fmt::join(study.epochs, ", ")));
  } else {
    out.whole("t1", study.t1);
  }
  out.text("inducing", base::name_of(study.inducing));
  out.text("upload", base::name_of(study.upload));
  out.text("data", base::name_of(study.data));
  out.text("closing", base::name_of(study.closing));
  write_learning(study, out);
}

void write_objective(const ObjectiveSpec& objective, Writer& out) {
  out.table("objective");
  if (!objective.builtin.empty()) {
    const bool none = objective.noise.kind == problems::NoiseKind::kNone;
    out.text("builtin", objective.builtin);
    out.number("noise", none ? 0.0 : objective.noise.level);
    if (!none) out.text("noise_kind", base::name_of(objective.noise.kind));
    if (objective.builtin == "rkhs") {
      out.whole("centers", objective.centers);
      out.number("norm", objective.norm);
    }
  } else {
    out.raw("command", toml_list(objective.command));
    out.number("timeout", objective.timeout);
    out.whole("retries", objective.retries);
    if (objective.infeasible_value) out.number("infeasible_value", *objective.infeasible_value);
  }
  out.number("offset", objective.offset);
  out.number("scale", objective.scale);
}

void write_coordinator(const CoordinatorSpec& coordinator, Writer& out) {
  if (coordinator == CoordinatorSpec{}) return;
  out.table("coordinator");
  if (coordinator.listen) out.text("listen", *coordinator.listen);
  if (coordinator.storage) out.text("storage", *coordinator.storage);
  if (coordinator.tls) out.text("tls", *coordinator.tls);
  if (coordinator.quorum) out.whole("quorum", *coordinator.quorum);
  if (coordinator.deadline) out.number("deadline", *coordinator.deadline);
}

}  // namespace

std::string resolved_toml(const StudyFile& file) {
  Writer out;
  write_study(file, out);
  write_space(file, out);
  write_model(file, out);
  write_duets(file, out);
  write_objective(file.objective, out);
  write_coordinator(file.coordinator, out);
  return out.take();
}

}  // namespace duets::cli

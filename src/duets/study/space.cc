#include "duets/study/space.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "duets/domain/shown_value.h"
#include "duets/study/fields.h"

namespace duets::study {
namespace {

using domain::Domain;
using domain::Parameter;
using domain::ParameterType;
using domain::Shape;
using region::CandidateShape;

constexpr std::uint64_t kUsualCandidates = 2000;
constexpr std::size_t kMaxNameBytes = 100;
constexpr std::size_t kMaxChoices = 1000;
constexpr double kMaxExactWhole = 9007199254740992.0;  // 2^53

double bound_of(const Section& table, const char* key, ParameterType type) {
  const std::optional<double> bound = table.number(key);
  if (!bound) table.fail(key, "a float or int parameter needs low and high");
  if (type == ParameterType::kInt && std::abs(*bound) > kMaxExactWhole) {
    table.fail(key, "must be at most 2^53 in size");
  }
  return *bound;
}

Parameter read_choices(const Section& table, Parameter parameter) {
  for (const char* key : {"low", "high", "log", "step"}) {
    table.forbid(key, "a categorical parameter has choices only");
  }
  const auto choices = table.texts("choices");
  if (!choices) table.fail("choices", "a categorical parameter needs choices = [\"...\", ...]");
  if (choices->size() > kMaxChoices) {
    table.fail("choices", fmt::format("must be at most {} choices", kMaxChoices));
  }
  parameter.choices = *choices;
  return parameter;
}

Parameter read_parameter(const Section& table, const std::string& name) {
  table.check_keys(keys_of("space.NAME"));
  Parameter parameter;
  parameter.name = name;
  parameter.type = table.option<ParameterType>("type").value_or(ParameterType::kFloat);
  if (domain::has_choices(parameter)) return read_choices(table, parameter);
  table.forbid("choices", "belongs to type = \"categorical\"");
  parameter.low = bound_of(table, "low", parameter.type);
  parameter.high = bound_of(table, "high", parameter.type);
  parameter.log = table.flag("log").value_or(false);
  if (parameter.type == ParameterType::kFloat) table.forbid("step", "belongs to type = \"int\"");
  parameter.step = table.number("step").value_or(1.0);
  return parameter;
}

bool is_fit_name(std::string_view name) {
  return !name.empty() && name.size() <= kMaxNameBytes &&
         std::none_of(name.begin(), name.end(), [](char c) {
           const auto byte = static_cast<unsigned char>(c);
           return byte < 0x20 || byte == 0x7f || c == ',' || c == '"';
         });
}

std::string shape_names() {
  std::string names;
  for (const auto& entry : base::entries_of<Shape>()) {
    names += (names.empty() ? "" : ", ") + toml_text(entry.name);
  }
  return names;
}

/// Reads [space] in steps; the order of the steps is the order in which contradictions are found.
class SpaceReader {
 public:
  SpaceReader(const Section& space, const std::optional<KnownFunction>& function)
      : space_(space), function_(function) {}

  SpaceResult read(std::uint64_t seed, const std::filesystem::path& directory) {
    read_parameters();
    if (function_ && !function_->info.parameters.empty()) take_parameters_of_function();
    shape_ = read_shape();
    check_contradictions();
    if (!parameters_.empty()) return named_box();
    if (given_points()) return finite_given(directory);
    if (shape_ == Shape::kFinite || space_.has("candidates")) return finite_random(seed);
    return continuous();
  }

 private:
  bool given_points() const { return space_.has("file") || space_.has("points"); }

  void read_parameters() {
    if (space_.table() == nullptr) return;
    const std::vector<std::string_view> keys = keys_of("space");
    for (const auto& [key, node] : space_.table()->entries) {
      const bool reserved = std::find(keys.begin(), keys.end(), key) != keys.end();
      if (node.kind != NodeKind::kTable && !reserved) {
        throw PlacedError(node.position, space_.field(show_name(key)) + " = " + show(node) +
                                             ": unknown key" + advice(key, keys));
      }
      if (node.kind != NodeKind::kTable) continue;
      if (reserved) space_.fail(key, "is a key of [space], so no parameter can have this name");
      if (!is_fit_name(key)) {
        throw PlacedError(node.position, space_.field(show_name(key)) +
                                             " = {table}: a name has 1 to 100 bytes and no comma, "
                                             "quote or control character");
      }
      parameters_.push_back(read_parameter(Section(space_.field(key), &node), key));
    }
  }

  // Its formula has no meaning for other parameters, nor for other points.
  void take_parameters_of_function() {
    const std::vector<Parameter>& own = function_->info.parameters;
    if (!parameters_.empty() && parameters_ != own) {
      space_.fail(parameters_.front().name,
                  fmt::format("{} has parameters of its own: leave [space] out", function_->name));
    }
    parameters_ = own;
  }

  Shape read_shape() const {
    if (const auto given = space_.option<Shape>("domain")) return *given;
    if (!parameters_.empty()) return Shape::kBox;
    if (given_points() || space_.has("shape")) return Shape::kFinite;
    if (!function_) {
      space_.fail("domain",
                  fmt::format("must be one of {}, or name the parameters in tables [space.NAME]",
                              shape_names()));
    }
    return function_->info.is_round.value_or(false) ? Shape::kBall : Shape::kBox;
  }

  void check_contradictions() const {
    if (!parameters_.empty()) {
      if (shape_ != Shape::kBox) space_.fail("domain", "named parameters make a box");
      for (const char* key : {"radius", "candidates", "shape", "file", "points"}) {
        space_.forbid(key, "does not go with named parameters, which make a box");
      }
    }
    if (given_points()) {
      if (space_.has("file")) space_.forbid("points", "give file or points, not both");
      if (shape_ != Shape::kFinite) space_.fail("domain", "given points make a finite set");
      for (const char* key : {"candidates", "shape", "radius"}) {
        space_.forbid(key, "does not go with given points");
      }
    }
    if (shape_ != Shape::kFinite) space_.forbid("shape", "belongs to domain = \"finite\"");
    if (shape_ == Shape::kBox) space_.forbid("radius", "a box has no radius");
  }

  SpaceResult named_box() const {
    const Domain box = Domain::box(parameters_);
    check_dimension(box.dimension(), "the number of parameters");
    check_features(box.num_features());
    return {{}, std::make_shared<const Domain>(box)};
  }

  SpaceResult continuous() const {
    const std::size_t dimension = read_dimension();
    const double radius = space_.positive("radius").value_or(1.0);
    Space spec;
    spec.radius = radius;
    const Domain domain =
        shape_ == Shape::kBox ? Domain::box(dimension) : Domain::ball(dimension, radius);
    return {spec, std::make_shared<const Domain>(domain)};
  }

  SpaceResult finite_random(std::uint64_t seed) const {
    Space spec;
    spec.source = CandidateSource::kRandom;
    spec.shape = candidate_shape();
    if (spec.shape == CandidateShape::kCube) space_.forbid("radius", "a cube has no radius");
    spec.radius = space_.positive("radius").value_or(1.0);
    const std::size_t dimension = read_dimension();
    const std::uint64_t count =
        space_.whole("candidates", 1, kMaxRandomNumbers).value_or(kUsualCandidates);
    if (count * dimension > kMaxRandomNumbers) {
      space_.fail("candidates",
                  fmt::format("candidates times dimension must be at most {}", kMaxRandomNumbers));
    }
    const random::Coin coin = random::StudySecret::from_seed(seed).public_coin();
    return {spec, std::make_shared<const Domain>(Domain::finite(
                      region::random_candidates(coin, spec.shape, count, dimension, spec.radius)))};
  }

  SpaceResult finite_given(const std::filesystem::path& directory) const {
    Space spec;
    spec.source = CandidateSource::kPoints;
    numeric::Points points;
    if (const auto file = space_.text("file")) {
      spec.file = *file;
      points = parse_csv(read_file(directory / *file, kMaxStudyBytes, space_.field("file")), *file);
    } else {
      points = read_points();
    }
    const auto dimension = static_cast<std::size_t>(points.cols());
    check_dimension(dimension, "the number of coordinates of a point");
    check_features(dimension);
    return {spec, std::make_shared<const Domain>(Domain::finite(std::move(points)))};
  }

  numeric::Points read_points() const {
    const Node& rows = *space_.find("points");
    if (rows.kind != NodeKind::kArray || rows.items.empty()) {
      space_.fail("points", "must be an array of points, each an array of numbers");
    }
    const std::size_t columns = rows.items.front().items.size();
    if (columns < 1 || columns > domain::kMaxDimension) {
      space_.fail("points[0]",
                  fmt::format("must be an array of 1 to {} numbers", domain::kMaxDimension));
    }
    if (rows.items.size() * columns > kMaxGivenNumbers) {
      space_.fail("points", fmt::format("must be at most {} numbers", kMaxGivenNumbers));
    }
    numeric::Points points(static_cast<Eigen::Index>(rows.items.size()),
                           static_cast<Eigen::Index>(columns));
    for (std::size_t i = 0; i < rows.items.size(); ++i) {
      const std::string field = space_.field(fmt::format("points[{}]", i));
      base::require(rows.items[i].items.size() == columns, field, show(rows.items[i]),
                    fmt::format("must be an array of {} numbers, as the first point", columns));
      for (std::size_t j = 0; j < columns; ++j) {
        points(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
            number_of(rows.items[i].items[j], field);
      }
    }
    return points;
  }

  CandidateShape candidate_shape() const {
    if (shape_ == Shape::kBox) return CandidateShape::kCube;
    if (shape_ == Shape::kBall) return CandidateShape::kBall;
    const bool round = function_ && function_->info.is_round.value_or(false);
    return space_.option<CandidateShape>("shape").value_or(round ? CandidateShape::kBall
                                                                 : CandidateShape::kCube);
  }

  std::size_t read_dimension() const {
    const auto given = space_.whole("dimension", 1, domain::kMaxDimension);
    if (!given && !function_) space_.fail("dimension", "required: the number of coordinates");
    const std::size_t dimension = given ? *given : function_->info.usual;
    check_features(dimension);
    return dimension;
  }

  void check_dimension(std::size_t actual, const char* meaning) const {
    const auto given = space_.whole("dimension", 1, domain::kMaxDimension);
    if (given && *given != actual) {
      space_.fail("dimension", fmt::format("must be {}, {}", actual, meaning));
    }
  }

  // The function sees the features: a categorical counts once for each choice.
  void check_features(std::size_t features) const {
    if (!function_ || (features >= function_->info.lowest && features <= function_->info.highest))
      return;
    const std::string range =
        function_->info.lowest == function_->info.highest
            ? fmt::format("{}", function_->info.lowest)
            : fmt::format("between {} and {}", function_->info.lowest, function_->info.highest);
    base::refuse("space.dimension", fmt::format("{}", features),
                 fmt::format("must be {} for {}", range, function_->name));
  }

  const Section& space_;
  const std::optional<KnownFunction>& function_;
  std::vector<Parameter> parameters_;
  Shape shape_ = Shape::kBox;
};

void write_points(const StudyFile& file, TomlWriter& out) {
  const numeric::Points& points = file.study.domain->candidates();
  if (!file.space.file.empty()) out.comment("from " + show_name(file.space.file));
  std::string rows = "[\n";
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    rows += "  [";
    for (Eigen::Index j = 0; j < points.cols(); ++j) {
      rows += (j > 0 ? ", " : "") + toml_number(points(i, j));
    }
    rows += "],\n";
  }
  out.raw("points", rows + "]");
}

}  // namespace

SpaceResult read_space(const Section& space, const std::optional<KnownFunction>& function,
                       std::uint64_t seed, const std::filesystem::path& directory_for_csv) {
  return SpaceReader(space, function).read(seed, directory_for_csv);
}

void write_parameter(const Parameter& parameter, TomlWriter& out) {
  out.table("space." + toml_text(parameter.name));
  out.text("type", base::name_of(parameter.type));
  if (domain::has_choices(parameter)) {
    std::vector<std::string> choices = parameter.choices;
    out.value("choices", &choices);
    return;
  }
  // The bounds of an int are written as its values are.
  const bool whole = parameter.type == ParameterType::kInt;
  const auto number = [&](std::string_view key, double value) {
    if (!whole) return out.number(key, value);
    out.raw(key, domain::to_text(domain::shown_value({&parameter, 1}, 0, value)));
  };
  number("low", parameter.low);
  number("high", parameter.high);
  out.flag("log", parameter.log);
  if (whole) number("step", parameter.step);
}

void write_space(const StudyFile& file, TomlWriter& out) {
  const Domain& domain = *file.study.domain;
  out.table("space");
  out.text("domain", base::name_of(domain.shape()));
  out.whole("dimension", domain.dimension());
  if (domain.shape() == Shape::kBall) out.number("radius", domain.radius());
  if (file.space.source == CandidateSource::kRandom) {
    out.whole("candidates", static_cast<std::uint64_t>(domain.candidates().rows()));
    out.text("shape", base::name_of(file.space.shape));
    if (file.space.shape != CandidateShape::kCube) out.number("radius", file.space.radius);
  }
  if (file.space.source == CandidateSource::kPoints) write_points(file, out);
  if (domain.shape() != Shape::kBox) return;
  if (domain.parameters() == Domain::box(domain.dimension()).parameters()) return;
  for (const Parameter& parameter : domain.parameters()) write_parameter(parameter, out);
}

}  // namespace duets::study

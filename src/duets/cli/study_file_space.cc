#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "duets/cli/study_file_sections.h"

namespace duets::cli {
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

constexpr std::array<std::string_view, 7> kSpaceKeys{"domain", "dimension", "radius", "candidates",
                                                     "shape",  "file",      "points"};
constexpr std::array<std::string_view, 6> kParameterKeys{"type", "low",  "high",
                                                         "log",  "step", "choices"};
double bound_of(const Section& table, const char* key, ParameterType type) {
  const std::optional<double> bound = table.number(key);
  if (!bound) table.fail(key, "a float or int parameter needs low and high");
  if (type == ParameterType::kInt && std::abs(*bound) > kMaxExactWhole) {
    table.fail(key, "must be at most 2^53 in size");
  }
  return *bound;
}

Parameter read_categorical(const Section& table, Parameter parameter) {
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
  table.check_keys(kParameterKeys);
  Parameter parameter;
  parameter.name = name;
  parameter.type = table.option<ParameterType>("type").value_or(ParameterType::kFloat);
  if (parameter.type == ParameterType::kCategorical) return read_categorical(table, parameter);
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

/// Reads [space] in steps; the order of the steps is the order in which contradictions are found.
class SpaceReader {
 public:
  SpaceReader(const Section& space, const std::optional<BuiltinInfo>& builtin)
      : space_(space), builtin_(builtin) {}

  SpaceResult read(std::uint64_t seed, const std::filesystem::path& directory) {
    read_parameters();
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
    for (const auto& [key, node] : space_.table()->entries) {
      const bool reserved =
          std::find(kSpaceKeys.begin(), kSpaceKeys.end(), key) != kSpaceKeys.end();
      if (node.kind != NodeKind::kTable && !reserved) {
        throw PlacedError(node.position, space_.field(show_name(key)) + " = " + show(node) +
                                             ": unknown key" + advice(key, kSpaceKeys));
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

  Shape read_shape() const {
    if (const auto given = space_.option<Shape>("domain")) return *given;
    if (!parameters_.empty()) return Shape::kBox;
    if (given_points() || space_.has("shape")) return Shape::kFinite;
    if (!builtin_) {
      space_.fail("domain",
                  "must be \"box\", \"ball\" or \"finite\", or name the parameters in "
                  "tables [space.NAME]");
    }
    return builtin_->shape == problems::Shape::kBall ? Shape::kBall : Shape::kBox;
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
    SpaceSpec spec;
    spec.radius = radius;
    const Domain domain =
        shape_ == Shape::kBox ? Domain::box(dimension) : Domain::ball(dimension, radius);
    return {spec, std::make_shared<const Domain>(domain)};
  }

  SpaceResult finite_random(std::uint64_t seed) const {
    SpaceSpec spec;
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
    SpaceSpec spec;
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
    const bool round = builtin_ && builtin_->shape == problems::Shape::kBall;
    return space_.option<CandidateShape>("shape").value_or(round ? CandidateShape::kBall
                                                                 : CandidateShape::kCube);
  }

  std::size_t read_dimension() const {
    const auto given = space_.whole("dimension", 1, domain::kMaxDimension);
    if (!given && !builtin_) space_.fail("dimension", "required: the number of coordinates");
    const std::size_t dimension = given ? *given : builtin_->usual;
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
    if (!builtin_ || (features >= builtin_->lowest && features <= builtin_->highest)) return;
    const std::string range =
        builtin_->lowest == builtin_->highest
            ? fmt::format("{}", builtin_->lowest)
            : fmt::format("between {} and {}", builtin_->lowest, builtin_->highest);
    base::refuse("space.dimension", fmt::format("{}", features),
                 fmt::format("must be {} for {}", range, builtin_->name));
  }

  const Section& space_;
  const std::optional<BuiltinInfo>& builtin_;
  std::vector<Parameter> parameters_;
  Shape shape_ = Shape::kBox;
};

}  // namespace

SpaceResult read_space(const Section& space, const std::optional<BuiltinInfo>& builtin,
                       std::uint64_t seed, const std::filesystem::path& directory_for_csv) {
  return SpaceReader(space, builtin).read(seed, directory_for_csv);
}

}  // namespace duets::cli

// The set X that is searched: a finite set, a box or a ball.
//
// A point is drawn and stored as its *latent* coordinates; the kernel sees its *features*. They
// differ only for boxes with int or categorical parameters (docs/formats/study.md).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/domain/parameter.h"
#include "duets/numeric/matrix.h"

namespace duets::domain {

enum class Shape : std::uint8_t { kFinite = 0, kBox = 1, kBall = 2 };

constexpr auto enum_entries(Shape /*tag*/) {
  return base::entries<Shape>(
      {{Shape::kBox, "box"}, {Shape::kBall, "ball"}, {Shape::kFinite, "finite"}});
}

/// Largest number of latent coordinates: a point's words must fit one coin address.
inline constexpr std::size_t kMaxDimension = 1000;

/// A segment of a line parallel to an axis.
struct Chord {
  double low, high;
};

/// Immutable. All computations are strict.
class Domain {
 public:
  /// The rows of `candidates`: at least one, all finite. Duplicates are allowed (each is a separate
  /// candidate). kInvalid otherwise.
  static Domain finite(numeric::Points candidates);
  /// The unit cube, with parameters named x1, x2, ...
  static Domain box(std::size_t dimension);
  /// The unit cube behind named parameters (validated here; names must differ).
  static Domain box(std::vector<Parameter> parameters);
  /// All points of R^d with Euclidean norm at most `radius` (> 0, finite).
  static Domain ball(std::size_t dimension, double radius);

  Shape shape() const { return shape_; }
  bool is_finite() const { return shape_ == Shape::kFinite; }
  /// Number of latent coordinates of a point.
  std::size_t dimension() const { return dimension_; }
  /// Number of coordinates the kernel sees.
  std::size_t num_features() const { return num_features_; }
  /// True when the features of a point are its latent coordinates: everywhere but on a box with int
  /// or categorical parameters.
  bool features_are_latents() const { return features_are_latents_; }
  const numeric::Points& candidates() const { return candidates_; }         ///< finite only
  const std::vector<Parameter>& parameters() const { return parameters_; }  ///< box only
  double radius() const { return radius_; }                                 ///< ball only

  /// Features of latent points (n x dimension -> n x num_features).
  numeric::Points features(const numeric::Points& latents) const;

  /// One length scale per feature from one per latent coordinate (or a single one for all): a
  /// categorical's columns share its length scale. kInvalid when the count fits neither.
  std::vector<double> feature_lengthscales(const std::vector<double>& lengthscales) const;

  /// True when a latent point lies in a box or ball. Always true on a finite set.
  bool contains(std::span<const double> latent) const;

  /// The part of the axis-parallel line through `latent` (a point of the box or ball) along
  /// `coordinate` that lies inside.
  Chord chord(std::span<const double> latent, std::size_t coordinate) const;

  /// Parameter values of a latent point for people and objectives: value_at for a box, the
  /// coordinates themselves otherwise.
  std::vector<double> values(std::span<const double> latent) const;

  /// Names of the coordinates: parameter names for a box, x1, x2, ... otherwise.
  std::vector<std::string> coordinate_names() const;

 private:
  Domain() = default;
  Shape shape_ = Shape::kBox;
  std::size_t dimension_ = 0;
  std::size_t num_features_ = 0;
  bool features_are_latents_ = true;
  double radius_ = 1;
  numeric::Points candidates_;
  std::vector<Parameter> parameters_;
};

}  // namespace duets::domain

#include "duets/gp/fit_parameters.h"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>
#include <vector>

#include "duets/base/error.h"
#include "duets/gp/checks.h"

namespace duets::gp {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

namespace {

constexpr std::array kLengthscaleFactors{0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8};
constexpr std::array kNoises{0.01, 0.04, 0.1, 0.2, 0.5, 1.0, 3.0};
constexpr std::array kRelevanceFactors{0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0, 2.8, 4.0, 5.6, 8.0};
constexpr int kRelevanceStart = 4;  // where the factor is 1
// Further sweeps cost time and gained nothing on rewards that were held out.
constexpr int kNumSweeps = 3;
// Length scales that gain less than this fit the noise. With 0 instead, held-out rewards of
// isotropic functions of 6 features lost 0.11 nats each at 30 rows and 0.03 at 120 against one
// length scale; with these, 0.02 and 0.01. Where two features of six mattered, the gain of 0.2 to
// 0.5 stayed.
constexpr double kStepGain = 0.25;
constexpr double kGainPerFeature = 0.5;
// Of another family than the guess's: a few dozen rewards often prefer a smoother one by less,
// wrongly.
constexpr double kFamilyGain = 2;
// Rewards are scaled by a power of two; its square has to be a normal number, with room to spare.
constexpr int kLargestExponent = 450;

/// A cell of the search, in units of the scaled rewards.
struct Cell {
  kernel::Kernel shape;  // variance 1
  double noise = 0;      // lambda / variance
  double variance = 0;   // the best one
  double value = -std::numeric_limits<double>::infinity();
};

bool keep_better(Cell& best, Cell other, double gain = 0) {
  if (!(other.value > best.value + gain)) return false;
  best = std::move(other);
  return true;
}

/// K = Q T Q^T with T tridiagonal: once made, every noise costs O(n). Three times faster than a
/// factorisation for each of the seven.
class Tridiagonal {
 public:
  Tridiagonal(const Matrix& gram, const Vector& y) {
    const Eigen::Tridiagonalization<Matrix> reduced(gram);
    diagonal_ = reduced.diagonal();
    below_ = reduced.subDiagonal();
    y_ = y;
    y_.applyOnTheLeft(reduced.matrixQ().adjoint());
  }

  /// As evidence_terms, by T + noise I = L D L^T.
  EvidenceTerms terms(double noise) const {
    EvidenceTerms sum;
    double pivot = diagonal_[0] + noise;
    double white = y_[0];
    for (Eigen::Index i = 0;; ++i) {
      sum.log_det += std::log(pivot);
      sum.quadratic += white * white / pivot;
      if (i == below_.size()) return sum;
      const double factor = below_[i] / pivot;
      pivot = diagonal_[i + 1] + noise - factor * below_[i];
      white = y_[i + 1] - factor * white;
    }
  }

 private:
  Vector diagonal_;
  Vector below_;
  Vector y_;
};

class Search {
 public:
  /// `guess` has variance 1. The arguments have to outlive the search.
  Search(const kernel::Kernel& guess, const Points& features, const Vector& y)
      : guess_(guess), features_(features), y_(y) {}

  Cell isotropic() const {
    Cell best;
    for (const double factor : kLengthscaleFactors) {
      kernel::Kernel shape = guess_;
      for (double& lengthscale : shape.lengthscales) lengthscale *= factor;
      keep_better(best, best_noise(shape));
    }
    return best;
  }

  /// Coordinate ascent from `best`, in steps of a factor of two at first, then of its root.
  Cell relevance(Cell best) const {
    const auto dimension = static_cast<std::size_t>(features_.cols());
    if (best.shape.lengthscales.size() == 1) {
      best.shape.lengthscales = std::vector<double>(dimension, best.shape.lengthscales[0]);
    }
    const std::vector<double> start = best.shape.lengthscales;
    std::vector<int> at(dimension, kRelevanceStart);
    for (int sweep = 0; sweep < kNumSweeps; ++sweep) {
      const int step = sweep == 0 ? 2 : 1;
      bool gained = false;
      for (std::size_t k = 0; k < dimension; ++k) {
        gained |= climb(best, k, start[k], step, at[k]) || climb(best, k, start[k], -step, at[k]);
      }
      gained |= keep_better(best, best_noise(best.shape));
      if (!gained && step == 1) break;
    }
    return best;
  }

 private:
  Matrix gram(const kernel::Kernel& shape) const {
    Matrix gram = kernel::gram(shape, features_);
    if (!gram.allFinite()) {
      throw base::Error(base::ErrorKind::kNumeric,
                        "distances of the features overflow: scale the features");
    }
    return gram;
  }

  /// The best variance is known: y^T (K + noise I)^-1 y / n.
  Cell cell(const kernel::Kernel& shape, double noise, const EvidenceTerms& terms) const {
    const double n = static_cast<double>(y_.size());
    const double variance = terms.quadratic / n;
    return {.shape = shape,
            .noise = noise,
            .variance = variance,
            .value = log_prior(guess_, {.kernel = shape, .lambda = noise}) -
                     0.5 * (n * (std::log(2 * std::numbers::pi * variance) + 1) + terms.log_det)};
  }

  Cell best_noise(const kernel::Kernel& shape) const {
    const Tridiagonal reduced(gram(shape), y_);
    Cell best;
    for (const double noise : kNoises) {
      keep_better(best, cell(shape, noise, reduced.terms(noise)));
    }
    return best;
  }

  /// Moves length scale k, start * kRelevanceFactors[at], in one direction while that gains. The
  /// noise stays, so that one factorisation is enough.
  bool climb(Cell& best, std::size_t k, double start, int step, int& at) const {
    const int from = at;
    for (int next = at + step; next >= 0 && next < static_cast<int>(kRelevanceFactors.size());
         next += step) {
      kernel::Kernel shape = best.shape;
      shape.lengthscales[k] = start * kRelevanceFactors[static_cast<std::size_t>(next)];
      const EvidenceTerms terms = evidence_terms(gram(shape), best.noise, y_);
      if (!keep_better(best, cell(shape, best.noise, terms), kStepGain)) break;
      at = next;
    }
    return at != from;
  }

  const kernel::Kernel& guess_;
  const Points& features_;
  const Vector& y_;
};

/// The family of the best cell, after others were tried.
kernel::Family keep_better_family(Cell& best, const kernel::Kernel& guess, const Points& features,
                                  const Vector& y) {
  for (const kernel::Family family :
       {kernel::Family::kSquaredExponential, kernel::Family::kMatern52}) {
    if (family == guess.family) continue;
    kernel::Kernel other = guess;
    other.family = family;
    keep_better(best, Search(other, features, y).isotropic(), kFamilyGain);
  }
  return best.shape.family;
}

/// Rewards as scaled * 2^exponent + offset. A power of two adds no rounding.
struct Scaled {
  Vector y;
  double offset = 0;
  int exponent = 0;
  bool flat = false;  // no rewards, or none that differ by more than rounding
};

Scaled scale(const Vector& rewards) {
  Scaled result{.y = Vector::Zero(rewards.size()), .flat = true};
  if (rewards.size() == 0) return result;
  const double largest = rewards.cwiseAbs().maxCoeff();
  base::require(largest < std::ldexp(1.0, kLargestExponent), "rewards", fmt::format("{}", largest),
                "must be below 2^450: choose a larger unit");
  if (rewards.minCoeff() == rewards.maxCoeff()) {
    result.offset = rewards[0];
    return result;
  }
  // The mean of the first, uniform rows, or the one that generalised least squares gives, is nearer
  // to the truth when later rows crowd around the best; the posterior there is the same to 5 %.
  result.offset = rewards.mean();
  const Vector centred = rewards.array() - result.offset;
  const int exponent = std::ilogb(centred.cwiseAbs().maxCoeff());
  if (exponent < -kLargestExponent) return result;
  result.flat = false;
  result.exponent = exponent;
  result.y = centred * std::ldexp(1.0, -exponent);
  return result;
}

/// The model before the first fit: only the scale comes from the rewards.
Cell guessed(const kernel::Kernel& guess, const Scaled& rewards) {
  const auto n = static_cast<double>(rewards.y.size());
  return {.shape = guess,
          .noise = kExpectedNoise,
          .variance = rewards.flat ? 1.0 : rewards.y.squaredNorm() / (n - 1)};
}

}  // namespace

Fit fit_parameters(const kernel::Kernel& guess, const Points& features, const Vector& rewards,
                   const FitOptions& options) {
  kernel::Kernel shape = guess;
  shape.variance = 1;
  kernel::validate(shape, static_cast<std::size_t>(features.cols()));
  require_points(features, static_cast<std::size_t>(features.cols()), "features");
  require_values(rewards, static_cast<std::size_t>(features.rows()), "rewards");
  base::require(options.max_rows > 0, "max_rows", "0", "must be positive");

  const auto num_used = static_cast<Eigen::Index>(
      std::min(options.max_rows, static_cast<std::size_t>(rewards.size())));
  const Points used = features.topRows(num_used);
  const Scaled scaled = scale(rewards.head(num_used));
  const bool learn = !scaled.flat && num_used >= static_cast<Eigen::Index>(kFewestRewards);
  Cell best;
  if (learn) {
    best = Search(shape, used, scaled.y).isotropic();
    if (options.family) shape.family = keep_better_family(best, shape, used, scaled.y);
    const Search search(shape, used, scaled.y);
    if (options.relevance && used.cols() > 1) {
      keep_better(best, search.relevance(best), kGainPerFeature * static_cast<double>(used.cols()));
    }
  } else {
    best = guessed(shape, scaled);
  }

  Fit fit{.parameters = {.kernel = std::move(best.shape), .offset = scaled.offset},
          .guessed = !learn};
  fit.parameters.kernel.variance = std::ldexp(best.variance, 2 * scaled.exponent);
  fit.parameters.lambda = best.noise * fit.parameters.kernel.variance;
  fit.log_evidence = log_evidence(guess, fit.parameters, used, rewards.head(num_used));
  return fit;
}

}  // namespace duets::gp

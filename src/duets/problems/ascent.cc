#include "duets/problems/ascent.h"

#include <algorithm>
#include <utility>

#include "duets/numeric/strict.h"

namespace duets::problems {
namespace {

using Vector = std::vector<double>;

constexpr int kMaxHalvings = 60;
constexpr double kArmijo = 1e-4;

struct Move {
  Summit to;
  Vector step;  // to.x - x
  bool accepted = false;
};

Move try_move(const AscentProblem& problem, const Summit& from, const Vector& gradient,
              double length) {
  Move move{.to = from, .step = Vector(from.x.size())};
  for (int i = 0; i <= kMaxHalvings; ++i, length /= 2) {
    for (std::size_t k = 0; k < from.x.size(); ++k) {
      move.to.x[k] = from.x[k] + length * gradient[k];
    }
    problem.project(move.to.x);
    for (std::size_t k = 0; k < from.x.size(); ++k) move.step[k] = move.to.x[k] - from.x[k];
    const double promise = numeric::strict_dot(gradient, move.step);
    if (!(promise > problem.tolerance)) return move;
    move.to.value = problem.value(move.to.x);
    move.accepted = move.to.value >= from.value + kArmijo * promise;
    if (move.accepted) return move;
  }
  return move;
}

}  // namespace

Summit climb(const AscentProblem& problem, std::vector<double> start) {
  Summit at{.x = std::move(start)};
  at.value = problem.value(at.x);
  Vector gradient(at.x.size());
  Vector next_gradient(at.x.size());
  problem.gradient(at.x, gradient);
  double length = problem.first_step;
  for (int i = 0; i < problem.max_steps; ++i) {
    Move move = try_move(problem, at, gradient, length);
    if (!move.accepted) break;
    at = std::move(move.to);
    problem.gradient(at.x, next_gradient);
    const double square = numeric::strict_dot(move.step, move.step);
    const double curvature =
        numeric::strict_dot(move.step, gradient) - numeric::strict_dot(move.step, next_gradient);
    // Where the function bends upwards along the step it gives no step length.
    length = curvature > 0 ? square / curvature : 2 * length;
    length = std::clamp(length, 1e-6 * problem.first_step, 1e6 * problem.first_step);
    std::swap(gradient, next_gradient);
  }
  return at;
}

}  // namespace duets::problems

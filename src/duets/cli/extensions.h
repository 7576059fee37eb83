// Extensions of the program in a user's own source file (docs/extending.md).
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "duets/lab/algorithms.h"
#include "duets/problems/problem.h"
#include "duets/random/coin.h"

namespace duets::cli {

/// A function that study files can name as objective.builtin.
struct OwnFunction {
  std::string name;         ///< lower-case letters, digits and hyphens; not that of a built-in
  std::string description;  ///< one line
  /// Creates the function for one seed. Its randomness comes from the coin, Purpose::kProblem;
  /// dimension and shape must be the same for every seed.
  std::function<std::unique_ptr<problems::Problem>(const random::Coin& problem_coin)> make;
};

struct Extensions {
  std::vector<lab::Algorithm> algorithms{};
  std::vector<OwnFunction> functions{};
};

/// kInvalid when a name or key is malformed or used twice, or something cannot be created.
void validate(const Extensions& extensions);

/// The built-in algorithms, followed by the user's.
std::vector<lab::Algorithm> all_algorithms(const Extensions& extensions);

}  // namespace duets::cli

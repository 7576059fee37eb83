// `duets compare`: compares algorithms on a study of the user.
#pragma once

#include <cstdint>
#include <string>

#include "duets/cli/commands.h"
#include "duets/cli/engine.h"

namespace duets::cli {

struct CompareFlags {
  std::uint32_t runs = 20;
  std::string algorithms{};  ///< comma-separated keys; empty: those of the paper
  std::string betas{};       ///< comma-separated; empty: the printed grid
  std::string thresholds{};  ///< D of the synchronising algorithms; empty: each one's grid
};

/// Seeds seed .. seed + runs - 1 of the study; everything random in it is drawn again for each.
/// DUETS takes its settings from the study and beta from the grid, if its mode has one. What is
/// chosen from a grid is chosen with other seeds (lab/hindsight.h). Throws
/// base::Error.
void compare(const CommonFlags& flags, const CompareFlags& chosen, const Extensions& extensions,
             const Engine& engine);

}  // namespace duets::cli

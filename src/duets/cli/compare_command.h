// `duets compare`: compares algorithms on a study of the user.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "duets/cli/commands.h"
#include "duets/cli/engine.h"

namespace duets::cli {

struct CompareFlags {
  std::uint32_t runs = 10;
  std::string algorithms{};           ///< comma-separated keys; empty: those of the paper
  std::string betas{};                ///< comma-separated; empty: the printed grid
  std::optional<double> threshold{};  ///< D of the synchronising algorithms
};

/// Seeds seed .. seed + runs - 1 of the study; everything random in it is drawn again for each.
/// DUETS takes its settings from the study and beta from the grid, if its mode has one. Throws
/// base::Error.
void compare(const CommonFlags& flags, const CompareFlags& chosen, const Extensions& extensions,
             const Engine& engine);

}  // namespace duets::cli

// `duets reproduce`: the published empirical study, and three other studies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "duets/cli/commands.h"
#include "duets/cli/engine.h"

namespace duets::cli {

struct ReproduceFlags {
  std::string preset = "both";  ///< lab::usual_presets(), or a name of lab::preset_names()
  bool quick = false;           ///< fewer runs, where their number is not given
  std::optional<std::uint32_t> runs{};
  std::string functions{};  ///< comma-separated; empty: all
  std::string algorithms{};
  std::string betas{};
  bool scaling = false;      ///< instead: how regret and communication grow
  bool variants = false;     ///< instead: variants of DUETS
  bool self_tuning = false;  ///< instead: presets against a rival tuned in hindsight
  std::string conditions{};  ///< of it, comma-separated; empty: the usual ones
  bool held_out = false;     ///< only the held-out functions
};

/// The comparison of the published figure, or the study that the flags select, which uses quick,
/// runs, functions and the first seed. Throws base::Error.
void reproduce(const CommonFlags& flags, const ReproduceFlags& chosen, const Extensions& extensions,
               const Engine& engine);

}  // namespace duets::cli

// `duets reproduce`: the published empirical study. Each mode is a file of its own.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "duets/cli/commands.h"
#include "duets/cli/engine.h"

namespace duets::cli {

struct ReproduceFlags {
  std::string preset = "both";  ///< or a name of lab::preset_names()
  bool quick = false;           ///< fewer runs and betas, where they are not given
  std::optional<std::uint32_t> runs{};
  std::string functions{};  ///< comma-separated; empty: all
  std::string algorithms{};
  std::string betas{};
  bool scaling = false;   ///< scaling_command.h instead
  bool variants = false;  ///< variants_command.h instead

  bool self_tuning = false;  ///< self_tuning_command.h instead
  std::string conditions{};  ///< of it, comma-separated; empty: the usual ones
  bool held_out = false;     ///< only the functions that were kept apart
};

/// The comparison behind the published figure. Throws base::Error.
void reproduce_figure(const CommonFlags& flags, const ReproduceFlags& chosen,
                      const Extensions& extensions, const Engine& engine);

}  // namespace duets::cli

// Whose results a directory holds: only what the program itself has written is ever replaced.
#pragma once

#include <filesystem>

namespace duets::cli {

/// Results of `duets run`: its manifest.json, read and recognised, and no entry of another name.
bool holds_run(const std::filesystem::path& directory);

/// An experiment of `duets reproduce` or `duets compare`, finished or not: its settings.json or
/// manifest.json, read and recognised, and no entry of another name.
bool holds_experiment(const std::filesystem::path& directory);

}  // namespace duets::cli

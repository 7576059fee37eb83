// Whose results a directory holds: only what the program itself has written is ever replaced.
#pragma once

#include <filesystem>
#include <vector>

namespace duets::cli {

/// Nothing, or no more than the empty folders that a command makes before it writes.
bool holds_nothing(const std::filesystem::path& directory);

/// Results of `duets run`: its manifest.json, read and recognised, and no entry of another name.
bool holds_run(const std::filesystem::path& directory);

/// What `duets run` leaves when it is killed: its trials.csv, and no entry of another name.
bool holds_unfinished_run(const std::filesystem::path& directory);

/// What `duets study export` leaves when it is killed: no entry that it does not write.
bool holds_unfinished_export(const std::filesystem::path& directory);

/// Files that a comparison was writing when it died ("<name>.tmp"), of the names it writes.
std::vector<std::filesystem::path> half_written(const std::filesystem::path& directory);

/// An experiment of `duets reproduce` or `duets compare`, finished or not: its settings.json or
/// manifest.json, read and recognised, and no entry of another name.
bool holds_experiment(const std::filesystem::path& directory);

}  // namespace duets::cli

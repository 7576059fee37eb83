// Recognises result directories: the program replaces only what it has written itself.
#pragma once

#include <filesystem>
#include <vector>

namespace duets::cli {

/// Nothing, or only the empty folders that a command creates before it writes.
bool holds_nothing(const std::filesystem::path& directory);

/// Results of `duets run`: its manifest.json, parsed and recognised, and no other entry.
bool holds_run(const std::filesystem::path& directory);

/// The files of a `duets run` that was killed: its trials.csv, and no other entry.
bool holds_unfinished_run(const std::filesystem::path& directory);

/// The files of a `duets study export` that was killed: no entry that it does not write.
bool holds_unfinished_export(const std::filesystem::path& directory);

/// Files that a comparison was writing when it was killed ("<name>.tmp"), of the names it writes.
std::vector<std::filesystem::path> half_written(const std::filesystem::path& directory);

/// An experiment of `duets reproduce` or `duets compare`, finished or not: its settings.json or
/// manifest.json, parsed and recognised, and no other entry.
bool holds_experiment(const std::filesystem::path& directory);

}  // namespace duets::cli

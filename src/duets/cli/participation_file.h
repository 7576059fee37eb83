// Reads and writes participation files for `duets run --participation` (docs/formats/study.md).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "duets/protocol/participation.h"
#include "duets/protocol/study.h"

namespace duets::cli {

/// Reads
///   [[absence]]
///   epoch = 2
///   excluded = [3, 7]                        # agents that are absent in this epoch
///   holes = [{ agent = 0, slots = [1, 4] }]  # queries that fail
/// Throws kInvalid with FILE:LINE:COLUMN for anything else: unknown keys, epochs, agents or slots
/// that the study does not have, an epoch named twice, an epoch in which nobody takes part.
protocol::Participation load_participation(const std::filesystem::path& path,
                                           const protocol::Study& study);

/// The same from text; `file_name` is used in messages.
protocol::Participation parse_participation(std::string_view text, const std::string& file_name,
                                            const protocol::Study& study);

/// The text that parse_participation reads: a deployment's record of participation, for `duets run
/// --participation`. Full participation is only a comment.
std::string participation_toml(const protocol::Participation& participation);

}  // namespace duets::cli

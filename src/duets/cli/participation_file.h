// The record of who took part, as a file for `duets run --participation` (docs/formats/study.md).
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
///   excluded = [3, 7]                        # agents that are not heard of in this epoch
///   holes = [{ agent = 0, slots = [1, 4] }]  # queries that fail
/// Throws kInvalid with FILE:LINE:COLUMN for anything else: unknown keys, epochs, agents or slots
/// that the study does not have, an epoch named twice, an epoch in which nobody takes part.
protocol::Participation load_participation(const std::filesystem::path& path,
                                           const protocol::Study& study);

/// The same from text; `file_name` is used in messages.
protocol::Participation parse_participation(std::string_view text, const std::string& file_name,
                                            const protocol::Study& study);

/// The text that parse_participation reads back: a deployment's record of who took part, for
/// `duets run --participation`. Full participation is a comment alone.
std::string participation_toml(const protocol::Participation& participation);

}  // namespace duets::cli

// The text of a scenario: blocks of commands, each followed by what they must answer.
//
//   # a remark
//   command key=value ...
//   ----
//   expected lines
//
// A block ends with an empty line. Everything but the expected lines survives a rewrite.
#pragma once

#include <string>
#include <vector>

namespace duets::scenario {

using Lines = std::vector<std::string>;

struct Block {
  Lines remarks;   ///< lines with # in front of the commands
  Lines commands;  ///< empty for a block of remarks only
  Lines expected;
};

/// Throws std::runtime_error for a block without "----" after its commands.
std::vector<Block> parse_transcript(const std::string& text);

/// The inverse of parse_transcript, up to extra empty lines.
std::string format_transcript(const std::vector<Block>& blocks);

/// Lines of both, marked ' ', '-' (expected only) and '+' (actual only).
std::string difference(const Lines& expected, const Lines& actual);

}  // namespace duets::scenario

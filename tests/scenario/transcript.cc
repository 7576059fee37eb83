#include "transcript.h"

#include <algorithm>
#include <sstream>
#include <stdexcept>

namespace duets::scenario {
namespace {

constexpr const char* kRule = "----";

Block parse_block(const Lines& lines) {
  Block block;
  const auto rule = std::find(lines.begin(), lines.end(), kRule);
  for (auto line = lines.begin(); line != rule; ++line) {
    (line->front() == '#' ? block.remarks : block.commands).push_back(*line);
  }
  if (rule == lines.end() && !block.commands.empty()) {
    throw std::runtime_error("no ---- after the command: " + block.commands.back());
  }
  if (rule != lines.end()) block.expected.assign(rule + 1, lines.end());
  return block;
}

// lengths[i][j]: the longest common subsequence of a[i..] and b[j..].
std::vector<std::vector<std::size_t>> common_lengths(const Lines& a, const Lines& b) {
  std::vector<std::vector<std::size_t>> lengths(a.size() + 1,
                                                std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      lengths[i][j] =
          a[i] == b[j] ? lengths[i + 1][j + 1] + 1 : std::max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return lengths;
}

}  // namespace

std::vector<Block> parse_transcript(const std::string& text) {
  std::vector<Block> blocks;
  std::istringstream in(text);
  Lines lines;
  const auto flush = [&] {
    if (!lines.empty()) blocks.push_back(parse_block(lines));
    lines.clear();
  };
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) {
      flush();
    } else {
      lines.push_back(line);
    }
  }
  flush();
  return blocks;
}

std::string format_transcript(const std::vector<Block>& blocks) {
  std::string text;
  for (const Block& block : blocks) {
    if (!text.empty()) text += '\n';
    for (const std::string& line : block.remarks) text += line + '\n';
    for (const std::string& line : block.commands) text += line + '\n';
    if (block.commands.empty()) continue;
    text += std::string(kRule) + '\n';
    for (const std::string& line : block.expected) text += line + '\n';
  }
  return text;
}

std::string difference(const Lines& expected, const Lines& actual) {
  const auto common = common_lengths(expected, actual);
  std::string text;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < expected.size() || j < actual.size()) {
    if (i < expected.size() && j < actual.size() && expected[i] == actual[j]) {
      text += "  " + expected[i++] + '\n';
      ++j;
    } else if (j == actual.size() ||
               (i < expected.size() && common[i + 1][j] >= common[i][j + 1])) {
      text += "- " + expected[i++] + '\n';
    } else {
      text += "+ " + actual[j++] + '\n';
    }
  }
  return text;
}

}  // namespace duets::scenario

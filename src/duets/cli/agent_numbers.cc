#include "duets/cli/agent_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "duets/base/error.h"

namespace duets::cli {
namespace {

constexpr std::size_t kMaxShownRanges = 12;

std::optional<std::uint32_t> whole(std::string_view text) {
  std::uint32_t value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || stop != end) return std::nullopt;
  return value;
}

}  // namespace

std::pair<std::uint32_t, std::uint32_t> parse_agent_range(const std::string& text,
                                                          const std::string& flag) {
  const std::string_view range = text;
  const std::size_t dash = range.find('-');
  const auto first = whole(range.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : whole(range.substr(dash + 1));
  base::require(first && last && *first <= *last, flag, text,
                "must be A-B, two agent numbers with A <= B");
  base::require(*last - *first < kMaxHostedAgents, flag, text,
                fmt::format("at most {} agents can run in one process", kMaxHostedAgents));
  return {*first, *last};
}

std::string agents_text(const std::vector<std::uint32_t>& agents) {
  std::vector<std::string> ranges;
  std::size_t shown = 0;
  while (shown < agents.size() && ranges.size() < kMaxShownRanges) {
    std::size_t end = shown + 1;
    while (end < agents.size() && agents[end] == agents[end - 1] + 1) ++end;
    ranges.push_back(end - shown == 1 ? fmt::format("{}", agents[shown])
                                      : fmt::format("{}-{}", agents[shown], agents[end - 1]));
    shown = end;
  }
  std::string text =
      fmt::format("{} {}", agents.size() == 1 ? "agent" : "agents", fmt::join(ranges, ", "));
  if (shown < agents.size()) text += fmt::format(" and {} more", agents.size() - shown);
  return text;
}

}  // namespace duets::cli

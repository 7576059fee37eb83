// A finished run of DUETS as the NumPy reference reads it: what chance decided, and our answers.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "paper_study.h"

namespace duets::bench {

/// Values as a JSON list; strings are taken as JSON.
template <typename Range>
std::string json_list(const Range& values) {
  return fmt::format("[{}]", fmt::join(values, ","));
}

/// All coordinates in one list, row after row.
inline std::string json_rows(const numeric::Points& points) {
  return json_list(std::vector<double>(points.data(), points.data() + points.size()));
}

/// `paper.study` run once, without its candidates.
std::string duets_run_json(const PaperStudy& paper, std::uint64_t seed);

}  // namespace duets::bench

#include "duets/lab/curves.h"

namespace duets::lab {

const std::vector<double>& Curves::reals(Ledger ledger) const {
  switch (ledger) {
    case Ledger::kFigure:
      return figure;
    case Ledger::kLinks:
      return links;
    case Ledger::kIndices:
      return indices;
    case Ledger::kLiteral:
      return literal;
    case Ledger::kPaper:
      break;
  }
  return paper;
}

std::vector<std::uint32_t> curve_times(std::uint32_t horizon) {
  const std::uint32_t step = (horizon + kMaxCurveEntries - 1) / kMaxCurveEntries;
  std::vector<std::uint32_t> times;
  for (std::uint32_t t = step; step > 0 && t <= horizon; t += step) times.push_back(t);
  if (times.empty() || times.back() != horizon) times.push_back(horizon);
  return times;
}

}  // namespace duets::lab

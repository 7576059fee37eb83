#include "duets/lab/final_numbers.h"

#include "duets/base/error.h"

namespace duets::lab {

FinalNumbers final_numbers(const std::vector<Unit>& units, std::size_t index,
                           const std::string& name, const Bootstrap& bootstrap) {
  FinalNumbers out;
  std::vector<const Curves*> runs;
  for (const Unit& unit : units) {
    base::require(index < unit.size() && !unit[index].t.empty(), "result", name,
                  "must have one run for each contender and seed");
    const Curves& curves = unit[index];
    runs.push_back(&curves);
    out.final_regret.push_back(curves.regret.back());
    out.rounds += curves.rounds / static_cast<double>(units.size());
    for (const Ledger ledger : kLedgers) {
      const std::vector<double>& reals = curves.reals(ledger);
      base::require(!reals.empty(), "result", name, "must have an entry in every ledger");
      out.final_communication[static_cast<std::size_t>(ledger)].push_back(reals.back());
    }
  }
  out.recommendation = recommendations_of(runs, bootstrap);
  out.regret = summarise(out.final_regret, bootstrap);
  for (std::size_t i = 0; i < kLedgers.size(); ++i) {
    out.communication[i] = summarise(out.final_communication[i], bootstrap);
  }
  return out;
}

}  // namespace duets::lab

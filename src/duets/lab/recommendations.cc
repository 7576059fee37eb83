#include "duets/lab/recommendations.h"

namespace duets::lab {

Recommendations recommendations_of(std::span<const Curves* const> runs,
                                   const Bootstrap& bootstrap) {
  Recommendations out;
  for (const Curves* curves : runs) {
    out.final_regret.push_back(curves->recommendation_regret);
    if (curves->lost) out.lost += 1;
  }
  out.regret = summarise(out.final_regret, bootstrap);
  out.lost /= static_cast<double>(runs.size());
  return out;
}

}  // namespace duets::lab

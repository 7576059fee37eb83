#include "duets/lab/ask_tell.h"

namespace duets::lab {

double AskTell::reals(Ledger ledger) const {
  const double n = agents;
  const double t = horizon;
  const auto d = static_cast<double>(dimension);
  switch (ledger) {
    case Ledger::kFigure:
      return n * t;
    case Ledger::kLinks:
      return n * t * (d + 1);
    case Ledger::kIndices:
      return t * (n * (shares_points ? 1 : d) + 1);
    case Ledger::kPaper:
    case Ledger::kLiteral:
      break;
  }
  return t * (n * d + 1);
}

AskTell ask_tell_of(const protocol::Study& study) {
  return {.agents = study.agents,
          .horizon = study.horizon,
          .dimension = study.domain->dimension(),
          .shares_points = study.domain->is_finite()};
}

}  // namespace duets::lab

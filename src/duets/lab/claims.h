// The claims of the published empirical study, each judged by the runs at hand.
#pragma once

#include <string>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/lab/analysis.h"

namespace duets::lab {

enum class Verdict { kHolds, kFails, kUndecided };
constexpr auto enum_entries(Verdict /*tag*/) {
  return base::entries<Verdict>(
      {{Verdict::kHolds, "holds", "holds"},
       {Verdict::kFails, "does not hold", "does not hold"},
       {Verdict::kUndecided, "undecided", "cannot be decided with these runs"}});
}

enum class Claim { kRegret, kCommunication };
/// With the sentence of the paper.
constexpr auto enum_entries(Claim /*tag*/) {
  return base::entries<Claim>(
      {{Claim::kRegret, "regret",
        "DUETS achieves a significantly lower regret as compared to all other algorithms "
        "consistently across benchmark functions."},
       {Claim::kCommunication, "communication",
        "DUETS also incurs a smaller communication overhead as compared to other algorithms."}});
}

/// DUETS against one rival on one function.
struct RivalFinding {
  std::string rival{};
  PairedDifference difference{};  ///< DUETS minus rival
};

struct FunctionVerdict {
  std::string function{};
  Verdict verdict = Verdict::kUndecided;
  std::vector<RivalFinding> rivals{};  ///< those that decide
  std::vector<std::string> silent{};   ///< rivals that sent nothing (communication only)
  std::string text{};                  ///< numbers and intervals
};

struct ClaimVerdict {
  Claim claim = Claim::kRegret;
  std::string preset{};
  bool plotted_betas = false;  ///< at the betas of the published curves instead of the chosen ones
  Ledger ledger = Ledger::kPaper;  ///< of kCommunication
  std::vector<FunctionVerdict> functions{};
  Verdict overall = Verdict::kUndecided;
  std::string text{};
};

/// Holds when DUETS is lower than every rival; fails when some rival is lower than DUETS; otherwise
/// undecided, also without a rival.
Verdict judge(const std::vector<RivalFinding>& rivals);

/// Fails when it fails on some function. Holds when it holds on every function and `complete` (all
/// functions and algorithms of the claim took part). Otherwise undecided.
Verdict judge_overall(const std::vector<FunctionVerdict>& functions, bool complete);

/// Every claim for every preset of the study in the analysis: regret, then
/// communication in each ledger; for "as-plotted" once at the chosen betas and once at the plotted
/// ones, where the grids have those. Chosen betas are judged only where every grid has the printed
/// betas. The communication claim is judged among algorithms that send anything; those that send
/// nothing are named. Tasks without DUETS or of other presets give no claim.
std::vector<ClaimVerdict> judge_claims(const Analysis& analysis);

/// Rivals that sent nothing on some of the functions, once each.
std::vector<std::string> silent_rivals(const std::vector<FunctionVerdict>& functions);

/// "paper preset, best betas", "as-plotted preset, betas of the published curves, figure ledger".
std::string claim_scope(const ClaimVerdict& claim);

}  // namespace duets::lab

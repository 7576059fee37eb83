#include "duets/lab/claims.h"

#include <algorithm>
#include <array>

#include "duets/lab/comparison_text.h"
#include "duets/lab/presets.h"

namespace duets::lab {
namespace {

constexpr std::string_view kDuets = "DUETS";
constexpr std::array<std::string_view, 3> kRivals = {"DisKernelUCB", "ApproxDisKernelUCB",
                                                     "N-KernelUCB"};

// What a claim is judged by: the sentence, the betas and the ledger.
struct Scope {
  Claim claim = Claim::kRegret;
  bool plotted_betas = false;
  Ledger ledger = Ledger::kPaper;
};

const ContenderAnalysis* contender(const TaskAnalysis& task, std::string_view algorithm,
                                   const Scope& scope) {
  return scope.plotted_betas ? task.find(algorithm, plotted_beta(algorithm))
                             : task.chosen_of(algorithm);
}

const std::vector<double>& values_of(const ContenderAnalysis& c, const Scope& scope) {
  return scope.claim == Claim::kRegret
             ? c.final_regret
             : c.final_communication[static_cast<std::size_t>(scope.ledger)];
}

const Summary& summary_of(const ContenderAnalysis& c, const Scope& scope) {
  return scope.claim == Claim::kRegret ? c.regret
                                       : c.communication[static_cast<std::size_t>(scope.ledger)];
}

bool is_silent(const ContenderAnalysis& c, const Scope& scope) {
  return scope.claim == Claim::kCommunication && summary_of(c, scope).mean == 0;
}

std::string who(const ContenderAnalysis& c, const Scope& scope) {
  return c.algorithm + " at beta " + beta_text(c) + " (" + mean_text(summary_of(c, scope)) + ")";
}

std::string silent_text(const std::vector<std::string>& silent) {
  if (silent.empty()) return "";
  return " " + list_text(silent) + (silent.size() == 1 ? " sends" : " send") +
         " nothing, so DUETS does not send less than that.";
}

FunctionVerdict judge_function(const TaskAnalysis& task, const ContenderAnalysis& duets,
                               const Scope& scope) {
  FunctionVerdict out{.function = task.function};
  std::vector<const ContenderAnalysis*> rivals;
  for (const std::string_view name : kRivals) {
    const ContenderAnalysis* rival = contender(task, name, scope);
    if (rival == nullptr) continue;
    if (is_silent(*rival, scope)) {
      out.silent.emplace_back(name);
    } else {
      rivals.push_back(rival);
    }
  }
  // As in the table of differences, which knows of no silence: one pair has one interval.
  const std::size_t family = rivals.size() + out.silent.size();
  out.text = who(duets, scope);
  for (const ContenderAnalysis* rival : rivals) {
    out.rivals.push_back({rival->algorithm, paired_difference(values_of(duets, scope),
                                                              values_of(*rival, scope), family)});
    out.text += "; against " + who(*rival, scope) + " difference " +
                difference_text(out.rivals.back().difference);
  }
  out.text += "." + silent_text(out.silent);
  out.verdict = judge(out.rivals);
  return out;
}

// "holds on h1 and h2; does not hold on Branin; undecided on Hartmann-4D"
std::string by_verdict(const std::vector<FunctionVerdict>& functions) {
  std::string out;
  for (const auto& verdict : base::entries_of<Verdict>()) {
    std::vector<std::string> names;
    for (const FunctionVerdict& f : functions) {
      if (f.verdict == verdict.value) names.push_back(function_title(f.function));
    }
    if (names.empty()) continue;
    out += (out.empty() ? "" : "; ") + std::string(verdict.name) + " on " + list_text(names);
  }
  return out;
}

// All functions, each with all rivals.
bool is_complete(const std::vector<FunctionVerdict>& functions) {
  for (const std::string_view name : paper_functions()) {
    const bool there = std::any_of(functions.begin(), functions.end(), [&](const auto& f) {
      return f.function == name && f.rivals.size() + f.silent.size() == kRivals.size();
    });
    if (!there) return false;
  }
  return true;
}

std::string overall_text(const ClaimVerdict& claim, bool complete) {
  std::string out = by_verdict(claim.functions) + ".";
  const std::vector<std::string> silent = silent_rivals(claim.functions);
  if (!silent.empty()) {
    out += " Judged among the algorithms that send anything. " + list_text(silent) +
           (silent.size() == 1 ? " sends" : " send") +
           " nothing at all: read literally, as a comparison with every other algorithm, the claim "
           "fails wherever that one ran.";
  }
  if (!complete) out += " Not every function and algorithm of the claim was run.";
  return out;
}

// Whether every algorithm of the claim had all betas of the printed grid: a claim about chosen
// betas cannot be judged by fewer.
bool has_printed_grid(const TaskAnalysis& task) {
  const std::vector<double> printed = printed_betas();
  return std::all_of(task.grids.begin(), task.grids.end(), [&](const Grid& grid) {
    const std::string& name = task.contenders[grid.chosen].algorithm;
    const bool takes_part =
        name == kDuets || std::find(kRivals.begin(), kRivals.end(), name) != kRivals.end();
    return !takes_part || std::all_of(printed.begin(), printed.end(), [&](double beta) {
      return std::any_of(grid.contenders.begin(), grid.contenders.end(), [&](std::size_t i) {
        return task.contenders[i].beta.value_or(beta) == beta;
      });
    });
  });
}

void add_claim(const Analysis& analysis, const std::string& preset, const Scope& scope,
               std::vector<ClaimVerdict>& out) {
  ClaimVerdict claim{.claim = scope.claim,
                     .preset = preset,
                     .plotted_betas = scope.plotted_betas,
                     .ledger = scope.ledger};
  for (const TaskAnalysis* task : analysis.of_preset(preset)) {
    if (!scope.plotted_betas && !has_printed_grid(*task)) continue;
    const ContenderAnalysis* duets = contender(*task, kDuets, scope);
    if (duets != nullptr) claim.functions.push_back(judge_function(*task, *duets, scope));
  }
  if (claim.functions.empty()) return;
  const bool complete = is_complete(claim.functions);
  claim.overall = judge_overall(claim.functions, complete);
  claim.text = overall_text(claim, complete);
  out.push_back(std::move(claim));
}

}  // namespace

Verdict judge(const std::vector<RivalFinding>& rivals) {
  if (rivals.empty()) return Verdict::kUndecided;
  bool all_lower = true;
  for (const RivalFinding& r : rivals) {
    if (r.difference.order == Order::kHigher) return Verdict::kFails;
    all_lower = all_lower && r.difference.order == Order::kLower;
  }
  return all_lower ? Verdict::kHolds : Verdict::kUndecided;
}

Verdict judge_overall(const std::vector<FunctionVerdict>& functions, bool complete) {
  bool all_hold = complete && !functions.empty();
  for (const FunctionVerdict& f : functions) {
    if (f.verdict == Verdict::kFails) return Verdict::kFails;
    all_hold = all_hold && f.verdict == Verdict::kHolds;
  }
  return all_hold ? Verdict::kHolds : Verdict::kUndecided;
}

std::vector<std::string> silent_rivals(const std::vector<FunctionVerdict>& functions) {
  std::vector<std::string> out;
  for (const FunctionVerdict& f : functions) {
    for (const std::string& name : f.silent) {
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
  }
  return out;
}

std::vector<ClaimVerdict> judge_claims(const Analysis& analysis) {
  std::vector<ClaimVerdict> out;
  for (const std::string_view name : preset_names()) {
    const std::string preset(name);
    for (const bool plotted : {false, true}) {
      if (plotted && preset != "as-plotted") continue;
      add_claim(analysis, preset, {Claim::kRegret, plotted, {}}, out);
      for (const Ledger ledger : kLedgers) {
        add_claim(analysis, preset, {Claim::kCommunication, plotted, ledger}, out);
      }
    }
  }
  return out;
}

std::string claim_scope(const ClaimVerdict& claim) {
  std::string out = claim.preset + " preset, " +
                    (claim.plotted_betas ? "betas of the published curves" : "chosen betas");
  if (claim.claim == Claim::kCommunication) {
    out += ", " + std::string(base::name_of(claim.ledger)) + " ledger";
  }
  return out;
}

}  // namespace duets::lab

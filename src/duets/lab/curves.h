// The curves of one run of one algorithm and what it recommends, for comparisons.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "duets/base/enum_table.h"

namespace duets::lab {

/// The ways of counting real numbers (docs/guide.md).
enum class Ledger : std::uint8_t {
  kPaper = 0,    ///< mean uplink of an agent, each broadcast once
  kFigure = 1,   ///< uplink of all agents
  kLinks = 2,    ///< every link
  kIndices = 3,  ///< as kPaper; a point of a finite set is an index, one real, for everybody
  kLiteral = 4,  ///< as kPaper; all points that coins selected for S, repeated and pruned ones too
};
inline constexpr std::array kLedgers = {Ledger::kPaper, Ledger::kFigure, Ledger::kLinks,
                                        Ledger::kIndices, Ledger::kLiteral};
inline constexpr std::size_t kNumLedgers = kLedgers.size();
constexpr auto enum_entries(Ledger /*tag*/) {
  return base::entries<Ledger>({{Ledger::kPaper, "paper"},
                                {Ledger::kFigure, "figure"},
                                {Ledger::kLinks, "links"},
                                {Ledger::kIndices, "indices"},
                                {Ledger::kLiteral, "literal"}});
}

/// Curves over time, all of the same length. Entry i is the state when every agent has made t[i]
/// queries; t increases and ends at the horizon. Numbers are cumulative: regret summed
/// over agents, reals in the ledgers (closing messages in none).
struct Curves {
  std::vector<std::uint32_t> t{};
  std::vector<double> regret{};
  std::vector<double> paper{};
  std::vector<double> figure{};
  std::vector<double> links{};
  std::vector<double> indices{};
  std::vector<double> literal{};
  std::uint32_t rounds = 0;  ///< after which something was sent
  /// f(x*) - f(x) of the recommended point x, without noise, against the reference of the regret.
  double recommendation_regret = 0;
  bool lost = false;  ///< that is above kLostShare of the function's deviation over the domain

  const std::vector<double>& reals(Ledger ledger) const;

  friend bool operator==(const Curves&, const Curves&) = default;
};

/// A run has lost the optimum when its recommendation is worse than the best point by more than
/// this part of the function's standard deviation over the domain.
inline constexpr double kLostShare = 0.1;

/// Curves of a run with a longer horizon are thinned to about this many entries, evenly.
inline constexpr std::uint32_t kMaxCurveEntries = 400;

/// The times that curves of this horizon keep: all, or about kMaxCurveEntries of them and the last.
std::vector<std::uint32_t> curve_times(std::uint32_t horizon);

}  // namespace duets::lab

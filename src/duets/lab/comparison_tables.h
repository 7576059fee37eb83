// The numbers of a comparison as text: CSV for programs, a table for people.
#pragma once

#include <string>

#include "duets/lab/analysis.h"

namespace duets::lab {

/// CSV (RFC 4180, "\n" line ends, header first). Numbers are the shortest that read back as the
/// same double; a value that does not exist (deviation of one run, communication of an oracle, beta
/// of an algorithm without one) is an empty field. Same analysis, same bytes.

/// One line for each contender: preset, function, algorithm, beta, runs, regret_mean, regret_std,
/// communication_paper, communication_figure, communication_links (means at the horizon), variant,
/// is_best_beta (0 or 1), regret_low, regret_high (95 % interval of the mean, bootstrap-t).
std::string summary_csv(const Analysis& analysis);

/// Every curve, one line for each t: preset, function, algorithm, variant, beta, t, regret_mean,
/// regret_std, regret_low, regret_high, communication_paper, communication_figure,
/// communication_links.
std::string curves_csv(const Analysis& analysis);

/// Paired differences first - second at the best betas, one line for each pair and measure
/// ("regret", "communication_paper", ...): preset, function, measure, first, first_beta, second,
/// second_beta, runs, mean, std, low, high, verdict ("lower", "higher", "undecided"). low and high
/// are family-wise 95 % intervals (Student's t, Bonferroni over a competitor's rivals).
std::string differences_csv(const Analysis& analysis);

/// For a terminal: per function and algorithm the best beta, regret with its standard error, reals
/// sent; the winner marked, or why there is none. UTF-8, ends with a newline.
std::string summary_text(const Analysis& analysis);

}  // namespace duets::lab

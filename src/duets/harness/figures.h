// The figures of one run, each a complete SVG document.
#pragma once

#include <string>
#include <vector>

#include "duets/harness/run_result.h"
#include "duets/report/chart.h"

namespace duets::harness {

/// All of these are pure functions of the result: same result, same bytes. Numbers that are not
/// finite are gaps, never text. A figure without data says so.

/// Cumulative regret over the queries per agent; regret of one query, running and by epoch.
std::string regret_figure(const RunResult& result);

/// The three ledgers over the queries per agent (log axis if they differ by more than a factor of
/// 100), and bytes; the closing messages as a note.
std::string communication_figure(const RunResult& result);

/// Size of the active region by epoch, and the share of it that each cut keeps.
std::string region_figure(const RunResult& result);

/// Points and inducing points by epoch, and the values that decide the number of inducing points.
std::string inducing_figure(const RunResult& result);

/// For two-dimensional studies: posterior mean with the boundaries of the regions, queried points
/// over the nested regions (at most 5000, evenly chosen), and the true function if known.
std::string map_figure(const RunResult& result);

/// The figures that have data: regret.svg, communication.svg, region.svg, inducing.svg, map.svg, in
/// this order.
std::vector<report::NamedFigure> all_figures(const RunResult& result);

/// "Study: what", the title of a figure.
std::string figure_title(const RunResult& result, const std::string& what);

using MakePanel = report::Panel (*)(const RunResult& result);

/// Two panels side by side, or `nothing` when there are no data. The figure has its id, description
/// and what the title says after the study's name.
std::string draw_pair(const RunResult& result, report::Figure figure, bool has_data,
                      const char* nothing, MakePanel left, MakePanel right);

/// The epochs as ranges of the time axis, up to `horizon`.
std::vector<report::Stretch> epoch_stretches(const RunResult& result);

/// True if the picture exists and its grids have the declared sizes.
bool has_map(const RunResult& result);

}  // namespace duets::harness

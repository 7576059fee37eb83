#include "duets/harness/run_tables.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "duets/base/digest.h"
#include "duets/harness/thinning.h"
#include "duets/protocol/variance.h"
#include "duets/report/chart_number.h"

namespace duets::harness {
namespace {

using protocol::EpochReport;
using report::Markup;
using report::number;

Markup percent(double part) {
  if (!std::isfinite(part)) return {report::kDash};
  return {number(100 * part, 3).html + "\xC2\xA0%"};
}

Markup region_cell(const EpochReport& r) {
  if (r.region_points == 0) return percent(r.region_fraction);
  return {report::grouped(r.region_points) + " (" + percent(r.region_fraction).html + ")"};
}

Markup sampler_cell(const EpochReport& r) {
  const std::string method(base::name_of(r.sampler.method));
  if (!region::is_walk(r.sampler.method)) return {method};
  return {method + ", " + report::grouped(r.sampler.walk_steps) + " steps"};
}

// For a value where 0 means that there is none.
Markup above_zero(double value, int digits) {
  return value > 0 ? number(value, digits) : Markup{report::kDash};
}

// One length scale for all features, or one for each.
Markup lengthscale_cell(const EpochReport& r) {
  Markup out;
  for (const double scale : r.kernel.lengthscales) {
    out.html += (out.html.empty() ? "" : ", ") + number(scale).html;
  }
  return out;
}

std::string numbers(const std::vector<double>& values) {
  std::string out;
  for (const double value : values) {
    if (!out.empty()) out += " ";
    report::append_csv(out, value);
  }
  return out;
}

report::Columns<EpochReport> shaped_columns() {
  using R = EpochReport;
  return {
      {"epoch", [](const R& r) { return base::value(r.epoch); }, "epoch"},
      {"planned_length", &R::planned_length, "queries per agent, planned"},
      {"length", &R::length, "queries per agent, used"},
      {"points", &R::num_points, "points that count"},
      {"distinct_points", &R::num_distinct, "different points"},
      {"participants", &R::num_participants, "agents that took part"},
      {"holes", &R::num_holes, "holes (failed queries)"},
      {"region_fraction", &R::region_fraction, "active region", region_cell},
      {"cut_acceptance", &R::cut_acceptance, "kept by the cut",
       [](const R& r) { return percent(r.cut_acceptance); }},
      {"region_points", &R::region_points},
      {"survivors", &R::survivors},
      {"sampler", [](const R& r) { return base::name_of(r.sampler.method); }, "sampler",
       sampler_cell},
      {"membership_tests", &R::membership_tests, "membership tests"},
      {"sigma2_max_open", &R::sigma2_max_open},
      {"sigma2_max", &R::sigma2_max, "largest deviation &sigma;<sub>max</sub>",
       [](const R& r) { return number(std::sqrt(r.sigma2_max)); }},
      {"p_unclipped", &R::p_unclipped, "p before clipping",
       [](const R& r) { return above_zero(r.p_unclipped, 3); }},
      {"p", &R::p, "p after clipping", [](const R& r) { return above_zero(r.p, 3); }},
      {"selected", &R::num_selected, "inducing points, selected"},
      {"inducing", &R::num_inducing, "inducing points, broadcast"},
      {"information_gain", &R::information_gain, "information gain"},
      {"variance_path", [](const R& r) { return base::name_of(r.variance_path); }, "variance",
       [](const R& r) {
         return Markup{std::string(base::name_of(r.variance_path)) + ", rank " +
                       report::grouped(r.variance_rank)};
       }},
      {"variance_rank", &R::variance_rank},
      {"variance_tolerance", &R::variance_tolerance},
      {"clamped", &R::num_clamped},
      {"lengthscale", [](const R& r) { return numbers(r.kernel.lengthscales); }, "length scale",
       lengthscale_cell},
      {"signal_variance", [](const R& r) { return r.kernel.variance; }, "prior deviation",
       [](const R& r) { return number(std::sqrt(r.kernel.variance)); }},
      {"lambda", &R::lambda, "noise variance &lambda;"},
      {"reward_offset", &R::reward_offset, "reward offset"},
      {"surprise", &R::surprise, "surprise", [](const R& r) { return above_zero(r.surprise, 4); }},
      {"width", &R::width, "width of the confidence bound"},
      {"max_stddev", &R::max_stddev},
      {"max_mean", &R::max_mean, "largest mean (model units)"},
      {"tau", &R::tau, "threshold &tau; (model units)"},
      {"printed_tau", &R::printed_tau, "&tau; without the floor"},
      {"kept_share", &R::kept_share, "share decided",
       [](const R& r) { return above_zero(r.kept_share, 3); }},
      {"shortfall", &R::shortfall, "expected shortfall",
       [](const R& r) { return above_zero(r.shortfall, 3); }},
      {"lost", &R::lost, "expected loss of the cut",
       [](const R& r) { return r.kept_share > 0 ? number(r.lost, 3) : Markup{report::kDash}; }},
      {"smallest_margin", &R::smallest_margin, "smallest margin", {}, 2},
      {"mean_error", &R::mean_error, "rounding error of a mean", {}, 2},
  };
}

// The digests come last.
report::Columns<EpochReport> epoch_columns() {
  using R = EpochReport;
  report::Columns<R> columns = shaped_columns();
  for (const protocol::ReportNumber& number : protocol::kReportNumbers) {
    if (number.column.empty()) continue;
    const auto value = [&number](const R& r) {
      return std::visit([&r](auto member) { return report::Value(r.*member); }, number.member);
    };
    columns.push_back({std::string(number.column), value, std::string(number.title)});
  }
  columns.push_back({"run_digest", [](const R& r) { return base::to_hex(r.run_digest); }});
  columns.push_back({"state_digest", [](const R& r) { return base::to_hex(r.state_digest); }});
  return columns;
}

}  // namespace

report::Table epochs_table(const RunResult& result) {
  return report::make_table(epoch_columns(), result.epochs);
}

report::Table communication_table(const RunResult& result) {
  using P = CommunicationPoint;
  const report::Columns<P> columns = {
      {"epoch", &P::epoch, "epoch"},
      {"t", &P::t, "t"},
      {"paper", &P::paper, "paper", {}, 7},
      {"figure", &P::figure, "figure", {}, 7},
      {"links", &P::links, "links", {}, 7},
      {"closing", &P::closing, "closing", {}, 7},
      {"bytes", &P::bytes, "bytes"},
      {"ask_tell",
       [&result](const P& p) { return ask_tell_reals(result, p.t); },
       "plain ask and tell, links",
       {},
       7}};
  return report::make_table(columns, result.communication);
}

report::Table regret_table(const RunResult& result) {
  const std::vector<double>& curve = result.cumulative_regret;
  const report::Columns<std::size_t> columns = {
      {"t", [](std::size_t t) { return t; }},
      {"cumulative_regret", [&](std::size_t t) { return curve[t - 1]; }}};
  return report::make_table(columns, shown_times(curve.size(), result.lengths));
}

TrialTable::TrialTable(const domain::Domain& domain) {
  columns_ = {{"agent", [](const Line& l) { return l.trial.agent; }},
              {"epoch", [](const Line& l) { return l.trial.epoch; }},
              {"slot", [](const Line& l) { return l.trial.slot; }},
              {"t", [](const Line& l) { return l.trial.t; }}};
  const std::vector<std::string> names = domain.coordinate_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    columns_.push_back({names[i], [&domain, i](const Line& l) {
                          return domain::shown_value(domain.parameters(), i, l.trial.values[i]);
                        }});
  }
  const auto unless_hole = [](double Trial::*number) {
    return [number](const Line& l) {
      return l.trial.hole ? report::Value() : report::Value(l.trial.*number);
    };
  };
  columns_.push_back(
      {"state", [](const Line& l) { return l.trial.hole ? std::string_view("hole") : l.state; }});
  columns_.push_back({"value", unless_hole(&Trial::value)});
  columns_.push_back({"regret", unless_hole(&Trial::regret)});
}

std::string TrialTable::head() const { return report::csv_head(columns_); }

void TrialTable::append(std::string& out, const Trial& trial, std::string_view state) const {
  report::append_csv_row(out, columns_, Line{trial, state});
}

}  // namespace duets::harness

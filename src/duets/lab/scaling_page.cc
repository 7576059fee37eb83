#include "duets/lab/scaling_page.h"

#include <fmt/format.h>

#include "duets/lab/scaling_figure.h"
#include "duets/lab/scaling_tables.h"
#include "duets/report/html.h"

namespace duets::lab {
namespace {

report::Markup scaling_facts_section(const ComparisonPage& page_facts) {
  return report::section(
      "What was run",
      report::join(
          {report::paragraph(report::text(fmt::format(
               "DUETS alone, on {} candidates drawn uniformly in the unit square for each seed: "
               "the paper's schedule with T1 = 2, its coin with p0 = 10, projections, lambda = "
               "0.2, noise of deviation 0.2, and beta = {} at every size. branin has a squared "
               "exponential kernel with l = 0.2 that does not hold it exactly; the rkhs functions "
               "are random, of norm 2, and the model's kernel is theirs (l = 0.2).",
               kScalingCandidates, kScalingBeta))),
           report::facts_table(page_facts.facts)}));
}

report::Markup figure_section(const ScalingAnalysis& analysis) {
  return report::section(
      "Growth",
      {"<figure>\n" + scaling_figure(analysis) + "<figcaption>" +
       report::text(
           "Both axes are logarithmic, so a power is a straight line and its exponent the slope. "
           "Lines join the means over seeds; bands are 95 % bootstrap-t intervals of the mean. "
           "The dashed line has slope 1: the theorem, up to its logarithms, allows no curve to "
           "be steeper in the long run.")
           .html +
       "</figcaption>\n</figure>\n"});
}

report::Markup slopes_section(const ScalingAnalysis& analysis) {
  report::Table slopes{
      .caption = report::text("Slopes of log-log lines with 95 % intervals, each on its own; the "
                              "verdicts hold together at 95 %."),
      .head = {report::text("function"), report::text("sweep"), report::text("measure"),
               report::text("all sizes"), report::text("verdict"), report::text("upper half"),
               report::text("verdict")},
      .rows = {}};
  for (const SlopeFit& fit : analysis.fits) {
    if (fit.upper_half) continue;
    const SlopeFit* half = analysis.fit(fit.function, fit.sweep, fit.growth, true);
    slopes.rows.push_back({report::text(fit.function), report::text(sweep_name(fit.sweep)),
                           report::text(growth_name(fit.growth)),
                           report::text(slope_with_interval(fit)),
                           report::text(slope_text(fit.verdict)),
                           report::text(half != nullptr ? slope_with_interval(*half) : ""),
                           report::text(half != nullptr ? slope_text(half->verdict) : "")});
  }
  report::Markup content = report::table(slopes);
  for (const Growth growth : kGrowths) {
    content.html += report::paragraph(report::text(scaling_verdict(analysis, growth))).html;
  }
  content.html +=
      report::paragraph(
          report::text(
              "Method: sizes of one seed share candidates and function, so their residuals "
              "are not independent; seeds are. Each seed gives one least-squares line; the "
              "slope is the mean of these and its interval Student's t over seeds."))
          .html;
  return report::section("Slopes", content);
}

report::Markup sizes_section(const ScalingAnalysis& analysis) {
  report::Table sizes{
      .caption = report::text("Means over seeds; regret with its standard deviation. Reals are "
                              "those of the paper's ledger: mean uplink of an agent plus every "
                              "broadcast once."),
      .head = {report::text("function"), report::text("N"), report::text("T"),
               report::text("exchanges"), report::text("\xCE\xB3"), report::text("regret"),
               report::text("\xC2\xB1 sd"), report::text("regret / \xE2\x88\x9A(NT\xCE\xB3)"),
               report::text("reals"), report::text("reals / \xCE\xB3"),
               report::text("uplink of all"), report::text("every link")},
      .rows = {}};
  for (const ScalingSummary& size : analysis.sizes) {
    sizes.rows.push_back(
        {report::text(size.point.function), report::number(size.point.agents),
         report::number(size.point.horizon, 5), report::number(static_cast<double>(size.exchanges)),
         report::number(size.gain), report::number(size.regret.mean),
         size.regret.stddev ? report::number(*size.regret.stddev, 3) : report::text(""),
         report::number(size.regret.mean / size.yardstick(Growth::kRegret), 3),
         report::number(size.communication[0].mean),
         report::number(size.communication[0].mean / size.gain, 3),
         report::number(size.communication[1].mean), report::number(size.communication[2].mean)});
  }
  return report::section("Every size", report::table(sizes));
}

report::Markup reading_section() {
  const auto item = [](std::string_view line) { return report::element("li", report::text(line)); };
  return report::section(
      "What this can and cannot say",
      {"<ul>\n" +
       report::join(
           {item("gamma is the information gain of N T queries spread evenly over the candidates, "
                 "1/2 sum ln(1 + (N T / M) kappa_i / lambda), kappa_i the eigenvalues of their "
                 "Gram matrix: a number without chance in it that grows like the maximal gain up "
                 "to constants. It is that of the first seed's candidates."),
            item(
                "A fixed beta is tuned mode: no theorem covers these runs. The theorem's own width "
                "would be about 7 for the rkhs functions (B = 2, R = 0.2, delta = 0.1) and is "
                "not known for branin; it was not run."),
            item("The theorem is an upper bound with unnamed logarithms. A slope of at most 1 "
                 "does not contradict it; it does not prove it either."),
            item("Small sizes are not asymptotic: the first epoch plays N T1 uniform points "
                 "whatever T is, so at short horizons a constant per agent is part of the regret. "
                 "The upper half of the sizes is fitted apart for this reason."),
            item("The theorem bounds communication by gamma of the whole domain. Regions shrink, "
                 "and an epoch pays for the gain of its region only, so the reals may grow much "
                 "slower, or fall."),
            item("A finite set is easier than a continuous domain: once few candidates are left, "
                 "every query has the smallest regret the set allows.")})
           .html +
       "</ul>\n"});
}

}  // namespace

std::string scaling_html(const ScalingAnalysis& analysis, const ComparisonPage& page_facts) {
  report::Markup head = report::element("h1", report::text(page_facts.title));
  if (!page_facts.lead.empty()) {
    head.html += "<p class=\"lead\">" + report::text(page_facts.lead).html + "</p>\n";
  }
  return report::page(
      page_facts.title,
      report::join({head, scaling_facts_section(page_facts), figure_section(analysis),
                    slopes_section(analysis), sizes_section(analysis), reading_section()}));
}

}  // namespace duets::lab

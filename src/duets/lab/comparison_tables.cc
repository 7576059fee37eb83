#include "duets/lab/comparison_tables.h"

#include <fmt/format.h>

#include <cmath>

#include "duets/lab/comparison_text.h"

namespace duets::lab {
namespace {

// Quoted where RFC 4180 asks for it.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) {
    out += c;
    if (c == '"') out += c;
  }
  return out + "\"";
}

std::string field(double value) { return std::isfinite(value) ? fmt::format("{}", value) : ""; }

std::string field(const std::optional<double>& value) { return value ? field(*value) : ""; }

std::string low_of(const std::optional<Interval>& i) { return i ? field(i->low) : ""; }
std::string high_of(const std::optional<Interval>& i) { return i ? field(i->high) : ""; }

std::string reals(const ContenderAnalysis& c, double value) {
  return c.counts_communication() ? field(value) : "";
}

std::string line(const std::vector<std::string>& fields) {
  return fmt::format("{}\n", fmt::join(fields, ","));
}

std::string summary_line(const TaskAnalysis& task, const ContenderAnalysis& c) {
  std::vector<std::string> fields = {
      field(task.preset),    field(task.function),          field(c.algorithm),
      field(c.beta),         std::to_string(c.regret.runs), field(c.regret.mean),
      field(c.regret.stddev)};
  for (const Summary& s : c.communication) fields.push_back(reals(c, s.mean));
  fields.insert(fields.end(), {field(c.variant), c.is_best_beta ? "1" : "0",
                               low_of(c.regret.interval), high_of(c.regret.interval)});
  return line(fields);
}

std::string curve_lines(const TaskAnalysis& task, const ContenderAnalysis& c) {
  const std::string head = fmt::format("{},{},{},{},{}", field(task.preset), field(task.function),
                                       field(c.algorithm), field(c.variant), field(c.beta));
  std::string out;
  for (std::size_t i = 0; i < c.t.size(); ++i) {
    const CurveSummary& r = c.regret_curve;
    std::vector<std::string> fields = {head,
                                       std::to_string(c.t[i]),
                                       field(r.mean[i]),
                                       field(r.stddev[i]),
                                       field(r.low[i]),
                                       field(r.high[i])};
    for (const CurveSummary& s : c.communication_curves) fields.push_back(reals(c, s.mean[i]));
    out += line(fields);
  }
  return out;
}

std::string difference_line(const TaskAnalysis& task, const Comparison& c,
                            const std::string& measure, const PairedDifference& d) {
  const ContenderAnalysis& first = task.contenders[c.first];
  const ContenderAnalysis& second = task.contenders[c.second];
  return line({field(task.preset), field(task.function), measure, field(first.label()),
               field(first.beta), field(second.label()), field(second.beta), std::to_string(d.runs),
               field(d.mean), field(d.stddev), low_of(d.interval), high_of(d.interval),
               std::string(order_name(d.order))});
}

}  // namespace

std::string summary_csv(const Analysis& analysis) {
  std::string out =
      "preset,function,algorithm,beta,runs,regret_mean,regret_std,communication_paper,"
      "communication_figure,communication_links,variant,is_best_beta,regret_low,regret_high\n";
  for (const TaskAnalysis& task : analysis.tasks) {
    for (const ContenderAnalysis& c : task.contenders) out += summary_line(task, c);
  }
  return out;
}

std::string curves_csv(const Analysis& analysis) {
  std::string out =
      "preset,function,algorithm,variant,beta,t,regret_mean,regret_std,regret_low,regret_high,"
      "communication_paper,communication_figure,communication_links\n";
  for (const TaskAnalysis& task : analysis.tasks) {
    for (const ContenderAnalysis& c : task.contenders) out += curve_lines(task, c);
  }
  return out;
}

std::string differences_csv(const Analysis& analysis) {
  std::string out =
      "preset,function,measure,first,first_beta,second,second_beta,runs,mean,std,low,high,"
      "verdict\n";
  for (const TaskAnalysis& task : analysis.tasks) {
    for (const Comparison& c : task.comparisons) {
      out += difference_line(task, c, "regret", c.regret);
      for (const Ledger ledger : kLedgers) {
        out += difference_line(task, c, fmt::format("communication_{}", ledger_name(ledger)),
                               c.communication[static_cast<std::size_t>(ledger)]);
      }
    }
  }
  return out;
}

}  // namespace duets::lab

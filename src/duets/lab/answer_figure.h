// The figure of what algorithms recommend at the end, whatever the experiment: simple regret above,
// share of lost optima below, a column for each function.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "duets/lab/recommendations.h"
#include "duets/report/chart.h"

namespace duets::lab {

/// One entry: what it sent, or its horizon, and what it recommended.
struct Answer {
  double x = 0;
  Recommendations found{};
};

/// Answers that look the same. They are joined where the style has a width.
struct AnswerLine {
  std::string name{};
  report::LineStyle style{};
  std::vector<Answer> answers{};
};

struct AnswerPanel {
  std::string title{};
  std::vector<AnswerLine> lines{};
  std::optional<double> ask_tell{};  ///< what plain ask and tell sends, in units of x
};

struct AnswerFigure {
  std::string id{};
  std::string title{};
  std::string x_label = "reals sent (paper ledger)";
  std::vector<AnswerPanel> panels{};
};

/// Means with their intervals, and shares in per cent. Both x axes are logarithmic: who sent
/// nothing stands at their left end, with a note. A simple regret of 0 stands at the foot of an
/// axis that has to be logarithmic. Same input, same bytes.
std::string draw_answers(const AnswerFigure& given);

}  // namespace duets::lab

#include "duets/cli/evaluate_command.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "duets/base/error.h"
#include "duets/problems/functions.h"

namespace duets::cli {
namespace {

using testing::HasSubstr;

std::unique_ptr<problems::Problem> made(const char* name) {
  return problems::make_problem(name, {}, random::StudySecret::from_seed(1).problem_coin());
}

std::string answers(const problems::Problem& problem, const std::string& lines) {
  std::istringstream in(lines);
  std::ostringstream out;
  evaluate_lines(problem, in, out);
  return out.str();
}

TEST(Evaluate, GivesTheFunctionAtPointsByName) {
  const auto branin = made("branin");
  const std::vector<double> x{0.25, 0.5};
  EXPECT_EQ(answers(*branin, "{\"x1\": 0.25, \"x2\": 0.5}\n\n{\"x2\": 0.5, \"x1\": 0.25}\n"),
            fmt::format("{0}\n{0}\n", branin->value(x)));
}

// The best setting of trainer, by its values, has the known maximum. A value of a logarithmic
// parameter is rounded twice on its way, at the top of a smooth function.
TEST(Evaluate, ReachesTheMaximumOfAMixedFunction) {
  const auto trainer = made("trainer");
  const std::string best =
      answers(*trainer,
              "{\"learning_rate\": 0.0007943282347242813, \"layers\": 5, \"optimizer\": \"adam\"}");
  EXPECT_NEAR(std::stod(best), trainer->maximum(), 1e-12);
}

TEST(Evaluate, NamesLineAndField) {
  const auto trainer = made("trainer");
  const auto error = [&](const std::string& line) -> std::string {
    try {
      answers(*trainer, "\n" + line);
    } catch (const base::Error& e) {
      return e.what();
    }
    return "(no error)";
  };
  EXPECT_THAT(error("no json"), HasSubstr("line 2 = no json: must be JSON"));
  EXPECT_THAT(error("[1, 2, 3]"), HasSubstr("must be an object with learning_rate"));
  EXPECT_THAT(error(R"({"learning_rate": 0.1, "layers": 3, "other": 1})"),
              HasSubstr("line 2: optimizer = (missing)"));
  EXPECT_THAT(error(R"({"learning_rate": 0.1, "layers": 3, "optimizer": "none"})"),
              HasSubstr("must be one of sgd, momentum, adam"));
  EXPECT_THAT(error(R"({"learning_rate": 0.1, "layers": 9, "optimizer": "sgd"})"),
              HasSubstr("line 2: layers = 9: must be a value of the parameter"));
  EXPECT_THAT(error(R"({"learning_rate": 0.1, "layers": 2.5, "optimizer": "sgd"})"),
              HasSubstr("layers"));
  EXPECT_THAT(error(R"({"learning_rate": "x", "layers": 3, "optimizer": "sgd"})"),
              HasSubstr("must be a number"));
}

TEST(Evaluate, DescribesTheSpace) {
  const auto space = nlohmann::json::parse(function_json(*made("trainer")));
  EXPECT_EQ(space.at("parameters").size(), 3U);
  EXPECT_EQ(space.at("parameters")[0].at("log"), true);
  EXPECT_EQ(space.at("parameters")[2].at("choices").size(), 3U);
  EXPECT_EQ(nlohmann::json::parse(function_json(*made("h1"))).at("domain"), "ball");
}

}  // namespace
}  // namespace duets::cli

#include "duets/cli/evaluate_command.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <memory>

#include "duets/base/error.h"
#include "duets/cli/json_text.h"
#include "duets/cli/study_file.h"

namespace duets::cli {
namespace {

using domain::Parameter;

// The number of a value: of a choice its place.
double number_of(const Parameter& parameter, const nlohmann::json& value,
                 const std::string& field) {
  if (!domain::has_choices(parameter)) {
    base::require(value.is_number(), field, value.dump(), "must be a number");
    return value.get<double>();
  }
  const auto& choices = parameter.choices;
  const auto found = value.is_string()
                         ? std::find(choices.begin(), choices.end(), value.get<std::string>())
                         : choices.end();
  base::require(found != choices.end(), field, value.dump(),
                fmt::format("must be one of {}", fmt::join(choices, ", ")));
  return static_cast<double>(found - choices.begin());
}

// Latent coordinates of a point given by name.
numeric::Points latent_of(const domain::Domain& domain, const nlohmann::json& point,
                          std::size_t line) {
  const auto names = domain.coordinate_names();
  base::require(point.is_object() && point.size() == names.size(), fmt::format("line {}", line),
                point.dump(), fmt::format("must be an object with {}", fmt::join(names, ", ")));
  numeric::Points out(1, static_cast<Eigen::Index>(names.size()));
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string field = fmt::format("line {}: {}", line, names[k]);
    base::require(point.contains(names[k]), field, "(missing)", "must be given");
    const nlohmann::json& value = point.at(names[k]);
    double& latent = out(0, static_cast<Eigen::Index>(k));
    if (domain.shape() == domain::Shape::kBox) {
      const Parameter& parameter = domain.parameters()[k];
      const double number = number_of(parameter, value, field);
      latent = domain::latent_of(parameter, number);
      base::require(std::isfinite(number) && latent >= 0 && latent <= 1, field, value.dump(),
                    "must be a value of the parameter");
    } else {
      latent = number_of({}, value, field);
    }
  }
  base::require(domain.contains({out.data(), domain.dimension()}), fmt::format("line {}", line),
                point.dump(), "must be a point of the domain");
  return out;
}

// Null for what the type does not have.
nlohmann::ordered_json parameter_json(const Parameter& p) {
  const bool chosen = domain::has_choices(p);
  using Json = nlohmann::ordered_json;
  return {{"name", p.name},
          {"type", base::name_of(p.type)},
          {"low", chosen ? Json() : Json(p.low)},
          {"high", chosen ? Json() : Json(p.high)},
          {"log", chosen ? Json() : Json(p.log)},
          {"step", !chosen && domain::spacing(p) > 0 ? Json(p.step) : Json()},
          {"choices", chosen ? Json(p.choices) : Json()}};
}

std::unique_ptr<problems::Problem> problem_of(const std::string& name, std::uint64_t seed,
                                              const Extensions& extensions) {
  const auto coin = random::StudySecret::from_seed(seed).problem_coin();
  for (const OwnFunction& own : extensions.functions) {
    if (own.name == name) return own.make(coin);
  }
  return problems::make_problem(name, {}, coin);
}

}  // namespace

domain::Domain natural_domain(const problems::Problem& problem) {
  if (!problem.parameters().empty()) return domain::Domain::box(problem.parameters());
  if (problem.natural_shape() == problems::Shape::kBall) {
    return domain::Domain::ball(problem.dimension(), 1);
  }
  return domain::Domain::box(problem.dimension());
}

std::string function_json(const problems::Problem& problem) {
  const domain::Domain domain = natural_domain(problem);
  nlohmann::ordered_json out{{"function", problem.name()},
                             {"domain", base::name_of(domain.shape())},
                             {"dimension", domain.dimension()},
                             {"maximum", problem.maximum()},
                             {"maximum_is_numeric", problem.maximum_is_numeric()},
                             {"parameters", nlohmann::ordered_json::array()}};
  for (const Parameter& p : domain.parameters()) out["parameters"].push_back(parameter_json(p));
  return json_text(out);
}

void evaluate_lines(const problems::Problem& problem, std::istream& in, std::ostream& out) {
  const domain::Domain domain = natural_domain(problem);
  std::string text;
  for (std::size_t line = 1; std::getline(in, text); ++line) {
    if (text.find_first_not_of(" \t\r") == std::string::npos) continue;
    const nlohmann::json point = nlohmann::json::parse(text, nullptr, false);
    base::require(!point.is_discarded(), fmt::format("line {}", line), text, "must be JSON");
    const numeric::Points features = domain.features(latent_of(domain, point, line));
    fmt::print(out, "{}\n",
               problem.value({features.data(), static_cast<std::size_t>(features.cols())}));
    out.flush();
  }
}

void add_evaluate(CLI::App& app, Chosen& chosen, const Extensions& extensions) {
  struct Flags {
    std::string function;
    std::uint64_t seed = 1;
    bool space = false;
  };
  const auto flags = std::make_shared<Flags>();
  CLI::App* command = app.add_subcommand(
      "evaluate", "Values of a function, without noise, at points from standard input");
  command->add_option("function", flags->function, "A built-in function (duets algorithms)")
      ->required()
      ->option_text("FUNCTION");
  command->add_option("--seed", flags->seed, "Of a random function (default 1)")
      ->check(CLI::Range(std::uint64_t{0}, study::kMaxSeed))
      ->option_text("N");
  command->add_flag("--space", flags->space, "Print the function's space and maximum as JSON");
  command->callback([&chosen, &extensions, flags] {
    chosen = [&extensions, flags] {
      const auto problem = problem_of(flags->function, flags->seed, extensions);
      if (flags->space) {
        std::cout << function_json(*problem);
      } else {
        evaluate_lines(*problem, std::cin, std::cout);
      }
    };
  });
}

}  // namespace duets::cli

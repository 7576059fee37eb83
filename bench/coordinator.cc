// The coordinator's posteriors, one case a process, so that time and memory are the case's own.
// coordinator.py calls it and judges; every command prints one JSON object.
//
//   peak                                what the core can do at most
//   export SCENE M FILE                 a case for other programs
//   ours SCENE M FILE                   mean and variance as the coordinator finds them
//   dense SCENE M FILE                  the same by the textbook: Eigen's Cholesky
//   sweep SCENE M RANK                  one pass over the data at a fixed rank
//   supremum SCENE M                    the largest variance, at the tolerance tied to it
//   epoch SCENE M                       a whole untrimmed epoch: coordinator, agents, objective
//   agree SCENE M FAMILY REGION         variances against dense ones
#include <fmt/format.h>

#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "coordinator_cases.h"
#include "fma_peak.h"
#include "process.h"

namespace duets::bench {
namespace {

using kernel::Family;

// {"a": 1, "b": 2}, always with the memory of the process.
std::string object(std::vector<std::pair<std::string, double>> fields) {
  fields.emplace_back("peak_kib", static_cast<double>(peak_memory_kib()));
  std::string text;
  for (const auto& [name, value] : fields) {
    text += fmt::format("{}\"{}\": {:.17g}", text.empty() ? "" : ", ", name, value);
  }
  return "{" + text + "}";
}

Family family_of(const std::string& text) {
  if (const auto family = base::named<Family>(text)) return *family;
  throw std::invalid_argument("no kernel is called " + text);
}

std::string run(const std::vector<std::string>& words) {
  const auto word = [&](std::size_t i) -> const std::string& { return words.at(i); };
  if (word(0) == "peak") return object({{"flops", fma_peak()}});
  const bool trimmed = word(0) == "agree" && word(4) == "trimmed";
  const Family family = word(0) == "agree" ? family_of(word(3)) : Family::kSquaredExponential;
  const Case made{make_scene(word(1), family, trimmed), std::stoull(word(2))};
  if (word(0) == "export") {
    export_case(made, word(3));
    return object({});
  }
  if (word(0) == "ours" || word(0) == "dense") {
    const Timed timed = word(0) == "ours" ? time_ours(made) : time_dense(made);
    write_answer(timed.answer, word(3));
    return object({{"seconds", timed.seconds},
                   {"rank", static_cast<double>(timed.answer.rank)},
                   {"residual", timed.answer.residual}});
  }
  if (word(0) == "sweep") {
    const Sweep sweep = time_sweep(made, std::stoull(word(3)));
    return object({{"seconds", sweep.seconds},
                   {"rank", static_cast<double>(sweep.rank)},
                   {"error", sweep.error},
                   {"largest", sweep.largest}});
  }
  if (word(0) == "supremum" || word(0) == "epoch") {
    const Largest largest = word(0) == "epoch" ? time_epoch(word(1), made.m) : time_supremum(made);
    return object({{"seconds", largest.seconds},
                   {"rank", static_cast<double>(largest.rank)},
                   {"residual", largest.residual},
                   {"largest", largest.value}});
  }
  if (word(0) == "agree") {
    const Agreement found = compare_with_dense(made);
    return object({{"rank", static_cast<double>(found.rank)},
                   {"residual", found.residual},
                   {"path", static_cast<double>(found.path)},
                   {"largest", found.largest},
                   {"error_of_largest", found.error_of_largest},
                   {"error", found.error}});
  }
  throw std::invalid_argument("no command is called " + word(0));
}

}  // namespace
}  // namespace duets::bench

int main(int argc, char** argv) {
  try {
    fmt::print("{}\n", duets::bench::run({argv + 1, argv + argc}));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}

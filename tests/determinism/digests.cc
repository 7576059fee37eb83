// Prints name and digest of everything that must be the same on every machine:
//   digests THREADS           all lines, as in expected.txt
//   digests THREADS states    the state digests of the runs: the same for any number of threads
//   digests THREADS margins   how safe the decisions of each run were from rounding
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "lines.h"

int main(int argc, char** argv) {
  using namespace duets::determinism;
  const int threads = argc > 1 ? std::atoi(argv[1]) : 0;
  const std::string_view what = argc > 2 ? argv[2] : "";
  if (threads < 1 || argc > 3 || (argc == 3 && what != "states" && what != "margins")) {
    fmt::print(stderr, "usage: digests THREADS [states|margins]\n");
    return 2;
  }
  if (what.empty()) {
    for (const auto& [name, digest] : strict_lines()) fmt::print("{} {}\n", name, digest);
    for (const auto& [name, digest] : problem_lines()) fmt::print("{} {}\n", name, digest);
  }
  for (const RunLine& run : run_lines(static_cast<unsigned>(threads))) {
    if (what == "margins") {
      fmt::print("{} margin {:.1e} error {:.1e}{}\n", run.name, run.smallest_margin, run.mean_error,
                 run.samplers);
    } else {
      fmt::print("{} {}\n", run.name, what == "states" ? run.state_digest : run.run_digest);
    }
  }
}

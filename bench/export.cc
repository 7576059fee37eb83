// Writes, as JSON on standard output, the timed cases with our answers to them: what the NumPy
// reference computes again and has to agree with.
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include "duets/gp/exact.h"
#include "duets/gp/sparse.h"
#include "duets_json.h"
#include "paper_study.h"

namespace duets::bench {
namespace {

std::string case_json(double beta, std::uint64_t seed) {
  const PaperStudy paper = make_paper_study(beta, seed);
  return fmt::format(R"({{"candidates":{},"run":{}}})",
                     json_rows(paper.study->domain->candidates()), duets_run_json(paper, seed));
}

std::string posterior_json() {
  const PosteriorCase made = make_posterior_case();
  const base::SerialExecutor executor;
  const numeric::Vector exact =
      gp::ExactPosterior(made.kernel, made.data, {}, made.lambda).variance(made.queries).variance;
  const numeric::Vector sparse =
      gp::SparsePosterior(made.kernel, made.inducing, made.data, {}, made.lambda, executor)
          .variance(made.queries)
          .variance;
  return fmt::format(
      R"({{"lengthscale":{},"lambda":{},"data":{},"queries":{},"inducing":{},"exact":{},"sparse":{}}})",
      made.kernel.lengthscales[0], made.lambda, json_rows(made.data), json_rows(made.queries),
      json_rows(made.inducing), json_list(exact), json_list(sparse));
}

}  // namespace
}  // namespace duets::bench

int main() {
  std::vector<std::string> cases;
  for (const double beta : {0.2, 1.0}) {
    for (std::uint64_t seed = 1; seed <= duets::bench::kNumSeeds; ++seed) {
      cases.push_back(duets::bench::case_json(beta, seed));
    }
  }
  fmt::print("{{\"posterior\":{},\n\"cases\":[{}]}}\n", duets::bench::posterior_json(),
             fmt::join(cases, ",\n"));
}

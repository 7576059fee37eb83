#include <fmt/format.h>

#include "duets/protocol/variance.h"

namespace duets::protocol {
namespace {

// What is known about the distance to the exact variance, whatever the residual is.
constexpr const char* kBounds =
    "the exact variance of a point is below the computed one by at most its residual, and was "
    "never above it by more than 4 residuals where both were computed";

double measured(const EpochReport& report) {
  return report.sigma2_max > 0 ? report.sigma2_max : report.sigma2_max_open;
}

std::string pivots(const EpochReport& report) {
  return fmt::format("{} pivots leave a residual of at most {:.3g}, {:.2g} % of sigma2_max",
                     report.variance_rank, report.variance_tolerance,
                     100 * report.variance_tolerance / measured(report));
}

}  // namespace

std::string variance_reason(const EpochReport& report) {
  switch (report.variance_path) {
    case VariancePath::kExact:
      if (report.variance_rank <= static_cast<std::uint64_t>(kDenseLimit)) {
        return fmt::format("exact: {} distinct points are few enough for a dense matrix",
                           report.variance_rank);
      }
      return fmt::format(
          "exact: the kernel is not of low rank on these {} points (more than a quarter of them "
          "would be pivots), and they still fit into a dense matrix",
          report.variance_rank);
    case VariancePath::kLowRank:
      return fmt::format("low rank: {}, within the limit of 1 %; {}", pivots(report), kBounds);
    case VariancePath::kApproximate:
      return fmt::format(
          "approximate: {}, above the limit of 1 %; a dense matrix would be too large, and more "
          "pivots would cost too much or be singular in binary64; {}",
          pivots(report), kBounds);
  }
  return "unknown";
}

}  // namespace duets::protocol

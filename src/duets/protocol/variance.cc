#include "duets/protocol/variance.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "duets/base/bytes.h"
#include "duets/gp/low_rank.h"

namespace duets::protocol {
namespace {

using numeric::Points;
using numeric::Vector;
using SupremumOf = std::function<double(const VarianceModel&)>;

// The residual of the pivots must be well below the supremum. Where dense is possible, it must be
// so far below that every variance is within 3 % of the exact one, not only the largest
// (docs/decisions).
constexpr double kResidualShare = 0.01;
constexpr double kResidualShareFew = 0.002;
// Pivots on a sample are finer than required, so that few other rows have a larger residual: by
// this on the rows they are chosen on, and on those that are examined before all are swept.
constexpr double kFiner = 0.7;
constexpr double kFinerProbed = 0.3;
// The supremum with all rows is a little smaller than with some that represent them.
constexpr double kGuard = 0.9;
// Sweeps over all rows before the result is called approximate.
constexpr std::size_t kMostSweeps = 4;
// Rows that represent all during the search for the tolerance.
constexpr std::uint64_t kRoughRows = 16384;
constexpr std::size_t kMostLooks = 4;

constexpr double kMostPivots = 2000;
constexpr double kSweepOperations = 1.6e13;

// Rows that are examined before all are swept: a sixteenth of all, more where there are few.
std::uint64_t num_probes(std::uint64_t num_rows) {
  constexpr std::uint64_t kMany = 131072;
  return std::min(num_rows / 2, std::max(kMany, num_rows / 16));
}

bool is_few(std::uint64_t num_rows) {
  return num_rows <= static_cast<std::uint64_t>(kDenseFallback);
}

// The search for a tolerance that fits the supremum measured with it.
class Search {
 public:
  Search(const kernel::Kernel& kernel, const gp::DataBlocks& data, double lambda,
         const SupremumOf& supremum, const base::Executor& executor)
      : kernel_(kernel),
        data_(data),
        lambda_(lambda),
        supremum_(supremum),
        executor_(executor),
        finest_(gp::kPruneTolerance * kernel.variance),
        share_(is_few(data.num_rows()) ? kResidualShareFew : kResidualShare),
        most_(most_pivots(data.num_rows())) {}

  TiedVariance dense() const {
    const gp::DataBlock rows = gp::whole(data_, executor_);
    VarianceModel model(kernel_, gp::ExactPosterior(kernel_, rows.points, rows.counts, lambda_),
                        data_.num_rows());
    const double value = agreed({supremum_(model)}).front();
    return {std::move(model), value, VariancePath::kExact, 0};
  }

  TiedVariance through_pivots() const {
    std::optional<Estimate> estimated = estimate();
    if (!estimated) return dense();
    Estimate& found = *estimated;
    if (data_.num_rows() <= gp::kPivotSample && found.model.residual() <= tied(found.supremum)) {
      return told(std::move(found), 1);
    }
    if (num_probes(data_.num_rows()) > kRoughRows) probe(found);
    for (std::size_t num_sweeps = 0;;) {
      const double wanted = std::max(finest_, kGuard * tied(found.supremum));
      gp::LowRank fit = gp::low_rank_posterior(kernel_, data_, std::move(found.pivots), lambda_,
                                               wanted, most_, kMostSweeps - num_sweeps, executor_);
      num_sweeps += fit.num_sweeps;
      measure(std::move(fit), found);
      if (found.model.residual() <= tied(found.supremum)) {
        return told(std::move(found), num_sweeps);
      }
      if (found.model.rank() < most_ && num_sweeps < kMostSweeps) continue;
      if (is_few(data_.num_rows())) return dense();
      return told(std::move(found), num_sweeps);
    }
  }

 private:
  struct Estimate {
    Points pivots;
    VarianceModel model;
    double supremum = 0;
  };

  // Whatever ended the search, the residual decides the name of the path.
  static TiedVariance told(Estimate found, std::size_t num_sweeps) {
    const bool within = found.model.residual() <= kResidualShare * found.supremum;
    return {std::move(found.model), found.supremum,
            within ? VariancePath::kLowRank : VariancePath::kApproximate, num_sweeps};
  }

  // Finer pivots than the finest would be singular in binary64, and would not end.
  double tied(double supremum) const { return std::max(finest_, share_ * supremum); }

  // Processors round differently; processes that decide must not.
  std::vector<double> agreed(const std::vector<double>& values) const {
    base::ByteWriter out;
    out.f64s(values);
    const base::Bytes bytes = executor_.agree(out.take());
    return base::ByteReader(bytes).f64s();
  }

  void measure(gp::LowRank fit, Estimate& found) const {
    found.model = VarianceModel(kernel_, std::move(fit.posterior));
    found.pivots = std::move(fit.pivots);
    found.supremum = agreed({supremum_(found.model)}).front();
  }

  // At most `most` rows that represent all.
  gp::DataBlock standing_for_all(std::uint64_t most) const {
    gp::DataBlock rows = gp::spread_block(data_, most, executor_);
    if (rows.counts.size() == 0) rows.counts = Vector::Ones(rows.points.rows());
    rows.counts *= static_cast<double>(data_.num_rows()) / static_cast<double>(rows.points.rows());
    return rows;
  }

  // The variance through coarse pivots is too large rather than too small, so the tolerance is
  // lowered from above. None: dense is cheaper.
  std::optional<Estimate> estimate() const {
    const gp::DataBlock rough = standing_for_all(kRoughRows);
    const gp::DataBlocks rows = gp::blocks_of(rough.points, rough.counts);
    gp::PivotSearch search(kernel_, gp::spread_rows(data_, gp::kPivotSample, executor_), Points());
    Estimate found{Points(), VarianceModel(kernel_), kernel_.variance};
    for (double residual = kFiner * tied(kernel_.variance);;) {
      search.refine(residual, most_);
      const std::vector<double> reached =
          agreed({static_cast<double>(search.rank()), search.largest_residual()});
      const bool all_taken = reached[0] >= static_cast<double>(most_);
      if (all_taken && is_few(data_.num_rows())) return std::nullopt;
      measure(gp::low_rank_posterior(kernel_, rows, search.pivots(), lambda_, residual, most_, 1,
                                     executor_),
              found);
      const double wanted = std::max(finest_, kFiner * tied(found.supremum));
      if (reached[1] <= wanted || residual <= finest_ || all_taken) return found;
      residual = std::max(finest_, std::min(0.9 * residual, wanted));
    }
  }

  // Adds pivots for further rows whose residual is too large, and measures the supremum again on
  // these rows: examining some rows costs less than a second sweep over all.
  void probe(Estimate& found) const {
    const gp::DataBlock sample = standing_for_all(num_probes(data_.num_rows()));
    const gp::DataBlocks rows = gp::blocks_of(sample.points, sample.counts);
    add_unseen(rows, found);
    const double before = found.supremum;
    measure(gp::low_rank_posterior(kernel_, rows, std::move(found.pivots), lambda_, tied(before),
                                   most_, 1, executor_),
            found);
    if (found.supremum < before) add_unseen(rows, found);
  }

  void add_unseen(const gp::DataBlocks& rows, Estimate& found) const {
    const auto same = [](const Points& features) { return features; };
    const double residual = std::max(finest_, kFinerProbed * tied(found.supremum));
    found.pivots = gp::add_unseen_rows(kernel_, rows, same, std::move(found.pivots), residual,
                                       most_, kMostLooks, executor_);
  }

  const kernel::Kernel& kernel_;
  const gp::DataBlocks& data_;
  double lambda_;
  const SupremumOf& supremum_;
  const base::Executor& executor_;
  double finest_;
  double share_;
  std::size_t most_;
};

}  // namespace

std::size_t most_pivots(std::uint64_t num_rows) {
  const auto m = static_cast<double>(num_rows);
  // With more than a quarter, a dense factorisation takes fewer operations than the sweeps.
  if (is_few(num_rows)) return static_cast<std::size_t>(m / 4) + 1;
  // A sweep takes 2 m r^2 operations, a multiplication and an addition being two.
  return static_cast<std::size_t>(std::min(kMostPivots, std::sqrt(kSweepOperations / (2 * m))));
}

VarianceModel::VarianceModel(const kernel::Kernel& kernel, gp::ExactPosterior exact,
                             std::uint64_t num_rows)
    : model_(std::move(exact)), prior_(kernel.variance), rank_(num_rows) {}

VarianceModel::VarianceModel(const kernel::Kernel& kernel, gp::SparsePosterior sparse)
    : prior_(kernel.variance), rank_(sparse.num_inducing()), residual_(sparse.largest_residual()) {
  model_ = std::move(sparse);
}

Vector VarianceModel::operator()(const Points& features, std::uint64_t& num_clamped) const {
  if (std::holds_alternative<std::monostate>(model_)) {
    return Vector::Constant(features.rows(), prior_);
  }
  const gp::VarianceResult result = std::holds_alternative<gp::ExactPosterior>(model_)
                                        ? std::get<gp::ExactPosterior>(model_).variance(features)
                                        : std::get<gp::SparsePosterior>(model_).variance(features);
  num_clamped += result.num_clamped;
  return result.variance;
}

double VarianceModel::largest(const Points& features, std::uint64_t& num_clamped) const {
  if (!std::holds_alternative<gp::ExactPosterior>(model_)) {
    return (*this)(features, num_clamped).maxCoeff();
  }
  const gp::LargestVariance result =
      std::get<gp::ExactPosterior>(model_).largest_variance(features);
  num_clamped += result.num_clamped;
  return result.variance;
}

TiedVariance tied_variance(const kernel::Kernel& kernel, const Dataset& data, double lambda,
                           const SupremumOf& supremum, const base::Executor& executor) {
  const std::uint64_t num_rows = data.blocks.num_rows();
  if (num_rows == 0) {
    const VarianceModel prior(kernel);
    return {prior, supremum(prior), VariancePath::kExact, 0};
  }
  const Search search(kernel, data.blocks, lambda, supremum, executor);
  return num_rows <= static_cast<std::uint64_t>(kDenseLimit) ? search.dense()
                                                             : search.through_pivots();
}

double variance_supremum(const Study& study, const kernel::Kernel& kernel, double lambda,
                         const Dataset& data, const region::Region& region, const Points& pool,
                         const base::Executor& executor, EpochReport& report) {
  const auto supremum = [&](const VarianceModel& model) {
    if (region.domain().is_finite()) {
      return model.largest(study.domain->features(pool), report.num_clamped);
    }
    return maximise(region, pool,
                    [&](const Points& features) { return model(features, report.num_clamped); })
        .value;
  };
  const TiedVariance found = tied_variance(kernel, data, lambda, supremum, executor);
  report.variance_path = found.path;
  report.variance_rank = found.model.rank();
  report.variance_tolerance = found.model.residual();
  return found.supremum;
}

}  // namespace duets::protocol

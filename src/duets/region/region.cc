#include "duets/region/region.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "duets/base/error.h"
#include "duets/numeric/rows.h"

namespace duets::region {

Region::Region(std::shared_ptr<const domain::Domain> domain) : domain_(std::move(domain)) {
  std::vector<std::uint32_t> all;
  if (domain_->is_finite()) {
    all.resize(static_cast<std::size_t>(domain_->candidates().rows()));
    std::iota(all.begin(), all.end(), 0U);
  }
  survivors_ = std::make_shared<const std::vector<std::uint32_t>>(std::move(all));
}

Region Region::trimmed(std::shared_ptr<const Cut> cut) const {
  const numeric::Vector sums =
      domain_->is_finite() ? cut->sum_at(surviving_points()) : numeric::Vector();
  return trimmed(std::move(cut), sums);
}

Region Region::trimmed(std::shared_ptr<const Cut> cut, const numeric::Vector& sums) const {
  Region next = *this;
  if (domain_->is_finite()) {
    base::require(sums.size() == static_cast<Eigen::Index>(survivors_->size()), "sums",
                  std::to_string(sums.size()), "must be one for each survivor");
    std::vector<std::uint32_t> kept;
    next.last_margin_ = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < survivors_->size(); ++i) {
      const double margin = sums[static_cast<Eigen::Index>(i)] - cut->tau();
      if (margin >= 0) kept.push_back((*survivors_)[i]);
      next.last_margin_ = std::min(next.last_margin_, std::abs(margin));
    }
    next.survivors_ = std::make_shared<const std::vector<std::uint32_t>>(std::move(kept));
  }
  next.cuts_.push_back(std::move(cut));
  return next;
}

Membership Region::contains(const numeric::Points& latents) const {
  Membership result;
  result.inside.assign(static_cast<std::size_t>(latents.rows()), 1);
  if (cuts_.empty()) return result;

  numeric::Points features = domain_->features(latents);
  std::vector<std::uint32_t> rows(result.inside.size());
  std::iota(rows.begin(), rows.end(), 0U);
  // The newest cut is the most selective; the order does not change the intersection.
  for (auto cut = cuts_.rbegin(); cut != cuts_.rend() && !rows.empty(); ++cut) {
    const numeric::Vector sums = (*cut)->sum_at(features);
    std::vector<std::uint32_t> kept_rows;
    std::vector<std::uint32_t> kept;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const double margin = sums[static_cast<Eigen::Index>(i)] - (*cut)->tau();
      result.smallest_margin = std::min(result.smallest_margin, std::abs(margin));
      if (margin >= 0) {
        kept_rows.push_back(rows[i]);
        kept.push_back(static_cast<std::uint32_t>(i));
      } else {
        result.inside[rows[i]] = 0;
      }
    }
    if (kept.size() != rows.size()) features = numeric::select_rows(features, kept);
    rows = std::move(kept_rows);
  }
  return result;
}

numeric::Points Region::surviving_points() const {
  return numeric::select_rows(domain_->candidates(), *survivors_);
}

}  // namespace duets::region

#include "duets/numeric/rows.h"

namespace duets::numeric {

Points select_rows(const Points& points, const std::vector<std::uint32_t>& rows) {
  Points selected(static_cast<Eigen::Index>(rows.size()), points.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    selected.row(static_cast<Eigen::Index>(i)) = points.row(static_cast<Eigen::Index>(rows[i]));
  }
  return selected;
}

Points stacked(const Points& above, const Points& below) {
  Points all(above.rows() + below.rows(), below.cols());
  if (above.rows() > 0) all.topRows(above.rows()) = above;
  all.bottomRows(below.rows()) = below;
  return all;
}

}  // namespace duets::numeric

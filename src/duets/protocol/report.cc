#include "duets/protocol/report.h"

#include "duets/base/error.h"
#include "duets/protocol/messages.h"

namespace duets::protocol {
namespace {

// One list of fields serves writing and reading, so the two cannot drift apart.
template <typename Report, typename Number, typename Real>
void visit_fields(Report& r, const Number& number, const Real& real) {
  number(r.num_points);
  number(r.num_distinct);
  number(r.region_points);
  number(r.survivors);
  real(r.region_fraction);
  real(r.cut_acceptance);
  number(r.membership_tests);
  real(r.sigma2_max_open);
  real(r.sigma2_max);
  real(r.p_unclipped);
  real(r.p);
  number(r.num_selected);
  number(r.num_inducing);
  number(r.variance_rank);
  real(r.variance_tolerance);
  number(r.num_clamped);
  real(r.information_gain);
  real(r.lambda);
  real(r.reward_offset);
  real(r.surprise);
  real(r.width);
  real(r.max_stddev);
  real(r.max_mean);
  real(r.tau);
  real(r.printed_tau);
  real(r.best_stddev);
  real(r.kept_share);
  real(r.shortfall);
  real(r.lost);
  real(r.smallest_margin);
  real(r.mean_error);
  number(r.num_holes);
  number(r.run_digest.low);
  number(r.run_digest.high);
  number(r.state_digest.low);
  number(r.state_digest.high);
}

}  // namespace

void write_report(base::ByteWriter& out, const EpochReport& r) {
  out.u32(base::value(r.epoch));
  out.u32(r.planned_length);
  out.u32(r.length);
  out.u32(r.num_participants);
  out.u8(static_cast<std::uint8_t>(r.variance_path));
  write_settings(out, r.sampler);
  write_kernel(out, r.kernel);
  out.f64s({r.best_point.data(), static_cast<std::size_t>(r.best_point.size())});
  visit_fields(
      r, [&out](std::uint64_t n) { out.u64(n); }, [&out](double x) { out.f64(x); });
}

EpochReport read_report(base::ByteReader& in) {
  EpochReport r;
  r.epoch = EpochId{in.u32()};
  r.planned_length = in.u32();
  r.length = in.u32();
  r.num_participants = in.u32();
  r.variance_path = base::enum_of<VariancePath>(in.u8(), "variance path", base::ErrorKind::kDecode);
  r.sampler = read_settings(in);
  r.kernel = read_kernel(in);
  const std::vector<double> point = in.f64s();
  r.best_point =
      Eigen::Map<const numeric::Vector>(point.data(), static_cast<Eigen::Index>(point.size()));
  visit_fields(
      r, [&in](std::uint64_t& n) { n = in.u64(); }, [&in](double& x) { x = in.f64(); });
  return r;
}

}  // namespace duets::protocol

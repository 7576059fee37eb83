#include "duets/protocol/report.h"

#include "duets/base/error.h"
#include "duets/protocol/messages.h"

namespace duets::protocol {

void write_report(base::ByteWriter& out, const EpochReport& r) {
  out.u32(base::value(r.epoch));
  out.u32(r.planned_length);
  out.u32(r.length);
  out.u32(r.num_participants);
  out.u8(static_cast<std::uint8_t>(r.variance_path));
  write_settings(out, r.sampler);
  write_kernel(out, r.kernel);
  out.f64s({r.best_point.data(), static_cast<std::size_t>(r.best_point.size())});
  for (const ReportNumber& number : kReportNumbers) {
    if (const auto* count = std::get_if<std::uint64_t EpochReport::*>(&number.member)) {
      out.u64(r.**count);
    } else {
      out.f64(r.*std::get<double EpochReport::*>(number.member));
    }
  }
  out.digest(r.run_digest);
  out.digest(r.state_digest);
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
  for (const ReportNumber& number : kReportNumbers) {
    if (const auto* count = std::get_if<std::uint64_t EpochReport::*>(&number.member)) {
      r.** count = in.u64();
    } else {
      r.*std::get<double EpochReport::*>(number.member) = in.f64();
    }
  }
  r.run_digest = in.digest();
  r.state_digest = in.digest();
  return r;
}

}  // namespace duets::protocol

#include "duets/service/wire_parts.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cmath>

#include "duets/service/wire.h"

namespace duets::service {
namespace {

void require_count(std::uint64_t count, std::uint64_t most, const char* what,
                   const Source& source) {
  if (count <= most) return;
  refuse_from(source, fmt::format("{} {}s: at most {} in this study", count, what, most));
}

void require_finite(const WireNumbers& numbers, const char* what, const Source& source) {
  for (int i = 0; i < numbers.size(); ++i) {
    if (std::isfinite(numbers[i])) continue;
    refuse_from(source, fmt::format("{} {} is {}: must be finite", what, i, numbers[i]));
  }
}

// The fields of a sampler on the wire have the names of its numbers.
const google::protobuf::FieldDescriptor* field_of(const region::SamplerNumber& number) {
  return v1::Sampler::descriptor()->FindFieldByName(std::string(number.name));
}

}  // namespace

void refuse_from(const Source& source, const std::string& what) {
  const std::string who =
      source.agent ? fmt::format("agent {}", *source.agent) : std::string("coordinator");
  throw base::Error(base::ErrorKind::kInvalid,
                    fmt::format("{}, epoch {}: {}", who, source.epoch, what));
}

std::vector<double> numbers_from_wire(const WireNumbers& numbers, std::uint64_t most,
                                      const char* what, const Source& source) {
  require_count(static_cast<std::uint64_t>(numbers.size()), most, what, source);
  require_finite(numbers, what, source);
  return {numbers.begin(), numbers.end()};
}

std::vector<std::uint32_t> increasing_from_wire(const WireIndices& indices, std::uint32_t end,
                                                const char* what, const Source& source) {
  require_count(static_cast<std::uint64_t>(indices.size()), end, what, source);
  for (int i = 0; i < indices.size(); ++i) {
    if (indices[i] >= end) {
      refuse_from(source, fmt::format("{} {}: must be below {}", what, indices[i], end));
    }
    if (i > 0 && indices[i] <= indices[i - 1]) {
      refuse_from(source,
                  fmt::format("{} {} after {}: must increase", what, indices[i], indices[i - 1]));
    }
  }
  return {indices.begin(), indices.end()};
}

numeric::Points points_from_wire(const v1::Points& points, std::size_t dimension,
                                 std::uint64_t most, const char* what, const Source& source) {
  const auto count = static_cast<std::uint64_t>(points.values_size());
  if (count == 0 && points.columns() == 0) return {};
  if (points.columns() != dimension) {
    refuse_from(source, fmt::format("{}s of {} coordinates: the study has {}", what,
                                    points.columns(), dimension));
  }
  if (count == 0 || count % dimension != 0) {
    refuse_from(source, fmt::format("{} numbers for {}s of {} coordinates: must be a multiple",
                                    count, what, dimension));
  }
  require_count(count / dimension, most, what, source);
  require_finite(points.values(), what, source);
  return Eigen::Map<const numeric::Points>(points.values().data(),
                                           static_cast<Eigen::Index>(count / dimension),
                                           static_cast<Eigen::Index>(dimension));
}

void points_to_wire(const numeric::Points& points, v1::Points& wire) {
  if (points.rows() == 0) return;
  wire.set_columns(static_cast<std::uint32_t>(points.cols()));
  wire.mutable_values()->Add(points.data(), points.data() + points.size());
}

kernel::Kernel kernel_from_wire(const v1::Kernel& kernel) {
  return {.family = base::enum_of<kernel::Family>(kernel.family(), "kernel.family"),
          .lengthscales = {kernel.lengthscales().begin(), kernel.lengthscales().end()},
          .variance = kernel.variance()};
}

void kernel_to_wire(const kernel::Kernel& kernel, v1::Kernel& wire) {
  wire.set_family(static_cast<std::uint32_t>(kernel.family));
  wire.mutable_lengthscales()->Add(kernel.lengthscales.begin(), kernel.lengthscales.end());
  wire.set_variance(kernel.variance);
}

region::SamplerSettings sampler_from_wire(const v1::Sampler& sampler) {
  region::SamplerSettings settings;
  settings.method = base::enum_of<region::Method>(sampler.method(), "sampler.method");
  for (const region::SamplerNumber& number : region::kSamplerNumbers) {
    settings.*number.member = sampler.GetReflection()->GetUInt32(sampler, field_of(number));
  }
  return settings;
}

void sampler_to_wire(const region::SamplerSettings& settings, v1::Sampler& wire) {
  wire.set_method(static_cast<std::uint32_t>(settings.method));
  for (const region::SamplerNumber& number : region::kSamplerNumbers) {
    wire.GetReflection()->SetUInt32(&wire, field_of(number), settings.*number.member);
  }
}

v1::Digest to_wire(const base::Digest& digest) {
  v1::Digest wire;
  wire.set_low(digest.low);
  wire.set_high(digest.high);
  return wire;
}

base::Digest from_wire(const v1::Digest& digest) { return {digest.low(), digest.high()}; }

}  // namespace duets::service

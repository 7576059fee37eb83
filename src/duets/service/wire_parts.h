// Parts that several messages of the wire format share, and their checks. Private to wire_*.cc.
#pragma once

#include <fmt/format.h>
#include <google/protobuf/repeated_field.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/base/error.h"
#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"
#include "duets/region/sampler_settings.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {

/// The author of the message that is being read, for error texts.
struct Source {
  std::optional<std::uint32_t> agent;  ///< empty: the coordinator
  std::uint32_t epoch = 0;
};

/// Throws kInvalid with "agent 3, epoch 2: what".
[[noreturn]] void refuse_from(const Source& source, const std::string& what);

using WireNumbers = google::protobuf::RepeatedField<double>;
using WireIndices = google::protobuf::RepeatedField<std::uint32_t>;

/// At most `most` numbers, all finite. `what` names one of them: "value".
std::vector<double> numbers_from_wire(const WireNumbers& numbers, std::uint64_t most,
                                      const char* what, const Source& source);

/// Increasing, all below `end`. `what` names one of them: "hole".
std::vector<std::uint32_t> increasing_from_wire(const WireIndices& indices, std::uint32_t end,
                                                const char* what, const Source& source);

/// At most `most` points of `dimension` finite coordinates; none when the field is empty.
numeric::Points points_from_wire(const v1::Points& points, std::size_t dimension,
                                 std::uint64_t most, const char* what, const Source& source);
/// Leaves `wire` empty when there is no point.
void points_to_wire(const numeric::Points& points, v1::Points& wire);

/// Without checks of the numbers: kernel::validate() follows.
kernel::Kernel kernel_from_wire(const v1::Kernel& kernel);
void kernel_to_wire(const kernel::Kernel& kernel, v1::Kernel& wire);

/// Without checks: region::validate() follows. kInvalid for a number that is no method.
region::SamplerSettings sampler_from_wire(const v1::Sampler& sampler);
void sampler_to_wire(const region::SamplerSettings& settings, v1::Sampler& wire);

}  // namespace duets::service

#include "duets/region/sampler_settings.h"

#include <fmt/format.h>

#include "duets/base/error.h"

namespace duets::region {

void validate(const SamplerSettings& s) {
  base::enum_of<Method>(static_cast<std::uint64_t>(s.method), "sampler.method");
  for (const SamplerNumber& number : kSamplerNumbers) {
    const std::uint32_t value = s.*number.member;
    const bool ok = !number.belongs_to(s.method) || (value >= number.low && value <= number.high);
    base::require(ok, fmt::format("sampler.{}", number.name), fmt::format("{}", value),
                  std::string(number.constraint));
  }
}

SamplerSettings own_numbers(SamplerSettings settings) {
  for (const SamplerNumber& number : kSamplerNumbers) {
    if (!number.belongs_to(settings.method)) settings.*number.member = 0;
  }
  return settings;
}

}  // namespace duets::region

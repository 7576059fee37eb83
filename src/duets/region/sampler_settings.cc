#include "duets/region/sampler_settings.h"

#include <fmt/format.h>

#include "duets/base/error.h"
#include "duets/region/cover.h"

namespace duets::region {
namespace {

constexpr std::uint32_t kMaxAddress = 1U << 24;

}  // namespace

void validate(const SamplerSettings& s) {
  using base::require;
  base::enum_of<Method>(static_cast<std::uint64_t>(s.method), "sampler.method");
  if (s.method == Method::kRejection || s.method == Method::kCover) {
    require(s.max_attempts >= 1 && s.max_attempts <= kMaxAddress, "sampler.max_attempts",
            fmt::format("{}", s.max_attempts), "must be between 1 and 2^24");
  }
  if (s.method == Method::kWalk) {
    require(s.walk_steps < kMaxAddress, "sampler.walk_steps", fmt::format("{}", s.walk_steps),
            "must be below 2^24");
    require(s.max_shrinks >= 1 && s.max_shrinks <= 2000, "sampler.max_shrinks",
            fmt::format("{}", s.max_shrinks), "must be between 1 and 2000");
  }
  require(s.cover_depth <= (s.method == Method::kCover ? Cover::kMaxDepth : 0),
          "sampler.cover_depth", fmt::format("{}", s.cover_depth),
          fmt::format("must be at most {}, and 0 for other methods", Cover::kMaxDepth));
}

}  // namespace duets::region

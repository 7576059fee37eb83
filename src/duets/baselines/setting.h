// The input of an algorithm before it starts: everything except the function.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "duets/domain/domain.h"
#include "duets/gp/arms.h"
#include "duets/numeric/matrix.h"
#include "duets/problems/policy.h"
#include "duets/random/coin.h"

namespace duets::baselines {

/// The same for all algorithms of one seed, so that comparisons are paired.
struct Setting {
  std::uint32_t agents = 1;   ///< N >= 1
  std::uint32_t horizon = 1;  ///< T >= 1, queries per agent
  std::shared_ptr<const domain::Domain> domain{};
  /// All candidates of a finite domain, in its order; a uniform sample of a continuous one.
  std::shared_ptr<const gp::Arms> arms{};
  numeric::Points latents{};  ///< of the arms
  double lambda = 0.2;        ///< > 0: variance of the noise the model assumes
  random::Coin coin;          ///< for Purpose::kPolicy only
};

/// The parameters that a user tunes. An algorithm uses those that it has and ignores the rest.
struct Tuning {
  double beta = 1;                    ///< >= 0: width of the confidence bounds
  std::optional<double> threshold{};  ///< D of the synchronising algorithms; infinity: never
  double oversampling = 1;            ///< q of ApproxDisKernelUCB, > 0
};

using MakePolicy =
    std::function<std::unique_ptr<problems::Policy>(const Setting& setting, const Tuning& tuning)>;

}  // namespace duets::baselines

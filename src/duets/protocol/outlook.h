// What a run that goes on could still gain, seen by somebody who has every reward.
#pragma once

#include "duets/base/executor.h"
#include "duets/numeric/matrix.h"
#include "duets/protocol/public_view.h"
#include "duets/protocol/report.h"
#include "duets/protocol/run_summary.h"
#include "duets/protocol/study.h"

namespace duets::protocol {

struct Measured {
  numeric::Points latents;  ///< of the queries with a reward, at least one
  numeric::Vector rewards;  ///< model units
};

/// How much better the best point of the whole domain is than the one that would be recommended
/// now, by samples of the posterior of all these rewards under the model of `last`, the report of
/// the epoch that closed last. It is revised with every epoch, unlike what cuts expected to lose
/// when they were made. Not strict. O(m s^2) for m rewards and s <= 1024 points that stand for
/// them.
Missed outlook(const Study& study, const PublicView& view, const EpochReport& last,
               const Measured& measured, const base::Executor& executor);

}  // namespace duets::protocol

#include "duets/protocol/outlook.h"

#include "duets/gp/data_blocks.h"
#include "duets/gp/sparse.h"
#include "duets/protocol/epoch_model.h"
#include "duets/protocol/final_point.h"

namespace duets::protocol {

Missed outlook(const Study& study, const PublicView& view, const EpochReport& last,
               const Measured& measured, const base::Executor& executor) {
  const domain::Domain& domain = *study.domain;
  ResolvedInducing inducing;
  inducing.model = {last.kernel, last.reward_offset};
  const gp::DataBlocks latents = gp::blocks_of(measured.latents);
  choose_for_answer(domain, latents, last.lambda, inducing, executor);
  const numeric::Points features = domain.features(measured.latents);
  const gp::SparsePosterior posterior(last.kernel, inducing.features, features, {}, last.lambda,
                                      executor);
  const numeric::Vector weights =
      posterior.weights(gp::project(last.kernel, inducing.features, features,
                                    counted_rewards(study, inducing.model, measured.rewards)));
  const FinalPointInput input =
      final_point_input(view, inducing, latents, supremum_pool(view, last.epoch), executor);
  const FinalPoint found =
      find_final_point(posterior, weights, input, view.public_coin(), last.epoch);
  return {found.shortfall, input.better_by, found.missed};
}

}  // namespace duets::protocol

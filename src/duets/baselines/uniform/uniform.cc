#include "duets/baselines/uniform/uniform.h"

#include "duets/baselines/acquisition.h"

namespace duets::baselines {
namespace {

class Uniform final : public problems::Policy {
 public:
  explicit Uniform(const Setting& setting) : acquisition_(setting) {}

  numeric::Vector choose(base::AgentId agent, std::uint32_t t) override {
    return acquisition_.uniform(agent, t).latent;
  }

  void learn(base::AgentId /*agent*/, std::uint32_t /*t*/, double /*reward*/) override {}

 private:
  Acquisition acquisition_;
};

}  // namespace

std::unique_ptr<problems::Policy> make_uniform(const Setting& setting, const Tuning& /*tuning*/) {
  return std::make_unique<Uniform>(setting);
}

}  // namespace duets::baselines

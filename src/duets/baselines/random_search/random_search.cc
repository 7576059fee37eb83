#include "duets/baselines/random_search/random_search.h"

#include "duets/baselines/search_space.h"

namespace duets::baselines {
namespace {

class RandomSearch final : public problems::Policy {
 public:
  explicit RandomSearch(const Setting& setting) : space_(setting) {}

  // Streams begin at 1.
  numeric::Vector choose(base::AgentId agent, std::uint32_t t) override {
    return space_.uniform(1, base::value(agent) + 1, t).row(0);
  }

  void learn(base::AgentId /*agent*/, std::uint32_t /*t*/, double /*reward*/) override {}

 private:
  SearchSpace space_;
};

}  // namespace

std::unique_ptr<problems::Policy> make_random_search(const Setting& setting,
                                                     const Tuning& /*tuning*/) {
  return std::make_unique<RandomSearch>(setting);
}

}  // namespace duets::baselines

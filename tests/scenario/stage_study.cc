// The keys of a `study` command, with their defaults.
#include <map>
#include <stdexcept>

#include "duets/region/draw.h"
#include "stage.h"

namespace duets::scenario {
namespace {

using namespace protocol;  // the enumerations of a study

template <typename Enum>
Enum choice(const Command& command, const std::string& key, const std::string& fallback,
            const std::map<std::string, Enum>& choices) {
  const std::string given = command.text(key, fallback);
  const auto found = choices.find(given);
  if (found == choices.end()) throw std::runtime_error(key + "=" + given + ": no such choice");
  return found->second;
}

domain::Domain domain_of(const Command& command) {
  const std::string shape = command.text("domain", "finite");
  const std::size_t dimension = command.count("dimension", 2);
  if (shape == "box") return domain::Domain::box(dimension);
  if (shape == "ball") return domain::Domain::ball(dimension, 1.0);
  if (shape != "finite") throw std::runtime_error("domain=" + shape + ": no such domain");
  return domain::Domain::finite(region::random_candidates(
      random::StudySecret::from_seed(1).public_coin(), region::CandidateShape::kCube,
      command.count("candidates", 40), dimension, 1.0));
}

}  // namespace

Study study_of(const Command& command) {
  Study study;
  study.agents = command.count("agents", 3);
  study.horizon = command.count("horizon", 9);
  study.domain = std::make_shared<const domain::Domain>(domain_of(command));
  study.kernel.lengthscales = {command.number("lengthscale", 0.4)};
  study.lambda = command.number("lambda", 0.2);
  study.beta = command.number("beta", 0.5);
  study.p0 = command.number("p0", 10);
  study.t1 = command.count("t1", 2);
  study.epochs = command.list("epochs");
  if (!study.epochs.empty()) study.schedule = ScheduleRule::kExplicit;
  study.mode =
      choice<Mode>(command, "mode", "tuned", {{"tuned", Mode::kTuned}, {"theory", Mode::kTheory}});
  study.inducing = choice<Inducing>(
      command, "inducing", "coin",
      {{"coin", Inducing::kCoin}, {"greedy", Inducing::kGreedy}, {"public", Inducing::kPublic}});
  study.upload = choice<UploadRule>(command, "upload", "auto",
                                    {{"auto", UploadRule::kAuto},
                                     {"projection", UploadRule::kProjection},
                                     {"rewards", UploadRule::kRewards}});
  study.data =
      choice<DataPolicy>(command, "data", "epoch",
                         {{"epoch", DataPolicy::kEpoch}, {"surviving", DataPolicy::kSurviving}});
  study.closing = choice<ClosingRule>(command, "closing", "best",
                                      {{"best", ClosingRule::kBest},
                                       {"projection", ClosingRule::kProjection},
                                       {"all", ClosingRule::kAll}});
  return study;
}

}  // namespace duets::scenario

#include "study_case.h"

#include <string>

namespace duets::bench {

std::vector<harness::Contender> study_contenders(std::string_view algorithm) {
  const std::vector<harness::Algorithm> algorithms = harness::builtin_algorithms();
  return harness::contenders(harness::find_algorithm(algorithms, std::string(algorithm)),
                             kStudyBetas);
}

std::vector<harness::Instance> study_instances(std::string_view function) {
  std::vector<harness::Instance> instances;
  for (const std::uint64_t seed : kStudySeeds) {
    instances.push_back(harness::preset_instance("paper", function, seed));
  }
  return instances;
}

harness::Experiment study_slice() {
  const harness::StudyChoice choice{.presets = {"paper"},
                                    .functions = {kStudyFunctions.begin(), kStudyFunctions.end()},
                                    .algorithms = {},
                                    .betas = {kStudyBetas.begin(), kStudyBetas.end()},
                                    .runs = static_cast<std::uint32_t>(kStudySeeds.size()),
                                    .first_seed = kStudySeeds.front()};
  harness::Experiment experiment = harness::study_experiment(choice, harness::builtin_algorithms());
  experiment.seeds.assign(kStudySeeds.begin(), kStudySeeds.end());
  return experiment;
}

}  // namespace duets::bench

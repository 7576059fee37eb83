#include "study_case.h"

#include <string>

namespace duets::bench {

std::vector<lab::Contender> study_contenders(std::string_view algorithm) {
  const std::vector<lab::Algorithm> algorithms = lab::builtin_algorithms();
  return lab::contenders(lab::find_algorithm(algorithms, std::string(algorithm)), kStudyBetas);
}

std::vector<lab::Instance> study_instances(std::string_view function) {
  std::vector<lab::Instance> instances;
  for (const std::uint64_t seed : kStudySeeds) {
    instances.push_back(lab::preset_instance("paper", function, seed));
  }
  return instances;
}

lab::Experiment study_slice() {
  const lab::StudyChoice choice{.presets = {"paper"},
                                .functions = {kStudyFunctions.begin(), kStudyFunctions.end()},
                                .algorithms = {},
                                .betas = {kStudyBetas.begin(), kStudyBetas.end()},
                                .runs = static_cast<std::uint32_t>(kStudySeeds.size()),
                                .first_seed = kStudySeeds.front()};
  lab::Experiment experiment = lab::study_experiment(choice, lab::builtin_algorithms());
  experiment.seeds.assign(kStudySeeds.begin(), kStudySeeds.end());
  return experiment;
}

}  // namespace duets::bench

// A built-in function as the objective of a real agent, with the same values as in a simulation.
#pragma once

#include <memory>

#include "duets/cli/study_file.h"
#include "duets/problems/problem.h"
#include "duets/random/coin.h"
#include "duets/service/objective.h"

namespace duets::cli {

/// The function that the agents of a process share. Immutable and thread-safe.
class BuiltinFunction {
 public:
  /// `functions` are known in addition to the built-in ones. kInvalid for a command.
  explicit BuiltinFunction(const StudyFile& file, std::span<const OwnFunction> functions = {});

  /// The observed value of a query: function plus noise of the query's agent and time, both from
  /// the seed of the study file. Bit for bit the value in harness::simulate.
  double observe(const service::Query& query) const;

 private:
  std::shared_ptr<const domain::Domain> domain_;
  std::unique_ptr<problems::Problem> problem_;
  problems::Noise noise_;
  random::Coin coin_;
};

class BuiltinObjective final : public service::Objective {
 public:
  explicit BuiltinObjective(std::shared_ptr<const BuiltinFunction> function)
      : function_(std::move(function)) {}
  service::Answer ask(const service::Query& query, const std::atomic<bool>& abandon) override;

 private:
  std::shared_ptr<const BuiltinFunction> function_;
};

}  // namespace duets::cli

// An observer that keeps the trials of a run, for tests.
#pragma once

#include <vector>

#include "duets/harness/simulate.h"

namespace duets::harness {

class Trials final : public Observer {
 public:
  void trial(const Trial& trial) override { all.push_back(trial); }
  std::vector<Trial> all;
};

}  // namespace duets::harness

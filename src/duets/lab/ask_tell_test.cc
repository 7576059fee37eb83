#include "duets/lab/ask_tell.h"

#include <gtest/gtest.h>

#include "duets/lab/algorithms.h"
#include "duets/lab/variants.h"

namespace duets::lab {
namespace {

// batch-gp asks and tells: the formulas are what its channel counts.
TEST(AskTell, IsWhatBatchGpSends) {
  const Instance instance = variants_instance("branin", 1);
  protocol::Study study = *instance.simulation.study;
  study.agents = 3;
  study.horizon = 4;
  harness::Simulation simulation = instance.simulation;
  simulation.study = std::make_shared<const protocol::Study>(study);
  const Algorithm batch = find_algorithm(builtin_algorithms(), "batch-gp");
  const Curves curves = contenders(batch, {}).front().run(make_instance(simulation));
  const AskTell size = ask_tell_of(study);
  for (const Ledger ledger : kLedgers) {
    EXPECT_EQ(curves.reals(ledger).back(), size.reals(ledger)) << base::name_of(ledger);
  }
  EXPECT_EQ(curves.rounds, 4u);
  EXPECT_EQ(size.reals(Ledger::kLinks), 3 * 4 * (2 + 1));
  EXPECT_EQ(size.reals(Ledger::kFigure), 3 * 4);
  EXPECT_EQ(size.reals(Ledger::kIndices), 4 * (3 + 1));
}

TEST(AskTell, OnABoxAnIndexSavesNothing) {
  const AskTell box{.agents = 2, .horizon = 5, .dimension = 3, .shares_points = false};
  EXPECT_EQ(box.reals(Ledger::kIndices), box.reals(Ledger::kPaper));
  EXPECT_EQ(box.reals(Ledger::kPaper), 5 * (2 * 3 + 1));
}

}  // namespace
}  // namespace duets::lab

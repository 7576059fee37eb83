// The program, with the fail point that DUETS_FAIL_POINT describes: what fleet tests run where a
// process has to die or fail to write at a certain moment. The program itself never reads the
// variable.
#include <cstdlib>

#include "duets/cli/app.h"
#include "duets/storage/fail_plan_test_support.h"

int main(int argc, char** argv) {
  if (const char* plan = std::getenv("DUETS_FAIL_POINT")) duets::storage::install_fail_plan(plan);
  return duets::cli::run_app(argc, argv);
}

// The promises of base/executor.h over real processes: mpirun -n K mpi_conformance ROUND_BYTES
// SCALE. Also how a job ends: mpi_conformance fail RANK lets that rank fail while the others
// gather.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <stdexcept>
#include <string>

#include "duets/cluster/cluster_executor.h"
#include "duets/cluster/conformance_test_support.h"
#include "duets/cluster/job.h"
#include "duets/cluster/mpi_transport.h"

namespace {

using namespace duets;  // NOLINT(google-build-using-namespace): a program of its own

void check(const base::Executor& executor, const cluster::Transport& transport, std::size_t scale) {
  const auto broken = cluster::broken_promises(executor, transport.rank(), transport.size(), scale);
  if (!broken.empty()) throw std::runtime_error(broken.front());
}

void fail(const base::Executor& executor, const cluster::Transport& transport, std::size_t rank) {
  if (transport.rank() == rank) throw std::runtime_error("broken on purpose");
  executor.agree({});
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return EXIT_FAILURE;
  const std::string first = argv[1];
  const std::size_t second = std::stoul(argv[2]);
  const bool failing = first == "fail";
  const auto transport = failing ? cluster::open_mpi() : cluster::open_mpi(std::stoul(first));
  const base::SerialExecutor local;
  const cluster::ClusterExecutor executor(local, *transport);
  const auto failure = cluster::run_job(
      *transport,
      [&] {
        if (failing) return fail(executor, *transport, second);
        check(executor, *transport, second);
      },
      [](const std::exception& error) {
        return cluster::Failure{7, error.what()};
      },
      [](const cluster::Failure& told) { std::cout << told.text << std::endl; });
  if (!failure && transport->rank() == 0) {
    std::cout << "kept by " << transport->size() << std::endl;
  }
  return failure ? failure->code : EXIT_SUCCESS;
}

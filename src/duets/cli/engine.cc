#include "duets/cli/engine.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "duets/base/error.h"
#include "duets/cli/build_info.h"
#include "duets/cli/command_options.h"
#include "duets/cli/exit_code.h"
#include "duets/cli/print_to.h"
#include "duets/cluster/cluster_executor.h"
#include "duets/cluster/job.h"
#include "duets/cluster/mpi_transport.h"
#include "duets/cluster/placement.h"
#include "duets/harness/threads.h"

namespace duets::cli {
namespace {

// Several processes that do not know of each other would each do all the work, into the same
// directory.
void refuse_strangers(const std::string& name) {
  if (!name.empty()) return;
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* started = std::getenv(variable);
    if (started == nullptr || std::string(started) == "1") continue;
    throw CodedError(ExitCode::kUsage,
                     fmt::format("mpirun or srun started {} processes; add --engine mpi so that "
                                 "they share the work, or --engine local if each should do all of "
                                 "it",
                                 started));
  }
}

void run_local(unsigned wanted, const std::function<void(const Engine&)>& body) {
  const unsigned threads = wanted == 0 ? harness::default_threads() : wanted;
  const harness::ThreadExecutor executor(threads);
  body({.executor = executor, .threads = threads});
}

cluster::Failure explain(const std::exception& error) {
  return {static_cast<int>(exit_code_of(error)), error.what()};
}

void tell_failure(const cluster::Failure& failure) {
  print_to(stderr, "duets: {}\n", failure.text);
  std::fflush(stderr);
}

base::Bytes version_bytes() {
  const std::string text = version();
  return {text.begin(), text.end()};
}

void run_mpi(unsigned wanted, const std::function<void(const Engine&)>& body) {
  const auto transport = cluster::open_mpi();
  const cluster::Placement placement = cluster::find_placement(*transport);
  const unsigned threads = wanted == 0 ? placement.threads : wanted;
  const harness::ThreadExecutor local(threads);
  const cluster::ClusterExecutor executor(local, *transport);
  const Engine engine{executor, threads, transport->size(), placement.num_hosts,
                      transport->rank() == 0};
  const auto failure = cluster::run_job(
      *transport,
      [&] {
        cluster::require_same(executor, "the version of duets", version_bytes());
        body(engine);
      },
      explain, tell_failure);
  if (failure) throw CodedError(static_cast<ExitCode>(failure->code), "");
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

}  // namespace

void add_engine(CLI::App& command, std::string& name) {
  command
      .add_option("--engine", name,
                  "local, or mpi: the processes of mpirun share the work (docs/cluster.md)")
      ->check(one_of({"local", "mpi"}))
      ->option_text("NAME");
}

std::string text_of(const Engine& engine) {
  return fmt::format("{} on {}, {} each", counted(engine.processes, "process", "processes"),
                     counted(engine.machines, "machine", "machines"),
                     counted(engine.threads, "thread", "threads"));
}

void with_engine(const std::string& name, unsigned threads,
                 const std::function<void(const Engine&)>& body) {
  refuse_strangers(name);
  if (name == "mpi") return run_mpi(threads, body);
  run_local(threads, body);
}

}  // namespace duets::cli

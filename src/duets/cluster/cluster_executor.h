// The executor that spreads a run over the processes of a job.
#pragma once

#include "duets/base/executor.h"
#include "duets/cluster/transport.h"

namespace duets::cluster {

/// Every process does its even_share() of the units, on the threads of its own executor. gather and
/// agree are one exchange each. They throw the same in every process: JobFailed when a process
/// failed, kProtocol when the processes are out of step. gather holds all results twice while it
/// runs.
class ClusterExecutor final : public base::Executor {
 public:
  /// Both must outlive it; `local` runs in this process alone.
  ClusterExecutor(const base::Executor& local, Transport& transport)
      : local_(local), transport_(transport) {}

  void parallel_for(std::size_t num_chunks,
                    const std::function<void(std::size_t)>& body) const override {
    local_.parallel_for(num_chunks, body);
  }
  std::size_t num_processes() const override { return transport_.size(); }
  base::UnitRange share(std::size_t num_units) const override {
    return base::even_share(num_units, transport_.rank(), transport_.size());
  }
  std::vector<base::Bytes> gather(std::size_t num_units,
                                  std::vector<base::Bytes> mine) const override;
  base::Bytes agree(base::Bytes bytes) const override;

 private:
  const base::Executor& local_;
  Transport& transport_;
};

}  // namespace duets::cluster

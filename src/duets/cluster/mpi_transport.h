// The transport over MPI.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "duets/cluster/transport.h"

namespace duets::cluster {

/// The most bytes that all processes together put into one collective call; MPI counts them in an
/// int.
inline constexpr std::size_t kRoundBytes = std::size_t{1} << 28;

/// Starts MPI in this process, at most once; destroying the transport ends MPI. Without mpirun the
/// job has one process. kInvalid when this program was built without MPI. An error of MPI itself
/// ends the whole job. Waiting for other processes uses no processor time.
std::unique_ptr<Transport> open_mpi(std::size_t round_bytes = kRoundBytes);

/// "Open MPI v4.1.4", or "none" when this program was built without.
std::string mpi_version();

}  // namespace duets::cluster

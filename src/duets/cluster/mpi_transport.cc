#include "duets/cluster/mpi_transport.h"

#include "duets/base/error.h"

#ifdef DUETS_HAS_MPI
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <thread>
#endif

namespace duets::cluster {

#ifdef DUETS_HAS_MPI
namespace {

using base::Bytes;

// MPI_Wait would keep a core busy that other processes of this machine may need: a peer can be
// minutes away. Short waits yield, long ones sleep a thousandth of a second at a time.
void wait_for(MPI_Request& request) {
  constexpr int kYields = 2000;
  int done = 0;
  for (int i = 0; done == 0; ++i) {
    MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) break;
    if (i < kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
}

// MPI's own default error handler ends the job with a message, so return codes say nothing more.
class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(std::size_t round_bytes) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
    MPI_Comm_size(MPI_COMM_WORLD, &size_);
    piece_ = std::max<std::size_t>(1, round_bytes / size());
    if (provided < MPI_THREAD_FUNNELED) give_up("this MPI library does not allow threads");
  }
  ~MpiTransport() override { MPI_Finalize(); }
  MpiTransport(const MpiTransport&) = delete;
  MpiTransport& operator=(const MpiTransport&) = delete;

  std::size_t rank() const override { return static_cast<std::size_t>(rank_); }
  std::size_t size() const override { return static_cast<std::size_t>(size_); }

  std::vector<Bytes> exchange(Bytes mine) override {
    const std::vector<std::uint64_t> sizes = exchange_sizes(mine.size());
    // The others are in the middle of the exchange too and could not learn of an exception.
    try {
      std::vector<Bytes> all(size());
      for (std::size_t i = 0; i < size(); ++i) all[i].resize(sizes[i]);
      exchange_contents(mine, sizes, all);
      return all;
    } catch (const std::bad_alloc&) {
      std::uint64_t total = 0;
      for (const std::uint64_t bytes : sizes) total += bytes;
      give_up(fmt::format("no memory for {} bytes of results", total));
    }
  }

 private:
  [[noreturn]] void give_up(const std::string& why) const {
    fmt::print(stderr, "duets: rank {} of {} on {}: {}\n", rank_, size_, host_name(), why);
    std::fflush(stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::terminate();  // MPI_Abort does not return
  }

  std::vector<std::uint64_t> exchange_sizes(std::uint64_t mine) const {
    std::vector<std::uint64_t> sizes(size());
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Iallgather(&mine, 1, MPI_UINT64_T, sizes.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD, &request);
    wait_for(request);
    return sizes;
  }

  // In rounds of at most piece_ bytes a process, because counts and places are ints.
  void exchange_contents(const Bytes& mine, const std::vector<std::uint64_t>& sizes,
                         std::vector<Bytes>& all) const {
    const std::uint64_t longest = *std::max_element(sizes.begin(), sizes.end());
    std::vector<int> counts(size()), places(size());
    Bytes round;
    for (std::uint64_t offset = 0; offset < longest; offset += piece_) {
      int total = 0;
      for (std::size_t i = 0; i < size(); ++i) {
        const std::uint64_t left = sizes[i] - std::min(sizes[i], offset);
        counts[i] = static_cast<int>(std::min<std::uint64_t>(left, piece_));
        places[i] = total;
        total += counts[i];
      }
      round.resize(static_cast<std::size_t>(total));
      MPI_Allgatherv(counts[rank()] > 0 ? mine.data() + offset : nullptr, counts[rank()], MPI_BYTE,
                     round.data(), counts.data(), places.data(), MPI_BYTE, MPI_COMM_WORLD);
      for (std::size_t i = 0; i < size(); ++i) {
        if (counts[i] == 0) continue;
        std::memcpy(all[i].data() + offset, round.data() + places[i],
                    static_cast<std::size_t>(counts[i]));
      }
    }
  }

  int rank_ = 0;
  int size_ = 1;
  std::size_t piece_ = 1;
};

}  // namespace

std::unique_ptr<Transport> open_mpi(std::size_t round_bytes) {
  return std::make_unique<MpiTransport>(std::clamp<std::size_t>(round_bytes, 1, kRoundBytes));
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all(text.data(), static_cast<std::size_t>(length));
  return all.substr(0, all.find_first_of(",\n"));
}

#else

std::unique_ptr<Transport> open_mpi(std::size_t /*round_bytes*/) {
  base::refuse("--engine", "mpi",
               "this program was built without MPI; install libopenmpi-dev and "
               "openmpi-bin and "
               "build it again (docs/cluster.md)");
}

std::string mpi_version() { return "none"; }

#endif

}  // namespace duets::cluster

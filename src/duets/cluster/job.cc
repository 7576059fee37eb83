#include "duets/cluster/job.h"

#include <fmt/format.h>

namespace duets::cluster {
namespace {

std::optional<Failure> outcome(Transport& transport, const std::function<void()>& body,
                               const std::function<Failure(const std::exception&)>& explain) {
  std::optional<Failure> mine;
  try {
    body();
  } catch (const JobFailed& failed) {
    return failed.failure();
  } catch (const std::exception& error) {
    mine = explain(error);
  }
  if (mine) return announce(transport, *mine);
  try {
    exchange_for(transport, {Purpose::Kind::kEnd, 0}, {});
  } catch (const JobFailed& failed) {
    return failed.failure();
  } catch (const std::exception& error) {
    // Out of step: the others have thrown the same, and announce it in one more exchange.
    return announce(transport, explain(error));
  }
  return std::nullopt;
}

}  // namespace

std::optional<Failure> run_job(Transport& transport, const std::function<void()>& body,
                               const std::function<Failure(const std::exception&)>& explain,
                               const std::function<void(const Failure&)>& tell) {
  std::optional<Failure> failure = outcome(transport, body, explain);
  if (!failure) return failure;
  if (transport.rank() == 0) tell(*failure);
  transport.exchange({});
  return failure;
}

void require_same(const base::Executor& executor, const std::string& what,
                  const base::Bytes& bytes) {
  if (executor.agree(bytes) == bytes) return;
  throw base::Error(base::ErrorKind::kInvalid,
                    fmt::format("{} differs from that of the first process; all processes need the "
                                "same program, arguments and files",
                                what));
}

}  // namespace duets::cluster

#include "duets/cluster/messages.h"

#include <fmt/format.h>

#include <algorithm>

namespace duets::cluster {
namespace {

// The last byte of a message says which of the two it is: contents come first, because removing a
// frame at the end is cheaper than moving the contents.
constexpr std::uint8_t kWork = 1;
constexpr std::uint8_t kFailed = 2;
constexpr std::size_t kFrame = 1 + 8 + 1;  // kind, number of units, kWork

base::Bytes framed(const Purpose& purpose, base::Bytes contents) {
  base::ByteWriter frame;
  frame.u8(static_cast<std::uint8_t>(purpose.kind));
  frame.u64(purpose.num_units);
  frame.u8(kWork);
  contents.insert(contents.end(), frame.bytes().begin(), frame.bytes().end());
  return contents;
}

base::Bytes failure_message(const Failure& failure) {
  base::ByteWriter writer;
  writer.u32(static_cast<std::uint32_t>(failure.code));
  writer.text(host_name());
  writer.text(failure.text);
  writer.u8(kFailed);
  return writer.take();
}

bool is_failure(const base::Bytes& message) { return message.back() == kFailed; }

// Empty when no process failed.
std::optional<Failure> verdict(const std::vector<base::Bytes>& messages) {
  const auto failed = std::find_if(messages.begin(), messages.end(), is_failure);
  if (failed == messages.end()) return std::nullopt;
  const auto rank = static_cast<std::size_t>(failed - messages.begin());
  base::ByteReader reader(*failed);
  Failure failure;
  failure.code = static_cast<int>(reader.u32());
  const std::string host = reader.text();
  failure.text = reader.text();
  // The first process is the one that users see; a failure of all processes is also its own.
  if (rank == 0) return failure;
  failure.text = fmt::format("rank {} of {} on {}: {}", rank, messages.size(), host, failure.text);
  return failure;
}

// Removes the frame.
Purpose unframed(base::Bytes& message) {
  const std::span<const std::uint8_t> whole(message);
  base::ByteReader reader(whole.last(kFrame));
  const Purpose purpose{static_cast<Purpose::Kind>(reader.u8()), reader.u64()};
  message.resize(message.size() - kFrame);
  return purpose;
}

std::string purpose_text(const Purpose& purpose) {
  switch (purpose.kind) {
    case Purpose::Kind::kGather:
      return fmt::format("gathers {} units", purpose.num_units);
    case Purpose::Kind::kAgree:
      return "agrees";
    case Purpose::Kind::kEnd:
      break;
  }
  return "has ended";
}

}  // namespace

std::vector<base::Bytes> exchange_for(Transport& transport, const Purpose& purpose,
                                      base::Bytes contents) {
  std::vector<base::Bytes> messages = transport.exchange(framed(purpose, std::move(contents)));
  if (const std::optional<Failure> failure = verdict(messages)) throw JobFailed(*failure);
  std::vector<Purpose> purposes;
  purposes.reserve(messages.size());
  for (base::Bytes& message : messages) purposes.push_back(unframed(message));
  for (std::size_t rank = 1; rank < purposes.size(); ++rank) {
    if (purposes[rank] == purposes[0]) continue;
    throw base::Error(base::ErrorKind::kProtocol,
                      fmt::format("the processes are out of step: rank 0 {}, "
                                  "rank {} {}; all of them need the "
                                  "same program, arguments and files",
                                  purpose_text(purposes[0]), rank, purpose_text(purposes[rank])));
  }
  return messages;
}

Failure announce(Transport& transport, const Failure& failure) {
  return verdict(transport.exchange(failure_message(failure))).value_or(failure);
}

}  // namespace duets::cluster

#include "duets/cluster/messages.h"

#include <fmt/format.h>

#include <algorithm>

namespace duets::cluster {
namespace {

// The last byte of a message says which of the two it is: contents come first, so that taking the
// frame off is a cheaper thing than moving what is inside.
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

struct Told {
  std::size_t rank = 0;
  std::string host{};
  Failure failure{};
};

Told read_failure(const base::Bytes& message, std::size_t rank) {
  base::ByteReader reader(message);
  Told told;
  told.rank = rank;
  told.failure.code = static_cast<int>(reader.u32());
  told.host = reader.text();
  told.failure.text = reader.text();
  return told;
}

// Nothing when nobody failed.
std::optional<Failure> verdict(const std::vector<base::Bytes>& messages) {
  std::vector<Told> failed;
  for (std::size_t rank = 0; rank < messages.size(); ++rank) {
    if (is_failure(messages[rank])) failed.push_back(read_failure(messages[rank], rank));
  }
  if (failed.empty()) return std::nullopt;
  const Told& first = failed.front();
  const bool common = failed.size() == messages.size() &&
                      std::all_of(failed.begin(), failed.end(),
                                  [&](const Told& told) { return told.failure == first.failure; });
  if (common) return first.failure;
  return Failure{first.failure.code, fmt::format("rank {} of {} on {}: {}", first.rank,
                                                 messages.size(), first.host, first.failure.text)};
}

// Takes the frame off.
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

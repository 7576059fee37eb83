#include "duets/protocol/records.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/base/error.h"

namespace duets::protocol {
namespace {

using base::ByteReader;
using base::ByteWriter;

[[noreturn]] void fail_record(const std::string& what) {
  throw base::Error(base::ErrorKind::kDecode, "record: " + what);
}

// An optional message: absent is an empty blob.
template <typename M>
void write_optional(ByteWriter& out, bool present, const M& message) {
  out.blob(present ? encode(message) : base::Bytes{});
}

template <typename M>
bool read_optional(ByteReader& in, M& message) {
  const base::Bytes bytes = in.blob();
  if (bytes.empty()) return false;
  Message decoded = decode(bytes);
  if (!std::holds_alternative<M>(decoded)) fail_record("holds a message of the wrong type");
  message = std::get<M>(std::move(decoded));
  return true;
}

void write(ByteWriter& out, const EpochOpened& r) {
  out.u32(base::value(r.epoch));
  write_optional(out, r.has_inducing, r.inducing);
  write_report(out, r.report);
}

void write(ByteWriter& out, const MessageTaken& r) { out.blob(encode(r.message)); }

void write(ByteWriter& out, const EpochClosed& r) {
  out.u32(base::value(r.epoch));
  out.u32s(r.participants);
  write_optional(out, r.has_trim, r.trim);
  out.u8(r.has_report ? 1 : 0);
  write_report(out, r.report);
  out.digest(r.run_digest);
  out.digest(r.state_digest);
}

EpochOpened read_opened(ByteReader& in) {
  EpochOpened r;
  r.epoch = EpochId{in.u32()};
  r.has_inducing = read_optional(in, r.inducing);
  r.report = read_report(in);
  return r;
}

MessageTaken read_taken(ByteReader& in) {
  MessageTaken r{decode(in.blob())};
  if (!std::holds_alternative<Upload>(r.message) && !std::holds_alternative<Closing>(r.message)) {
    fail_record("a message that no agent sends");
  }
  return r;
}

EpochClosed read_closed(ByteReader& in) {
  EpochClosed r;
  r.epoch = EpochId{in.u32()};
  r.participants = in.u32s();
  r.has_trim = read_optional(in, r.trim);
  const std::uint8_t flag = in.u8();
  if (flag > 1) fail_record("a flag must be 0 or 1");
  r.has_report = flag == 1;
  r.report = read_report(in);
  r.run_digest = in.digest();
  r.state_digest = in.digest();
  return r;
}

}  // namespace

base::Bytes encode_record(const Record& record) {
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(record.index() + 1));
  std::visit([&out](const auto& r) { write(out, r); }, record);
  return out.take();
}

Record decode_record(std::span<const std::uint8_t> bytes) {
  ByteReader in(bytes);
  const std::uint8_t type = in.u8();
  Record record;
  switch (type) {
    case 1:
      record = read_opened(in);
      break;
    case 2:
      record = read_taken(in);
      break;
    case 3:
      record = read_closed(in);
      break;
    default:
      fail_record(fmt::format("type {}: must be 1 to 3", type));
  }
  in.expect_end();
  return record;
}

std::vector<std::uint32_t> absent(const Study& study, const EpochClosed& closed) {
  std::vector<std::uint32_t> agents;
  for (std::uint32_t a = 0; a < study.agents; ++a) {
    if (!std::ranges::binary_search(closed.participants, a)) agents.push_back(a);
  }
  return agents;
}

std::vector<Message> broadcasts(const Study& study, const Record& record) {
  const auto* opened = std::get_if<EpochOpened>(&record);
  if (opened != nullptr && opened->has_inducing) return {opened->inducing};
  const auto* closed = std::get_if<EpochClosed>(&record);
  if (closed == nullptr) return {};
  if (closed->has_trim) return {closed->trim};
  if (is_last(study, closed->epoch)) return {};
  Trim end;
  end.epoch = closed->epoch;
  end.excluded = absent(study, *closed);
  end.format.numbers = study.numbers;
  return {end};
}

}  // namespace duets::protocol

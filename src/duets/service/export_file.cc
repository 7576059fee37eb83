#include "duets/service/export_file.h"

#include <fmt/format.h>

#include "duets/base/error.h"

namespace duets::service {
namespace {

constexpr const char* kMagic = "duets export";
constexpr std::size_t kDigestSize = 16;

[[noreturn]] void fail_export(const std::string& what) {
  throw base::Error(base::ErrorKind::kDecode, "exported study: " + what);
}

// Magic and version come first, so that an older file is not reported as damaged.
void check_head(base::ByteReader& in) {
  if (in.text() != kMagic) fail_export("does not begin like one");
  const std::uint32_t version = in.u32();
  if (version == kExportVersion) return;
  fail_export(fmt::format(
      "has format version {}, and this program reads version {}; export the study again "
      "with this program, or use the program that wrote it",
      version, kExportVersion));
}

// All bytes except the checksum at the end.
std::span<const std::uint8_t> checked_body(std::span<const std::uint8_t> bytes) {
  if (bytes.size() < kDigestSize) fail_export("ends early");
  const auto body = bytes.first(bytes.size() - kDigestSize);
  if (base::ByteReader(bytes.last(kDigestSize)).digest() != base::digest_of(body)) {
    fail_export("the checksum does not match: bytes were changed, added or lost");
  }
  return body;
}

}  // namespace

base::Bytes encode_export(const Definition& definition, std::span<const base::Bytes> records) {
  base::ByteWriter out;
  out.text(kMagic);
  out.u32(kExportVersion);
  out.blob(encode_definition(definition));
  out.u32(static_cast<std::uint32_t>(records.size()));
  for (const base::Bytes& record : records) out.blob(record);
  out.digest(base::digest_of(out.bytes()));
  return out.take();
}

ExportedStudy decode_export(std::span<const std::uint8_t> bytes) {
  base::ByteReader head(bytes);
  check_head(head);
  base::ByteReader in(checked_body(bytes));
  check_head(in);
  ExportedStudy study;
  study.definition = decode_definition(in.blob());
  const std::uint32_t count = in.u32();
  for (std::uint32_t i = 0; i < count; ++i) study.records.push_back(in.blob());
  in.expect_end();
  return study;
}

}  // namespace duets::service

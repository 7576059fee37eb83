#include "duets/service/export_file.h"

#include <fmt/format.h>

#include "duets/base/error.h"

namespace duets::service {
namespace {

constexpr std::uint32_t kVersion = 2;
constexpr const char* kMagic = "duets export";

}  // namespace

base::Bytes encode_export(const Definition& definition, std::span<const base::Bytes> records) {
  base::ByteWriter out;
  out.text(kMagic);
  out.u32(kVersion);
  out.blob(encode_definition(definition));
  out.u32(static_cast<std::uint32_t>(records.size()));
  for (const base::Bytes& record : records) out.blob(record);
  return out.take();
}

ExportedStudy decode_export(std::span<const std::uint8_t> bytes) {
  const auto fail = [](const std::string& what) {
    throw base::Error(base::ErrorKind::kDecode, "exported study: " + what);
  };
  base::ByteReader in(bytes);
  if (in.text() != kMagic) fail("does not begin as one");
  const std::uint32_t version = in.u32();
  if (version != kVersion) {
    fail(fmt::format("version {}; this program reads version {}", version, kVersion));
  }
  ExportedStudy study;
  study.definition = decode_definition(in.blob());
  const std::uint32_t count = in.u32();
  for (std::uint32_t i = 0; i < count; ++i) study.records.push_back(in.blob());
  in.expect_end();
  return study;
}

}  // namespace duets::service

// Any bytes as an exported study: kDecode or kInvalid, or a study that survives another trip. The
// bytes are tried as they are, and with the right checksum at their end, without which nothing
// behind it would be reached.
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstdlib>

#include "duets/base/error.h"
#include "duets/service/export_file.h"

// Protobuf prints a line for every text that is not UTF-8.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

namespace {

using namespace duets;

constexpr std::size_t kDigestSize = 16;

base::Bytes with_checksum(std::span<const std::uint8_t> bytes) {
  const auto body = bytes.first(bytes.size() - std::min(bytes.size(), kDigestSize));
  base::Bytes out(body.begin(), body.end());
  base::ByteWriter checksum;
  checksum.digest(base::digest_of(body));
  out.insert(out.end(), checksum.bytes().begin(), checksum.bytes().end());
  return out;
}

void try_decoding(std::span<const std::uint8_t> given) {
  service::ExportedStudy study;
  try {
    study = service::decode_export(given);
  } catch (const base::Error& error) {
    const bool known =
        error.kind() == base::ErrorKind::kDecode || error.kind() == base::ErrorKind::kInvalid;
    if (!known) std::abort();
    return;
  }
  const base::Bytes bytes = service::encode_export(study.definition, study.records);
  const service::ExportedStudy again = service::decode_export(bytes);
  if (service::encode_export(again.definition, again.records) != bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try_decoding({data, size});
  try_decoding(with_checksum({data, size}));
  return 0;
}

// Any bytes as an exported study: kDecode or kInvalid, or a study that survives another trip.
#include <google/protobuf/stubs/logging.h>

#include <cstdlib>

#include "duets/base/error.h"
#include "duets/service/export_file.h"

// Protobuf prints a line for every text that is not UTF-8.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets;
  service::ExportedStudy study;
  try {
    study = service::decode_export({data, size});
  } catch (const base::Error& error) {
    const bool known =
        error.kind() == base::ErrorKind::kDecode || error.kind() == base::ErrorKind::kInvalid;
    if (!known) std::abort();
    return 0;
  }
  const base::Bytes bytes = service::encode_export(study.definition, study.records);
  const service::ExportedStudy again = service::decode_export(bytes);
  if (service::encode_export(again.definition, again.records) != bytes) std::abort();
  return 0;
}

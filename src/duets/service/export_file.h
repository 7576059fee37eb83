// A study in one file that outlives its coordinator: definition and records, without secrets.
#pragma once

#include <span>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/protocol/report.h"
#include "duets/service/definition.h"

namespace duets::service {

/// The version of an export: of journal.bin and of the other files. Any change to the meaning of
/// one of them is a new version.
inline constexpr std::uint32_t kExportVersion = protocol::kReportVersion;

/// text "duets export", u32 version, blob definition, u32 count, then that many blobs, each a
/// record (docs/formats/messages.md), and the digest of all bytes before it.
base::Bytes encode_export(const Definition& definition, std::span<const base::Bytes> records);

struct ExportedStudy {
  Definition definition;
  std::vector<base::Bytes> records;  ///< not decoded
};

/// Throws kDecode for bytes that encode_export cannot have written: a changed bit, another length,
/// another version; kInvalid for a definition that is not a study.
ExportedStudy decode_export(std::span<const std::uint8_t> bytes);

}  // namespace duets::service

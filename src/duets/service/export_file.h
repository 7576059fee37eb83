// A study in one file that outlives its coordinator: definition and records, never a secret.
#pragma once

#include <span>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/service/definition.h"

namespace duets::service {

/// text "duets export", u32 version 1, blob definition, u32 count, then that many blobs, each a
/// record (docs/formats/messages.md).
base::Bytes encode_export(const Definition& definition, std::span<const base::Bytes> records);

struct ExportedStudy {
  Definition definition;
  std::vector<base::Bytes> records;  ///< not decoded
};

/// Throws kDecode for anything encode_export could not have written, kInvalid for a definition that
/// is no study.
ExportedStudy decode_export(std::span<const std::uint8_t> bytes);

}  // namespace duets::service

// Computes the checksums of a store (docs/formats/storage.md).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "duets/base/bytes.h"

namespace duets::storage::sqlite {

/// 16 bytes, as stored.
using Checksum = base::Bytes;

/// The chain of a journal without entries.
Checksum chain_start(std::string_view journal);

/// The chain after one more entry.
Checksum chain_next(const Checksum& previous, std::span<const std::uint8_t> entry);

Checksum fact_checksum(std::string_view journal, std::string_view key,
                       std::span<const std::uint8_t> value);

}  // namespace duets::storage::sqlite

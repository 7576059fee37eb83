#include "duets/storage/sqlite/chain.h"

namespace duets::storage::sqlite {
namespace {

Checksum checksum_of(std::span<const std::uint8_t> bytes) {
  base::ByteWriter writer;
  writer.digest(base::digest_of(bytes));
  return writer.take();
}

}  // namespace

Checksum chain_start(std::string_view journal) {
  base::ByteWriter writer;
  writer.text("duets journal");
  writer.text(journal);
  return checksum_of(writer.bytes());
}

Checksum chain_next(const Checksum& previous, std::span<const std::uint8_t> entry) {
  base::Bytes bytes;
  bytes.reserve(previous.size() + entry.size());
  bytes.insert(bytes.end(), previous.begin(), previous.end());
  bytes.insert(bytes.end(), entry.begin(), entry.end());
  return checksum_of(bytes);
}

Checksum fact_checksum(std::string_view journal, std::string_view key,
                       std::span<const std::uint8_t> value) {
  base::ByteWriter writer;
  writer.text("duets fact");
  writer.text(journal);
  writer.text(key);
  writer.blob(value);
  return checksum_of(writer.bytes());
}

}  // namespace duets::storage::sqlite

// Any bytes as the facts that a coordinator keeps of a study: kDecode, or facts whose bytes are the
// same again.
#include <algorithm>
#include <cstdlib>

#include "duets/base/error.h"
#include "duets/service/study_journal.h"

namespace {

template <typename Decode, typename Encode>
void try_fact(std::span<const std::uint8_t> bytes, Decode decode, Encode encode) {
  duets::base::Bytes again;
  try {
    again = encode(decode(bytes));
  } catch (const duets::base::Error& error) {
    if (error.kind() != duets::base::ErrorKind::kDecode) std::abort();
    return;
  }
  if (!std::ranges::equal(again, bytes)) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets::service;
  try_fact({data, size}, decode_epochs, encode_epochs);
  try_fact({data, size}, decode_traffic, encode_traffic);
  try_fact({data, size}, decode_policy, encode_policy);
  try_fact({data, size}, decode_service, encode_service);
  return 0;
}

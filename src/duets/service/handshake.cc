#include "duets/service/handshake.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "duets/base/error.h"
#include "duets/random/coin.h"
#include "duets/region/fingerprint.h"
#include "duets/service/wire.h"

namespace duets::service {
namespace {

void require_reply(bool ok, const std::string& what) {
  if (ok) return;
  throw base::Error(base::ErrorKind::kProtocol, fmt::format("invalid reply to join: {}", what));
}

}  // namespace

base::Digest fingerprint_of_start(const std::string& start) {
  std::uint64_t seed = 0;
  for (std::size_t i = std::min<std::size_t>(start.size(), 8); i-- > 0;) {
    seed = seed << 8 | static_cast<std::uint8_t>(start[i]);
  }
  return region::numeric_fingerprint(seed);
}

v1::Epochs epochs_of(const protocol::Study& study) {
  v1::Epochs epochs;
  const std::vector<std::uint32_t> lengths = protocol::lengths(study);
  for (std::uint32_t e = 1; e <= lengths.size(); ++e) {
    const base::EpochId epoch{e};
    epochs.add_lengths(lengths[e - 1]);
    if (protocol::closes(study, epoch)) epochs.add_closing(e);
    if (!protocol::sends_values(study, epoch)) epochs.add_silent(e);
    if (protocol::recalls_all(study, epoch)) epochs.add_recalling(e);
  }
  return epochs;
}

std::optional<std::string> handshake_objection(const v1::JoinRequest& request,
                                               const base::Digest& study_digest) {
  if (request.protocol_version() != kProtocolVersion) {
    return fmt::format(
        "the agent uses protocol version {}, the coordinator version {}: install the same "
        "release of duets on both",
        request.protocol_version(), kProtocolVersion);
  }
  const base::Digest fingerprint = from_wire(request.numeric_fingerprint());
  if (fingerprint != fingerprint_of_start(request.start())) {
    return fmt::format(
        "the agent's machine computes different bits: its numeric self-test for this start gives "
        "{}, "
        "the coordinator's gives something else; they would not agree on points; use the same "
        "release and a supported processor on both, and compare what duets version prints",
        base::to_hex(fingerprint));
  }
  if (!request.has_study_digest()) return std::nullopt;
  const base::Digest digest = from_wire(request.study_digest());
  if (digest == study_digest) return std::nullopt;
  return fmt::format(
      "the agent's journal belongs to study {}, the coordinator's study is {}: the study was "
      "changed or created again; start the agent with another --journal directory, or move the old "
      "journal away",
      base::to_hex(digest), base::to_hex(study_digest));
}

Definition check_join_reply(const v1::JoinReply& reply) {
  Definition definition = from_wire(reply.definition());
  const base::Digest own = protocol::study_digest(*definition.study);
  const base::Digest said = from_wire(reply.study_digest());
  if (own != said) {
    throw base::Error(
        base::ErrorKind::kDiverged,
        fmt::format("the coordinator's study is {}, but the agent computes {} from the same "
                    "definition: install the same release of duets on both",
                    base::to_hex(said), base::to_hex(own)));
  }
  require_reply(
      reply.epochs().SerializeAsString() == epochs_of(*definition.study).SerializeAsString(),
      "other epochs than those of its study");
  const std::size_t key_size = random::Key{}.size();
  require_reply(reply.agent() < definition.study->agents,
                fmt::format("agent {} in a study of {}", reply.agent(), definition.study->agents));
  require_reply(reply.coin().size() == key_size && reply.public_coin().size() == key_size,
                fmt::format("a coin that is not {} bytes", key_size));
  require_reply(std::isfinite(reply.lease_seconds()) && reply.lease_seconds() > 0,
                fmt::format("a lease of {} seconds", reply.lease_seconds()));
  return definition;
}

}  // namespace duets::service

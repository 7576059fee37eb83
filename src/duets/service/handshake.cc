#include "duets/service/handshake.h"

#include <fmt/format.h>

#include <cmath>

#include "duets/base/error.h"
#include "duets/random/coin.h"
#include "duets/service/wire.h"

namespace duets::service {
namespace {

void require_reply(bool ok, const std::string& what) {
  if (ok) return;
  throw base::Error(base::ErrorKind::kProtocol, fmt::format("invalid reply to join: {}", what));
}

}  // namespace

std::optional<std::string> handshake_objection(const v1::JoinRequest& request,
                                               const base::Digest& own_fingerprint,
                                               const base::Digest& study_digest) {
  if (request.protocol_version() != kProtocolVersion) {
    return fmt::format(
        "the agent uses protocol version {}, the coordinator version {}: install the same "
        "release of duets on both",
        request.protocol_version(), kProtocolVersion);
  }
  const base::Digest fingerprint = from_wire(request.numeric_fingerprint());
  if (fingerprint != own_fingerprint) {
    return fmt::format(
        "the agent's machine computes different bits: its numeric self-test gives {}, the "
        "coordinator's {}; they would not agree on points; use the same release and a "
        "supported processor on both",
        base::to_hex(fingerprint), base::to_hex(own_fingerprint));
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

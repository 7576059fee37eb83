// The messages of the protocol: plain structs, their encoding, and their cost in reals.
//
// docs/formats/messages.md has the byte layout. Every encoder is the inverse of its decoder, and
// decoders throw kDecode for anything an encoder could not have written.
#pragma once

#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/base/enum_table.h"
#include "duets/base/ids.h"
#include "duets/kernel/kernel.h"
#include "duets/numeric/matrix.h"
#include "duets/protocol/numbers.h"
#include "duets/region/sampler.h"

namespace duets::protocol {

using base::AgentId;
using base::EpochId;

/// Rewards (model units) are below this in size, the range of single precision: their cubes and
/// fourth powers, which occur in learned models and Gram matrices, are still finite.
inline constexpr double kLargestReward = 0x1p128;
inline constexpr const char* kLargestRewardText = "2^128 = 3.4e38";
/// False for NaN, infinities and numbers beyond kLargestReward. Hosts report a query with such a
/// reward as a hole.
bool is_usable_reward(double reward);

/// The kind of upload that an agent sends in an epoch.
enum class UploadKind : std::uint8_t { kProjection = 1, kRewards = 2 };

constexpr auto enum_entries(UploadKind /*tag*/) {
  return base::entries<UploadKind>(
      {{UploadKind::kProjection, "projection"}, {UploadKind::kRewards, "rewards"}});
}

/// Coordinator -> all: S_j, at the start of epoch j (it depends on no reward).
struct InducingSet {
  EpochId epoch{};
  UploadKind upload = UploadKind::kProjection;
  bool closing = false;    ///< the last epoch: only for the closing projection
  numeric::Points points;  ///< s x d latents; empty when `public_slots` is used
  /// Rows of PublicView::public_candidates(), increasing. Nothing at all where only the coordinator
  /// uses S_j: for rewards the agents do not need it.
  std::vector<std::uint32_t> public_slots;
  /// With short numbers: what is uploaded is rounded to multiples of 2^this. A projection's is
  /// always there; absent for rewards: as before, and before the first one the agents choose.
  std::optional<std::int32_t> exponent;
};

/// The model of the rewards as far as agents need it; its noise variance stays with the
/// coordinator.
struct Model {
  kernel::Kernel kernel;
  double reward_offset = 0;  ///< subtracted from rewards before projecting
};

/// Coordinator -> all: the cut that closes epoch j, and how to sample the region it leaves. Without
/// weights: a stage has ended and another one follows; region, sampler and model stay as they are,
/// and only `excluded` says something.
struct Trim {
  EpochId epoch{};
  /// Rows of PublicView::public_candidates(), increasing: the points that the weights belong to.
  /// Empty: S_j.
  std::vector<std::uint32_t> public_slots;
  numeric::Vector weights;  ///< w_j
  double tau = 0;
  region::SamplerSettings sampler;      ///< for X_{j+1}
  numeric::Points starts;               ///< empty unless the public stream gave none
  std::vector<std::uint32_t> excluded;  ///< agents that did not take part in the epoch, increasing
  std::optional<Model> learned;         ///< of this cut and of all later epochs
  NumberFormat format{};                ///< of the weights; the other numbers are as short
};

/// Agent -> coordinator: a summary of an epoch's rewards.
struct Upload {
  AgentId agent{};
  EpochId epoch{};
  UploadKind kind = UploadKind::kProjection;
  std::vector<double>
      values;  ///< s projected reals, or one reward for each slot that is not a hole
  std::vector<std::uint32_t> holes;  ///< slots without a reward, increasing
  std::uint64_t points_digest = 0;   ///< of the epoch's points, holes included: sent_digest()
  NumberFormat format{};             ///< of the values
};

/// The best reward an agent saw in the epochs it took part in.
struct BestTrial {
  AgentId agent{};
  EpochId epoch{};
  std::uint32_t slot = 0;
  double reward = 0;  ///< model units
};

/// Agent -> coordinator, after its last query.
struct Closing {
  AgentId agent{};
  bool has_best = false;  ///< false when there is no such reward
  BestTrial best;
  std::vector<double> values;        ///< as in an Upload, unless closing = "best"
  std::vector<std::uint32_t> holes;  ///< of the last epoch
  std::uint64_t points_digest = 0;   ///< of the last epoch
  NumberFormat format{};             ///< of the values; the best reward is exact
};

/// Why a message was not accepted.
enum class Reason : std::uint8_t {
  kForeign = 1,   ///< no such agent, or an epoch that has not begun
  kStale = 2,     ///< the epoch is closed; the Trim that closed it is sent too
  kConflict = 3,  ///< a different upload of this agent for this epoch was accepted before
  kShape = 4,     ///< wrong kind, wrong number of values, bad holes
  kUnusable = 5,  ///< a number that is not finite, or a reward beyond kLargestReward
  kDiverged = 6,  ///< the digest of the points differs: the two sides do not agree on the points
};

constexpr auto enum_entries(Reason /*tag*/) {
  return base::entries<Reason>({{Reason::kForeign, "foreign"},
                                {Reason::kStale, "stale"},
                                {Reason::kConflict, "conflict"},
                                {Reason::kShape, "shape"},
                                {Reason::kUnusable, "not finite or too large"},
                                {Reason::kDiverged, "diverged"}});
}

/// Coordinator -> one agent: the message was not accepted. State is unchanged.
struct Refusal {
  AgentId agent{};
  EpochId epoch{};
  Reason reason = Reason::kForeign;
};

using Message = std::variant<InducingSet, Trim, Upload, Closing, Refusal>;

/// kInvalid for a short number that is not finite.
base::Bytes encode(const Message& message);
/// kDecode, also for a list of more than `most` elements.
Message decode(std::span<const std::uint8_t> bytes, std::uint64_t most = kAnyNumber);

/// The number of reals that the message counts in the ledgers: an index is one real, so is the
/// index of a hole; digests and sampler settings count as bytes only.
std::uint64_t num_reals(const Message& message);

/// 8-byte digest of latent points in row order.
std::uint64_t points_digest(const numeric::Points& latents);
/// What messages carry of it. Points that differ in one epoch differ in all later ones, so a few
/// bits an epoch and more at the end are enough.
constexpr int digest_bits(Numbers numbers, bool closing) {
  if (numbers == Numbers::kDouble) return 64;
  return closing ? 32 : 16;
}
constexpr std::uint64_t sent_digest(std::uint64_t digest, Numbers numbers, bool closing) {
  return digest & (~std::uint64_t{0} >> (64 - digest_bits(numbers, closing)));
}

/// Field helpers shared with records.
void write_points(base::ByteWriter& out, const numeric::Points& points);
numeric::Points read_points(base::ByteReader& in);
void write_kernel(base::ByteWriter& out, const kernel::Kernel& kernel);
kernel::Kernel read_kernel(base::ByteReader& in);
void write_settings(base::ByteWriter& out, const region::SamplerSettings& settings);
region::SamplerSettings read_settings(base::ByteReader& in);

}  // namespace duets::protocol

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "duets/base/digest.h"
#include "duets/base/error.h"
#include "duets/protocol/public_view.h"
#include "duets/service/wire.h"

namespace duets::service {
namespace {

using base::AgentId;
using base::EpochId;
using protocol::Study;
using protocol::UploadKind;

/// The author of a message, for error texts.
struct Source {
  std::optional<std::uint32_t> agent;  ///< empty: the coordinator
  std::uint32_t epoch = 0;
};

// Checks a message against the limits of the study.
class Checker {
 public:
  explicit Checker(const Study& study) : study_(study), lengths_(protocol::lengths(study)) {}

  /// More elements than any list of a message has in this study.
  std::uint64_t most_elements() const {
    const std::uint64_t queries = std::uint64_t{study_.agents} * study_.horizon;
    return std::max<std::uint64_t>({queries, study_.agents, study_.horizon, protocol::kMostPublic,
                                    study_.domain->num_features()});
  }

  void check(const protocol::Message& message) {
    std::visit([this](const auto& m) { check_one(m); }, message);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    const std::string who =
        source_.agent ? fmt::format("agent {}", *source_.agent) : std::string("coordinator");
    throw base::Error(base::ErrorKind::kInvalid,
                      fmt::format("{}, epoch {}: {}", who, source_.epoch, what));
  }

  void set_source(std::optional<AgentId> agent, EpochId epoch) {
    source_ = {std::nullopt, base::value(epoch)};
    if (agent) {
      source_.agent = base::value(*agent);
      if (*source_.agent >= study_.agents) {
        refuse(fmt::format("the study has agents 0 to {}", study_.agents - 1));
      }
    }
    if (source_.epoch < 1 || source_.epoch > lengths_.size()) {
      refuse(fmt::format("the study has epochs 1 to {}", lengths_.size()));
    }
  }

  void check_finite(double number, const char* what) const {
    if (!std::isfinite(number)) refuse(fmt::format("{} is {}: must be finite", what, number));
  }

  void check_numbers(std::span<const double> numbers, std::uint64_t most, const char* what) const {
    check_count(numbers.size(), most, what);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (std::isfinite(numbers[i])) continue;
      refuse(fmt::format("{} {} is {}: must be finite", what, i, numbers[i]));
    }
  }

  void check_count(std::uint64_t count, std::uint64_t most, const char* what) const {
    if (count > most) refuse(fmt::format("{} {}s: at most {} in this study", count, what, most));
  }

  void check_below(const std::vector<std::uint32_t>& list, std::uint64_t end,
                   const char* what) const {
    if (list.empty() || list.back() < end) return;
    refuse(fmt::format("{} {}: must be below {}", what, list.back(), end));
  }

  void check_format(const protocol::NumberFormat& format) const {
    if (format.numbers == study_.numbers) return;
    refuse(fmt::format("numbers = \"{}\": the study has \"{}\"", base::name_of(format.numbers),
                       base::name_of(study_.numbers)));
  }

  void check_points(const numeric::Points& points, std::uint64_t most, const char* what) const {
    if (points.rows() == 0) return;
    if (points.cols() != static_cast<Eigen::Index>(study_.domain->dimension())) {
      refuse(fmt::format("{}s of {} coordinates: the study has {}", what, points.cols(),
                         study_.domain->dimension()));
    }
    check_count(static_cast<std::uint64_t>(points.rows()), most, what);
    check_numbers({points.data(), static_cast<std::size_t>(points.size())},
                  std::numeric_limits<std::uint64_t>::max(), what);
  }

  // Errors of other modules name only the field.
  template <typename Body>
  void here(const Body& body) const {
    try {
      body();
    } catch (const base::Error& error) {
      refuse(error.what());
    }
  }

  std::uint32_t length() const { return lengths_[source_.epoch - 1]; }
  bool recalls() const { return protocol::recalls_all(study_, EpochId{source_.epoch}); }

  // The most inducing points that an epoch can have: points of its data, or of the public pool.
  std::uint64_t max_inducing() const {
    if (study_.inducing == protocol::Inducing::kPublic) {
      return recalls() ? protocol::kMostPublic : protocol::kPublicPool;
    }
    const auto end = lengths_.begin() + source_.epoch;
    const bool earlier = recalls() || study_.data == protocol::DataPolicy::kSurviving;
    const auto begin = earlier ? lengths_.begin() : end - 1;
    return study_.agents * std::accumulate(begin, end, std::uint64_t{0});
  }

  void check_one(const protocol::InducingSet& m) {
    set_source(std::nullopt, m.epoch);
    const bool is_short = study_.numbers == protocol::Numbers::kShort;
    if (m.exponent ? !is_short : is_short && m.upload == UploadKind::kProjection) {
      refuse(is_short ? "a projection without its exponent"
                      : "an exponent: this study has numbers = \"double\"");
    }
    check_points(m.points, max_inducing(), "inducing point");
    const std::uint32_t most = recalls() ? protocol::kMostPublic : protocol::kPublicPool;
    check_count(m.public_slots.size(), most, "public slot");
    check_below(m.public_slots,
                // Of each earlier epoch an inducing set and the points of a cut.
                recalls() ? std::uint64_t{2} * protocol::kPublicPool * source_.epoch
                          : protocol::kPublicPool,
                "public slot");
    const bool is_public = study_.inducing == protocol::Inducing::kPublic;
    const bool unused =
        m.upload == UploadKind::kRewards && (recalls() || protocol::keeps_inducing(study_));
    if (unused && m.public_slots.empty() && m.points.rows() == 0) return;
    if (m.public_slots.empty() == is_public || (m.points.rows() == 0) != is_public) {
      refuse(is_public ? "the inducing set of this study has public slots, not points"
                       : "the inducing set of this study has points, not public slots");
    }
  }

  void check_one(const protocol::Trim& m) {
    set_source(std::nullopt, m.epoch);
    check_format(m.format);
    const bool has_own = !m.public_slots.empty();
    check_below(m.public_slots, protocol::kPublicPool, "public slot");
    check_numbers({m.weights.data(), static_cast<std::size_t>(m.weights.size())},
                  has_own ? m.public_slots.size() : max_inducing(), "weight");
    if (has_own && static_cast<std::size_t>(m.weights.size()) != m.public_slots.size()) {
      refuse(
          fmt::format("{} weights for {} public slots", m.weights.size(), m.public_slots.size()));
    }
    const bool goes_on = protocol::closes(study_, m.epoch);
    if ((m.weights.size() == 0) != goes_on) {
      refuse(goes_on ? "weights where the study goes on without a cut"
                     : "no weights: a cut has at least one");
    }
    check_finite(m.tau, "tau");
    here([&] { region::validate(m.sampler); });
    check_points(m.starts, region::kMaxStarts, "start point");
    check_below(m.excluded, study_.agents, "excluded agent");
    if (!m.learned) return;
    if (study_.parameters != protocol::Parameters::kLearned) {
      refuse("a learned model: this study has parameters = \"fixed\"");
    }
    check_finite(m.learned->reward_offset, "learned.reward_offset");
    here([&] { kernel::validate(m.learned->kernel, study_.domain->num_features()); });
  }

  void check_one(const protocol::Upload& m) {
    set_source(m.agent, m.epoch);
    check_format(m.format);
    check_numbers(m.values, m.kind == UploadKind::kRewards ? length() : max_inducing(), "value");
    check_below(m.holes, length(), "hole");
  }

  void check_one(const protocol::Closing& m) {
    // It does not say which stage it ends.
    std::uint32_t longest = 0;
    std::uint64_t most = 0;
    for (const protocol::Stage& stage : protocol::stages(study_)) {
      set_source(m.agent, EpochId{stage.end()});
      longest = std::max(longest, length());
      most = std::max({most, std::uint64_t{length()}, max_inducing()});
    }
    check_format(m.format);
    const std::uint32_t epoch = base::value(m.best.epoch);
    if (m.has_best &&
        (epoch < 1 || epoch > lengths_.size() || m.best.slot >= lengths_[epoch - 1])) {
      refuse(fmt::format("best trial in epoch {}, slot {}: there is no such query", epoch,
                         m.best.slot));
    }
    if (m.has_best) check_finite(m.best.reward, "best reward");
    check_numbers(m.values, most, "value");
    check_below(m.holes, longest, "hole");
  }

  void check_one(const protocol::Refusal& m) { set_source(m.agent, m.epoch); }

  const Study& study_;
  std::vector<std::uint32_t> lengths_;
  Source source_;
};

}  // namespace

v1::Message to_wire(const protocol::Message& message) {
  const base::Bytes bytes = protocol::encode(message);
  v1::Message wire;
  wire.set_encoded(bytes.data(), bytes.size());
  return wire;
}

protocol::Message from_wire(const v1::Message& wire, const protocol::Study& study) {
  Checker checker(study);
  protocol::Message message;
  try {
    const std::string& bytes = wire.encoded();
    message = protocol::decode({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()},
                               checker.most_elements());
  } catch (const base::Error& error) {
    throw base::Error(base::ErrorKind::kInvalid, fmt::format("a message: {}", error.what()));
  }
  checker.check(message);
  return message;
}

v1::Digest to_wire(const base::Digest& digest) {
  v1::Digest wire;
  wire.set_low(digest.low);
  wire.set_high(digest.high);
  return wire;
}

base::Digest from_wire(const v1::Digest& digest) { return {digest.low(), digest.high()}; }

std::uint64_t chain_broadcast(std::uint64_t before, const protocol::Message& broadcast) {
  base::ByteWriter out;
  out.u64(before);
  out.blob(protocol::encode(broadcast));
  return base::digest_of(out.bytes()).low;
}

}  // namespace duets::service

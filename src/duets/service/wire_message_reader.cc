#include <cmath>
#include <numeric>

#include "duets/protocol/public_view.h"
#include "duets/service/wire.h"
#include "duets/service/wire_parts.h"

namespace duets::service {
namespace {

using base::AgentId;
using base::EpochId;
using protocol::Study;
using protocol::UploadKind;

// Reads one message within the limits of the study.
class Reader {
 public:
  explicit Reader(const Study& study) : study_(study), lengths_(protocol::lengths(study)) {}

  protocol::Message read(const v1::Message& wire) {
    switch (wire.body_case()) {
      case v1::Message::kInducingSet:
        return inducing_set(wire.inducing_set());
      case v1::Message::kTrim:
        return trim(wire.trim());
      case v1::Message::kUpload:
        return upload(wire.upload());
      case v1::Message::kClosing:
        return closing(wire.closing());
      case v1::Message::kRefusal:
        return refusal(wire.refusal());
      case v1::Message::BODY_NOT_SET:
        break;
    }
    throw base::Error(base::ErrorKind::kInvalid,
                      "a message without content: the other side has another version");
  }

 private:
  void from_coordinator(std::uint32_t epoch) {
    source_ = {std::nullopt, epoch};
    check_epoch(epoch);
  }

  void from_agent(std::uint32_t agent, std::uint32_t epoch) {
    source_ = {agent, epoch};
    if (agent >= study_.agents) {
      refuse_from(source_, fmt::format("the study has agents 0 to {}", study_.agents - 1));
    }
    check_epoch(epoch);
  }

  void check_epoch(std::uint32_t epoch) const {
    if (epoch >= 1 && epoch <= lengths_.size()) return;
    refuse_from(source_, fmt::format("the study has epochs 1 to {}", lengths_.size()));
  }

  void check_finite(double number, const char* what) const {
    if (std::isfinite(number)) return;
    refuse_from(source_, fmt::format("{} is {}: must be finite", what, number));
  }

  // Errors of other modules name only the field.
  template <typename Body>
  auto here(const Body& body) const {
    try {
      return body();
    } catch (const base::Error& error) {
      refuse_from(source_, error.what());
    }
  }

  std::uint32_t length() const { return lengths_[source_.epoch - 1]; }

  // The most inducing points that an epoch can have: points of its data, or of the public pool.
  std::uint64_t max_inducing() const {
    const bool recalls = protocol::recalls_all(study_, EpochId{source_.epoch});
    if (study_.inducing == protocol::Inducing::kPublic) {
      return recalls ? protocol::kMostPublic : protocol::kPublicPool;
    }
    const auto end = lengths_.begin() + source_.epoch;
    const bool earlier = recalls || study_.data == protocol::DataPolicy::kSurviving;
    const auto begin = earlier ? lengths_.begin() : end - 1;
    return study_.agents * std::accumulate(begin, end, std::uint64_t{0});
  }

  UploadKind upload_kind(std::uint32_t number) const {
    return here([&] { return base::enum_of<UploadKind>(number, "upload"); });
  }

  std::vector<std::uint32_t> public_slots(const WireIndices& wire) const {
    const bool recalls = protocol::recalls_all(study_, EpochId{source_.epoch});
    const std::uint32_t most = recalls ? protocol::kMostPublic : protocol::kPublicPool;
    if (static_cast<std::size_t>(wire.size()) > most) {
      refuse_from(source_, fmt::format("{} public slots: at most {}", wire.size(), most));
    }
    const std::uint64_t end =
        recalls ? std::uint64_t{protocol::kPublicPool} * source_.epoch : protocol::kPublicPool;
    for (const std::uint32_t slot : wire) {
      if (slot < end) continue;
      refuse_from(source_, fmt::format("public slot {}: must be below {}", slot, end));
    }
    return {wire.begin(), wire.end()};
  }

  protocol::Model learned_model(const v1::Model& wire) const {
    if (study_.parameters != protocol::Parameters::kLearned) {
      refuse_from(source_, "a learned model: this study has parameters = \"fixed\"");
    }
    check_finite(wire.reward_offset(), "learned.reward_offset");
    return here([&] {
      protocol::Model model{kernel_from_wire(wire.kernel()), wire.reward_offset()};
      kernel::validate(model.kernel, study_.domain->num_features());
      return model;
    });
  }

  protocol::InducingSet inducing_set(const v1::InducingSet& wire) {
    from_coordinator(wire.epoch());
    protocol::InducingSet m;
    m.epoch = EpochId{wire.epoch()};
    m.upload = upload_kind(wire.upload());
    m.closing = wire.closing();
    m.points = points_from_wire(wire.points(), study_.domain->dimension(), max_inducing(),
                                "inducing point", source_);
    m.public_slots = public_slots(wire.public_slots());
    const bool is_public = study_.inducing == protocol::Inducing::kPublic;
    const bool unused = m.upload == UploadKind::kRewards && protocol::recalls_all(study_, m.epoch);
    if (unused && m.public_slots.empty() && m.points.rows() == 0) return m;
    if (m.public_slots.empty() == is_public || (m.points.rows() == 0) != is_public) {
      refuse_from(source_, is_public
                               ? "the inducing set of this study has public slots, not points"
                               : "the inducing set of this study has points, not public slots");
    }
    return m;
  }

  region::SamplerSettings sampler(const v1::Sampler& wire) const {
    return here([&] {
      const region::SamplerSettings settings = sampler_from_wire(wire);
      region::validate(settings);
      return settings;
    });
  }

  protocol::Trim trim(const v1::Trim& wire) {
    from_coordinator(wire.epoch());
    const std::vector<double> weights =
        numbers_from_wire(wire.weights(), max_inducing(), "weight", source_);
    const bool goes_on = protocol::closes(study_, EpochId{wire.epoch()});
    if (weights.empty() != goes_on) {
      refuse_from(source_, goes_on ? "weights where the study goes on without a cut"
                                   : "no weights: a cut has at least one");
    }
    check_finite(wire.tau(), "tau");
    protocol::Trim m;
    m.epoch = EpochId{wire.epoch()};
    m.weights = Eigen::Map<const numeric::Vector>(weights.data(),
                                                  static_cast<Eigen::Index>(weights.size()));
    m.tau = wire.tau();
    m.sampler = sampler(wire.sampler());
    m.starts = points_from_wire(wire.starts(), study_.domain->dimension(), region::kMaxStarts,
                                "start point", source_);
    m.excluded = increasing_from_wire(wire.excluded(), study_.agents, "excluded agent", source_);
    if (wire.has_learned()) m.learned = learned_model(wire.learned());
    return m;
  }

  protocol::Upload upload(const v1::Upload& wire) {
    from_agent(wire.agent(), wire.epoch());
    protocol::Upload m;
    m.agent = AgentId{wire.agent()};
    m.epoch = EpochId{wire.epoch()};
    m.kind = upload_kind(wire.kind());
    const std::uint64_t most = m.kind == UploadKind::kRewards ? length() : max_inducing();
    m.values = numbers_from_wire(wire.values(), most, "value", source_);
    m.holes = increasing_from_wire(wire.holes(), length(), "hole", source_);
    m.points_digest = wire.points_digest();
    return m;
  }

  protocol::BestTrial best(const v1::Best& wire) const {
    if (wire.epoch() < 1 || wire.epoch() > lengths_.size() ||
        wire.slot() >= lengths_[wire.epoch() - 1]) {
      refuse_from(source_, fmt::format("best trial in epoch {}, slot {}: there is no such query",
                                       wire.epoch(), wire.slot()));
    }
    check_finite(wire.reward(), "best reward");
    return {AgentId{*source_.agent}, EpochId{wire.epoch()}, wire.slot(), wire.reward()};
  }

  protocol::Closing closing(const v1::Closing& wire) {
    // It does not say which stage it ends.
    std::uint32_t longest = 0;
    std::uint64_t most = 0;
    for (const protocol::Stage& stage : protocol::stages(study_)) {
      from_agent(wire.agent(), stage.end());
      longest = std::max(longest, length());
      most = std::max({most, std::uint64_t{length()}, max_inducing()});
    }
    protocol::Closing m;
    m.agent = m.best.agent = AgentId{wire.agent()};
    m.has_best = wire.has_best();
    if (m.has_best) m.best = best(wire.best());
    m.values = numbers_from_wire(wire.values(), most, "value", source_);
    m.holes = increasing_from_wire(wire.holes(), longest, "hole", source_);
    m.points_digest = wire.points_digest();
    return m;
  }

  protocol::Refusal refusal(const v1::Refusal& wire) {
    from_agent(wire.agent(), wire.epoch());
    return {AgentId{wire.agent()}, EpochId{wire.epoch()},
            here([&] { return base::enum_of<protocol::Reason>(wire.reason(), "refusal.reason"); })};
  }

  const Study& study_;
  std::vector<std::uint32_t> lengths_;
  Source source_;
};

}  // namespace

protocol::Message from_wire(const v1::Message& message, const protocol::Study& study) {
  return Reader(study).read(message);
}

}  // namespace duets::service

#include "duets/region/sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duets/base/error.h"
#include "duets/numeric/rows.h"
#include "duets/region/cover.h"
#include "duets/region/draw.h"

namespace duets::region {
namespace {

using numeric::Points;
using random::Address;
using random::Purpose;

constexpr std::uint32_t kChunk = 256;  // slots; fixed, so that threads cannot matter

Purpose point_purpose(Lane lane) {
  if (lane == Lane::kPool) return Purpose::kPoolPoint;
  return lane == Lane::kPrivate ? Purpose::kPoint : Purpose::kPublicPoint;
}

Purpose walk_purpose(Lane lane) {
  if (lane == Lane::kPool) return Purpose::kPoolWalk;
  return lane == Lane::kPrivate ? Purpose::kWalk : Purpose::kPublicWalk;
}

Address address_of(Purpose purpose, const SlotRange& slots, std::uint32_t row,
                   std::uint32_t attempt) {
  return {.purpose = purpose,
          .epoch = base::value(slots.epoch),
          .slot = slots.first + row,
          .attempt = attempt};
}

std::span<double> row_of(Points& points, std::size_t row) {
  return {points.row(static_cast<Eigen::Index>(row)).data(),
          static_cast<std::size_t>(points.cols())};
}

[[noreturn]] void throw_exhausted(const SlotRange& slots, std::uint32_t row,
                                  std::uint32_t attempts) {
  throw base::Error(
      base::ErrorKind::kExhausted,
      fmt::format(
          "sampler exhausted: epoch {}, slot {}: no point of the active region among {} "
          "attempts. The region is smaller than it was measured to be; raise duets.beta, or "
          "use a finite set (space.domain = \"finite\")",
          base::value(slots.epoch), slots.first + row, attempts));
}

// How many attempts of each open slot are tried next. Rejection from the whole domain expects many.
std::uint32_t next_batch(Method method, std::uint32_t last, std::size_t num_open) {
  if (method == Method::kRejection) return std::clamp(2 * last, 1U, 32U);
  constexpr std::size_t kLanes = 16;
  return static_cast<std::uint32_t>(std::clamp(kLanes / num_open, std::size_t{1}, kLanes));
}

// One step of coordinate hit-and-run for many chains at once. The shrinking interval always holds
// the current point, so a chain that uses up its proposals stays where it is; both keep the uniform
// distribution.
class WalkStep {
 public:
  WalkStep(const Region& region, std::uint32_t max_shrinks) : region_(region), max_(max_shrinks) {}

  void run(const random::Coin& coin, Purpose purpose, const SlotRange& slots, std::uint32_t step,
           Draw& draw) {
    const domain::Domain& domain = region_.domain();
    chains_.clear();
    for (std::uint32_t row = 0; row < slots.count; ++row) {
      Chain chain{.row = row, .address = address_of(purpose, slots, row, step)};
      coin.words(chain.address, std::span(chain.words.data(), kEarlyWords));
      chain.axis = random::index_below(chain.words[0], domain.dimension());
      chain.chord = domain.chord(row_of(draw.latents, row), chain.axis);
      chains_.push_back(chain);
    }
    for (std::uint32_t proposal = 0; proposal < max_ && !chains_.empty(); ++proposal) {
      propose(coin, proposal, draw);
    }
  }

 private:
  // Most steps end within a few proposals; more words are fetched only for those that do not.
  static constexpr std::size_t kEarlyWords = 8;

  struct Chain {
    std::uint32_t row = 0;
    Address address;
    std::size_t axis = 0;
    domain::Chord chord{};
    std::array<std::uint64_t, kEarlyWords> words{};
  };

  static double uniform(const random::Coin& coin, const Chain& chain, std::uint32_t proposal) {
    const std::size_t word = proposal + std::size_t{1};  // word 0 chose the axis
    if (word < kEarlyWords) return static_cast<double>(chain.words[word] >> 11) * 0x1p-53;
    std::vector<double> uniforms(word + 1);
    coin.uniforms(chain.address, uniforms);
    return uniforms[word];
  }

  void propose(const random::Coin& coin, std::uint32_t proposal, Draw& draw) {
    Points points(static_cast<Eigen::Index>(chains_.size()), draw.latents.cols());
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      const Chain& chain = chains_[i];
      points.row(static_cast<Eigen::Index>(i)) = draw.latents.row(chain.row);
      const double u = uniform(coin, chain, proposal);
      row_of(points, i)[chain.axis] = chain.chord.low + (chain.chord.high - chain.chord.low) * u;
    }
    const Membership membership = region_.contains(points);
    draw.tests += chains_.size();
    draw.smallest_margin = std::min(draw.smallest_margin, membership.smallest_margin);

    std::vector<Chain> open;
    for (std::size_t i = 0; i < chains_.size(); ++i) {
      Chain& chain = chains_[i];
      double& current = row_of(draw.latents, chain.row)[chain.axis];
      const double proposed = row_of(points, i)[chain.axis];
      if (membership.inside[i] != 0) {
        current = proposed;
        continue;
      }
      (proposed < current ? chain.chord.low : chain.chord.high) = proposed;
      open.push_back(chain);
    }
    chains_ = std::move(open);
  }

  const Region& region_;
  std::uint32_t max_;
  std::vector<Chain> chains_;
};

Draw join(const std::vector<Draw>& parts, Eigen::Index rows, Eigen::Index columns) {
  Draw all;
  all.latents.resize(rows, columns);
  Eigen::Index row = 0;
  for (const Draw& part : parts) {
    all.latents.middleRows(row, part.latents.rows()) = part.latents;
    row += part.latents.rows();
    all.indices.insert(all.indices.end(), part.indices.begin(), part.indices.end());
    all.tests += part.tests;
    all.smallest_margin = std::min(all.smallest_margin, part.smallest_margin);
  }
  return all;
}

Draw draw_indices(const Sampler& sampler, const random::Coin& coin, Lane lane,
                  const SlotRange& slots) {
  const Region& region = sampler.region();
  Draw draw;
  const std::vector<std::uint32_t>& survivors = region.survivors();
  for (std::uint32_t row = 0; row < slots.count; ++row) {
    std::uint64_t word = 0;
    coin.words(address_of(point_purpose(lane), slots, row, 0), std::span(&word, 1));
    draw.indices.push_back(survivors[random::index_below(word, survivors.size())]);
  }
  draw.latents = numeric::select_rows(region.domain().candidates(), draw.indices);
  return draw;
}

/// Writes a candidate point; false when it lies outside the domain.
using Proposal = std::function<bool(const Address&, std::span<double>)>;

Draw draw_by_rejection(const Sampler& sampler, Lane lane, const SlotRange& slots,
                       const Proposal& propose) {
  const Region& region = sampler.region();
  const SamplerSettings& settings = sampler.settings();
  Draw draw;
  draw.latents.resize(slots.count, static_cast<Eigen::Index>(region.domain().dimension()));
  std::vector<std::uint32_t> open(slots.count);
  for (std::uint32_t row = 0; row < slots.count; ++row) open[row] = row;

  // A slot's point is its first attempt that lies inside. Attempts are tried in batches to feed the
  // vectorised test; the size of a batch cannot change which attempt is the first.
  std::uint32_t batch = 0;
  for (std::uint32_t tried = 0; !open.empty(); tried += batch) {
    if (tried >= settings.max_attempts) throw_exhausted(slots, open.front(), tried);
    batch =
        std::min(next_batch(settings.method, batch, open.size()), settings.max_attempts - tried);
    Points points(static_cast<Eigen::Index>(open.size() * batch), draw.latents.cols());
    std::vector<std::size_t> outside;
    for (std::size_t i = 0; i < open.size(); ++i) {
      for (std::uint32_t k = 0; k < batch; ++k) {
        const Address address = address_of(point_purpose(lane), slots, open[i], tried + k);
        const std::size_t row = i * batch + k;
        if (!propose(address, row_of(points, row))) outside.push_back(row);
      }
    }
    Membership membership = region.contains(points);
    for (const std::size_t row : outside) membership.inside[row] = 0;
    draw.tests += membership.inside.size();
    draw.smallest_margin = std::min(draw.smallest_margin, membership.smallest_margin);

    std::vector<std::uint32_t> still_open;
    for (std::size_t i = 0; i < open.size(); ++i) {
      const auto begin = membership.inside.begin() + static_cast<std::ptrdiff_t>(i * batch);
      const auto hit = std::find(begin, begin + batch, 1);
      if (hit == begin + batch) {
        still_open.push_back(open[i]);
      } else {
        draw.latents.row(open[i]) = points.row(hit - membership.inside.begin());
      }
    }
    open = std::move(still_open);
  }
  return draw;
}

Draw draw_by_walk(const Sampler& sampler, const random::Coin& coin, Lane lane,
                  const SlotRange& slots) {
  const SamplerSettings& settings = sampler.settings();
  const Points& starts = sampler.starts();
  Draw draw;
  draw.latents.resize(slots.count, starts.cols());
  const Purpose purpose = walk_purpose(lane);
  for (std::uint32_t row = 0; row < slots.count; ++row) {
    std::uint64_t word = 0;
    coin.words(address_of(purpose, slots, row, 0), std::span(&word, 1));
    const auto start = random::index_below(word, static_cast<std::uint64_t>(starts.rows()));
    draw.latents.row(row) = starts.row(static_cast<Eigen::Index>(start));
  }
  WalkStep walk(sampler.region(), settings.max_shrinks);
  for (std::uint32_t step = 1; step <= settings.walk_steps; ++step) {
    walk.run(coin, purpose, slots, step, draw);
  }
  return draw;
}

}  // namespace

Sampler::Sampler(Region region, SamplerSettings settings, Points starts)
    : region_(std::move(region)), settings_(settings), starts_(std::move(starts)) {
  validate(settings_);
  const bool finite = region_.domain().is_finite();
  base::require(finite == (settings_.method == Method::kIndex), "sampler.method",
                std::string(base::name_of(settings_.method)),
                finite ? "a finite set is sampled by index" : "only a finite set has indices");
  if (finite) {
    base::require(!region_.survivors().empty(), "active region", "empty",
                  "at least one candidate must survive");
  }
  if (is_walk(settings_.method)) {
    base::require(starts_.rows() > 0, "sampler.starts", "none", "a walk needs a start point");
    base::require(starts_.cols() == static_cast<Eigen::Index>(region_.domain().dimension()),
                  "sampler.starts", fmt::format("{} columns", starts_.cols()),
                  "must have the domain's dimension");
  }
  way_ = way_of(*this);
}

Draw Sampler::draw(const random::Coin& coin, Lane lane, const SlotRange& slots,
                   const base::Executor& executor) const {
  const std::size_t num_chunks = (slots.count + kChunk - 1) / kChunk;
  std::vector<Draw> parts(num_chunks);
  executor.parallel_for(num_chunks, [&](std::size_t chunk) {
    const auto offset = static_cast<std::uint32_t>(chunk) * kChunk;
    const SlotRange part{slots.epoch, slots.first + offset, std::min(kChunk, slots.count - offset)};
    parts[chunk] = way_(*this, coin, lane, part);
  });
  return join(parts, slots.count, static_cast<Eigen::Index>(region_.domain().dimension()));
}

Sampler::Way Sampler::way_of(const Sampler& sampler) {
  switch (sampler.settings_.method) {
    case Method::kIndex:
      return draw_indices;
    case Method::kRejection:
      return [](const Sampler& s, const random::Coin& coin, Lane lane, const SlotRange& slots) {
        return draw_by_rejection(s, lane, slots, [&](const Address& at, std::span<double> out) {
          draw_point(coin, at, s.region_.domain(), out);
          return true;
        });
      };
    case Method::kCover: {
      const auto cover =
          std::make_shared<const Cover>(sampler.region_, sampler.settings_.cover_depth);
      return
          [cover](const Sampler& s, const random::Coin& coin, Lane lane, const SlotRange& slots) {
            return draw_by_rejection(s, lane, slots, [&](const Address& at, std::span<double> out) {
              cover->draw(coin, at, out);
              return s.region_.domain().contains(out);
            });
          };
    }
    case Method::kWalk:
      return draw_by_walk;
  }
  return {};
}

Points find_starts(const Sampler& current, const Region& next, const SamplerSettings& settings,
                   const random::Coin& public_coin, base::EpochId epoch,
                   const base::Executor& executor, const Points& drawn) {
  Points starts(0, static_cast<Eigen::Index>(current.region().domain().dimension()));
  const Eigen::Index wanted = settings.num_starts;
  const auto keep = [&](const Points& points) {
    const Membership membership = next.contains(points);
    std::vector<std::uint32_t> rows;
    for (std::uint32_t row = 0; row < membership.inside.size(); ++row) {
      if (starts.rows() + static_cast<Eigen::Index>(rows.size()) == wanted) break;
      if (membership.inside[row] != 0) rows.push_back(row);
    }
    starts = numeric::stacked(starts, numeric::select_rows(points, rows));
  };
  const auto first_new = std::min(static_cast<std::uint32_t>(drawn.rows()), settings.stream_cap);
  if (first_new > 0) keep(drawn.topRows(first_new));
  const std::uint32_t batch = 4 * kChunk;
  for (std::uint32_t first = first_new; first < settings.stream_cap && starts.rows() < wanted;
       first += batch) {
    const SlotRange slots{epoch, first, std::min(batch, settings.stream_cap - first)};
    keep(current.draw(public_coin, Lane::kPublic, slots, executor).latents);
  }
  return starts;
}

}  // namespace duets::region

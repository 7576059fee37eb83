#include "duets/protocol/replay.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "duets/gp/sparse.h"
#include "duets/numeric/rows.h"
#include "duets/protocol/messages.h"
#include "duets/protocol/public_view.h"

namespace duets::protocol {
namespace {

using base::AgentId;
using base::Bytes;
using base::UnitRange;
using numeric::Points;
using numeric::Vector;

constexpr std::uint32_t kPointsPerUnit = 16384;

Points as_points(const std::vector<double>& values, std::size_t dimension) {
  return Eigen::Map<const Points>(values.data(),
                                  static_cast<Eigen::Index>(values.size() / dimension),
                                  static_cast<Eigen::Index>(dimension));
}

void append_row(std::vector<double>& values, const std::vector<double>& rows, std::size_t row,
                std::size_t dimension) {
  const auto begin = rows.begin() + static_cast<std::ptrdiff_t>(row * dimension);
  values.insert(values.end(), begin, begin + static_cast<std::ptrdiff_t>(dimension));
}

std::vector<std::uint32_t> first_of_each(const std::vector<std::uint32_t>& indices) {
  std::unordered_set<std::uint32_t> seen;
  std::vector<std::uint32_t> first;
  for (const std::uint32_t index : indices) {
    if (seen.insert(index).second) first.push_back(index);
  }
  return first;
}

}  // namespace

// Of the first stage alone: sums of an epoch that is over must not depend on an extension.
std::uint32_t agents_per_unit(const Study& study) {
  const std::vector<std::uint32_t> all = stages(study).front().planned;
  const std::uint32_t longest = *std::max_element(all.begin(), all.end());
  return std::clamp(kPointsPerUnit / longest, 1U, study.agents);
}

std::size_t num_units(const Study& study) {
  const std::uint32_t size = agents_per_unit(study);
  return (study.agents + size - 1) / size;
}

UnitRange agents_of_units(const Study& study, const UnitRange& units) {
  const std::size_t size = agents_per_unit(study);
  const std::size_t agents = study.agents;
  return {std::min(agents, units.begin * size), std::min(agents, units.end * size)};
}

Replay::Replay(std::shared_ptr<const Study> study, const random::StudySecret& secret,
               const base::Executor& executor)
    : study_(std::move(study)),
      executor_(executor),
      units_(executor.share(num_units(*study_))),
      mine_(agents_of_units(*study_, units_)) {
  for (std::size_t agent = mine_.begin; agent < mine_.end; ++agent) {
    coins_.push_back(secret.agent_coin(AgentId{static_cast<std::uint32_t>(agent)}));
    histories_.emplace_back(*study_);
  }
}

UnitRange Replay::agents_of(std::size_t unit) const {
  return agents_of_units(*study_, {unit, unit + 1});
}

// The results of `body` for the agents of each unit, of all processes, in the order of units.
std::vector<Bytes> Replay::gather_units(
    const std::function<Bytes(const UnitRange& agents)>& body) const {
  std::vector<Bytes> parts(units_.size());
  executor_.parallel_for(parts.size(),
                         [&](std::size_t i) { parts[i] = body(agents_of(units_.begin + i)); });
  return executor_.gather(num_units(*study_), std::move(parts));
}

std::vector<std::shared_ptr<region::Draw>> Replay::draws(base::EpochId epoch, std::uint32_t length,
                                                         const PublicView& view) const {
  std::vector<std::shared_ptr<region::Draw>> all(mine_.size());
  const auto draw = [&](std::size_t agent, const base::Executor& executor) {
    const std::size_t i = agent - mine_.begin;
    const AgentId id{static_cast<std::uint32_t>(agent)};
    all[i] = std::make_shared<region::Draw>(
        view.private_points(id, coins_[i], {epoch, 0, length}, executor));
  };
  if (units_.size() > 1) {
    const base::SerialExecutor serial;
    executor_.parallel_for(units_.size(), [&](std::size_t i) {
      const UnitRange agents = agents_of(units_.begin + i);
      for (std::size_t agent = agents.begin; agent < agents.end; ++agent) draw(agent, serial);
    });
  } else {
    // Few agents are split by slots.
    for (std::size_t agent = mine_.begin; agent < mine_.end; ++agent) draw(agent, executor_);
  }
  return all;
}

Replay::Opening Replay::open(base::EpochId epoch, std::uint32_t length, const PublicView& view) {
  epoch_ = epoch;
  const bool recalls = recalls_all(*study_, epoch);
  executor_.parallel_for(units_.size(), [&](std::size_t i) {
    const UnitRange agents = agents_of(units_.begin + i);
    for (std::size_t agent = agents.begin; agent < agents.end; ++agent) {
      History& history = histories_[agent - mine_.begin];
      if (recalls) {
        history.recall();
      } else {
        history.keep_inside(view.region(epoch));
      }
    }
  });
  const auto drawn = draws(epoch, length, view);
  for (std::size_t i = 0; i < drawn.size(); ++i) histories_[i].open(drawn[i]);
  const auto summary = [&](const UnitRange& agents) {
    std::uint64_t tests = 0;
    double margin = std::numeric_limits<double>::infinity();
    base::ByteWriter out;
    for (std::size_t agent = agents.begin; agent < agents.end; ++agent) {
      const region::Draw& draw = *drawn[agent - mine_.begin];
      out.u64(points_digest(draw.latents));
      tests += draw.tests;
      margin = std::min(margin, draw.smallest_margin);
    }
    out.u64(tests);
    out.f64(margin);
    return out.take();
  };
  Opening opening;
  if (const region::Strata* strata = view.strata(epoch)) opening.tests = strata->tests();
  const std::vector<Bytes> parts = gather_units(summary);
  for (std::size_t unit = 0; unit < parts.size(); ++unit) {
    base::ByteReader in(parts[unit]);
    const std::size_t num_agents = agents_of(unit).size();
    for (std::size_t i = 0; i < num_agents; ++i) opening.digests.push_back(in.u64());
    opening.tests += in.u64();
    opening.smallest_margin = std::min(opening.smallest_margin, in.f64());
  }
  return opening;
}

std::shared_ptr<const region::Draw> Replay::draw(AgentId agent) const {
  return owns(base::value(agent)) ? history(base::value(agent)).draw() : nullptr;
}

void Replay::exclude(std::uint32_t agent) {
  if (owns(agent)) histories_[agent - mine_.begin].exclude();
}

void Replay::set_holes(std::uint32_t agent, const std::vector<std::uint32_t>& holes) {
  if (owns(agent)) histories_[agent - mine_.begin].set_holes(holes);
}

void Replay::set_rewards(std::uint32_t agent, const std::vector<double>& rewards) {
  if (owns(agent)) histories_[agent - mine_.begin].set_rewards(rewards);
}

// Nothing of an absent agent counts, not even surviving points of its earlier epochs: its
// projection, which contains those rewards too, is missing.
Dataset Replay::dataset(const std::vector<std::uint32_t>& participants) const {
  std::vector<std::uint8_t> takes_part(study_->agents, 0);
  for (const std::uint32_t agent : participants) takes_part[agent] = 1;
  if (study_->domain->is_finite()) return collapse(*study_->domain, tally(takes_part));
  Dataset data;
  data.blocks = latent_blocks(takes_part);
  data.num_points = data.blocks.num_rows();
  data.blocks.block = [this, latents = std::move(data.blocks.block)](std::size_t unit) {
    return gp::DataBlock{study_->domain->features(latents(unit).points), {}};
  };
  return data;
}

gp::DataBlocks Replay::latents() const {
  if (!study_->domain->is_finite()) {
    return latent_blocks(std::vector<std::uint8_t>(study_->agents, 1));
  }
  const std::vector<Bytes> parts = gather_units([&](const UnitRange& agents) {
    std::vector<std::uint32_t> indices;
    for (std::size_t agent = agents.begin; agent < agents.end; ++agent) {
      const std::vector<std::uint32_t> more = history(agent).select().indices;
      indices.insert(indices.end(), more.begin(), more.end());
    }
    base::ByteWriter out;
    out.u32s(first_of_each(indices));
    return out.take();
  });
  std::vector<std::uint32_t> indices;
  for (const Bytes& part : parts) {
    const std::vector<std::uint32_t> more = base::ByteReader(part).u32s();
    indices.insert(indices.end(), more.begin(), more.end());
  }
  return owning_blocks(
      {numeric::select_rows(study_->domain->candidates(), first_of_each(indices)), {}});
}

gp::DataBlocks Replay::latent_blocks(const std::vector<std::uint8_t>& takes_part) const {
  gp::DataBlocks blocks;
  const std::vector<Bytes> sizes = gather_units([&](const UnitRange& agents) {
    std::uint64_t rows = 0;
    for (std::size_t agent = agents.begin; agent < agents.end; ++agent) {
      if (takes_part[agent] != 0) rows += history(agent).num_rows();
    }
    base::ByteWriter out;
    out.u64(rows);
    return out.take();
  });
  for (const Bytes& size : sizes) blocks.rows.push_back(base::ByteReader(size).u64());
  blocks.block = [this, takes_part, rows = blocks.rows](std::size_t unit) {
    const UnitRange agents = agents_of(unit);
    Points latents(static_cast<Eigen::Index>(rows[unit]),
                   static_cast<Eigen::Index>(study_->domain->dimension()));
    Eigen::Index next = 0;
    for (std::size_t agent = agents.begin; agent < agents.end; ++agent) {
      if (takes_part[agent] == 0) continue;
      const Points more = history(agent).select().latents;
      latents.middleRows(next, more.rows()) = more;
      next += more.rows();
    }
    return gp::DataBlock{std::move(latents), {}};
  };
  return blocks;
}

// How often each candidate was queried. One tally per process, sent in place of its first unit.
std::vector<std::uint64_t> Replay::tally(const std::vector<std::uint8_t>& takes_part) const {
  const auto num_candidates = static_cast<std::size_t>(study_->domain->candidates().rows());
  std::vector<std::uint32_t> mine(num_candidates, 0);
  for (std::size_t agent = mine_.begin; agent < mine_.end; ++agent) {
    if (takes_part[agent] == 0) continue;
    for (const std::uint32_t index : history(agent).select().indices) ++mine[index];
  }
  std::vector<Bytes> parts(units_.size());
  if (!parts.empty()) {
    base::ByteWriter out;
    out.u32s(mine);
    parts.front() = out.take();
  }
  std::vector<std::uint64_t> all(num_candidates, 0);
  for (const Bytes& part : executor_.gather(num_units(*study_), std::move(parts))) {
    if (part.empty()) continue;
    const std::vector<std::uint32_t> counts = base::ByteReader(part).u32s();
    for (std::size_t i = 0; i < num_candidates; ++i) all[i] += counts[i];
  }
  return all;
}

Replay::Chosen Replay::throw_coins(double p) const {
  const std::vector<Bytes> parts =
      gather_units([&](const UnitRange& agents) { return throw_coins_of(agents, p); });
  const std::size_t dimension = study_->domain->dimension();
  std::vector<std::uint8_t> seen(study_->domain->is_finite()
                                     ? static_cast<std::size_t>(study_->domain->candidates().rows())
                                     : std::size_t{0});
  Chosen chosen;
  std::vector<double> values;
  std::vector<double> smallest;
  double smallest_u = 2;
  for (const Bytes& part : parts) {
    base::ByteReader in(part);
    chosen.num_rows += in.u64();
    const std::vector<double> latents = in.f64s();
    const std::vector<std::uint32_t> indices = in.u32s();
    for (std::size_t row = 0; row < latents.size() / dimension; ++row) {
      if (!seen.empty() && seen[indices[row]]++ != 0) continue;
      append_row(values, latents, row, dimension);
    }
    const double u = in.f64();
    if (u < smallest_u) {
      smallest_u = u;
      smallest = in.f64s();
    }
  }
  if (chosen.num_rows == 0) {
    chosen.num_rows = 1;
    values = smallest;
  }
  chosen.latents = as_points(values, dimension);
  return chosen;
}

// How many coins fell below p; the distinct points they belong to; the smallest coin and its
// point.
Bytes Replay::throw_coins_of(const UnitRange& agents, double p) const {
  const std::size_t dimension = study_->domain->dimension();
  std::uint64_t num_rows = 0;
  std::vector<double> values;
  std::vector<std::uint32_t> indices;
  std::unordered_set<std::uint32_t> seen;
  std::vector<double> smallest(dimension);
  double smallest_u = 2;
  for (std::size_t agent = agents.begin; agent < agents.end; ++agent) {
    const region::Draw& draw = *history(agent).draw();
    for (Eigen::Index slot = 0; slot < draw.latents.rows(); ++slot) {
      const double* row = draw.latents.row(slot).data();
      double u = 0;
      coins_[agent - mine_.begin].uniforms({.purpose = random::Purpose::kInducing,
                                            .epoch = base::value(epoch_),
                                            .slot = static_cast<std::uint32_t>(slot)},
                                           std::span(&u, 1));
      if (u < smallest_u) {
        smallest_u = u;
        smallest.assign(row, row + dimension);
      }
      if (!(u < p)) continue;
      ++num_rows;
      if (!draw.indices.empty()) {
        const std::uint32_t index = draw.indices[static_cast<std::size_t>(slot)];
        if (!seen.insert(index).second) continue;
        indices.push_back(index);
      }
      values.insert(values.end(), row, row + dimension);
    }
  }
  base::ByteWriter out;
  out.u64(num_rows);
  out.f64s(values);
  out.u32s(indices);
  out.f64(smallest_u);
  out.f64s(smallest);
  return out.take();
}

Replay::KnownRewards Replay::newest_rewards(const std::vector<std::uint32_t>& agents,
                                            std::size_t most) const {
  if (agents.empty()) return {};
  const std::vector<Bytes> parts = gather_units([&](const UnitRange& unit) {
    std::vector<double> latents;
    std::vector<double> rewards;
    for (auto agent = std::lower_bound(agents.begin(), agents.end(), unit.begin);
         agent != agents.end() && *agent < unit.end; ++agent) {
      const Selection rows = history(*agent).select_newest();
      const auto length = static_cast<std::size_t>(history(*agent).draw()->latents.rows());
      // Neighbours in number are neighbours in the region (strata), so the rows are taken evenly.
      const std::size_t step = (agents.size() * length + most - 1) / most;
      const std::size_t first = static_cast<std::size_t>(agent - agents.begin()) * length;
      for (Eigen::Index row = 0; row < rows.rewards.size(); ++row) {
        if ((first + static_cast<std::size_t>(row)) % step != 0) continue;
        const double* latent = rows.latents.row(row).data();
        latents.insert(latents.end(), latent, latent + rows.latents.cols());
        rewards.push_back(rows.rewards[row]);
      }
    }
    base::ByteWriter out;
    out.f64s(latents);
    out.f64s(rewards);
    return out.take();
  });
  std::vector<double> latents;
  std::vector<double> rewards;
  for (const Bytes& part : parts) {
    base::ByteReader in(part);
    const std::vector<double> more_latents = in.f64s();
    const std::vector<double> more_rewards = in.f64s();
    latents.insert(latents.end(), more_latents.begin(), more_latents.end());
    rewards.insert(rewards.end(), more_rewards.begin(), more_rewards.end());
  }
  const std::size_t dimension = study_->domain->dimension();
  rewards.resize(std::min(rewards.size(), most));
  latents.resize(rewards.size() * dimension);
  return {as_points(latents, dimension),
          Eigen::Map<const Vector>(rewards.data(), static_cast<Eigen::Index>(rewards.size()))};
}

std::vector<Vector> Replay::projections(const std::vector<std::uint32_t>& agents,
                                        const ResolvedInducing& inducing) const {
  if (agents.empty()) return {};
  const std::vector<Bytes> parts = gather_units([&](const UnitRange& unit) {
    base::ByteWriter out;
    for (auto agent = std::lower_bound(agents.begin(), agents.end(), unit.begin);
         agent != agents.end() && *agent < unit.end; ++agent) {
      const Selection rows = history(*agent).select();
      const Vector rewards = counted_rewards(*study_, inducing.model, rows.rewards);
      const Vector u = gp::project(inducing.model.kernel, inducing.features,
                                   study_->domain->features(rows.latents), rewards);
      out.f64s({u.data(), static_cast<std::size_t>(u.size())});
    }
    return out.take();
  });
  std::vector<Vector> all;
  for (const Bytes& part : parts) {
    base::ByteReader in(part);
    while (in.remaining() > 0) {
      const std::vector<double> u = in.f64s();
      all.push_back(Eigen::Map<const Vector>(u.data(), static_cast<Eigen::Index>(u.size())));
    }
  }
  return all;
}

}  // namespace duets::protocol

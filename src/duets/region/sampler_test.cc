// What a draw depends on: the coin, the lane, the epoch and the slot, and nothing else.
#include "duets/region/sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "duets/base/error.h"
#include "duets/numeric/rows.h"

namespace duets::region {
namespace {

using base::EpochId;
using domain::Domain;
using numeric::Points;
using numeric::Vector;

// Chunks from the last to the first.
class ReversedExecutor final : public base::Executor {
 public:
  void parallel_for(std::size_t num_chunks,
                    const std::function<void(std::size_t)>& body) const override {
    for (std::size_t chunk = num_chunks; chunk-- > 0;) body(chunk);
  }
};

// Three threads that take the next chunk as they come.
class ThreadedExecutor final : public base::Executor {
 public:
  void parallel_for(std::size_t num_chunks,
                    const std::function<void(std::size_t)>& body) const override {
    std::atomic<std::size_t> next{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        for (std::size_t chunk = next++; chunk < num_chunks; chunk = next++) body(chunk);
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
};

const base::SerialExecutor kSerial;
const random::StudySecret kSecret = random::StudySecret::from_seed(77);
const random::Coin kCoin = kSecret.agent_coin(base::AgentId{1});

std::shared_ptr<const Cut> bumps(Eigen::Index d, double tau) {
  Points centers(3, d);
  centers.row(0).setConstant(0.2);
  centers.row(1).setConstant(0.75);
  centers.row(2).setConstant(0.5);
  return std::make_shared<const Cut>(
      kernel::Kernel{kernel::Family::kSquaredExponential, {0.25}, 1.0}, 0.0, centers,
      Vector{{1.0, 0.9, -0.6}}, tau);
}

Region box_region() {
  return Region(std::make_shared<const Domain>(Domain::box(3))).trimmed(bumps(3, 0.4));
}
Region ball_region() {
  return Region(std::make_shared<const Domain>(Domain::ball(3, 1.0))).trimmed(bumps(3, 0.3));
}
Region finite_region() {
  Points candidates(1000, 1);
  for (Eigen::Index i = 0; i < 1000; ++i) candidates(i, 0) = 0.001 * static_cast<double>(i);
  return Region(std::make_shared<const Domain>(Domain::finite(candidates))).trimmed(bumps(1, 0.5));
}

const SamplerSettings kByIndex{.method = Method::kIndex};
const SamplerSettings kByRejection{.method = Method::kRejection, .max_attempts = 5000};
const SamplerSettings kByWalk{.method = Method::kWalk,
                              .walk_steps = 15,
                              .max_shrinks = 60,
                              .num_starts = 10,
                              .stream_cap = 2000};

const SamplerSettings kByCover{.method = Method::kCover, .max_attempts = 5000, .cover_depth = 9};

Sampler rejection(const Region& region) { return Sampler(region, kByRejection); }
Sampler walk(const Region& region) {
  const Draw starts =
      rejection(region).draw(kSecret.public_coin(), Lane::kPublic, {EpochId{1}, 0, 10}, kSerial);
  return Sampler(region, kByWalk, starts.latents);
}

std::vector<Sampler> all_samplers() {
  return {Sampler(finite_region(), kByIndex),
          rejection(box_region()),
          rejection(ball_region()),
          walk(box_region()),
          walk(ball_region()),
          Sampler(box_region(), kByCover),
          Sampler(ball_region(), kByCover)};
}

Points draw(const Sampler& sampler, const SlotRange& slots, Lane lane = Lane::kPrivate,
            const random::Coin& coin = kCoin) {
  return sampler.draw(coin, lane, slots, kSerial).latents;
}

base::Error error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {base::ErrorKind::kIo, ""};
}

TEST(Sampler, PointsLieInTheRegion) {
  for (const Sampler& sampler : all_samplers()) {
    SCOPED_TRACE(base::name_of(sampler.settings().method));
    const Draw got = sampler.draw(kCoin, Lane::kPrivate, {EpochId{3}, 0, 700}, kSerial);
    ASSERT_EQ(got.latents.rows(), 700);
    const Membership membership = sampler.region().contains(got.latents);
    EXPECT_EQ(std::count(membership.inside.begin(), membership.inside.end(), 1), 700);
    for (Eigen::Index i = 0; i < 700; ++i) {
      const std::span<const double> row(got.latents.row(i).data(),
                                        static_cast<std::size_t>(got.latents.cols()));
      EXPECT_TRUE(sampler.region().domain().contains(row));
    }
    if (!sampler.region().domain().is_finite()) {
      EXPECT_GE(got.tests, 700U);
      EXPECT_GE(membership.smallest_margin, got.smallest_margin);
    }
  }
}

TEST(Sampler, FiniteSetsReportTheCandidateOfEachRow) {
  const Sampler sampler(finite_region(), kByIndex);
  const Draw got = sampler.draw(kCoin, Lane::kPrivate, {EpochId{2}, 0, 300}, kSerial);
  ASSERT_EQ(got.indices.size(), 300U);
  EXPECT_EQ(got.latents, numeric::select_rows(sampler.region().domain().candidates(), got.indices));
  const auto& survivors = sampler.region().survivors();
  for (const std::uint32_t index : got.indices) {
    EXPECT_TRUE(std::binary_search(survivors.begin(), survivors.end(), index));
  }
}

// A slot's point alone is its point in any range, whatever the chunk it falls into.
TEST(Sampler, ASlotOwnsItsPoint) {
  for (const Sampler& sampler : all_samplers()) {
    SCOPED_TRACE(base::name_of(sampler.settings().method));
    const Points all = draw(sampler, {EpochId{2}, 0, 600});
    for (const std::uint32_t slot : {0U, 1U, 255U, 256U, 257U, 511U, 599U}) {
      EXPECT_EQ(draw(sampler, {EpochId{2}, slot, 1}), all.row(slot)) << slot;
    }
    EXPECT_EQ(draw(sampler, {EpochId{2}, 100, 400}), all.middleRows(100, 400));
    EXPECT_EQ(draw(sampler, {EpochId{2}, 5, 0}).rows(), 0);
  }
}

TEST(Sampler, DrawsDoNotDependOnTheExecutor) {
  for (const Sampler& sampler : all_samplers()) {
    SCOPED_TRACE(base::name_of(sampler.settings().method));
    const SlotRange slots{EpochId{2}, 3, 1500};
    const Draw serial = sampler.draw(kCoin, Lane::kPrivate, slots, kSerial);
    for (const bool threads : {false, true}) {
      const Draw other = threads ? sampler.draw(kCoin, Lane::kPrivate, slots, ThreadedExecutor())
                                 : sampler.draw(kCoin, Lane::kPrivate, slots, ReversedExecutor());
      EXPECT_EQ(other.latents, serial.latents);
      EXPECT_EQ(other.indices, serial.indices);
      EXPECT_EQ(other.tests, serial.tests);
      EXPECT_EQ(other.smallest_margin, serial.smallest_margin);
    }
  }
}

// No two of these share words, so no point may repeat.
TEST(Sampler, CoinLaneEpochAndSlotGiveDifferentPoints) {
  for (const Sampler& sampler : all_samplers()) {
    if (sampler.region().domain().is_finite()) continue;
    SCOPED_TRACE(base::name_of(sampler.settings().method));
    const Points base = draw(sampler, {EpochId{2}, 0, 50});
    EXPECT_NE(draw(sampler, {EpochId{3}, 0, 50}), base);
    EXPECT_NE(draw(sampler, {EpochId{2}, 50, 50}), base);
    EXPECT_NE(draw(sampler, {EpochId{2}, 0, 50}, Lane::kPublic), base);
    EXPECT_NE(
        draw(sampler, {EpochId{2}, 0, 50}, Lane::kPrivate, kSecret.agent_coin(base::AgentId{2})),
        base);
  }
}

// A slot's point by rejection is its first attempt inside: a higher cap changes nothing, and the
// cap that just suffices gives the same point.
TEST(Sampler, RejectionTakesTheFirstAttemptInside) {
  const Region region = box_region();
  const Sampler whole(Region(region.shared_domain()),
                      {.method = Method::kRejection, .max_attempts = 1});
  for (std::uint32_t slot = 0; slot < 20; ++slot) {
    const Points got = draw(rejection(region), {EpochId{4}, slot, 1});
    std::uint32_t attempt = 0;
    std::vector<double> point(3);
    Points row(1, 3);
    do {
      kCoin.uniforms(
          {.purpose = random::Purpose::kPoint, .epoch = 4, .slot = slot, .attempt = attempt++},
          point);
      row << point[0], point[1], point[2];
    } while (region.contains(row).inside[0] == 0);
    EXPECT_EQ(got, row);
    const Sampler just{region, {.method = Method::kRejection, .max_attempts = attempt}};
    EXPECT_EQ(draw(just, {EpochId{4}, slot, 1}), row);
    if (attempt == 1) continue;
    const Sampler less{region, {.method = Method::kRejection, .max_attempts = attempt - 1}};
    EXPECT_EQ(error_of([&] {
                draw(less, {EpochId{4}, slot, 1});
              }).kind(),
              base::ErrorKind::kExhausted);
  }
}

TEST(Sampler, AnExhaustedSlotIsNamedWithAdvice) {
  const Region nothing = box_region().trimmed(bumps(3, 50.0));
  const Sampler sampler(nothing, {.method = Method::kRejection, .max_attempts = 40});
  const base::Error error = error_of([&] { draw(sampler, {EpochId{6}, 1234, 3}); });
  EXPECT_EQ(error.kind(), base::ErrorKind::kExhausted);
  const std::string text = error.what();
  for (const char* part : {"epoch 6", "slot 1234", "40 attempts", "duets.beta", "finite"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in: " << text;
  }
}

TEST(Sampler, AWalkOfNoStepsIsAStart) {
  const Sampler some = walk(box_region());
  SamplerSettings still = kByWalk;
  still.walk_steps = 0;
  const Points got = draw(Sampler(box_region(), still, some.starts()), {EpochId{2}, 0, 100});
  std::vector<int> used(10);
  for (Eigen::Index i = 0; i < got.rows(); ++i) {
    for (Eigen::Index s = 0; s < 10; ++s) {
      if (got.row(i) == some.starts().row(s)) ++used[static_cast<std::size_t>(s)];
    }
  }
  int total = 0;
  for (const int count : used) {
    EXPECT_GT(count, 0);  // 100 slots miss one of 10 starts with probability 10 0.9^100 = 2.7e-4
    total += count;
  }
  EXPECT_EQ(total, 100);
}

// One step moves one coordinate; the others keep their bits.
TEST(Sampler, AStepMovesOneCoordinate) {
  SamplerSettings one = kByWalk;
  one.walk_steps = 1;
  const Points start = walk(ball_region()).starts().topRows(1);
  const Points got = draw(Sampler(ball_region(), one, start), {EpochId{2}, 0, 60});
  for (Eigen::Index i = 0; i < got.rows(); ++i) {
    int moved = 0;
    for (Eigen::Index k = 0; k < 3; ++k) moved += got(i, k) != start(0, k) ? 1 : 0;
    EXPECT_LE(moved, 1);
  }
  EXPECT_NE(got.row(0), got.row(1));
}

// A chain whose proposals all fail stays: with one start and no room, nothing moves and nothing
// loops.
TEST(Sampler, AChainThatCannotMoveStays) {
  Points candidates(1, 2);
  candidates << 0.25, 0.75;
  const auto peak = std::make_shared<const Cut>(
      kernel::Kernel{kernel::Family::kMatern12, {1.0}, 1.0}, 0.0, candidates, Vector::Ones(1), 1.0);
  const Region point = Region(std::make_shared<const Domain>(Domain::box(2))).trimmed(peak);
  SamplerSettings settings = kByWalk;
  settings.max_shrinks = 5;
  const Points got = draw(Sampler(point, settings, candidates), {EpochId{2}, 0, 20});
  EXPECT_EQ(got, candidates.replicate(20, 1));
}

TEST(Sampler, RefusesWhatCannotBeDrawn) {
  const auto kind = [](const std::function<void()>& action) { return error_of(action).kind(); };
  const auto text = [](const std::function<void()>& action) {
    return std::string(error_of(action).what());
  };
  using base::ErrorKind;
  EXPECT_NE(text([] { Sampler(box_region(), kByWalk); }).find("sampler.starts"), std::string::npos);
  EXPECT_EQ(kind([] { Sampler(box_region(), kByWalk, Points::Zero(1, 2)); }), ErrorKind::kInvalid);
  EXPECT_EQ(kind([] { Sampler(box_region(), kByIndex); }), ErrorKind::kInvalid);
  EXPECT_EQ(kind([] { Sampler(finite_region(), kByRejection); }), ErrorKind::kInvalid);
  EXPECT_EQ(kind([] { Sampler(finite_region().trimmed(bumps(1, 9.0)), kByIndex); }),
            ErrorKind::kInvalid);
  SamplerSettings bad = kByRejection;
  bad.max_attempts = 0;
  EXPECT_NE(text([&] { validate(bad); }).find("sampler.max_attempts"), std::string::npos);
  bad = kByWalk;
  bad.max_shrinks = 2001;
  EXPECT_NE(text([&] { validate(bad); }).find("sampler.max_shrinks"), std::string::npos);
  bad = kByWalk;
  bad.walk_steps = 1U << 24;
  EXPECT_NE(text([&] { validate(bad); }).find("sampler.walk_steps"), std::string::npos);
  bad = kByWalk;
  bad.num_starts = kMaxStarts + 1;
  EXPECT_NE(text([&] { validate(bad); }).find("sampler.num_starts"), std::string::npos);
  bad = kByWalk;
  bad.stream_cap = (1U << 24) + 1;
  EXPECT_NE(text([&] { validate(bad); }).find("sampler.stream_cap"), std::string::npos);
  bad = kByWalk;
  bad.cover_depth = 1;  // of another method
  bad.max_attempts = 0;
  EXPECT_EQ(own_numbers(bad).cover_depth, 0U);
  validate(bad);
  bad = kByCover;
  bad.cover_depth = 61;
  EXPECT_NE(text([&] { validate(bad); }).find("sampler.cover_depth"), std::string::npos);
  EXPECT_EQ(kind([] { Sampler(finite_region(), kByCover); }), ErrorKind::kInvalid);
  EXPECT_EQ(kind([] { Sampler(box_region().trimmed(bumps(3, 50.0)), kByCover); }),
            ErrorKind::kInvalid);
}

// Starts: the first points of the current region's public stream that the next one keeps.
TEST(FindStarts, AreTheFirstSurvivorsOfThePublicStream) {
  const Sampler current = rejection(box_region());
  const Region next = box_region().trimmed(bumps(3, 0.7));
  const random::Coin coin = kSecret.public_coin();
  const Draw stream = current.draw(coin, Lane::kPublic, {EpochId{2}, 0, 2000}, kSerial);
  const Membership membership = next.contains(stream.latents);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    if (membership.inside[i] != 0) rows.push_back(i);
  }
  ASSERT_GT(rows.size(), 20U);
  for (const std::uint32_t wanted : {1U, 10U}) {
    SamplerSettings settings = kByWalk;
    settings.num_starts = wanted;
    const Points starts = find_starts(current, next, settings, coin, EpochId{2}, kSerial);
    EXPECT_EQ(starts, numeric::select_rows(stream.latents, rows).topRows(wanted));
    EXPECT_EQ(find_starts(current, next, settings, coin, EpochId{2}, ThreadedExecutor()), starts);
  }
  // The cap counts the points of the stream that are tested.
  SamplerSettings capped = kByWalk;
  capped.stream_cap = rows[3];
  EXPECT_EQ(find_starts(current, next, capped, coin, EpochId{2}, kSerial).rows(), 3);
}

}  // namespace
}  // namespace duets::region

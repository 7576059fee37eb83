// Messages against tests/golden/messages.kat: their bytes, and a text of their fields. Another
// implementation reads the same file (tests/second_agent/known_answers_test.py).
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>
#include <string>

#include "duets/protocol/messages.h"

namespace duets::protocol {
namespace {

constexpr const char* kFile = DUETS_SOURCE_DIR "/tests/golden/messages.kat";
constexpr const char* kHeader =
    "# Messages (docs/formats/messages.md), one a line: the bytes in hexadecimal, then the "
    "fields.\n"
    "# Fields are key=value in the order of the page. Lists have commas, rows of points "
    "semicolons.\n"
    "# Flags are 0 or 1. Numbers that may have a fraction are the 16 hexadecimal digits of their\n"
    "# bits, and so is the digest. What is not there is \"none\", or nothing for a list. The grid "
    "of\n"
    "# numbers is their exponent and base.\n";

// --- Text
// -----------------------------------------------------------------------------------------

std::string bits_of(double x) { return fmt::format("{:016x}", std::bit_cast<std::uint64_t>(x)); }

template <class Numbers>
std::string bits_of_all(const Numbers& numbers) {
  std::vector<std::string> words;
  for (const double x : numbers) words.push_back(bits_of(x));
  return fmt::format("{}", fmt::join(words, ","));
}

std::string text_of(const numeric::Points& points) {
  std::vector<std::string> rows;
  for (const auto& row : points.rowwise()) rows.push_back(bits_of_all(row));
  return fmt::format("{}", fmt::join(rows, ";"));
}

std::string text_of(const std::optional<Grid>& grid) {
  return grid ? fmt::format("{},{}", grid->exponent, grid->base) : "none";
}

int short_flag(const NumberFormat& format) { return format.numbers == Numbers::kShort ? 1 : 0; }
int rewards_flag(UploadKind kind) { return kind == UploadKind::kRewards ? 1 : 0; }

std::string text_of(const InducingSet& m) {
  return fmt::format(
      "inducing-set rewards={} closing={} epoch={} exponent={} points={} public_slots={}",
      rewards_flag(m.upload), int{m.closing}, base::value(m.epoch),
      m.exponent ? fmt::format("{}", *m.exponent) : "none", text_of(m.points),
      fmt::join(m.public_slots, ","));
}

std::string text_of(const Trim& m) {
  std::string text =
      fmt::format("trim short={} epoch={} excluded={} cuts={}", short_flag(m.format),
                  base::value(m.epoch), fmt::join(m.excluded, ","), int{m.weights.size() > 0});
  if (m.weights.size() == 0) return text;
  text += fmt::format(" learned={}", int{m.learned.has_value()});
  if (m.learned) {
    const kernel::Kernel& kernel = m.learned->kernel;
    text += fmt::format(" family={} lengthscales={} variance={} offset={}",
                        static_cast<int>(kernel.family), bits_of_all(kernel.lengthscales),
                        bits_of(kernel.variance), bits_of(m.learned->reward_offset));
  }
  text += fmt::format(" tau={} method={}", bits_of(m.tau), static_cast<int>(m.sampler.method));
  for (const region::SamplerNumber& one : region::kSamplerNumbers) {
    if (one.belongs_to(m.sampler.method)) {
      text += fmt::format(" {}={}", one.name, m.sampler.*one.member);
    }
  }
  return text + fmt::format(" starts={} public_slots={} grid={} weights={}", text_of(m.starts),
                            fmt::join(m.public_slots, ","), text_of(m.format.grid),
                            bits_of_all(m.weights));
}

std::string text_of(const Upload& m) {
  return fmt::format(
      "upload short={} rewards={} agent={} epoch={} points_digest={:016x} holes={} grid={} "
      "values={}",
      short_flag(m.format), rewards_flag(m.kind), base::value(m.agent), base::value(m.epoch),
      m.points_digest, fmt::join(m.holes, ","), text_of(m.format.grid), bits_of_all(m.values));
}

std::string text_of(const Closing& m) {
  std::string text = fmt::format("closing short={} agent={} best={}", short_flag(m.format),
                                 base::value(m.agent), int{m.has_best});
  if (m.has_best) {
    text += fmt::format(" epoch={} slot={} reward={}", base::value(m.best.epoch), m.best.slot,
                        bits_of(m.best.reward));
  }
  return text + fmt::format(" points_digest={:016x} holes={} grid={} values={}", m.points_digest,
                            fmt::join(m.holes, ","), text_of(m.format.grid), bits_of_all(m.values));
}

std::string text_of(const Refusal& m) {
  return fmt::format("refusal agent={} epoch={} reason={}", base::value(m.agent),
                     base::value(m.epoch), static_cast<int>(m.reason));
}

std::string text_of(const Message& message) {
  return std::visit([](const auto& m) { return text_of(m); }, message);
}

std::string hex_of(const base::Bytes& bytes) { return fmt::format("{:02x}", fmt::join(bytes, "")); }

base::Bytes bytes_of(const std::string& hex) {
  base::Bytes bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<std::uint8_t>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

// --- Messages
// -------------------------------------------------------------------------------------

const NumberFormat kDoubles{};
const NumberFormat kNoGrid{.numbers = Numbers::kShort, .grid = {}};
NumberFormat on_grid(std::int32_t exponent, std::int64_t base) {
  return {.numbers = Numbers::kShort, .grid = Grid{.exponent = exponent, .base = base}};
}

numeric::Vector vector_of(const std::vector<double>& numbers) {
  return Eigen::Map<const numeric::Vector>(numbers.data(),
                                           static_cast<Eigen::Index>(numbers.size()));
}

// Several in one piece: numeric::Points has its rows one after the other.
numeric::Points points_of(Eigen::Index columns, const std::vector<double>& numbers) {
  return Eigen::Map<const numeric::Points>(
      numbers.data(), static_cast<Eigen::Index>(numbers.size()) / columns, columns);
}

std::vector<std::uint32_t> first(std::uint32_t count) {
  std::vector<std::uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0U);
  return numbers;
}

Model model_of(kernel::Family family, std::vector<double> scales, double variance, double offset) {
  return {.kernel = {.family = family, .lengthscales = std::move(scales), .variance = variance},
          .reward_offset = offset};
}

std::vector<Message> inducing_sets() {
  const auto set = [](UploadKind upload, bool closing, std::uint32_t epoch,
                      std::optional<std::int32_t> exponent, numeric::Points points,
                      std::vector<std::uint32_t> slots) {
    return InducingSet{.epoch = EpochId{epoch},
                       .upload = upload,
                       .closing = closing,
                       .points = std::move(points),
                       .public_slots = std::move(slots),
                       .exponent = exponent};
  };
  constexpr UploadKind kRewards = UploadKind::kRewards;
  constexpr UploadKind kProjection = UploadKind::kProjection;
  std::vector<std::uint32_t> far = first(9);
  far.push_back(1000000);
  return {
      set(kRewards, false, 1, {}, {}, {}),
      set(kRewards, true, 9, -3, {}, {}),
      set(kRewards, false, 2, {}, {}, {0, 1, 5}),
      set(kRewards, true, 7, {}, points_of(1, {0.25}), {}),
      set(kRewards, false, 4294967295, 0, {}, {4294967295}),
      set(kProjection, true, 300, 960, points_of(3, {0.5, -0.0, 1.0 / 3, 1, 0x1p-1074, -2}), {}),
      set(kProjection, false, 4, -960, {}, far),
      set(kProjection, false, 5, -1, {}, {7, 199, 200, 70000, 4000000000}),
      set(kProjection, false, 6, {}, {}, first(17))};
}

std::vector<Message> trims() {
  using region::Method;
  std::vector<Message> all;
  Trim m;
  m.epoch = EpochId{3};
  m.format = kNoGrid;
  all.push_back(m);  // a stage has ended
  m.format = kDoubles;
  m.excluded = {0, 2, 3};
  all.push_back(m);

  m = {};
  m.epoch = EpochId{1};
  m.format = on_grid(-6, 0);
  m.weights = vector_of({0.5, -0.015625, 0, 3.25, -1});
  m.tau = -1.15625;
  m.sampler = {.method = Method::kIndex};
  all.push_back(m);

  m.sampler = {.method = Method::kRejection, .max_attempts = 100000};
  m.learned = model_of(kernel::Family::kSquaredExponential, {0.625}, 2.75, 0);
  m.excluded = {4};
  all.push_back(m);

  m.epoch = EpochId{12};
  m.format = on_grid(2, -3);
  m.weights = vector_of({-12, 0.3, 4, 0x1p60, -20, 1e-3});  // three apart
  m.sampler = {.method = Method::kWalk,
               .walk_steps = 30,
               .max_shrinks = 100,
               .num_starts = 64,
               .stream_cap = 1U << 20};
  m.starts = points_of(2, {0.125, 0.75, 1.0 / 3, 0.1});
  m.learned = model_of(kernel::Family::kMatern52, {0.3125, 3.5, 14}, 1.75, -1.5625);
  all.push_back(m);

  m.sampler = {.method = Method::kCover, .max_attempts = 1, .cover_depth = 12};
  m.starts = {};
  m.format = kNoGrid;
  m.public_slots = {3, 4, 11, 250, 251, 252};
  m.learned = model_of(kernel::Family::kMatern32, {0x1p-20, 0x1.ep+20}, 8, 0.1);
  m.excluded = {};
  all.push_back(m);

  m = {};
  m.epoch = EpochId{2};
  m.weights = vector_of({-0.0, 0x1p-1074, 1.0 / 3});
  m.tau = 0.1;
  m.sampler = {.method = Method::kRejection, .max_attempts = 1U << 24};
  m.learned = model_of(kernel::Family::kMatern12, {0.3}, 1.1, -0.7);
  all.push_back(m);

  m.learned = {};
  m.tau = -0.0;
  m.sampler = {.method = Method::kWalk,
               .walk_steps = (1U << 24) - 1,
               .max_shrinks = 1,
               .num_starts = 0,
               .stream_cap = 0};
  m.public_slots = {0};
  all.push_back(m);
  m.sampler = {.method = Method::kCover, .max_attempts = 3, .cover_depth = 60};
  all.push_back(m);
  return all;
}

std::vector<Message> uploads() {
  const auto upload = [](UploadKind kind, std::uint32_t agent, std::uint32_t epoch,
                         std::uint64_t digest, std::vector<std::uint32_t> holes,
                         NumberFormat format, std::vector<double> values) {
    return Upload{.agent = AgentId{agent},
                  .epoch = EpochId{epoch},
                  .kind = kind,
                  .values = std::move(values),
                  .holes = std::move(holes),
                  .points_digest = digest,
                  .format = format};
  };
  constexpr UploadKind kRewards = UploadKind::kRewards;
  constexpr UploadKind kProjection = UploadKind::kProjection;
  constexpr double kStep = 0x1p40;
  return {upload(kRewards, 0, 1, 0x0001, {1, 2}, on_grid(-4, 1000), {62.5, 62.4375, 63, 62.5, 60}),
          upload(kRewards, 3, 2, 0xffff, {}, kNoGrid, {0, -0.75, 0x1.8p100, 0x1.fffffffffffffp0}),
          upload(kRewards, 1, 4, 0xbeef, first(6), kNoGrid, {}),
          upload(kRewards, 1000000, 5, 0x1234, {}, on_grid(0, 0), {0.5, 0.25}),  // all apart
          upload(kRewards, 2, 6, 0x8000, {0, 30}, on_grid(3, -4503599627370496), {0x1p20, 7.25}),
          upload(kProjection, 2, 7, 0, {}, on_grid(-960, 0), {0x1p-960, -0x3p-960, 0}),
          upload(kProjection, 2, 8, 0x7ffe, {}, on_grid(960, 0), {0x5p960}),
          upload(kProjection, 2, 9, 0x7ffe, {5}, on_grid(0, 1),
                 {kStep, -kStep + 2, kStep + 1, -kStep + 1, 1, 1, 1, 2, 0}),
          upload(kProjection, 0, 1, 0xfedcba9876543210, {}, kDoubles, {0.1, -0.0, 1e300}),
          upload(kRewards, 31, 64, 0x0123456789abcdef, {0, 1, 2, 63}, kDoubles, {1.0 / 3}),
          upload(kRewards, 31, 65, 1, {}, kDoubles, {})};
}

std::vector<Message> closings() {
  std::vector<Message> all;
  Closing m;
  m.agent = AgentId{5};
  m.format = kNoGrid;
  m.points_digest = 0x89abcdef;
  all.push_back(m);
  m.has_best = true;
  m.best = {.agent = m.agent, .epoch = EpochId{2}, .slot = 17, .reward = 0.1};
  all.push_back(m);
  m.holes = {0, 9};
  m.format = on_grid(-10, -1);
  m.values = {0.5, -0.5, 0x1p-10, 1e-9};
  all.push_back(m);
  m.best.slot = 100000;
  m.best.reward = -0x1.fffffffffffffp127;
  m.format = kDoubles;
  m.points_digest = 0xfedcba9876543210;
  all.push_back(m);
  m.has_best = false;
  m.holes = {};
  m.values = {0x1p-1022, -3};
  all.push_back(m);
  return all;
}

std::vector<Message> refusals() {
  std::vector<Message> all;
  std::uint32_t number = 1;
  for (const auto& entry : enum_entries(Reason{})) {
    all.push_back(
        Refusal{.agent = AgentId{number - 1}, .epoch = EpochId{number}, .reason = entry.value});
    number *= 7;
  }
  return all;
}

std::vector<Message> all_messages() {
  std::vector<Message> all;
  for (const auto& some : {inducing_sets(), trims(), uploads(), closings(), refusals()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

std::string file_text() {
  std::ifstream in(kFile);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// DUETS_REWRITE=1 writes the file again: look at the diff, a message in it must never change.
TEST(MessagesKnownAnswers, TheFileHasTheseMessages) {
  std::string text = kHeader;
  for (const Message& message : all_messages()) {
    text += hex_of(encode(message)) + " " + text_of(message) + "\n";
  }
  if (std::getenv("DUETS_REWRITE") != nullptr) std::ofstream(kFile) << text;
  EXPECT_EQ(file_text(), text);
}

TEST(MessagesKnownAnswers, EveryLineIsReadAndWrittenAgain) {
  std::istringstream lines(file_text());
  std::set<std::size_t> types;
  std::size_t count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    SCOPED_TRACE(line.substr(0, 200));
    const std::size_t space = line.find(' ');
    const base::Bytes bytes = bytes_of(line.substr(0, space));
    const Message message = decode(bytes);
    EXPECT_EQ(text_of(message), line.substr(space + 1));
    EXPECT_EQ(encode(message), bytes);
    types.insert(message.index());
    ++count;
  }
  EXPECT_EQ(types.size(), std::variant_size_v<Message>);
  EXPECT_EQ(count, all_messages().size());
}

}  // namespace
}  // namespace duets::protocol

// The library against tests/golden/strict.kat, which an independent implementation wrote.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "duets/kernel/kernel.h"
#include "duets/numeric/strict.h"

namespace duets::kernel {
namespace {

/// The numbers of one line, taken one after the other.
class Fields {
 public:
  explicit Fields(std::istringstream& line) {
    for (std::string word; line >> word;) {
      if (word != "|") values_.push_back(std::strtod(word.c_str(), nullptr));
    }
  }
  double next() { return values_.at(position_++); }
  std::size_t count() { return static_cast<std::size_t>(next()); }
  std::vector<double> next(std::size_t n) {
    std::vector<double> taken(n);
    for (double& v : taken) v = next();
    return taken;
  }
  numeric::Points points(std::size_t n, std::size_t d) {
    numeric::Points taken(n, d);
    for (std::size_t i = 0; i < n * d; ++i) taken.data()[i] = next();
    return taken;
  }
  bool done() const { return position_ == values_.size(); }

 private:
  std::vector<double> values_;
  std::size_t position_ = 0;
};

void expect_bits(double got, double expected) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(got));
  } else {
    EXPECT_EQ(std::bit_cast<std::uint64_t>(got), std::bit_cast<std::uint64_t>(expected))
        << got << " instead of " << expected;
  }
}

void check_kernel(Fields& fields) {
  Kernel kernel;
  kernel.family = static_cast<Family>(fields.count());
  const std::size_t d = fields.count();
  kernel.variance = fields.next();
  kernel.lengthscales = fields.next(d);
  const numeric::Points x = fields.points(1, d);
  const numeric::Points c = fields.points(1, d);
  expect_bits(cross(kernel, x, c)(0, 0), fields.next());
}

void check_sum(Fields& fields) {
  Kernel kernel;
  kernel.family = static_cast<Family>(fields.count());
  const std::size_t d = fields.count();
  const std::size_t m = fields.count();
  kernel.variance = fields.next();
  kernel.lengthscales = fields.next(d);
  const numeric::Points x = fields.points(1, d);
  const numeric::Points centers = fields.points(m, d);
  const std::vector<double> w = fields.next(m);
  const double expected = fields.next();
  const auto weights = Eigen::Map<const numeric::Vector>(w.data(), Eigen::Index(m));
  // Alone, and repeated so that every loop of the evaluator meets it.
  for (Eigen::Index copies : {1, 7, 8, 39}) {
    for (double sum : weighted_sum(kernel, x.replicate(copies, 1), centers, weights)) {
      expect_bits(sum, expected);
    }
  }
}

double strict_value(const std::string& function, double x) {
  if (function == "exp") return numeric::strict_exp(x);
  if (function == "log") return numeric::strict_log(x);
  const numeric::SinCos value = numeric::strict_sincospi(x);
  return function == "sinpi" ? value.sin : value.cos;
}

/// FNV-1a over many answers; the header of the table defines it.
void check_fold(std::istringstream& line) {
  std::string function, count, lo_text, hi_text, expected;
  line >> function >> count >> lo_text >> hi_text >> expected;
  const double lo = std::strtod(lo_text.c_str(), nullptr);
  const double hi = std::strtod(hi_text.c_str(), nullptr);
  const std::uint64_t last = std::stoull(count);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (std::uint64_t i = 1; i <= last; ++i) {
    const double u = static_cast<double>((i * 0x9e3779b97f4a7c15) >> 11) * 0x1p-53;
    const auto bits = std::bit_cast<std::uint64_t>(strict_value(function, lo + (hi - lo) * u));
    for (int byte = 0; byte < 8; ++byte) {
      hash = (hash ^ ((bits >> (8 * byte)) & 0xff)) * 0x100000001b3;
    }
  }
  EXPECT_EQ(hash, std::stoull(expected, nullptr, 16));
}

void check(const std::string& what, Fields& fields) {
  if (what == "exp") {
    const double x = fields.next();
    expect_bits(numeric::strict_exp(x), fields.next());
  } else if (what == "log") {
    const double x = fields.next();
    expect_bits(numeric::strict_log(x), fields.next());
  } else if (what == "sincospi") {
    const numeric::SinCos value = numeric::strict_sincospi(fields.next());
    expect_bits(value.sin, fields.next());
    expect_bits(value.cos, fields.next());
  } else if (what == "kernel") {
    check_kernel(fields);
  } else if (what == "sum") {
    check_sum(fields);
  } else {
    FAIL() << "unknown kind of line";
  }
}

TEST(StrictKnownAnswers, EveryLineOfTheTableHolds) {
  std::ifstream file(DUETS_SOURCE_DIR "/tests/golden/strict.kat");
  ASSERT_TRUE(file);
  std::map<std::string, int> seen;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    SCOPED_TRACE(line.substr(0, 200));
    std::istringstream words(line);
    std::string what;
    words >> what;
    ++seen[what];
    if (what == "fold") {
      check_fold(words);
      continue;
    }
    Fields fields(words);
    check(what, fields);
    EXPECT_TRUE(fields.done());
  }
  // A file cut short must not pass.
  EXPECT_EQ(
      seen,
      (std::map<std::string, int>{
          {"exp", 63}, {"log", 64}, {"sincospi", 56}, {"kernel", 48}, {"sum", 12}, {"fold", 6}}));
}

}  // namespace
}  // namespace duets::kernel

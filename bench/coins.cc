// What a uniform number costs: at random access, a few at an address, and in a long row; beside the
// generator of the C++ library, which cannot be addressed and has no key.
#include <benchmark/benchmark.h>

#include <random>
#include <string>
#include <vector>

#include "duets/random/coin.h"

namespace duets::bench {
namespace {

using random::Purpose;

// The first word of the first block of ChaCha20 under this key and address. It is part of the
// format (docs/formats/coins.md): every machine must find it.
constexpr double kFirstUniform = 0.79298362544078416;

const random::Coin& coin() {
  static const random::Coin made = random::StudySecret::from_seed(1).public_coin();
  return made;
}

void check(benchmark::State& state) {
  double first = -1;
  coin().uniforms({.purpose = Purpose::kPublicPoint, .epoch = 1}, std::span(&first, 1));
  if (first != kFirstUniform) {
    char text[64];
    std::snprintf(text, sizeof text, "the first uniform is %.17g", first);
    state.SkipWithError(text);
  }
}

void coins_ours(benchmark::State& state) {
  check(state);
  std::vector<double> out(static_cast<std::size_t>(state.range(0)));
  std::uint32_t slot = 0;
  for (auto _ : state) {
    coin().uniforms({.purpose = Purpose::kPublicPoint, .epoch = 1, .slot = slot++}, out);
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

void coins_mt19937(benchmark::State& state) {
  std::vector<double> out(static_cast<std::size_t>(state.range(0)));
  std::mt19937_64 generator(1);
  for (auto _ : state) {
    for (double& u : out) u = static_cast<double>(generator() >> 11) * 0x1p-53;
    benchmark::DoNotOptimize(out.data());
    benchmark::ClobberMemory();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}

BENCHMARK(coins_ours)->Name("coins/ours")->Arg(1)->Arg(8)->Arg(2048);
BENCHMARK(coins_mt19937)->Name("coins/mt19937_64")->Arg(1)->Arg(8)->Arg(2048);

}  // namespace
}  // namespace duets::bench

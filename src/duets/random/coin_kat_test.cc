// Every line of tests/golden/coins.kat, which says its own format and origin.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "duets/random/coin.h"

namespace duets::random {
namespace {

Coin named_coin(const StudySecret& secret, const std::string& name) {
  if (name == "public") return secret.public_coin();
  if (name == "problem") return secret.problem_coin();
  return secret.agent_coin(base::AgentId{static_cast<std::uint32_t>(std::stoul(name))});
}

// A line after its kind: seed, coin, address, then the answers.
struct Line {
  std::uint64_t seed = 0;
  std::string coin;
  Address address;
  std::vector<std::string> answers;
};

Line parse(std::istringstream& text, bool with_address) {
  Line line;
  text >> line.seed >> line.coin;
  if (with_address) {
    unsigned purpose = 0;
    text >> purpose >> line.address.agent >> line.address.epoch >> line.address.slot >>
        line.address.attempt;
    line.address.purpose = static_cast<Purpose>(purpose);
  }
  EXPECT_FALSE(text.fail()) << text.str();
  for (std::string answer; text >> answer;) line.answers.push_back(answer);
  EXPECT_FALSE(line.answers.empty()) << text.str();
  return line;
}

std::string hex(const Key& key) {
  std::string text;
  for (const std::uint8_t byte : key) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

void check_words(const Line& line, const Coin& coin) {
  std::vector<std::uint64_t> words(line.answers.size());
  coin.words(line.address, words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(words[i], std::strtoull(line.answers[i].c_str(), nullptr, 16)) << i;
  }
}

void check_doubles(const Line& line, const std::vector<double>& got) {
  for (std::size_t i = 0; i < got.size(); ++i) {
    EXPECT_EQ(got[i], std::strtod(line.answers[i].c_str(), nullptr)) << i;
  }
}

void check(const std::string& kind, const Line& line, const Coin& coin) {
  std::vector<double> numbers(line.answers.size());
  if (kind == "key") {
    EXPECT_EQ(hex(coin.key()), line.answers.front());
  } else if (kind == "words") {
    check_words(line, coin);
  } else if (kind == "uniforms") {
    coin.uniforms(line.address, numbers);
    check_doubles(line, numbers);
  } else if (kind == "normals") {
    coin.normals(line.address, numbers);
    check_doubles(line, numbers);
  } else {
    ADD_FAILURE() << "unknown kind " << kind;
  }
}

TEST(CoinKat, EveryKnownAnswer) {
  std::ifstream file(DUETS_SOURCE_DIR "/tests/golden/coins.kat");
  ASSERT_TRUE(file.is_open());
  std::map<std::string, int> seen;
  for (std::string row; std::getline(file, row);) {
    if (row.empty() || row[0] == '#') continue;
    SCOPED_TRACE(row.substr(0, 60));
    std::istringstream text(row);
    std::string kind;
    text >> kind;
    const Line line = parse(text, kind != "key");
    check(kind, line, named_coin(StudySecret::from_seed(line.seed), line.coin));
    ++seen[kind];
  }
  // The table as committed: a lost line must not pass unnoticed.
  EXPECT_EQ(seen, (std::map<std::string, int>{
                      {"key", 20}, {"words", 25}, {"uniforms", 10}, {"normals", 10}}));
}

}  // namespace
}  // namespace duets::random

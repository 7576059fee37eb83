// Tests that a resolved study is the same study, with generated files that use every key, every
// domain, every type of parameter, every preset and both kinds of schedule.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <regex>
#include <set>

#include "duets/cli/study_file.h"
#include "duets/service/definition.h"
#include "duets/study/fields.h"
#include "duets/study/toml.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

// --- Random choices ----------------------------------------------------------------------------

// The whole range from the first case on: small cases are not the likely errors here.
std::uint64_t whole(std::uint64_t low, std::uint64_t high) {
  return *rc::gen::resize(rc::kNominalSize, rc::gen::inRange<std::uint64_t>(low, high + 1));
}

bool sometimes() { return whole(0, 1) == 0; }

std::string picked(const Words& words) { return words[whole(0, words.size() - 1)]; }

// 16 digits, over `decades` decades on both sides of 1.
double positive(std::uint64_t decades = 6) {
  const auto mantissa = static_cast<double>(whole(1'000'000'000'000'000, std::uint64_t{1} << 53));
  const double exponent = static_cast<double>(whole(0, 2 * decades)) - static_cast<double>(decades);
  return mantissa * std::pow(10.0, exponent - 16);
}

double share() { return static_cast<double>(whole(1, 999'999)) / 1e6; }

double signed_number() { return sometimes() ? positive() : -positive(); }

std::string digits(double number) { return fmt::format("{}", number); }
std::string toml_text(const std::string& word) { return "\"" + word + "\""; }

// --- A study file, table by table --------------------------------------------------------------

/// Writes keys; `maybe` writes one half of the time.
class Table {
 public:
  void key(const std::string& name, const std::string& value) {
    text_ += name + " = " + value + "\n";
  }
  void maybe(const std::string& name, const std::string& value) {
    if (sometimes()) key(name, value);
  }
  bool empty() const { return text_.empty(); }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A study file that is valid by construction: dependencies between keys are resolved here.
class StudyText {
 public:
  explicit StudyText(const fs::path& csv) : csv_(csv) {
    silent_ = whole(0, 7) == 0;
    preset_ = silent_ ? "auto" : picked({"", "paper", "auto", "quick", "safe"});
    tunes_ = preset_ != "" && preset_ != "paper";
    study();
    space();
    if (!silent_) {
      duets();
      kernel();
      noise();
    }
    objective();
    coordinator();
  }

  const std::string& text() const { return text_; }

 private:
  void add(const std::string& name, const Table& table) {
    text_ += "[" + name + "]\n" + table.text();
  }

  void study() {
    Table out;
    agents_ = whole(1, 50);
    horizon_ = whole(1, 40);
    out.key("direction", toml_text(picked({"maximize", "minimize"})));
    out.key("agents", fmt::format("{}", agents_));
    const bool extended = sometimes();
    out.key("horizon", fmt::format("{}", extended ? horizon_ + whole(1, 9) : horizon_));
    if (extended) out.key("earlier_horizons", fmt::format("[{}]", horizon_));
    out.maybe("name", toml_text("a.b-C_7"));
    out.maybe("seed", fmt::format("{}", whole(0, study::kMaxSeed)));
    out.maybe("algorithm", toml_text("duets"));
    add("study", out);
  }

  void space() {
    const std::uint64_t kind = whole(0, 6);
    if (kind == 0) return parameters();
    Table out;
    dimension_ = whole(1, 4);
    if (kind <= 2) {
      given_points_ = finite_ = true;
      if (kind == 1) {
        dimension_ = 2;
        out.key("file", toml_text(csv_.filename().string()));
      } else {
        out.key("points", points());
      }
      out.maybe("domain", toml_text("finite"));
      out.maybe("dimension", fmt::format("{}", dimension_));
    } else {
      const std::string domain = kind == 3 ? "finite" : kind == 4 ? "ball" : "box";
      out.key("domain", toml_text(domain));
      out.key("dimension", fmt::format("{}", dimension_));
      const std::string shape = picked({"cube", "ball", "sphere"});
      if (domain == "finite") out.key("shape", toml_text(shape));
      if (domain == "ball" || (domain == "finite" && shape != "cube"))
        out.maybe("radius", digits(positive()));
      finite_ = domain == "finite" || sometimes();
      if (finite_) out.key("candidates", fmt::format("{}", whole(1, 30)));
    }
    add("space", out);
  }

  std::string points() const {
    std::string rows;
    for (std::uint64_t i = whole(2, 6); i > 0; --i) {
      std::string row;
      for (std::uint64_t j = 0; j < dimension_; ++j) row += fmt::format("{}, ", signed_number());
      rows += "[" + row + "], ";
    }
    return "[" + rows + "]";
  }

  void parameters() {
    const Words names{"x1", "\"a. b\"", "\"c\\\\d\"", "\"caf\\u00e9\"", "rate"};
    dimension_ = whole(1, names.size());
    for (std::uint64_t i = 0; i < dimension_; ++i) {
      Table out;
      const std::string type = picked({"float", "int", "categorical"});
      if (type == "categorical") {
        const Words choices{"\"u\"", "\"quote \\\" and \\n newline\"", "\"\\u00e9\"", "\"w\""};
        out.key("choices",
                fmt::format("[{}]", fmt::join(choices.begin(),
                                              choices.begin() + 1 +
                                                  static_cast<std::ptrdiff_t>(whole(0, 3)),
                                              ", ")));
      } else {
        bounds(type == "int", out);
      }
      if (type != "float" || sometimes()) out.key("type", toml_text(type));
      add("space." + names[i], out);
    }
  }

  static void bounds(bool is_int, Table& out) {
    const bool log = sometimes();
    if (is_int) {
      const std::uint64_t low = whole(1, 1000);
      out.key("low", fmt::format("{}", log || sometimes() ? static_cast<std::int64_t>(low)
                                                          : -static_cast<std::int64_t>(low)));
      out.key("high", fmt::format("{}", low + whole(0, 1'000'000)));
      if (!log) out.maybe("step", fmt::format("{}", whole(1, 7)));
    } else {
      const double low = log ? positive() : signed_number();
      out.key("low", digits(low));
      out.key("high", digits(low + std::abs(low) * positive(1) + positive(1)));
    }
    if (log || sometimes()) out.key("log", log ? "true" : "false");
  }

  void duets() {
    Table out;
    if (!preset_.empty()) out.key("preset", toml_text(preset_));
    theory_ = finite_ && !tunes_ && sometimes();
    const std::string usual = preset_ == "safe" ? "earn" : "find";
    const std::string goal = !tunes_ ? "" : sometimes() ? picked({"earn", "find"}) : usual;
    if (tunes_ && (goal != usual || sometimes())) out.key("goal", toml_text(goal));
    cut(goal, out);
    if (theory_ || sometimes()) out.key("mode", toml_text(theory_ ? "theory" : "tuned"));
    learning(out);
    schedule(out);
    floors(out);
    out.maybe("closing", toml_text(theory_ ? picked({"best", "projection"})
                                           : picked({"best", "projection", "all"})));
    out.maybe("coins", toml_text(theory_ ? "independent" : picked({"independent", "stratified"})));
    out.maybe("numbers", toml_text(theory_ ? "double" : picked({"double", "short"})));
    const bool keeps = !theory_ && sometimes();
    bool surviving = tunes_;
    if (sometimes()) {
      surviving = keeps;
      out.key("data", toml_text(keeps ? "surviving" : "epoch"));
    }
    const Words uploads = learned_    ? Words{"auto"}
                          : surviving ? Words{"auto", "projection"}
                                      : Words{"auto", "projection", "rewards"};
    out.maybe("upload", toml_text(picked(uploads)));
    add("duets", out);
  }

  // Parameters, inducing sets, and beta, p0 and rate, which depend on them.
  void learning(Table& out) {
    learned_ = tunes_;
    if (sometimes()) {
      learned_ = !theory_ && sometimes();
      out.key("parameters", toml_text(learned_ ? "learned" : "fixed"));
    }
    if (learned_) {
      out.maybe("relevance", picked({"true", "false"}));
      out.maybe("family", picked({"true", "false"}));
      out.maybe("raw_rewards", fmt::format("{}", whole(1, 1000)));
    }
    std::string inducing = tunes_ ? "public" : "coin";
    if (sometimes() || (learned_ && inducing == "coin")) {
      inducing = learned_  ? picked({"greedy", "public"})
                 : theory_ ? "coin"
                           : picked({"coin", "greedy", "public"});
      out.key("inducing", toml_text(inducing));
    }
    if (theory_) return;
    out.maybe("beta", finite_ && sometimes() ? "0" : digits(positive()));
    if (inducing != "coin") return;
    out.maybe("p0", digits(positive()));
    out.maybe("rate", toml_text(picked({"variance", "count"})));
  }

  void schedule(Table& out) const {
    if (sometimes()) {
      std::vector<std::uint64_t> epochs;
      for (std::uint64_t left = horizon_; left > 0; left -= epochs.back()) {
        epochs.push_back(whole(1, left));
      }
      out.key("epochs", fmt::format("[{}]", fmt::join(epochs, ", ")));
      out.maybe("schedule", toml_text("explicit"));
      return;
    }
    out.maybe(
        "schedule",
        toml_text(picked({"sqrt-floor", "sqrt-ceil", "doubling", "paired-doubling", "warm-up"})));
    out.maybe("t1", fmt::format("{}", whole(1, 60)));
  }

  void floors(Table& out) const {
    bool has_floor = false;
    bool replaces = false;  // either key takes the place of the preset's floor
    for (const char* key : {"volume_floor", "side_floor"}) {
      if (!sometimes()) continue;
      const bool is_floor = sometimes();
      out.key(key, is_floor ? digits(share()) : "0");
      has_floor = has_floor || is_floor;
      replaces = true;
    }
    if (!replaces) has_floor = tunes_;
    if (has_floor) out.maybe("epoch_floor", sometimes() ? "1" : digits(share()));
  }

  void cut(const std::string& goal, Table& out) const {
    bool decides = goal == "find";
    if (!theory_ && sometimes()) {
      decides = sometimes();
      out.key("cut", toml_text(decides ? "decision" : "width"));
    }
    if (decides) out.maybe("epoch_cap", sometimes() ? "1" : digits(share()));
  }

  void kernel() {
    Table out;
    out.maybe("name",
              toml_text(picked({"squared-exponential", "matern-1/2", "matern-3/2", "matern-5/2"})));
    if (!learned_) out.maybe("variance", digits(positive()));
    const bool each = sometimes();
    if (sometimes() || (given_points_ && !tunes_)) {
      std::vector<double> scales(each ? dimension_ : 1);
      for (double& scale : scales) scale = positive();
      out.key("lengthscale",
              each ? fmt::format("[{}]", fmt::join(scales, ", ")) : digits(scales[0]));
    }
    if (!out.empty() || sometimes()) add("kernel", out);
  }

  void noise() {
    Table out;
    if (!learned_) out.maybe("lambda", digits(positive()));
    if (theory_) {
      out.key("bound", digits(positive()));
      out.key("subgaussian", digits(positive()));
      out.maybe("delta", digits(share()));
    }
    if (!out.empty() || sometimes()) add("noise", out);
  }

  void objective() {
    Table out;
    out.maybe("offset", digits(signed_number()));
    out.maybe("scale", digits(positive()));
    if (sometimes()) {
      out.key("command", "[\"./x y\", \"\\t\", \"\\u00e9\"]");
      out.maybe("timeout", digits(positive()));
      out.maybe("retries", fmt::format("{}", whole(0, 1000)));
      out.maybe("infeasible_value", digits(signed_number()));
    } else {
      out.key("builtin", toml_text("rkhs"));
      out.maybe("noise", sometimes() ? "0" : digits(positive()));
      out.maybe("noise_kind", toml_text(picked({"gaussian", "bounded"})));
      out.maybe("centers", fmt::format("{}", whole(1, 1000)));
      out.maybe("norm", digits(positive()));
    }
    add("objective", out);
  }

  void coordinator() {
    Table out;
    out.maybe("listen", toml_text("[::1]:0"));
    out.maybe("storage", toml_text("a b/c"));
    out.maybe("tls", toml_text("certs"));
    if (sometimes()) {
      out.key("quorum", fmt::format("{}", whole(1, agents_)));
      out.maybe("deadline", digits(1 + positive(2)));
    }
    if (!out.empty() || sometimes()) add("coordinator", out);
  }

  fs::path csv_;
  std::string text_;
  std::string preset_;
  bool silent_ = false;  ///< no [kernel], [noise] and [duets]
  bool tunes_ = false;   ///< a preset other than "paper"
  bool finite_ = false;
  bool given_points_ = false;
  bool theory_ = false;
  bool learned_ = true;  ///< in a silent file
  std::uint64_t agents_ = 1;
  std::uint64_t horizon_ = 1;
  std::uint64_t dimension_ = 1;
};

// --- The property ------------------------------------------------------------------------------

std::string without_comments(const std::string& toml) {
  return std::regex_replace(toml, std::regex("\n#[^\n]*"), "");
}

class CsvFile {
 public:
  CsvFile() : path_(fs::path(testing::TempDir()) / fmt::format("points-{}.csv", getpid())) {
    std::ofstream(path_) << "0.25,0.5\n-3e-1,1e3\n0.1,0.2\n";
  }
  ~CsvFile() { fs::remove(path_); }
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

RC_GTEST_PROP(ResolvedStudy, IsTheSameStudy, ()) {
  const CsvFile csv;
  const StudyText written(csv.path());
  RC_LOG() << written.text();
  const StudyFile file = parse_study(written.text(), "s.toml", csv.path().parent_path());
  const std::string resolved = resolved_toml(file);
  RC_LOG() << "resolved:\n" << resolved;

  const StudyFile again = parse_study(resolved, "elsewhere.toml", "/nowhere");
  RC_ASSERT(protocol::study_digest(again.study) == protocol::study_digest(file.study));
  RC_ASSERT(again.objective == file.objective);
  RC_ASSERT(again.seed == file.seed);
  RC_ASSERT(again.coordinator == file.coordinator);
  RC_ASSERT(without_comments(resolved_toml(again)) == without_comments(resolved));

  // As an export reads it: from the coordinator's storage.
  const service::Definition stored =
      service::decode_definition(service::encode_definition(service::definition_of(file)));
  RC_ASSERT(protocol::study_digest(*stored.study) == protocol::study_digest(file.study));
  RC_ASSERT(stored.objective() == file.objective);
}

void collect(const study::Node& table, const std::string& name, std::set<std::string>& keys) {
  for (const auto& [key, node] : table.entries) {
    if (node.kind == study::NodeKind::kTable) {
      collect(node, name.empty() ? key : "space.NAME", keys);
    } else {
      keys.insert(name + "." + key);
    }
  }
}

// A new key has no round trip until the generator above writes it.
TEST(ResolvedStudy, GeneratorWritesEveryKey) {
  const CsvFile csv;
  std::set<std::string> written;
  for (int round = 0; round < 20; ++round) {
    rc::check(
        [&] { collect(study::parse_toml(StudyText(csv.path()).text(), "s.toml"), "", written); });
  }
  for (const std::string_view table : study::table_names()) {
    for (const std::string_view key : study::keys_of(table)) {
      if (key == "ended_after") continue;  // what it may be depends on the schedule: see below
      EXPECT_TRUE(written.contains(fmt::format("{}.{}", table, key))) << table << "." << key;
    }
  }
}

TEST(ResolvedStudy, KeepsHorizonsAndEarlyEnds) {
  const auto text = [](std::string_view ended) {
    return fmt::format(
        "[study]\ndirection = \"maximize\"\nagents = 2\nhorizon = 9\nearlier_horizons = [6]\n"
        "ended_after = {}\n[duets]\nepochs = [1, 2, 3]\n[objective]\nbuiltin = \"branin\"\n",
        ended);
  };
  EXPECT_THROW(parse_study(text("[1, 3]"), "s.toml", {}), base::Error) << "that ends anyway";
  const StudyFile file = parse_study(text("[1]"), "s.toml", {});
  EXPECT_EQ(protocol::lengths(file.study), (std::vector<std::uint32_t>{1, 0, 8}));
  const StudyFile again = parse_study(resolved_toml(file), "s.toml", {});
  EXPECT_EQ(protocol::study_digest(again.study), protocol::study_digest(file.study));
}

// The shortest case of a preset whose t1 is not the default.
TEST(ResolvedStudy, OfAListOfEpochsDoesNotDependOnThePreset) {
  for (const protocol::Preset& preset : protocol::presets()) {
    const StudyFile file = parse_study(
        fmt::format(
            "[study]\ndirection = \"maximize\"\nagents = 2\nhorizon = 10\n"
            "[duets]\npreset = \"{}\"\nepochs = [3, 7]\n[objective]\nbuiltin = \"branin\"\n",
            preset.name),
        "s.toml", {});
    const StudyFile again = parse_study(resolved_toml(file), "s.toml", {});
    EXPECT_EQ(protocol::study_digest(again.study), protocol::study_digest(file.study))
        << preset.name;
  }
}

}  // namespace
}  // namespace duets::cli

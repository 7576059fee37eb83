#include "duets/cli/unit_text.h"

#include <fmt/format.h>

#include <charconv>

#include "duets/base/bytes.h"
#include "duets/report/csv.h"

namespace duets::cli {
namespace {

using lab::Contender;
using lab::Curves;
using lab::Task;
using lab::Unit;

constexpr std::string_view kFormat = "# duets unit 3";
constexpr std::string_view kSettingsLine = "# settings ";
constexpr std::string_view kChecksum = "# checksum ";
constexpr std::string_view kUnitHead =
    "contender,algorithm,variant,beta,t,regret,paper,figure,links,indices,literal,rounds,"
    "recommendation_regret,lost";

std::string hex_digest(std::string_view text) {
  return base::to_hex(base::digest_of(
      {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));  // NOLINT
}

std::string title_line(const Task& task, std::uint64_t seed) {
  return fmt::format("# {} {} seed {}", task.preset, task.function, seed);
}

// The beginning of every row of a contender.
std::string row_start(const Task& task, std::size_t index) {
  const Contender& contender = task.contenders[index];
  return fmt::format("{},{},{},{},", index, report::csv_field(contender.algorithm),
                     report::csv_field(contender.variant), contender.beta);
}

// Rounds and what a run recommends are known at its end: the last row alone has them.
void append_curves(std::string& text, const std::string& start, const Curves& curves) {
  for (std::size_t i = 0; i < curves.t.size(); ++i) {
    fmt::format_to(std::back_inserter(text), "{}{},{},", start, curves.t[i], curves.regret[i]);
    for (const lab::Ledger ledger : lab::kLedgers) {
      fmt::format_to(std::back_inserter(text), "{},", curves.reals(ledger)[i]);
    }
    if (i + 1 == curves.t.size()) {
      fmt::format_to(std::back_inserter(text), "{},{},{}\n", curves.rounds,
                     curves.recommendation_regret, curves.lost ? 1 : 0);
    } else {
      text += ",,\n";
    }
  }
}

// Removes the next line from the front and returns it; nothing when the text has no line end.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

// The next number of a row, and the comma after it unless it is the last.
template <class Number>
bool take_number(std::string_view& row, Number& value, bool last) {
  const auto [end, error] = std::from_chars(row.data(), row.data() + row.size(), value);
  if (error != std::errc()) return false;
  row.remove_prefix(static_cast<std::size_t>(end - row.data()));
  if (last) return row.empty();
  if (row.empty() || row.front() != ',') return false;
  row.remove_prefix(1);
  return true;
}

bool take_row(std::string_view row, bool last, Curves& curves) {
  std::uint32_t t = 0, lost = 0;
  double regret = 0, paper = 0, figure = 0, links = 0, indices = 0, literal = 0;
  const bool good = take_number(row, t, false) && take_number(row, regret, false) &&
                    take_number(row, paper, false) && take_number(row, figure, false) &&
                    take_number(row, links, false) && take_number(row, indices, false) &&
                    take_number(row, literal, false);
  if (!good) return false;
  if (last) {
    if (!take_number(row, curves.rounds, false) ||
        !take_number(row, curves.recommendation_regret, false) || !take_number(row, lost, true) ||
        lost > 1) {
      return false;
    }
    curves.lost = lost == 1;
  } else if (row != ",,") {
    return false;
  }
  curves.t.push_back(t);
  curves.regret.push_back(regret);
  curves.paper.push_back(paper);
  curves.figure.push_back(figure);
  curves.links.push_back(links);
  curves.indices.push_back(indices);
  curves.literal.push_back(literal);
  return true;
}

UnitReading damaged(std::string why) { return {UnitState::kDamaged, std::move(why), {}}; }

// The rows between header and checksum.
UnitReading read_rows(std::string_view body, const Task& task) {
  UnitReading reading{UnitState::kGood, {}, Unit(task.contenders.size())};
  for (std::size_t i = 0; i < task.contenders.size(); ++i) {
    const std::string start = row_start(task, i);
    while (body.starts_with(start)) {
      const std::optional<std::string_view> row = take_line(body);
      const bool last = !body.starts_with(start);
      if (!row || !take_row(row->substr(start.size()), last, reading.unit[i])) {
        return damaged(fmt::format("\"{}\" is not a row", row.value_or(body)));
      }
    }
    if (reading.unit[i].t.empty()) return damaged(fmt::format("contender {} has no rows", i));
  }
  if (!body.empty()) return damaged("there are rows without a contender");
  return reading;
}

}  // namespace

base::Digest unit_settings(std::string_view context, const Task& task, std::uint64_t seed) {
  base::ByteWriter writer;
  writer.text(context);
  writer.text(task.preset);
  writer.text(task.function);
  writer.u64(seed);
  writer.u64(task.contenders.size());
  for (const Contender& contender : task.contenders) {
    writer.text(contender.algorithm);
    writer.f64(contender.beta);
    writer.text(contender.variant);
  }
  return base::digest_of(writer.bytes());
}

std::string unit_text(const base::Digest& settings, const Task& task, std::uint64_t seed,
                      const Unit& unit) {
  std::string text = fmt::format("{}\n{}{}\n{}\n{}\n", kFormat, kSettingsLine,
                                 base::to_hex(settings), title_line(task, seed), kUnitHead);
  for (std::size_t i = 0; i < unit.size(); ++i) append_curves(text, row_start(task, i), unit[i]);
  const std::string sum = hex_digest(text);
  return text + std::string(kChecksum) + sum + "\n";
}

bool names_unit(std::string_view text, const Task& task, std::uint64_t seed) {
  take_line(text);
  take_line(text);
  return take_line(text) == title_line(task, seed);
}

UnitReading read_unit(std::string_view text, const base::Digest& settings, const Task& task) {
  const std::size_t foot = kChecksum.size() + 33;  // 32 digits and the line's end
  if (!text.starts_with("# duets unit ")) return damaged("it does not begin like a unit file");
  if (text.size() < foot) return damaged("it is cut short");
  const std::string_view body = text.substr(0, text.size() - foot);
  const std::string expected = std::string(kChecksum) + hex_digest(body) + "\n";
  if (text.substr(body.size()) != expected) return damaged("its checksum does not match");

  std::string_view rest = body;
  const auto format = take_line(rest);
  if (format != kFormat) return {UnitState::kForeign, "it has another format", {}};
  const auto stated = take_line(rest);
  if (stated != std::string(kSettingsLine) + base::to_hex(settings)) {
    return {UnitState::kForeign, "it was created with other settings or by another build", {}};
  }
  take_line(rest);  // for people
  if (take_line(rest) != kUnitHead) return damaged("its columns are not those of a unit file");
  return read_rows(rest, task);
}

}  // namespace duets::cli

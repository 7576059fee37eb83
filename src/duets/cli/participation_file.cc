#include "duets/cli/participation_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "duets/base/error.h"
#include "duets/study/toml.h"

namespace duets::cli {
namespace {

using study::Node;
using study::NodeKind;

class Reader {
 public:
  Reader(std::string file, const protocol::Study& study)
      : file_(std::move(file)), agents_(study.agents), lengths_(protocol::lengths(study)) {}

  protocol::Participation read(const Node& root) const {
    only_keys(root, {"absence"});
    protocol::Participation participation;
    const Node* list = root.find("absence");
    if (list == nullptr) return participation;
    if (list->kind != NodeKind::kArray)
      fail(*list, "absence", "must be a list of tables: [[absence]]");
    for (const Node& entry : list->items) {
      only_keys(entry, {"epoch", "excluded", "holes"});
      const std::uint32_t epoch =
          number(required(entry, "epoch"), "epoch", 1, static_cast<std::uint32_t>(lengths_.size()));
      const auto [place, added] = participation.emplace(epoch, protocol::EpochAbsence{});
      if (!added) fail(entry, "epoch", fmt::format("epoch {} is listed twice", epoch));
      read_epoch(entry, lengths_[epoch - 1], place->second);
      if (place->second.excluded.size() == agents_)
        fail(entry, "excluded", "at least one agent must take part");
    }
    return participation;
  }

 private:
  void read_epoch(const Node& entry, std::uint32_t length, protocol::EpochAbsence& absence) const {
    if (const Node* excluded = entry.find("excluded")) {
      for (const Node& item : items(*excluded, "excluded")) {
        absence.excluded.insert(number(item, "excluded", 0, agents_ - 1));
      }
    }
    const Node* holes = entry.find("holes");
    if (holes == nullptr) return;
    for (const Node& item : items(*holes, "holes")) {
      only_keys(item, {"agent", "slots"});
      const std::uint32_t agent = number(required(item, "agent"), "agent", 0, agents_ - 1);
      std::set<std::uint32_t> slots;
      for (const Node& slot : items(required(item, "slots"), "slots")) {
        slots.insert(number(slot, "slots", 0, length - 1));
      }
      absence.holes[agent].assign(slots.begin(), slots.end());
    }
  }

  [[noreturn]] void fail(const Node& node, const std::string& field, const std::string& why) const {
    throw study::LocatedError(file_, node.position, field + ": " + why);
  }

  const std::vector<Node>& items(const Node& node, const std::string& field) const {
    if (node.kind != NodeKind::kArray) fail(node, field, "must be a list");
    return node.items;
  }

  const Node& required(const Node& table, const std::string& key) const {
    const Node* node = table.find(key);
    if (node == nullptr) fail(table, key, "is missing");
    return *node;
  }

  std::uint32_t number(const Node& node, const std::string& field, std::uint32_t low,
                       std::uint32_t high) const {
    if (node.kind != NodeKind::kInteger || node.integer < low || node.integer > high) {
      fail(node, field,
           fmt::format("{} must be a whole number from {} to {}", show(node), low, high));
    }
    return static_cast<std::uint32_t>(node.integer);
  }

  void only_keys(const Node& table, const std::vector<std::string>& known) const {
    if (table.kind != NodeKind::kTable) fail(table, show(table), "must be a table");
    for (const auto& [key, node] : table.entries) {
      if (std::find(known.begin(), known.end(), key) == known.end()) {
        fail(node, study::show_name(key),
             fmt::format("unknown key; known here: {}", fmt::join(known, ", ")));
      }
    }
  }

  std::string file_;
  std::uint32_t agents_;
  std::vector<std::uint32_t> lengths_;
};

}  // namespace

protocol::Participation parse_participation(std::string_view text, const std::string& file_name,
                                            const protocol::Study& study) {
  return Reader(file_name, study).read(study::parse_toml(text, file_name));
}

std::string participation_toml(const protocol::Participation& participation) {
  std::string text = "# Who did not take part, by epoch; everybody else did.\n";
  for (const auto& [epoch, absence] : participation) {
    text += fmt::format("\n[[absence]]\nepoch = {}\n", epoch);
    if (!absence.excluded.empty()) {
      text += fmt::format("excluded = [{}]\n", fmt::join(absence.excluded, ", "));
    }
    std::vector<std::string> holes;
    for (const auto& [agent, slots] : absence.holes) {
      holes.push_back(fmt::format("{{ agent = {}, slots = [{}] }}", agent, fmt::join(slots, ", ")));
    }
    if (!holes.empty()) text += fmt::format("holes = [{}]\n", fmt::join(holes, ", "));
  }
  return text;
}

protocol::Participation load_participation(const std::filesystem::path& path,
                                           const protocol::Study& study) {
  base::require(!std::filesystem::is_directory(path), "--participation", path.string(),
                "is a directory");
  std::ifstream in(path, std::ios::binary);
  base::require(in.is_open(), "--participation", path.string(), "cannot be read");
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  base::require(!in.bad(), "--participation", path.string(), "cannot be read");
  return parse_participation(text, path.string(), study);
}

}  // namespace duets::cli

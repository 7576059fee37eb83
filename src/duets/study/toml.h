// TOML text as a plain tree with positions: the one place that knows the TOML library.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duets/base/error.h"

namespace duets::study {

/// Counted from 1.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
};

/// An error whose text begins with FILE:LINE:COLUMN already.
class LocatedError : public base::Error {
 public:
  LocatedError(const std::string& file, Position position, const std::string& message);
};

/// An error whose place is known, but not yet the file.
class PlacedError : public base::Error {
 public:
  PlacedError(Position position, const std::string& message)
      : Error(base::ErrorKind::kInvalid, message), position_(position) {}
  Position position() const { return position_; }

 private:
  Position position_;
};

enum class NodeKind : std::uint8_t { kTable, kArray, kString, kInteger, kFloat, kBoolean, kDate };

struct Node {
  NodeKind kind = NodeKind::kTable;
  Position position;  ///< of the key, or of the value itself inside an array
  std::string text;
  std::int64_t integer = 0;
  double number = 0;
  bool flag = false;
  std::vector<Node> items;                              ///< of an array
  std::vector<std::pair<std::string, Node>> entries{};  ///< of a table, in the order of the file

  /// The entry of a table, or null.
  const Node* find(std::string_view key) const;
};

/// The value as a person would recognise it in a message: one line, shortened, no control
/// characters.
std::string show(const Node& node);

/// A name from the file, made fit for a message in the same way.
std::string show_name(std::string_view name);

/// Throws LocatedError when the text is not TOML, or so large or so deeply nested that reading it
/// would take unreasonable time or memory.
Node parse_toml(std::string_view text, const std::string& file);

/// Where a dotted field name such as "space.x1.low" or "duets.epochs[2]" stands, or else the
/// longest part of it that exists; line 1 when nothing of it does.
Position locate(const Node& root, std::string_view field);

}  // namespace duets::study

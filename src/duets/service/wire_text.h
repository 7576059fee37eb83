// Makes texts safe for strings of the wire format and for terminals.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace duets::service {

/// Limit for a problem or a host name; longer ones are cut.
inline constexpr std::size_t kMaxTextBytes = 2000;

/// The text with '?' for bytes that are not UTF-8 and spaces for control characters, cut after at
/// most `limit` bytes. For texts of programs, operating systems and peers: the result can be sent,
/// and cannot control a terminal. (A receiver refuses a message with a string that is not UTF-8.)
std::string clean_text(std::string_view text, std::size_t limit = kMaxTextBytes);

/// Cleans every text of a message, also in nested messages.
void clean_texts(google::protobuf::Message& message);

}  // namespace duets::service

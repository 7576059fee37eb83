// Texts that may travel: what a string of the wire format may hold.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace google::protobuf {
class Message;
}  // namespace google::protobuf

namespace duets::service {

/// A problem, a host name: longer ones are cut.
inline constexpr std::size_t kMaxTextBytes = 2000;

/// True when the bytes are UTF-8. A string that is not cannot be sent: its receiver would refuse
/// the whole message.
bool is_utf8(std::string_view text);

/// The text with bytes that are not UTF-8 as '?' and control characters as spaces, cut after at
/// most `limit` bytes. For everything that a program, an operating system or a peer said: it can be
/// sent, and cannot speak to a terminal.
std::string clean_text(std::string_view text, std::size_t limit = kMaxTextBytes);

/// Every text of a message, those of the messages in it too.
void clean_texts(google::protobuf::Message& message);

}  // namespace duets::service

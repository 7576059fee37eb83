// Converts messages of the wire format to JSON (docs/formats/json.md).
//
// Not protobuf's own form, which writes 64-bit integers as strings and omits unset fields.
#pragma once

#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace google::protobuf {
class EnumDescriptor;
class Message;
}  // namespace google::protobuf

namespace duets::service {

/// An object with every field, or with the named ones, under the names and in the order of the
/// .proto file. An unset field is null, an enumeration its word, a v1::Digest 32 hexadecimal
/// digits, a list of v1::Param an object of values by name.
nlohmann::ordered_json json_of(const google::protobuf::Message& message,
                               std::initializer_list<std::string_view> fields = {});

/// "never seen" for PRESENCE_NEVER_SEEN of an enumeration Presence; "?" for a number it lacks.
std::string enum_word(const google::protobuf::EnumDescriptor& type, int number);

}  // namespace duets::service

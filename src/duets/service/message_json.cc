#include "duets/service/message_json.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>

#include "duets/service/wire.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Json = nlohmann::ordered_json;

// The value of a singular field, or one value of a repeated field.
Json value_json(const Message& m, const FieldDescriptor& field, int i) {
  const Reflection& r = *m.GetReflection();
  const FieldDescriptor* f = &field;
  const bool many = f->is_repeated();
  switch (f->cpp_type()) {
    case FieldDescriptor::CPPTYPE_UINT32:
      return many ? r.GetRepeatedUInt32(m, f, i) : r.GetUInt32(m, f);
    case FieldDescriptor::CPPTYPE_UINT64:
      return many ? r.GetRepeatedUInt64(m, f, i) : r.GetUInt64(m, f);
    case FieldDescriptor::CPPTYPE_INT64:
      return many ? r.GetRepeatedInt64(m, f, i) : r.GetInt64(m, f);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return many ? r.GetRepeatedDouble(m, f, i) : r.GetDouble(m, f);
    case FieldDescriptor::CPPTYPE_BOOL:
      return many ? r.GetRepeatedBool(m, f, i) : r.GetBool(m, f);
    case FieldDescriptor::CPPTYPE_STRING:
      return many ? r.GetRepeatedString(m, f, i) : r.GetString(m, f);
    case FieldDescriptor::CPPTYPE_ENUM:
      return enum_word(*f->enum_type(),
                       many ? r.GetRepeatedEnumValue(m, f, i) : r.GetEnumValue(m, f));
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return json_of(many ? r.GetRepeatedMessage(m, f, i) : r.GetMessage(m, f));
    default:
      throw std::logic_error("no JSON form of " + f->full_name());
  }
}

Json list_json(const Message& message, const FieldDescriptor& field) {
  const bool named = field.message_type() == v1::Param::descriptor();
  Json list = named ? Json::object() : Json::array();
  for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); ++i) {
    if (!named) {
      list.push_back(value_json(message, field, i));
      continue;
    }
    const Message& param = message.GetReflection()->GetRepeatedMessage(message, &field, i);
    const auto* value = param.GetReflection()->GetOneofFieldDescriptor(
        param, v1::Param::descriptor()->FindOneofByName("value"));
    const std::string name = static_cast<const v1::Param&>(param).name();
    list[name] = value == nullptr ? Json(nullptr) : value_json(param, *value, 0);
  }
  return list;
}

}  // namespace

Json json_of(const Message& message, std::initializer_list<std::string_view> fields) {
  if (message.GetDescriptor() == v1::Digest::descriptor()) {
    return base::to_hex(from_wire(static_cast<const v1::Digest&>(message)));
  }
  Json json = Json::object();
  for (int i = 0; i < message.GetDescriptor()->field_count(); ++i) {
    const FieldDescriptor& field = *message.GetDescriptor()->field(i);
    if (fields.size() > 0 && std::ranges::find(fields, field.name()) == fields.end()) continue;
    const bool is_null =
        field.has_presence() && !message.GetReflection()->HasField(message, &field);
    json[field.name()] = is_null               ? Json(nullptr)
                         : field.is_repeated() ? list_json(message, field)
                                               : value_json(message, field, 0);
  }
  return json;
}

std::string enum_word(const google::protobuf::EnumDescriptor& type, int number) {
  const auto* value = type.FindValueByNumber(number);
  if (value == nullptr) return "?";
  // The names of StudyState begin with STUDY_STATE_.
  const auto num_words =
      std::ranges::count_if(type.name(), [](unsigned char c) { return isupper(c); });
  std::string word = value->name().substr(type.name().size() + static_cast<std::size_t>(num_words));
  std::ranges::transform(word, word.begin(), [](unsigned char c) {
    return c == '_' ? ' ' : static_cast<char>(std::tolower(c));
  });
  return word;
}

}  // namespace duets::service

#include "duets/service/export_file.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "duets/base/error.h"

namespace duets::service {
namespace {

Definition definition() {
  protocol::Study study;
  study.name = "tune";
  study.agents = 2;
  study.horizon = 6;
  study.domain = std::make_shared<const domain::Domain>(domain::Domain::box(2));
  study.kernel.lengthscales = {0.4};
  study::Objective objective;
  objective.direction = study::Direction::kMinimize;
  return definition_of(study::file_of(study, objective));
}

const std::vector<base::Bytes> kRecords{{1, 2, 3}, {}, {4}};

TEST(ExportFile, RoundTrips) {
  const ExportedStudy back = decode_export(encode_export(definition(), kRecords));
  EXPECT_EQ(encode_definition(back.definition), encode_definition(definition()));
  EXPECT_EQ(back.records, kRecords);
  EXPECT_TRUE(decode_export(encode_export(definition(), {})).records.empty());
}

TEST(ExportFile, RefusesEveryOtherLength) {
  const base::Bytes bytes = encode_export(definition(), kRecords);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_THROW(decode_export(std::span(bytes).first(size)), base::Error) << size;
  }
  base::Bytes longer = bytes;
  longer.push_back(0);
  EXPECT_THROW(decode_export(longer), base::Error);
}

TEST(ExportFile, RefusesAnotherVersion) {
  for (std::uint8_t version = 0; version <= kExportVersion + 1; ++version) {
    if (version == kExportVersion) continue;
    base::Bytes bytes = encode_export(definition(), kRecords);
    bytes[4 + 12] = version;  // after the text and its length
    try {
      decode_export(bytes);
      FAIL();
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kDecode);
      const std::string text = error.what();
      EXPECT_NE(text.find(fmt::format("version {}, and", version)), std::string::npos) << text;
      EXPECT_NE(text.find("export the study again"), std::string::npos) << text;
    }
  }
}

TEST(ExportFile, EverySingleBitIsChecked) {
  const base::Bytes bytes = encode_export(definition(), kRecords);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    base::Bytes changed = bytes;
    changed[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    EXPECT_THROW(decode_export(changed), base::Error) << "bit " << bit;
  }
}

}  // namespace
}  // namespace duets::service

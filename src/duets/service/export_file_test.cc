#include "duets/service/export_file.h"

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
  Definition d;
  d.study = std::make_shared<const protocol::Study>(study);
  d.objective.minimise = true;
  d.toml = "[study]\n";
  return d;
}

const std::vector<base::Bytes> kRecords{{1, 2, 3}, {}, {4}};

TEST(ExportFile, ComesBack) {
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
  base::Bytes bytes = encode_export(definition(), kRecords);
  bytes[4 + 12] = 1;  // after the text and its length
  try {
    decode_export(bytes);
    FAIL();
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kDecode);
    EXPECT_NE(std::string(error.what()).find("version 1"), std::string::npos);
  }
}

}  // namespace
}  // namespace duets::service

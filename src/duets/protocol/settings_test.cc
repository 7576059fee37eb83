#include "duets/protocol/settings.h"

#include <gtest/gtest.h>

#include <array>

#include "duets/base/digest.h"

namespace duets::protocol {
namespace {

base::Bytes digest_bytes(std::span<const Setting> list, const Study& study) {
  base::ByteWriter out;
  write_settings_digest(list, study, out);
  return out.take();
}

constexpr std::array kNew{Setting{.field = {.table = "duets",
                                            .key = "p0",
                                            .place = base::at<Study, &Study::p0>,
                                            .meaning = "stands for a new setting"}}};

// So every digest from before the setting was there stands.
TEST(Settings, ANewOneIsInTheDigestOnlyWhenItIsNotTheDefault) {
  Study study;
  EXPECT_TRUE(digest_bytes(kNew, study).empty());
  study.p0 = 3;
  base::ByteWriter expected;
  expected.text("p0");
  expected.f64(3);
  EXPECT_EQ(digest_bytes(kNew, study), expected.take());
}

// Changing any setting, applicable or not, changes the digest. The exceptions were there before
// anything else of the self-tuning was, and do nothing by themselves.
TEST(Settings, EachIsInTheDigest) {
  Study usual;
  for (const auto& [field, digest] : settings()) {
    if (field.key == "epoch_floor" || field.key == "relevance") continue;
    Study study;
    const base::Place place = field.place(study);
    if (const auto* number = std::get_if<double*>(&place)) **number += 0.25;
    if (const auto* number = std::get_if<std::uint32_t*>(&place)) **number += 1;
    if (const auto* list = std::get_if<std::vector<std::uint32_t>*>(&place)) (*list)->push_back(1);
    if (const auto* choice = std::get_if<base::EnumPlace>(&place)) ++*choice->number;
    if (const auto* flag = std::get_if<bool*>(&place)) **flag = !**flag;
    EXPECT_FALSE(base::equal(place, field.place(usual))) << field.key;
    EXPECT_NE(digest_bytes(settings(), study), digest_bytes(settings(), usual)) << field.key;
  }
}

}  // namespace
}  // namespace duets::protocol

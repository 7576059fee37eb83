#include "duets/service/wire_text.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <vector>

#include "duets/v1/duets.pb.h"

namespace duets::service {
namespace {

TEST(WireText, CleansInvalidUtf8AndControlCharacters) {
  EXPECT_EQ(clean_text("größe 5"), "größe 5");
  EXPECT_EQ(clean_text("a\n\tb\x7f\x1b[31m"), "a  b  [31m");
  EXPECT_EQ(clean_text("\xC2\x9B"
                       "2J"),
            " 2J");
  EXPECT_EQ(clean_text("a\xff\xC3"), "a??");
  // A lone continuation, an overlong form, a surrogate, beyond U+10FFFF, cut short.
  for (const std::string bad :
       {"\x80", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2\x82"}) {
    EXPECT_EQ(clean_text(bad), std::string(bad.size(), '?'));
  }
}

TEST(WireText, CutsBetweenCharacters) {
  EXPECT_EQ(clean_text("aäb", 2), "a");
  EXPECT_EQ(clean_text("aäb", 3), "aä");
  EXPECT_EQ(clean_text("abc", 0), "");
}

TEST(WireText, AnyBytesCanBeSentOnceCleaned) {
  rc::check([](const std::vector<std::uint8_t>& bytes) {
    const std::string clean = clean_text(std::string(bytes.begin(), bytes.end()));
    RC_ASSERT(clean_text(clean) == clean);
    v1::Progress progress;
    progress.set_problem(clean);
    v1::Progress back;
    RC_ASSERT(back.ParseFromString(progress.SerializeAsString()));  // refuses what is not UTF-8
  });
}

}  // namespace
}  // namespace duets::service

#include "duets/report/svg.h"

#include <gtest/gtest.h>

#include <limits>

#include "duets/base/error.h"
#include "duets/report/chart_number.h"
#include "duets/report/markup_test_support.h"

namespace duets::report {
namespace {

TEST(Svg, EscapesWhatWouldBeMarkup) {
  EXPECT_EQ(escape_markup("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
}

TEST(Svg, KeepsUtf8AndReplacesWhatIsNone) {
  EXPECT_EQ(escape_markup("\xCF\x83 \xE2\x82\xAC \xF0\x9F\x98\x80"),
            "\xCF\x83 \xE2\x82\xAC \xF0\x9F\x98\x80");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(escape_markup("\xFF"), bad);
  EXPECT_EQ(escape_markup(std::string_view("a\0b", 3)), "a" + bad + "b");
  EXPECT_EQ(escape_markup("\x1B[31m"), bad + "[31m");
  EXPECT_EQ(escape_markup("\xC0\xBC"), bad + bad) << "overlong form of <";
  EXPECT_EQ(escape_markup("\xE2\x82"), bad + bad) << "cut in the middle";
  EXPECT_EQ(escape_markup("\xED\xA0\x80"), bad + bad + bad) << "surrogate";
}

TEST(Svg, FixedNumbersAreShortAndNeverMinusZero) {
  EXPECT_EQ(fixed(1.0), "1");
  EXPECT_EQ(fixed(1.25, 2), "1.25");
  EXPECT_EQ(fixed(-0.04), "0");
  EXPECT_EQ(fixed(100), "100");
  EXPECT_EQ(fixed(1e300).size(), 301u);
  EXPECT_THROW(fixed(std::numeric_limits<double>::quiet_NaN()), base::Error);
  EXPECT_THROW(fixed(std::numeric_limits<double>::infinity()), base::Error);
}

TEST(Svg, FitTextNeverExceedsTheWidthAndCutsBetweenCharacters) {
  const std::string text =
      "gr\xC3\xB6\xC3\x9F"
      "er und immer gr\xC3\xB6\xC3\x9F"
      "er";
  for (double width = 20; width < 200; width += 7) {
    const std::string fitted = fit_text(text, 12, width);
    EXPECT_LE(text_width(fitted) * 12, width);
    EXPECT_EQ(escape_markup(fitted).find("\xEF\xBF\xBD"), std::string::npos);
  }
  EXPECT_EQ(fit_text(text, 12, 1000), text);
}

TEST(Svg, DocumentIsWellFormedWithTextsOfAnyKind) {
  SvgWriter svg("pic", 100, 50, "a < b & \"c\"", "]]> <!-- \x01");
  svg.text(1, 2, {}, "<script>alert(1)</script>", "-3");
  svg.rect({0, 0, 10, 10}, {.fill = "\"/><script>"});
  svg.begin_clip({0, 0, 5, 5}, true);
  svg.gradient({0, 0, 5, 5}, {"#000000", "#ffffff"});
  svg.end_clip();
  const std::string out = svg.finish();
  EXPECT_EQ(markup_testing::XmlCheck(out).problem(), std::nullopt);
  EXPECT_EQ(out.find("<script"), std::string::npos);
}

TEST(Svg, TheCheckOfWellFormednessFindsFaults) {
  for (const char* bad : {"<a><b></a></b>", "<a", "<a x=1/>", "<a x=\"1\" x=\"2\"/>", "<a>&</a>",
                          "<a x=\"<\"/>", "</a>", "<a>< b</a>"}) {
    EXPECT_NE(markup_testing::XmlCheck(bad).problem(), std::nullopt) << bad;
  }
  EXPECT_TRUE(markup_testing::has_non_number("<a x=\"nan\"/>"));
  EXPECT_TRUE(markup_testing::has_non_number("M-inf 3"));
  EXPECT_FALSE(markup_testing::has_non_number("information; base64,nan"));
}

TEST(Numbers, ReadAsPeopleWriteThem) {
  EXPECT_EQ(plain_number(0), "0");
  EXPECT_EQ(plain_number(1234567.8), "1,234,568") << "digits before the point are all shown";
  EXPECT_EQ(plain_number(-1234.5, 6), "-1,234.5");
  EXPECT_EQ(plain_number(0.00012346), "0.0001235");
  EXPECT_EQ(number_text(2.5e-7).exponent, "-7");
  EXPECT_EQ(html_number(3e12), number_text(3e12).text + "<sup>12</sup>");
  EXPECT_EQ(number_text(9.9999e-6, 2).exponent, "-5") << "rounding carries into the exponent";
  EXPECT_EQ(plain_number(std::numeric_limits<double>::infinity()), "\xE2\x80\x93");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(superscript("-12"), "\xE2\x81\xBB\xC2\xB9\xC2\xB2");
}

}  // namespace
}  // namespace duets::report

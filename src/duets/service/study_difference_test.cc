#include "duets/service/study_difference.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace duets::service {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kDifferingStudy =
    "[study]\nname = \"a\"\nhorizon = 12\n\n[space]\ndomain = \"finite\"\npoints = [\n"
    "  [0.0, 1.0],\n  [0.5, 0.5],\n]\n\n[duets]\n# preset = \"auto\"\nbeta = 0.5\n";

std::string with(const std::string& from, const std::string& to) {
  std::string text = kDifferingStudy;
  return text.replace(text.find(from), from.size(), to);
}

TEST(StudyDifference, EqualTextsDoNotDiffer) {
  EXPECT_TRUE(differing_fields(kDifferingStudy, kDifferingStudy).empty());
  EXPECT_EQ(difference_text({}), "");
}

TEST(StudyDifference, NamesEveryDifferentFieldWithBothValues) {
  const auto differences =
      differing_fields(kDifferingStudy, with("beta = 0.5", "beta = 0.2\nt1 = 3"));
  EXPECT_THAT(differences, ElementsAre(FieldDifference{"duets.beta", "0.5", "0.2"},
                                       FieldDifference{"duets.t1", "", "3"}));
  EXPECT_EQ(difference_text(differences),
            "duets.beta is 0.5 there and 0.2 here, duets.t1 is not given there and 3 here");
}

TEST(StudyDifference, AFieldThatOnlyTheFirstHas) {
  EXPECT_THAT(differing_fields(kDifferingStudy, with("horizon = 12\n", "")),
              ElementsAre(FieldDifference{"study.horizon", "12", ""}));
}

TEST(StudyDifference, AListOverSeveralLinesIsOneField) {
  const auto differences = differing_fields(kDifferingStudy, with("[0.5, 0.5]", "[0.5, 0.6]"));
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].field, "space.points");
  EXPECT_THAT(differences[0].second, HasSubstr("[0.5, 0.6]"));
}

TEST(StudyDifference, CommentsAreNotFields) {
  EXPECT_TRUE(differing_fields(kDifferingStudy, with("\"auto\"", "\"quick\"")).empty());
}

TEST(StudyDifference, LongValuesAndManyFieldsAreShortened) {
  std::string first = "[a]\n", second = "[a]\n";
  for (int i = 0; i < 10; ++i) {
    first += "k" + std::to_string(i) + " = 1\n";
    second += "k" + std::to_string(i) + " = \"" + std::string(29, 'x') + "\u00e9" +
              std::string(100, 'x') + "\"\n";
  }
  const std::string text = difference_text(differing_fields(first, second));
  EXPECT_THAT(text, HasSubstr("a.k7 is 1 there and \"xxx"));
  EXPECT_THAT(text, HasSubstr("xxx... here, and 2 more"));
  // The limit falls inside a letter of two bytes: the whole letter is omitted.
  const std::string odd = "[a]\nk = \"" + std::string(58, 'x') + "\u00e9\u00e9\"\n";
  EXPECT_EQ(difference_text(differing_fields("[a]\nk = 1\n", odd)),
            "a.k is 1 there and \"" + std::string(58, 'x') + "... here");
}

TEST(StudyDifference, AnyTextIsHarmless) {
  for (const char* text :
       {"", "\n", "[", "]", "[]", " = ", "= [\n]", "a = [", "a = [\nb", "[[x]"}) {
    static_cast<void>(difference_text(differing_fields(text, kDifferingStudy)));
    static_cast<void>(difference_text(differing_fields(kDifferingStudy, text)));
  }
}

}  // namespace
}  // namespace duets::service

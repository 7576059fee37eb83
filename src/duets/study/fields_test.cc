#include "duets/study/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <set>
#include <sstream>

#include "duets/protocol/settings.h"

namespace duets::study {
namespace {

using ::testing::HasSubstr;

constexpr const char* kPage = DUETS_SOURCE_DIR "/docs/formats/study.md";

std::string page_text() {
  std::ifstream in(kPage);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

// The text of the page with the first table behind `heading` replaced.
std::string with_table(const std::string& page, const std::string& heading,
                       const std::string& table) {
  const std::size_t head = page.find("\n" + heading + "\n");
  const std::size_t start = page.find("\n| ", head) + 1;
  const std::size_t end = page.find("\n\n", start) + 1;
  if (head == std::string::npos || start == 0 || end == 0) return heading + " is not on the page";
  return page.substr(0, start) + table + page.substr(end);
}

// DUETS_REWRITE=1 brings the page up to date.
TEST(StudyFields, TheReferencePageHasTheTablesOfTheProgram) {
  const std::string before = page_text();
  std::string page = before;
  for (const std::string_view table : table_names()) {
    const std::string level = table == "space.NAME" ? "###" : "##";
    page = with_table(page, level + " [" + std::string(table) + "]", reference_table(table));
  }
  page = with_table(page, "### Presets", reference_presets());
  if (std::getenv("DUETS_REWRITE") != nullptr) std::ofstream(kPage) << page;
  EXPECT_EQ(page_text(), page) << "run this test with DUETS_REWRITE=1 and look at the diff";
}

// The names of an enumeration may explain themselves.
template <class Record>
bool is_choice(const base::Field<Record>& field) {
  Record record;
  if (!field.names.empty()) return true;
  return field.place != nullptr && std::holds_alternative<base::EnumPlace>(field.place(record));
}

TEST(StudyFields, EveryKeyIsThereOnceAndExplained) {
  std::set<std::string> seen;
  const auto check = [&](const auto& field) {
    const std::string name = std::string(field.table) + "." + std::string(field.key);
    EXPECT_TRUE(seen.insert(name).second) << name;
    EXPECT_TRUE(!field.meaning.empty() || is_choice(field)) << name;
    EXPECT_TRUE(field.holds == nullptr || !field.constraint.empty()) << name;
  };
  for (const FileField& field : file_fields()) check(field);
  for (const protocol::Setting& setting : protocol::settings()) check(setting.field);
}

constexpr const char* kMinimal =
    "[study]\ndirection = \"maximize\"\nagents = 2\nhorizon = 4\n"
    "[space]\ndomain = \"box\"\ndimension = 2\n";

// What a coordinator sends names functions that the reader need not know.
TEST(StudyFields, AFileIsReadWithoutKnowingItsFunction) {
  const StudyFile file =
      parse_study(std::string(kMinimal) + "[objective]\nbuiltin = \"mine\"\n", "s.toml");
  EXPECT_EQ(file.objective.builtin, "mine");
  const FunctionList others{.names = {"other"},
                            .info = [](const std::string&) { return FunctionInfo{}; }};
  try {
    parse_study(std::string(kMinimal) + "[objective]\nbuiltin = \"mine\"\n", "s.toml",
                {.seed = {}, .functions = &others, .directory_for_csv = {}});
    FAIL() << "an unknown function was taken";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("objective.builtin = \"mine\": must be one of \"other\""));
  }
}

TEST(StudyFields, AStudyMadeByAProgramIsAFileToo) {
  protocol::Study study = parse_study(kMinimal, "s.toml").study;
  study.name = "made";
  study.beta = 0.1;
  const StudyFile file = file_of(study);
  const StudyFile again = parse_study(resolved_toml(file), "again.toml");
  EXPECT_EQ(protocol::study_digest(again.study), protocol::study_digest(study));
  // No file says how large p0 is when nobody uses it.
  study.inducing = protocol::Inducing::kGreedy;
  study.p0 = 3;
  EXPECT_THROW(file_of(study), base::Error);
}

}  // namespace
}  // namespace duets::study

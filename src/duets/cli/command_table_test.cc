#include "duets/cli/command_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "duets/cli/command_options.h"
#include "duets/cli/completion.h"
#include "duets/cli/man_page.h"

namespace duets::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// A program with every kind of option, and texts that shells and roff would misinterpret.
class CommandTableTest : public testing::Test {
 protected:
  CommandTableTest() {
    CLI::App* run = app_.add_subcommand("run", "It's [run]: a \\ word");
    add_format(*run, format_);
    add_quiet(*run, verbosity_);
    add_directory(*run, "-o,--output", text_, "Where");
    add_text(*run, "--file", text_, "Which", "FILE");
    run->add_option("--seed", number_, "It's a [number]: N")->option_text("N");
    run->add_option("study", text_, "Study file")->required()->option_text("STUDY");
    CLI::App* agent = app_.add_subcommand("agent", ".Agent");
    agent->add_option("program", list_, "After --")->option_text("PROGRAM ARGUMENTS...");
    app_.add_subcommand("group", "More")->add_subcommand("leaf", "A leaf");
    table_ = command_table(app_);
  }

  const OptionEntry& option(const std::string& name) const {
    for (const OptionEntry& entry : table_.commands[0].options) {
      if (entry.names.back() == name) return entry;
    }
    throw std::runtime_error(name);
  }

  CLI::App app_{"duets: a program", "duets"};
  Format format_ = Format::kTable;
  Verbosity verbosity_ = Verbosity::kNormal;
  std::string text_;
  int number_ = 0;
  std::vector<std::string> list_;
  CommandEntry table_;
};

TEST_F(CommandTableTest, CommandsHaveTheirWholeName) {
  EXPECT_THAT(words_below(table_), ElementsAre("run", "agent", "group"));
  EXPECT_EQ(table_.commands[2].commands[0].name, "duets group leaf");
  EXPECT_EQ(table_.commands[2].commands[0].word(), "leaf");
  std::vector<std::string> names;
  for_each_command(table_, [&](const CommandEntry& command) { names.push_back(command.name); });
  EXPECT_THAT(names,
              ElementsAre("duets", "duets run", "duets agent", "duets group", "duets group leaf"));
}

TEST_F(CommandTableTest, OptionsHaveNamesValueAndKind) {
  EXPECT_THAT(option("--output").names, ElementsAre("-o", "--output"));
  EXPECT_EQ(option("--output").kind, ValueKind::kDirectory);
  EXPECT_EQ(option("--file").kind, ValueKind::kFile);
  EXPECT_EQ(option("--quiet").kind, ValueKind::kNone);
  EXPECT_EQ(option("--quiet").value, "");
  EXPECT_EQ(option("--seed").kind, ValueKind::kOther);
  EXPECT_EQ(option("--seed").value, "N");
  EXPECT_EQ(option("--help").kind, ValueKind::kNone);
}

TEST_F(CommandTableTest, ChoicesAreReadFromTheValidator) {
  EXPECT_EQ(option("--format").kind, ValueKind::kWords);
  EXPECT_THAT(option("--format").words, ElementsAre("table", "json", "csv"));
  EXPECT_THAT(option("--seed").words, IsEmpty());
  CLI::App other("other", "other");
  other.add_option("--level", text_, "Level")->check(CLI::IsMember({"low", "high"}));
  EXPECT_THAT(command_table(other).options.back().words, ElementsAre("low", "high"));
}

TEST_F(CommandTableTest, ArgumentsAreSeparateFromOptions) {
  ASSERT_EQ(table_.commands[0].arguments.size(), 1U);
  EXPECT_EQ(table_.commands[0].arguments[0].kind, ValueKind::kStudy);
  EXPECT_TRUE(table_.commands[0].arguments[0].required);
  EXPECT_FALSE(table_.commands[0].arguments[0].repeats);
  EXPECT_EQ(table_.commands[1].arguments[0].kind, ValueKind::kProgram);
  EXPECT_TRUE(table_.commands[1].arguments[0].repeats);
}

TEST_F(CommandTableTest, TextsAreQuotedForEachShellAndRoff) {
  const std::string zsh = zsh_completion(table_);
  EXPECT_THAT(zsh, HasSubstr("'run:It'\\''s [run]\\: a \\\\ word'"));
  EXPECT_THAT(zsh, HasSubstr("'(--seed)--seed=[It'\\''s a \\[number\\]\\: N]:N:'"));
  EXPECT_THAT(zsh, HasSubstr("'(--format)--format=["));
  EXPECT_THAT(zsh, HasSubstr("]:FORMAT:(table json csv)'"));
  EXPECT_THAT(zsh, HasSubstr("(-o --output)-o["));
  EXPECT_THAT(zsh, HasSubstr("'*::PROGRAM ARGUMENTS...:_normal'"));
  const std::string fish = fish_completion(table_);
  EXPECT_THAT(fish, HasSubstr("-n '__duets_at duets' -a run -d 'It\\'s [run]: a \\\\ word'"));
  EXPECT_THAT(fish, HasSubstr("-n '__duets_at duets run' -l format -x -a 'table json csv' -d"));
  EXPECT_THAT(fish, HasSubstr("-n '__duets_at duets run' -s o -l output -x -a"));
  EXPECT_THAT(fish, HasSubstr("case 'duets run' 'duets agent' 'duets group' 'duets group leaf'"));
  const std::string man = man_page(table_);
  EXPECT_THAT(man, HasSubstr("\\fB\\-o\\fR, \\fB\\-\\-output\\fR \\fIDIR\\fR\nWhere\n"));
  EXPECT_THAT(man, HasSubstr("It's [run]: a \\e word."));
  EXPECT_THAT(man, HasSubstr("\n\\&.Agent.\n")) << "a line must not begin with a request";
  EXPECT_THAT(man, HasSubstr(".SS duets group leaf\n"));
}

}  // namespace
}  // namespace duets::cli

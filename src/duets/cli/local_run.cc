#include "duets/cli/local_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <iostream>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "duets/base/count_text.h"
#include "duets/base/error.h"
#include "duets/cli/config_check.h"
#include "duets/cli/exit_code.h"
#include "duets/cli/interrupt.h"
#include "duets/cli/local_progress.h"
#include "duets/cli/queries_text.h"
#include "duets/cli/report_command.h"
#include "duets/cli/run_place.h"
#include "duets/cli/shell_line.h"
#include "duets/cli/summary.h"
#include "duets/harness/threads.h"
#include "duets/protocol/guarantee.h"
#include "duets/service/local_loop.h"
#include "duets/service/local_study.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;
using service::LocalStudy;

constexpr unsigned kMaxParallel = 1024;
constexpr auto kDiskPause = std::chrono::seconds(1);

RunPlace place_of(const CommonFlags& flags, const StudyFile& file) {
  return run_place(flags.output.empty() ? "results/" + file.study.name : flags.output);
}

// As the user would write it.
std::string shown(const fs::path& path) {
  const fs::path near = fs::proximate(path);
  return near.empty() || *near.begin() == ".." ? path.string() : near.string();
}

// An early end leaves an epoch without queries.
std::vector<std::uint32_t> with_queries(std::vector<std::uint32_t> lengths) {
  std::erase(lengths, 0U);
  return lengths;
}

/// One run of the command.
class LocalRun {
 public:
  LocalRun(const CommonFlags& flags, const LocalFlags& given, const StudyFile& file,
           const RunPlace& place)
      : flags_(flags),
        given_(given),
        file_(file),
        place_(place),
        num_queries_(std::uint64_t{file.study.agents} *
                     std::max(given.horizon, protocol::num_queries_each(file.study))),
        seconds_(given.time.empty() ? 0 : seconds_of(given.time)),
        parallel_(given.parallel > 0 ? given.parallel : harness::default_threads()),
        interrupt_("stopping after the current queries; press Ctrl-C again to abandon them",
                   InterruptGuard::Second::kAbandons),
        progress_(stderr, flags.verbosity, num_queries_, file.objective) {}

  ReportSource run(const std::string& secret_text, const base::Executor& executor,
                   const std::function<void(const protocol::Study&)>& accepted) {
    const service::Definition definition = service::definition_of(file_);
    const auto programs = make_programs(definition);  // a mistake there changes no file
    const service::LocalOptions options = this->options(secret_text);
    prepare(place_, flags_.overwrite, definition, options);
    LocalStudy study(definition, options, executor);
    study_ = &study;
    if (accepted) accepted(*study.definition().study);
    begin(study);
    bool over = study.finished();
    try {
      over = over || service::run_local(study, programs, interrupt_.stop(), interrupt_.abandon(),
                                        loop_options(study));
      if (over) show(study, false);
    } catch (const base::Error& error) {
      progress_.clear();
      if (error.kind() != base::ErrorKind::kObjective) throw;
      throw base::Error(error.kind(), error.what() + after_failure(study));
    }
    progress_.clear();
    warn_of_equal_values(study);
    if (!over) throw CodedError(interrupt_.code(), stopped_text(study));
    return {study.exported(), study.secret(), study.trials()};
  }

 private:
  std::vector<std::unique_ptr<service::Objective>> make_programs(
      const service::Definition& definition) {
    std::vector<std::unique_ptr<service::Objective>> programs;
    const auto count = std::min<std::uint64_t>(parallel_, num_queries_);
    for (std::uint32_t worker = 0; worker < count; ++worker) {
      programs.push_back(
          make_program(file_.objective.command, definition, given_.program, worker,
                       [this](const service::LogLine& line) { progress_.line(line.message); }));
    }
    return programs;
  }

  service::LocalOptions options(const std::string& secret_text) {
    service::LocalOptions options;
    options.storage = place_.journal;
    options.secret_text = secret_text;
    options.way_out = given_.way_out;
    options.horizon = given_.horizon;
    options.keeps_horizon = given_.keeps_horizon;
    options.until_gain = given_.until_gain;
    options.event = [this](const protocol::Event& event) {
      if (const auto* began = std::get_if<protocol::EpochBegan>(&event)) {
        progress_.epoch_began(base::value(began->epoch));
      } else if (const auto* ended = std::get_if<protocol::EpochEnded>(&event)) {
        if (study_ != nullptr) show(*study_, false);
        if (ended->has_report) progress_.epoch_ended(*ended);
        if (study_ != nullptr) show_gain(*study_);
      } else if (const auto* left_out = std::get_if<protocol::MessageLeftOut>(&event)) {
        progress_.line(fmt::format("warning: epoch {} closed without agent {}: {}",
                                   base::value(left_out->epoch), base::value(left_out->agent),
                                   left_out->why));
      }
    };
    options.try_again = [this](const storage::StorageError& error) {
      return waits_for_disk(error);
    };
    return options;
  }

  // An answer may have taken hours.
  bool waits_for_disk(const storage::StorageError& error) {
    if (!disk_said_) progress_.line(fmt::format("{}; trying again every second", error.what()));
    disk_said_ = true;
    std::this_thread::sleep_for(kDiskPause);
    return !interrupt_.stop();
  }

  service::LocalLoopOptions loop_options(const LocalStudy& study) {
    service::LocalLoopOptions options;
    options.max_failures = given_.program.max_failures;
    options.seconds = seconds_;
    options.log = [this](const service::LogLine& line) {
      progress_.line(fmt::format(
          "{}{}", line.level == service::LogLevel::kWarning ? "warning: " : "", line.message));
    };
    options.look = [this, &study] { show(study, false); };
    return options;
  }

  void begin(const LocalStudy& study) {
    const std::size_t stored = study.trials().size();
    const protocol::Study& is = *study.definition().study;
    const std::uint32_t each = study.num_queries_each();
    num_queries_ = std::uint64_t{is.agents} * each;
    progress_.expect(num_queries_);
    if (stored == 0) {
      for (const ConfigWarning& warning : check(file_).warnings) {
        progress_.line("warning: " + warning.text);
      }
    }
    progress_.line(fmt::format("{}: {}, epochs of {}; {} at a time", file_.study.name,
                               queries_text(is.agents, each, true),
                               fmt::join(with_queries(protocol::lengths(is)), ", "),
                               base::count_text(parallel_, "program", "programs")));
    if (const std::string changes = protocol::horizon_changes_of(is); !changes.empty()) {
      progress_.line("horizon: " + changes);
    }
    progress_.line(
        study.finished()
            ? fmt::format("the study is finished: reporting it again from {}; "
                          "{}--horizon above {} continues it",
                          shown(place_.journal), each < is.horizon ? "another " : "", each)
        : stored > 0 ? fmt::format("continuing in epoch {} with {} of {} queries answered",
                                   study.epoch(), stored, num_queries_)
                     : "journal: " + shown(place_.journal));
    progress_.epoch_began(study.epoch());
    show(study, true);
  }

  void show_gain(const LocalStudy& study) {
    if (const std::optional<double> gain = study.expected_gain(); gain && !study.finished()) {
      progress_.line(
          fmt::format("         more queries are expected to gain {:.3g}; ends after two "
                      "epochs below {:g}",
                      *gain, given_.until_gain));
    }
  }

  // A program that does not read its parameters looks like a flat function.
  void warn_of_equal_values(const LocalStudy& study) {
    constexpr std::size_t kFew = 8;
    const auto& trials = study.trials();
    const auto equal = [&](const service::JournalTrial& trial) {
      return trial.kind == service::JournalTrial::Kind::kValue &&
             trial.value == trials.front().value;
    };
    if (trials.size() < kFew || !std::ranges::all_of(trials, equal)) return;
    progress_.line(
        fmt::format("warning: all {} values are {:g}: does the program use its "
                    "parameters?",
                    trials.size(), trials.front().value));
  }

  void show(const LocalStudy& study, bool stored) {
    for (; num_shown_ < study.trials().size(); ++num_shown_) {
      progress_.answered(study.trials()[num_shown_], stored);
    }
    progress_.look();
  }

  std::string after_failure(const LocalStudy& study) const {
    return fmt::format(
        ". {}Fix the program, then run the same command again: it {}\n  {}",
        study.trials().empty() ? "No query is lost. " : "",
        study.trials().empty() ? "begins with the first query" : "continues with the next query",
        shell_line(flags_.words));
  }

  std::string stopped_text(const LocalStudy& study) const {
    return fmt::format("stopped in epoch {}, after {} of {} queries; continue with\n  {}",
                       study.epoch(), study.trials().size(), num_queries_,
                       shell_line(flags_.words));
  }

  const CommonFlags& flags_;
  const LocalFlags& given_;
  const StudyFile& file_;
  const RunPlace& place_;
  std::uint64_t num_queries_;
  const double seconds_;  ///< 0: until the end
  const unsigned parallel_;
  const InterruptGuard interrupt_;
  LocalProgress progress_;
  const LocalStudy* study_ = nullptr;  ///< once it is there
  std::size_t num_shown_ = 0;
  bool disk_said_ = false;
};

}  // namespace

void add_local_flags(CLI::App& command, LocalFlags& flags) {
  command
      .add_option("--parallel", flags.parallel,
                  "Copies of your program that run at a time (default: one per core)")
      ->check(CLI::Range(1U, kMaxParallel))
      ->option_text("K");
  command
      .add_option("--for", flags.time,
                  "End early, with a recommendation, after this long: 90s, 30m, 2h or 1d")
      ->option_text("TIME");
  command
      .add_option("--until-gain", flags.until_gain,
                  "End early when, after two epochs in a row, no point is expected to be better by "
                  "X than the recommended one")
      ->check([](const std::string& text) {
        double number = 0;
        const bool usable = CLI::detail::lexical_cast(text, number) && number > 0 &&
                            number < std::numeric_limits<double>::infinity();
        return usable ? std::string() : text + " is not a positive number";
      })
      ->option_text("X");
  add_program_flags(command, flags.program);
}

double seconds_of(const std::string& text) {
  constexpr std::array<std::pair<std::string_view, double>, 5> kUnits{
      {{"", 1}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const auto* const known = std::ranges::find(kUnits, unit, [](const auto& u) { return u.first; });
  const bool usable = error == std::errc() && known != kUnits.end() && number > 0 && number < 1e9;
  base::require(usable, "--for", text, "must be a positive time like 90s, 30m, 2h or 1d");
  return number * known->second;
}

void run_locally(const CommonFlags& flags, const LocalFlags& given, const StudyFile& file,
                 const std::string& secret_text, const base::Executor& executor,
                 const Extensions& extensions,
                 const std::function<void(const protocol::Study&)>& accepted) {
  const RunPlace place = place_of(flags, file);
  const ReportSource source =
      LocalRun(flags, given, file, place).run(secret_text, executor, accepted);
  const harness::RunResult result = write_results(source, place.output, true, extensions);
  std::cout << run_summary(result, flags.format, place.output);
}

}  // namespace duets::cli

#include <fmt/format.h>
#include <pybind11/stl.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "duets/base/error.h"
#include "duets/cli/progress.h"
#include "duets/cli/run_place.h"
#include "duets/harness/threads.h"
#include "duets/service/local_intake.h"
#include "duets/service/local_study.h"
#include "module.h"
#include "recorded.h"

namespace duets::python {
namespace {

using service::LocalIntake;
using service::LocalStudy;
using service::Query;
using Told = LocalStudy::Told;

constexpr auto kDiskPause = std::chrono::seconds(1);
constexpr const char* kWayOut =
    "use the old settings or another path, or begin again with overwrite=True";

/// A local study for several threads of one process.
class Local {
 public:
  Local(const service::Definition& definition, const std::string& storage,
        const std::string& secret, unsigned threads, double until_gain, bool keeps_horizon)
      : executor_(threads == 0 ? harness::default_threads() : threads) {
    service::LocalOptions options;
    options.storage = storage;
    options.secret_text = secret;
    options.way_out = kWayOut;
    options.until_gain = until_gain;
    options.keeps_horizon = keeps_horizon;
    options.event = [this](const protocol::Event& event) { note(event); };
    options.try_again = [this](const storage::StorageError& error) { return waits(error); };
    study_.emplace(definition, std::move(options), executor_);
    lines_.clear();  // of epochs that an earlier process has seen
  }

  std::optional<Query> ask(std::optional<std::uint32_t> agent) {
    const auto lock = enter();
    return agent ? study_->ask(*agent) : study_->ask();
  }
  void tell(const std::vector<Told>& told) {
    const auto lock = enter();
    study_->tell(told);
  }
  void give_back(const Query& query) {
    const auto lock = enter();
    study_->give_back(query);
  }
  void end() {
    const auto lock = enter();
    study_->end();
  }
  bool has_reward() {
    const auto lock = enter();
    return study_->has_reward();
  }
  /// With the horizons and early ends so far.
  service::Definition definition() {
    const auto lock = enter();
    return study_->definition();
  }
  void begin_intake(std::uint32_t max_failures) {
    const auto lock = enter();
    intake_.reset();  // gives queries back
    intake_.emplace(*study_, service::IntakeOptions{max_failures, {}});
  }
  void take(std::vector<Told> told) {
    const auto lock = enter();
    intake_->take(std::move(told));
  }
  void give_up() {
    const auto lock = enter();
    intake_->give_up();
  }
  bool finished() {
    const auto lock = enter();
    return study_->finished();
  }
  std::uint32_t epoch() {
    const auto lock = enter();
    return study_->epoch();
  }
  std::uint64_t num_queries() {
    const auto lock = enter();
    return std::uint64_t{study_->definition().study->agents} * study_->num_queries_each();
  }
  std::size_t num_told() {
    const auto lock = enter();
    return study_->trials().size();
  }
  /// The value of each answer from the first on that was not reported yet; nothing for a hole.
  std::vector<std::optional<double>> values_from(std::size_t first) {
    const auto lock = enter();
    std::vector<std::optional<double>> values;
    for (std::size_t i = first; i < study_->trials().size(); ++i) {
      const service::JournalTrial& trial = study_->trials()[i];
      values.push_back(trial.kind == service::JournalTrial::Kind::kValue
                           ? std::optional(trial.value)
                           : std::nullopt);
    }
    return values;
  }
  /// Why queries have no value, in the order of the answers.
  std::vector<std::pair<Query, std::string>> failures() {
    const auto lock = enter();
    std::vector<std::pair<Query, std::string>> found;
    for (const service::JournalTrial& trial : study_->trials()) {
      if (trial.kind != service::JournalTrial::Kind::kValue) {
        found.emplace_back(trial.query, trial.text);
      }
    }
    return found;
  }
  std::vector<std::string> take_lines() {
    const auto lock = enter();
    return std::exchange(lines_, {});
  }
  std::string run_digest() {
    const auto lock = enter();
    return base::to_hex(study_->summary().run_digest());
  }
  std::shared_ptr<Recorded> recorded() {
    const auto lock = enter();
    return std::make_shared<Recorded>(
        cli::ReportSource{study_->exported(), study_->secret(), study_->trials()});
  }
  /// Lets another process continue. In a child of the owner's process it does nothing: the files
  /// are the owner's.
  void close() {
    if (getpid() != owner_) return;
    const std::lock_guard lock(mutex_);
    intake_.reset();
    study_.reset();
  }

 private:
  std::unique_lock<std::mutex> enter() {
    // A lock that another thread held during fork() is never released in the child.
    if (getpid() != owner_) {
      throw base::Error(base::ErrorKind::kProtocol,
                        fmt::format("the study belongs to process {}: a child process measures, "
                                    "and its parent tells",
                                    owner_));
    }
    std::unique_lock lock(mutex_);
    if (!study_) throw base::Error(base::ErrorKind::kProtocol, "the study is closed");
    return lock;
  }

  void note(const protocol::Event& event) {
    if (const auto* ended = std::get_if<protocol::EpochEnded>(&event)) {
      if (ended->has_report) lines_.push_back(cli::epoch_line(*ended, false));
    } else if (const auto* left_out = std::get_if<protocol::MessageLeftOut>(&event)) {
      lines_.push_back(fmt::format("epoch {} closed without agent {}: {}",
                                   base::value(left_out->epoch), base::value(left_out->agent),
                                   left_out->why));
    }
  }

  // An answer may have taken hours. The second Ctrl-C ends the waiting, with the StorageError.
  bool waits(const storage::StorageError& error) {
    {
      const py::gil_scoped_acquire gil;
      if (!disk_said_) {
        py::print(error.what(), "trying again every second",
                  py::arg("file") = py::module_::import("sys").attr("stderr"),
                  py::arg("sep") = "; ");
      }
      disk_said_ = true;
      if (PyErr_CheckSignals() != 0) {
        PyErr_Clear();
        return false;
      }
    }
    std::this_thread::sleep_for(kDiskPause);
    return true;
  }

  const pid_t owner_ = getpid();
  std::mutex mutex_;
  const harness::ThreadExecutor executor_;
  std::vector<std::string> lines_;
  bool disk_said_ = false;
  std::optional<LocalStudy> study_;
  std::optional<LocalIntake> intake_;
};

}  // namespace

void bind_local(py::module_& module) {
  module.def(
      "prepare_place",
      [](const std::string& output, bool overwrite, const service::Definition& definition,
         double until_gain) {
        service::LocalOptions options;
        options.until_gain = until_gain;
        cli::RunPlace place = cli::run_place(output);
        place.field = "path";
        place.hint = "choose another path or give overwrite=True";
        cli::prepare(place, overwrite, definition, options);
      },
      ReleaseGil());
  py::class_<Told>(module, "Told").def(py::init<Query, service::Answer, double>());
  // Destroyed without the GIL: it joins threads and writes to the disk. The child of a fork has
  // none of those threads, and leaves everything as it is.
  py::class_<Local, std::shared_ptr<Local>>(module, "Local")
      .def(py::init([](const service::Definition& definition, const std::string& storage,
                       const std::string& secret, unsigned threads, double until_gain,
                       bool keeps_horizon) {
        const py::gil_scoped_release working;
        return std::shared_ptr<Local>(
            new Local(definition, storage, secret, threads, until_gain, keeps_horizon),
            [owner = getpid()](Local* local) {
              if (getpid() != owner) return;
              const py::gil_scoped_release release;
              delete local;
            });
      }))
      .def("ask", &Local::ask, ReleaseGil())
      .def("tell", &Local::tell, ReleaseGil())
      .def("give_back", &Local::give_back, ReleaseGil())
      .def("end", &Local::end, ReleaseGil())
      .def("has_reward", &Local::has_reward, ReleaseGil())
      .def("definition", &Local::definition, ReleaseGil())
      .def("begin_intake", &Local::begin_intake, ReleaseGil())
      .def("take", &Local::take, ReleaseGil())
      .def("give_up", &Local::give_up, ReleaseGil())
      .def("close", &Local::close, ReleaseGil())
      .def("values_from", &Local::values_from, ReleaseGil())
      .def("failures", &Local::failures, ReleaseGil())
      .def("take_lines", &Local::take_lines, ReleaseGil())
      .def("recorded", &Local::recorded, ReleaseGil())
      .def("run_digest", &Local::run_digest, ReleaseGil())
      .def("finished", &Local::finished, ReleaseGil())
      .def("epoch", &Local::epoch, ReleaseGil())
      .def("num_queries", &Local::num_queries, ReleaseGil())
      .def("num_told", &Local::num_told, ReleaseGil());
}

}  // namespace duets::python

#include "duets/cli/export_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "duets/base/error.h"
#include "duets/harness/participation.h"
#include "duets/problems/ledger.h"
#include "duets/protocol/guarantee.h"
#include "duets/protocol/records.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;
using service::JournalTrial;
using Kind = JournalTrial::Kind;

/// Counts what the records say was sent, as the simulator does.
class Books {
 public:
  Books(const protocol::Study& study, harness::RunResult& result)
      : ledger_(study.agents), lengths_(protocol::lengths(study)), result_(result) {}

  void read(const protocol::Record& record) {
    if (const auto* opened = std::get_if<protocol::EpochOpened>(&record)) {
      if (opened->has_inducing) broadcast(opened->inducing, opened->inducing.closing);
    } else if (const auto* taken = std::get_if<protocol::MessageTaken>(&record)) {
      uplink(taken->message);
    } else {
      close(std::get<protocol::EpochClosed>(record));
    }
  }

  void mark(std::uint32_t t) {
    const problems::LedgerTotals totals = ledger_.totals();
    harness::CommunicationPoint point;
    point.epoch = static_cast<std::uint32_t>(result_.communication.size() + 1);
    point.t = t;
    point.paper = totals.paper;
    point.figure = static_cast<double>(totals.figure);
    point.links = static_cast<double>(totals.links);
    point.closing = static_cast<double>(totals.closing);
    point.bytes = totals.bytes + totals.closing_bytes;
    result_.communication.push_back(point);
  }

  bool is_finished() const { return num_closed_ == lengths_.size(); }

 private:
  void broadcast(const protocol::Message& message, bool closing) {
    const std::uint64_t reals = protocol::num_reals(message);
    const std::uint64_t bytes = protocol::encode(message).size();
    if (closing) {
      ledger_.closing_broadcast(reals, bytes);
    } else {
      ledger_.broadcast(reals, bytes);
    }
  }

  void uplink(const protocol::Message& message) {
    const std::uint64_t reals = protocol::num_reals(message);
    const std::uint64_t bytes = protocol::encode(message).size();
    if (const auto* closing = std::get_if<protocol::Closing>(&message)) {
      ledger_.closing_uplink(closing->agent, reals, bytes);
    } else {
      ledger_.uplink(std::get<protocol::Upload>(message).agent, reals, bytes);
    }
  }

  void close(const protocol::EpochClosed& closed) {
    if (closed.has_report) result_.epochs.push_back(closed.report);
    result_.run_digest = base::to_hex(closed.run_digest);
    result_.state_digest = base::to_hex(closed.state_digest);
    ++num_closed_;
    if (!closed.has_trim) return;
    broadcast(closed.trim, false);
    mark(std::accumulate(lengths_.begin(),
                         lengths_.begin() + static_cast<std::ptrdiff_t>(num_closed_),
                         std::uint32_t{0}));
  }

  problems::Ledger ledger_;
  std::vector<std::uint32_t> lengths_;
  harness::RunResult& result_;
  std::size_t num_closed_ = 0;
};

using TrialKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // agent, epoch, slot

struct FoundTrial {
  JournalTrial trial;
  fs::path file;
};

void merge(const service::JournalContents& contents, const fs::path& file,
           std::map<TrialKey, FoundTrial>& trials) {
  for (const JournalTrial& trial : contents.trials) {
    const TrialKey key{trial.query.agent, trial.query.epoch, trial.query.slot};
    const auto [place, fresh] = trials.try_emplace(key, FoundTrial{trial, file});
    if (fresh || same_answer(place->second.trial, trial)) continue;
    throw base::Error(
        base::ErrorKind::kInvalid,
        fmt::format("trial {}: {} and {} have different answers", service::trial_name(trial.query),
                    place->second.file.string(), file.string()));
  }
}

// False for a journal that only happens to lie in the same directory.
bool belongs(const service::JournalContents& contents, const GivenJournal& journal,
             const protocol::Study& study) {
  const bool same_name = contents.study == study.name;
  if (!journal.named && !same_name) return false;
  const bool never_joined = contents.study_digest == base::Digest{};
  base::require(
      same_name && (never_joined || contents.study_digest == protocol::study_digest(study)),
      "--trials", journal.path.string(),
      fmt::format("is a journal of another study ({}, digest {})", contents.study,
                  base::to_hex(contents.study_digest)));
  return true;
}

std::vector<base::Bytes> broadcasts_of(const std::vector<base::Bytes>& records) {
  std::vector<base::Bytes> broadcasts;
  for (const base::Bytes& bytes : records) {
    for (const protocol::Message& message : protocol::broadcasts(protocol::decode_record(bytes))) {
      broadcasts.push_back(protocol::encode(message));
    }
  }
  return broadcasts;
}

}  // namespace

harness::RunResult result_of(const StudyExport& exported, const StudyFile& file) {
  const protocol::Study& study = *exported.definition.study;
  harness::RunResult result;
  result.study_name = study.name;
  result.objective =
      file.objective.builtin.empty() ? file.objective.command.front() : file.objective.builtin;
  result.direction = std::string(name(file.direction));
  result.domain = domain::to_string(study.domain->shape());
  result.coordinate_names = study.domain->coordinate_names();
  result.parameters = study.domain->parameters();
  result.agents = study.agents;
  result.horizon = study.horizon;
  result.seed = file.seed;
  result.lengths = protocol::lengths(study);
  Books books(study, result);
  for (const base::Bytes& record : exported.records) books.read(protocol::decode_record(record));
  if (books.is_finished()) books.mark(study.horizon);
  const bool complete = harness::participation_of(study, exported.records).empty();
  result.guarantee = protocol::guarantee_of(study, complete);
  result.study_digest = base::to_hex(protocol::study_digest(study));
  result.smallest_margin = std::numeric_limits<double>::infinity();
  for (const protocol::EpochReport& report : result.epochs) {
    result.smallest_margin = std::min(result.smallest_margin, report.smallest_margin);
    result.mean_error = std::max(result.mean_error, report.mean_error);
  }
  return result;
}

bool same_answer(const JournalTrial& a, const JournalTrial& b) {
  return a.kind == b.kind && (a.kind == Kind::kHole || a.value == b.value);
}

std::vector<GivenJournal> find_given_journals(const std::vector<std::string>& given) {
  std::vector<GivenJournal> journals;
  for (const std::string& word : given) {
    base::require(fs::exists(word), "--trials", word, "does not exist");
    if (!fs::is_directory(word)) {
      journals.push_back({word, true});
      continue;
    }
    std::vector<fs::path> inside;
    for (const fs::directory_entry& entry : fs::directory_iterator(word)) {
      if (entry.path().extension() == ".db") inside.push_back(entry.path());
    }
    std::sort(inside.begin(), inside.end());
    for (const fs::path& path : inside) journals.push_back({path, false});
  }
  return journals;
}

void require_same_run(const service::JournalContents& contents, const fs::path& journal,
                      const std::vector<base::Bytes>& records) {
  const std::vector<base::Bytes> sent = broadcasts_of(records);
  // A study that still runs may have gone on since its records were read.
  const std::size_t both = std::min(sent.size(), contents.broadcasts.size());
  if (std::equal(sent.begin(), sent.begin() + static_cast<std::ptrdiff_t>(both),
                 contents.broadcasts.begin())) {
    return;
  }
  throw base::Error(base::ErrorKind::kDiverged,
                    fmt::format("{}: the journal of agent {} is of another run of study {}: it was "
                                "told other things than the records say; leave it out of --trials",
                                journal.string(), contents.agent, contents.study));
}

std::vector<JournalTrial> merged_trials(const std::vector<GivenJournal>& journals,
                                        const StudyExport& study) {
  std::map<TrialKey, FoundTrial> trials;
  for (const GivenJournal& journal : journals) {
    const service::JournalContents contents = service::read_agent_journal(journal.path);
    if (!belongs(contents, journal, *study.definition.study)) continue;
    require_same_run(contents, journal.path, study.records);
    merge(contents, journal.path, trials);
  }
  std::vector<JournalTrial> sorted;
  for (auto& [key, found] : trials) sorted.push_back(std::move(found.trial));
  return sorted;
}

}  // namespace duets::cli

#include "duets/cli/serve_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iostream>
#include <set>
#include <thread>

#include "duets/base/error.h"
#include "duets/cli/file_io.h"
#include "duets/cli/interrupt.h"
#include "duets/cli/logger.h"
#include "duets/cli/partial_directory.h"
#include "duets/cli/peer.h"
#include "duets/cli/queries_text.h"
#include "duets/cli/report_command.h"
#include "duets/cli/result_kind.h"
#include "duets/cli/serve_watch.h"
#include "duets/cli/status_events.h"
#include "duets/cli/status_text.h"
#include "duets/cli/study_file.h"
#include "duets/harness/threads.h"
#include "duets/service/grpc_log.h"
#include "duets/service/listener.h"
#include "duets/service/secret.h"
#include "duets/service/server.h"
#include "duets/service/study_status.h"
#include "duets/storage/secret_file.h"
#include "duets/v1/duets.pb.h"

namespace duets::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kLook = std::chrono::milliseconds(200);
constexpr auto kReadLook = std::chrono::milliseconds(10);
// Agents that learn of the end leave at once; do not wait for others.
constexpr auto kGoodbye = std::chrono::seconds(20);

std::vector<StudyFile> load_studies(const ServeFlags& flags, const Extensions& extensions) {
  std::vector<StudyFile> files;
  std::set<std::string> names;
  for (const std::string& path : flags.studies) {
    files.push_back(load_study(path, {flags.seed, extensions.functions, /*measures=*/true}));
    base::require(names.insert(files.back().study.name).second, "study.name",
                  files.back().study.name, "two of the study files have this name");
  }
  base::require(flags.secret.empty() || files.size() == 1, "--secret", flags.secret,
                "needs exactly one study file");
  base::require(!flags.seed || !files.empty(), "--seed", fmt::format("{}", flags.seed.value_or(0)),
                "needs a study file; a stored study continues with its own secret");
  return files;
}

std::string first_of(const std::string& flag, const std::optional<std::string>& file,
                     const char* usual) {
  return !flag.empty() ? flag : file.value_or(usual);
}

bool all_over(const service::Server& server, const std::vector<StudyFile>& files) {
  return std::all_of(files.begin(), files.end(), [&](const StudyFile& file) {
    const auto status = status_of(server, file.study.name);
    return !status || is_over(*status);
  });
}

bool any_to_come(const service::Server& server, const std::vector<StudyFile>& files) {
  return std::any_of(files.begin(), files.end(), [&](const StudyFile& file) {
    const auto status = status_of(server, file.study.name);
    if (!status) return false;
    return std::ranges::any_of(status->agent_status(), [](const v1::AgentStatus& agent) {
      return agent.presence() == v1::PRESENCE_LIVE || agent.presence() == v1::PRESENCE_LOST;
    });
  });
}

// Agents learn of the end from the coordinator: if it exits too soon, they keep waiting. A lost
// agent may just be slow to reconnect after a restart: its pause is up to ten seconds.
void say_goodbye(const service::Server& server, const std::vector<StudyFile>& files,
                 const std::atomic<bool>& stop) {
  const auto start = Clock::now();
  while (!stop && Clock::now() - start < kGoodbye && any_to_come(server, files)) {
    std::this_thread::sleep_for(kLook);
  }
}

void introduce(const service::Server& server, const std::vector<StudyFile>& files,
               const service::ServerOptions& options, Logger& logger) {
  const std::string address = server.address();
  logger.say(fmt::format("listening on {} ({}), storage {}", address,
                         options.insecure ? "plaintext" : "TLS", options.storage.string()));
  for (const StudyFile& file : files) {
    const protocol::Study& study = file.study;
    const std::string text = fmt::format(
        "{}, epochs of {}", queries_text(study.agents, protocol::num_queries_each(study), true),
        fmt::join(protocol::lengths(study), ", "));
    logger.write({.message = text, .study = study.name});
  }
  if (!files.empty() && all_over(server, files)) return;
  const bool any_host = address.starts_with("0.0.0.0:") || address.starts_with("[::]:");
  logger.say(fmt::format(
      "on the agents' machines: duets agent --server {}{}{}{}",
      any_host ? "THIS-MACHINE" + address.substr(address.rfind(':')) : address,
      options.insecure ? " --insecure" : " --certs DIR", files.size() > 1 ? " --study NAME" : "",
      files.size() == 1 && files[0].objective.command.empty() ? "" : " [-- PROGRAM ARGUMENTS]"));
}

std::string found_text(const v1::StudyStatus& status) {
  if (!is_over(status)) return "continues where it was";
  if (status.state() == v1::STUDY_STATE_FAILED) return "has failed: " + status.problem();
  return fmt::format("is already {}; nothing is left to do for agents",
                     service::word_of(status.state()));
}

/// The state of a study is known once its records are read.
void wait_until_read(const service::Server& server, const std::string& name,
                     const InterruptGuard& interrupt) {
  while (!server.is_ready(name) && !interrupt.stop()) std::this_thread::sleep_for(kReadLook);
}

// Empty: a new secret for each new study.
std::string secret_of(const ServeFlags& flags) {
  if (flags.seed) return service::seed_secret_text(*flags.seed);
  return flags.secret.empty() ? std::string() : storage::read_secret_file(flags.secret);
}

void create_studies(service::Server& server, const std::vector<StudyFile>& files,
                    const ServeFlags& flags, const InterruptGuard& interrupt, Logger& logger) {
  const std::string secret = secret_of(flags);
  if (flags.seed) {
    logger.say(fmt::format(
        "using the coins of seed {}: for tests only, since a seed can be guessed and reveals "
        "every agent's points",
        *flags.seed));
  }
  for (const StudyFile& file : files) {
    if (server.create(service::definition_of(file), secret)) continue;
    wait_until_read(server, file.study.name, interrupt);
    const std::string& name = file.study.name;
    logger.write({.message = found_text(server.status(name)), .study = name});
  }
}

std::vector<v1::StudyStatus> final_statuses(const service::Server& server,
                                            const std::vector<StudyFile>& files) {
  std::vector<std::string> names;
  names.reserve(files.size());
  for (const StudyFile& file : files) names.push_back(file.study.name);
  std::vector<v1::StudyStatus> statuses;
  for (const std::string& name : files.empty() ? server.names() : names) {
    if (auto status = status_of(server, name)) statuses.push_back(*std::move(status));
  }
  return statuses;
}

void require_success(const std::vector<v1::StudyStatus>& statuses) {
  for (const v1::StudyStatus& status : statuses) {
    if (status.state() != v1::STUDY_STATE_FAILED) continue;
    throw base::Error(base::ErrorKind::kProtocol, fmt::format("study {} cannot continue: {}",
                                                              status.study(), status.problem()));
  }
}

// Whoever reads the storage later learns why nobody serves the studies any more.
template <class Service>
void telling_the_end(service::Server& server, const Service& service) {
  try {
    service();
  } catch (const GaveUp& gave_up) {
    server.end("gave up", gave_up.reason());
    throw;
  } catch (const std::exception& error) {
    server.end("ended with an error", error.what());
    throw;
  }
}

/// Waits until the studies are finished, or for a signal.
void watch_studies(service::Server& server, const std::vector<StudyFile>& files,
                   const ServeFlags& flags, const InterruptGuard& interrupt, Logger& logger) {
  ServeWatch watch(server, flags.give_up, logger.log());
  while (!interrupt.stop() && (watch.look() || files.empty() || flags.keep)) {
    logger.tell_repeats();
    std::this_thread::sleep_for(kLook);
  }
  const bool stopped = interrupt.stop();
  if (stopped) {
    server.end(fmt::format("stopped by {}", interrupt.name()));
    logger.say(all_over(server, files) && !files.empty()
                   ? "stopped"
                   : "stopped; run the same command again to continue");
  } else {
    say_goodbye(server, files, interrupt.stop());
    server.end("ended", "all of its other studies were over");
  }
  const std::vector<v1::StudyStatus> statuses = final_statuses(server, files);
  if (!stopped) require_success(statuses);
  std::cout << statuses_text(statuses, flags.format);
}

// A single study uses the directory itself.
std::filesystem::path results_of(const ServeFlags& flags, const std::string& name,
                                 std::size_t num_studies) {
  const std::filesystem::path output = flags.output;
  return num_studies == 1 ? output : output / name;
}

// Results of an earlier call are replaced: the same command continues, with the same end.
constexpr PartialDirectory::Replaced kEarlier{holds_run, holds_unfinished_run};

void write_finished(const std::filesystem::path& storage, const std::vector<StudyFile>& files,
                    const ServeFlags& flags, const Extensions& extensions, Logger& logger) {
  std::vector<std::string> names;
  for (const v1::StudyStatus& status : open_source({{}, storage.string()}, {})->list()) {
    const bool ours = std::any_of(files.begin(), files.end(), [&](const StudyFile& file) {
      return file.study.name == status.study();
    });
    if (ours || files.empty()) names.push_back(status.study());
  }
  for (const std::string& name : names) {
    const ReportSource source = stored_source(storage, name);
    const StudyExport& study = source.study;
    if (!protocol::summarise(*study.definition.study, study.records).finished()) continue;
    const auto directory = results_of(flags, name, files.empty() ? names.size() : files.size());
    write_results(source, directory, true, extensions);
    logger.write({.message = "results are in " + directory.string(), .study = name});
  }
}

void serve(const ServeFlags& flags, const std::vector<StudyFile>& files,
           const Extensions& extensions, Logger& logger) {
  for (const StudyFile& file : files) {
    if (flags.output.empty()) break;
    require_free(results_of(flags, file.study.name, files.size()), kEarlier);
  }
  const study::CoordinatorSettings given =
      files.empty() ? study::CoordinatorSettings{} : files.front().coordinator;
  const bool text = flags.log.format == LogFormat::kText;
  const InterruptGuard interrupt(text ? "stopping; press Ctrl-C again to force" : "");
  const harness::ThreadExecutor executor(flags.threads == 0 ? harness::default_threads()
                                                            : flags.threads);
  service::ServerOptions options;
  options.listen = first_of(flags.listen, given.listen, study::kUsualListen);
  options.storage = first_of(flags.storage, given.storage, study::kUsualStorage);
  options.insecure = flags.insecure;
  if (!flags.insecure) options.certs = first_of(flags.certs, given.tls, study::kUsualCerts);
  options.lease_seconds = flags.lease;
  options.log = logger.log();
  // Before the storage directory is created: an error leaves none behind.
  if (!flags.insecure) service::load_tls(options.certs, "coordinator");
  { const service::Listener probe(options.listen); }
  const service::GrpcLog grpc_log(options.log);
  {
    service::Server server(options, executor);
    telling_the_end(server, [&] {
      create_studies(server, files, flags, interrupt, logger);
      server.listen();
      introduce(server, files, options, logger);
      if (!flags.address_file.empty()) {
        write_whole_file(flags.address_file, server.address() + "\n");
      }
      watch_studies(server, files, flags, interrupt, logger);
    });
  }
  if (!flags.output.empty()) write_finished(options.storage, files, flags, extensions, logger);
}

}  // namespace

void serve_studies(const ServeFlags& flags, const Extensions& extensions) {
  Logger logger(flags.log);
  logged(logger, [&] { serve(flags, load_studies(flags, extensions), extensions, logger); });
}

}  // namespace duets::cli

#include "duets/cli/service_commands.h"

#include <fmt/format.h>

#include <memory>
#include <vector>

#include "duets/cli/agent_command.h"
#include "duets/cli/offline_command.h"
#include "duets/cli/peer_options.h"
#include "duets/cli/serve_command.h"
#include "duets/cli/study_file.h"

namespace duets::cli {
namespace {

void add_log(CLI::App& command, LogFlags& flags) {
  add_choice(command, "--log-level", flags.level, "Least severe messages to log", "LEVEL");
  add_choice(command, "--log-format", flags.format, "Lines of text, or of one JSON object each",
             "FORMAT");
  command.add_flag_callback(
      "-q,--quiet", [&flags] { flags.level = service::LogLevel::kError; },
      "Same as --log-level error");
}

void add_serve(CLI::App& app, Chosen& chosen, const Extensions& extensions) {
  auto flags = std::make_shared<ServeFlags>();
  CLI::App* serve = app.add_subcommand("serve", "Run a coordinator that agents connect to");
  serve->add_option("study", flags->studies, "Study files (default: continue the stored studies)")
      ->option_text("STUDY...");
  add_text(*serve, "--listen", flags->listen,
           fmt::format("Address (default {})", study::kUsualListen), "HOST:PORT");
  add_directory(*serve, "--storage", flags->storage,
                fmt::format("Storage directory (default {})", study::kUsualStorage));
  CLI::Option* insecure =
      serve->add_flag("--insecure", flags->insecure,
                      "Plaintext, without TLS: anyone who can connect has all rights");
  add_text(*serve, "--certs", flags->certs,
           fmt::format("Directory of certificates (default {})", study::kUsualCerts), "DIR")
      ->excludes(insecure);
  CLI::Option* secret = add_text(*serve, "--secret", flags->secret,
                                 "Secret file of a new study (default: a new secret)", "FILE");
  serve
      ->add_option("--seed", flags->seed,
                   "For tests: the coins of duets run --seed N; a seed can be guessed")
      ->check(CLI::Range(std::uint64_t{0}, study::kMaxSeed))
      ->excludes(secret)
      ->option_text("N");
  add_seconds(*serve, "--lease", flags->lease,
              fmt::format("Lease: seconds of silence before an agent can be replaced (default {})",
                          flags->lease));
  serve->add_flag("--keep", flags->keep, "Keep running when all studies are finished");
  add_seconds(*serve, "--give-up", flags->give_up,
              "Exit with code 7 after this time with too few agents");
  add_text(*serve, "-o,--output", flags->output,
           "Write the reports of finished studies here (several studies: one directory each)",
           "DIR");
  add_text(*serve, "--address-file", flags->address_file, "Write the actual address to this file",
           "FILE");
  serve->add_option("--threads", flags->threads, "Threads (default: all)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  add_format(*serve, flags->format);
  add_log(*serve, flags->log);
  serve->callback([flags, &chosen, &extensions] {
    chosen = [flags, &extensions] { serve_studies(*flags, extensions); };
  });
}

void add_agent(CLI::App& app, Chosen& chosen, const Extensions& extensions) {
  auto flags = std::make_shared<AgentFlags>();
  CLI::App* agent = app.add_subcommand("agent", "Run an agent with your own program");
  add_peer(*agent, flags->peer)->required();
  add_study_name(*agent, flags->study);
  CLI::Option* number = add_agent_number(
      *agent, flags->agent,
      "Agent number (default: from the certificate or the journal, or a free one)");
  add_text(*agent, "--agents", flags->agents, "Run several agents in this process", "A-B")
      ->excludes(number);
  add_journal(*agent, flags->journal);
  agent->add_flag("--take-over", flags->take_over,
                  "Replace another machine that is running this agent");
  add_seconds(*agent, "--give-up", flags->peer.give_up,
              "Exit with code 4 after this time without an answer from the coordinator");
  add_program_flags(*agent, flags->objective);
  add_program(*agent, flags->program,
              "After --: the program to use instead of the study's objective");
  add_format(*agent, flags->format);
  add_log(*agent, flags->log);
  agent->callback([flags, &chosen, &extensions] {
    chosen = [flags, &extensions] { run_agents(*flags, extensions); };
  });
}

CLI::App* add_offline(CLI::App& app, Chosen& chosen, const std::string& name,
                      const std::string& text, const std::shared_ptr<OfflineFlags>& flags,
                      void (*action)(const OfflineFlags&)) {
  CLI::App* command = app.add_subcommand(name, text);
  add_peer(*command, flags->peer)->required();
  add_study_name(*command, flags->study);
  add_agent_number(*command, flags->agent, "Agent number")->required();
  add_journal(*command, flags->journal);
  command->add_flag("--take-over", flags->take_over,
                    "Replace another machine that is running this agent");
  add_seconds(*command, "--wait", flags->wait,
              fmt::format("Seconds to wait for the next epoch when nothing is open (default {})",
                          flags->wait));
  // A person waits: give up soon.
  flags->peer.give_up = kGiveUpSeconds;
  const CLI::Option* give_up =
      add_seconds(*command, "--give-up", flags->peer.give_up,
                  fmt::format("Exit with code 4 after this time without an answer from the "
                              "coordinator (default {}, or {} when connections are refused)",
                              kGiveUpSeconds, kRefusedSeconds));
  add_quiet(*command, flags->verbosity);
  command->callback([flags, action, give_up, &chosen] {
    if (give_up->count() == 0) flags->peer.refused = kRefusedSeconds;
    chosen = [flags, action] { action(*flags); };
  });
  return command;
}

void add_offline_commands(CLI::App& app, Chosen& chosen) {
  const auto plan = std::make_shared<OfflineFlags>();
  plan->format = Format::kCsv;
  add_format(*add_offline(app, chosen, "plan", "Print an agent's open queries", plan, print_plan),
             plan->format, {"csv", "json"});
  const auto submit = std::make_shared<OfflineFlags>();
  CLI::App* command = add_offline(
      app, chosen, "submit", "Submit an agent's answers from a CSV file", submit, submit_answers);
  add_format(*command, submit->format, {"table", "json"});
  command->add_option("file", submit->file, "Columns epoch, slot, value")
      ->required()
      ->option_text("FILE.csv");
}

}  // namespace

void add_service_commands(CLI::App& app, Chosen& chosen, const Extensions& extensions) {
  add_serve(app, chosen, extensions);
  add_agent(app, chosen, extensions);
  add_offline_commands(app, chosen);
}

}  // namespace duets::cli

#include "duets/cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <cstring>

namespace duets::cli {
namespace {

std::atomic<bool> stop_asked{false};
std::atomic<bool> abandon_asked{false};
std::atomic<bool> second_abandons{false};
std::atomic<int> first_signal{SIGINT};
std::atomic<const char*> first_text{""};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free,
              "a signal handler sets them");
static_assert(std::atomic<const char*>::is_always_lock_free, "a signal handler reads it");

void write_error(const char* text) {
  // If this cannot be written, nobody can be told.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, text, std::strlen(text));
}

// Only calls that are safe inside a signal handler.
void ask_to_stop(int signal) {
  const bool first = !stop_asked.load();
  if (first) first_signal.store(signal);
  stop_asked.store(true);
  if (!first) abandon_asked.store(true);
  if (!first || !second_abandons.load()) {
    std::signal(SIGINT, SIG_DFL);
    std::signal(SIGTERM, SIG_DFL);
  }
  if (!first || *first_text.load() == '\0') return;
  write_error("\n");
  write_error(first_text.load());
  write_error("\n");
}

void listen(int signal) {
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  action.sa_flags = SA_RESTART;  // nothing else has to know about signals
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard(const char* text, Second second) {
  stop_asked.store(false);
  abandon_asked.store(false);
  second_abandons.store(second == Second::kAbandons);
  first_signal.store(SIGINT);
  first_text.store(text);
  listen(SIGINT);
  listen(SIGTERM);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& InterruptGuard::stop() const { return stop_asked; }
ExitCode InterruptGuard::code() const {
  return first_signal.load() == SIGTERM ? ExitCode::kTerminated : ExitCode::kInterrupted;
}
const char* InterruptGuard::name() const {
  return first_signal.load() == SIGTERM ? "SIGTERM" : "SIGINT";
}
const std::atomic<bool>& InterruptGuard::abandon() const { return abandon_asked; }

}  // namespace duets::cli

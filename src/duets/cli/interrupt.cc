#include "duets/cli/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace duets::cli {
namespace {

std::atomic<bool> stop_asked{false};
static_assert(std::atomic<bool>::is_always_lock_free, "it is set by a signal handler");

// Only what is safe inside a signal handler.
void ask_to_stop(int /*signal*/) {
  stop_asked.store(true);
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  constexpr std::string_view kText = "\nstopping after the runs under way; once more: at once\n";
  // There is nobody to tell when this cannot be written.
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kText.data(), kText.size());
}

void listen(int signal) {
  struct sigaction action {};
  action.sa_handler = ask_to_stop;
  action.sa_flags = SA_RESTART;  // nothing else has to know about signals
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  stop_asked.store(false);
  listen(SIGINT);
  listen(SIGTERM);
}

InterruptGuard::~InterruptGuard() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
}

const std::atomic<bool>& InterruptGuard::stop() const { return stop_asked; }

}  // namespace duets::cli

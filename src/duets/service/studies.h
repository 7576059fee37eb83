// The studies of a server by name, as both gRPC services use them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "duets/base/executor.h"
#include "duets/service/definition.h"
#include "duets/service/study_host.h"
#include "duets/storage/store.h"

namespace duets::service {

/// Thread-safe.
class Studies {
 public:
  /// Opens the store of the directory and restores every study. Throws kStorage.
  Studies(const std::filesystem::path& storage, HostOptions options,
          const base::Executor& executor);
  ~Studies();
  Studies(const Studies&) = delete;
  Studies& operator=(const Studies&) = delete;

  /// See Server::create.
  bool create(const Definition& definition, const std::string& secret_text);
  std::vector<std::string> names() const;
  /// An empty name means the only study. kInvalid for an unknown one, with the known names.
  std::shared_ptr<StudyHost> find(const std::string& name) const;
  /// Also removes its secret. kInvalid while it runs.
  void remove(const std::string& name);

  /// Stores with every study that is not over, and with those that are created from now on, that it
  /// is being served.
  void begin_service();
  /// Stores with them how and why that ended; see Server::end. Nothing if it never began, and a
  /// second time.
  void end_service(const std::string& how, const std::string& why);

  /// Ends all workers; waiting calls are answered with going_away().
  void shut_down();

  struct Export {
    Definition definition;
    std::vector<base::Bytes> records;
    bool more = false;
  };
  /// Records from `first` on, as many as fit in one answer.
  Export stored(const std::string& name, std::uint64_t first) const;

 private:
  void open(const std::string& name);
  void tick_until_stopped();

  const std::filesystem::path storage_;
  const HostOptions options_;
  const base::Executor& executor_;
  const std::unique_ptr<storage::Store> store_;

  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<StudyHost>> hosts_;
  bool serving_ = false;

  std::mutex tick_mutex_;
  std::condition_variable tick_wake_;
  bool stopping_ = false;
  std::thread ticker_;  // last: it uses the others
};

}  // namespace duets::service

#pragma once
/// Being asked to end.

#include <array>
#include <csignal>

namespace eddy::trainer {

/// While it lives, SIGINT and SIGTERM are noted instead of ending the process; a second one of a kind ends it as usual.
/// One at a time.
class SignalGuard {
 public:
  SignalGuard();
  ~SignalGuard();
  SignalGuard(const SignalGuard&) = delete;
  SignalGuard& operator=(const SignalGuard&) = delete;

  static bool received();

 private:
  std::array<struct sigaction, 2> old_;
};

}  // namespace eddy::trainer

#include "science/trainer/signals.h"

namespace eddy::trainer {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM};
volatile std::sig_atomic_t g_received = 0;

extern "C" void note_signal(int signal) {
  g_received = 1;
  // Whoever asks twice does not want to wait.
  std::signal(signal, SIG_DFL);
}

}  // namespace

SignalGuard::SignalGuard() {
  g_received = 0;
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &action, &old_[i]);
}

SignalGuard::~SignalGuard() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &old_[i], nullptr);
}

bool SignalGuard::received() { return g_received != 0; }

}  // namespace eddy::trainer

#pragma once
/// The one pool of worker threads in the process.

#include <cstdint>
#include <functional>
#include <memory>

namespace eddy {

/// A fixed number of threads that work off index ranges. The calling thread works too. Which thread runs which index is
/// not defined, so a body must give the same result for an index on any thread; results then do not
/// depend on n_threads().
class ThreadPool {
 public:
  /// `n_threads` >= 1 counts the caller.
  explicit ThreadPool(int n_threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  int n_threads() const;
  /// Calls body(index, thread) once for each index in [0, n); thread is in [0, n_threads()). Returns when all are done.
  /// Not reentrant: a body that calls parallel_for runs the inner loop itself. Bodies must not throw.
  void parallel_for(std::int64_t n, void (*body)(void* context, std::int64_t index, int thread), void* context);
  void parallel_for(std::int64_t n, const std::function<void(std::int64_t index, int thread)>& body);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Number of processors this process may run on.
int n_available_processors();

}  // namespace eddy

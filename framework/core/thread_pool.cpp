#include "framework/core/thread_pool.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <sched.h>
#include <thread>
#include <vector>

#include "framework/core/errors.h"

namespace eddy {

namespace {
thread_local bool inside_loop = false;

// Workers spin this often before they sleep: the loops of one training step follow each other within microseconds.
constexpr int kSpins = 20000;

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}
}  // namespace

struct ThreadPool::State {
  struct Job {
    void (*body)(void*, std::int64_t, int) = nullptr;
    void* context = nullptr;
    std::int64_t n = 0;
  };

  std::vector<std::thread> workers;
  Job job;
  std::atomic<std::int64_t> next{0};
  std::atomic<std::uint64_t> generation{0};
  std::atomic<int> active{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;  // guards sleeping only
  std::condition_variable wake;
  std::mutex submit;  // one loop at a time

  void work(int thread) {
    inside_loop = true;
    for (std::int64_t i = next.fetch_add(1, std::memory_order_relaxed); i < job.n;
         i = next.fetch_add(1, std::memory_order_relaxed)) {
      job.body(job.context, i, thread);
    }
    inside_loop = false;
  }

  void run_worker(int thread) {
    std::uint64_t seen = 0;
    while (true) {
      for (int spin = 0; spin < kSpins && generation.load(std::memory_order_acquire) == seen; ++spin) pause();
      if (generation.load(std::memory_order_acquire) == seen) {
        std::unique_lock lock(mutex);
        wake.wait(lock, [&] { return generation.load(std::memory_order_acquire) != seen; });
      }
      seen = generation.load(std::memory_order_acquire);
      if (stop.load(std::memory_order_acquire)) return;
      work(thread);
      active.fetch_sub(1, std::memory_order_release);
    }
  }

  void announce() {
    {
      const std::lock_guard lock(mutex);
      generation.fetch_add(1, std::memory_order_release);
    }
    wake.notify_all();
  }
};

ThreadPool::ThreadPool(int n_threads) : state_(std::make_unique<State>()) {
  EDDY_CHECK(n_threads >= 1);
  for (int i = 1; i < n_threads; ++i) state_->workers.emplace_back([this, i] { state_->run_worker(i); });
}

ThreadPool::~ThreadPool() {
  state_->stop.store(true, std::memory_order_release);
  state_->announce();
  for (std::thread& worker : state_->workers) worker.join();
}

int ThreadPool::n_threads() const { return static_cast<int>(state_->workers.size()) + 1; }

void ThreadPool::parallel_for(std::int64_t n, void (*body)(void*, std::int64_t, int), void* context) {
  if (n <= 0) return;
  if (inside_loop || state_->workers.empty() || n == 1) {
    for (std::int64_t i = 0; i < n; ++i) body(context, i, 0);
    return;
  }
  const std::lock_guard lock(state_->submit);
  state_->job = {body, context, n};
  state_->next.store(0, std::memory_order_relaxed);
  state_->active.store(static_cast<int>(state_->workers.size()), std::memory_order_relaxed);
  state_->announce();
  state_->work(0);
  while (state_->active.load(std::memory_order_acquire) != 0) pause();
}

void ThreadPool::parallel_for(std::int64_t n, const std::function<void(std::int64_t, int)>& body) {
  parallel_for(
      n,
      [](void* context, std::int64_t index, int thread) {
        (*static_cast<const std::function<void(std::int64_t, int)>*>(context))(index, thread);
      },
      const_cast<std::function<void(std::int64_t, int)>*>(&body));
}

int n_available_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) return CPU_COUNT(&set);
  return 1;
}

}  // namespace eddy

/// One process alone: every collective is a copy.

#include <cstring>

#include "framework/core/dim.h"
#include "framework/core/errors.h"
#include "framework/parallel/transport.h"

namespace eddy::parallel {

namespace {

class SelfCommunicator final : public Communicator {
 public:
  std::int64_t rank() const override { return 0; }
  std::int64_t n_ranks() const override { return 1; }
  void all_reduce(const void* in, void* out, std::int64_t n, DType dtype, Reduction reduction) override {
    check(dtype, reduction);
    copy(in, out, n, dtype);
  }
  void all_gather(const void* in, void* out, std::int64_t n, DType dtype) override { copy(in, out, n, dtype); }
  void reduce_scatter(const void* in, void* out, std::int64_t n, DType dtype, Reduction reduction) override {
    check(dtype, reduction);
    copy(in, out, n, dtype);
  }
  void all_to_all(const void* in, void* out, std::int64_t n, DType dtype) override { copy(in, out, n, dtype); }
  void broadcast(void* data, std::int64_t n, DType dtype, std::int64_t root) override {
    EDDY_CHECK(root == 0, "there is no rank {}", root);
    copy(data, data, n, dtype);
  }
  void barrier() override {}

 private:
  /// What a transport with more ranks could not do is refused here, too, so that one rank is a test for many.
  static void check(DType dtype, Reduction reduction) {
    EDDY_CHECK(reduction != Reduction::max || is_real(dtype) || dtype == DType::i64, "no maximum of {}", name(dtype));
    EDDY_CHECK(reduction != Reduction::mean || is_inexact(dtype), "no mean of {}", name(dtype));
    EDDY_CHECK(dtype != DType::boolean, "no reduction of {}", name(dtype));
  }
  static void copy(const void* in, void* out, std::int64_t n, DType dtype) {
    EDDY_CHECK(n >= 0 && (n == 0 || (in != nullptr && out != nullptr)));
    const std::int64_t n_bytes = checked_multiply(n, static_cast<std::int64_t>(size_of(dtype)));
    if (n > 0) std::memmove(out, in, static_cast<std::size_t>(n_bytes));
  }
};

class SelfTransport final : public Transport {
 public:
  std::string_view name() const override { return "self"; }
  std::int64_t rank() const override { return 0; }
  std::int64_t n_ranks() const override { return 1; }
  std::unique_ptr<Communicator> communicator(const ProcessMesh& mesh, std::size_t axis) override {
    EDDY_CHECK(axis < mesh.axes().size());
    if (mesh.ranks() != std::vector<std::int64_t>{0}) {
      throw UserError(fmt::format("{} needs {} processes, there is one", mesh.str(), mesh.n_ranks()),
                      "give every axis of the mesh size 1, or start more processes");
    }
    return std::make_unique<SelfCommunicator>();
  }
};

}  // namespace

std::unique_ptr<Transport> open_self_transport() { return std::make_unique<SelfTransport>(); }

}  // namespace eddy::parallel

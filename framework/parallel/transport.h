#pragma once
/// Collective communication: the contract that transports (self, threads, MPI, NCCL) fulfil.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "framework/core/dtype.h"
#include "framework/parallel/placement.h"
#include "framework/parallel/process_mesh.h"

namespace eddy::parallel {

/// The ranks along one axis of a mesh, from the view of one of them. Every rank of the group makes the same calls in
/// the same order with the same sizes; a call returns when this rank's `out` is complete. Buffers are dense, `in` and
/// `out` do not overlap unless they are the same. Everything is checked before the first byte moves; a failure ends all
/// ranks with a RuntimeError, never a hang. Reductions have a fixed order: the same bits from run to run. Boolean and
/// complex values have no maximum, boolean and integer ones no mean.
class Communicator {
 public:
  virtual ~Communicator() = default;
  /// This process's place in the group, in [0, n_ranks()).
  virtual std::int64_t rank() const = 0;
  virtual std::int64_t n_ranks() const = 0;

  /// out [n] = the reduction over ranks of in [n]: partial -> replicate.
  virtual void all_reduce(const void* in, void* out, std::int64_t n, DType dtype, Reduction reduction) = 0;
  /// out [n_ranks, n] = the in [n] of every rank, in order: shard -> replicate.
  virtual void all_gather(const void* in, void* out, std::int64_t n, DType dtype) = 0;
  /// out [n] = row rank() of the reduction of in [n_ranks, n]: partial -> shard.
  virtual void reduce_scatter(const void* in, void* out, std::int64_t n, DType dtype, Reduction reduction) = 0;
  /// out [n_ranks, n]: row i is row rank() of rank i's in [n_ranks, n]: shard -> shard of another dimension.
  virtual void all_to_all(const void* in, void* out, std::int64_t n, DType dtype) = 0;
  /// data [n] of `root` goes to all.
  virtual void broadcast(void* data, std::int64_t n, DType dtype, std::int64_t root) = 0;
  /// Returns when every rank has called it.
  virtual void barrier() = 0;
};

/// The processes of a run.
class Transport {
 public:
  virtual ~Transport() = default;
  virtual std::string_view name() const = 0;
  virtual std::int64_t rank() const = 0;
  virtual std::int64_t n_ranks() const = 0;
  /// The group along `axis` through this rank. Collective over the mesh. UserError when the mesh has ranks there are
  /// not.
  virtual std::unique_ptr<Communicator> communicator(const ProcessMesh& mesh, std::size_t axis) = 0;
};

/// The transport called `name`. UserError when it was not built, with the names there are.
std::unique_ptr<Transport> open_transport(std::string_view name);
std::vector<std::string> transport_names();

}  // namespace eddy::parallel

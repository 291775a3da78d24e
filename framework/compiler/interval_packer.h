#pragma once
/// Offsets for blocks of memory that are alive over intervals of time.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace eddy::compiler {

/// First-fit packing: blocks whose intervals meet do not overlap.
class IntervalPacker {
 public:
  /// The offset of a block of `size` units that is alive from `first` to `last`, both included.
  std::int64_t place(std::int64_t size, int first, int last) {
    std::vector<Block> alive;
    for (const Block& block : blocks_) {
      if (block.first <= last && first <= block.last) alive.push_back(block);
    }
    std::sort(alive.begin(), alive.end(), [](const Block& a, const Block& b) { return a.offset < b.offset; });
    std::int64_t offset = 0;
    for (const Block& block : alive) {
      if (block.offset - offset >= size) break;
      offset = std::max(offset, block.offset + block.size);
    }
    blocks_.push_back({offset, size, first, last});
    total_ = std::max(total_, offset + size);
    return offset;
  }
  /// Units that all blocks together take.
  std::int64_t total() const { return total_; }

 private:
  struct Block {
    std::int64_t offset, size;
    int first, last;
  };
  std::vector<Block> blocks_;
  std::int64_t total_ = 0;
};

}  // namespace eddy::compiler

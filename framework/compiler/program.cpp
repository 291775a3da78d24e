#include "framework/compiler/program.h"

#include <algorithm>
#include <functional>
#include <set>

#include "framework/compiler/access.h"
#include "framework/compiler/c_math.h"
#include "framework/compiler/gemm_tile.h"
#include "framework/compiler/interval_packer.h"
#include "framework/compiler/lower.h"
#include "framework/compiler/printers/c_printer.h"
#include "framework/ir/dialect.h"
#include "framework/loops/lowering.h"

namespace eddy::compiler {

using ir::Operation;
using ir::Value;

namespace {

/// Scratch that the rows of one tile may take: activations and weights' blocks then share the second-level cache.
constexpr std::int64_t kTileBytes = 512 * 1024;
constexpr std::int64_t kMinTileRows = 16, kMaxTileRows = 128;
/// Elements of an accumulator that one task adds up.
constexpr std::int64_t kCombineBlock = 4096;

constexpr const char* kPreamble = R"(
/* framework/devices/device_api.h: EddyThreads and the head of EddyKernelHost. */
typedef struct {
  void* context;
  int n_threads;
  void (*parallel_for)(void* context, long n, void (*body)(void* body_context, long index, int thread), void* body_context);
} eddy_threads;
typedef struct {
  unsigned abi_version;
  unsigned long struct_size;
  eddy_threads threads;
} eddy_host;
/* framework/compiler/program.h: ProgramCall. */
typedef struct {
  void** buffers;
  const long* dims;
  char* scratch;
  long scratch_stride;
  const eddy_threads* threads;
} eddy_call;

static inline __attribute__((unused)) long eddy_floor_div(long a, long b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }
static inline __attribute__((unused)) long eddy_floor_mod(long a, long b) { return a - eddy_floor_div(a, b) * b; }
static inline __attribute__((unused)) long eddy_min_i64(long a, long b) { return a < b ? a : b; }
static inline __attribute__((unused)) long eddy_max_i64(long a, long b) { return a > b ? a : b; }
/* Out of range saturates, NaN gives 0. */
static inline __attribute__((unused)) long eddy_to_i64_f64(double x) {
  return x != x ? 0 : x >= 9223372036854775808.0 ? 9223372036854775807L
         : x < -9223372036854775808.0 ? -9223372036854775807L - 1 : (long)x;
}
static inline __attribute__((unused)) long eddy_to_i64_f32(float x) { return eddy_to_i64_f64((double)x); }
)";

std::int64_t row_bytes(Value value) {
  std::int64_t bytes = static_cast<std::int64_t>(size_of(value.dtype()));
  for (std::size_t i = 1; i < value.rank(); ++i) bytes = checked_multiply(bytes, value.type().dim(i).constant());
  return bytes;
}

/// Text that is safe inside a C comment whatever names a file brought in: no line ends, no trigraphs, no end of it.
std::string comment_text(std::string text) {
  for (char& c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) >= 0x7f || c == '\\' || c == '?') c = '_';
  }
  for (const char* mark : {"*/", "/*"}) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) text[at + 1] = '_';
  }
  return text;
}

class ProgramPrinter {
 public:
  ProgramPrinter(const Schedule& schedule, const Target& target) : schedule_(schedule), target_(target) {}

  Program run() {
    number_values();
    collect_symbols();
    make_buffers();
    for (std::size_t s = 0; s < schedule_.sections.size(); ++s) print_section(static_cast<int>(s));
    print_combines();
    print_entry();
    assemble();
    return std::move(program_);
  }

 private:
  // ---- names, sizes and buffers

  void number_values() {
    const ir::Block& body = schedule_.function.body();
    const auto enter = [&](Value value) { numbers_.emplace(value, static_cast<int>(numbers_.size())); };
    for (const Value argument : body.arguments()) enter(argument);
    int number = 0;
    for (const Operation* op : body.operations()) {
      for (const Value result : op->results()) {
        enter(result);
        names_[result] = result.hint().empty() ? "%" + std::to_string(number) : "%" + result.hint();
      }
      ++number;
    }
    for (const Value argument : body.arguments()) names_[argument] = "%" + argument.hint();
  }

  void collect_symbols() {
    std::set<std::string> symbols;
    const auto enter = [&](Value value) {
      for (const Dim dim : value.shape()) {
        for (const std::string& symbol : dim.symbols()) symbols.insert(symbol);
      }
    };
    for (const Value argument : schedule_.function.body().arguments()) enter(argument);
    for (const Operation* op : schedule_.function.body().operations()) {
      for (const Value result : op->results()) enter(result);
    }
    program_.symbols.assign(symbols.begin(), symbols.end());
  }

  std::size_t add_buffer(BufferKind kind, Value value, Shape shape) {
    Buffer buffer;
    buffer.kind = kind;
    buffer.value = value;
    buffer.dtype = value.dtype();
    buffer.shape = std::move(shape);
    buffer.comment = names_.at(value);
    buffer.first_level = buffer.last_level = level_of(value);
    program_.buffers.push_back(std::move(buffer));
    return program_.buffers.size() - 1;
  }

  int level_of(Value value) const {
    const int section = schedule_.place(value).section;
    return section < 0 ? 0 : schedule_.sections[static_cast<std::size_t>(section)].level;
  }

  /// The value whose accumulator holds the sum of `value`.
  Value accumulator_of(Value value) const {
    const Place& place = schedule_.place(value);
    return place.accumulator ? place.accumulator : value;
  }

  static bool is_gradient(const Schedule& schedule, Value value) {
    const Place& place = schedule.place(value);
    if (place.section < 0 || place.step < 0) return false;
    const Step& step =
        schedule.sections[static_cast<std::size_t>(place.section)].steps[static_cast<std::size_t>(place.step)];
    return step.kind == StepKind::contract && step.form == ContractForm::gradient;
  }

  void make_buffers() {
    const ir::Function function = schedule_.function;
    std::map<Value, std::size_t> result_index;
    const std::vector<Value> results = function.results();
    for (std::size_t i = 0; i < results.size(); ++i) result_index[results[i]] = i;
    for (const Value argument : function.body().arguments()) {
      buffer_of_[argument] = add_buffer(BufferKind::argument, argument, argument.shape());
      program_.buffers.back().index = argument.index();
    }
    for (const Operation* op : function.body().operations()) {
      for (const Value value : op->results()) {
        const Place& place = schedule_.place(value);
        const auto result = result_index.find(value);
        if (place.home == Home::constant) {
          buffer_of_[value] = add_buffer(BufferKind::constant, value, value.shape());
        } else if (place.home == Home::whole || (place.home == Home::accumulator && !place.accumulator)) {
          // An accumulator's sum may be a result under the name of the addition that it absorbed.
          std::optional<std::size_t> index;
          if (result != result_index.end()) index = result->second;
          for (const auto& [other, number] : result_index) {
            const Place& elsewhere = schedule_.place(other);
            if (place.home == Home::accumulator && elsewhere.accumulator == value) index = number;
          }
          buffer_of_[value] = add_buffer(index ? BufferKind::result : BufferKind::whole, value, value.shape());
          if (index) program_.buffers.back().index = *index;
        }
        if (place.home == Home::accumulator && !place.accumulator) add_accumulator(value);
      }
    }
    for (const auto& [value, place] : schedule_.places) {
      if (place.home == Home::accumulator && place.accumulator) buffer_of_[value] = buffer_of_.at(place.accumulator);
    }
  }

  void add_accumulator(Value value) {
    Shape shape = value.shape();
    if (is_gradient(schedule_, value)) {
      shape = {static_cast<std::int64_t>(gradient_tile(value).packed_size)};
    }
    slots_of_[value] = add_buffer(BufferKind::accumulator, value, std::move(shape));
    // One range of slots for each section that adds to it.
    std::vector<int>& sections = contributors_[value];
    for (const auto& [other, place] : schedule_.places) {
      if (place.home != Home::accumulator || place.section < 0 || accumulator_of(other) != value) continue;
      if (std::find(sections.begin(), sections.end(), place.section) == sections.end())
        sections.push_back(place.section);
    }
    std::sort(sections.begin(), sections.end());
    program_.buffers.back().n_slots = kMaxChunks * static_cast<std::int64_t>(sections.size());
  }

  // ---- tile kernels

  const PrintedGemmTile& tile(DType dtype, std::int64_t k, std::int64_t n, GemmForm form) {
    const auto key = std::tuple(dtype, k, n, form);
    const auto found = tiles_.find(key);
    if (found != tiles_.end()) return found->second;
    GemmTile request{dtype, static_cast<int>(k), static_cast<int>(n), form, vector_target()};
    return tiles_.emplace(key, print_gemm_tile(request)).first->second;
  }
  VectorTarget vector_target() const { return {target_.vector_bytes, target_.vector_bytes == 64 ? 32 : 16}; }

  const PrintedGemmTile& gradient_tile(Value value) {
    return tile(value.dtype(), value.type().dim(0).constant(), value.type().dim(1).constant(),
                GemmForm::weight_gradient);
  }

  /// The buffer of weights packed for a step, and the statement that fills it, made once per level and form.
  std::size_t packed_weights(Value weights, bool transposed, int level, const PrintedGemmTile& kernel) {
    const auto key = std::pair(weights, transposed);
    const auto found = packed_.find(key);
    if (found != packed_.end()) {
      program_.buffers[found->second].last_level = std::max(program_.buffers[found->second].last_level, level);
      return found->second;
    }
    const std::size_t buffer = add_buffer(BufferKind::packed, weights, {static_cast<std::int64_t>(kernel.packed_size)});
    program_.buffers[buffer].first_level = program_.buffers[buffer].last_level = level;
    packed_[key] = buffer;
    packing_[level] += fmt::format("  {}_pack{}({}, {}, {});\n", kernel.name, transposed ? "_transposed" : "",
                                   buffer_pointer(weights, false), weights.type().dim(1).constant(),
                                   pointer(program_.buffers[buffer].dtype, buffer, false));
    touch(weights, level);
    return buffer;
  }

  // ---- pointers

  static std::string pointer(DType dtype, std::size_t buffer, bool is_const) {
    return fmt::format("(({}{}*)c->buffers[{}])", is_const ? "const " : "", c_type(dtype), buffer);
  }
  std::string buffer_pointer(Value value, bool is_const) const {
    return pointer(value.dtype(), buffer_of_.at(value), is_const);
  }

  /// Notes that `value`'s buffer is read at a level.
  void touch(Value value, int level) {
    const auto found = buffer_of_.find(value);
    if (found == buffer_of_.end()) return;
    Buffer& buffer = program_.buffers[found->second];
    buffer.last_level = std::max(buffer.last_level, level);
  }

  std::string comment_of(const Operation& op) const {
    std::string operands;
    for (const Value operand : op.operands()) operands += (operands.empty() ? "" : ", ") + names_.at(operand);
    return comment_text(
        fmt::format("{} = {}({}) : {}", names_.at(op.result()), op.name(), operands, op.result().type().str()));
  }

  // ---- sections

  struct TilePlan {
    std::map<Value, std::int64_t> offset_per_row;
    std::int64_t bytes_per_row = 0;
    std::int64_t rows = 0;
  };

  TilePlan plan_tile(int s) const {
    const Section& section = schedule_.sections[static_cast<std::size_t>(s)];
    std::map<Value, int> last_step;
    for (std::size_t t = 0; t < section.steps.size(); ++t) {
      for (const Operation* op : section.steps[t].ops) {
        for (const Access& read : accesses_of(*op, [&](Value v) { return schedule_.is_stored(v); })) {
          if (schedule_.place(read.value).home == Home::tile) last_step[read.value] = static_cast<int>(t);
        }
      }
    }
    TilePlan plan;
    IntervalPacker packer;
    for (std::size_t t = 0; t < section.steps.size(); ++t) {
      for (const Operation* op : section.steps[t].ops) {
        const Value value = op->result();
        if (schedule_.place(value).home != Home::tile) continue;
        const auto last = last_step.find(value);
        // Multiples of 4 bytes per row and of 16 rows keep every buffer aligned to 64 bytes.
        const std::int64_t bytes = (row_bytes(value) + 3) / 4 * 4;
        plan.offset_per_row[value] =
            packer.place(bytes, static_cast<int>(t), last == last_step.end() ? static_cast<int>(t) : last->second);
      }
    }
    plan.bytes_per_row = packer.total();
    plan.rows =
        std::clamp(kTileBytes / std::max<std::int64_t>(plan.bytes_per_row, 1) / 16 * 16, kMinTileRows, kMaxTileRows);
    return plan;
  }

  std::string symbol_lines(const std::string& body) const {
    std::string lines;
    for (std::size_t i = 0; i < program_.symbols.size(); ++i) {
      const std::string name = "d_" + program_.symbols[i];
      if (body.find(name) != std::string::npos) lines += fmt::format("  const long {} = c->dims[{}];\n", name, i);
    }
    return lines;
  }

  static constexpr const char* kStepParameters = "const eddy_call* c, char* scratch, long row0, long rows, long slot";

  void print_section(int s) {
    const Section& section = schedule_.sections[static_cast<std::size_t>(s)];
    const TilePlan plan = section.is_tiled ? plan_tile(s) : TilePlan{};
    program_.scratch_bytes = std::max(program_.scratch_bytes, checked_multiply(plan.bytes_per_row, plan.rows));
    program_.loops +=
        fmt::format("section {}: {}\n", s,
                    section.is_tiled ? fmt::format("tiles of {} rows of {}", plan.rows, section.rows.str())
                                     : std::string("whole tensors"));
    std::string calls;
    for (std::size_t t = 0; t < section.steps.size(); ++t) {
      const Step& step = section.steps[t];
      std::string body =
          step.kind == StepKind::contract ? print_contract(section, step, plan) : print_loops(s, section, step, plan);
      std::string comments;
      for (const Operation* op : step.ops) comments += "   " + comment_of(*op) + "\n";
      const std::string name = fmt::format("section{}_step{}", s, t);
      functions_ += fmt::format("/*{} */\nstatic void {}({}) {{\n", comments.substr(2), name, kStepParameters);
      functions_ +=
          "  (void)c; (void)scratch; (void)row0; (void)rows; (void)slot;\n" + symbol_lines(body) + body + "}\n\n";
      calls += fmt::format("    {}(c, scratch, row0, rows, slot);\n", name);
    }
    if (section.is_tiled) {
      print_chunk(s, section, plan, calls);
    } else {
      functions_ += fmt::format(
          "static void section{}(const eddy_call* c) {{\n  char* scratch = 0;\n"
          "  const long row0 = 0, rows = 0, slot = 0;\n{}}}\n\n",
          s, calls);
    }
  }

  /// The loop over the tiles of one chunk. Chunks split the tiles evenly; a chunk adds to accumulators of its own.
  void print_chunk(int s, const Section& section, const TilePlan& plan, const std::string& calls) {
    std::string clears;
    for (const auto& [value, sections] : contributors_) {
      const auto at = std::find(sections.begin(), sections.end(), s);
      if (at == sections.end()) continue;
      const std::int64_t first_slot = kMaxChunks * (at - sections.begin());
      const std::size_t buffer = slots_of_.at(value);
      const std::int64_t size = n_elements(program_.buffers[buffer].shape).constant();
      const auto* rule = value.defining_op()->info().get<loops::ReduceLowering>();
      CPrinter printer(no_buffers_);
      clears +=
          fmt::format("  for (long i = 0; i < {0}; ++i) {1}[({2} + chunk) * {0} + i] = {3};\n", size,
                      pointer(value.dtype(), buffer, false), first_slot, printer.print(rule->identity(value.dtype())));
    }
    const std::string rows = c_size(section.rows);
    functions_ += fmt::format(R"(static long section{0}_chunks(const eddy_call* c) {{
{1}  const long tiles = ({2} + {3} - 1) / {3};
  return tiles < {4} ? tiles : {4};
}}

static void section{0}_chunk(const eddy_call* c, long chunk, int thread) {{
{1}  const long n_rows = {2};
  const long tiles = (n_rows + {3} - 1) / {3};
  const long chunks = section{0}_chunks(c);
  char* scratch = c->scratch + thread * c->scratch_stride;
  const long slot = chunk;
{5}  for (long tile = chunk * tiles / chunks; tile < (chunk + 1) * tiles / chunks; ++tile) {{
    const long row0 = tile * {3};
    const long rows = n_rows - row0 < {3} ? n_rows - row0 : {3};
{6}  }}
}}

)",
                              s, symbol_lines("d_" + rows + rows), rows, plan.rows, kMaxChunks, clears, calls);
  }

  /// Declares the pointer by which a step reaches a value; `local` starts at the tile's first row.
  std::string declare(const std::string& name, Value value, bool local, bool written, const Section& section,
                      const TilePlan& plan) {
    const std::string type = c_type(value.dtype());
    const std::string qualifier = written ? "" : "const ";
    const Place& place = schedule_.place(value);
    if (place.home == Home::tile) {
      return fmt::format("  {0}{1}* {2} = ({0}{1}*)(scratch + {3});\n", qualifier, type, name,
                         plan.offset_per_row.at(value) * plan.rows);
    }
    touch(value, section.level);
    if (place.home == Home::accumulator && written && section.is_tiled) {
      return fmt::format("  {0}* {1} = {2};\n", type, name, slot_pointer(value, section));
    }
    std::string address = buffer_pointer(value, !written);
    if (local && section.is_tiled && value.rank() > 0 && value.type().dim(0) == section.rows) {
      address += fmt::format(" + row0 * {}", row_bytes(value) / static_cast<std::int64_t>(size_of(value.dtype())));
    }
    return fmt::format("  {}{}* {} = {};\n", qualifier, type, name, address);
  }

  std::string slot_pointer(Value value, const Section& section) const {
    const Value target = accumulator_of(value);
    const std::vector<int>& sections = contributors_.at(target);
    const int s = static_cast<int>(&section - schedule_.sections.data());
    const auto at = std::find(sections.begin(), sections.end(), s) - sections.begin();
    const std::size_t buffer = slots_of_.at(target);
    return fmt::format("{} + ({} + slot) * {}", pointer(value.dtype(), buffer, false), kMaxChunks * at,
                       n_elements(program_.buffers[buffer].shape).constant());
  }

  std::string print_loops(int s, const Section& section, const Step& step, const TilePlan& plan) {
    CBuffers buffers;
    std::map<std::string, std::pair<Value, bool>> by_name;
    const auto name_of = [&](Value value, bool local) {
      const std::string name = (local ? "v" : "g") + std::to_string(numbers_.at(value));
      buffers[name] = {value.dtype(), value.shape()};
      by_name[name] = {value, local};
      return name;
    };
    const StepNames names{[&](Value value) { return name_of(value, true); },
                          [&](Value value) { return name_of(value, !section.is_tiled); }};
    const loops::Stmt stmt = lower_step(schedule_, section, step, names);
    program_.loops += fmt::format("  step over {}\n", eddy::str(step.domain)) + loops::str(stmt, 2);
    CPrinter printer(buffers);
    const std::string body = printer.print(stmt, 1);
    math_uses_.insert(math_uses_.end(), printer.math_uses().begin(), printer.math_uses().end());
    std::string declarations;
    for (const auto& [name, written] : printer.used_buffers()) {
      const auto& [value, local] = by_name.at(name);
      declarations += declare(name, value, local, written, section, plan);
    }
    (void)s;
    return declarations + body;
  }

  std::string print_contract(const Section& section, const Step& step, const TilePlan& plan) {
    const Operation& dot = *step.ops.front();
    const Value lhs = dot.operand(0), rhs = dot.operand(1), result = step.ops.back()->result();
    const std::int64_t k = lhs.type().dim(1).constant();
    program_.loops += fmt::format("  contraction {}\n", comment_of(dot));
    std::string text = declare("a", lhs, true, false, section, plan);
    if (step.form == ContractForm::gradient) {
      const std::int64_t n = rhs.type().dim(1).constant();
      const PrintedGemmTile& kernel = tile(dot.result().dtype(), k, n, GemmForm::weight_gradient);
      text += declare("g", rhs, true, false, section, plan) + declare("sum", result, true, true, section, plan);
      return text + fmt::format("  {}(rows, a, {}, g, {}, sum);\n", kernel.name, k, n);
    }
    const bool transposed = step.form == ContractForm::rows_transposed;
    const std::int64_t n = rhs.type().dim(transposed ? 0 : 1).constant();
    const PrintedGemmTile& kernel = tile(dot.result().dtype(), k, n, GemmForm::forward);
    const std::size_t packed = packed_weights(rhs, transposed, section.level, kernel);
    text += declare("out", result, true, true, section, plan);
    std::string init = "0";
    if (step.ops.size() == 2) {
      const Operation& add = *step.ops[1];
      const Value stretched = add.operand(add.operand(0) == dot.result() ? 1 : 0);
      const Value bias = stretched.defining_op()->operand(0);
      text += declare("bias", bias, false, false, section, plan);
      init = "bias";
    }
    return text + fmt::format("  {}(rows, a, {}, {}, {}, 0, out, {});\n", kernel.name, k,
                              pointer(result.dtype(), packed, true), init, n);
  }

  // ---- sums over chunks

  /// Adds the partial sums of an accumulator by a pairwise tree over the slots in use, a block of elements per task.
  void print_combines() {
    for (const auto& [value, sections] : contributors_) {
      const std::size_t slots = slots_of_.at(value);
      const std::int64_t size = n_elements(program_.buffers[slots].shape).constant();
      const auto* rule = value.defining_op()->info().get<loops::ReduceLowering>();
      const std::string type = c_type(value.dtype());
      const CBuffers buffers = {{"x", {value.dtype(), {size}}}, {"y", {value.dtype(), {size}}}};
      CPrinter printer(buffers);
      const loops::Expr i = loops::variable("i");
      const std::string combined =
          printer.print(rule->combine(loops::load("x", value.dtype(), {i}), loops::load("y", value.dtype(), {i})));
      math_uses_.insert(math_uses_.end(), printer.math_uses().begin(), printer.math_uses().end());
      std::string collect;
      for (std::size_t j = 0; j < sections.size(); ++j) {
        collect += fmt::format("  for (long k = 0; k < section{}_chunks(c); ++k) slots[n++] = all + ({} + k) * {};\n",
                               sections[j], kMaxChunks * static_cast<std::int64_t>(j), size);
      }
      const int number = numbers_.at(value);
      std::string finish;
      if (is_gradient(schedule_, value)) {
        // Unpacked as a whole once all blocks are added: see the entry point.
      } else {
        finish = fmt::format("  for (long i = begin; i < end; ++i) {}[i] = n ? slots[0][i] : {};\n",
                             buffer_pointer(value, false), printer.print(rule->identity(value.dtype())));
      }
      combine_functions_ +=
          fmt::format(R"(/* sum over chunks of {0} */
static void combine{1}(const eddy_call* c, long begin, long end) {{
  {2}* all = {3};
  {2}* slots[{4}];
  long n = 0;
{5}  for (long stride = 1; stride < n; stride *= 2) {{
    for (long k = 0; k + stride < n; k += 2 * stride) {{
      {2}* x = slots[k];
      const {2}* y = slots[k + stride];
#pragma GCC ivdep
      for (long i = begin; i < end; ++i) x[i] = {6};
    }}
  }}
{7}}}

)",
                      comment_text(names_.at(value)), number, type, pointer(value.dtype(), slots, false),
                      program_.buffers[slots].n_slots, collect, combined, finish);
    }
  }

  std::string unpack_line(Value value) {
    const PrintedGemmTile& kernel = gradient_tile(value);
    const std::size_t slots = slots_of_.at(value);
    const std::vector<int>& sections = contributors_.at(value);
    // Where no chunk ran, the slots hold nothing: clear the first.
    std::string chunks;
    for (const int s : sections) chunks += (chunks.empty() ? "" : " + ") + fmt::format("section{}_chunks(c)", s);
    std::string first = "0";
    for (std::size_t j = sections.size(); j-- > 0;) {
      first =
          fmt::format("section{}_chunks(c) ? {} : {}", sections[j], kMaxChunks * static_cast<std::int64_t>(j), first);
    }
    const std::int64_t size = n_elements(program_.buffers[slots].shape).constant();
    const std::string type = c_type(value.dtype());
    return fmt::format(
        "  {{\n    {0}* sum = {1} + ({2}) * {3};\n    if ({4} == 0) for (long i = 0; i < {3}; ++i) sum[i] = 0;\n"
        "    {5}_unpack(sum, {6}, {7});\n  }}\n",
        type, pointer(value.dtype(), slots, false), first, size, chunks, kernel.name, buffer_pointer(value, false),
        value.type().dim(1).constant());
  }

  // ---- the entry point

  void print_entry() {
    std::set<int> levels;
    for (const Section& section : schedule_.sections) levels.insert(section.level);
    std::string entry;
    for (const int level : levels) {
      entry += fmt::format("  /* level {} */\n", level);
      std::vector<int> tiled;
      for (std::size_t s = 0; s < schedule_.sections.size(); ++s) {
        const Section& section = schedule_.sections[s];
        if (section.level != level) continue;
        if (section.is_tiled)
          tiled.push_back(static_cast<int>(s));
        else
          entry += fmt::format("  section{}(c);\n", s);
      }
      entry += packing_[level];
      if (tiled.empty()) continue;
      print_level_task(level, tiled);
      std::string total;
      for (const int s : tiled) total += (total.empty() ? "" : " + ") + fmt::format("section{}_chunks(c)", s);
      entry +=
          fmt::format("  c->threads->parallel_for(c->threads->context, {}, level{}_task, (void*)c);\n", total, level);
      print_level_combine(level, entry);
    }
    entry_ = "void " + std::string(kEntryPoint) + "(const eddy_host* host, void* const* args) {\n" +
             "  eddy_call call = *(const eddy_call*)args[0];\n  call.threads = &host->threads;\n" +
             "  const eddy_call* c = &call;\n  (void)c;\n" + entry + "}\n";
  }

  void print_level_task(int level, const std::vector<int>& tiled) {
    std::string body;
    for (const int s : tiled) {
      body += fmt::format(
          "  if (index < section{0}_chunks(c)) {{\n    section{0}_chunk(c, index, thread);\n    return;\n  }}\n"
          "  index -= section{0}_chunks(c);\n",
          s);
    }
    tasks_ += fmt::format(
        "static void level{}_task(void* context, long index, int thread) {{\n"
        "  const eddy_call* c = (const eddy_call*)context;\n{}}}\n\n",
        level, body);
  }

  void print_level_combine(int level, std::string& entry) {
    std::string body, unpack;
    std::int64_t n_tasks = 0;
    for (const Value value : schedule_.accumulators(level)) {
      const std::int64_t size = n_elements(program_.buffers[slots_of_.at(value)].shape).constant();
      const std::int64_t blocks = (size + kCombineBlock - 1) / kCombineBlock;
      body += fmt::format(
          "  if (index < {0}) {{\n    const long end = (index + 1) * {1};\n"
          "    combine{2}(c, index * {1}, end < {3} ? end : {3});\n    return;\n  }}\n  index -= {0};\n",
          blocks, kCombineBlock, numbers_.at(value), size);
      n_tasks += blocks;
      if (is_gradient(schedule_, value)) unpack += unpack_line(value);
    }
    if (n_tasks == 0) return;
    tasks_ += fmt::format(
        "static void level{}_combine(void* context, long index, int thread) {{\n"
        "  const eddy_call* c = (const eddy_call*)context;\n  (void)thread;\n{}}}\n\n",
        level, body);
    entry += fmt::format("  c->threads->parallel_for(c->threads->context, {}, level{}_combine, (void*)c);\n{}", n_tasks,
                         level, unpack);
  }

  void assemble() {
    std::string& source = program_.source;
    source = fmt::format("/* @{} */\n", comment_text(schedule_.function.name()));
    source += kPreamble;
    source += c_math_builtins();
    source += c_math_prelude(math_uses_);
    std::set<DType> dtypes;
    for (const auto& [key, kernel] : tiles_) dtypes.insert(std::get<0>(key));
    for (const DType dtype : dtypes) source += gemm_tile_builtins(dtype, vector_target());
    for (const auto& [key, kernel] : tiles_) source += kernel.source;
    source += "\n" + functions_ + combine_functions_ + tasks_ + entry_;
  }

  const Schedule& schedule_;
  Target target_;
  Program program_;
  std::map<Value, int> numbers_;
  std::map<Value, std::string> names_;
  std::map<Value, std::size_t> buffer_of_;
  std::map<Value, std::size_t> slots_of_;
  // In order of the values' numbers, so that equal programs print equal text.
  struct ByNumber {
    const std::map<Value, int>* numbers;
    bool operator()(Value a, Value b) const { return numbers->at(a) < numbers->at(b); }
  };
  std::map<Value, std::vector<int>, ByNumber> contributors_{ByNumber{&numbers_}};
  std::map<std::tuple<DType, std::int64_t, std::int64_t, GemmForm>, PrintedGemmTile> tiles_;
  std::map<std::pair<Value, bool>, std::size_t> packed_;
  std::map<int, std::string> packing_;
  std::vector<MathUse> math_uses_;
  CBuffers no_buffers_;
  std::string functions_, combine_functions_, tasks_, entry_;
};

}  // namespace

std::int64_t Buffer::n_bytes(const DimBindings& dims) const {
  const std::int64_t elements = checked_multiply(n_elements(evaluate(shape, dims)), n_slots);
  return checked_multiply(elements, static_cast<std::int64_t>(size_of(dtype)));
}

std::string Program::memory_plan(const DimBindings& dims) const {
  static constexpr const char* kKinds[] = {"argument", "result", "constant", "whole", "accumulator", "packed"};
  std::vector<std::int64_t> sums(std::size(kKinds));
  std::string lines;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& buffer = buffers[i];
    const auto kind = static_cast<std::size_t>(buffer.kind);
    const std::int64_t bytes = buffer.n_bytes(dims);
    sums[kind] = checked_add(sums[kind], bytes);
    lines += fmt::format("buffer {:3}: {:11} {:>11} bytes  {} {}{}  levels {}..{}  {}\n", i, kKinds[kind], bytes,
                         name(buffer.dtype), eddy::str(buffer.shape),
                         buffer.n_slots > 1 ? fmt::format(" x {}", buffer.n_slots) : "", buffer.first_level,
                         buffer.last_level, buffer.comment);
  }
  std::string text;
  for (const auto& [symbol, size] : dims) text += fmt::format("{} = {}\n", symbol, size);
  for (std::size_t kind = 0; kind < sums.size(); ++kind) {
    text += fmt::format("{:11} {:>11} bytes\n", kKinds[kind], sums[kind]);
  }
  return text + fmt::format("{:11} {:>11} bytes per thread\n\n", "scratch", scratch_bytes) + lines;
}

Program print_program(const Schedule& schedule, const Target& target) { return ProgramPrinter(schedule, target).run(); }

}  // namespace eddy::compiler

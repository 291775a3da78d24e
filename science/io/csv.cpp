#include "science/io/csv.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fcntl.h>
#include <fmt/ranges.h>
#include <limits>
#include <optional>

#include "framework/core/log.h"
#include "science/io/atomic_file.h"

namespace eddy::io {

namespace fs = std::filesystem;

namespace {

template <typename T>
std::string format_real(T value) {
  if (std::isnan(value)) return "nan";  // to_chars would tell the sign of a NaN, which depends on the processor
  char text[64];
  const bool whole = std::abs(value) < T(1e15) && value == std::trunc(value);
  const std::to_chars_result end = whole ? std::to_chars(text, text + sizeof text, value, std::chars_format::fixed)
                                         : std::to_chars(text, text + sizeof text, value);
  return std::string(text, end.ptr);
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::optional<double> parse_number(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc::invalid_argument || end != text.data() + text.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) {
    // from_chars leaves the value alone there: too small is zero, too large infinite, as strtod rounds them.
    value = std::strtod(std::string(text).c_str(), nullptr);
  }
  return value;
}

char separator_of(std::string_view row) {
  if (row.find(',') != std::string_view::npos) return ',';
  return row.find(';') != std::string_view::npos ? ';' : ' ';
}

/// Calls `visit(cell)` for each cell of a row, trimmed and without the quotes around it.
template <typename Visit>
void split(std::string_view row, char separator, Visit&& visit) {
  std::size_t at = 0;
  while (at <= row.size()) {
    if (separator == ' ') {
      while (at < row.size() && is_space(row[at])) ++at;
      if (at == row.size()) return;
    }
    std::size_t end = at;
    bool quoted = false;
    for (; end < row.size(); ++end) {
      if (row[end] == '"') quoted = !quoted;
      if (!quoted && (separator == ' ' ? is_space(row[end]) : row[end] == separator)) break;
    }
    std::string_view cell = trimmed(row.substr(at, end - at));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') cell = cell.substr(1, cell.size() - 2);
    visit(cell);
    at = end + 1;
  }
}

}  // namespace

std::string format_number(double value) { return format_real(value); }
std::string format_number(float value) { return format_real(value); }

CsvFile CsvFile::read(const fs::path& path) { return parse(read_file(path), path.string()); }

CsvFile CsvFile::parse(std::string text, const std::string& file) {
  CsvFile result;
  result.file_ = std::make_shared<const std::string>(file);
  if (text.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw UserError(SourceLocation{result.file_}, "a text table of more than 4 GiB", "store it as HDF5");
  }
  result.text_ = std::move(text);
  std::string_view rest = result.text_;
  if (rest.substr(0, 3) == "\xef\xbb\xbf") rest.remove_prefix(3);  // a byte order mark
  const char* const base = result.text_.data();

  char separator = ' ';
  bool first = true;
  std::vector<Cell> row;
  for (std::int32_t line = 1; !rest.empty(); ++line) {
    const std::size_t line_end = std::min(rest.find('\n'), rest.size());
    const char* const line_begin = rest.data();
    std::string_view text_of_row = rest.substr(0, line_end);
    rest.remove_prefix(std::min(line_end + 1, rest.size()));
    text_of_row = text_of_row.substr(0, text_of_row.find_first_of("#%"));
    if (trimmed(text_of_row).empty()) continue;

    if (first) separator = separator_of(text_of_row);
    row.clear();
    split(text_of_row, separator, [&](std::string_view cell) {
      const auto begin = static_cast<std::uint32_t>(cell.data() - base);
      row.push_back({begin, begin + static_cast<std::uint32_t>(cell.size()), line,
                     static_cast<std::int32_t>(cell.data() - line_begin) + 1});
    });
    if (first) {
      first = false;
      result.n_columns_ = static_cast<std::int64_t>(row.size());
      const bool header =
          std::any_of(row.begin(), row.end(), [&](const Cell& c) { return !parse_number(result.view(c)); });
      if (header) {
        for (const Cell& cell : row) result.names_.emplace_back(result.view(cell));
        continue;
      }
    }
    if (static_cast<std::int64_t>(row.size()) != result.n_columns_) {
      result.fail(row.back(), fmt::format("this row has {} cells, the first one {}", row.size(), result.n_columns_));
    }
    result.cells_.insert(result.cells_.end(), row.begin(), row.end());
  }
  if (result.n_columns_ == 0) throw UserError(SourceLocation{result.file_}, "the table is empty");
  return result;
}

void CsvFile::fail(const Cell& cell, const std::string& message, const std::string& hint) const {
  throw UserError(SourceLocation{file_, cell.line, cell.column}, message, hint);
}

std::int64_t CsvFile::find(const std::string& name_or_index) const {
  const auto named = std::find(names_.begin(), names_.end(), name_or_index);
  if (named != names_.end()) return named - names_.begin();
  std::int64_t index = 0;
  const char* const end = name_or_index.data() + name_or_index.size();
  const auto parsed = std::from_chars(name_or_index.data(), end, index);
  if (parsed.ec == std::errc() && parsed.ptr == end) {
    if (index >= 0 && index < n_columns_) return index;
    throw UserError(SourceLocation{file_}, fmt::format("there is no column {}", index),
                    fmt::format("columns are numbered from 0 to {}", n_columns_ - 1));
  }
  const std::string near = nearest_name(name_or_index, names_);
  std::string hint = !near.empty() ? fmt::format("did you mean '{}'?", near)
                     : names_.empty()
                         ? fmt::format("the table has no header: give a number from 0 to {}", n_columns_ - 1)
                         : fmt::format("its columns are: {}", fmt::join(names_, ", "));
  throw UserError(SourceLocation{file_}, fmt::format("there is no column '{}'", name_or_index), std::move(hint));
}

Array CsvFile::column(std::int64_t index) const {
  EDDY_CHECK(index >= 0 && index < n_columns_, "column {} of {}", index, n_columns_);
  Array result(DType::f64, {n_rows()});
  for (std::int64_t i = 0; i < n_rows(); ++i) {
    const Cell& cell = cells_[static_cast<std::size_t>(i * n_columns_ + index)];
    const std::optional<double> value = parse_number(view(cell));
    if (!value) {
      if (view(cell).empty()) fail(cell, "this cell is empty", "write nan where a value is missing");
      fail(cell, fmt::format("'{}' is no number", view(cell)), "write numbers like 1.5, -2e-3, nan or inf");
    }
    result.data<double>()[static_cast<std::size_t>(i)] = *value;
  }
  return result;
}

std::vector<std::string> CsvFile::text(std::int64_t index) const {
  EDDY_CHECK(index >= 0 && index < n_columns_, "column {} of {}", index, n_columns_);
  std::vector<std::string> result;
  for (std::size_t i = static_cast<std::size_t>(index); i < cells_.size(); i += static_cast<std::size_t>(n_columns_)) {
    result.emplace_back(view(cells_[i]));
  }
  return result;
}

std::string format_csv(const std::vector<std::string>& names, const std::vector<Array>& columns) {
  EDDY_CHECK(names.size() == columns.size() && !names.empty());
  std::string text = fmt::format("{}\n", fmt::join(names, ","));
  const std::int64_t n_rows = columns[0].n_elements();
  for (const Array& column : columns) EDDY_CHECK(column.n_elements() == n_rows && !is_complex(column.dtype()));
  for (std::int64_t i = 0; i < n_rows; ++i) {
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const Array& column = columns[j];
      const auto at = static_cast<std::size_t>(i);
      if (j != 0) text += ',';
      switch (column.dtype()) {
        case DType::f64: text += format_number(column.data<double>()[at]); break;
        case DType::f32: text += format_number(column.data<float>()[at]); break;
        case DType::i64: text += std::to_string(column.data<std::int64_t>()[at]); break;
        default: text += column.at(i) != 0 ? '1' : '0';
      }
    }
    text += '\n';
  }
  return text;
}

CsvWriter::CsvWriter(fs::path path, FileHandle handle, std::size_t n_columns)
    : path_(std::move(path)), handle_(std::move(handle)), n_columns_(n_columns) {}

CsvWriter CsvWriter::create(const fs::path& path, const std::vector<std::string>& names) {
  write_file(path, fmt::format("{}\n", fmt::join(names, ",")));
  FileHandle handle(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!handle) fail_system("cannot write", path, errno);
  return CsvWriter(path, std::move(handle), names.size());
}

CsvWriter CsvWriter::resume(const fs::path& path, const std::vector<std::string>& names, double first_step) {
  if (!fs::exists(path)) return create(path, names);
  const std::string text = read_file(path);
  const std::string header = fmt::format("{}\n", fmt::join(names, ","));
  if (text.compare(0, header.size(), header) != 0) {
    throw UserError(SourceLocation{std::make_shared<const std::string>(path.string()), 1, 1},
                    "the columns differ from those of the run that goes on",
                    "expected: " + header.substr(0, header.size() - 1));
  }
  std::size_t keep = header.size();
  while (true) {
    const std::size_t end = text.find('\n', keep);
    if (end == std::string::npos) break;  // a half row
    const std::string_view row = std::string_view(text).substr(keep, end - keep);
    const std::optional<double> step = parse_number(row.substr(0, row.find(',')));
    if (!step || *step >= first_step) break;
    keep = end + 1;
  }
  if (keep != text.size()) write_file(path, std::string_view(text).substr(0, keep));
  FileHandle handle(::open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC));
  if (!handle) fail_system("cannot write", path, errno);
  return CsvWriter(path, std::move(handle), names.size());
}

void CsvWriter::append(const std::vector<CsvCell>& row) {
  EDDY_CHECK(row.size() == n_columns_, "{} cells for {} columns", row.size(), n_columns_);
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i != 0) pending_ += ',';
    if (const auto* integer = std::get_if<std::int64_t>(&row[i])) pending_ += std::to_string(*integer);
    if (const auto* wide = std::get_if<double>(&row[i])) pending_ += format_number(*wide);
    if (const auto* narrow = std::get_if<float>(&row[i])) pending_ += format_number(*narrow);
    if (const auto* text = std::get_if<std::string>(&row[i])) {
      EDDY_CHECK(text->find_first_of(",\"\r\n#%") == std::string::npos, "text '{}' in a table", *text);
      pending_ += *text;
    }
  }
  pending_ += '\n';
}

void CsvWriter::flush() {
  const std::string rows = std::move(pending_);
  pending_.clear();
  write_all(handle_, rows, path_);
}

CsvWriter::~CsvWriter() {
  if (pending_.empty()) return;
  try {
    flush();
  } catch (const std::exception& error) {
    log::error(error.what());
  }
}

}  // namespace eddy::io

#pragma once
/// Tables of text: reference data of any origin in, history and results out.

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "framework/core/array.h"
#include "framework/core/errors.h"
#include "science/io/file_handle.h"

namespace eddy::io {

/// The shortest text that reads back as exactly this value; whole numbers below 1e15 are written without an exponent.
/// "nan", "inf", "-inf" for what is no number.
std::string format_number(double value);
std::string format_number(float value);

/// A table read from text. Cells are separated by commas, semicolons or white space, whichever the first row holds (in
/// this order). Blank lines and what follows `#` or `%` are skipped. The first row is the header when one of its cells
/// is no number. Every row has as many cells as the first. Cells are read as numbers only when asked for, so that a
/// column of text does no harm. Errors are UserErrors with file:line:column.
class CsvFile {
 public:
  static CsvFile read(const std::filesystem::path& path);
  /// `file` is the name that messages give.
  static CsvFile parse(std::string text, const std::string& file);

  /// Empty when there is no header.
  const std::vector<std::string>& names() const { return names_; }
  std::int64_t n_columns() const { return n_columns_; }
  std::int64_t n_rows() const { return static_cast<std::int64_t>(cells_.size()) / n_columns_; }

  /// The index of a column that the user named by its header or, counted from 0, by its number.
  std::int64_t find(const std::string& name_or_index) const;
  /// The numbers of a column, f64 [n_rows].
  Array column(std::int64_t index) const;
  Array column(const std::string& name_or_index) const { return column(find(name_or_index)); }
  std::vector<std::string> text(std::int64_t index) const;

 private:
  struct Cell {
    std::uint32_t begin, end;  // in text_
    std::int32_t line, column;
  };
  std::string_view view(const Cell& cell) const {
    return std::string_view(text_).substr(cell.begin, cell.end - cell.begin);
  }
  [[noreturn]] void fail(const Cell& cell, const std::string& message, const std::string& hint = {}) const;

  std::shared_ptr<const std::string> file_;
  std::string text_;
  std::vector<std::string> names_;
  std::vector<Cell> cells_;  // row by row, without the header
  std::int64_t n_columns_ = 0;
};

using CsvCell = std::variant<std::int64_t, double, float, std::string>;

/// A comma-separated table as text, with a header; `columns` are real or integer arrays of one length.
std::string format_csv(const std::vector<std::string>& names, const std::vector<Array>& columns);

/// A table that grows row by row, like history.csv. Rows reach the file when flush() is called; a killed process leaves
/// whole rows and at most one half row, which resume() drops. RuntimeError with path and system error when a write
/// fails.
class CsvWriter {
 public:
  /// Starts the file anew with this header.
  static CsvWriter create(const std::filesystem::path& path, const std::vector<std::string>& names);
  /// Goes on with a file whose header is `names`: the rows from the first one on whose first column is at or above
  /// `first_step` are dropped. Starts the file anew where there is none. UserError when the header differs.
  static CsvWriter resume(const std::filesystem::path& path, const std::vector<std::string>& names, double first_step);

  /// As many cells as there are names. Text must not hold commas, quotes or line ends.
  void append(const std::vector<CsvCell>& row);
  /// Hands all rows to the system.
  void flush();
  /// Flushes; failures to do so are lost here, so that a caller who cares flushes first.
  ~CsvWriter();
  CsvWriter(CsvWriter&&) = default;
  CsvWriter& operator=(CsvWriter&&) = delete;

 private:
  CsvWriter(std::filesystem::path path, FileHandle handle, std::size_t n_columns);

  std::filesystem::path path_;
  FileHandle handle_;
  std::size_t n_columns_;
  std::string pending_;
};

}  // namespace eddy::io

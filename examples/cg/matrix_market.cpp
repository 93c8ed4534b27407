// SPDX-License-Identifier: BSD-3-Clause
// Matrix Market reader: header, sizes, entries; every complaint names the line and what was
// expected there.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <memory>
#include <sstream>

#include "csr_matrix.hpp"

namespace cg {
namespace {

struct Entry {
  int row, column;
  double value;
};

struct Header {
  bool pattern = false, symmetric = false;
};

/// Lines of a plain or gzipped file (zlib reads both), counted from 1.
class LineReader {
 public:
  explicit LineReader(const std::string& path)
      : path_(path), file_(gzopen(path.c_str(), "rb"), &gzclose) {
    if (!file_) throw InputError("cannot open '" + path + "': " + std::strerror(errno));
  }

  /// False at the end of the file.
  bool next(std::string& line) {
    line.clear();
    std::array<char, 256> piece{};
    while (gzgets(file_.get(), piece.data(), piece.size()) != nullptr) {
      line += piece.data();
      if (line.back() == '\n') break;
    }
    require_readable();
    if (line.empty()) return false;
    ++number_;
    while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' '))
      line.pop_back();
    return true;
  }

  /// The next line that carries data: neither a comment nor blank.
  bool next_data(std::string& line) {
    while (next(line)) {
      const auto first = line.find_first_not_of(" \t");
      if (first != std::string::npos && line[first] != '%') return true;
    }
    return false;
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw InputError(path_ + ":" + std::to_string(std::max(1L, number_)) + ": " + message);
  }

 private:
  void require_readable() const {
    int code = Z_OK;
    const char* message = gzerror(file_.get(), &code);
    if (code == Z_ERRNO) throw InputError("cannot read '" + path_ + "': " + std::strerror(errno));
    if (code != Z_OK && code != Z_STREAM_END) fail(std::string("damaged gzip data: ") + message);
  }

  std::string path_;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file_;
  long number_ = 0;
};

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Header read_header(LineReader& reader) {
  std::string line;
  const std::string expected =
      "expected '%%MatrixMarket matrix coordinate <real|integer|pattern> <general|symmetric>'";
  if (!reader.next(line)) reader.fail("the file is empty; " + expected);
  std::istringstream words(lower(line));
  std::string banner, object, format, field, symmetry, extra;
  words >> banner >> object >> format >> field >> symmetry;
  if (banner != "%%matrixmarket" || object != "matrix" || words >> extra)
    reader.fail(expected + ", found '" + line + "'");
  if (format != "coordinate")
    reader.fail("format '" + format + "' cannot be read here; expected 'coordinate'");
  if (field != "real" && field != "integer" && field != "pattern") {
    reader.fail("field '" + field +
                "' cannot be read here; expected 'real', 'integer' or 'pattern'");
  }
  if (symmetry != "general" && symmetry != "symmetric") {
    reader.fail("symmetry '" + symmetry +
                "' cannot be read here; expected 'general' or 'symmetric'");
  }
  return {field == "pattern", symmetry == "symmetric"};
}

/// Takes one number off the front of `text`; false if there is none.
template <class Number>
bool take(std::string_view& text, Number& number) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  if (text.size() > 1 && text.front() == '+' && text[1] != '-')
    text.remove_prefix(1);  // from_chars takes no plus sign
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return error == std::errc{} && (text.empty() || text.front() == ' ' || text.front() == '\t');
}

bool only_blanks(std::string_view text) {
  return text.find_first_not_of(" \t") == std::string_view::npos;
}

struct Sizes {
  int rows;
  long entries;
};

Sizes read_sizes(LineReader& reader) {
  std::string line;
  if (!reader.next_data(line))
    reader.fail("the file ends here; expected the line 'rows columns entries'");
  std::string_view rest = line;
  long rows = 0, columns = 0, entries = 0;
  if (!take(rest, rows) || !take(rest, columns) || !take(rest, entries) || !only_blanks(rest)) {
    reader.fail("expected 'rows columns entries', three integers, found '" + line + "'");
  }
  if (rows != columns)
    reader.fail("the matrix is " + std::to_string(rows) + " x " + std::to_string(columns) +
                "; expected a square one");
  if (rows < 1 || rows >= 1L << 31)
    reader.fail("expected 1 to 2147483647 rows, found " + std::to_string(rows));
  if (entries < 0 || entries >= 1L << 30)
    reader.fail("expected 0 to 1073741823 entries, found " + std::to_string(entries));
  return {static_cast<int>(rows), entries};
}

int take_index(LineReader& reader, std::string_view& rest, const char* name, int rows,
               const std::string& line) {
  long index = 0;
  if (!take(rest, index))
    reader.fail(std::string("expected an integer as ") + name + ", found '" + line + "'");
  if (index < 1 || index > rows) {
    reader.fail(std::string(name) + " " + std::to_string(index) + " is outside 1.." +
                std::to_string(rows));
  }
  return static_cast<int>(index - 1);
}

Entry parse_entry(LineReader& reader, const std::string& line, const Header& header, int rows) {
  std::string_view rest = line;
  Entry entry{0, 0, 1.0};
  entry.row = take_index(reader, rest, "row", rows, line);
  entry.column = take_index(reader, rest, "column", rows, line);
  if (!header.pattern && (!take(rest, entry.value) || !std::isfinite(entry.value))) {
    reader.fail("expected 'row column value' with a finite value, found '" + line + "'");
  }
  if (!only_blanks(rest))
    reader.fail("expected nothing after '" + line.substr(0, line.size() - rest.size()) +
                "', found '" + line + "'");
  if (header.symmetric && entry.column > entry.row) {
    reader.fail("a symmetric file holds the lower triangle; expected column <= row, found '" +
                line + "'");
  }
  return entry;
}

std::vector<Entry> read_entries(LineReader& reader, const Header& header, const Sizes& sizes) {
  std::vector<Entry> entries;
  std::string line;
  for (long i = 0; i < sizes.entries; ++i) {
    if (!reader.next_data(line)) {
      reader.fail("the file ends after " + std::to_string(i) + " entries; expected " +
                  std::to_string(sizes.entries));
    }
    const Entry entry = parse_entry(reader, line, header, sizes.rows);
    entries.push_back(entry);
    if (header.symmetric && entry.row != entry.column)
      entries.push_back({entry.column, entry.row, entry.value});
  }
  if (reader.next_data(line)) {
    reader.fail("expected the end of the file after " + std::to_string(sizes.entries) +
                " entries, found '" + line + "'");
  }
  return entries;
}

CsrMatrix compress(std::vector<Entry>& entries, int rows) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  CsrMatrix matrix;
  matrix.row_start.assign(static_cast<std::size_t>(rows) + 1, 0);
  const Entry* previous = nullptr;
  for (const Entry& entry : entries) {
    if (previous != nullptr && previous->row == entry.row && previous->column == entry.column) {
      matrix.values.back() += entry.value;
    } else {
      matrix.columns.push_back(entry.column);
      matrix.values.push_back(entry.value);
      ++matrix.row_start[entry.row + 1];
    }
    previous = &entry;
  }
  for (int i = 0; i < rows; ++i) matrix.row_start[i + 1] += matrix.row_start[i];
  return matrix;
}

/// The value at (row, column), 0 where none is stored.
double value_at(const CsrMatrix& matrix, int row, int column) {
  const auto begin = matrix.columns.begin() + matrix.row_start[row],
             end = matrix.columns.begin() + matrix.row_start[row + 1];
  const auto found = std::lower_bound(begin, end, column);
  return found != end && *found == column ? matrix.values[found - matrix.columns.begin()] : 0.0;
}

}  // namespace

CsrMatrix read_matrix_market(const std::string& path) {
  LineReader reader(path);
  const Header header = read_header(reader);
  const Sizes sizes = read_sizes(reader);
  std::vector<Entry> entries = read_entries(reader, header, sizes);
  return compress(entries, sizes.rows);
}

void require_symmetric_positive_diagonal(const CsrMatrix& matrix) {
  std::ostringstream message;
  message.precision(17);
  for (int row = 0; row < matrix.rows(); ++row) {
    if (!(value_at(matrix, row, row) > 0)) {
      message << "diagonal entry " << row + 1 << " is " << value_at(matrix, row, row)
              << "; conjugate gradients need a positive definite matrix";
      throw InputError(message.str());
    }
    for (int k = matrix.row_start[row]; k < matrix.row_start[row + 1]; ++k) {
      const int column = matrix.columns[k];
      if (value_at(matrix, column, row) == matrix.values[k]) continue;
      message << "entry (" << row + 1 << ", " << column + 1 << ") is " << matrix.values[k]
              << " but (" << column + 1 << ", " << row + 1 << ") is "
              << value_at(matrix, column, row) << "; conjugate gradients need a symmetric matrix";
      throw InputError(message.str());
    }
  }
}

}  // namespace cg

#include "data/csv.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "cone/load.hpp"
#include "cone/text.hpp"

#include "data/csv_field.hpp"
#include "data/data_fault.hpp"

namespace cone {
namespace {

constexpr std::string_view kUtf8Mark = "\xEF\xBB\xBF";
constexpr std::size_t kNoNewline = static_cast<std::size_t>(-1);

/// Byte accumulators over short blocks, which the compiler turns into vector code.
std::uint64_t count_bytes(std::string_view text, char wanted) {
  constexpr std::size_t kBlock = 240;  // a byte cannot overflow
  std::uint64_t total = 0;
  for (std::size_t begin = 0; begin < text.size(); begin += kBlock) {
    const std::size_t end = std::min(text.size(), begin + kBlock);
    std::uint8_t count = 0;
    for (std::size_t i = begin; i < end; ++i) count += text[i] == wanted ? 1 : 0;
    total += count;
  }
  return total;
}

bool looks_like_utf16(std::string_view bytes) {
  return bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF") ||
         (bytes.size() >= 2 && (bytes[0] == '\0') != (bytes[1] == '\0'));
}

/// Names a format that is not text, by its first bytes; nullptr for text.
const char* foreign_format(std::string_view bytes) {
  if (bytes.starts_with("PK\x03\x04")) return "the file is an archive or a spreadsheet";
  if (bytes.starts_with("PAR1")) return "the file is Parquet";
  if (bytes.starts_with("BZh")) return "the file is compressed with bzip2";
  if (bytes.starts_with("\xFD"
                        "7zXZ"))
    return "the file is compressed with xz";
  if (bytes.starts_with("\x28\xB5\x2F\xFD")) return "the file is compressed with zstd";
  return nullptr;
}

/// The separator that the first line has most of outside quotes; a comma where it has none.
char separator_of(std::string_view text) {
  std::array<std::size_t, 3> counts = {0, 0, 0};
  constexpr std::string_view kSeparators = ",;\t";
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n') break;
    const std::size_t k = kSeparators.find(c);
    if (k != kSeparators.npos) ++counts[k];
  }
  return kSeparators[static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) -
                                              counts.begin())];
}

}  // namespace

std::unique_ptr<CsvFile> CsvFile::open(const Context& context, const std::filesystem::path& path,
                                       const CsvOptions& options, FaultList& faults) {
  try {
    return read(context, path.string(), ByteSource::of_file(path), options, faults);
  } catch (const Error& error) {
    for (const Fault& fault : error.faults()) faults.add("file", fault);
    return nullptr;
  }
}

std::unique_ptr<CsvFile> CsvFile::read(const Context& context, std::string name, ByteSource bytes,
                                       const CsvOptions& options, FaultList& faults) {
  std::unique_ptr<CsvFile> file(new CsvFile(std::move(name), std::move(bytes), options));
  file->source_.unpack(context, kUtf8Mark.size() + options.max_record_bytes + 1);
  if (!file->read_header(faults)) return nullptr;
  file->source_.unpack_rest(context);
  file->find_body_end();
  file->find_chunks(context);
  return file;
}

std::unique_ptr<CsvFile> CsvFile::read_share(const Context& context, std::string name,
                                             ByteSource bytes, const CsvOptions& options,
                                             std::size_t part, std::size_t num_parts,
                                             FaultList& faults) {
  std::unique_ptr<CsvFile> file(new CsvFile(std::move(name), std::move(bytes), options));
  file->source_.unpack(context, kUtf8Mark.size() + options.max_record_bytes + 1);
  if (!file->read_header(faults)) return nullptr;
  file->source_.unpack_rest(context);
  file->find_body_end();
  file->keep_share(part, num_parts);
  file->find_chunks(context);
  return file;
}

void CsvFile::keep_share(std::size_t part, std::size_t num_parts) {
  const std::string_view bytes = source_.bytes();
  const std::size_t first = body_begin_;
  const std::size_t last = body_end_;
  // A share starts after the first line end at or after its equal part of the bytes.
  const auto cut = [&](std::size_t k) {
    if (k == 0) return first;
    if (k == num_parts) return last;
    const std::size_t from = first + (last - first) / num_parts * k;
    const std::size_t line_end = bytes.find('\n', from == first ? from : from - 1);
    return line_end == std::string_view::npos ? last : std::min(line_end + 1, last);
  };
  body_begin_ = cut(part);
  body_end_ = cut(part + 1);
}

void CsvFile::count_from(std::uint64_t num_records_before, std::uint64_t num_lines_before) {
  for (CsvChunk& chunk : chunks_) {
    chunk.first_line += num_lines_before;
    chunk.first_record += num_records_before;
  }
}

std::optional<std::size_t> CsvFile::column(std::string_view name) const {
  const auto found = std::find(header_.begin(), header_.end(), name);
  if (found == header_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - header_.begin());
}

bool CsvFile::read_header(FaultList& faults) {
  const std::string_view bytes = source_.bytes();
  const auto refuse = [&](const char* what, const char* advice) {
    faults.add("header", {{.file = name_, .line = 1}, what, advice});
    return false;
  };
  if (const char* format = foreign_format(bytes)) {
    return refuse(format, "give the table as uncompressed CSV");
  }
  if (looks_like_utf16(bytes)) return refuse("the file is UTF-16", "save as UTF-8");
  // Looks at no more bytes than the longest allowed header has, however large the file is.
  const std::string_view front = bytes.substr(bytes.starts_with(kUtf8Mark) ? kUtf8Mark.size() : 0,
                                              options_.max_record_bytes + 1);
  const char* p = front.data();
  const char* const end = p + front.size();
  if (p == end) return refuse("the file is empty", "it needs at least a header line");
  separator_ = separator_of(front);
  const bool is_cut = front.size() > options_.max_record_bytes;
  bool at_line_end = false;
  while (!at_line_end) {
    const csv::ScannedField field = csv::scan_field(p, end, separator_);
    if (is_cut && field.delimiter == end) {
      return refuse("the header line is too long", "check that the lines end in LF or CRLF");
    }
    if (!field.is_terminated) {
      return refuse("a quoted name has no closing quote", "add the closing quote");
    }
    if (field.has_stray_quote) {
      return refuse("a quote in the middle of a name", "enclose the whole name in quotes");
    }
    at_line_end = field.delimiter == end || *field.delimiter == '\n';
    std::string_view name = field.content;
    if (at_line_end && field.delimiter == name.end() && name.ends_with('\r')) name.remove_suffix(1);
    header_.push_back(csv::with_single_quotes(trimmed(name)));
    body_line_ += static_cast<std::uint64_t>(std::count(name.begin(), name.end(), '\n'));
    p = std::min(field.delimiter + 1, end);
  }
  body_begin_ = static_cast<std::size_t>(p - bytes.data());
  return check_header(faults);
}

/// Excludes trailing blank lines: the last record ends before them, with or without a line end.
void CsvFile::find_body_end() {
  const std::string_view bytes = source_.bytes();
  body_end_ = bytes.size();
  while (body_end_ > body_begin_ &&
         (bytes[body_end_ - 1] == '\n' || bytes[body_end_ - 1] == '\r')) {
    --body_end_;
  }
}

void CsvFile::fail_changed() const {
  fail_data({.file = name_}, "changed while it was read",
            "wait until it is no longer written to, or read a copy");
}

bool CsvFile::check_header(FaultList& faults) const {
  const std::uint64_t num_faults_before = faults.total();
  const auto refuse = [&](std::string what, const char* advice) {
    faults.add("header", {{.file = name_, .line = 1}, std::move(what), advice});
  };
  if (header_.size() == 1 && header_[0].empty()) {
    refuse("the header line is blank", "the first line must name the columns");
    return false;
  }
  std::set<std::string_view> seen;
  for (std::size_t j = 0; j < header_.size(); ++j) {
    const std::string& name = header_[j];
    if (name.empty() && j == 0) continue;  // a row index: readers ignore it
    if (name.empty()) {
      refuse(fmt::format("column {} has no name", j + 1),
             "name it, or drop it if it is a row index that another program added");
    } else if (const char* problem = text_problem(name)) {
      refuse(fmt::format("the name of column {} ('{}') {}", j + 1, printable(name), problem),
             "save as UTF-8");
    } else if (name.find('\r') != std::string::npos) {
      refuse("the header has a carriage return", "save with LF or CRLF line endings");
    } else if (!seen.insert(name).second) {
      refuse(fmt::format("two columns are called '{}'", printable(name)), "rename one");
    }
  }
  return faults.total() == num_faults_before;
}

void CsvFile::find_chunks(const Context& context) {
  const std::string_view bytes = source_.bytes();
  if (body_end_ == body_begin_) return;
  const std::size_t body_size = body_end_ - body_begin_;
  const std::size_t num_pieces = (body_size + options_.chunk_bytes - 1) / options_.chunk_bytes;
  std::vector<std::size_t> first_newline(num_pieces, kNoNewline);
  std::vector<std::uint64_t> num_newlines(num_pieces, 0);
  std::vector<std::uint64_t> num_quotes(num_pieces, 0);
  context.for_each_range(body_size, options_.chunk_bytes, [&](std::size_t begin, std::size_t end) {
    const std::size_t piece = begin / options_.chunk_bytes;
    const std::string_view text = bytes.substr(body_begin_ + begin, end - begin);
    const std::size_t newline = text.find('\n');
    if (newline != std::string_view::npos) {
      first_newline[piece] = body_begin_ + begin + newline;
      // Counts the first one even if the file has changed since: chunks start after it.
      num_newlines[piece] = 1 + count_bytes(text.substr(newline + 1), '\n');
    }
    num_quotes[piece] = count_bytes(text, '"');
    source_.release(body_begin_ + begin, body_begin_ + end);
  });
  num_quotes_ = std::accumulate(num_quotes.begin(), num_quotes.end(), std::uint64_t{0});
  // Every share but the last ends with a line end, after which no further record starts.
  const bool is_open = bytes[body_end_ - 1] != '\n';
  num_lines_ = std::accumulate(num_newlines.begin(), num_newlines.end(),
                               static_cast<std::uint64_t>(is_open ? 1 : 0));
  if (num_quotes_ > 0) {
    find_chunks_by_records(context);
  } else {
    find_chunks_by_lines(first_newline, num_newlines);
  }
  hashes_ = std::vector<std::atomic<std::uint64_t>>(chunks_.size());
}

// A chunk starts after the first line feed of its piece (the very first: at the body), so it takes
// over the line that straddles into its end. Pieces without a line feed start no chunk.
void CsvFile::find_chunks_by_lines(const std::vector<std::size_t>& first_newline,
                                   const std::vector<std::uint64_t>& num_newlines) {
  std::uint64_t newlines_before = 0;
  const auto start_chunk = [&](std::size_t begin, std::uint64_t num_lines_before) {
    if (!chunks_.empty()) {
      chunks_.back().end = begin;
      chunks_.back().num_records = num_lines_before - chunks_.back().first_record;
    }
    chunks_.push_back({.number = chunks_.size(),
                       .begin = begin,
                       .first_line = body_line_ + num_lines_before,
                       .first_record = num_lines_before});
  };
  start_chunk(body_begin_, 0);
  for (std::size_t piece = 0; piece < first_newline.size(); ++piece) {
    if (piece > 0 && first_newline[piece] != kNoNewline && first_newline[piece] + 1 < body_end_) {
      start_chunk(first_newline[piece] + 1, newlines_before + 1);
    }
    newlines_before += num_newlines[piece];
  }
  num_records_ = num_lines_;
  chunks_.back().end = body_end_;
  chunks_.back().num_records = num_records_ - chunks_.back().first_record;
}

// Stops at a record that is too long: the file is refused because of it.
void CsvFile::find_chunks_by_records(const Context& context) {
  const char* const start = source_.bytes().data();
  const char* const end = start + body_end_;
  const char* p = start + body_begin_;
  std::uint64_t line = body_line_;
  CsvChunk chunk{.begin = body_begin_, .first_line = line};
  const auto finish_chunk = [&](std::size_t position) {
    chunk.end = position;
    chunk.num_records = num_records_ - chunk.first_record;
    chunks_.push_back(chunk);
    source_.release(chunk.begin, chunk.end);
    chunk = {.number = chunks_.size(),
             .begin = position,
             .first_line = line,
             .first_record = num_records_};
    context.poll();
  };
  const char* record = p;
  while (p < end) {
    const char* const longest =
        record + std::min(static_cast<std::size_t>(end - record), options_.max_record_bytes + 1);
    const csv::ScannedField field = csv::scan_field(p, longest, separator_);
    if (field.delimiter == longest && longest < end) {
      ++num_records_;
      finish_chunk(static_cast<std::size_t>(longest - start));
      return;
    }
    if (*p == '"') {
      line +=
          static_cast<std::uint64_t>(std::count(field.content.begin(), field.content.end(), '\n'));
    }
    // A separator as the last byte of the body is followed by an empty field, which ends the
    // record.
    const bool ends_record = field.delimiter == end || *field.delimiter == '\n';
    p = std::min(field.delimiter + 1, end);
    if (!ends_record && p < end) continue;
    ++line;
    ++num_records_;
    record = p;
    const auto position = static_cast<std::size_t>(p - start);
    if (position - chunk.begin >= options_.chunk_bytes) finish_chunk(position);
  }
  if (chunk.begin < body_end_) finish_chunk(body_end_);
}

void CsvFile::for_each_chunk(const Context& context, std::string_view phase, FaultList& faults,
                             const std::function<void(std::size_t, CsvRecords&)>& visit) const {
  std::vector<FaultList> chunk_faults(chunks_.size());
  context.for_each_task(phase, chunks_.size(), [&](std::size_t number) {
    CsvRecords records(*this, chunks_[number]);
    visit(number, records);
    chunk_faults[number] = std::move(records.faults());
    source_.release(chunks_[number].begin, chunks_[number].end);
  });
  for (const FaultList& of_chunk : chunk_faults) faults.merge(of_chunk);
}

std::uint64_t CsvFile::line_of_record(std::uint64_t record) const {
  const auto after = std::upper_bound(
      chunks_.begin(), chunks_.end(), record,
      [](std::uint64_t number, const CsvChunk& chunk) { return number < chunk.first_record; });
  CsvRecords records(*this, *std::prev(after));
  while (records.next()) {
    if (records.record() == record) return records.line();
  }
  return 0;
}

}  // namespace cone

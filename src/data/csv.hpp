#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/error.hpp"
#include "cone/load.hpp"

namespace cone {

/// Whole records of a file, about chunk_bytes of them. Lines count from 1 and include the header;
/// records count from 0 without it.
struct CsvChunk {
  std::size_t number = 0;  ///< among the chunks of the file
  std::size_t begin = 0;
  std::size_t end = 0;
  std::uint64_t first_line = 0;
  std::uint64_t first_record = 0;
  std::uint64_t num_records = 0;
};

class CsvRecords;

/// A table as text (RFC 4180): a header of distinct names, then records of as many fields. The
/// separator is the comma, semicolon or tab that the header has most of. Quoted fields may hold
/// separators, doubled quotes and line ends; lines end in LF or CRLF, the last one may lack its
/// end, blank lines may trail; a UTF-8 mark at the start is skipped. The first name may be empty (a
/// row index that another program wrote). There is no comment syntax.
///
/// The body is cut into chunks at fixed byte positions moved to the next record boundary, so what
/// is read and which faults are listed depend on the file only, never on the number of threads.
/// Without quotes every line end is a boundary and the cuts are found in parallel; with any quote
/// in the body they are found by one serial scan.
///
/// A mapped file may change in place while it is read. Every chunk is therefore read from a private
/// copy, which must have as many records as were counted, and in every pass the same bytes as in
/// the first one. Otherwise Error(kData) says that the file changed.
class CsvFile {
 public:
  /// Opens the file, reads the header and finds the chunks; nullptr, and faults, when the file
  /// cannot be read or its header cannot be used.
  static std::unique_ptr<CsvFile> open(const Context& context, const std::filesystem::path& path,
                                       const CsvOptions& options, FaultList& faults);
  /// The same for bytes that were opened already; `name` is for messages.
  static std::unique_ptr<CsvFile> read(const Context& context, std::string name, ByteSource bytes,
                                       const CsvOptions& options, FaultList& faults);

  /// One of `num_parts` shares of the lines, cut at line ends nearest to equal parts of the bytes:
  /// for several ranks that read one file together. Only the share is looked at, so lines and
  /// records are counted from the share's first until count_from() gives their offset. A line end
  /// inside quotes does not end a record: a share that an odd number of quotes precedes must not be
  /// used.
  static std::unique_ptr<CsvFile> read_share(const Context& context, std::string name,
                                             ByteSource bytes, const CsvOptions& options,
                                             std::size_t part, std::size_t num_parts,
                                             FaultList& faults);
  void count_from(std::uint64_t num_records_before, std::uint64_t num_lines_before);
  std::uint64_t num_quotes() const { return num_quotes_; }
  /// Of the share; a record may span several.
  std::uint64_t num_lines() const { return num_lines_; }

  /// The path as given, for messages.
  const std::string& name() const { return name_; }
  const std::vector<std::string>& header() const { return header_; }
  std::optional<std::size_t> column(std::string_view name) const;
  char separator() const { return separator_; }
  /// Including malformed ones.
  std::uint64_t num_records() const { return num_records_; }
  const std::vector<CsvChunk>& chunks() const { return chunks_; }

  /// Calls visit(number, records) once per chunk, in parallel, releases the pages of the chunk, and
  /// appends the faults of all chunks in the order of the file.
  void for_each_chunk(const Context& context, std::string_view phase, FaultList& faults,
                      const std::function<void(std::size_t, CsvRecords&)>& visit) const;

  /// Releases the pages of a chunk that was read without for_each_chunk().
  void release(const CsvChunk& chunk) const { source_.release(chunk.begin, chunk.end); }

  /// The line a record starts at. Scans its chunk: for messages only.
  std::uint64_t line_of_record(std::uint64_t record) const;

 private:
  friend class CsvRecords;

  CsvFile(std::string name, ByteSource bytes, const CsvOptions& options)
      : source_(std::move(bytes)), name_(std::move(name)), options_(options) {}
  bool read_header(FaultList& faults);
  bool check_header(FaultList& faults) const;
  void find_body_end();
  void keep_share(std::size_t part, std::size_t num_parts);
  void find_chunks(const Context& context);
  void find_chunks_by_lines(const std::vector<std::size_t>& first_newline,
                            const std::vector<std::uint64_t>& num_newlines);
  void find_chunks_by_records(const Context& context);
  /// No chunk is longer than this, unless one of its records is too long.
  std::size_t most_chunk_bytes() const {
    return 2 * options_.chunk_bytes + options_.max_record_bytes;
  }
  [[noreturn]] void fail_changed() const;

  ByteSource source_;
  std::string name_;
  CsvOptions options_;
  char separator_ = ',';
  std::vector<std::string> header_;
  std::size_t body_begin_ = 0;
  std::size_t body_end_ = 0;
  std::uint64_t body_line_ = 2;
  std::uint64_t num_quotes_ = 0;  // in the body
  std::uint64_t num_lines_ = 0;   // of the body
  std::vector<CsvChunk> chunks_;
  /// By chunk, of the bytes that its first reading saw; 0 before that.
  mutable std::vector<std::atomic<std::uint64_t>> hashes_;
  std::uint64_t num_records_ = 0;
};

/// Walks the records of one chunk. Malformed ones (a wrong number of fields, a stray or open quote,
/// an absurd length) are reported and skipped.
class CsvRecords {
 public:
  /// Throws Error(kData) where the chunk is not what an earlier reading saw.
  CsvRecords(const CsvFile& file, const CsvChunk& chunk);

  /// Moves to the next well-formed record; false at the end of the chunk. Throws Error(kData) where
  /// the chunk has more or fewer records than were counted.
  bool next();

  /// The field, without its quotes. Stays valid as long as this object and the file.
  std::string_view operator[](std::size_t column) const { return fields_[column]; }
  std::uint64_t line() const { return line_; }
  /// Number of this record in the file; malformed records count.
  std::uint64_t record() const { return next_record_ - 1; }
  /// How many records this chunk skipped so far.
  std::uint64_t num_malformed() const { return num_malformed_; }

  Place place() const { return {.file = file_.name(), .line = line_}; }
  Place place(std::size_t column) const;
  FaultList& faults() { return faults_; }

 private:
  std::size_t read_plain_fields();
  std::size_t read_quoted_fields();
  bool is_well_formed(const char* begin, std::size_t num_fields);
  void add_fault(const char* kind, std::string what, std::string advice);

  const CsvFile& file_;
  std::unique_ptr<char[]> copy_;  // of the chunk; null where the bytes cannot change
  const char* position_;
  const char* chunk_end_;
  std::vector<std::string_view> fields_;
  std::deque<std::string> unescaped_;  // fields with doubled quotes; a deque keeps them in place
  std::uint64_t line_ = 0;
  std::uint64_t next_line_;
  std::uint64_t next_record_;
  std::uint64_t end_record_;
  std::uint64_t num_malformed_ = 0;
  bool quoting_failed_ = false;  // of the current record
  FaultList faults_;
};

}  // namespace cone

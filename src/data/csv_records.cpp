#include <algorithm>
#include <cstring>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "base/hash.hpp"
#include "data/csv.hpp"
#include "data/csv_field.hpp"

namespace cone {
namespace {

std::string count_text(std::size_t count) {
  return fmt::format("{} field{}", count, count == 1 ? "" : "s");
}

}  // namespace

CsvRecords::CsvRecords(const CsvFile& file, const CsvChunk& chunk)
    : file_(file),
      fields_(file.header().size()),
      next_line_(chunk.first_line),
      next_record_(chunk.first_record),
      end_record_(chunk.first_record + chunk.num_records) {
  // The rest of a longer chunk belongs to its last record, which is too long; these bytes show
  // that.
  const std::string_view bytes = file.source_.bytes().substr(
      chunk.begin, std::min(chunk.end - chunk.begin, file.most_chunk_bytes()));
  position_ = bytes.data();
  if (file.source_.may_change()) {
    copy_ = std::make_unique_for_overwrite<char[]>(bytes.size());
    std::memcpy(copy_.get(), bytes.data(), bytes.size());
    position_ = copy_.get();
    const std::uint64_t hash = hash64({copy_.get(), bytes.size()}) | 1U;
    std::uint64_t seen = 0;
    if (!file.hashes_[chunk.number].compare_exchange_strong(seen, hash) && seen != hash) {
      file.fail_changed();
    }
  }
  chunk_end_ = position_ + bytes.size();
}

Place CsvRecords::place(std::size_t column) const {
  return {.file = file_.name(), .line = line_, .column = printable(file_.header()[column])};
}

void CsvRecords::add_fault(const char* kind, std::string what, std::string advice) {
  faults_.add(kind, {place(), std::move(what), std::move(advice)});
}

bool CsvRecords::next() {
  while (next_record_ < end_record_ && position_ < chunk_end_) {
    line_ = next_line_;
    ++next_record_;
    quoting_failed_ = false;
    const char* const begin = position_;
    const std::size_t num_fields =
        file_.num_quotes_ > 0 ? read_quoted_fields() : read_plain_fields();
    if (is_well_formed(begin, num_fields)) return true;
    ++num_malformed_;
  }
  if (next_record_ < end_record_ || position_ < chunk_end_) file_.fail_changed();
  return false;
}

std::size_t CsvRecords::read_plain_fields() {
  std::size_t count = 0;
  const char* p = position_;
  while (true) {
    const char* const delimiter = csv::find_delimiter(p, chunk_end_, file_.separator_);
    const bool at_line_end = delimiter == chunk_end_ || *delimiter == '\n';
    if (count < fields_.size()) {
      const bool has_return = at_line_end && delimiter > p && delimiter[-1] == '\r';
      fields_[count] = {p, static_cast<std::size_t>(delimiter - p) - (has_return ? 1 : 0)};
    }
    ++count;
    if (at_line_end) {
      position_ = std::min(delimiter + 1, chunk_end_);
      ++next_line_;
      return count;
    }
    p = delimiter + 1;
  }
}

std::size_t CsvRecords::read_quoted_fields() {
  std::size_t count = 0;
  const char* p = position_;
  while (true) {
    const csv::ScannedField field = csv::scan_field(p, chunk_end_, file_.separator_);
    const bool at_line_end = field.delimiter == chunk_end_ || *field.delimiter == '\n';
    std::string_view content = field.content;
    const bool is_quoted = p < chunk_end_ && *p == '"';
    if (!is_quoted && at_line_end && content.ends_with('\r')) content.remove_suffix(1);
    if (!field.is_terminated) {
      quoting_failed_ = true;
      line_ = next_line_;
      add_fault("quote", "a quoted field has no closing quote", "add the closing quote");
    } else if (field.has_stray_quote) {
      quoting_failed_ = true;
      line_ = next_line_;
      add_fault("quote", "a quote in the middle of a field",
                "enclose the whole field in quotes and double the quotes inside it");
    }
    if (count < fields_.size()) {
      fields_[count] =
          field.has_doubled_quotes
              ? std::string_view(unescaped_.emplace_back(csv::with_single_quotes(content)))
              : content;
    }
    ++count;
    if (is_quoted) {
      next_line_ +=
          static_cast<std::uint64_t>(std::count(field.content.begin(), field.content.end(), '\n'));
    }
    if (at_line_end) {
      position_ = std::min(field.delimiter + 1, chunk_end_);
      ++next_line_;
      return count;
    }
    p = field.delimiter + 1;
  }
}

bool CsvRecords::is_well_formed(const char* begin, std::size_t num_fields) {
  if (quoting_failed_) return false;
  if (static_cast<std::size_t>(position_ - begin) > file_.options_.max_record_bytes) {
    add_fault("long line",
              fmt::format("a line of more than {} bytes", file_.options_.max_record_bytes),
              "check that the lines end in LF or CRLF");
    return false;
  }
  if (num_fields == fields_.size()) return true;
  if (num_fields == 1 && fields_[0].empty()) {
    add_fault("blank line", "a blank line between records", "delete it");
    return false;
  }
  if (faults_.has_room("field count")) {
    add_fault("field count",
              fmt::format("{}, but the header has {}", count_text(num_fields), fields_.size()),
              num_fields > fields_.size() ? "enclose text that contains the separator in quotes"
                                          : "fill in the missing fields or delete the line");
  } else {
    faults_.add_unlisted("field count", 1);
  }
  return false;
}

}  // namespace cone

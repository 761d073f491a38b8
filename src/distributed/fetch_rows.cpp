#include "distributed/fetch_rows.hpp"

#include <algorithm>

namespace cone::distributed {
namespace {

/// The rows of one rank, one behind the other.
struct Letter {
  std::vector<std::uint32_t> sizes, words;
  std::vector<double> values, columns;
};

Letter write_letter(const Share& share, std::span<const std::uint64_t> positions) {
  Letter out;
  for (const std::uint64_t p : positions) {
    const SparseMatrix::Row row = share.words.row(p);
    out.sizes.push_back(static_cast<std::uint32_t>(row.size()));
    out.words.insert(out.words.end(), row.columns.begin(), row.columns.end());
    out.values.insert(out.values.end(), row.values.begin(), row.values.end());
    out.columns.insert(out.columns.end(), share.columns.row(p).begin(), share.columns.row(p).end());
  }
  return out;
}

/// One part of every letter, for all ranks.
template <class T>
std::vector<std::vector<T>> send(const Ranks& ranks, std::vector<Letter>& letters,
                                 std::vector<T> Letter::*part) {
  std::vector<std::vector<T>> parts;
  parts.reserve(letters.size());
  for (Letter& letter : letters) parts.push_back(std::move(letter.*part));
  return ranks.exchange(std::move(parts));
}

}  // namespace

FetchedRows fetch_rows(const Ranks& ranks, const Share& share,
                       std::span<const RemotePosition> wanted) {
  std::vector<std::vector<std::uint64_t>> questions(ranks.size());
  for (const RemotePosition& position : wanted)
    questions[position.rank].push_back(position.position);
  std::vector<Letter> letters;
  for (const auto& asked : ranks.exchange(std::move(questions)))
    letters.push_back(write_letter(share, asked));
  const auto sizes = send(ranks, letters, &Letter::sizes);
  const auto words = send(ranks, letters, &Letter::words);
  const auto values = send(ranks, letters, &Letter::values);
  const auto columns = send(ranks, letters, &Letter::columns);

  std::vector<std::size_t> next_row(ranks.size(), 0);
  std::vector<std::size_t> next_word(ranks.size(), 0);
  std::size_t num_words = 0;
  for (const std::vector<std::uint32_t>& part : words) num_words += part.size();
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> all_words;
  std::vector<double> all_values;
  offsets.reserve(wanted.size() + 1);
  all_words.reserve(num_words);
  all_values.reserve(num_words);
  const std::size_t width = share.columns.cols();
  FetchedRows out{.columns = Matrix<double>(wanted.size(), width)};
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const std::size_t from = wanted[k].rank;
    const std::size_t row = next_row[from]++;
    std::copy_n(columns[from].begin() + static_cast<std::ptrdiff_t>(row * width), width,
                out.columns.row(k).begin());
    const auto first = static_cast<std::ptrdiff_t>(next_word[from]);
    next_word[from] += sizes[from][row];
    const auto last = static_cast<std::ptrdiff_t>(next_word[from]);
    all_words.insert(all_words.end(), words[from].begin() + first, words[from].begin() + last);
    all_values.insert(all_values.end(), values[from].begin() + first, values[from].begin() + last);
    offsets.push_back(all_words.size());
  }
  out.words = SparseMatrix(share.words.cols(), std::move(offsets), std::move(all_words),
                           std::move(all_values));
  return out;
}

}  // namespace cone::distributed

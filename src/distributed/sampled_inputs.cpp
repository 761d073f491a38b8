#include "distributed/sampled_inputs.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "distributed/fetch_rows.hpp"

namespace cone::distributed {
namespace {

/// Rank and position as one number, for neighbours that several ranks know.
std::uint64_t identify(std::uint64_t rank, std::uint64_t position) {
  return rank << 40U | position;
}

/// The hash up to which nodes belong to the sample.
std::uint64_t find_limit(const Ranks& ranks, const Share& share, std::size_t arm,
                         std::uint64_t count) {
  std::vector<std::uint64_t> own(
      share.hash.begin() + static_cast<std::ptrdiff_t>(share.arm_begin[arm]),
      share.hash.begin() + static_cast<std::ptrdiff_t>(share.arm_begin[arm + 1]));
  std::ranges::sort(own);
  own.resize(std::min<std::size_t>(own.size(), count));
  std::vector<std::uint64_t> all = ranks.allgather(own);
  std::ranges::sort(all);
  return all[count - 1];
}

/// What a rank tells about its nodes of the sample, one node or neighbour behind the other.
struct SampleLetter {
  std::vector<std::uint64_t> number, hash, identity, num_neighbours, neighbours;
  std::vector<int> fold;
  std::vector<double> measures;  ///< outcome, degree, relative, inverse; smooth; curves
  std::vector<std::uint64_t> row_identity;
  std::vector<std::uint32_t> row_sizes, words;
  std::vector<double> values, columns;

  void add_row(std::uint64_t id, const SparseMatrix::Row& row, std::span<const double> measured) {
    row_identity.push_back(id);
    row_sizes.push_back(static_cast<std::uint32_t>(row.size()));
    words.insert(words.end(), row.columns.begin(), row.columns.end());
    values.insert(values.end(), row.values.begin(), row.values.end());
    columns.insert(columns.end(), measured.begin(), measured.end());
  }
};

SampleLetter write_letter(const Ranks& ranks, const Share& share, std::size_t arm,
                          std::uint64_t limit) {
  SampleLetter out;
  std::vector<std::uint32_t> rows;  // nodes of the sample and their neighbours
  for (std::size_t p = share.arm_begin[arm]; p < share.arm_begin[arm + 1]; ++p) {
    if (share.hash[p] > limit) continue;
    out.number.push_back(share.number[p]);
    out.hash.push_back(share.hash[p]);
    out.fold.push_back(share.fold[p]);
    out.identity.push_back(identify(ranks.rank(), p));
    out.measures.insert(out.measures.end(), {share.outcome[p], share.degree[p],
                                             share.relative_degree[p], share.inverse_degree[p]});
    for (const Matrix<double>* table : {&share.smooth, &share.curves}) {
      out.measures.insert(out.measures.end(), table->row(p).begin(), table->row(p).end());
    }
    rows.push_back(static_cast<std::uint32_t>(p));
    out.num_neighbours.push_back(share.list_offsets[p + 1] - share.list_offsets[p]);
    for (std::uint64_t k = share.list_offsets[p]; k < share.list_offsets[p + 1]; ++k) {
      const std::uint32_t row = share.lists[k];
      rows.push_back(row);
      const RemotePosition at =
          row < share.size() ? RemotePosition{ranks.rank(), row} : share.remote[row - share.size()];
      out.neighbours.push_back(identify(at.rank, at.position));
    }
  }
  std::ranges::sort(rows);
  rows.erase(std::ranges::unique(rows).begin(), rows.end());
  std::vector<RemotePosition> wanted;
  for (const std::uint32_t row : rows) {
    if (row >= share.size()) wanted.push_back(share.remote[row - share.size()]);
  }
  const FetchedRows fetched = fetch_rows(ranks, share, wanted);
  std::size_t next = 0;
  for (const std::uint32_t row : rows) {
    if (row < share.size()) {
      out.add_row(identify(ranks.rank(), row), share.words.row(row), share.columns.row(row));
    } else {
      out.add_row(identify(wanted[next].rank, wanted[next].position), fetched.words.row(next),
                  fetched.columns.row(next));
      ++next;
    }
  }
  return out;
}

/// Sends one part of the letters to the receiver and joins what comes there.
template <class T>
void send_part(const Ranks& ranks, std::size_t receiver, std::vector<T>& part) {
  std::vector<std::vector<T>> parts(ranks.size());
  parts[receiver] = std::move(part);
  part.clear();
  for (const std::vector<T>& from : ranks.exchange(std::move(parts))) {
    part.insert(part.end(), from.begin(), from.end());
  }
}

void send_letter(const Ranks& ranks, std::size_t receiver, SampleLetter& letter) {
  for (auto* part : {&letter.number, &letter.hash, &letter.identity, &letter.num_neighbours,
                     &letter.neighbours, &letter.row_identity}) {
    send_part(ranks, receiver, *part);
  }
  send_part(ranks, receiver, letter.fold);
  for (auto* part : {&letter.row_sizes, &letter.words}) send_part(ranks, receiver, *part);
  for (auto* part : {&letter.measures, &letter.values, &letter.columns}) {
    send_part(ranks, receiver, *part);
  }
}

/// Where things of node k or row k start.
template <class T>
std::vector<std::uint64_t> starts(const std::vector<T>& sizes) {
  std::vector<std::uint64_t> out(sizes.size() + 1, 0);
  std::inclusive_scan(sizes.begin(), sizes.end(), out.begin() + 1, std::plus<>(), std::uint64_t{0});
  return out;
}

/// Features of all positions; several ranks may tell about one neighbour, and say the same.
void fill_features(const SampleLetter& letter,
                   const std::unordered_map<std::uint64_t, std::uint32_t>& position_of,
                   std::size_t num_words, std::size_t num_columns, RidgeInputs& inputs) {
  const std::vector<std::uint64_t> row_starts = starts(letter.row_sizes);
  std::vector<std::size_t> row_of(position_of.size());
  for (std::size_t k = 0; k < letter.row_identity.size(); ++k) {
    row_of[position_of.at(letter.row_identity[k])] = k;
  }
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> columns;
  std::vector<double> values;
  inputs.columns = Matrix<double>(row_of.size(), num_columns);
  for (std::size_t p = 0; p < row_of.size(); ++p) {
    const std::size_t k = row_of[p];
    for (std::uint64_t i = row_starts[k]; i < row_starts[k + 1]; ++i) {
      columns.push_back(letter.words[i]);
      values.push_back(letter.values[i]);
    }
    offsets.push_back(columns.size());
    std::copy_n(letter.columns.begin() + static_cast<std::ptrdiff_t>(k * num_columns), num_columns,
                inputs.columns.row(p).begin());
  }
  inputs.words = SparseMatrix(num_words, std::move(offsets), std::move(columns), std::move(values));
}

}  // namespace

SampledInputs sample_arm(const Ranks& ranks, const Share& share, std::size_t arm,
                         std::uint64_t count, std::size_t receiver) {
  const std::uint64_t limit = find_limit(ranks, share, arm, count);
  SampleLetter letter = write_letter(ranks, share, arm, limit);
  send_letter(ranks, receiver, letter);
  SampledInputs out;
  if (ranks.rank() != receiver) return out;
  const std::size_t num_sampled = letter.number.size();
  std::vector<std::size_t> order(num_sampled);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return letter.number[k]; });
  std::unordered_map<std::uint64_t, std::uint32_t> position_of;
  for (const std::size_t k : order) {
    position_of.emplace(letter.identity[k], static_cast<std::uint32_t>(position_of.size()));
  }
  for (const std::uint64_t id : letter.neighbours) {
    position_of.try_emplace(id, static_cast<std::uint32_t>(position_of.size()));
  }
  RidgeInputs& inputs = out.inputs;
  inputs.node_at.resize(position_of.size());
  std::iota(inputs.node_at.begin(), inputs.node_at.end(), NodeIndex{0});
  fill_features(letter, position_of, share.words.cols(), share.columns.cols(), inputs);
  const std::vector<std::uint64_t> neighbour_starts = starts(letter.num_neighbours);
  const std::size_t width = 4 + share.smooth.cols() + share.curves.cols();
  inputs.smooth = Matrix<double>(num_sampled, share.smooth.cols());
  inputs.curves = Matrix<double>(num_sampled, share.curves.cols());
  std::vector<std::uint64_t> offsets = {0};
  std::vector<NodeIndex> neighbours;
  out.position_of_sent.resize(num_sampled);
  for (std::size_t p = 0; p < num_sampled; ++p) {
    const std::size_t k = order[p];
    out.position_of_sent[k] = static_cast<std::uint32_t>(p);
    const double* measures = letter.measures.data() + k * width;
    out.positions.push_back(static_cast<std::uint32_t>(p));
    out.hash.push_back(letter.hash[k]);
    out.fold.push_back(letter.fold[k]);
    out.outcome.push_back(measures[0]);
    inputs.degree.push_back(measures[1]);
    inputs.relative_degree.push_back(measures[2]);
    inputs.inverse_degree.push_back(measures[3]);
    std::copy_n(measures + 4, share.smooth.cols(), inputs.smooth.row(p).begin());
    std::copy_n(measures + 4 + share.smooth.cols(), share.curves.cols(),
                inputs.curves.row(p).begin());
    for (std::uint64_t i = neighbour_starts[k]; i < neighbour_starts[k + 1]; ++i) {
      neighbours.push_back(position_of.at(letter.neighbours[i]));
    }
    std::sort(neighbours.begin() + static_cast<std::ptrdiff_t>(offsets.back()), neighbours.end());
    offsets.push_back(neighbours.size());
  }
  offsets.resize(position_of.size() + 1,
                 neighbours.size());  // neighbours' own neighbours do not matter
  inputs.graph = Graph(std::move(offsets), std::move(neighbours));
  inputs.arm_begin = {0, position_of.size()};
  return out;
}

}  // namespace cone::distributed

#include "network_ridge/fetch_rows.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace cone {
namespace {

/// The requested rows of one rank, concatenated.
struct Reply {
  std::vector<std::uint32_t> sizes, features;
  std::vector<double> values, numeric;
};

Reply make_reply(const SparseMatrix& counts, const Matrix<double>& numeric,
                 std::span<const std::uint64_t> rows) {
  Reply out;
  for (const std::uint64_t i : rows) {
    const SparseMatrix::Row row = counts.row(i);
    out.sizes.push_back(static_cast<std::uint32_t>(row.size()));
    out.features.insert(out.features.end(), row.columns.begin(), row.columns.end());
    out.values.insert(out.values.end(), row.values.begin(), row.values.end());
    out.numeric.insert(out.numeric.end(), numeric.row(i).begin(), numeric.row(i).end());
  }
  return out;
}

/// Sends one field of every reply.
template <class T>
std::vector<std::vector<T>> send(const Communicator& comm, std::vector<Reply>& replies,
                                 std::vector<T> Reply::*part) {
  std::vector<std::vector<T>> parts;
  parts.reserve(replies.size());
  for (Reply& reply : replies) parts.push_back(std::move(reply.*part));
  return comm.alltoallv(std::move(parts));
}

}  // namespace

FetchedRows fetch_rows(const Communicator& comm, const SparseMatrix& own_counts,
                       const Matrix<double>& own_numeric, std::span<const RemoteRow> wanted) {
  std::vector<std::vector<std::uint64_t>> requests(comm.size());
  for (const RemoteRow& at : wanted) requests[at.rank].push_back(at.row);
  std::vector<Reply> replies;
  for (const auto& rows : comm.alltoallv(std::move(requests))) {
    replies.push_back(make_reply(own_counts, own_numeric, rows));
  }
  const auto sizes = send(comm, replies, &Reply::sizes);
  const auto features = send(comm, replies, &Reply::features);
  const auto values = send(comm, replies, &Reply::values);
  const auto numeric = send(comm, replies, &Reply::numeric);

  std::vector<std::size_t> next_row(comm.size(), 0);
  std::vector<std::size_t> next_entry(comm.size(), 0);
  std::size_t num_entries = 0;
  for (const std::vector<std::uint32_t>& part : features) num_entries += part.size();
  std::vector<std::uint64_t> offsets = {0};
  std::vector<std::uint32_t> all_features;
  std::vector<double> all_values;
  offsets.reserve(wanted.size() + 1);
  all_features.reserve(num_entries);
  all_values.reserve(num_entries);
  const std::size_t width = own_numeric.cols();
  FetchedRows out{.numeric = Matrix<double>(wanted.size(), width)};
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const std::size_t from = wanted[k].rank;
    const std::size_t row = next_row[from]++;
    std::copy_n(numeric[from].begin() + static_cast<std::ptrdiff_t>(row * width), width,
                out.numeric.row(k).begin());
    const auto first = static_cast<std::ptrdiff_t>(next_entry[from]);
    next_entry[from] += sizes[from][row];
    const auto last = static_cast<std::ptrdiff_t>(next_entry[from]);
    all_features.insert(all_features.end(), features[from].begin() + first,
                        features[from].begin() + last);
    all_values.insert(all_values.end(), values[from].begin() + first, values[from].begin() + last);
    offsets.push_back(all_features.size());
  }
  out.counts = SparseMatrix(own_counts.cols(), std::move(offsets), std::move(all_features),
                            std::move(all_values));
  return out;
}

}  // namespace cone

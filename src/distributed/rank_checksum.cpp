#include "distributed/rank_checksum.hpp"

#include <span>

namespace cone::distributed {
namespace {

/// body(column, value) for the features of a row as FeatureMatrix::Row has them: measurements that
/// are not zero, then words.
template <class Body>
void for_each_entry(const NodeRows& rows, std::size_t i, const Body& body) {
  const std::size_t width = rows.columns.cols();
  for (std::size_t c = 0; c < width; ++c) {
    if (rows.columns(i, c) != 0) body(static_cast<std::uint32_t>(c), rows.columns(i, c));
  }
  const SparseMatrix::Row words = rows.words.row(i);
  for (std::size_t k = 0; k < words.size(); ++k) {
    body(static_cast<std::uint32_t>(width) + words.columns[k], words.values[k]);
  }
}

template <class T>
void add_value(Checksum& checksum, T value) {
  checksum.add_bytes(&value, sizeof value);
}

/// Where the entries of every row end, counted over all ranks, behind a 0: the offsets of
/// compressed rows. Then how many entries there are, which goes before what they are.
template <class CountOf>
void add_offsets(const Ranks& ranks, const WholeData& whole, const NodeRows& rows,
                 const CountOf& count_of, SpreadChecksum& checksum) {
  checksum.whole().add_size(whole.num_nodes + 1).add_size(0);
  std::uint64_t own = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) own += count_of(i);
  std::uint64_t end = ranks.exclusive_scan(own);
  checksum.add_parts([&](Checksum& out) {
    for (std::size_t i = 0; i < rows.size(); ++i) out.add_size(end += count_of(i));
  });
  checksum.whole().add_size(ranks.allreduce(own));
}

void add_features(const Ranks& ranks, const WholeData& whole, const NodeRows& rows,
                  SpreadChecksum& checksum) {
  const auto count_of = [&](std::size_t i) {
    std::uint64_t count = 0;
    for_each_entry(rows, i, [&](std::uint32_t, double) { ++count; });
    return count;
  };
  add_offsets(ranks, whole, rows, count_of, checksum);
  checksum.add_parts([&](Checksum& out) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for_each_entry(rows, i, [&](std::uint32_t column, double) { add_value(out, column); });
    }
  });
  std::uint64_t num_entries = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) num_entries += count_of(i);
  checksum.whole().add_size(ranks.allreduce(num_entries));
  checksum.add_parts([&](Checksum& out) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for_each_entry(rows, i, [&](std::uint32_t, double value) { add_value(out, value); });
    }
  });
}

void add_column(const WholeData& whole, const Matrix<double>& table, std::size_t column,
                SpreadChecksum& checksum) {
  checksum.whole().add_size(whole.num_nodes);
  checksum.add_parts([&](Checksum& out) {
    for (std::size_t i = 0; i < table.rows(); ++i) add_value(out, table(i, column));
  });
}

void add_optional(const WholeData& whole, bool is_there, const Matrix<double>& table,
                  std::size_t column, SpreadChecksum& checksum) {
  checksum.whole().add_size(is_there ? 1 : 0);
  if (is_there) add_column(whole, table, column, checksum);
}

}  // namespace

void add_ids(const WholeData& whole, const TextList& ids, SpreadChecksum& checksum) {
  checksum.whole().add_size(whole.num_nodes);
  checksum.add_parts([&](Checksum& out) {
    for (std::size_t i = 0; i < ids.size(); ++i) out.add(ids[i]);
  });
}

void add_rows(const Ranks& ranks, const WholeData& whole, const NodeRows& rows,
              SpreadChecksum& checksum) {
  add_offsets(
      ranks, whole, rows,
      [&](std::size_t i) { return rows.edge_offsets[i + 1] - rows.edge_offsets[i]; }, checksum);
  checksum.add_parts([&](Checksum& out) {
    for (const std::uint64_t number : rows.neighbours) {
      add_value(out, static_cast<NodeIndex>(number));
    }
  });
  checksum.whole().add_size(whole.column_names.size() + whole.num_words);
  checksum.whole().add_size(whole.column_names.size());
  add_features(ranks, whole, rows, checksum);
  for (const std::string& name : whole.column_names) checksum.whole().add(name);
  for (const std::string& name : whole.word_names) checksum.whole().add(name);
  checksum.whole().add_size(whole.num_nodes);
  checksum.add_parts([&](Checksum& out) { out.add_bytes(rows.arm.data(), rows.arm.size()); });
  checksum.whole().add_size(whole.num_nodes);
  checksum.add_parts([&](Checksum& out) {
    out.add_bytes(rows.outcome.data(), rows.outcome.size() * sizeof(double));
  });
  const std::size_t num_arms = whole.arms.size();
  const bool is_plain = has_plain_labels(whole.arms);
  for (std::size_t a = is_plain ? 1 : 0; a < num_arms; ++a) {
    add_optional(whole, whole.has_propensity, rows.propensity, a, checksum);
  }
  for (std::size_t a = 0; a < num_arms; ++a) {
    add_optional(whole, whole.has_mu, rows.mu, a, checksum);
  }
  if (is_plain) return;
  checksum.whole().add_size(num_arms);
  for (const std::string& label : whole.arms) checksum.whole().add(label);
}

std::string policy_checksum(const Ranks& ranks, const WholeData& whole,
                            const Matrix<double>& policy) {
  SpreadChecksum checksum(ranks);
  for (std::size_t a = 1; a < policy.cols(); ++a) {  // the control arm follows from the others
    add_column(whole, policy, a, checksum);
  }
  return checksum.hex();
}

}  // namespace cone::distributed

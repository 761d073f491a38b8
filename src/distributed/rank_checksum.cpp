#include "distributed/rank_checksum.hpp"

#include <span>

namespace cone::distributed {
namespace {

/// body(column, value) for the features of a row in the order of FeatureMatrix::Row: nonzero
/// numeric features, then counts.
template <class Body>
void for_each_entry(const NodeRows& rows, std::size_t i, const Body& body) {
  const std::size_t width = rows.numeric.cols();
  for (std::size_t c = 0; c < width; ++c) {
    if (rows.numeric(i, c) != 0) body(static_cast<std::uint32_t>(c), rows.numeric(i, c));
  }
  const SparseMatrix::Row counts = rows.counts.row(i);
  for (std::size_t k = 0; k < counts.size(); ++k) {
    body(static_cast<std::uint32_t>(width) + counts.columns[k], counts.values[k]);
  }
}

template <class T>
void add_value(Checksum& checksum, T value) {
  checksum.add_bytes(&value, sizeof value);
}

/// Adds the row offsets of a compressed sparse matrix over all ranks, then the number of entries,
/// which precedes the entries.
template <class CountOf>
void add_offsets(const Communicator& comm, const GlobalData& global, const NodeRows& rows,
                 const CountOf& count_of, DistributedChecksum& checksum) {
  checksum.global().add_size(global.num_nodes + 1).add_size(0);
  std::uint64_t own = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) own += count_of(i);
  std::uint64_t end = comm.exclusive_scan(own);
  checksum.add_local([&](Checksum& out) {
    for (std::size_t i = 0; i < rows.size(); ++i) out.add_size(end += count_of(i));
  });
  checksum.global().add_size(comm.allreduce(own));
}

void add_features(const Communicator& comm, const GlobalData& global, const NodeRows& rows,
                  DistributedChecksum& checksum) {
  const auto count_of = [&](std::size_t i) {
    std::uint64_t count = 0;
    for_each_entry(rows, i, [&](std::uint32_t, double) { ++count; });
    return count;
  };
  add_offsets(comm, global, rows, count_of, checksum);
  checksum.add_local([&](Checksum& out) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for_each_entry(rows, i, [&](std::uint32_t column, double) { add_value(out, column); });
    }
  });
  std::uint64_t num_entries = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) num_entries += count_of(i);
  checksum.global().add_size(comm.allreduce(num_entries));
  checksum.add_local([&](Checksum& out) {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for_each_entry(rows, i, [&](std::uint32_t, double value) { add_value(out, value); });
    }
  });
}

void add_column(const GlobalData& global, const Matrix<double>& table, std::size_t column,
                DistributedChecksum& checksum) {
  checksum.global().add_size(global.num_nodes);
  checksum.add_local([&](Checksum& out) {
    for (std::size_t i = 0; i < table.rows(); ++i) add_value(out, table(i, column));
  });
}

void add_optional(const GlobalData& global, bool is_there, const Matrix<double>& table,
                  std::size_t column, DistributedChecksum& checksum) {
  checksum.global().add_size(is_there ? 1 : 0);
  if (is_there) add_column(global, table, column, checksum);
}

}  // namespace

void add_ids(const GlobalData& global, const TextList& ids, DistributedChecksum& checksum) {
  checksum.global().add_size(global.num_nodes);
  checksum.add_local([&](Checksum& out) {
    for (std::size_t i = 0; i < ids.size(); ++i) out.add(ids[i]);
  });
}

void add_rows(const Communicator& comm, const GlobalData& global, const NodeRows& rows,
              DistributedChecksum& checksum) {
  add_offsets(
      comm, global, rows,
      [&](std::size_t i) { return rows.edge_offsets[i + 1] - rows.edge_offsets[i]; }, checksum);
  checksum.add_local([&](Checksum& out) {
    for (const std::uint64_t number : rows.neighbours) {
      add_value(out, static_cast<NodeIndex>(number));
    }
  });
  checksum.global().add_size(global.numeric_names.size() + global.num_count_features);
  checksum.global().add_size(global.numeric_names.size());
  add_features(comm, global, rows, checksum);
  for (const std::string& name : global.numeric_names) checksum.global().add(name);
  for (const std::string& name : global.count_names) checksum.global().add(name);
  checksum.global().add_size(global.num_nodes);
  checksum.add_local([&](Checksum& out) { out.add_bytes(rows.arm.data(), rows.arm.size()); });
  checksum.global().add_size(global.num_nodes);
  checksum.add_local([&](Checksum& out) {
    out.add_bytes(rows.outcome.data(), rows.outcome.size() * sizeof(double));
  });
  const std::size_t num_arms = global.arms.size();
  const bool is_plain = has_plain_labels(global.arms);
  for (std::size_t a = is_plain ? 1 : 0; a < num_arms; ++a) {
    add_optional(global, global.has_propensity, rows.propensity, a, checksum);
  }
  for (std::size_t a = 0; a < num_arms; ++a) {
    add_optional(global, global.has_mu, rows.mu, a, checksum);
  }
  if (is_plain) return;
  checksum.global().add_size(num_arms);
  for (const std::string& label : global.arms) checksum.global().add(label);
}

std::string policy_checksum(const Communicator& comm, const GlobalData& global,
                            const Matrix<double>& policy) {
  DistributedChecksum checksum(comm);
  for (std::size_t a = 1; a < policy.cols(); ++a) {  // the control arm is 1 minus the others
    add_column(global, policy, a, checksum);
  }
  return checksum.hex();
}

}  // namespace cone::distributed

#include "distributed/rank_record.hpp"

#include <vector>

#include "base/numeric.hpp"
#include "exec/statistics.hpp"

namespace cone::distributed {

DataSummary summarise(const GlobalData& global) {
  DataSummary out{.num_nodes = global.num_nodes,
                  .num_edges = global.edges.num_edges,
                  .num_features = global.numeric_names.size() + global.num_count_features,
                  .num_numeric_features = global.numeric_names.size(),
                  .checksum = global.checksum};
  for (std::size_t a = 0; a < global.arms.size(); ++a) {
    out.arms.push_back({global.arms[a], global.arm_sizes[a]});
    if (a > 0) out.num_treated += global.arm_sizes[a];
  }
  return out;
}

PolicyResult describe_policy(const Communicator& comm, const LocalData& local,
                             std::size_t position) {
  const Matrix<double>& policy = local.policies[position];
  PolicyResult out{.name = local.global.policy_names[position],
                   .checksum = local.global.policy_checksums[position]};
  out.arm_fractions.assign(policy.cols(), 0.0);
  for (std::size_t a = 1; a < policy.cols(); ++a) {
    out.arm_fractions[a] = mean(arm_column(policy.view(), static_cast<Arm>(a)), comm);
    out.treated_fraction += out.arm_fractions[a];
  }
  out.arm_fractions[0] = 1 - out.treated_fraction;
  const bool knows_truth = local.truth.cols() > 0;
  std::vector<double> truth;
  for (std::size_t p = 0; knows_truth && p < policy.rows(); ++p) {
    truth.push_back(dot(policy.row(p), local.truth.row(p)));
  }
  if (comm.any(!truth.empty())) out.truth = mean(truth, comm);
  return out;
}

void describe_network(const Communicator& comm, const LocalData& local, Diagnostics& out) {
  out.num_self_loops_dropped = local.global.edges.num_self_loops;
  out.num_edges_merged = local.global.edges.num_merged;
  std::uint64_t isolated = 0;
  for (const double degree : local.relative_degree) isolated += degree == 0 ? 1 : 0;
  out.num_isolated_nodes = comm.allreduce(isolated);
}

}  // namespace cone::distributed

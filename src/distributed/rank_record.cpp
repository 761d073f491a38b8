#include "distributed/rank_record.hpp"

#include <vector>

#include "base/numeric.hpp"
#include "exec/totals.hpp"

namespace cone::distributed {

DataSummary summarise(const WholeData& whole) {
  DataSummary out{.num_nodes = whole.num_nodes,
                  .num_edges = whole.edges.num_edges,
                  .num_features = whole.column_names.size() + whole.num_words,
                  .num_numeric_features = whole.column_names.size(),
                  .checksum = whole.checksum};
  for (std::size_t a = 0; a < whole.arms.size(); ++a) {
    out.arms.push_back({whole.arms[a], whole.arm_sizes[a]});
    if (a > 0) out.num_treated += whole.arm_sizes[a];
  }
  return out;
}

PolicyResult describe_policy(const Ranks& ranks, const Share& share, std::size_t position) {
  const Matrix<double>& policy = share.policies[position];
  PolicyResult out{.name = share.whole.policy_names[position],
                   .checksum = share.whole.policy_checksums[position]};
  out.arm_fractions.assign(policy.cols(), 0.0);
  for (std::size_t a = 1; a < policy.cols(); ++a) {
    out.arm_fractions[a] = mean(arm_column(policy.view(), static_cast<Arm>(a)), ranks);
    out.treated_fraction += out.arm_fractions[a];
  }
  out.arm_fractions[0] = 1 - out.treated_fraction;
  const bool knows_truth = share.truth.cols() > 0;
  std::vector<double> truth;
  for (std::size_t p = 0; knows_truth && p < policy.rows(); ++p) {
    truth.push_back(dot(policy.row(p), share.truth.row(p)));
  }
  if (ranks.any(!truth.empty())) out.truth = mean(truth, ranks);
  return out;
}

void describe_network(const Ranks& ranks, const Share& share, Diagnostics& out) {
  out.num_self_loops_dropped = share.whole.edges.num_self_loops;
  out.num_edges_merged = share.whole.edges.num_merged;
  std::uint64_t isolated = 0;
  for (const double degree : share.degree) isolated += degree == 0 ? 1 : 0;
  out.num_isolated_nodes = ranks.allreduce(isolated);
}

}  // namespace cone::distributed

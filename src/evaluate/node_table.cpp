#include "evaluate/node_table.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/numeric.hpp"
#include "data/gather_rows.hpp"
#include "evaluate/decide.hpp"
#include "nuisance/gather_tables.hpp"

namespace cone {
namespace {

/// Copies a column where it is known.
void set_column(std::span<const double> values, std::size_t column, Matrix<double>& table) {
  for (std::size_t i = 0; i < values.size(); ++i) table(i, column) = values[i];
}

}  // namespace

NodeTable describe_nodes(const EvaluationPlan& plan, const Learnt& learnt,
                         const EstimatorOptions& options, std::span<const PolicyResult> results) {
  const LoggedSample& sample = plan.sample;
  const std::size_t n = sample.size();
  NodeTable out{.nodes = sample.nodes,
                .units = sample.weight,
                .mu = Matrix<double>(n, sample.num_arms(), kNaN),
                .propensity = Matrix<double>(n, sample.num_arms(), kNaN),
                .weight = Matrix<double>(n, results.size(), kNaN),
                .influence = Matrix<double>(n, results.size(), kNaN)};
  for (const PolicyResult& result : results) out.policies.push_back(result.name);
  const EstimatorInfo* row = choose_headline(learnt.ready);
  if (row == nullptr) return out;
  out.estimator = row->name;
  if (const OutcomeTable* outcome = learnt.nuisances.outcome_of(*row)) out.mu = outcome->mu;
  if (const PropensityTable* propensity = learnt.nuisances.propensity_of(*row)) {
    out.propensity = propensity->e;
  }
  const bool shares_noise = options.arm_noise == ArmNoise::kShared;
  for (std::size_t p = 0; p < results.size(); ++p) {
    const auto e = std::ranges::find(results[p].estimates, row->name, &Estimate::estimator);
    if (e == results[p].estimates.end()) continue;
    const ErrorParts& parts = e->parts;
    std::vector<double> weight = parts.coefficient;
    for (std::size_t i = 0; i < weight.size(); ++i) {
      weight[i] += shares_noise ? sample.weight_of(i) : plan.policies.sample[p](i, sample.arm[i]);
    }
    set_column(weight, p, out.weight);
    set_column(e->target == Target::kSample ? parts.sample : parts.population, p, out.influence);
  }
  return out;
}

NodeTable gather_nodes(const Dataset& data, NodeTable own) {
  if (!data.distributed) return own;
  const std::vector<NodeIndex> nodes = std::move(own.nodes);
  own.nodes = gather_numbers(data, nodes);
  const Communicator& comm = data.comm();
  own.units = gather_rows(data, nodes, std::move(own.units));
  // What the estimator has not, no rank has.
  for (Matrix<double>* table : {&own.mu, &own.propensity, &own.weight, &own.influence}) {
    if (comm.any(table->rows() > 0)) *table = gather_rows(data, nodes, std::move(*table));
  }
  return own;
}

}  // namespace cone

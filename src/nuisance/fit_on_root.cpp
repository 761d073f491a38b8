#include "nuisance/fit_on_root.hpp"

#include <algorithm>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/numeric.hpp"
#include "data/collective_error.hpp"
#include "data/gather_rows.hpp"
#include "data/label_nodes.hpp"
#include "nuisance/gather_tables.hpp"

namespace cone {
namespace {

std::vector<NodeIndex> all_nodes(const Dataset& data) {
  std::vector<NodeIndex> nodes(data.num_nodes());
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  return nodes;
}

FeatureMatrix gather_features(const RowsOnRoot& rows, const FeatureMatrix& own) {
  const SparseMatrix& sparse = own.sparse();
  auto [offsets, columns] = rows.gather_lists(
      sparse.offsets(), std::vector(sparse.columns().begin(), sparse.columns().end()));
  auto values = rows.gather_lists(sparse.offsets(),
                                  std::vector(sparse.values().begin(), sparse.values().end()));
  Matrix<double> dense = rows.gather(Matrix<double>(own.dense()));
  if (dense.rows() == 0) dense = Matrix<double>(0, own.dense_columns().size());
  return {
      {own.dense_columns().begin(), own.dense_columns().end()},
      std::move(dense),
      SparseMatrix(own.cols(), std::move(offsets), std::move(columns), std::move(values.second))};
}

/// What learners read, with row numbers as ids; on the root.
Dataset gather_dataset(const Dataset& data, const RowsOnRoot& rows) {
  Dataset out;
  out.arms = data.arms;
  out.features.names = data.features.names;
  out.features.num_dense = data.features.num_dense;
  out.features.matrix = gather_features(rows, data.features.matrix);
  out.graph = gather_network(data, rows);
  out.treatment = rows.gather_list(data.treatment);
  out.outcome = rows.gather_list(data.outcome);
  out.ids = IdTable::numbered(out.treatment.size());
  return out;
}

FitPlan gather_plan(const Dataset& data, const FitPlan& plan) {
  FitPlan out{.scored = gather_numbers(data, plan.scored)};
  for (const FitTask& task : plan.tasks) {
    FitTask& whole = out.tasks.emplace_back();
    whole.fit = gather_numbers(data, task.fit);
    whole.score = gather_numbers(data, task.score);
    for (const SelectionSplit& split : task.selection) {
      whole.selection.push_back(
          {.fit = gather_numbers(data, split.fit), .score = gather_numbers(data, split.score)});
    }
  }
  return out;
}

/// The root's list on all ranks.
template <class T>
void broadcast_list(const Communicator& comm, std::vector<T>& values) {
  std::uint64_t size = values.size();
  comm.broadcast(0, std::span(&size, 1));
  values.resize(size);
  comm.broadcast(0, values);
}

void broadcast_texts(const Communicator& comm, std::vector<std::string>& texts) {
  std::vector<char> joined;
  for (const std::string& text : texts) {
    joined.insert(joined.end(), text.begin(), text.end());
    joined.push_back('\0');
  }
  broadcast_list(comm, joined);
  texts.clear();
  for (auto next = joined.begin(); next != joined.end();) {
    const auto end = std::find(next, joined.end(), '\0');
    texts.emplace_back(next, end);
    next = end + 1;
  }
}

double broadcast_number(const Communicator& comm, double value) {
  comm.broadcast(0, std::span(&value, 1));
  return value;
}

/// All nodes on the root. What was fitted there refers to the data and the plan.
struct WholeFit {
  RowsOnRoot rows;
  Dataset data;
  FitPlan plan;
  std::shared_ptr<const FitVariance> variance;  ///< on the root

  WholeFit(const Dataset& own, const FitPlan& own_plan)
      : rows(own, all_nodes(own)),
        data(gather_dataset(own, rows)),
        plan(gather_plan(own, own_plan)) {}
};

Context context_of_root(const Context& context) {
  return context.widen(context.comm().count_cores_for(1)).shared_by(Communicator::self());
}

class VarianceOnRoot : public FitVariance {
 public:
  explicit VarianceOnRoot(std::shared_ptr<const WholeFit> whole) : whole_(std::move(whole)) {}

  std::vector<ImpliedWeights> imply_weights(
      const Context& context, std::span<const MatrixView<const double>> policies) const override {
    const Communicator& comm = context.comm();
    std::vector<Matrix<double>> tables;
    for (const MatrixView<const double>& policy : policies) {
      Matrix<double> own(policy.rows(), policy.cols());
      for (std::size_t i = 0; i < own.rows(); ++i) {
        std::ranges::copy(policy.row(i), own.row(i).begin());
      }
      tables.push_back(whole_->rows.gather(std::move(own)));
    }
    auto found = run_on_root(comm, [&] {
      std::vector<MatrixView<const double>> views;
      for (const Matrix<double>& table : tables) views.push_back(table.view());
      return whole_->variance->imply_weights(context_of_root(context), views);
    });
    std::vector<ImpliedWeights> out =
        found ? std::move(*found) : std::vector<ImpliedWeights>(policies.size());
    for (ImpliedWeights& implied : out) {
      implied.weights = whole_->rows.scatter_list(std::move(implied.weights));
      implied.variance = broadcast_number(comm, implied.variance);
      implied.converged = broadcast_number(comm, implied.converged ? 1 : 0) != 0;
    }
    return out;
  }

 private:
  std::shared_ptr<const WholeFit> whole_;
};

/// Makes every rank's rows of what the root fitted.
OutcomeTable scatter_outcome(const Communicator& comm, const RowsOnRoot& scored,
                             std::size_t num_arms, OutcomeTable table) {
  Matrix<double> predicted(table.mu.rows(), num_arms, kNaN);
  Matrix<double> limit(table.mu.rows(), num_arms, kNaN);
  for (const ImplausiblePrediction& p : table.implausible) {
    predicted(p.row, p.arm) = p.predicted;
    limit(p.row, p.arm) = p.limit;
  }
  table.mu = scored.scatter(std::move(table.mu), num_arms);
  predicted = scored.scatter(std::move(predicted), num_arms);
  limit = scored.scatter(std::move(limit), num_arms);
  table.implausible = list_implausible(predicted, limit);
  table.bounded = broadcast_number(comm, table.bounded ? 1 : 0) != 0;
  table.is_penalised = broadcast_number(comm, table.is_penalised ? 1 : 0) != 0;
  broadcast_list(comm, table.chosen_strengths);
  broadcast_texts(comm, table.warnings);
  return table;
}

PropensityTable scatter_propensity(const Communicator& comm, const RowsOnRoot& scored,
                                   std::size_t num_arms, PropensityTable table) {
  table.e = scored.scatter(std::move(table.e), num_arms);
  if (comm.any(table.unbounded.rows() > 0)) {
    table.unbounded = scored.scatter(std::move(table.unbounded), num_arms);
  }
  if (comm.any(table.violates_positivity.rows() > 0)) {
    table.violates_positivity = scored.scatter(std::move(table.violates_positivity), num_arms);
  }
  broadcast_list(comm, table.bounds.low);
  broadcast_list(comm, table.bounds.high);
  table.clipped_fraction = broadcast_number(comm, table.clipped_fraction);
  broadcast_list(comm, table.chosen_strengths);
  broadcast_texts(comm, table.warnings);
  return table;
}

}  // namespace

Nuisances fit_on_root(const Context& context, const Dataset& data, const FitPlan& plan,
                      const Learner& learner) {
  const Communicator& comm = data.comm();
  const auto whole = std::make_shared<WholeFit>(data, plan);
  auto found = run_on_root(
      comm, [&] { return learner.fit(context_of_root(context), whole->data, whole->plan); });
  const RowsOnRoot scored(data, plan.scored);
  Nuisances fitted = found ? std::move(*found) : Nuisances();
  Nuisances out;
  if (comm.any(fitted.outcome.has_value())) {
    OutcomeTable table = fitted.outcome ? std::move(*fitted.outcome) : OutcomeTable();
    whole->variance = std::move(table.variance);
    out.outcome = scatter_outcome(comm, scored, data.num_arms(), std::move(table));
    if (comm.any(whole->variance != nullptr)) {
      out.outcome->variance = std::make_shared<VarianceOnRoot>(whole);
    }
  }
  if (comm.any(fitted.propensity.has_value())) {
    out.propensity =
        scatter_propensity(comm, scored, data.num_arms(),
                           fitted.propensity ? std::move(*fitted.propensity) : PropensityTable());
  }
  return out;
}

}  // namespace cone

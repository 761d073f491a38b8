// The network ridge against scripts/network_ridge_reference.py, which is written straight from the
// formulas with dense inverses and one refit per fold. Three datasets: words and measurements with
// isolated nodes, no edges at all, and a regular graph.

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "network_ridge/dense_solver.hpp"
#include "network_ridge/iterative_solver.hpp"
#include "network_ridge/learn_variances.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/network_ridge_variance.hpp"
#include "support/fixture.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

using nlohmann::json;
using testing::vector_of;

const Context kContext(0, 2);

const json& fixture() {
  static const json values = testing::read_fixture("network_ridge.json");
  return values;
}

std::size_t size_of(const json& dataset, const char* name) {
  return dataset.at(name).get<std::size_t>();
}

/// The measurements, then the words.
Dataset make_dataset(const json& given) {
  Dataset data;
  const std::size_t n = size_of(given, "num_nodes");
  data.ids = IdTable::numbered(n);
  std::vector<Edge> edges;
  for (const json& pair : given.at("edges")) {
    edges.push_back({pair[0].get<NodeIndex>(), pair[1].get<NodeIndex>()});
  }
  data.graph = build_graph(kContext, n, edges);
  auto rows = given.at("columns").get<std::vector<std::vector<double>>>();
  data.features.num_dense = rows[0].size();
  for (auto& row : rows) row.resize(data.features.num_dense + size_of(given, "num_words"));
  for (const json& word : given.at("words")) {
    rows[word[0].get<std::size_t>()][data.features.num_dense + word[1].get<std::size_t>()] +=
        word[2].get<double>();
  }
  data.features.matrix = testing::sparse_from_rows(rows);
  for (std::size_t c = 0; c < rows[0].size(); ++c) {
    data.features.names.push_back(std::to_string(c));
  }
  data.arms.clear();
  for (std::size_t a = 0; a < size_of(given, "num_arms"); ++a) {
    data.arms.push_back(std::to_string(a));
  }
  data.treatment = vector_of<Arm>(given.at("arm"));
  data.outcome = vector_of(given.at("outcome"));
  return data;
}

/// One dataset of the fixture with what the program makes of it.
struct Case {
  explicit Case(const json& given)
      : reference(given),
        data(make_dataset(given)),
        inputs(std::make_shared<RidgeInputs>(prepare_inputs(kContext, data, {}))),
        groups(list_groups(kContext, *inputs, {})) {}

  std::string name() const { return reference.at("name").get<std::string>(); }
  const json& arm(std::size_t a) const { return reference.at("arms").at(a); }

  std::vector<std::size_t> fixed_columns(std::size_t a) const {
    static const std::vector<std::string> kNames = {"constant", "degree", "root_degree"};
    std::vector<std::size_t> columns;
    for (const auto& fixed : vector_of<std::string>(arm(a).at("fixed_effects"))) {
      columns.push_back(
          static_cast<std::size_t>(std::ranges::find(kNames, fixed) - kNames.begin()));
    }
    return columns;
  }

  std::vector<std::uint32_t> places(std::size_t a) const {
    std::vector<std::uint32_t> all(inputs->arm_begin[a + 1] - inputs->arm_begin[a]);
    std::iota(all.begin(), all.end(), static_cast<std::uint32_t>(inputs->arm_begin[a]));
    return all;
  }

  /// The outcome in units of its standard deviation, as the reference has it.
  ArmSample sample(std::size_t a, bool noise_grows) const {
    ArmSample out;
    const auto rows = places(a);
    out.kernels = make_kernels(kContext, *inputs, groups, rows);
    out.noise_grows = noise_grows;
    const auto fixed = fixed_columns(a);
    out.fixed = Matrix<double>(rows.size(), fixed.size());
    RidgeSystem system;
    system.inputs = inputs;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out.outcome.push_back(
          (data.outcome[inputs->node_at[rows[i]]] - arm(a).at("mean").get<double>()) /
          arm(a).at("sd").get<double>());
      for (std::size_t c = 0; c < fixed.size(); ++c) {
        out.fixed(i, c) = system.fixed_effect(rows[i], fixed[c]);
      }
    }
    return out;
  }

  const json& reference;
  Dataset data;
  std::shared_ptr<RidgeInputs> inputs;
  std::vector<RidgeGroup> groups;
};

std::vector<double> exponentials_of(const json& logs) {
  std::vector<double> out;
  for (const double value : vector_of(logs)) out.push_back(std::exp(value));
  return out;
}

class NetworkRidgeFixture : public ::testing::TestWithParam<std::size_t> {
 protected:
  NetworkRidgeFixture() : it(fixture().at("datasets").at(GetParam())) {}
  Case it;
};

TEST_P(NetworkRidgeFixture, GroupsTheirScalesAndTheirKernelsAgree) {
  const json& expected = it.reference.at("groups");
  ASSERT_EQ(it.groups.size(), expected.size());
  if (!it.reference.at("bandwidth").is_null()) {
    EXPECT_NEAR(it.inputs->bandwidth, it.reference.at("bandwidth").get<double>(), 1e-12);
  }
  std::vector<std::uint32_t> all(it.data.num_nodes());
  std::iota(all.begin(), all.end(), 0U);
  const ArmKernels kernels = make_kernels(kContext, *it.inputs, it.groups, all);
  const std::size_t row = it.inputs->place_of[size_of(it.reference, "kernel_row_of")];
  for (std::size_t g = 0; g < expected.size(); ++g) {
    EXPECT_EQ(enum_name(it.groups[g].kind), expected[g].at("name").get<std::string>());
    EXPECT_NEAR(it.groups[g].scale / expected[g].at("scale").get<double>(), 1, 1e-12);
    const GroupKernel& group = kernels.groups[g];
    const auto kernel_row = vector_of(expected[g].at("kernel_row"));
    for (std::size_t i = 0; i < kernel_row.size(); ++i) {
      const std::size_t column = it.inputs->place_of[i];
      double found = group.factor * (*group.products)(row, column);
      if (group.averages) {
        found *= kernels.inverse_degree[row] * kernels.inverse_degree[column];
      }
      EXPECT_NEAR(found, kernel_row[i], 1e-9) << enum_name(it.groups[g].kind) << " node " << i;
    }
  }
}

TEST_P(NetworkRidgeFixture, CriterionAndGradientAgree) {
  const bool grows = it.reference.at("noises").size() == 2;
  for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
    const auto point = evaluate_likelihood(kContext, it.sample(a, grows),
                                           exponentials_of(it.arm(a).at("log_variances")));
    ASSERT_TRUE(point.has_value());
    EXPECT_NEAR(point->value, it.arm(a).at("criterion").get<double>(), 1e-8);
    const auto gradient = vector_of(it.arm(a).at("gradient"));
    ASSERT_EQ(point->gradient.size(), gradient.size());
    for (std::size_t g = 0; g < gradient.size(); ++g) {
      EXPECT_NEAR(point->gradient[g], gradient[g], 1e-7) << a << ' ' << g;
    }
  }
}

TEST_P(NetworkRidgeFixture, TheInformationIsThatOfTheFormula) {
  // ½·y'PK_gPK_hPy by differences: the derivative of Py along log σ²_h is −σ²_h·PK_hPy, so that of
  // the quadratic part y'PK_gPy along h is −2·σ²_h·y'PK_gPK_hPy.
  const bool grows = it.reference.at("noises").size() == 2;
  const ArmSample sample = it.sample(0, grows);
  const std::vector<double> at = exponentials_of(it.arm(0).at("log_variances"));
  const auto quadratic = [&](double h_factor, std::size_t g, std::size_t h) {
    // value(outcome) − value(0) = ½·y'Py; its derivative along g is −½·σ²_g·y'PK_gPy.
    std::vector<double> moved = at;
    moved[h] *= h_factor;
    ArmSample none = sample;
    std::ranges::fill(none.outcome, 0.0);
    const auto with = evaluate_likelihood(kContext, sample, moved);
    const auto without = evaluate_likelihood(kContext, none, moved);
    return -(with->gradient[g] - without->gradient[g]) * 2 / moved[g];
  };
  const auto point = evaluate_likelihood(kContext, sample, at);
  constexpr double kStep = 1e-4;
  for (std::size_t g = 0; g < at.size(); ++g) {
    for (std::size_t h = 0; h < at.size(); ++h) {
      const double slope =
          (quadratic(std::exp(kStep), g, h) - quadratic(std::exp(-kStep), g, h)) / (2 * kStep);
      EXPECT_NEAR(point->information(g, h), -0.25 * at[g] * slope, 1e-6) << g << ' ' << h;
    }
  }
}

/// On a regular graph the two noises are one pattern, and the program has the first only.
bool noise_grows(const Case& it) { return it.name() == "mixed"; }

LearntVariances learn(const Case& it, std::size_t arm, double tolerance) {
  const ArmSample sample = it.sample(arm, noise_grows(it));
  std::vector<std::size_t> order(sample.kernels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return learn_variances(kContext, sample, order, tolerance);
}

TEST_P(NetworkRidgeFixture, TheSmallestCriterionIsFound) {
  for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
    const double smallest = it.arm(a).at("optimum").at("criterion").get<double>();
    const LearntVariances rough = learn(it, a, 1e-3);
    EXPECT_TRUE(rough.converged);
    // One more step would gain less than the tolerance; all further steps may gain a bit more.
    EXPECT_LT(rough.likelihood, smallest + 3e-3) << a;
    const LearntVariances fine = learn(it, a, 1e-9);
    EXPECT_TRUE(fine.converged);
    EXPECT_NEAR(fine.likelihood, smallest, 1e-6) << a;
  }
}

TEST_P(NetworkRidgeFixture, VariancesAtTheSmallestCriterionAgreeWhereTheDataTellThem) {
  for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
    const json& optimum = it.arm(a).at("optimum");
    const auto logs = vector_of(optimum.at("log_variances"));
    const auto identified = optimum.at("identified").get<std::vector<bool>>();
    const LearntVariances fine = learn(it, a, 1e-11);
    for (std::size_t g = 0; g < fine.variances.size(); ++g) {
      if (!identified[g]) continue;
      EXPECT_NEAR(std::log(fine.variances[g]), logs[g], 2e-3) << "arm " << a << " variance " << g;
    }
  }
}

FitPlan plan_of(const Case& it) {
  FitPlan plan;
  const auto fold = vector_of<std::size_t>(it.reference.at("fold"));
  plan.tasks.resize(size_of(it.reference, "num_folds"));
  for (NodeIndex i = 0; i < fold.size(); ++i) {
    plan.scored.push_back(i);
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      (fold[i] == t ? plan.tasks[t].score : plan.tasks[t].fit).push_back(i);
    }
  }
  return plan;
}

/// The variances as given, solved either way.
std::shared_ptr<NetworkRidge> ridge_as_given(const Case& it, const FitPlan& plan,
                                             double undersmoothing, bool is_dense) {
  auto ridge = std::make_shared<NetworkRidge>();
  ridge->inputs = it.inputs;
  auto part = std::make_unique<RidgePart>();
  RidgeSystem& system = part->system;
  system.inputs = it.inputs;
  system.groups = it.groups;
  system.undersmoothing = undersmoothing;
  for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
    const std::vector<double> variances = exponentials_of(it.arm(a).at("log_variances"));
    ArmModel& model = system.arms.emplace_back();
    model.mean = it.arm(a).at("mean").get<double>();
    model.sd = it.arm(a).at("sd").get<double>();
    const auto num_groups = static_cast<std::ptrdiff_t>(it.groups.size());
    model.group_variances.assign(variances.begin(), variances.begin() + num_groups);
    model.noise = variances[it.groups.size()];
    if (variances.size() > it.groups.size() + 1) model.noise_growth = variances.back();
    model.fixed_columns = it.fixed_columns(a);
  }
  for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
    part->tasks.push_back(t);
    std::vector<char>& learns = system.learns_from.emplace_back(it.data.num_nodes(), 0);
    for (const NodeIndex i : plan.tasks[t].fit) learns[it.inputs->place_of[i]] = 1;
    auto& scored = ridge->scored_places.emplace_back();
    for (const NodeIndex i : plan.tasks[t].score) scored.push_back(it.inputs->place_of[i]);
  }
  part->is_dense = is_dense;
  if (is_dense) {
    auto solver = std::make_unique<DenseSolver>(system);
    for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
      solver->prepare_arm(kContext, a, make_kernels(kContext, *it.inputs, it.groups, it.places(a)));
    }
    part->solver = std::move(solver);
  } else {
    part->solver = std::make_unique<IterativeSolver>(kContext, system);
  }
  ridge->parts.push_back(std::move(part));
  return ridge;
}

Matrix<double> predict(const Case& it, const FitPlan& plan, const NetworkRidge& ridge) {
  Matrix<double> mu(it.data.num_nodes(), it.data.num_arms());
  const RidgePart& part = *ridge.parts.front();
  const RidgeSolution solution = solve_outcomes(kContext, part, it.data);
  EXPECT_TRUE(solution.converged);
  for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
    const Matrix<double> predicted = predict_arm(kContext, part, solution, a);
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      for (const NodeIndex i : plan.tasks[t].score) {
        mu(i, a) = predicted(it.inputs->place_of[i], t);
      }
    }
  }
  return mu;
}

Matrix<double> table_of(const json& rows) {
  Matrix<double> out(rows.size(), rows[0].size());
  for (std::size_t i = 0; i < out.rows(); ++i) {
    for (std::size_t c = 0; c < out.cols(); ++c) out(i, c) = rows[i][c].get<double>();
  }
  return out;
}

class NetworkRidgeFolds : public NetworkRidgeFixture {
 protected:
  static constexpr double tolerance(bool is_dense) { return is_dense ? 1e-8 : 1e-6; }
};

TEST_P(NetworkRidgeFolds, PredictionsOfBothSolversAgree) {
  const FitPlan plan = plan_of(it);
  for (const json& fold : it.reference.at("folds")) {
    const double u = fold.at("undersmoothing").get<double>();
    const Matrix<double> expected = table_of(fold.at("predictions"));
    for (const bool is_dense : {true, false}) {
      const Matrix<double> found = predict(it, plan, *ridge_as_given(it, plan, u, is_dense));
      for (std::size_t i = 0; i < expected.rows(); ++i) {
        for (std::size_t a = 0; a < expected.cols(); ++a) {
          EXPECT_NEAR(found(i, a), expected(i, a), tolerance(is_dense))
              << "u " << u << " node " << i << " arm " << a << " dense " << is_dense;
        }
      }
    }
  }
}

TEST_P(NetworkRidgeFolds, ImpliedWeightsOfBothSolversAgree) {
  const FitPlan plan = plan_of(it);
  const Matrix<double> policy = table_of(it.reference.at("policy"));
  const std::vector<MatrixView<const double>> policies = {policy.view(), policy.view()};
  const auto n = static_cast<double>(it.data.num_nodes());
  for (const json& fold : it.reference.at("folds")) {
    const double u = fold.at("undersmoothing").get<double>();
    const auto expected = vector_of(fold.at("weights"));
    for (const bool is_dense : {true, false}) {
      const auto ridge = ridge_as_given(it, plan, u, is_dense);
      const NetworkRidgeVariance variance(ridge, it.data, plan, predict(it, plan, *ridge));
      for (const ImpliedWeights& found : variance.imply_weights(kContext, policies)) {
        EXPECT_TRUE(found.converged);
        for (std::size_t i = 0; i < expected.size(); ++i) {
          EXPECT_NEAR(found.weights[i] / n, expected[i], tolerance(is_dense)) << "node " << i;
        }
        const double value = std::inner_product(found.weights.begin(), found.weights.end(),
                                                it.data.outcome.begin(), 0.0) /
                             n;
        EXPECT_NEAR(value, fold.at("value").get<double>(), tolerance(is_dense));
      }
    }
  }
}

/// The reference has the formulas with noise variances that are given; here they are what the
/// residuals say.
TEST_P(NetworkRidgeFolds, ErrorVariancesFollowTheFormulas) {
  const FitPlan plan = plan_of(it);
  const auto ridge = ridge_as_given(it, plan, 0.1, true);
  const Matrix<double> mu = predict(it, plan, *ridge);
  const Matrix<double> policy = table_of(it.reference.at("policy"));
  const auto implied = NetworkRidgeVariance(ridge, it.data, plan, mu)
                           .imply_weights(kContext, std::vector{policy.view()})[0];
  std::vector<ResidualVariance> noise;
  for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
    std::vector<double> residual;
    std::vector<double> degree;
    for (std::size_t i = 0; i < it.data.num_nodes(); ++i) {
      if (it.data.treatment[i] != a) continue;
      residual.push_back(it.data.outcome[i] - mu(i, a));
      degree.push_back(it.inputs->relative_degree[it.inputs->place_of[i]]);
    }
    noise.push_back(fit_residual_variance(residual, degree));
  }
  const auto n = static_cast<double>(it.data.num_nodes());
  double independent = 0;
  double fitted = 0;
  for (std::size_t i = 0; i < it.data.num_nodes(); ++i) {
    const double degree = it.inputs->relative_degree[it.inputs->place_of[i]];
    const Arm own = it.data.treatment[i];
    const double weight = implied.weights[i] / n;
    fitted += weight * weight * noise[own].at(degree);
    for (std::size_t a = 0; a < it.data.num_arms(); ++a) {
      const double off = policy(i, a) / n - (a == own ? weight : 0);
      independent += off * off * noise[a].at(degree);
    }
  }
  EXPECT_NEAR(implied.variance / fitted, 1, 1e-10);
  EXPECT_NEAR(implied.variance_of_these.value() / independent, 1, 1e-10);
}

std::string name_of(const ::testing::TestParamInfo<std::size_t>& info) {
  return fixture().at("datasets").at(info.param).at("name").get<std::string>();
}

INSTANTIATE_TEST_SUITE_P(Datasets, NetworkRidgeFixture, ::testing::Values(0U, 1U, 2U), name_of);
INSTANTIATE_TEST_SUITE_P(Datasets, NetworkRidgeFolds, ::testing::Values(0U, 1U, 2U), name_of);

}  // namespace
}  // namespace cone

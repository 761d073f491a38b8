// Posterior standard deviations against scripts/network_ridge_reference.py, which inverts one
// covariance per node.

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "network_ridge/arm_solver_of.hpp"
#include "network_ridge/network_ridge.hpp"
#include "network_ridge/posterior_variance.hpp"
#include "support/fixture.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

/// A ridge with the fixture's variances and folds, ready to solve.
class PosteriorCase {
 public:
  PosteriorCase(const nlohmann::json& given, bool is_dense, double undersmoothing) {
    read_data(given);
    auto inputs =
        std::make_shared<RidgeInputs>(prepare_inputs(context, data_, {.communities = false}));
    model.inputs = inputs;
    part = model.parts.emplace_back(std::make_unique<RidgePart>()).get();
    RidgeSystem& system = part->system;
    system.inputs = inputs;
    system.groups = list_groups(context, *inputs, {});
    system.undersmoothing = undersmoothing;
    const auto fold = testing::vector_of<std::size_t>(given.at("fold"));
    for (std::size_t t = 0; t < given.at("num_folds").get<std::size_t>(); ++t) {
      part->tasks.push_back(t);
      system.learns_from.emplace_back();
      model.scored_positions.emplace_back();
      for (std::size_t p = 0; p < inputs->num_nodes(); ++p) {
        const bool is_scored = fold[inputs->node_at[p]] == t;
        system.learns_from[t].push_back(is_scored ? 0 : 1);
        if (is_scored) model.scored_positions[t].push_back(static_cast<std::uint32_t>(p));
      }
    }
    for (const nlohmann::json& arm : given.at("arms")) add_arm(arm);
    part->method = is_dense ? RidgeMethod::kDense : RidgeMethod::kIterative;
    part->solver = testing::make_arm_solver(context, data_, system, is_dense);
  }

  double deviation(const Matrix<double>& variance, std::size_t node, std::size_t arm) const {
    return part->system.arms[arm].sd * std::sqrt(variance(model.inputs->position_of[node], arm));
  }

  Context context{{.seed = 11, .threads = 2}};
  NetworkRidge model;
  RidgePart* part = nullptr;

 private:
  void read_data(const nlohmann::json& given) {
    const auto n = given.at("num_nodes").get<std::size_t>();
    data_.ids = IdTable::numbered(n);
    std::vector<Edge> edges;
    for (const nlohmann::json& pair : given.at("edges")) {
      edges.push_back({pair[0].get<NodeIndex>(), pair[1].get<NodeIndex>()});
    }
    data_.graph = build_graph(context, n, edges);
    auto rows = given.at("columns").get<std::vector<std::vector<double>>>();
    data_.features.num_dense = rows[0].size();
    for (auto& row : rows) {
      row.resize(data_.features.num_dense + given.at("num_words").get<std::size_t>());
    }
    for (const nlohmann::json& count : given.at("words")) {
      rows[count[0].get<std::size_t>()][data_.features.num_dense + count[1].get<std::size_t>()] +=
          count[2].get<double>();
    }
    data_.features.matrix = testing::sparse_from_rows(rows);
    data_.features.names.resize(rows[0].size());
    data_.arms.resize(given.at("num_arms").get<std::size_t>());
    data_.treatment = testing::vector_of<Arm>(given.at("arm"));
    data_.outcome = testing::vector_of(given.at("outcome"));
  }

  void add_arm(const nlohmann::json& given) {
    ArmModel& arm = part->system.arms.emplace_back();
    arm.mean = given.at("mean").get<double>();
    arm.sd = given.at("sd").get<double>();
    const auto logs = testing::vector_of(given.at("log_variances"));
    const std::size_t num_groups = part->system.groups.size();
    for (std::size_t g = 0; g < num_groups; ++g) arm.group_variances.push_back(std::exp(logs[g]));
    arm.noise = std::exp(logs[num_groups]);
    if (logs.size() > num_groups + 1) arm.noise_growth = std::exp(logs[num_groups + 1]);
    const std::vector<std::string> names = {"constant", "degree", "root_degree"};
    for (const auto& name : testing::vector_of<std::string>(given.at("fixed_effects"))) {
      arm.fixed_columns.push_back(
          static_cast<std::size_t>(std::ranges::find(names, name) - names.begin()));
    }
  }

  Dataset data_;
};

const nlohmann::json& posterior_reference() {
  static const nlohmann::json values = testing::read_fixture("network_ridge.json");
  return values.at("datasets");
}

TEST(PosteriorFixture, DenseDeviationsAgreeWithOneInversePerNode) {
  for (const nlohmann::json& given : posterior_reference()) {
    PosteriorCase it(given, /*is_dense=*/true, 1);
    const auto expected = given.at("posterior_sd").get<std::vector<std::vector<double>>>();
    Matrix<double> variance(expected.size(), expected[0].size(), -1);
    find_variances(it.context, it.model, *it.part, variance);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (std::size_t a = 0; a < expected[i].size(); ++a) {
        EXPECT_NEAR(it.deviation(variance, i, a) / expected[i][a], 1, 1e-7)
            << given.at("name") << " node " << i << " arm " << a;
      }
    }
  }
}

TEST(PosteriorFixture, TheIterativeSolverGivesTheSameColumns) {
  for (const nlohmann::json& given : posterior_reference()) {
    PosteriorCase it(given, /*is_dense=*/false, 1);
    const auto expected = given.at("posterior_sd").get<std::vector<std::vector<double>>>();
    Matrix<double> variance(expected.size(), expected[0].size(), -1);
    find_variances(it.context, it.model, *it.part, variance);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      for (std::size_t a = 0; a < expected[i].size(); ++a) {
        EXPECT_NEAR(it.deviation(variance, i, a) / expected[i][a], 1, 1e-5);
      }
    }
  }
}

TEST(PosteriorFixture, DrawsComeToTheExactDeviations) {
  // 4,000 draws: the relative error of a standard deviation is 1.1 %, of the worst of some hundred
  // 5 %.
  constexpr std::uint32_t kDraws = 4000;
  for (const nlohmann::json& given : posterior_reference()) {
    for (const double undersmoothing : {1.0, 0.1}) {
      PosteriorCase it(given, /*is_dense=*/true, undersmoothing);
      const std::size_t n = it.model.inputs->num_nodes();
      const std::size_t num_arms = it.model.inputs->num_arms();
      Matrix<double> exact(n, num_arms, -1);
      Matrix<double> drawn(n, num_arms, -1);
      find_variances(it.context, it.model, *it.part, exact);
      draw_variances(it.context, it.model, *it.part, kDraws, drawn);
      for (std::size_t k = 0; k < n * num_arms; ++k) {
        EXPECT_NEAR(std::sqrt(drawn.values()[k] / exact.values()[k]), 1, 0.05)
            << given.at("name") << ' ' << undersmoothing;
      }
    }
  }
}

}  // namespace
}  // namespace cone

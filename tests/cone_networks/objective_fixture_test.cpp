#include <gtest/gtest.h>

#include "cone/options.hpp"

#include "cone_networks/encoder.hpp"
#include "support/fixture.hpp"
#include "support/small_data.hpp"

namespace cone {
namespace {

using nlohmann::json;

constexpr double kTolerance = 1e-9;

/// One of our tensors and the tensors of the file that it joins.
struct Source {
  const char* ours;
  std::vector<std::pair<const char*, const char*>> theirs;
  bool side_by_side;  ///< columns of one matrix, else rows
};

const std::vector<Source> kSources = {
    {"layer1.weight", {{"treatment_encoder", "W"}, {"outcome_encoder", "W"}}, true},
    {"layer1.attention_dst",
     {{"treatment_encoder", "attention_dst"}, {"outcome_encoder", "attention_dst"}},
     false},
    {"layer1.attention_src",
     {{"treatment_encoder", "attention_src"}, {"outcome_encoder", "attention_src"}},
     false},
    {"layer1.bias", {{"treatment_encoder", "bias"}, {"outcome_encoder", "bias"}}, true},
    {"outcome_head.weight1", {{"outcome_head", "W1"}}, true},
    {"outcome_head.bias1", {{"outcome_head", "b1"}}, true},
    {"outcome_head.weight2", {{"outcome_head", "W2"}}, true},
    {"outcome_head.bias2", {{"outcome_head", "b2"}}, true},
    {"treatment_head.weight1", {{"treatment_head", "v"}}, true},
    {"treatment_head.bias1", {{"treatment_head", "c"}}, true},
    {"critic.weight1", {{"critic", "W1"}}, true},
    {"critic.bias1", {{"critic", "b1"}}, true},
    {"critic.weight2", {{"critic", "W2"}}, true},
    {"critic.bias2", {{"critic", "b2"}}, true},
};

/// A list of rows; a flat list is one row.
std::vector<std::vector<double>> rows_of(const json& values) {
  if (values[0].is_number()) return {testing::vector_of(values)};
  return values.get<std::vector<std::vector<double>>>();
}

/// The file's tensors of one source as one matrix in our layout, row by row.
std::vector<double> joined(const json& tensors, const Source& source) {
  std::vector<std::vector<double>> rows;
  for (const auto& [part, name] : source.theirs) {
    const auto more = rows_of(tensors[part][name]);
    if (rows.empty() || !source.side_by_side) {
      rows.insert(rows.end(), more.begin(), more.end());
    } else {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].insert(rows[i].end(), more[i].begin(), more[i].end());
      }
    }
  }
  std::vector<double> values;
  for (const auto& row : rows) values.insert(values.end(), row.begin(), row.end());
  return values;
}

class ObjectiveFixture : public ::testing::Test {
 protected:
  ObjectiveFixture() : fixture(testing::read_fixture("objective.json")) {
    ConeOptions options;
    options.heads = fixture["heads"];
    options.head_size = fixture["out"];
    options.hidden = fixture["hidden"];
    options.gamma = fixture["gamma"];
    options.zeta = fixture["zeta"];
    EXPECT_EQ(fixture["negative_slope"], 0.2);

    const Context context({.threads = 2});
    std::vector<Edge> edges;
    for (const auto& edge : fixture["edges"]) edges.push_back({edge[0], edge[1]});
    const Graph graph = build_graph(context, fixture["num_nodes"], edges);
    const SparseMatrix x = testing::sparse_from_rows(fixture["x"]);
    const TrainingFeatures<double> features(x);
    LoggedNodes<double> train;
    for (const NodeIndex i : testing::vector_of<NodeIndex>(fixture["train"])) {
      train.nodes.push_back(i);
      train.outcome.push_back(fixture["outcome"][i]);
      train.treatment.push_back(fixture["treatment"][i]);
    }

    model.emplace(DataShape{x.cols(), 2}, options);
    for_each_tensor([&](const Source& source, const nn::Tensor& tensor) {
      const auto values = joined(fixture["parameters"], source);
      ASSERT_EQ(values.size(), tensor.size()) << tensor.name;
      std::copy(values.begin(), values.end(),
                model->parameters().values().begin() + static_cast<long>(tensor.offset));
    });
    model->encode(context, graph, features.whole(), nullptr);
    losses =
        model->objective(context, train, testing::vector_of<std::uint32_t>(fixture["permutation"]));
    model->backward(context, graph, features.whole(), nullptr);
  }

  template <class Visit>
  void for_each_tensor(const Visit& visit) const {
    const auto tensors = model->parameters().layout().tensors();
    ASSERT_EQ(tensors.size(), kSources.size());
    for (const nn::Tensor& tensor : tensors) {
      const auto source = std::find_if(kSources.begin(), kSources.end(),
                                       [&](const Source& s) { return s.ours == tensor.name; });
      ASSERT_NE(source, kSources.end()) << tensor.name;
      visit(*source, tensor);
    }
  }

  json fixture;
  std::optional<Encoder<double>> model;
  EncoderLosses losses;
};

TEST_F(ObjectiveFixture, LossesMatch) {
  EXPECT_NEAR(losses.outcome, fixture["loss_outcome"], kTolerance);
  EXPECT_NEAR(losses.treatment, fixture["loss_treatment"], kTolerance);
  EXPECT_NEAR(losses.mutual_information, fixture["loss_mutual_information"], kTolerance);
  const double total = losses.outcome + fixture["gamma"].get<double>() * losses.treatment +
                       fixture["zeta"].get<double>() * losses.mutual_information;
  EXPECT_NEAR(total, fixture["loss"], kTolerance);
}

TEST_F(ObjectiveFixture, EveryGradientMatches) {
  for_each_tensor([&](const Source& source, const nn::Tensor& tensor) {
    const auto expected = joined(fixture["gradients"], source);
    ASSERT_EQ(expected.size(), tensor.size()) << tensor.name;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      EXPECT_NEAR(model->parameters().gradients()[tensor.offset + i], expected[i], kTolerance)
          << tensor.name << " at " << i;
    }
  });
}

}  // namespace
}  // namespace cone

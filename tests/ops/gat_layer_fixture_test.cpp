#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "ops/attention.hpp"
#include "ops/dense.hpp"
#include "ops/random_inputs.hpp"
#include "support/fixture.hpp"

namespace cone::ops {
namespace {

Matrix<double> matrix_of(const nlohmann::json& rows) {
  Matrix<double> m(rows.size(), rows.at(0).size());
  for (std::size_t i = 0; i < m.rows(); ++i) {
    const auto row = testing::vector_of(rows.at(i));
    std::copy(row.begin(), row.end(), m.row(i).begin());
  }
  return m;
}

/// z = ELU(attention(x·W) + bias) and its gradients, as a training step would compute them.
class GatLayer : public ::testing::Test {
 protected:
  void SetUp() override {
    std::vector<std::set<std::uint32_t>> rows(fixture_.at("num_nodes").get<std::size_t>());
    for (const auto& edge : fixture_.at("edges")) {
      rows[edge.at(0)].insert(edge.at(1).get<std::uint32_t>());
      rows[edge.at(1)].insert(edge.at(0).get<std::uint32_t>());
    }
    graph_ = graph_of(rows);
    shape_ = {.heads = fixture_.at("heads"),
              .size = fixture_.at("out"),
              .negative_slope = fixture_.at("negative_slope")};
    const std::size_t n = rows.size();
    h_ = z_ = dst_derivative_ = Matrix<double>(n, shape_.columns());
    dst_ = src_ = log_sum_exp_ = Matrix<double>(n, shape_.heads);

    multiply(context_, constant(x_), constant(w_), h_.view());
    attention_scores(context_, shape_, constant(h_), constant(a_dst_), dst_.view());
    attention_scores(context_, shape_, constant(h_), constant(a_src_), src_.view());
    attention_forward(context_, graph_.view(), shape_, constant(h_), constant(dst_), constant(src_),
                      z_.view(), log_sum_exp_.view(), dst_derivative_.view());
    attended_ = z_;
    const auto bias = testing::vector_of(fixture_.at("bias"));
    bias_elu<double>(context_, bias, z_.view());
  }

  const Context context_{{.threads = 2}};
  const nlohmann::json fixture_ = testing::read_fixture("gat_layer.json");
  const Matrix<double> x_ = matrix_of(fixture_.at("x"));
  const Matrix<double> w_ = matrix_of(fixture_.at("W"));
  const Matrix<double> a_dst_ = matrix_of(fixture_.at("attention_dst"));
  const Matrix<double> a_src_ = matrix_of(fixture_.at("attention_src"));
  OwnedGraph graph_;
  AttentionShape shape_;
  Matrix<double> h_, dst_, src_, log_sum_exp_, dst_derivative_, attended_, z_;
};

TEST_F(GatLayer, OutputAgreesWithTheFixture) {
  EXPECT_LT(largest_difference(z_, matrix_of(fixture_.at("z"))), 1e-9);
}

TEST_F(GatLayer, CoefficientsAgreeWithTheFixture) {
  const Matrix<double> expected = matrix_of(fixture_.at("attention"));
  std::size_t edge = 0;
  for_each_attention(graph_.view(), shape_, constant(dst_), constant(src_), constant(log_sum_exp_),
                     [&](std::size_t i, std::size_t j, std::span<const double> alphas) {
                       ASSERT_LT(edge, expected.rows());
                       EXPECT_EQ(fixture_.at("attention_edges").at(edge), nlohmann::json({i, j}));
                       for (std::size_t k = 0; k < alphas.size(); ++k) {
                         EXPECT_NEAR(alphas[k], expected(edge, k), 1e-9);
                       }
                       ++edge;
                     });
  EXPECT_EQ(edge, expected.rows());
}

TEST_F(GatLayer, GradientsAgreeWithTheFixture) {
  Matrix<double> d_out = matrix_of(fixture_.at("upstream"));
  Matrix<double> grad_bias(1, shape_.columns());
  bias_elu_backward(context_, constant(z_), d_out.view(), grad_bias.values());

  Matrix<double> d_h(h_.rows(), h_.cols());
  Matrix<double> d_dst(dst_.rows(), dst_.cols());
  Matrix<double> d_src(src_.rows(), src_.cols());
  attention_backward(context_, graph_.view(), shape_, constant(h_), constant(dst_), constant(src_),
                     constant(attended_), constant(log_sum_exp_), constant(dst_derivative_),
                     constant(d_out), d_h.view(), d_dst.view(), d_src.view());

  Matrix<double> grad_dst(shape_.heads, shape_.size);
  Matrix<double> grad_src(shape_.heads, shape_.size);
  for (std::size_t i = 0; i < h_.rows(); ++i) {
    for (std::size_t k = 0; k < shape_.heads; ++k) {
      for (std::size_t c = 0; c < shape_.size; ++c) {
        const std::size_t column = k * shape_.size + c;
        grad_dst(k, c) += d_dst(i, k) * h_(i, column);
        grad_src(k, c) += d_src(i, k) * h_(i, column);
        d_h(i, column) += d_dst(i, k) * a_dst_(k, c) + d_src(i, k) * a_src_(k, c);
      }
    }
  }
  Matrix<double> grad_w(w_.rows(), w_.cols());
  multiply_transposed_a(context_, constant(x_), constant(d_h), grad_w.view());

  EXPECT_LT(largest_difference(grad_w, matrix_of(fixture_.at("grad_W"))), 1e-9);
  EXPECT_LT(largest_difference(grad_dst, matrix_of(fixture_.at("grad_attention_dst"))), 1e-9);
  EXPECT_LT(largest_difference(grad_src, matrix_of(fixture_.at("grad_attention_src"))), 1e-9);
  const Matrix<double> bias = matrix_of(nlohmann::json::array({fixture_.at("grad_bias")}));
  EXPECT_LT(largest_difference(grad_bias, bias), 1e-9);
}

}  // namespace
}  // namespace cone::ops

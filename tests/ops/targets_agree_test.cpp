#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ops/attention.hpp"
#include "ops/dense.hpp"
#include "ops/random_inputs.hpp"
#include "ops/sparse.hpp"
#include "support/simd_targets.hpp"

// On another instruction set the kernels sum in another order, and fuse multiplications. Their
// results may differ by rounding only.
namespace cone::ops {
namespace {

template <class Real>
using Results = std::vector<std::pair<std::string, Matrix<Real>>>;

template <class Real>
void append_attention(const Context& context, double score_scale, Results<Real>& results) {
  constexpr std::size_t kNodes = 150;
  const AttentionShape shape{.heads = 3, .size = 17};
  const OwnedGraph graph = random_graph(kNodes, 600, 5);
  const auto h = as<Real>(random_matrix(kNodes, shape.columns(), 1));
  const auto a = as<Real>(random_matrix(shape.heads, shape.size, 2));
  const auto dst = as<Real>(random_matrix(kNodes, shape.heads, 3, score_scale));
  const auto src = as<Real>(random_matrix(kNodes, shape.heads, 4, score_scale));
  const auto d_out = as<Real>(random_matrix(kNodes, shape.columns(), 5));
  Matrix<Real> scores(kNodes, shape.heads), out(kNodes, shape.columns());
  Matrix<Real> log_sum_exp = scores, d_dst = scores, d_src = scores, derivative = out, d_h = out;
  attention_scores(context, shape, constant(h), constant(a), scores.view());
  attention_forward(context, graph.view(), shape, constant(h), constant(dst), constant(src),
                    out.view(), log_sum_exp.view(), derivative.view());
  attention_backward(context, graph.view(), shape, constant(h), constant(dst), constant(src),
                     constant(out), constant(log_sum_exp), constant(derivative), constant(d_out),
                     d_h.view(), d_dst.view(), d_src.view());
  const std::string suffix = score_scale > 10 ? ", wide scores" : "";
  results.emplace_back("attention_scores" + suffix, scores);
  results.emplace_back("attention_forward: out" + suffix, out);
  results.emplace_back("attention_forward: log_sum_exp" + suffix, log_sum_exp);
  results.emplace_back("attention_forward: dst_derivative" + suffix, derivative);
  results.emplace_back("attention_backward: d_h" + suffix, d_h);
  results.emplace_back("attention_backward: d_score_dst" + suffix, d_dst);
  results.emplace_back("attention_backward: d_score_src" + suffix, d_src);
}

template <class Real>
void append_activations(const Context& context, Results<Real>& results) {
  auto x = as<Real>(random_matrix(700, 37, 6, 3));
  auto d = as<Real>(random_matrix(700, 37, 7));
  const auto bias = as<Real>(random_matrix(1, 37, 8));
  Matrix<Real> sums(1, 37), d_bias(1, 37);
  column_sums(context, constant(x), sums.values());
  bias_elu(context, bias.values(), x.view());
  bias_elu_backward(context, constant(x), d.view(), d_bias.values());
  results.emplace_back("column_sums", sums);
  results.emplace_back("bias_elu", x);
  results.emplace_back("bias_elu_backward: d", d);
  results.emplace_back("bias_elu_backward: d_bias", d_bias);
}

template <class Real>
void append_sparse_product(const Context& context, Results<Real>& results) {
  constexpr std::size_t kRows = 200, kInner = 90, kEntries = 31;
  std::vector<std::uint64_t> offsets{0};
  std::vector<std::uint32_t> columns;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t e = 0; e < i % kEntries; ++e) {
      columns.push_back(static_cast<std::uint32_t>(i % 7 + 2 * e));
    }
    offsets.push_back(columns.size());
  }
  const auto values = as<Real>(random_matrix(1, columns.size(), 9));
  const auto w = as<Real>(random_matrix(kInner, 51, 10));
  Matrix<Real> out(kRows, 51);
  sparse_times_dense<Real>(context, {kInner, offsets, columns, values.values()}, constant(w),
                           out.view());
  results.emplace_back("sparse_times_dense", out);
}

template <class Real>
Results<Real> run_every_kernel() {
  const Context context({.threads = 2});
  Results<Real> results;
  append_attention(context, 2, results);
  append_attention(context, 100, results);  // beyond the range of products (score_range.hpp)
  append_activations(context, results);
  append_sparse_product(context, results);
  return results;
}

/// Compares the results of the chosen target with the baseline. Prints the largest difference.
template <class Real>
void expect_agreement(double tolerance) {
  const Results<Real> chosen = run_every_kernel<Real>();
  const std::int64_t target = hwy::SupportedTargets();
  testing::choose_target(testing::baseline_target());
  const Results<Real> baseline = run_every_kernel<Real>();
  testing::choose_target(target);
  ASSERT_EQ(chosen.size(), baseline.size());
  std::pair<double, std::string> largest;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto& [name, matrix] = baseline[i];
    Matrix<double> expected(matrix.rows(), matrix.cols());
    std::copy(matrix.values().begin(), matrix.values().end(), expected.values().begin());
    const double difference = largest_difference(chosen[i].second, expected);
    EXPECT_LT(difference, tolerance) << name;
    largest = std::max(largest, {difference, name});
  }
  std::printf("%s differs from %s by %.1e at most (%s)\n", hwy::TargetName(target),
              hwy::TargetName(testing::baseline_target()), largest.first, largest.second.c_str());
}

TEST(Targets, AgreeWithTheBaselineUpToRoundingInSinglePrecision) { expect_agreement<float>(5e-6); }

TEST(Targets, AgreeWithTheBaselineUpToRoundingInDoublePrecision) {
  expect_agreement<double>(1e-13);
}

}  // namespace
}  // namespace cone::ops

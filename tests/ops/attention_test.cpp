#include "ops/attention.hpp"

#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "ops/random_inputs.hpp"
#include "ops/reference.hpp"
#include "ops/score_range.hpp"

namespace cone::ops {
namespace {

template <class Real>
struct Pass {
  Matrix<Real> out, log_sum_exp, dst_derivative, d_h, d_score_dst, d_score_src;

  bool operator==(const Pass& other) const {
    const auto same = [](const Matrix<Real>& a, const Matrix<Real>& b) {
      return std::equal(a.values().begin(), a.values().end(), b.values().begin());
    };
    return same(out, other.out) && same(log_sum_exp, other.log_sum_exp) &&
           same(dst_derivative, other.dst_derivative) && same(d_h, other.d_h) &&
           same(d_score_dst, other.d_score_dst) && same(d_score_src, other.d_score_src);
  }
};

struct Inputs {
  Matrix<double> h, score_dst, score_src, d_out;
};

Inputs random_inputs(std::size_t nodes, const AttentionShape& shape, double score_scale = 2) {
  return {
      random_matrix(nodes, shape.columns(), 1), random_matrix(nodes, shape.heads, 2, score_scale),
      random_matrix(nodes, shape.heads, 3, score_scale), random_matrix(nodes, shape.columns(), 4)};
}

/// Forward and backward into matrices whose previous values must be overwritten.
template <class Real>
Pass<Real> run(const Context& context, const Adjacency& graph, const AttentionShape& shape,
               const Inputs& inputs) {
  const std::size_t n = graph.num_nodes();
  const Matrix<Real> h = as<Real>(inputs.h), d_out = as<Real>(inputs.d_out);
  const Matrix<Real> dst = as<Real>(inputs.score_dst), src = as<Real>(inputs.score_src);
  const Matrix<Real> wide(n, shape.columns(), Real{7}), narrow(n, shape.heads, Real{7});
  Pass<Real> pass{wide, narrow, wide, wide, narrow, narrow};
  attention_forward(context, graph, shape, h.view(), dst.view(), src.view(), pass.out.view(),
                    pass.log_sum_exp.view(), pass.dst_derivative.view());
  attention_backward(context, graph, shape, h.view(), dst.view(), src.view(), constant(pass.out),
                     constant(pass.log_sum_exp), constant(pass.dst_derivative), d_out.view(),
                     pass.d_h.view(), pass.d_score_dst.view(), pass.d_score_src.view());
  return pass;
}

template <class Real>
void expect_reference(const Adjacency& graph, const AttentionShape& shape, const Inputs& inputs,
                      double tolerance) {
  const Context context({.threads = 2});
  const Pass<Real> pass = run<Real>(context, graph, shape, inputs);
  const auto forward =
      reference::attention_forward(graph, shape, inputs.h, inputs.score_dst, inputs.score_src);
  const auto backward = reference::attention_backward(graph, shape, inputs.h, inputs.score_dst,
                                                      inputs.score_src, inputs.d_out);
  EXPECT_LT(largest_difference(pass.out, forward.out), tolerance);
  EXPECT_LT(largest_difference(pass.log_sum_exp, forward.log_sum_exp), tolerance);
  EXPECT_LT(largest_difference(pass.d_h, backward.d_h), tolerance);
  EXPECT_LT(largest_difference(pass.d_score_dst, backward.d_score_dst), tolerance);
  EXPECT_LT(largest_difference(pass.d_score_src, backward.d_score_src), tolerance);
}

constexpr double kFloatTolerance = 2e-5;
constexpr double kDoubleTolerance = 1e-12;

class AttentionOfShape
    : public ::testing::TestWithParam<std::tuple<std::size_t, std::size_t, bool>> {
 protected:
  AttentionShape shape() const {
    const auto [heads, size, self_loops] = GetParam();
    return {.heads = heads, .size = size, .self_loops = self_loops};
  }
};

TEST_P(AttentionOfShape, AgreesWithTheReference) {
  const OwnedGraph graph = random_graph(120, 400, 5);
  const Inputs inputs = random_inputs(120, shape());
  expect_reference<double>(graph.view(), shape(), inputs, kDoubleTolerance);
  expect_reference<float>(graph.view(), shape(), inputs, kFloatTolerance);
}

TEST_P(AttentionOfShape, IsAccurateForLargeScores) {
  const OwnedGraph graph = random_graph(60, 150, 6);
  const Inputs inputs = random_inputs(60, shape(), 100);
  expect_reference<double>(graph.view(), shape(), inputs, 1e-10);
  // Rounding a score of 200 to float moves a weight by 200 · 2^−24.
  expect_reference<float>(graph.view(), shape(), inputs, 1e-3);
}

/// Scores of a head that lie just within and just beyond the range in which weights are products of
/// factors (ops/score_range.hpp), with others far above and below them.
TEST_P(AttentionOfShape, AgreesWithTheReferenceOnBothSidesOfTheNarrowRange) {
  const OwnedGraph graph = random_graph(60, 150, 6);
  const auto expect = [&]<class Real>(Real spread, double tolerance) {
    for (const double factor : {0.999, 1.001}) {
      Inputs inputs = random_inputs(60, shape());
      for (std::size_t k = 0; k < shape().heads; ++k) {
        inputs.score_src(1, k) = std::floor(-spread * factor / 2 * 1024) / 1024;
        inputs.score_src(2, k) = std::ceil(spread * factor / 2 * 1024) / 1024;
        inputs.score_dst(3, k) = 10 * static_cast<double>(spread);
        inputs.score_dst(4, k) = -10 * static_cast<double>(spread);
      }
      expect_reference<Real>(graph.view(), shape(), inputs, tolerance);
    }
  };
  // Rounding a score of 1000 to float moves a weight by 1000 · 2^−24.
  expect(ScoreRange<float>::kLargestSpread, 1e-3);
  expect(ScoreRange<double>::kLargestSpread, 1e-10);
}

TEST_P(AttentionOfShape, BackwardMayOverwriteTheDerivativeItWasGiven) {
  const OwnedGraph graph = random_graph(120, 400, 5);
  const Inputs inputs = random_inputs(120, shape());
  const auto pass = run<float>(Context({.threads = 2}), graph.view(), shape(), inputs);
  Pass<float> again = pass;
  attention_backward<float>(
      Context({.threads = 2}), graph.view(), shape(), as<float>(inputs.h).view(),
      as<float>(inputs.score_dst).view(), as<float>(inputs.score_src).view(), constant(pass.out),
      constant(pass.log_sum_exp), constant(again.dst_derivative), as<float>(inputs.d_out).view(),
      again.dst_derivative.view(), again.d_score_dst.view(), again.d_score_src.view());
  again.d_h = std::exchange(again.dst_derivative, pass.dst_derivative);
  EXPECT_TRUE(again == pass);
}

TEST_P(AttentionOfShape, IsTheSameAtAnyNumberOfThreads) {
  static const OwnedGraph graph = random_graph(700, 9000, 7);
  const Inputs inputs = random_inputs(700, shape());
  const auto expected = run<float>(Context({.threads = 1}), graph.view(), shape(), inputs);
  for (const int threads : {2, 5}) {
    EXPECT_TRUE(run<float>(Context({.threads = threads}), graph.view(), shape(), inputs) ==
                expected);
  }
}

TEST_P(AttentionOfShape, ScoresAreDotProductsByHead) {
  const Matrix<double> h = random_matrix(37, shape().columns(), 8);
  const Matrix<double> a = random_matrix(shape().heads, shape().size, 9);
  const Matrix<double> expected = reference::attention_scores(shape(), h, a);
  Matrix<double> scores(37, shape().heads, 7.0);
  attention_scores(Context({.threads = 2}), shape(), constant(h), constant(a), scores.view());
  EXPECT_LT(largest_difference(scores, expected), kDoubleTolerance);
  Matrix<float> float_scores(37, shape().heads, 7.0F);
  attention_scores<float>(Context({.threads = 2}), shape(), as<float>(h).view(),
                          as<float>(a).view(), float_scores.view());
  EXPECT_LT(largest_difference(float_scores, expected), kFloatTolerance);
}

INSTANTIATE_TEST_SUITE_P(HeadsSizeAndSelfLoops, AttentionOfShape,
                         ::testing::Combine(::testing::Values(1, 3, 8),
                                            ::testing::Values(1, 3, 16, 17), ::testing::Bool()));

TEST(Attention, OfANodeWithoutNeighboursIsZero) {
  const OwnedGraph graph = graph_of({{1}, {0}, {}});
  const AttentionShape shape{.heads = 2, .size = 3, .self_loops = false};
  const auto pass =
      run<float>(Context({.threads = 1}), graph.view(), shape, random_inputs(3, shape));
  for (std::size_t c = 0; c < shape.columns(); ++c) {
    EXPECT_EQ(pass.out(2, c), 0);
    EXPECT_EQ(pass.d_h(2, c), 0);
  }
  for (std::size_t k = 0; k < shape.heads; ++k) {
    EXPECT_EQ(pass.log_sum_exp(2, k), -INFINITY);
    EXPECT_EQ(pass.d_score_dst(2, k), 0);
    EXPECT_EQ(pass.d_score_src(2, k), 0);
  }
}

TEST(Attention, OfAnEmptyGraphWritesNothing) {
  const OwnedGraph graph = graph_of({});
  const AttentionShape shape{.heads = 2, .size = 3};
  const std::size_t wide = shape.columns(), narrow = shape.heads;
  std::vector<float> memory(64, 7.0F);  // one piece for every input and output
  const auto no_rows = [&](std::size_t columns) {
    return MatrixView<float>(memory.data() + 32, 0, columns, columns);
  };
  const auto no_input = [&](std::size_t columns) {
    return MatrixView<const float>(memory.data() + 32, 0, columns, columns);
  };
  const Context context({.threads = 2});
  const Matrix<float> a(shape.heads, shape.size, 1.0F);
  attention_scores(context, shape, no_input(wide), constant(a), no_rows(narrow));
  attention_forward(context, graph.view(), shape, no_input(wide), no_input(narrow),
                    no_input(narrow), no_rows(wide), no_rows(narrow), no_rows(wide));
  attention_backward(context, graph.view(), shape, no_input(wide), no_input(narrow),
                     no_input(narrow), no_input(wide), no_input(narrow), no_input(wide),
                     no_input(wide), no_rows(wide), no_rows(narrow), no_rows(narrow));
  EXPECT_EQ(memory, std::vector<float>(64, 7.0F));
}

TEST(Attention, DoesNotTouchColumnsOutsideAView) {
  const OwnedGraph graph = random_graph(50, 100, 5);
  const AttentionShape shape{.heads = 3, .size = 17};
  const Inputs inputs = random_inputs(50, shape);
  const std::size_t columns = shape.columns();
  Matrix<float> wide(50, columns + 5, 7.0F);
  Matrix<float> log_sum_exp(50, shape.heads);
  Matrix<float> derivative(50, columns);
  attention_forward<float>(Context({.threads = 2}), graph.view(), shape, as<float>(inputs.h).view(),
                           as<float>(inputs.score_dst).view(), as<float>(inputs.score_src).view(),
                           {wide.data(), 50, columns, columns + 5}, log_sum_exp.view(),
                           derivative.view());
  const auto tight = run<float>(Context({.threads = 1}), graph.view(), shape, inputs);
  for (std::size_t i = 0; i < 50; ++i) {
    for (std::size_t c = 0; c < columns; ++c) EXPECT_EQ(wide(i, c), tight.out(i, c));
    for (std::size_t c = columns; c < columns + 5; ++c) EXPECT_EQ(wide(i, c), 7.0F);
  }
}

/// ⟨out, d_out⟩ as a function of h and the scores: its gradient is the backward pass.
double inner_product(const Adjacency& graph, const AttentionShape& shape, const Inputs& inputs) {
  Matrix<double> out(graph.num_nodes(), shape.columns());
  Matrix<double> log_sum_exp(graph.num_nodes(), shape.heads);
  Matrix<double> derivative(graph.num_nodes(), shape.columns());
  attention_forward(Context({.threads = 1}), graph, shape, constant(inputs.h),
                    constant(inputs.score_dst), constant(inputs.score_src), out.view(),
                    log_sum_exp.view(), derivative.view());
  double sum = 0;
  for (std::size_t i = 0; i < out.values().size(); ++i) {
    sum += out.values()[i] * inputs.d_out.values()[i];
  }
  return sum;
}

TEST(Attention, BackwardIsTheGradientByFiniteDifferences) {
  const OwnedGraph graph = random_graph(24, 40, 8);
  for (const bool self_loops : {false, true}) {
    const AttentionShape shape{.heads = 3, .size = 3, .self_loops = self_loops};
    Inputs inputs = random_inputs(24, shape);
    const auto pass = run<double>(Context({.threads = 1}), graph.view(), shape, inputs);
    const auto expect_gradient = [&](Matrix<double>& input, const Matrix<double>& gradient) {
      constexpr double kStep = 1e-5;
      for (std::size_t i = 0; i < input.values().size(); ++i) {
        double& value = input.values()[i];
        const double kept = value;
        value = kept + kStep;
        const double above = inner_product(graph.view(), shape, inputs);
        value = kept - kStep;
        const double below = inner_product(graph.view(), shape, inputs);
        value = kept;
        EXPECT_NEAR((above - below) / (2 * kStep), gradient.values()[i], 1e-8);
      }
    };
    expect_gradient(inputs.h, pass.d_h);
    expect_gradient(inputs.score_dst, pass.d_score_dst);
    expect_gradient(inputs.score_src, pass.d_score_src);
  }
}

TEST(Attention, CoefficientsComeInOrderAndSumToOne) {
  const OwnedGraph graph = random_graph(40, 80, 9);
  const AttentionShape shape{.heads = 3, .size = 2};
  const Inputs inputs = random_inputs(40, shape);
  const auto pass = run<double>(Context({.threads = 1}), graph.view(), shape, inputs);
  const reference::Pairs expected = reference::attended_pairs(graph.view(), true);
  auto next = expected.begin();
  Matrix<double> sums(40, 3);
  for_each_attention(graph.view(), shape, constant(inputs.score_dst), constant(inputs.score_src),
                     constant(pass.log_sum_exp),
                     [&](std::size_t i, std::size_t j, std::span<const double> alphas) {
                       ASSERT_NE(next, expected.end());
                       EXPECT_EQ(*next++, std::pair(i, j));
                       for (std::size_t k = 0; k < 3; ++k) sums(i, k) += alphas[k];
                     });
  EXPECT_EQ(next, expected.end());
  for (const double sum : sums.values()) EXPECT_NEAR(sum, 1, 1e-12);
}

}  // namespace
}  // namespace cone::ops

#include "nn/mlp.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "nn/gradient_check.hpp"

namespace cone::nn {
namespace {

constexpr std::size_t kRows = 5;

Matrix<double> normal_matrix(std::size_t rows, std::size_t cols, std::uint64_t item) {
  Rng rng(4, Stream::kTest, item);
  Matrix<double> x(rows, cols);
  for (double& value : x.values()) value = rng.normal();
  return x;
}

/// A network with random parameters, and the loss Σ output ∘ upstream.
class MlpGradient : public ::testing::TestWithParam<std::vector<std::size_t>> {
 protected:
  MlpGradient()
      : mlp(layout, "net", GetParam()),
        parameters(layout),
        input(normal_matrix(kRows, GetParam().front(), 0)),
        upstream(normal_matrix(kRows, GetParam().back(), 1)) {
    Rng rng(4, Stream::kTest, 2);
    for (double& value : parameters.values()) value = rng.normal();
  }

  double loss() {
    mlp.forward(context, parameters, MatrixView<const double>(input.view()), workspace);
    double total = 0;
    const auto output = workspace.output();
    for (std::size_t i = 0; i < output.rows(); ++i) {
      for (std::size_t j = 0; j < output.cols(); ++j) total += output(i, j) * upstream(i, j);
    }
    return total;
  }

  Context context{{.threads = 2}};
  ParameterLayout layout;
  Mlp mlp;
  ParameterStore<double> parameters;
  MlpWorkspace<double> workspace;
  Matrix<double> input;
  Matrix<double> upstream;
};

TEST_P(MlpGradient, AgreesWithFiniteDifferencesInEveryParameterAndInput) {
  loss();
  std::copy(upstream.values().begin(), upstream.values().end(), workspace.d_output().data());
  Matrix<double> d_input(kRows, input.cols(), 10.0);  // gradients are added to it
  mlp.backward(context, parameters, MatrixView<const double>(input.view()), workspace,
               d_input.view());
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const double slope =
        testing::central_difference(parameters.values()[i], [&] { return loss(); });
    EXPECT_NEAR(parameters.gradients()[i], slope, 1e-7) << i;
  }
  for (std::size_t i = 0; i < input.values().size(); ++i) {
    const double slope = testing::central_difference(input.values()[i], [&] { return loss(); });
    EXPECT_NEAR(d_input.values()[i] - 10, slope, 1e-7) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Depths, MlpGradient,
                         ::testing::Values(std::vector<std::size_t>{3, 1},
                                           std::vector<std::size_t>{4, 6, 1},
                                           std::vector<std::size_t>{3, 5, 4, 2}));

TEST(Mlp, StartsWithXavierWeightsAndZeroBiases) {
  ParameterLayout layout;
  const Mlp mlp(layout, "net", {200, 100, 1});
  ParameterStore<float> parameters(layout);
  mlp.initialise(parameters, 7);
  double sum_squares = 0;
  const double limit = std::sqrt(6.0 / 300);
  for (const float value : parameters.values().first(200 * 100)) {
    EXPECT_LE(std::abs(value), limit);
    sum_squares += value * value;
  }
  EXPECT_NEAR(sum_squares / (200 * 100), 2.0 / 300, 2e-4);
  for (const float value : parameters.value(1).row(0)) EXPECT_EQ(value, 0);

  ParameterStore<float> again(layout);
  mlp.initialise(again, 8);
  EXPECT_NE(again.values()[0], parameters.values()[0]) << "depends on the seed";
}

}  // namespace
}  // namespace cone::nn

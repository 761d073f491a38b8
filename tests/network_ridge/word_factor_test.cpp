// The part of the kernel that words make up, as a factor that is never written out.

#include "network_ridge/word_factor.hpp"

#include <cstdint>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "network_ridge/ridge_world.hpp"

namespace cone {
namespace {

constexpr std::size_t kNodes = 200;
constexpr std::size_t kArms = 3;

bool is_words(GroupKind kind) {
  return kind == GroupKind::kOwnWords || kind == GroupKind::kSumWords ||
         kind == GroupKind::kMeanWords;
}

/// Groups of words have variances that differ by arm, all others none.
RidgeSystem system_of_words(const Context& context) {
  const Dataset data = testing::ridge_world({.nodes = kNodes, .arms = kArms}, 5).data;
  RidgeSystem system;
  system.inputs = std::make_shared<RidgeInputs>(prepare_inputs(context, data, {}));
  system.groups = list_groups(context, *system.inputs, {});
  for (std::size_t a = 0; a < kArms; ++a) {
    ArmModel& model = system.arms.emplace_back();
    model.noise = 1e-3;
    for (std::size_t g = 0; g < system.groups.size(); ++g) {
      const double variance = 0.1 * static_cast<double>(1 + g + a);
      model.group_variances.push_back(is_words(system.groups[g].kind) ? variance : 0);
    }
  }
  system.learns_from.assign(1, std::vector<char>(kNodes, 1));
  return system;
}

Matrix<double> draw_table(std::size_t rows, std::size_t cols) {
  Matrix<double> out(rows, cols);
  Rng rng(7, Stream::kTest, cols);
  for (double& value : out.values()) value = rng.normal();
  return out;
}

TEST(WordFactor, TimesItsTransposeIsTheKernelOfWords) {
  const Context context(0, 2);
  const RidgeSystem system = system_of_words(context);
  const RidgeInputs& inputs = *system.inputs;
  const WordFactor factor(system, 3 * inputs.words.cols());
  ASSERT_EQ(factor.num_columns(), 3 * inputs.words.cols());
  const Matrix<double> v = draw_table(kNodes, 4);
  const Matrix<double> wanted = multiply_own_kernels(context, system, v);
  const std::vector<Matrix<double>> inner = factor.multiply_transposed(context, v);
  for (std::size_t a = 0; a < kArms; ++a) {
    Matrix<double> found(inputs.arm_begin[a + 1] - inputs.arm_begin[a], v.cols());
    factor.add_product(context, a, inner[a].view(), found.view());
    for (std::size_t i = 0; i < found.rows(); ++i) {
      for (std::size_t k = 0; k < v.cols(); ++k) {
        ASSERT_NEAR(found(i, k), wanted(inputs.arm_begin[a] + i, k), 1e-10);
      }
    }
  }
}

TEST(WordFactor, RowsThatAreWrittenOutGiveTheSameProducts) {
  const Context context(0, 2);
  const RidgeSystem system = system_of_words(context);
  const RidgeInputs& inputs = *system.inputs;
  const WordFactor factor(system, 3 * inputs.words.cols());
  const Matrix<double> t = draw_table(factor.num_columns(), 2);
  for (std::size_t a = 0; a < kArms; ++a) {
    std::vector<std::uint32_t> places;
    for (std::size_t p = inputs.arm_begin[a]; p < inputs.arm_begin[a + 1]; ++p) {
      places.push_back(static_cast<std::uint32_t>(p));
    }
    Matrix<double> rows(factor.num_columns(), places.size());
    factor.write_rows(context, a, places, rows);
    Matrix<double> product(places.size(), t.cols());
    factor.add_product(context, a, t.view(), product.view());
    for (std::size_t i = 0; i < places.size(); ++i) {
      for (std::size_t k = 0; k < t.cols(); ++k) {
        double sum = 0;
        for (std::size_t c = 0; c < rows.rows(); ++c) sum += rows(c, i) * t(c, k);
        ASSERT_NEAR(product(i, k), sum, 1e-10);
      }
    }
  }
}

TEST(WordFactor, TakesTheGroupThatExplainsMostWhereNotAllFit) {
  const Context context(0, 1);
  RidgeSystem system = system_of_words(context);
  const std::size_t words = system.inputs->words.cols();
  const WordFactor one(system, words);
  EXPECT_EQ(one.num_columns(), words);
  EXPECT_TRUE(one.has(GroupKind::kMeanWords));  // the last of the groups, with the largest variance
  EXPECT_EQ(WordFactor(system, words - 1).num_columns(), 0U);
  for (ArmModel& model : system.arms) model.noise = 1e6;  // nothing stands out
  EXPECT_EQ(WordFactor(system, 3 * words).num_columns(), 0U);
}

}  // namespace
}  // namespace cone

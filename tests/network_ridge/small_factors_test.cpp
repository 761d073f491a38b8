#include "network_ridge/small_factors.hpp"

#include <vector>

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "support/thread_communicator.hpp"

namespace cone {
namespace {

constexpr std::size_t kTasks = 3;

Matrix<double> draw(std::size_t rows, std::size_t cols, std::uint64_t item) {
  Rng rng(17, Stream::kTest, item);
  Matrix<double> out(rows, cols);
  for (double& value : out.values()) value = rng.normal();
  return out;
}

/// F'F for a factor of fewer rows than columns: S is far from diagonal.
Matrix<double> make_product(std::size_t size, std::uint64_t item) {
  const Matrix<double> factor = draw(size / 2 + 1, size, item);
  Matrix<double> out(size, size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < size; ++j) {
      for (std::size_t k = 0; k < factor.rows(); ++k) out(i, j) += factor(k, i) * factor(k, j);
    }
  }
  return out;
}

std::vector<Matrix<double>> make_products(std::size_t size) {
  std::vector<Matrix<double>> out;
  for (std::size_t p = 0; p < kTasks; ++p) out.push_back(make_product(size, p));
  return out;
}

/// All tasks but p learn from part p. Every process adds its share of each product.
SmallFactors make_factors(const Context& context, const Communicator& comm,
                          const std::vector<Matrix<double>>& products) {
  SmallFactors factors(comm, kTasks, products.front().rows());
  for (std::size_t p = 0; p < kTasks; ++p) {
    Matrix<double> product = products[p];
    for (double& value : product.values()) {
      value *= 2.0 * static_cast<double>(comm.rank() + 1) /
               static_cast<double>(comm.size() * (comm.size() + 1));
    }
    std::vector<char> tasks(kTasks, 1);
    tasks[p] = 0;
    factors.add(context, tasks, product);
  }
  factors.factorise(context);
  return factors;
}

const std::vector<std::size_t> kAsked = {2, 0, 0, 2, 1};

TEST(SmallFactors, SolveByTheMatrixOfTheTask) {
  const Context context;
  const Communicator alone;
  constexpr std::size_t kSize = 70;
  const std::vector<Matrix<double>> products = make_products(kSize);
  const SmallFactors factors = make_factors(context, alone, products);
  const Matrix<double> x = draw(kSize, kAsked.size(), 9);
  Matrix<double> y = x;
  factors.solve(context, kAsked, y);
  for (std::size_t k = 0; k < kAsked.size(); ++k) {
    for (std::size_t i = 0; i < kSize; ++i) {
      double back = y(i, k);
      for (std::size_t p = 0; p < kTasks; ++p) {
        if (p == kAsked[k]) continue;
        for (std::size_t j = 0; j < kSize; ++j) back += products[p](i, j) * y(j, k);
      }
      EXPECT_NEAR(back, x(i, k), 1e-10);
    }
  }
}

TEST(SmallFactors, OfManyProcessesSolveAsOneDoes) {
  for (const std::size_t size : {0UL, 1UL, 63UL, 64UL, 65UL, 130UL}) {
    const std::vector<Matrix<double>> products = make_products(size);
    const Communicator alone;
    Matrix<double> expected = draw(size, kAsked.size(), 9);
    make_factors(Context(), alone, products).solve(Context(), kAsked, expected);
    for (const std::size_t count : {2UL, 3UL, 7UL}) {
      std::vector<Matrix<double>> solved(count);
      testing::run_on_ranks(count, [&](const Communicator& comm) {
        const Context context({.threads = 1});
        const SmallFactors factors = make_factors(context, comm, products);
        solved[comm.rank()] = draw(size, kAsked.size(), 9);
        factors.solve(context, kAsked, solved[comm.rank()]);
      });
      for (const Matrix<double>& found : solved) {
        ASSERT_EQ(found.values().size(), expected.values().size());
        for (std::size_t k = 0; k < expected.values().size(); ++k) {
          ASSERT_NEAR(found.values()[k], expected.values()[k], 1e-9) << size << ' ' << count;
        }
      }
    }
  }
}

}  // namespace
}  // namespace cone

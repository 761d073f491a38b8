#include "ops/neighbour_sums.hpp"

#include <gtest/gtest.h>

#include "cone/error.hpp"

#include "ops/random_inputs.hpp"

namespace cone::ops {
namespace {

Matrix<double> sums(int threads, const OwnedGraph& graph, const Matrix<double>& v) {
  Matrix<double> out(graph.offsets.size() - 1, v.cols(), 7.0);
  sum_listed_rows(Context({.threads = threads}), graph.offsets, graph.neighbours, v.view(),
                  out.view());
  return out;
}

// Widths around one and four vectors of every instruction set.
TEST(NeighbourSums, AreThoseOfTheDefinition) {
  const OwnedGraph graph = random_graph(500, 3000, 1);
  for (const std::size_t width : {1U, 2U, 3U, 4U, 5U, 8U, 15U, 16U, 31U, 32U, 37U, 64U}) {
    const Matrix<double> v = random_matrix(500, width, 2);
    const Matrix<double> found = sums(2, graph, v);
    for (std::size_t i = 0; i < 500; ++i) {
      for (std::size_t c = 0; c < width; ++c) {
        double expected = 0;
        for (std::size_t k = graph.offsets[i]; k < graph.offsets[i + 1]; ++k) {
          expected += v(graph.neighbours[k], c);
        }
        // Added in the order of the list: the same bits on every instruction set.
        ASSERT_EQ(found(i, c), expected) << width << ' ' << i << ' ' << c;
      }
    }
  }
}

TEST(NeighbourSums, OfNoColumnsOrNoRowsAreEmpty) {
  const OwnedGraph graph = random_graph(50, 100, 1);
  EXPECT_EQ(sums(2, graph, Matrix<double>(50, 0)).values().size(), 0U);
  const OwnedGraph none{.offsets = {0}};
  EXPECT_EQ(sums(2, none, Matrix<double>(50, 3)).rows(), 0U);
}

TEST(NeighbourSums, ReadAndWritePartsOfTables) {
  const OwnedGraph graph = random_graph(300, 2000, 3);
  const Matrix<double> wide = random_matrix(300, 20, 4);
  const MatrixView<const double> v(wide.data() + 5, 300, 9, 20);
  Matrix<double> out(100, 30, -1.0);
  // The lists of the rows from 100 on, into columns from 10 on.
  sum_listed_rows(Context({.threads = 2}), std::span(graph.offsets).subspan(100, 101),
                  graph.neighbours, v, {out.data() + 10, 100, 9, 30});
  Matrix<double> narrow(300, 9);
  for (std::size_t i = 0; i < 300; ++i) {
    std::copy_n(&wide(i, 5), 9, narrow.row(i).begin());
  }
  const Matrix<double> expected = sums(1, graph, narrow);
  for (std::size_t i = 0; i < 100; ++i) {
    for (std::size_t c = 0; c < 30; ++c) {
      ASSERT_EQ(out(i, c), c < 10 || c >= 19 ? -1.0 : expected(100 + i, c - 10));
    }
  }
}

TEST(NeighbourSums, AreBitwiseEqualAtAnyNumberOfThreads) {
  const OwnedGraph graph = random_graph(5000, 60000, 5);
  const Matrix<double> v = random_matrix(5000, 33, 6);
  const Matrix<double> one = sums(1, graph, v);
  for (const int threads : {2, 5}) {
    EXPECT_TRUE(std::ranges::equal(one.values(), sums(threads, graph, v).values()));
  }
}

TEST(NeighbourSums, SizesMustAgree) {
  const OwnedGraph graph = random_graph(50, 100, 1);
  const Matrix<double> v(50, 3);
  Matrix<double> short_of_rows(49, 3);
  Matrix<double> short_of_columns(50, 2);
  for (Matrix<double>* out : {&short_of_rows, &short_of_columns}) {
    EXPECT_THROW(sum_listed_rows(Context({.threads = 1}), graph.offsets, graph.neighbours, v.view(),
                                 out->view()),
                 Error);
  }
}

}  // namespace
}  // namespace cone::ops

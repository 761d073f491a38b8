#include "simulate/topic_model_parts.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <fmt/format.h>

#include "cone/error.hpp"

namespace cone::topic_model {
namespace {

// Keeps count / kSmallestFactor, and sums of it, finite in single precision.
constexpr double kLargestCount = 1e6;
// As in scikit-learn.
constexpr double kSettledChange = 1e-3;

/// By default Boost computes them in long double, several times slower.
using InDouble = boost::math::policies::policy<boost::math::policies::promote_double<false>>;

Fault count_fault(std::size_t document, std::uint32_t word, double count) {
  Fault fault;
  fault.place.item = fmt::format("document {}, word {}", document, word);
  fault.what = fmt::format("the count is {}, must be between 0 and {:g}", count, kLargestCount);
  fault.advice = "give word counts; rescale larger weights";
  return fault;
}

// 1 for every topic, 0 in the padding.
TopicTable unit_scale(std::size_t num_topics) {
  TopicTable scale(1, num_topics);
  std::ranges::fill(scale.row(0).first(num_topics), 1.0F);
  return scale;
}

std::vector<double> totals_by_topic(const Context& context, const TopicTable& table) {
  using Totals = std::vector<double>;
  const auto pieces =
      context.map_ranges<Totals>(table.rows(), kWordGrain, [&](std::size_t begin, std::size_t end) {
        Totals totals(table.num_topics(), 0.0);
        for (std::size_t i = begin; i < end; ++i) {
          const std::span<const float> row = table.row(i);
          for (std::size_t k = 0; k < totals.size(); ++k) totals[k] += row[k];
        }
        return totals;
      });
  Totals totals(table.num_topics(), 0.0);
  for (const Totals& piece : pieces) {
    for (std::size_t k = 0; k < totals.size(); ++k) totals[k] += piece[k];
  }
  return totals;
}

}  // namespace

void check_counts(const SparseMatrix& counts) {
  FaultList faults;
  for (std::size_t i = 0; i < counts.rows(); ++i) {
    const SparseMatrix::Row row = counts.row(i);
    for (std::size_t k = 0; k < row.size(); ++k) {
      const double count = row.values[k];
      // Also false for NaN.
      const bool valid = count >= 0 && count <= kLargestCount;
      if (!valid) faults.add("count", count_fault(i, row.columns[k], count));
    }
  }
  faults.throw_if_any(ErrorCode::kData);
}

void check_any_word(const SparseMatrix& counts) {
  if (std::ranges::any_of(counts.values(), [](double count) { return count > 0; })) return;
  Fault fault;
  fault.what = "the documents contain no words";
  fault.advice = "give at least one positive count";
  throw Error(ErrorCode::kData, std::move(fault));
}

double digamma(double x) { return boost::math::digamma(x, InDouble()); }
double log_gamma(double x) { return boost::math::lgamma(x, InDouble()); }

void refresh_word_factors(const Context& context, const TopicTable& word_parameters,
                          TopicTable& word_factors) {
  const std::vector<double> totals = totals_by_topic(context, word_parameters);
  // Only ratios between topics matter: relative to the largest topic, the scales are at least 1. A
  // topic so empty that its scale would overflow has negligible factors.
  const double reference = digamma(*std::ranges::max_element(totals));
  TopicTable scale(1, totals.size());
  for (std::size_t k = 0; k < totals.size(); ++k) {
    const double ratio = std::exp(reference - digamma(totals[k]));
    scale.row(0)[k] = static_cast<float>(std::min(ratio, 1e20));
  }
  const std::span<const float> scales = scale.row(0);
  context.for_each_range(word_parameters.rows(), kWordGrain,
                         [&](std::size_t begin, std::size_t end) {
                           for (std::size_t w = begin; w < end; ++w) {
                             refresh_factors(word_parameters.row(w), scales, word_factors.row(w));
                           }
                         });
}

DocumentInference::DocumentInference(const TopicTable& word_factors, double document_prior,
                                     int max_updates)
    : word_factors_(word_factors),
      unit_scale_(unit_scale(word_factors.num_topics())),
      prior_(static_cast<float>(document_prior)),
      max_updates_(max_updates),
      settled_change_(
          static_cast<float>(kSettledChange * static_cast<double>(word_factors.num_topics()))) {}

void DocumentInference::infer(const CountedRows& words, Scratch& scratch,
                              std::span<float> factors) const {
  std::ranges::fill(scratch.parameters(), prior_);
  std::ranges::copy(unit_scale_.row(0), factors.begin());
  for (int update = 0; update < max_updates_; ++update) {
    responsibilities(word_factors_, words, factors, scratch.responsibility());
    const float change =
        update_parameters(prior_, factors, scratch.responsibility(), scratch.parameters());
    refresh_factors(scratch.parameters(), unit_scale_.row(0), factors);
    if (change < settled_change_) break;
  }
}

}  // namespace cone::topic_model

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "simulate/topic_model.hpp"
#include "simulate/topic_model_parts.hpp"

namespace cone {
namespace {

using namespace topic_model;

// E ln of the components of a Dirichlet distribution.
void expected_logs(std::span<const double> parameters, std::span<double> out) {
  const double total = digamma(sum(parameters));
  for (std::size_t k = 0; k < out.size(); ++k) out[k] = digamma(parameters[k]) - total;
}

// E ln p(x | prior) − E ln q(x | parameters) of one Dirichlet distribution of symmetric prior.
double prior_term(double prior, std::span<const double> parameters,
                  std::span<const double> expected_log) {
  const auto size = static_cast<double>(parameters.size());
  CompensatedSum total;
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    total.add((prior - parameters[k]) * expected_log[k] + log_gamma(parameters[k]));
  }
  total.add(-size * log_gamma(prior) + log_gamma(prior * size) - log_gamma(sum(parameters)));
  return total.value();
}

double log_sum_exp(std::span<const double> a, std::span<const double> b) {
  double top = a[0] + b[0];
  for (std::size_t k = 1; k < a.size(); ++k) top = std::max(top, a[k] + b[k]);
  double total = 0;
  for (std::size_t k = 0; k < a.size(); ++k) total += std::exp(a[k] + b[k] - top);
  return top + std::log(total);
}

// Logarithms split into their maximum and the exponentials relative to it: K exponentials per word
// instead of K per entry of the counts.
struct Logs {
  Matrix<double> logs;
  Matrix<double> ratios;
  std::vector<double> tops;

  Logs(std::size_t rows, std::size_t cols) : logs(rows, cols), ratios(rows, cols), tops(rows) {}
  void finish_row(std::size_t i) {
    tops[i] = *std::ranges::max_element(logs.row(i));
    for (std::size_t k = 0; k < logs.cols(); ++k) ratios(i, k) = std::exp(logs(i, k) - tops[i]);
  }
};

}  // namespace

double TopicModel::bound(const Context& context, const SparseMatrix& counts,
                         MatrixView<const double> document_parameters) const {
  require(document_parameters.rows() == counts.rows() &&
              document_parameters.cols() == num_topics() && counts.cols() == num_words(),
          "topic model: counts and document parameters disagree in size");
  Matrix<double> topic_logs(num_topics(), num_words());
  const auto topic_terms =
      context.map_ranges<double>(num_topics(), 1, [&](std::size_t k, std::size_t) {
        expected_logs(topic_word_.row(k), topic_logs.row(k));
        return prior_term(word_prior_, topic_word_.row(k), topic_logs.row(k));
      });

  Logs words(num_words(), num_topics());
  context.for_each_range(num_words(), kWordGrain, [&](std::size_t begin, std::size_t end) {
    for (std::size_t w = begin; w < end; ++w) {
      for (std::size_t k = 0; k < num_topics(); ++k) words.logs(w, k) = topic_logs(k, w);
      words.finish_row(w);
    }
  });

  const auto document_terms = context.map_ranges<double>(
      counts.rows(), kDocumentGrain, [&](std::size_t begin, std::size_t end) {
        CompensatedSum total;
        Logs document(1, num_topics());
        for (std::size_t i = begin; i < end; ++i) {
          expected_logs(document_parameters.row(i), document.logs.row(0));
          document.finish_row(0);
          const SparseMatrix::Row row = counts.row(i);
          for (std::size_t e = 0; e < row.size(); ++e) {
            const std::uint32_t w = row.columns[e];
            double ratio = 0;
            for (std::size_t k = 0; k < num_topics(); ++k) {
              ratio += document.ratios(0, k) * words.ratios(w, k);
            }
            // Underflows where the document and the word have no topic in common.
            const double log_probability =
                ratio > 1e-280 ? document.tops[0] + words.tops[w] + std::log(ratio)
                               : log_sum_exp(document.logs.row(0), words.logs.row(w));
            total.add(row.values[e] * log_probability);
          }
          total.add(prior_term(document_prior_, document_parameters.row(i), document.logs.row(0)));
        }
        return total.value();
      });
  return sum(topic_terms) + sum(document_terms);
}

}  // namespace cone

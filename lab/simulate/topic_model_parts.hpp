#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "simulate/topic_model_kernels.hpp"

namespace cone::topic_model {

/// ψ(x) and ln Γ(x), x > 0, in double precision. std::lgamma writes a global (signgam) and may not
/// run on several threads; the standard library has no digamma.
double digamma(double x);
double log_gamma(double x);

/// Throws Error(kData) listing every count that is negative, not finite or above 1e6 (where sums
/// in single precision could overflow).
void check_counts(const SparseMatrix& counts);
/// Throws Error(kData) unless some count is positive.
void check_any_word(const SparseMatrix& counts);

/// The counts in the kernels' format: single precision, one list per row. Keeps a reference.
class CountLists {
 public:
  explicit CountLists(const SparseMatrix& counts)
      : counts_(counts), values_(counts.values().begin(), counts.values().end()) {}

  std::size_t size() const { return counts_.rows(); }
  CountedRows operator[](std::size_t i) const {
    const std::size_t begin = counts_.offsets()[i];
    const std::size_t length = counts_.offsets()[i + 1] - begin;
    return {counts_.columns().subspan(begin, length), std::span(values_).subspan(begin, length)};
  }

 private:
  const SparseMatrix& counts_;
  std::vector<float> values_;
};

/// β: the factors exp(E ln p(w | k)) of every word (V × K) from its parameters λ (V × K), each
/// word's divided by its largest. O(V K).
void refresh_word_factors(const Context& context, const TopicTable& word_parameters,
                          TopicTable& word_factors);

/// The E-step of one document: its topics start uniform and alternate with its words' topics until
/// the parameters change by less than 1e-3 on average over topics, or after max_updates.
class DocumentInference {
 public:
  /// Keeps a reference to the factors of the words.
  DocumentInference(const TopicTable& word_factors, double document_prior, int max_updates);

  struct Scratch {
    explicit Scratch(std::size_t num_topics) : rows(2, num_topics) {}
    std::span<float> responsibility() { return rows.row(0); }
    /// γ of the document inferred last.
    std::span<float> parameters() { return rows.row(1); }
    TopicTable rows;
  };
  /// Leaves γ in scratch.parameters() and the factors θ of γ in `factors`.
  void infer(const CountedRows& words, Scratch& scratch, std::span<float> factors) const;

 private:
  const TopicTable& word_factors_;
  TopicTable unit_scale_;
  float prior_;
  int max_updates_;
  float settled_change_;
};

/// Items per task: enough to amortise its start, few enough to balance the threads.
inline constexpr std::size_t kDocumentGrain = 64;
inline constexpr std::size_t kWordGrain = 128;

}  // namespace cone::topic_model

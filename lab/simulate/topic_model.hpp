#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"
#include "cone/simulate.hpp"

namespace cone {

/// K topics over a vocabulary of V words: λ (K × V), the parameters of the Dirichlet posterior of
/// each topic's words. Does not keep the documents it was fitted on.
class TopicModel {
 public:
  /// `topic_word` is λ; its values and both priors are positive.
  TopicModel(Matrix<double> topic_word, double document_prior, double word_prior);

  std::size_t num_topics() const { return topic_word_.rows(); }
  std::size_t num_words() const { return topic_word_.cols(); }
  double document_prior() const { return document_prior_; }
  double word_prior() const { return word_prior_; }

  /// λ, K × V.
  MatrixView<const double> topic_word() const { return topic_word_.view(); }
  /// The mean of each topic's words: λ with rows scaled to sum 1, K × V.
  Matrix<double> word_distributions() const;
  /// The `count` most probable words of a topic, most probable first, ties by index; all words
  /// where there are no more than `count`. O(V + V log count).
  std::vector<std::uint32_t> top_words(std::size_t topic, std::size_t count) const;
  /// The words among the top `count` of at least one topic, ascending.
  std::vector<std::uint32_t> union_of_top_words(std::size_t count) const;

  /// γ (documents × K), the parameters of the Dirichlet posterior of each document's topics given
  /// the topics: the E-step below, with at most 100 updates. Documents need not be those of the
  /// fit. `counts` is documents × V. Throws Error(kData) for counts that are negative, not finite
  /// or above 1e6, and for another vocabulary size.
  Matrix<double> document_parameters(const Context& context, const SparseMatrix& counts) const;
  /// The mean topics of each document: γ with rows scaled to sum 1. A document without words has
  /// the prior's mean, 1/K each.
  Matrix<double> transform(const Context& context, const SparseMatrix& counts) const;

  /// The evidence lower bound of the counts for given γ, with α and η the priors,
  ///
  ///     Σ_d Σ_w n_dw ln Σ_k exp(E ln θ_dk + E ln β_kw) + Σ_d D(α, γ_d) + Σ_k D(η, λ_k),
  ///     D(a, g) = Σ_j [(a − g_j) E ln x_j + ln Γ(g_j) − ln Γ(a)] + ln Γ(a J) − ln Γ(Σ_j g_j),
  ///
  /// x ~ Dirichlet(g) of J components. Double precision; O(entries · K + (documents + V) K).
  double bound(const Context& context, const SparseMatrix& counts,
               MatrixView<const double> document_parameters) const;
  /// exp(−bound / Σ n_dw) at document_parameters(counts): the definition of scikit-learn's
  /// LatentDirichletAllocation.perplexity, in which the topics' term D(η, λ) counts in full however
  /// few the documents. Lower is better; the uniform distribution of words has V. Throws
  /// Error(kData) where no count is positive, and as document_parameters does.
  double perplexity(const Context& context, const SparseMatrix& counts) const;

 private:
  Matrix<double> topic_word_;
  double document_prior_;
  double word_prior_;
};

/// Latent Dirichlet allocation (Blei, Ng and Jordan 2003, Latent Dirichlet Allocation,
/// doi:10.5555/944919.944937) of documents × V word counts by batch variational Bayes, with the
/// updates of Hoffman, Blei and Bach (2010, Online Learning for Latent Dirichlet Allocation). With
/// t_d = exp(E ln θ_d) under γ_d and b_w = exp(E ln β_w) under λ, both K-vectors of digamma
/// differences, a pass alternates
///
///     E-step, each document, repeated:  γ_d = α + t_d ∘ Σ_w n_dw b_w / ⟨t_d, b_w⟩,
///     M-step, each word:                λ_w = η + b_w ∘ Σ_d n_dw t_d / ⟨t_d, b_w⟩.
///
/// The two are one kernel with documents and words exchanged, vectorised over topics; the M-step
/// runs over the transposed counts, so it needs no accumulators and is summed in one order at any
/// number of threads. Cost: 2 entries · K multiply-adds per update; a pass is at most
/// document_updates + 1 of them. Memory: K (4 documents + 16 V) + 20 entries bytes, K rounded up to
/// a multiple of 16.
///
/// Each E-step starts from uniform t_d and iterates until γ_d changes by less than 1e-3 on average,
/// as in scikit-learn. Starting from the γ_d of the previous pass is cheaper but ends in poorer
/// optima: a topic that has left a document under a sparse prior does not return (perplexity 1,780
/// instead of 1,630 on BlogCatalog, 6,770 instead of 5,700 on Flickr). The bound therefore is not
/// strictly monotone in the passes.
///
/// Departures from scikit-learn: λ starts at Uniform(0.9, 1.1) instead of Gamma(100, 0.01), γ at
/// uniform instead of random; at most 20 updates per pass instead of 100, which is faster and,
/// measured against 50, gives the lower perplexity; single precision in the passes, factors below
/// 1e-28 of the largest raised to it.
///
/// λ is drawn by (seed, word), so permuting the documents permutes their topics up to rounding;
/// permuting the words gives another draw. Bitwise equal at any number of threads on one type of
/// machine; between instruction sets equal up to rounding, which passes may amplify. Words that
/// occur nowhere keep λ = η. Throws Error(kData) for counts that are negative, not finite, above
/// 1e6 or all zero, Error(kUsage) for options out of range; Cancelled where the observer asks to
/// stop between passes.
TopicModel fit_topic_model(const Context& context, const SparseMatrix& counts,
                           const TopicModelOptions& options);

}  // namespace cone

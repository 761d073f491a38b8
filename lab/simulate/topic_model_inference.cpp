#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "simulate/topic_model.hpp"
#include "simulate/topic_model_kernels.hpp"
#include "simulate/topic_model_parts.hpp"

namespace cone {
namespace {

using namespace topic_model;

constexpr int kMaxUpdates = 100;

void check_vocabulary(const TopicModel& model, const SparseMatrix& counts) {
  if (counts.cols() == model.num_words()) return;
  Fault fault;
  fault.what = fmt::format("the documents have a vocabulary of {} words, the topic model of {}",
                           counts.cols(), model.num_words());
  fault.advice = "use the vocabulary that the model was fitted on";
  throw Error(ErrorCode::kData, std::move(fault));
}

TopicTable word_parameters(const TopicModel& model) {
  TopicTable table(model.num_words(), model.num_topics());
  const MatrixView<const double> topic_word = model.topic_word();
  for (std::size_t w = 0; w < table.rows(); ++w) {
    const std::span<float> row = table.row(w);
    for (std::size_t k = 0; k < table.num_topics(); ++k) {
      row[k] = static_cast<float>(topic_word(k, w));
    }
    // The kernels evaluate the padding too; its results are not used.
    std::ranges::fill(row.subspan(table.num_topics()), 1.0F);
  }
  return table;
}

}  // namespace

Matrix<double> TopicModel::document_parameters(const Context& context,
                                               const SparseMatrix& counts) const {
  check_vocabulary(*this, counts);
  check_counts(counts);
  TopicTable word_factors(num_words(), num_topics());
  refresh_word_factors(context, word_parameters(*this), word_factors);
  const CountLists documents(counts);
  const DocumentInference inference(word_factors, document_prior_, kMaxUpdates);

  Matrix<double> out(counts.rows(), num_topics());
  context.for_each_range(counts.rows(), kDocumentGrain, [&](std::size_t begin, std::size_t end) {
    DocumentInference::Scratch scratch(num_topics());
    TopicTable factors(1, num_topics());
    for (std::size_t i = begin; i < end; ++i) {
      inference.infer(documents[i], scratch, factors.row(0));
      std::ranges::copy(scratch.parameters().first(num_topics()), out.row(i).begin());
    }
  });
  return out;
}

Matrix<double> TopicModel::transform(const Context& context, const SparseMatrix& counts) const {
  Matrix<double> out = document_parameters(context, counts);
  for (std::size_t i = 0; i < out.rows(); ++i) {
    const double total = sum(out.row(i));
    for (double& value : out.row(i)) value /= total;
  }
  return out;
}

double TopicModel::perplexity(const Context& context, const SparseMatrix& counts) const {
  check_any_word(counts);
  const Matrix<double> parameters = document_parameters(context, counts);
  return std::exp(-bound(context, counts, parameters.view()) / sum(counts.values()));
}

}  // namespace cone

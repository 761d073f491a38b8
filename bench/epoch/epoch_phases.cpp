#include "epoch_phases.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include "nn/adam.hpp"
#include "nn/workspace.hpp"
#include "ops/attention.hpp"
#include "ops/sparse.hpp"

namespace {

using cone::Matrix;
using cone::MatrixView;
using cone::nn::constant;

class PhaseTimer {
 public:
  PhaseTimer(const TrainingInputs& inputs, cone::Encoder<float>& model, std::size_t min_calls)
      : inputs_(inputs),
        model_(model),
        min_calls_(min_calls),
        shape_{.heads = 2 * std::size_t{inputs.options.heads}, .size = inputs.options.head_size},
        graph_(cone::adjacency(inputs.graph)),
        nodes_(static_cast<double>(graph_.num_nodes())),
        pairs_(static_cast<double>(graph_.neighbours.size()) + nodes_),
        columns_(static_cast<double>(shape_.columns())),
        heads_(static_cast<double>(shape_.heads)),
        wide_(graph_.num_nodes(), shape_.columns()),
        dst_(graph_.num_nodes(), shape_.heads),
        src_(graph_.num_nodes(), shape_.heads),
        h_(wide_),
        aggregated_(wide_),
        derivative_(wide_),
        score_dst_(dst_),
        score_src_(dst_),
        log_sum_exp_(dst_) {
    // The operands of the first layer's aggregation.
    cone::ops::sparse_times_dense(inputs.context, inputs.features.by_row, tensor("layer1.weight"),
                                  h_.view());
    cone::ops::attention_scores(inputs.context, shape_, constant(h_),
                                tensor("layer1.attention_dst"), score_dst_.view());
    cone::ops::attention_scores(inputs.context, shape_, constant(h_),
                                tensor("layer1.attention_src"), score_src_.view());
  }

  std::vector<Phase> run() {
    time_products();
    time_attention();
    time_rest_of_model();
    return std::move(phases_);
  }

 private:
  MatrixView<const float> tensor(std::string_view name) const {
    const auto tensors = model_.parameters().layout().tensors();
    const auto found = std::find_if(tensors.begin(), tensors.end(),
                                    [&](const auto& tensor) { return tensor.name == name; });
    return std::as_const(model_).parameters().value(
        static_cast<std::size_t>(found - tensors.begin()));
  }

  template <class Call>
  void time(std::string name, double bytes, double flops, const Call& call) {
    phases_.push_back({std::move(name), measure(call, min_calls_), bytes, flops});
  }

  void time_products() {
    const auto x = inputs_.features.by_row;
    const auto x_transposed = inputs_.features.by_column;
    const auto entries = static_cast<double>(x.values.size());
    const MatrixView<const float> weight = tensor("layer1.weight");
    Matrix<float> d_weight(weight.rows(), weight.cols());
    const double bytes = entries * (8 + 4 * columns_);
    const double flops = 2 * entries * columns_;
    time("X·W", bytes + nodes_ * 4 * columns_, flops,
         [&] { cone::ops::sparse_times_dense(inputs_.context, x, weight, wide_.view()); });
    time("X'·G", bytes + static_cast<double>(x.num_cols) * 4 * columns_, flops, [&] {
      cone::ops::sparse_times_dense(inputs_.context, x_transposed, constant(h_), d_weight.view());
    });
  }

  void time_attention() {
    time("attention forward", pairs_ * (4 + 4 * columns_ + 8 * heads_) + nodes_ * 8 * columns_,
         pairs_ * (4 * columns_ + 6 * heads_), [&] {
           cone::ops::attention_forward(
               inputs_.context, graph_, shape_, constant(h_), constant(score_dst_),
               constant(score_src_), aggregated_.view(), log_sum_exp_.view(), derivative_.view());
         });
    const Matrix<float> d_out = aggregated_;
    time("attention backward", pairs_ * (4 + 4 * columns_ + 12 * heads_) + nodes_ * 20 * columns_,
         pairs_ * (4 * columns_ + 8 * heads_), [&] {
           cone::ops::attention_backward(
               inputs_.context, graph_, shape_, constant(h_), constant(score_dst_),
               constant(score_src_), constant(aggregated_), constant(log_sum_exp_),
               constant(derivative_), constant(d_out), wide_.view(), dst_.view(), src_.view());
         });
  }

  void time_rest_of_model() {
    std::vector<std::uint32_t> permutation(inputs_.train.nodes.size());
    std::iota(permutation.rbegin(), permutation.rend(), 0);
    time("heads and critic", 0, 0, [&] {
      model_.objective(inputs_.context, inputs_.train, permutation);
      model_.supervised_losses(inputs_.context, inputs_.validation);
    });
    const auto parameters = static_cast<double>(model_.parameters().size());
    cone::nn::Adam<float> adam({}, model_.parameters().size());
    time("Adam", 28 * parameters, 12 * parameters,
         [&] { adam.step(inputs_.context, model_.parameters()); });
  }

  const TrainingInputs& inputs_;
  cone::Encoder<float>& model_;
  std::size_t min_calls_;
  cone::ops::AttentionShape shape_;
  cone::ops::Adjacency graph_;
  double nodes_;
  double pairs_;
  double columns_;
  double heads_;
  Matrix<float> wide_;
  Matrix<float> dst_;
  Matrix<float> src_;
  Matrix<float> h_;
  Matrix<float> aggregated_;
  Matrix<float> derivative_;
  Matrix<float> score_dst_;
  Matrix<float> score_src_;
  Matrix<float> log_sum_exp_;
  std::vector<Phase> phases_;
};

}  // namespace

std::vector<Phase> time_phases(const TrainingInputs& inputs, cone::Encoder<float>& model,
                               std::size_t min_calls) {
  return PhaseTimer(inputs, model, min_calls).run();
}

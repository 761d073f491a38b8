#include "epoch_phases.hpp"

#include <numeric>
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
  PhaseTimer(const TrainingInputs& inputs, cone::ConeModel<float>& model, std::size_t min_calls)
      : inputs_(inputs),
        model_(model),
        min_calls_(min_calls),
        shape_(model.towers().attention_shape()),
        layer_(model.tower_workspace().layers.front()),
        graph_(cone::adjacency(inputs.graph)),
        nodes_(static_cast<double>(graph_.num_nodes())),
        pairs_(static_cast<double>(graph_.neighbours.size()) + nodes_),
        columns_(static_cast<double>(shape_.columns())),
        heads_(static_cast<double>(shape_.heads)),
        wide_(graph_.num_nodes(), shape_.columns()),
        dst_(graph_.num_nodes(), shape_.heads),
        src_(graph_.num_nodes(), shape_.heads) {}

  std::vector<Phase> run() {
    time_products();
    time_attention();
    time_rest_of_model();
    return std::move(phases_);
  }

 private:
  template <class Call>
  void time(std::string name, double bytes, double flops, const Call& call) {
    phases_.push_back({std::move(name), measure(call, min_calls_), bytes, flops});
  }

  void time_products() {
    const auto x = inputs_.features.by_row();
    const auto x_transposed = inputs_.features.by_column();
    const auto entries = static_cast<double>(x.values.size());
    const MatrixView<const float> weight = std::as_const(model_).parameters().value(0);
    Matrix<float> d_weight(weight.rows(), weight.cols());
    const double bytes = entries * (8 + 4 * columns_);
    const double flops = 2 * entries * columns_;
    time("X·W", bytes + nodes_ * 4 * columns_, flops,
         [&] { cone::ops::sparse_times_dense(inputs_.context, x, weight, wide_.view()); });
    time("X'·G", bytes + static_cast<double>(x.num_cols) * 4 * columns_, flops, [&] {
      cone::ops::sparse_times_dense(inputs_.context, x_transposed, constant(layer_.h),
                                    d_weight.view());
    });
  }

  void time_attention() {
    Matrix<float> log_sum_exp(graph_.num_nodes(), shape_.heads);
    Matrix<float> derivative(graph_.num_nodes(), shape_.columns());
    const auto h = constant(layer_.h);
    const auto score_dst = constant(layer_.score_dst);
    const auto score_src = constant(layer_.score_src);
    time("attention forward", pairs_ * (4 + 4 * columns_ + 8 * heads_) + nodes_ * 8 * columns_,
         pairs_ * (4 * columns_ + 6 * heads_), [&] {
           cone::ops::attention_forward(inputs_.context, graph_, shape_, h, score_dst, score_src,
                                        wide_.view(), log_sum_exp.view(), derivative.view());
         });
    const Matrix<float> d_out = layer_.z;
    time("attention backward", pairs_ * (4 + 4 * columns_ + 12 * heads_) + nodes_ * 20 * columns_,
         pairs_ * (4 * columns_ + 8 * heads_), [&] {
           cone::ops::attention_backward(inputs_.context, graph_, shape_, h, score_dst, score_src,
                                         constant(layer_.aggregated), constant(layer_.log_sum_exp),
                                         constant(derivative), constant(d_out), wide_.view(),
                                         dst_.view(), src_.view());
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
  cone::ConeModel<float>& model_;
  std::size_t min_calls_;
  cone::ops::AttentionShape shape_;
  const cone::nn::AttentionWorkspace<float>& layer_;
  cone::ops::Adjacency graph_;
  double nodes_;
  double pairs_;
  double columns_;
  double heads_;
  Matrix<float> wide_;
  Matrix<float> dst_;
  Matrix<float> src_;
  std::vector<Phase> phases_;
};

}  // namespace

std::vector<Phase> time_phases(const TrainingInputs& inputs, cone::ConeModel<float>& model,
                               std::size_t min_calls) {
  return PhaseTimer(inputs, model, min_calls).run();
}

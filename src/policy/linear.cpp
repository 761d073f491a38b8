#include <utility>

#include "cone/policy.hpp"

#include "policy/neighbour_logit.hpp"

namespace cone {
namespace {

class LinearPolicy : public Policy {
 public:
  explicit LinearPolicy(LinearPolicyWeights weights) : weights_(std::move(weights)) {}

  Matrix<double> probabilities(const Context& context, const FeatureTable& features,
                               const Graph& graph) const override {
    Matrix<double> logits(graph.num_nodes(), 2);
    fill_neighbour_logit(context, features, graph, 1.0, {logits, 1},
                         [&](const FeatureMatrix::Row& x) {
                           return NodeScore{weights_.intercept + dot(x, weights_.feature),
                                            dot(x, weights_.neighbour)};
                         });
    return softmax_rows(context, std::move(logits));
  }

 private:
  LinearPolicyWeights weights_;
};

}  // namespace

std::unique_ptr<Policy> linear_policy(LinearPolicyWeights weights) {
  return std::make_unique<LinearPolicy>(std::move(weights));
}

}  // namespace cone

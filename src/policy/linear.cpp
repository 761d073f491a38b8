#include <utility>

#include "policy/neighbour_logit.hpp"
#include "policy/policy.hpp"

namespace cone {
namespace {

class LinearPolicy : public Policy {
 public:
  explicit LinearPolicy(LinearPolicyWeights weights) : weights_(std::move(weights)) {}

  std::vector<double> treat_probabilities(const Context& context, const FeatureTable& features,
                                          const Graph& graph) const override {
    return neighbour_logit(context, features, graph, 1.0, [&](const FeatureMatrix::Row& x) {
      return NodeScore{weights_.intercept + dot(x, weights_.feature), dot(x, weights_.neighbour)};
    });
  }

 private:
  LinearPolicyWeights weights_;
};

}  // namespace

std::unique_ptr<Policy> linear_policy(LinearPolicyWeights weights) {
  return std::make_unique<LinearPolicy>(std::move(weights));
}

}  // namespace cone

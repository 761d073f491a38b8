#include "policy/random_weights.hpp"

#include <cmath>

#include "base/random.hpp"
#include "policy/neighbour_logit.hpp"
#include "policy/policy.hpp"

namespace cone {
namespace {

class RandomWeightsPolicy : public Policy {
 public:
  explicit RandomWeightsPolicy(std::uint64_t seed) : seed_(seed) {}

  std::vector<double> treat_probabilities(const Context& context, const FeatureTable& features,
                                          const Graph& graph) const override {
    SignWeights weights;
    Rng own(seed_, Stream::kPolicyWeights, 0);
    Rng neighbour(seed_, Stream::kPolicyWeights, 1);
    for (std::size_t j = 0; j < features.matrix.cols(); ++j) {
      weights.own.push_back(own.sign());
      weights.neighbour.push_back(neighbour.sign());
    }
    return sign_weight_probabilities(context, features, graph, weights);
  }

 private:
  std::uint64_t seed_;
};

}  // namespace

std::vector<double> sign_weight_probabilities(const Context& context, const FeatureTable& features,
                                              const Graph& graph, const SignWeights& weights) {
  constexpr double kScale = 2;  // the paper's policy is twice the sum of the two terms
  return neighbour_logit(context, features, graph, kScale, [&](const FeatureMatrix::Row& x) {
    double total = 0;
    x.for_each([&](std::uint32_t, double value) { total += std::abs(value); });
    if (total == 0) return NodeScore{};
    return NodeScore{dot(x, weights.own) / total, dot(x, weights.neighbour) / total};
  });
}

std::unique_ptr<Policy> random_weights_policy(std::uint64_t seed) {
  return std::make_unique<RandomWeightsPolicy>(seed);
}

}  // namespace cone

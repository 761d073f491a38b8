#include "policy/policy.hpp"

namespace cone {
namespace {

class ConstantPolicy : public Policy {
 public:
  explicit ConstantPolicy(double probability) : probability_(probability) {}
  std::vector<double> treat_probabilities(const Context&, const FeatureTable&,
                                          const Graph& graph) const override {
    return std::vector<double>(graph.num_nodes(), probability_);
  }

 private:
  double probability_;
};

}  // namespace

std::unique_ptr<Policy> constant_policy(double probability) {
  return std::make_unique<ConstantPolicy>(probability);
}

}  // namespace cone

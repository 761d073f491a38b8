// Evaluates two policies from arrays in memory.
#include <cmath>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "cone/context.hpp"
#include "cone/evaluate.hpp"
#include "cone/load.hpp"
#include "cone/policy.hpp"
#include "cone/record.hpp"

int main() {
  try {
    // 300 customers on a ring. Age confounds: the older half gets other messages, and buys more.
    const std::size_t n = 300;
    cone::Matrix<double> features(n, 1);
    std::vector<std::string> treatment;
    std::vector<double> outcome;
    std::vector<cone::Edge> edges;
    for (std::size_t i = 0; i < n; ++i) {
      const double age = std::fmod(37.0 * static_cast<double>(i), 50) / 50;
      const std::size_t arm = (i * 7 + (age > 0.5 ? i % 2 : 0)) % 3;
      const double effect = arm == 0 ? 0 : arm == 1 ? 1 : 2;
      features(i, 0) = age;
      treatment.push_back(arm == 0 ? "control" : arm == 1 ? "email" : "sms");
      outcome.push_back(3 * age + effect + 0.1 * std::sin(static_cast<double>(i)));
      edges.push_back({static_cast<cone::NodeIndex>(i), static_cast<cone::NodeIndex>((i + 1) % n)});
    }
    const cone::Context context({.seed = 1, .threads = 1});
    cone::DatasetArrays arrays;
    arrays.treatment = treatment;
    arrays.outcome = outcome;
    arrays.numeric_features = std::as_const(features).view();
    arrays.edges = edges;
    const cone::LoadedData data = cone::make_dataset(context, arrays);

    const std::vector<std::string> names = {"always:sms", "uniform"};
    const auto policies = cone::resolve_policies(context, data.observed, names);
    cone::EvaluateOptions options;
    options.estimators = {"naive", "dr_ridge"};
    const cone::EvaluationRecord record = cone::evaluate(context, data, policies, options);
    std::fputs(cone::evaluation_text(record).c_str(), stdout);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "embed: %s\n", error.what());
    return 1;
  }
}

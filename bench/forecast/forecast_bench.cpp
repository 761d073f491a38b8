// Expected and measured run time of a command by part, as JSON. Measured is CPU time divided by the
// number of threads, which other programs on the machine affect little.
//   forecast_bench COMMAND NODES NEIGHBOURS COLUMNS THREADS
#include <cstdlib>
#include <ctime>
#include <exception>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "cone/context.hpp"
#include "cone/effects.hpp"
#include "cone/evaluate.hpp"
#include "cone/learn_policy.hpp"
#include "cone/load.hpp"
#include "cone/policy.hpp"
#include "cone/sensitivity.hpp"

#include "base/random.hpp"
#include "study/refute.hpp"

namespace {

using namespace cone;

/// Sums CPU time by the outermost stage.
class StageTimes : public ProgressObserver {
 public:
  bool update(std::string_view, std::uint64_t, std::uint64_t) override { return true; }
  void enter(const ProgressStage& stage) override {
    const double now = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    seconds[name_] += now - last_;
    last_ = now;
    name_ = stage.label.substr(0, stage.label.find_first_of(",(0123456789"));
    while (name_.ends_with(' ')) name_.pop_back();
  }
  std::map<std::string, double> seconds;

 private:
  std::string name_ = "before";
  double last_ = static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
};

LoadedData draw_data(const Context& context, std::size_t n, std::size_t neighbours,
                     std::size_t columns) {
  Rng rng(1, Stream::kTest, 0);
  Matrix<double> x(n, columns);
  for (double& value : x.values()) value = rng.normal();
  std::vector<Edge> edges;
  for (std::size_t k = 0; k < n * neighbours / 2; ++k) {
    const auto a = static_cast<NodeIndex>(rng.below(n));
    const auto b = static_cast<NodeIndex>(rng.below(n));
    if (a != b) edges.push_back({a, b});
  }
  std::vector<double> confounder(n);  // shared by neighbours
  for (double& value : confounder) value = rng.normal();
  for (const Edge& edge : edges) confounder[edge.source] += 0.3 * confounder[edge.target];
  std::vector<double> treatment;
  std::vector<double> outcome;
  for (std::size_t i = 0; i < n; ++i) {
    const double push = 0.7 * x(i, 0) + 0.3 * confounder[i];
    treatment.push_back(rng.uniform() < 1 / (1 + std::exp(-push)) ? 1 : 0);
    outcome.push_back(x(i, 0) + std::sin(2 * x(i, 1 % columns)) + 0.5 * confounder[i] +
                      treatment.back() * (0.5 + 0.5 * x(i, 2 % columns)) + rng.normal());
  }
  return make_dataset(context, {.treatment_numbers = treatment,
                                .outcome = outcome,
                                .numeric_features = x.view(),
                                .edges = edges});
}

void run(char** argv) {
  const std::string command = argv[1];
  const auto count = [&](int k) { return static_cast<std::size_t>(std::atoll(argv[k])); };
  const int threads = std::atoi(argv[5]);
  StageTimes times;
  const Context context({.seed = 1, .threads = threads});
  const LoadedData data = draw_data(context, count(2), count(3), count(4));
  const std::vector<std::string> words = {"treat-all"};
  const auto policies = resolve_policies(context, data.observed, words);
  const Context watched = context.with_observer(&times);
  std::vector<ExpectedCost> costs;
  const std::clock_t start = std::clock();
  if (command == "evaluate" || command == "network_dm") {
    EvaluateOptions options;
    if (command == "network_dm") options.estimators = {"network_dm"};
    costs = expected_costs(context, data.observed, options);
    evaluate(watched, data, policies, options);
  } else if (command == "effects") {
    const EffectOptions options;
    costs = expected_costs(context, data.observed, options);
    predict_effects(watched, data.observed, options);
  } else if (command == "learn") {
    const LearnPolicyOptions options;
    costs = expected_costs(context, data.observed, options);
    learn_policy(watched, data.observed, options);
  } else if (command == "sensitivity") {
    const SensitivityOptions options;
    costs = expected_costs(context, data, options, policies.size());
    analyse_sensitivity(watched, data, policies, Reference::kLogged, nullptr, options);
  } else if (command == "refute") {
    const RefuteOptions options;
    costs = expected_costs(context, data.observed, options);
    const auto folder = std::filesystem::temp_directory_path() /
                        fmt::format("cone_forecast_{}", static_cast<long>(std::clock()));
    refute(watched, data.observed, policies, options, {.store = UnitStore(folder)});
    std::filesystem::remove_all(folder);
  } else if (command == "fit") {
    const ModelOptions options;
    costs = expected_costs(context, data.observed, options);
    fit_model(watched, data.observed, options);
  } else {
    throw std::runtime_error("no such command");
  }
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / threads;
  times.enter({});
  std::string expected;
  for (const ExpectedCost& cost : costs) {
    expected +=
        fmt::format("{}\"{}\": {:.3f}", expected.empty() ? "" : ", ", cost.name, cost.seconds);
  }
  std::string measured;
  for (const auto& [name, value] : times.seconds) {
    measured +=
        fmt::format("{}\"{}\": {:.3f}", measured.empty() ? "" : ", ", name, value / threads);
  }
  fmt::print(
      "{{\"expected_seconds\": {:.3f}, \"measured_seconds\": {:.3f}, \"expected\": {{{}}}, "
      "\"measured\": {{{}}}}}\n",
      total_seconds(costs), seconds, expected, measured);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    fmt::print(stderr, "usage: forecast_bench COMMAND NODES NEIGHBOURS COLUMNS THREADS\n");
    return 2;
  }
  try {
    run(argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "forecast_bench: {}\n", error.what());
    return 1;
  }
  return 0;
}

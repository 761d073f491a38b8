// Times training epochs of the representations, and their parts separately, as JSON.
// epoch_bench --help
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/resource.h>

#include "cone/context.hpp"
#include "cone/load.hpp"
#include "cone/options.hpp"
#include "cone/simulate.hpp"

#include "base/random.hpp"
#include "cone_networks/train_encoder.hpp"
#include "data/split.hpp"
#include "epoch_phases.hpp"
#include "machine_limits.hpp"
#include "peer_files.hpp"
#include "simulate/simulated_data.hpp"

namespace {

using cone::Context;
using cone::NodeIndex;

struct Options {
  int threads = 0;
  std::uint32_t epochs = 50;
  std::filesystem::path mat_file;
  std::size_t top_words = 100;
  std::uint32_t nodes = 5200;
  double mean_degree = 66;
  double words_per_node = 70;
  std::string encoder = "attention";
  std::filesystem::path peer_folder;
  bool whole_only = false;
};

Options parse(int argc, char** argv) {
  Options options;
  CLI::App app("Times epochs of training CONE's representations");
  app.add_option("--threads", options.threads, "0: one per core");
  app.add_option("--epochs", options.epochs, "How many to time, the first apart");
  app.add_option("--mat", options.mat_file, "A real network; without it one is generated");
  app.add_option("--top-words", options.top_words, "Features of a real network, a topic");
  app.add_option("--nodes", options.nodes, "Of a generated network");
  app.add_option("--mean-degree", options.mean_degree, "Of a generated network");
  app.add_option("--words-per-node", options.words_per_node, "Of a generated network");
  app.add_option("--encoder", options.encoder, "The parts are timed of attention only")
      ->check(CLI::IsMember(cone::enum_choices<cone::EncoderKind>()));
  app.add_option("--peer-folder", options.peer_folder, "Write the inputs of a peer here");
  app.add_flag("--whole-only", options.whole_only, "Leave out the parts");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app.exit(error));
  }
  return options;
}

/// The end times of epochs, from the progress that training reports.
class EpochClock : public cone::ProgressObserver {
 public:
  bool update(std::string_view phase, std::uint64_t, std::uint64_t) override {
    if (phase == "training representations") ends_.push_back(std::chrono::steady_clock::now());
    return true;
  }
  /// Without the first epoch, which also allocates memory.
  std::vector<double> seconds() const {
    std::vector<double> seconds;
    for (std::size_t e = 1; e < ends_.size(); ++e) {
      seconds.push_back(std::chrono::duration<double>(ends_[e] - ends_[e - 1]).count());
    }
    return seconds;
  }

 private:
  std::vector<std::chrono::steady_clock::time_point> ends_;
};

std::int64_t peak_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return std::int64_t{usage.ru_maxrss} * 1024;
}

/// Observed data simulated on the network.
cone::Dataset make_data(const Context& context, const Options& options) {
  cone::TopicNetwork network;
  if (options.mat_file.empty()) {
    cone::NetworkOptions synthetic;
    synthetic.nodes = options.nodes;
    synthetic.mean_degree = options.mean_degree;
    synthetic.words_per_node = options.words_per_node;
    network = cone::synthetic_topic_network(context, synthetic);
  } else {
    network = cone::fitted_topic_network(context, cone::load_dataset(context, options.mat_file), {},
                                         options.top_words);
  }
  return std::move(cone::simulate_data(context, std::move(network), {}, 0).data.observed);
}

cone::ConeOptions cone_options(const Options& options) {
  cone::ConeOptions result;
  result.epochs = options.epochs + 1;
  result.patience = options.epochs + 1;
  cone::parse_option(options.encoder, result.encoder);
  return result;
}

std::vector<double> outcomes_of(const cone::Dataset& data,
                                const std::vector<cone::NodeIndex>& nodes) {
  std::vector<double> outcomes;
  for (const cone::NodeIndex i : nodes) outcomes.push_back(data.outcome[i]);
  return outcomes;
}

/// A model before its first step, after one pass: to time the parts and to compare with a peer.
class FirstStep {
 public:
  FirstStep(const Context& context, const cone::ConeInput& input, const cone::Split& split,
            const cone::ConeOptions& options)
      : context_(context),
        input_(input),
        options_(options),
        units_(cone::outcome_units(outcomes_of(input.data(), split.train))),
        train_(cone::logged_nodes(input, split.train, units_)),
        validation_(cone::logged_nodes(input, split.validation, units_)),
        permutation_(cone::Rng(context.seed(), cone::Stream::kPermutation)
                         .permutation(static_cast<std::uint32_t>(split.train.size()))),
        model_(input.shape(), options) {
    model_.initialise(context.seed());
    model_.encode(context, input.data().graph, input.features().whole(), nullptr);
    losses_ = model_.objective(context, train_, permutation_);
  }

  const cone::EncoderLosses& losses() const { return losses_; }

  void write(const std::filesystem::path& folder) const {
    std::vector<double> outcome;
    for (const double y : input_.data().outcome)
      outcome.push_back((y - units_.mean) / units_.scale);
    write_peer_files(folder, input_.data(), outcome, train_.nodes, validation_.nodes, permutation_,
                     model_.parameters());
  }

  std::vector<Phase> phases(std::size_t min_calls) {
    return time_phases(
        {context_, input_.data().graph, input_.features().whole(), options_, train_, validation_},
        model_, min_calls);
  }

 private:
  const Context& context_;
  const cone::ConeInput& input_;
  const cone::ConeOptions& options_;
  cone::OutcomeUnits units_;
  cone::LoggedNodes<float> train_;
  cone::LoggedNodes<float> validation_;
  std::vector<std::uint32_t> permutation_;
  cone::Encoder<float> model_;
  cone::EncoderLosses losses_;
};

void print_first_step(const Options& options, const Context& context, FirstStep& first) {
  if (!options.peer_folder.empty()) first.write(options.peer_folder);
  const cone::EncoderLosses& losses = first.losses();
  fmt::print(
      ",\n \"first_losses\": {{\"outcome\": {:.9g}, \"treatment\": {:.9g}, "
      "\"mutual_information\": {:.9g}}}",
      losses.outcome, losses.treatment, losses.mutual_information);
  const MachineLimits limits = measure_limits(context);
  fmt::print(R"(,
 "limits": {{"cache_copy_gigabytes_a_second": {:.1f}, "memory_copy_gigabytes_a_second": {:.1f},
  "gigaflops": {:.1f}, "region_microseconds": {:.2f}}},
 "phases": [)",
             limits.cache_copy_gigabytes_a_second, limits.memory_copy_gigabytes_a_second,
             limits.gigaflops, limits.region_microseconds);
  const char* separator = "";
  for (const Phase& phase : first.phases(/*min_calls=*/9)) {
    fmt::print(
        "{}\n  {{\"name\": \"{}\", \"seconds\": {:.9f}, \"fastest_seconds\": {:.9f}, \"bytes\": "
        "{:.0f}, \"flops\": {:.0f}}}",
        separator, phase.name, phase.time.median_seconds, phase.time.fastest_seconds, phase.bytes,
        phase.flops);
    separator = ",";
  }
  fmt::print("\n ]");
}

void run(const Options& options) {
  EpochClock clock;
  const Context context({.seed = 1, .threads = options.threads, .progress = &clock});
  const cone::Dataset data = make_data(context, options);
  const cone::Split split = cone::make_split(data, {}, context.seed());
  const std::int64_t peak_before = peak_bytes();
  const cone::ConeOptions training = cone_options(options);
  const std::size_t num_parameters =
      cone::EncoderParts<float>({data.features.matrix.cols(), data.num_arms()}, training)
          .layout.size();
  const cone::ConeInput input(data);
  cone::train_encoder(context, input, training, split.train, split.validation);
  std::vector<double> seconds = clock.seconds();
  std::sort(seconds.begin(), seconds.end());
  fmt::print(
      R"({{"threads": {}, "nodes": {}, "directed_edges": {}, "features": {}, "entries": {},
 "train_nodes": {}, "validation_nodes": {}, "parameters": {}, "heads": {}, "head_size": {},
 "hidden": {}, "epochs": {}, "epoch_seconds": {:.9f}, "fastest_epoch_seconds": {:.9f},
 "data_peak_bytes": {}, "peak_bytes": {})",
      context.num_threads(), data.num_nodes(), data.graph.neighbours().size(),
      data.features.matrix.cols(), data.features.matrix.num_stored(), split.train.size(),
      split.validation.size(), num_parameters, training.heads, training.head_size, training.hidden,
      seconds.size(), seconds[seconds.size() / 2], seconds.front(), peak_before, peak_bytes());
  if (!options.whole_only && training.encoder == cone::EncoderKind::kAttention) {
    FirstStep first(context, input, split, training);
    print_first_step(options, context, first);
  }
  fmt::print("}}\n");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run(parse(argc, argv));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
  return 0;
}

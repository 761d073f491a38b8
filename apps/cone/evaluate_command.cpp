#include <functional>
#include <iostream>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/context.hpp"
#include "cone/error.hpp"
#include "cone/estimate.hpp"
#include "cone/evaluate.hpp"
#include "cone/json.hpp"
#include "cone/load.hpp"
#include "cone/options.hpp"
#include "cone/output.hpp"
#include "cone/policy.hpp"
#include "cone/record.hpp"
#include "cone/report.hpp"
#include "cone/text.hpp"

#include "commands.hpp"
#include "data_argument.hpp"
#include "engine.hpp"
#include "evaluate_flags.hpp"
#include "flags.hpp"
#include "options_file_flag.hpp"
#include "outputs.hpp"
#include "run_summary.hpp"
#include "terminal.hpp"

namespace cone::app {
namespace {

constexpr const char* kEvaluateFooter =
    R"(DATA is one of
  a CSV file with one row per node (.csv.gz too)
  a folder with nodes.csv and optionally edges.csv (source,target) and sparse features
    (features.npz or features.csv)
  a .mat file
  the word demo: a built-in simulated network with known truth
Columns called id, treatment and outcome are found by name; --id, --treatment and --outcome name
others. Survey weights and clusters are used only if --weight and --cluster name them. All other
columns are features unless --features or --ignore say otherwise. cone check DATA shows how the data
is read.

The treatment is 0 or 1, or one of 2 to 16 arm labels. The control arm is the one called 0, false,
no, none or control; --control names another.

Policies: treat-all, treat-none, always:LABEL, uniform, random-weights:SEED, linear:FILE (rows
feature,weight,neighbour_weight), or a CSV file with a column id and one column per policy: the
probability of treatment, or the label of the arm that the policy assigns. With more than two arms
probabilities need one column per arm, called NAME:LABEL; the control arm's may be left out.
treat-all, treat-none and linear are for two arms.

Examples:
  cone evaluate demo --policy treat-all treat-none random-weights:7
  cone evaluate shop/ --policy shop/policy.csv --estimators snips,dr_ridge
  cone evaluate survey.csv --treatment letter --outcome voted --ignore name --policy treat-all
  cone evaluate trial.csv --treatment drug --outcome died --policy treat-all treat-none \
    --lower-is-better                                         rank 1 is the lowest value
  cone evaluate mails.csv --treatment sent --outcome bought --policy always:email always:sms
  cone evaluate shop/ --policy uniform --nuisances given      propensity, mu0 and mu1 from the data
  cone evaluate shop/ --policy p.csv --model shop.model       a model of cone fit, no training
  cone evaluate shop/ --policy p.csv --estimators cone --attention attention.csv --embeddings z.npy
  cone evaluate mails.csv --treatment sent --outcome bought --policy always:email always:sms \
    --cost email=0.1 --cost sms=0.4                           gains and ranks net of costs
  cone evaluate shop/ --policy treat-all --rank loyalty --budget-curve curve.csv
                                                              the gain at every budget
  cone evaluate survey.csv --treatment letter --outcome voted --policy treat-all \
    --weight w --cluster village          survey weights, cluster-robust standard errors
  cone evaluate shop/ --policy p.csv --repeats 5              medians over five seeds
  cone evaluate shop/ --policy p.csv --nodes nodes.csv        contributions of every node
  cone evaluate shop/ --policy p.csv --report shop.html       an HTML report
  cone evaluate shop/ --policy uniform --json - | jq '.policies[0].estimates'

Output: value is the policy value, the mean outcome had the policy been followed, for the population
of which the units are a sample (--target sample: for these units); gain is the difference from the
logged policy. Confidence intervals cover sampling error, allowing for correlated errors of
connected units, and the smoothing bias of the model. Sensitivity intervals also allow for an
unmeasured confounder as strong as what the network reveals; that none is stronger is an assumption.
rank is the range of ranks that a policy may have, 1 is the best.

With --details (or --estimators) one table per policy follows. ESS is the effective sample size, the
number of equally weighted nodes that would give the same variance; a ! marks rows with a warning
below. No interference is assumed (SUTVA): a node's outcome does not depend on the treatments of
other nodes.)";

/// The model that --model names; plan, options and seed become the model's.
Model read_named_model(Engine& engine, EvaluateFlags& flags) {
  if (flags.model.empty()) return nullptr;
  Model model = load_model(engine.read_file(flags.model), flags.model);
  flags.takes_rows_of_model = flags.options.estimators.empty();
  ModelRun run = adopt_model(*model, std::move(flags.options));
  flags.options = std::move(run.options);
  flags.run.seed = run.seed;
  return model;
}

/// Without --rank, --budget-curve is about the policies that rank units.
void choose_rankings(const Communicator& comm, std::span<const PolicyOnData> policies,
                     EvaluateFlags& flags) {
  if (flags.budget_curve.empty() || !flags.options.budget.rank.empty()) return;
  flags.options.budget.rank = name_ranking_policies(comm, policies);
  if (!flags.options.budget.rank.empty()) return;
  throw Error(ErrorCode::kUsage,
              {{.item = "--budget-curve"},
               "every policy treats all units with the same probability: none ranks them",
               "name a column by --rank, or add a policy whose probabilities differ"});
}

/// Above this many nodes the table of all of them costs too much for a plot of ninety.
constexpr std::size_t kMostNodesForPicture = 200'000;

/// The record as JSON; with --report it also holds the data of the network plot.
nlohmann::ordered_json record_json(const EvaluationRecord& record, const EvaluateFlags& flags,
                                   const Dataset& data, const NodeTable& nodes) {
  nlohmann::ordered_json json = to_json(record);
  if (flags.report.empty() || data.num_nodes() > kMostNodesForPicture) return json;
  nlohmann::ordered_json sample = sample_network(data, nodes, flags.report_ids);
  if (!sample.is_null()) json["network_sample"] = std::move(sample);
  return json;
}

/// The same bytes as cone report makes of the record that --json writes.
std::string make_report(nlohmann::ordered_json record) {
  std::vector<ReportRecord> records;
  records.push_back({.json = std::move(record), .source = "the record"});
  return report_html(records);
}

/// Lists on stderr, after all other output, what was not finished or not written.
int finish(const EvaluationRecord& record, const EvaluateFlags& flags, const Outputs& outputs) {
  for (const std::string& file : outputs.left_out()) {
    std::cerr << fmt::format("cone: interrupted; {} was not written\n", printable(file));
  }
  if (record.repeats < flags.options.repeats && record.unfinished.empty()) {
    std::cerr << fmt::format("cone: interrupted; {} of {} repeats were finished\n", record.repeats,
                             flags.options.repeats);
    return interrupted_status();
  }
  if (record.unfinished.empty() && record.status == "completed") return kSuccess;
  if (record.unfinished.empty()) {
    std::cerr << "cone: interrupted; comparisons and sensitivity intervals may be missing\n";
    return interrupted_status();
  }
  std::cerr << fmt::format("cone: interrupted; not finished: {}\n",
                           fmt::join(record.unfinished, ", "));
  return interrupted_status();
}

/// All outputs but the answer and its record. `networks`: where there are any.
void write_rest(const Context& context, const EvaluateFlags& flags, const Dataset& data,
                const EvaluationRecord& record, const nlohmann::ordered_json& json,
                const NodeTable& nodes, const Model& networks, Outputs& outputs) {
  const auto write = [&](const std::string& file, const std::string& what,
                         const std::function<void(std::ostream&)>& body) {
    if (!outputs.write(file, body) || flags.run.quiet) return;
    std::cerr << fmt::format("wrote {}: {}\n", printable(file), what);
  };
  write(flags.report, "open it in a browser", [&](std::ostream& out) { out << make_report(json); });
  if (record.status == "completed") {
    write(flags.nodes, fmt::format("{} nodes, by {}", grouped(nodes.nodes.size()), nodes.estimator),
          [&](std::ostream& out) {
            write_nodes(context, out, data, nodes, flags.explanations.cells);
          });
  }
  if (!record.budget_curves.empty()) {
    write(flags.budget_curve,
          fmt::format("{} curve{}", record.budget_curves.size(),
                      record.budget_curves.size() == 1 ? "" : "s"),
          [&](std::ostream& out) {
            write_budget_curves(out, record.budget_curves, flags.explanations.cells);
          });
  }
  if (networks != nullptr) flags.explanations.write(context, data, *networks, outputs);
}

int run_evaluate(EvaluateFlags flags) {
  flags.details = flags.details || !flags.options.estimators.empty();
  const std::unique_ptr<Engine> engine = start_engine(flags.engine);
  Outputs outputs = engine->open_outputs([&] { return open_outputs(flags); });
  catch_interrupts();
  ConsoleProgress progress(flags.run.quiet || !engine->is_root());
  const Stopwatch watch;
  Model model;
  engine->run([&] { model = read_named_model(*engine, flags); });
  flags.explanations.check(flags.options.cone);
  const Context context = engine->make_context(flags.run, progress);

  EvaluationInput input;
  EvaluationRecord record;
  NodeTable nodes;
  Model trained;
  nlohmann::ordered_json engine_record = nlohmann::ordered_json::object();
  engine->run([&] {
    const Stopwatch loading;
    flags.table.kept = cost_columns(flags.options.cost);
    for (KeptColumn& column : ranking_columns(flags.options.budget.rank)) {
      flags.table.kept.push_back(std::move(column));
    }
    input = engine->load(context, {flags.data, flags.table, flags.policies});
    const double load_seconds = loading.seconds();
    const Dataset& observed = input.data.observed;
    if (model) {
      require_model_for(*model, flags.model, observed, flags.options);
      require_model_of(*model, flags.model, observed, flags.data);
    }
    refuse_idle_explanations(flags, observed);
    choose_rankings(engine->comm(), input.policies, flags);
    progress.announce(
        expected_costs(context, observed, flags.options, model.get(), input.policies.size()),
        engine->comm().has_others() ? "" : "Ctrl-C keeps what is finished");
    const bool draws_network = !flags.report.empty() && flags.options.repeats == 1 &&
                               observed.num_nodes_of_all() <= kMostNodesForPicture;
    const bool wants_nodes = !flags.nodes.empty() || draws_network;
    record =
        evaluate(context, input.data, input.policies, flags.options, model.get(),
                 wants_nodes ? &nodes : nullptr, flags.explanations.any() ? &trained : nullptr);
    nodes = gather_nodes(observed, std::move(nodes));
    engine->describe(engine_record);
    progress.finish();
    progress.clear();
    add_provenance({.data = flags.data,
                    .table = flags.table,
                    .policy_arguments = {flags.policies.begin(), flags.policies.end()},
                    .model = model.get(),
                    .model_file = flags.model,
                    .load_seconds = load_seconds,
                    .total_seconds = watch.seconds()},
                   input.data, record);
  });
  if (!engine->is_root()) return kSuccess;
  const Dataset& whole = engine->whole(input).data.observed;
  nlohmann::ordered_json json = record_json(record, flags, whole, nodes);
  json.update(engine_record);
  if (!flags.run.quiet && flags.json != "-") {
    if (flags.takes_rows_of_model) {
      input.data.notes.push_back(
          "with --model only estimators that use the model are run; --estimators adds others");
    }
    print_summary(record, input.data);
  }
  outputs.print_answer(
      flags.json, [&] { return dump_json(json); },
      [&] { return evaluation_text(record, flags.details); });
  if (!trained && model && describe_model(*model).has_networks) trained = model;
  write_rest(context, flags, whole, record, json, nodes, trained, outputs);
  progress.clear();
  const int status = finish(record, flags, outputs);
  outputs.throw_failures();
  return status;
}

}  // namespace

void add_evaluate_command(CLI::App& root, Command& chosen) {
  auto flags = std::make_shared<EvaluateFlags>();
  CLI::App* command = root.add_subcommand(
      "evaluate", "Estimate policy values with confidence and sensitivity intervals");
  command->footer(kEvaluateFooter);
  command->add_option("DATA", flags->data, kDataHelp)->required();
  command->add_option("--policy", flags->policies, "Policy names or files, one or more")
      ->required();
  command->add_flag(
      "--details", flags->details,
      "Also print one table per policy with every estimator (implied by --estimators)");
  command
      ->add_option("--json", flags->json, "Write the full record to this file (JSON; - for stdout)")
      ->check(file_name);
  command
      ->add_option("--report", flags->report,
                   "Write a self-contained HTML report with charts and tables")
      ->check(page_name);
  command->add_flag("--report-ids", flags->report_ids,
                    "Label the nodes in the report's network plot with their ids");
  command
      ->add_option("--nodes", flags->nodes,
                   "Write predictions, propensities, weight and influence of every node (CSV)")
      ->check(file_name);
  command
      ->add_option("--budget-curve", flags->budget_curve,
                   "Write the gain at every budget (CSV), for the rankings of --rank, or else for "
                   "every policy that ranks units")
      ->check(file_name);
  command
      ->add_option("--model", flags->model,
                   "Use the networks and the network ridge in this model file, written by cone fit")
      ->check(file_name);
  flags->engine.bind(*command, /*can_read_sharded=*/true);
  flags->explanations.bind(*command);
  flags->run.bind(*command);
  bind_flags(*command, flags->table, "Node table");
  bind_flags(*command, flags->options, "Estimation");
  regroup_flags<BudgetCurveOptions>(*command, "Budgets");
  regroup_flags<KernelBalancingOptions>(*command, "Kernel balancing (okb, cone_okb)");
  regroup_flags<NetworkRidgeOptions>(*command, "Network ridge (network_dm, network_dr)");
  regroup_flags<ConeOptions>(*command, "Networks (cone, dm_nn, dr_nn)");
  flags->options_file = bind_options_file(*command, flags->options.cone);
  command->callback([flags, command, &chosen] {
    chosen = [flags, command] {
      check_evaluate_flags(*command, *flags);
      return run_evaluate(*flags);
    };
  });
}

}  // namespace cone::app

#pragma once

#include <cstdint>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/effects.hpp"
#include "cone/file.hpp"
#include "cone/learn_policy.hpp"
#include "cone/load.hpp"
#include "cone/policy.hpp"
#include "cone/record.hpp"
#include "cone/sensitivity.hpp"

/// \file
/// Results as tables, files and sentences, and progress, for a terminal.

namespace cone {

/// For a terminal: at most eleven points, and a sentence on the value of the ranking.
std::string budget_curve_text(const BudgetCurve& curve);

/// Whether the ranking is better than treating units at random (the Qini area).
std::string ranking_sentence(const BudgetCurve& curve);

/// One line per ranking and budget (columns: docs/records.md). Missing values are empty cells.
void write_budget_curves(std::ostream& out, std::span<const BudgetCurve> curves,
                         CsvCells cells = CsvCells::kExact);

/// One line per node, in the order of the data. Columns (docs/records.md) of arms
/// called 0 and 1: id, mu0, mu1, effect, effect_sd, mu_sd0, mu_sd1, part0:NAME ..., part1:NAME ...;
/// of others: id, mu:LABEL ..., effect:LABEL ..., effect_sd:LABEL ..., mu_sd:LABEL ...,
/// part:LABEL:NAME ....
void write_effects(const Context& context, std::ostream& out, const Dataset& data,
                   const NodeEffects& effects, CsvCells cells = CsvCells::kExact);

/// The mean effect of every arm, the share of nodes whose effect has a clear sign, and the variance
/// components of the outcomes. `units`: survey weights over their mean; empty: all 1.
std::string effects_text(std::span<const std::string> arms, const NodeEffects& effects,
                         std::span<const double> units);

/// One line per evaluated node, in the order of the data. Columns (docs/records.md): id,
/// arm, outcome, mu and propensity of every arm (mu0, mu1, or mu:LABEL), then weight:POLICY and
/// influence:POLICY of every policy. Missing values are empty cells.
void write_nodes(const Context& context, std::ostream& out, const Dataset& data,
                 const NodeTable& table, CsvCells cells = CsvCells::kExact);

inline constexpr std::string_view kPolicySchema = "cone.policy/3";

/// `id` and a column of that name: the label of the arm of every node, in the order of the data.
/// cone evaluate --policy reads it back. An extra column records what the rule was learnt from
/// (data/policy_columns.hpp). `out_of_fold`: the nodes' own fold was left out.
void write_policy(const Context& context, std::ostream& out, const Dataset& data,
                  std::string_view name, std::span<const Arm> arms, bool out_of_fold,
                  CsvCells cells = CsvCells::kExact);

/// The splits of the tree, indented, and the arm of every leaf.
std::string rule_text(const LearntPolicy& policy);

/// The verdict on the gain of the rule over the logged policy or a single arm, as an evaluation
/// says it.
std::string gain_sentence(const LearntPolicy& policy, const RuleValue& other,
                          const LearnPolicyOptions& options);

/// Whether the rule is better than any single arm.
std::string rule_summary(const LearntPolicy& policy, const LearnPolicyOptions& options);

/// The rule, a table of its value and of the alternatives', and the verdict in a sentence.
std::string learnt_policy_text(const LearntPolicy& policy, const LearnPolicyOptions& options);

/// The tree as a picture. The same tree gives the same bytes.
std::string rule_svg(const LearntPolicy& policy);

/// docs/records.md lists the fields.
nlohmann::ordered_json learnt_policy_json(const Dataset& data, const LearntPolicy& policy,
                                          const LearnPolicyOptions& options, std::uint64_t seed);

/// The threshold with at least four digits, and as many more as separate `below` from `above`.
std::string threshold_text(const RuleNode& node);

inline constexpr std::string_view kSensitivitySchema = "cone.sensitivity/2";

/// The results for one policy and what would overturn them, in sentences: the same in text and
/// JSON.
std::vector<std::string> sensitivity_sentences(const SensitivityReport& report,
                                               const PolicySensitivity& policy);

/// How many times as strong as the benchmark an unmeasured confounder must be to move the value to
/// the threshold; NaN where the strength of the benchmark is not known.
double times_to_explain_away(const SensitivityReport& report, const PolicySensitivity& policy,
                             const Benchmark& benchmark);

/// Sentences, a short table of the bounds, and the benchmarks of every policy.
std::string sensitivity_text(const SensitivityReport& report);

/// What the user asked for: `config` of the record.
struct SensitivityRequest {
  SensitivityOptions options;
  std::vector<std::string> policies;  ///< as given by the user
  std::string against = "logged";
  std::uint64_t seed = 0;
  std::string data;  ///< as given by the user
  LoadOptions table;
};
nlohmann::ordered_json to_json(const SensitivityRequest& request);

/// `config`: what the user asked for.
nlohmann::ordered_json to_json(const SensitivityReport& report, nlohmann::ordered_json config,
                               std::string_view data_checksum);

inline constexpr std::string_view kDataReportSchema = "cone.check/2";

/// How the loader read a dataset; nothing is estimated.
struct DataReport {
  struct Column {
    TableColumn summary;
    double min = 0;  ///< of the outcome, and of a feature that became one column
    double max = 0;
    bool has_range = false;
  };
  struct Arm {
    std::string label;
    std::uint64_t num_nodes = 0;
    double outcome_mean = 0;
    double outcome_sd = 0;
  };
  /// Standardised mean difference: (mean of the arm − mean of the control arm) / square root of the
  /// mean of the two variances.
  struct Difference {
    std::string feature;
    std::string arm;
    double standardised = 0;
  };
  struct Network {
    std::uint64_t num_edges = 0;
    std::uint64_t num_isolated = 0;
    std::uint64_t num_components = 0;
    std::uint64_t largest_component = 0;
    std::uint64_t max_degree = 0;
  };
  struct Policy {
    std::string name;
    std::vector<double> arm_shares;  ///< mean probability of every arm
  };

  std::uint64_t num_nodes = 0;
  std::uint64_t num_numeric_features = 0;  ///< standardised
  std::uint64_t num_counts = 0;            ///< count features, scaled by row
  std::string checksum;
  std::vector<Column> columns;
  std::vector<Arm> arms;                ///< the control arm first
  std::vector<Difference> differences;  ///< the largest, in descending order
  Network network;
  std::vector<Policy> policies;
  std::vector<std::string> notes;
};

/// Needs logged treatments and outcomes. O(entries + edges).
DataReport report_data(const LoadedData& data, std::span<const PolicyOnData> policies = {});

nlohmann::ordered_json to_json(const DataReport& report);
std::string data_report_text(const DataReport& report);

/// Progress and remaining time of a run, from the reports that an observer gets. Times are seconds
/// of any clock. Within stages the completed share never falls. A stage that reports little is
/// assumed to proceed as fast as expected, so that the remaining time falls while it lasts.
class ProgressEstimate {
 public:
  struct Position {
    double fraction = 0;       ///< of the run within stages, of the phase without
    double seconds_left = -1;  ///< negative where unknown
  };

  /// Forecast of the next run's duration; 0: unknown.
  void expect(double seconds) { expected_ = seconds; }
  void enter(const ProgressStage& stage, double now);
  Position update(std::string_view phase, std::uint64_t done, std::uint64_t total, double now);

  bool is_in_run() const { return !stage_.label.empty(); }
  const ProgressStage& stage() const { return stage_; }
  const std::string& phase() const { return phase_; }
  /// When the run began, or, outside of stages, the phase.
  double start() const { return is_in_run() ? run_start_ : phase_start_; }

 private:
  /// Measured over expected time so far; near 1 while little has been measured.
  double slowness(double now) const;

  double expected_ = 0;
  std::string phase_;
  double phase_start_ = 0;
  double phase_floor_ = 0;  ///< completed share of the run when the phase began
  ProgressStage stage_;
  double stage_start_ = 0;
  double stage_floor_ = 0;
  double stage_slowness_ = 1;  ///< when the stage began
  double run_start_ = 0;
  double furthest_ = 0;  ///< completed share of the run
};

/// "48 s", "2 min 05 s", "3 h 20 min".
std::string duration_text(double seconds);

/// "this may take about 2 min 05 s (ridge 30 s, cone 1 min 35 s)"; empty for less than a few
/// seconds.
std::string forecast_text(std::span<const ExpectedCost> costs);

/// Draws a progress bar on a terminal, or, where `interactive` is false, a plain line every few
/// seconds. Within stages there is one bar for the whole run, which never moves back; without, one
/// per phase. Phases shorter than `delay_seconds` print nothing.
class TerminalProgress : public ProgressObserver {
 public:
  TerminalProgress(std::ostream& out, bool interactive, double delay_seconds = 0.5);
  ~TerminalProgress() override;
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  bool update(std::string_view phase, std::uint64_t done, std::uint64_t total) override;
  void enter(const ProgressStage& stage) override;
  /// Forecast of the next run's duration.
  void expect(double seconds) { estimate_.expect(seconds); }
  /// Removes the bar, so that other text can follow on a clean line.
  void clear();

 private:
  void draw(const ProgressEstimate::Position& position);

  std::ostream& out_;
  bool interactive_;
  double delay_seconds_;
  ProgressEstimate estimate_;
  double last_drawn_ = 0;
  bool bar_visible_ = false;
};

}  // namespace cone

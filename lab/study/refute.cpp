#include "study/refute.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/json.hpp"

#include "base/hash.hpp"
#include "base/numeric.hpp"
#include "network_ridge/ridge_cost.hpp"
#include "study/refute_data.hpp"
#include "study/refute_fits.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

PlanOptions plan_of(const RefuteOptions& options) {
  return {.folds = options.folds, .selection_folds = options.selection_folds};
}

bool are_numbers(const Json& result, const char* name, std::size_t count) {
  const auto found = result.find(name);
  return found != result.end() && found->is_array() && found->size() == count &&
         std::all_of(found->begin(), found->end(), [](const Json& x) { return x.is_number(); });
}

/// The units: first the original data, then every draw of every check.
class Refuter {
 public:
  Refuter(const Context& context, const Dataset& data, std::span<const PolicyOnData> policies,
          const RefuteOptions& options, RefuteFits& fits)
      : data_(data),
        options_(options),
        seed_(context.seed()),
        checksum_(data.checksum()),
        fits_(fits) {
    Checksum all;
    for (const PolicyOnData& policy : policies) {
      policies_.push_back(policy.probability.view());
      all.add(policy.probability.values());
    }
    policies_checksum_ = all.hex();
    units_.push_back(make_unit("answer", 0, seed_, [this](const Context& unit_context) {
      return fits_.measure_differences(unit_context, data_, policies_, /*with_errors=*/true);
    }));
    for (const RefuteCheck check : options.chosen_checks()) {
      for (std::uint32_t draw = 0; draw < options.draws; ++draw) {
        const std::uint64_t seed = check == RefuteCheck::kSeeds ? seed_ + 1 + draw : seed_;
        units_.push_back(make_unit(std::string(enum_name(check)), draw, seed,
                                   [this, check, draw](const Context& unit_context) {
                                     return rerun(unit_context, check, draw);
                                   }));
      }
    }
  }

  std::span<const Unit> units() const { return units_; }

  /// Fits the models that the units share. `stages`: of expected_costs().
  void prepare(const Context& context, const StageList& stages) {
    const std::vector<RefuteCheck> checks = options_.chosen_checks();
    const auto has = [&](RefuteCheck check) {
      return std::find(checks.begin(), checks.end(), check) != checks.end();
    };
    {
      const StageScope stage = stages.enter(0);
      world_ = fits_.learn_variances(context, data_, policies_, has(RefuteCheck::kBootstrap));
    }
    if (has(RefuteCheck::kPlacebo)) {
      const StageScope stage = stages.enter(1);
      propensity_ = fits_.learn_propensities(context, data_);
    }
  }

 private:
  template <class Run>
  Unit make_unit(const std::string& check, std::uint32_t draw, std::uint64_t seed,
                 const Run& run) const {
    Json options = option_json(options_);
    options.erase("checks");
    options.erase("draws");
    if (check != enum_name(RefuteCheck::kBootstrap)) options.erase("bootstrap_by");
    options["check"] = check;
    options["draw"] = draw;
    options["policies"] = policies_checksum_;
    const std::size_t count = policies_.size();
    const bool has_errors = check == "answer";
    return {.identity = {.kind = "refute",
                         .options = std::move(options),
                         .seed = seed,
                         .data_checksum = checksum_},
            .run = run,
            .accepts = [count, has_errors](const Json& result) {
              return result.is_object() && are_numbers(result, "differences", count) &&
                     (!has_errors || (are_numbers(result, "standard_errors", count) &&
                                      are_numbers(result, "population_standard_errors", count)));
            }};
  }

  Json rerun(const Context& context, RefuteCheck check, std::uint32_t draw) const {
    if (check == RefuteCheck::kBootstrap) return refit_bootstrap(context, draw);
    Rng rng(seed_, Stream::kRefuter, 4 * std::uint64_t{draw} + static_cast<std::uint64_t>(check));
    const auto measure = [&](const Dataset& data) {
      return fits_.measure_differences(context, data, policies_, /*with_errors=*/false);
    };
    switch (check) {
      case RefuteCheck::kPlacebo:
        return measure(permute_treatments(data_, propensity_.view(), rng));
      case RefuteCheck::kFeature:
        return measure(add_random_feature(data_, rng));
      case RefuteCheck::kSeeds:
        return measure(data_);
      case RefuteCheck::kSubset:
      case RefuteCheck::kBootstrap:
        break;
    }
    const std::vector<NodeIndex> nodes = draw_most_nodes(data_.num_nodes(), rng);
    std::vector<Matrix<double>> tables;
    std::vector<MatrixView<const double>> policies;
    for (const MatrixView<const double>& policy : policies_) {
      tables.push_back(take_rows(policy, nodes));
    }
    policies.reserve(tables.size());
    for (const Matrix<double>& table : tables) policies.push_back(table.view());
    return fits_.measure_differences(context, select_nodes(data_, nodes), policies,
                                     /*with_errors=*/false);
  }

  /// Estimate minus truth in a bootstrap sample.
  Json refit_bootstrap(const Context& context, std::uint32_t draw) const {
    constexpr std::uint64_t kFirstItem = std::uint64_t{1} << 40;  // beyond those of other checks
    Rng rng(seed_, Stream::kRefuter, kFirstItem + draw);
    const BootstrapSample sample = draw_sample(world_, data_, rng);
    Json out = fits_.measure_differences(context, sample.data, policies_, /*with_errors=*/false);
    for (std::size_t p = 0; p < policies_.size(); ++p) {
      out["differences"][p] = out["differences"][p].get<double>() - true_gain(sample, policies_[p]);
    }
    return out;
  }

  const Dataset& data_;
  const RefuteOptions& options_;
  std::uint64_t seed_;
  std::string checksum_;
  std::string policies_checksum_;
  std::vector<MatrixView<const double>> policies_;
  Matrix<double> propensity_;
  RefuteFits& fits_;
  BootstrapWorld world_;
  std::vector<Unit> units_;
};

}  // namespace

void RefuteOptions::check(std::vector<Fault>& faults) const {
  for (const std::string& name : checks) {
    const std::vector<std::string> known = enum_choices<RefuteCheck>();
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    faults.push_back({{.item = "--checks"},
                      fmt::format("'{}' is not a check", name),
                      fmt::format("choose from {}", fmt::join(known, ", "))});
  }
  network_ridge.check(faults);
}

std::vector<RefuteCheck> RefuteOptions::chosen_checks() const {
  std::vector<RefuteCheck> out;
  for (const auto& [check, name] : EnumNames<RefuteCheck>::kNames) {
    const bool asked = std::find(checks.begin(), checks.end(), name) != checks.end();
    if (asked || checks.empty()) out.push_back(check);
  }
  return out;
}

CheckOutcome judge_check(RefuteCheck check, std::vector<double> differences,
                         const RefutedPolicy& answer) {
  CheckOutcome out{.check = check, .differences = std::move(differences)};
  if (check == RefuteCheck::kPlacebo) {
    out.moved = std::abs(mean(out.differences));
    const double chance = standard_error(out.differences);
    out.allowed = std::max(std::isnan(chance) ? 0 : 2 * chance, answer.standard_error / 2);
  } else {
    // A root mean square: a maximum would grow with the number of reruns.
    const double target = check == RefuteCheck::kBootstrap ? 0 : answer.difference;
    const auto count = static_cast<double>(out.differences.size());
    double squares = 0;
    for (const double difference : out.differences) {
      squares += (difference - target) * (difference - target);
    }
    if (count > 0) out.moved = std::sqrt(squares / count);
    if (check == RefuteCheck::kBootstrap) {
      out.allowed = answer.standard_error * (1 + std::sqrt(2 / std::max(1.0, count)));
    } else if (check == RefuteCheck::kSubset) {
      out.allowed = answer.population_standard_error / 2;
    } else {
      out.allowed = answer.standard_error / 2;
    }
  }
  out.passes = !out.differences.empty() && out.moved <= out.allowed;
  return out;
}

std::vector<ExpectedCost> expected_costs(const Context& context, const Dataset& data,
                                         const RefuteOptions& options) {
  const std::vector<RefuteCheck> checks = options.chosen_checks();
  const auto has = [&](RefuteCheck check) {
    return std::ranges::find(checks, check) != checks.end();
  };
  const FitSize size = measure_size(context, data, plan_of(options));
  FitSize alone = size;  // reruns run concurrently, each on one thread
  alone.threads = 1;
  const double reruns = 1 + static_cast<double>(checks.size()) * options.draws;
  const double at_once = std::min(size.threads, reruns);
  return {
      {"original data",
       expect_ridge_cost(size, options.network_ridge,
                         {.num_policies = has(RefuteCheck::kBootstrap) ? 1.0 : 0.0})
           .total()},
      {"propensities", has(RefuteCheck::kPlacebo) ? logistic_seconds(size) : 0},
      {"reruns", std::ceil(reruns / at_once) *
                     expect_ridge_cost(alone, options.network_ridge, kept_variances()).total()}};
}

Refutation refute(const Context& context, const Dataset& data,
                  std::span<const PolicyOnData> policies, const RefuteOptions& options,
                  const UnitWork& work, const Distribute& distribute) {
  RefuteFits fits(context, options, distribute);
  validate(options);
  if (!data.has_log()) {
    throw Error(ErrorCode::kData,
                {{},
                 "the data is a network without treatments and outcomes",
                 "add treatments and outcomes, or simulate them with cone simulate"});
  }
  if (!data.cluster.empty()) {
    throw Error(ErrorCode::kUsage,
                {{.item = "--cluster"},
                 "is not supported by refute, whose thresholds assume independent units",
                 "--ignore the column instead"});
  }
  Refutation out{.options = options, .seed = context.seed(), .data_checksum = data.checksum()};
  const StageList stages(context, expected_costs(context, data, options));
  Refuter refuter(context, data, policies, options, fits);
  if (lacks_units(work, refuter.units())) {
    if (work.when_incomplete) work.when_incomplete();
    refuter.prepare(context, stages);
  }
  const StageScope stage = stages.enter(2);
  // On ranks one after the other: all of them take part in each.
  const Context units_context = context.comm().has_others() ? context.on_one_thread() : context;
  out.units = run_units(units_context, work, refuter.units(), "refuting");
  const UnitRecord& base = out.units.records.front();
  if (base.status == UnitStatus::kFailed) {
    throw Error(ErrorCode::kData, {{},
                                   "the original data cannot be fitted: " + base.error,
                                   "cone check shows how the data is read"});
  }
  for (std::size_t p = 0; p < policies.size(); ++p) {
    RefutedPolicy& policy = out.policies.emplace_back();
    policy.policy = policies[p].name;
    policy.difference = base.result.at("differences")[p];
    policy.standard_error = base.result.at("standard_errors")[p];
    policy.population_standard_error = base.result.at("population_standard_errors")[p];
    std::size_t next = 1;
    for (const RefuteCheck check : options.chosen_checks()) {
      std::vector<double> differences;
      for (std::uint32_t draw = 0; draw < options.draws; ++draw) {
        const UnitRecord& record = out.units.records[next++];
        if (record.status == UnitStatus::kCompleted) {
          differences.push_back(record.result.at("differences")[p]);
        }
      }
      policy.checks.push_back(judge_check(check, std::move(differences), policy));
    }
  }
  return out;
}

void serve_refutation(const Context& context, const RefuteOptions& options,
                      const Distribute& distribute) {
  RefuteFits(context, options, distribute).serve(context);
}

}  // namespace cone

#include <cmath>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/evaluate.hpp"
#include "cone/text.hpp"

#include "cone_networks/cone_learner.hpp"
#include "data/collective_error.hpp"
#include "evaluate/fitted_model.hpp"
#include "evaluate/learning.hpp"
#include "evaluate/workload.hpp"
#include "network_ridge/network_ridge_learner.hpp"
#include "network_ridge/ridge_cost.hpp"
#include "network_ridge/treatment_ridge.hpp"
#include "nuisance/cohesion_learner.hpp"
#include "nuisance/given_learner.hpp"
#include "nuisance/kernel_learner.hpp"
#include "nuisance/linear_learner.hpp"
#include "nuisance/logistic_learner.hpp"
#include "nuisance/network_learner.hpp"
#include "nuisance/plan_checks.hpp"
#include "nuisance/spectral_learner.hpp"

// The built-in learners, one entry each, and the checks of learners that a program adds.

namespace cone {
namespace {

using Request = LearnerRequest;

constexpr LearnerParts kOutcome{.outcome = true};
constexpr LearnerParts kPropensity{.propensity = true};

LearnerEntry linear_entry(LearnerId learner, LinearModel model) {
  return {.name = std::string(learner.name()),
          .version = {},
          .provides = kOutcome,
          .make =
              [model](const Request& request) {
                return std::make_unique<LinearLearner>(model, request.options.nuisance);
              },
          .expect_seconds =
              [model](const FitSize& size, const Request&) {
                return regression_seconds(size, /*chooses_penalty=*/model == LinearModel::kRidge);
              },
          .needs_one_process = false};
}

double expect_network_ridge(const FitSize& size, const Request& request) {
  // The joint model takes about as long again.
  return (fits_joint_model(request.options) ? 2 : 1) *
         expect_ridge_cost(size, request.options.network_ridge,
                           {.knows_variances = network_ridge_of(request.model) != nullptr,
                            .num_policies = static_cast<double>(request.num_policies)})
             .total();
}

std::unique_ptr<Learner> make_cone_learner(const Request& request) {
  ConeLearnerOptions cone{.plan = request.options.plan,
                          .networks = request.options.cone,
                          .propensity_bound = request.options.nuisance.propensity_bound};
  if (request.parts.balance) cone.kernel = request.options.kernel;
  return std::make_unique<ConeLearner>(
      cone, networks_of(request.model),
      request.trained != nullptr ? &request.trained->networks.emplace() : nullptr);
}

std::vector<LearnerEntry> list_builtin_learners() {
  return {
      {.name = std::string(LearnerId::kGiven.name()),
       .version = {},
       .provides = {.outcome = true, .propensity = true},
       .make = [](const Request&) { return std::make_unique<GivenLearner>(); },
       .expect_seconds = [](const FitSize&, const Request&) { return 0.0; },
       .needs_one_process = false},
      {.name = std::string(LearnerId::kLogistic.name()),
       .version = {},
       .provides = kPropensity,
       .make =
           [](const Request& request) {
             return std::make_unique<LogisticLearner>(request.options.nuisance);
           },
       .expect_seconds = [](const FitSize& size, const Request&) { return logistic_seconds(size); },
       .needs_one_process = false},
      linear_entry(LearnerId::kOls1, LinearModel::kOls1),
      linear_entry(LearnerId::kOls2, LinearModel::kOls2),
      linear_entry(LearnerId::kRidge, LinearModel::kRidge),
      {.name = std::string(LearnerId::kNetworks.name()),
       .version = {},
       .provides = kOutcome,
       .make =
           [](const Request& request) {
             return std::make_unique<NetworkLearner>(request.options.cone);
           },
       .expect_seconds =
           [](const FitSize& size, const Request& request) {
             return network_seconds(size, request.options.cone);
           }},
      {.name = std::string(LearnerId::kKernel.name()),
       .version = {},
       .provides = {.balance = true},
       .make =
           [](const Request& request) {
             return std::make_unique<KernelLearner>(request.options.kernel);
           },
       .expect_seconds = [](const FitSize& size, const Request&) { return kernel_seconds(size); }},
      {.name = std::string(LearnerId::kNetworkRidge.name()),
       .version = {},
       .provides = kOutcome,
       .make =
           [](const Request& request) {
             return std::make_unique<NetworkRidgeLearner>(
                 request.options.network_ridge,
                 VarianceSource{.known = network_ridge_of(request.model)});
           },
       .expect_seconds = expect_network_ridge,
       .needs_one_process = false},
      {.name = std::string(LearnerId::kNetworkTreatment.name()),
       .version = {},
       .provides = kPropensity,
       .make =
           [](const Request& request) {
             return std::make_unique<NetworkTreatmentLearner>(
                 request.options.network_ridge, request.options.nuisance.propensity_bound);
           },
       .expect_seconds =
           [](const FitSize& size, const Request& request) {
             return treatment_ridge_seconds(size, request.options.network_ridge,
                                            /*sees_network=*/true);
           },
       .needs_one_process = false},
      {.name = std::string(LearnerId::kCohesion.name()),
       .version = {},
       .provides = kOutcome,
       .make =
           [](const Request& request) {
             return std::make_unique<CohesionLearner>(request.options.nuisance);
           },
       .expect_seconds = [](const FitSize& size, const Request&) { return cohesion_seconds(size); },
       .needs_one_process = false},
      {.name = std::string(LearnerId::kSpectral.name()),
       .version = {},
       .provides = {.outcome = true, .propensity = true},
       .make =
           [](const Request& request) {
             return std::make_unique<SpectralLearner>(request.options.nuisance,
                                                      request.parts.propensity);
           },
       .expect_seconds = [](const FitSize& size, const Request&) { return spectral_seconds(size); },
       .needs_one_process = false},
      {.name = std::string(LearnerId::kCone.name()),
       .version = {},
       .provides = {.outcome = true, .propensity = true, .balance = true},
       .make = make_cone_learner,
       .expect_seconds =
           [](const FitSize& size, const Request& request) {
             return cone_seconds(size, request.options.cone,
                                 /*is_fitted=*/networks_of(request.model) != nullptr);
           }},
  };
}

/// A learner that a program added. What it returns is checked: estimators take tables as they are,
/// and one NaN would spoil every number after it.
class CheckedLearner : public Learner {
 public:
  CheckedLearner(const LearnerEntry& entry, const Request& request)
      : learner_(entry.make(request)),
        name_(entry.name),
        needed_(request.parts),
        propensity_bound_(request.options.nuisance.propensity_bound) {}

  Nuisances fit(const Context& context, const Dataset& data, const FitPlan& plan) const override {
    FaultList faults;
    Nuisances out;
    if (learner_ == nullptr) {
      add_fault(faults, {}, "`make` returned no learner", "return one");
    } else {
      out = learner_->fit(context, data, plan);
      check(data, plan, out, faults);
    }
    throw_if_any(data.comm(), faults, ErrorCode::kUsage);
    if (out.propensity && out.propensity->given()) {
      // Without bounds they would count as known probabilities of a randomised treatment.
      std::vector<std::string> warnings = std::move(out.propensity->warnings);
      out.propensity =
          bound_propensities(std::move(out.propensity->e),
                             choose_propensity_bounds(data, propensity_bound_), data.comm());
      out.propensity->warnings = std::move(warnings);
    }
    return out;
  }

 private:
  void add_fault(FaultList& faults, const std::string& where, std::string what,
                 std::string advice) const {
    const std::string kind = what.substr(0, what.find(' '));
    faults.add(kind, {{.item = fmt::format("learner '{}'{}", name_, where)},
                      std::move(what),
                      std::move(advice)});
  }

  void check(const Dataset& data, const FitPlan& plan, const Nuisances& out,
             FaultList& faults) const {
    const auto require_part = [&](bool is_needed, bool is_there, const char* part) {
      if (!is_needed || is_there) return;
      add_fault(faults, {}, fmt::format("returned no {}, which it says to provide", part),
                "set it in Nuisances, or leave the part out of `provides`");
    };
    require_part(needed_.outcome, out.outcome.has_value(), "outcome model");
    require_part(needed_.propensity, out.propensity.has_value(), "propensities");
    require_part(needed_.balance, out.balancer != nullptr, "balancing weights");
    if (out.outcome) check_table(data, plan, out.outcome->mu, "outcome table mu", false, faults);
    if (!out.propensity) return;
    const PropensityTable& table = *out.propensity;
    check_table(data, plan, table.e, "propensity table e", true, faults);
    if (table.given()) return;
    check_table(data, plan, table.unbounded, "propensity table unbounded", true, faults);
    if (table.bounds.low.size() != data.num_arms() || table.bounds.high.size() != data.num_arms()) {
      add_fault(faults, {}, "returned propensities with `unbounded` but without bounds of each arm",
                "return `e` alone, which is then bounded, or use bound_propensities()");
    }
    const std::size_t violations = table.violates_positivity.rows();
    if (violations != 0 &&
        (violations != plan.scored.size() || table.violates_positivity.cols() != data.num_arms())) {
      add_fault(faults, {}, "returned positivity violations of another shape than e",
                "leave them empty, or return one row per scored node");
    }
  }

  void check_table(const Dataset& data, const FitPlan& plan, const Matrix<double>& table,
                   const char* name, bool are_probabilities, FaultList& faults) const {
    if (table.rows() != plan.scored.size() || table.cols() != data.num_arms()) {
      add_fault(faults, {},
                fmt::format("returned an {} of {} × {} numbers instead of {} × {}", name,
                            table.rows(), table.cols(), plan.scored.size(), data.num_arms()),
                "return one row per scored node of the plan and one column per arm");
      return;
    }
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      for (const std::size_t row : find_rows(plan.scored, plan.tasks[t].score)) {
        for (std::size_t a = 0; a < table.cols(); ++a) {
          const double x = table(row, a);
          if (std::isfinite(x) && (!are_probabilities || (x >= 0 && x <= 1))) continue;
          add_fault(
              faults, fmt::format(", fold {}", t + 1),
              fmt::format("returned {} for the arm {} of the node {} ({})", x,
                          printable(data.arms[a]), printable(data.ids[plan.scored[row]]), name),
              are_probabilities ? "return numbers from 0 to 1" : "return finite numbers");
          return;
        }
      }
    }
  }

  std::unique_ptr<Learner> learner_;
  std::string name_;
  LearnerParts needed_;
  AutoNumber propensity_bound_;
};

}  // namespace

std::span<const LearnerEntry> builtin_learners() {
  static const std::vector<LearnerEntry> entries = list_builtin_learners();
  return entries;
}

LearnerParts parts_used(std::span<const EstimatorInfo> rows, LearnerId learner) {
  LearnerParts parts;
  for (const EstimatorInfo& row : rows) {
    if (row.outcome == learner) parts.outcome = true;
    if (row.weights != learner) continue;
    (row.needs_balance() ? parts.balance : parts.propensity) = true;
  }
  return parts;
}

std::unique_ptr<Learner> make_learner(LearnerId learner, std::span<const EstimatorInfo> rows,
                                      const EvaluateOptions& options, const FittedModel* model,
                                      FittedModel* trained) {
  const LearnerEntry* entry = options.catalogue.find_learner(learner);
  require(entry != nullptr, "evaluate: no such learner");
  const LearnerRequest request{
      .options = options, .parts = parts_used(rows, learner), .model = model, .trained = trained};
  if (!options.catalogue.is_added(learner)) return entry->make(request);
  return std::make_unique<CheckedLearner>(*entry, request);
}

}  // namespace cone

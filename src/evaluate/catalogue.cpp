#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/evaluate.hpp"
#include "cone/text.hpp"

#include "results/text_table.hpp"

namespace cone {
namespace {

/// The parts that a method takes from the learner of its outcome model and from that of its
/// weights; none for methods that no added estimator can have.
std::pair<LearnerParts, LearnerParts> parts_of(Method method) {
  switch (method) {
    case Method::kDirect:
      return {{.outcome = true}, {}};
    case Method::kInversePropensity:
    case Method::kSelfNormalised:
    case Method::kClippedInversePropensity:
      return {{}, {.propensity = true}};
    case Method::kDoublyRobust:
    case Method::kSwitch:
    case Method::kShrinkage:
    case Method::kCautiousCorrection:
      return {{.outcome = true}, {.propensity = true}};
    case Method::kKernelBalancing:
      return {{}, {.balance = true}};
    case Method::kArmMeans:
    case Method::kJointModel:
      break;
  }
  return {};
}

bool is_name(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

[[noreturn]] void refuse(const char* kind, std::string_view name, std::string what,
                         std::string advice) {
  throw Error(ErrorCode::kUsage, {{.item = fmt::format("{} '{}'", kind, printable(name))},
                                  std::move(what),
                                  std::move(advice)});
}

void require_part(std::string_view estimator, const LearnerEntry* learner, LearnerId id,
                  const LearnerParts& needed) {
  const bool is_needed = needed.outcome || needed.propensity || needed.balance;
  if (!is_needed && id == LearnerId::kNone) return;
  if (!is_needed) {
    refuse("estimator", estimator,
           fmt::format("its method does not use the learner '{}'", printable(id.name())),
           "pass LearnerId::kNone in its place");
  }
  const bool is_there = learner != nullptr && (!needed.outcome || learner->provides.outcome) &&
                        (!needed.propensity || learner->provides.propensity) &&
                        (!needed.balance || learner->provides.balance);
  if (is_there) return;
  refuse("estimator", estimator,
         fmt::format("no learner '{}' provides {}", printable(id.name()),
                     needed.outcome      ? "an outcome model"
                     : needed.propensity ? "propensities"
                                         : "balancing weights"),
         "add the learner first");
}

}  // namespace

void Catalogue::add(LearnerEntry learner) {
  const std::string name = learner.name;
  if (!is_name(name)) {
    refuse("learner", name, "is not a name",
           "name it by lower-case letters, digits and underscores");
  }
  if (find_learner(LearnerId(name)) != nullptr) {
    refuse("learner", name, "exists already", "choose another name");
  }
  if (learner.version.empty()) {
    refuse("learner", name, "has no version",
           "state the version of its code and its settings: records identify results by it");
  }
  if (!learner.make) refuse("learner", name, "has no function that makes it", "set `make`");
  const LearnerParts provides = learner.provides;
  if (!provides.outcome && !provides.propensity && !provides.balance) {
    refuse("learner", name, "provides nothing", "set what it fits in `provides`");
  }
  Catalogue extended = *this;  // all or nothing
  extended.learners_.push_back(std::make_shared<const LearnerEntry>(std::move(learner)));
  const auto add_row = [&](const char* prefix, Method method, LearnerId outcome, LearnerId weights,
                           std::string summary) {
    extended.add_estimator(prefix + name, method, outcome, weights, std::move(summary));
  };
  const LearnerId id(name);
  const LearnerId none = LearnerId::kNone;
  if (provides.outcome) {
    add_row("dm_", Method::kDirect, id, none,
            fmt::format("direct method with the outcome model {}", name));
  }
  if (provides.outcome && provides.propensity) {
    add_row("dr_", Method::kDoublyRobust, id, id,
            fmt::format("doubly robust with outcome model and propensities of {}", name));
  } else if (provides.outcome) {
    add_row("dr_", Method::kDoublyRobust, id, LearnerId::kLogistic,
            fmt::format("doubly robust with the outcome model {}", name));
  } else if (provides.propensity) {
    add_row("dr_", Method::kDoublyRobust, LearnerId::kRidge, id,
            fmt::format("doubly robust with ridge outcome models and propensities of {}", name));
  }
  if (provides.propensity) {
    add_row("ips_", Method::kInversePropensity, none, id,
            fmt::format("inverse propensity weighting with propensities of {}", name));
    add_row(
        "snips_", Method::kSelfNormalised, none, id,
        fmt::format("self-normalised inverse propensity weighting with propensities of {}", name));
  }
  if (provides.balance) {
    add_row("okb_", Method::kKernelBalancing, none, id,
            fmt::format("balancing weights of {}", name));
  }
  *this = std::move(extended);
}

void Catalogue::add_estimator(std::string name, Method method, LearnerId outcome, LearnerId weights,
                              std::string summary) {
  if (!is_name(name)) {
    refuse("estimator", name, "is not a name",
           "name it by lower-case letters, digits and underscores");
  }
  if (find_estimator(name) != nullptr) {
    refuse("estimator", name, "exists already", "choose another name");
  }
  const auto [of_outcome, of_weights] = parts_of(method);
  if (!of_outcome.outcome && !of_weights.propensity && !of_weights.balance) {
    refuse("estimator", name, "has a method that uses no learner, or only a built-in one",
           "choose another method");
  }
  const LearnerEntry* model = find_learner(outcome);
  const LearnerEntry* weighting = find_learner(weights);
  require_part(name, model, outcome, of_outcome);
  require_part(name, weighting, weights, of_weights);
  auto added = std::make_shared<AddedEstimator>(
      AddedEstimator{.name = std::move(name), .summary = std::move(summary), .info = {}});
  added->info = {.name = added->name,
                 .method = method,
                 .outcome = model != nullptr ? LearnerId(model->name) : LearnerId::kNone,
                 .weights = weighting != nullptr ? LearnerId(weighting->name) : LearnerId::kNone,
                 .summary = added->summary};
  estimators_.push_back(std::move(added));
}

std::vector<EstimatorInfo> Catalogue::estimators() const {
  const std::span<const EstimatorInfo> builtin = estimator_catalogue();
  std::vector<EstimatorInfo> all(builtin.begin(), builtin.end());
  for (const auto& added : estimators_) all.push_back(added->info);
  return all;
}

const EstimatorInfo* Catalogue::find_estimator(std::string_view name) const {
  for (const auto& added : estimators_) {
    if (added->name == name) return &added->info;
  }
  return cone::find_estimator(name);
}

std::vector<const LearnerEntry*> Catalogue::learners() const {
  std::vector<const LearnerEntry*> all;
  for (const LearnerEntry& learner : builtin_learners()) all.push_back(&learner);
  for (const auto& learner : learners_) all.push_back(learner.get());
  return all;
}

const LearnerEntry* Catalogue::find_learner(LearnerId learner) const {
  for (const LearnerEntry* entry : learners()) {
    if (entry->name == learner.name()) return entry;
  }
  return nullptr;
}

bool Catalogue::is_added(LearnerId learner) const {
  return std::ranges::any_of(learners_,
                             [&](const auto& entry) { return entry->name == learner.name(); });
}

std::string estimators_text(const Catalogue& catalogue) {
  using Align = TextTable::Align;
  TextTable table({{"estimator", Align::kLeft},
                   {"outcome model", Align::kLeft},
                   {"propensity on", Align::kLeft},
                   {"description", Align::kLeft}});
  for (const EstimatorInfo& row : catalogue.estimators()) {
    const LearnerId propensity = row.needs_propensity() ? row.weights : LearnerId::kNone;
    table.add_row({std::string(row.name), std::string(row.outcome.name()),
                   std::string(propensity.name()), std::string(row.summary)});
  }
  return table.to_string();
}

}  // namespace cone

#include "study/decision_claims.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/numeric.hpp"
#include "options/json_number.hpp"

namespace cone {
namespace {

using Json = nlohmann::ordered_json;

/// The true value: of the logged policy its mean outcome, as the target is the sample.
double true_value(const DecidedPolicy& policy) {
  return policy.is_logged ? policy.value : policy.truth.value();
}

/// Whether every policy has its true rank in its set; null where one has no set.
Json do_ranks_hold(const Decision& decision,
                   std::optional<std::pair<std::size_t, std::size_t>> DecidedPolicy::*ranks) {
  bool hold = true;
  for (const DecidedPolicy& policy : decision.policies) {
    if (!(policy.*ranks)) return nullptr;
    const auto better = std::ranges::count_if(decision.policies, [&](const DecidedPolicy& other) {
      return true_value(other) > true_value(policy);
    });
    const auto rank = static_cast<std::size_t>(better) + 1;
    hold = hold && (policy.*ranks)->first <= rank && rank <= (policy.*ranks)->second;
  }
  return hold;
}

Json describe_verdicts(const Decision& decision) {
  Json verdicts = Json::object();
  for (const ComparisonVerdict verdict :
       {ComparisonVerdict::kSupported, ComparisonVerdict::kConditional}) {
    std::size_t given = 0;
    std::size_t right = 0;
    for (const DecidedPolicy& policy : decision.policies) {
      if (policy.is_logged || policy.verdict != verdict) continue;
      ++given;
      const double gain = true_value(policy) - true_value(decision.policies.front());
      right += gain * policy.gain > 0 ? 1 : 0;
    }
    verdicts[std::string(enum_name(verdict))] = {{"given", given}, {"true", right}};
  }
  return verdicts;
}

void add_verdicts(const Json& verdicts, ComparisonVerdict verdict, ClaimCount& count) {
  const auto& found = verdicts.at(std::string(enum_name(verdict)));
  count.made += found.at("given").get<std::size_t>();
  count.correct += found.at("true").get<std::size_t>();
}

}  // namespace

double ClaimCount::share() const {
  return made == 0 ? kNaN : static_cast<double>(correct) / static_cast<double>(made);
}

void DecisionClaims::add(const Json& decision) {
  if (decision.is_null()) return;
  ++num_simulations;
  const auto add_claim = [&](const char* name, ClaimCount& count) {
    if (!decision.at(name).is_null()) count.add(decision.at(name).get<bool>());
  };
  add_claim("all_bands_hold", bands);
  add_claim("best_in_set", best_set);
  add_claim("ranks_hold", ranks);
  add_claim("sensitivity_ranks_hold", sensitivity_ranks);
  add_claim("single_best_is_right", single_best);
  add_verdicts(decision.at("verdicts"), ComparisonVerdict::kSupported, supported);
  add_verdicts(decision.at("verdicts"), ComparisonVerdict::kConditional, conditional);
}

Json describe_decision(const Decision& decision) {
  bool all_hold = true;
  const double best =
      true_value(*std::ranges::max_element(decision.policies, std::less<>(), true_value));
  bool best_in_set = false;
  Json single_best_is_right = nullptr;
  for (const DecidedPolicy& policy : decision.policies) {
    const double truth = true_value(policy);
    if (!policy.joint_interval) return nullptr;
    const auto [low, high] = *policy.joint_interval;
    all_hold = all_hold && (policy.is_logged || (low <= truth && truth <= high));
    best_in_set = best_in_set || (truth == best && policy.may_be_best);
    if (policy.name == decision.single_best) single_best_is_right = truth == best;
  }
  return {{"all_bands_hold", all_hold},
          {"best_in_set", best_in_set},
          {"verdicts", describe_verdicts(decision)},
          {"single_best_is_right", std::move(single_best_is_right)},
          {"ranks_hold", do_ranks_hold(decision, &DecidedPolicy::ranks)},
          {"sensitivity_ranks_hold", do_ranks_hold(decision, &DecidedPolicy::sensitivity_ranks)}};
}

bool is_decision(const Json& json) {
  return json.is_null() || (json.is_object() && json.contains("verdicts"));
}

StudyTable claim_records(const std::string& key, std::span<const std::string> settings,
                         std::span<const DecisionClaims> decisions) {
  const auto share = [](const char* name, const char* title) {
    return StudyColumn{
        .name = name, .title = title, .form = StudyColumn::Form::kPercent, .digits = 1};
  };
  StudyTable out({{.name = key, .title = "world"},
                  share("all_bands_hold", "joint bands"),
                  share("best_in_set", "confidence set"),
                  share("ranks_hold", "rank sets"),
                  share("sensitivity_ranks_hold", "sensitivity rank sets"),
                  {"decisions", "simulations"},
                  {"supported/made"},
                  {"supported/true"},
                  share("supported/share", "supported"),
                  {"conditional/made"},
                  {"conditional/true"},
                  share("conditional/share", "conditional"),
                  {"single_best/made"},
                  {"single_best/true"},
                  share("single_best/share", "single best")});
  for (std::size_t s = 0; s < settings.size(); ++s) {
    const DecisionClaims& c = decisions[s];
    out.add({settings[s], c.bands.share(), c.best_set.share(), c.ranks.share(),
             c.sensitivity_ranks.share(), c.num_simulations, c.supported.made, c.supported.correct,
             c.supported.share(), c.conditional.made, c.conditional.correct, c.conditional.share(),
             c.single_best.made, c.single_best.correct, c.single_best.share()});
  }
  return out;
}

ShownTable show_claims(std::span<const std::string> settings,
                       std::span<const DecisionClaims> decisions) {
  return show(claim_records("world", settings, decisions),
              {.title = "all policies together, the logged one included: verdicts on differences "
                        "from it with the true sign, single best policies that are the best, how "
                        "often all rank sets hold the true ranks, the confidence set the best "
                        "policy, and all joint bands the true values",
               .keys = {"world", "decisions"},
               .shown = {{"supported/share", "supported/made", " of "},
                         {"conditional/share", "conditional/made", " of "},
                         {"single_best/share", "single_best/made", " of "},
                         {"ranks_hold"},
                         {"sensitivity_ranks_hold"},
                         {"best_in_set"},
                         {"all_bands_hold"}}});
}

}  // namespace cone

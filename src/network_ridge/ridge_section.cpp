#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

#include "network_ridge/ridge_fit.hpp"
#include "options/option_bytes.hpp"

namespace cone {
namespace {

constexpr std::uint32_t kMaxGroupNameBytes = 64;
/// Variances are learnt up to e^6 times the arm's; no writer produces larger ones.
constexpr double kLargestVariance = 1000;
constexpr std::uint64_t kMostNodesKept = std::uint64_t{1} << 32;
constexpr std::uint64_t kMostStepsKept = 1'000'000;

std::vector<GroupKind> next_groups(ByteReader& reader, const NetworkRidgeOptions& options) {
  constexpr auto& kNames = EnumNames<GroupKind>::kNames;
  const auto count = reader.next<std::uint32_t>("the number of groups");
  if (count > kNames.size()) {
    reader.fail(fmt::format("has {} groups, and there are {}", count, kNames.size()));
  }
  std::vector<GroupKind> groups;
  std::size_t from = 0;  // ascending in the order of declaration, so none occurs twice
  for (std::uint32_t g = 0; g < count; ++g) {
    const std::string_view name = reader.next_text(kMaxGroupNameBytes, "the name of a group");
    std::size_t k = from;
    while (k < kNames.size() && kNames[k].second != name) ++k;
    if (k == kNames.size()) {
      reader.fail(fmt::format("'{}' is not a group, or out of order", printable(name)));
    }
    if (!asks_for(options.ridge_groups, kNames[k].first)) {
      reader.fail(fmt::format("has the group {}, which its options exclude", name));
    }
    groups.push_back(kNames[k].first);
    from = k + 1;
  }
  return groups;
}

double next_variance(ByteReader& reader, std::string_view what) {
  const double value = reader.next_finite(what);
  if (value < 0 || value > kLargestVariance) {
    reader.fail(fmt::format("{}: {} is not between 0 and {}", what, value, kLargestVariance));
  }
  return value;
}

std::vector<std::size_t> next_fixed_columns(ByteReader& reader) {
  const auto count = reader.next<std::uint32_t>("the number of fixed effects");
  if (count < 1 || count > RidgeSystem::kNumFixed) {
    reader.fail(
        fmt::format("has {} fixed effects, and an arm has 1 to {}", count, RidgeSystem::kNumFixed));
  }
  std::vector<std::size_t> columns;
  for (std::uint32_t c = 0; c < count; ++c) {
    const auto column = reader.next<std::uint32_t>("the fixed effects");
    const bool fits =
        c == 0 ? column == 0 : column > columns.back() && column < RidgeSystem::kNumFixed;
    if (!fits) reader.fail(fmt::format("fixed effect {} is out of order", column));
    columns.push_back(column);
  }
  return columns;
}

ArmModel next_arm_model(ByteReader& reader, std::size_t num_groups) {
  ArmModel arm;
  arm.mean = reader.next_finite("the mean outcome of an arm");
  arm.sd = reader.next_positive("the standard deviation of outcomes of an arm");
  arm.noise = next_variance(reader, "the noise of an arm");
  arm.noise_growth = next_variance(reader, "the growth of an arm's noise");
  for (std::size_t g = 0; g < num_groups; ++g) {
    arm.group_variances.push_back(next_variance(reader, "the variance of a group"));
  }
  arm.fixed_columns = next_fixed_columns(reader);
  const auto converged = reader.next<std::uint32_t>("whether the variances converged");
  if (converged > 1) reader.fail("whether the variances converged is neither 0 nor 1");
  arm.converged = converged == 1;
  arm.steps = reader.next<std::uint64_t>("the steps of the variances");
  arm.num_nodes = reader.next<std::uint64_t>("the nodes that variances were learnt on");
  if (arm.steps > kMostStepsKept || arm.num_nodes > kMostNodesKept) {
    reader.fail(fmt::format("variances learnt in {} steps on {} nodes are implausible", arm.steps,
                            arm.num_nodes));
  }
  return arm;
}

void put_arm_model(ByteWriter& writer, const ArmModel& arm) {
  for (const double value : {arm.mean, arm.sd, arm.noise, arm.noise_growth}) writer.put(value);
  writer.put_values(std::span<const double>(arm.group_variances));
  writer.put(static_cast<std::uint32_t>(arm.fixed_columns.size()));
  for (const std::size_t column : arm.fixed_columns) {
    writer.put(static_cast<std::uint32_t>(column));
  }
  writer.put(static_cast<std::uint32_t>(arm.converged ? 1 : 0));
  writer.put(static_cast<std::uint64_t>(arm.steps));
  writer.put(static_cast<std::uint64_t>(arm.num_nodes));
}

}  // namespace

void put_network_ridge(ByteWriter& writer, const RidgeFit& fit) {
  require(fit.parts.size() == RidgeFit::num_parts(fit.plan, fit.options),
          "model file: the network ridge is not of its plan");
  writer.put_text(canonical_text(fit.options));
  writer.put(static_cast<std::uint32_t>(fit.groups.size()));
  for (const GroupKind kind : fit.groups) writer.put_text(enum_name(kind));
  writer.put(static_cast<std::uint32_t>(fit.parts.size()));
  for (const std::vector<ArmModel>& part : fit.parts) {
    require(part.size() == fit.arms.size(), "model file: the network ridge is not of its arms");
    for (const ArmModel& arm : part) {
      require(arm.group_variances.size() == fit.groups.size(),
              "model file: the network ridge is not of its groups");
      put_arm_model(writer, arm);
    }
  }
}

void next_network_ridge(ByteReader& reader, RidgeFit& fit) {
  fit.options = next_options<NetworkRidgeOptions>(reader, "the options of the network ridge");
  fit.groups = next_groups(reader, fit.options);
  const auto num_parts = reader.next<std::uint32_t>("the number of sets of variances");
  const std::size_t expected = RidgeFit::num_parts(fit.plan, fit.options);
  if (num_parts != expected) {
    reader.fail(fmt::format("has {} sets of variances and its plan makes {}", num_parts, expected));
  }
  for (std::uint32_t k = 0; k < num_parts; ++k) {
    std::vector<ArmModel>& part = fit.parts.emplace_back();
    for (std::size_t a = 0; a < fit.arms.size(); ++a) {
      part.push_back(next_arm_model(reader, fit.groups.size()));
    }
  }
  if (reader.num_left() > 0) {
    reader.fail(fmt::format("{} bytes are left after the network ridge", reader.num_left()));
  }
}

}  // namespace cone

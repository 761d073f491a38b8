#include <cmath>

#include <fmt/format.h>

#include "cone/output.hpp"
#include "cone/text.hpp"

#include "base/readable_number.hpp"
#include "results/text_table.hpp"

namespace cone {
namespace {

constexpr std::size_t kMostColumns = 60;  // a wider table is not read line by line

std::string scaling_of(const TableColumn& column) {
  if (column.role != "feature") return "";
  return column.kind == "count" ? "per cent of row" : "standardised";
}

std::string kind_of(const DataReport::Column& column) {
  const TableColumn& summary = column.summary;
  if (summary.kind == "category") {
    return "category, " + counted(summary.num_features, "column");
  }
  if (summary.kind == "number" && column.min == 0 && column.max == 1) return "number, 0 to 1";
  return summary.kind;
}

std::string columns_text(const DataReport& report) {
  using Align = TextTable::Align;
  TextTable table({{"column", Align::kLeft},
                   {"role", Align::kLeft},
                   {"kind", Align::kLeft},
                   {"smallest"},
                   {"largest"},
                   {"missing"},
                   {"scaled", Align::kLeft}});
  std::size_t num_ignored = 0;
  std::size_t num_shown = 0;
  for (const DataReport::Column& column : report.columns) {
    const TableColumn& summary = column.summary;
    if (summary.role == "ignored") {
      ++num_ignored;
      continue;
    }
    if (num_shown++ >= kMostColumns) continue;
    const auto number = [&](double value) {
      return column.has_range ? sentence("{:.6g}", value) : std::string();
    };
    table.add_row({printable(summary.name, 40), summary.role, kind_of(column), number(column.min),
                   number(column.max), summary.num_missing > 0 ? grouped(summary.num_missing) : "",
                   scaling_of(summary)});
  }
  std::string text = table.to_string();
  if (num_shown > kMostColumns) {
    text += fmt::format("... and {} more\n", counted(num_shown - kMostColumns, "column"));
  }
  if (num_ignored > 0) text += fmt::format("ignored: {}\n", counted(num_ignored, "column"));
  return text + '\n';
}

std::string differences_text(const DataReport& report) {
  if (report.differences.empty()) return "";
  std::string text =
      report.arms.size() == 2
          ? "largest standardised mean differences between the arms (above 0.25 a comparison\n"
            "depends on the model):\n"
          : "largest standardised mean differences from the control arm (above 0.25 a comparison\n"
            "depends on the model):\n";
  for (const DataReport::Difference& difference : report.differences) {
    text += sentence("  {:+.2f}  {}", difference.standardised, printable(difference.feature));
    text += report.arms.size() > 2 ? fmt::format(", arm {}\n", printable(difference.arm)) : "\n";
  }
  return text + '\n';
}

/// Whether the arms are labelled 0 and 1: then they are called untreated and treated.
bool is_plain(const DataReport& report) {
  return report.arms.size() == 2 && report.arms[0].label == "0" && report.arms[1].label == "1";
}

std::string arm_name(const DataReport& report, std::size_t arm) {
  if (is_plain(report)) return arm == 1 ? "treated" : "untreated";
  return fmt::format("arm '{}'{}", printable(report.arms[arm].label), arm == 0 ? " (control)" : "");
}

std::string policy_text(const DataReport& report, const DataReport::Policy& policy) {
  if (is_plain(report)) {
    return fmt::format("policy {}: treats {} of the nodes\n", printable(policy.name),
                       share_in_percent(policy.arm_shares[1]));
  }
  std::string shares;
  for (std::size_t a = 0; a < policy.arm_shares.size(); ++a) {
    shares += fmt::format("{}arm {} to {}", a > 0 ? ", " : "", printable(report.arms[a].label),
                          share_in_percent(policy.arm_shares[a]));
  }
  return fmt::format("policy {}: assigns {} of the nodes\n", printable(policy.name), shares);
}

}  // namespace

std::string data_report_text(const DataReport& report) {
  std::string text = fmt::format("{}, {}, {}\n\n", counted(report.num_nodes, "node"),
                                 counted(report.num_numeric_features, "numeric feature"),
                                 counted(report.num_counts, "count feature"));
  if (!report.columns.empty()) text += columns_text(report);
  for (std::size_t arm = 0; arm < report.arms.size(); ++arm) {
    const DataReport::Arm& a = report.arms[arm];
    text +=
        sentence("{}: {}, mean outcome {:.6g} (standard deviation {:.6g})\n", arm_name(report, arm),
                 counted(a.num_nodes, "node"), a.outcome_mean, a.outcome_sd);
  }
  text += '\n' + differences_text(report);
  const DataReport::Network& n = report.network;
  text += fmt::format("network: {}, {} without edges, maximum degree {}, {}, the largest with {}\n",
                      counted(n.num_edges, "edge"), counted(n.num_isolated, "node"),
                      grouped(n.max_degree), counted(n.num_components, "component"),
                      counted(n.largest_component, "node"));
  for (const DataReport::Policy& policy : report.policies) {
    text += policy_text(report, policy);
  }
  for (const std::string& note : report.notes) text += fmt::format("! {}\n", note);
  return text;
}

nlohmann::ordered_json to_json(const DataReport& report) {
  using Json = nlohmann::ordered_json;
  Json columns = Json::array();
  for (const DataReport::Column& column : report.columns) {
    const TableColumn& summary = column.summary;
    Json json = {{"name", summary.name}, {"role", summary.role}};
    if (summary.role == "feature") {
      json["kind"] = summary.kind;
      json["num_features"] = summary.num_features;
      json["scaling"] = summary.kind == "count" ? "row" : "column";
    }
    json["num_missing"] = summary.num_missing;
    if (column.has_range) {
      json["min"] = column.min;
      json["max"] = column.max;
    }
    columns.push_back(std::move(json));
  }
  Json arms = Json::array();
  for (std::size_t arm = 0; arm < report.arms.size(); ++arm) {
    const DataReport::Arm& a = report.arms[arm];
    arms.push_back({{"treatment", arm},
                    {"label", a.label},
                    {"num_nodes", a.num_nodes},
                    {"outcome_mean", a.outcome_mean},
                    {"outcome_sd", a.outcome_sd}});
  }
  Json differences = Json::array();
  for (const DataReport::Difference& d : report.differences) {
    differences.push_back(
        {{"feature", d.feature}, {"arm", d.arm}, {"standardised_difference", d.standardised}});
  }
  Json policies = Json::array();
  for (const DataReport::Policy& p : report.policies) {
    Json shares = Json::array();
    for (std::size_t a = 0; a < p.arm_shares.size(); ++a) {
      shares.push_back({{"arm", report.arms[a].label}, {"share", p.arm_shares[a]}});
    }
    const double treated = p.arm_shares.size() == 2 ? p.arm_shares[1] : 1 - p.arm_shares[0];
    policies.push_back({{"name", p.name}, {"treated_fraction", treated}, {"arms", shares}});
  }
  const DataReport::Network& n = report.network;
  return {{"schema", kDataReportSchema},
          {"data",
           {{"num_nodes", report.num_nodes},
            {"num_numeric_features", report.num_numeric_features},
            {"num_counts", report.num_counts},
            {"checksum", report.checksum}}},
          {"columns", std::move(columns)},
          {"arms", std::move(arms)},
          {"differences", std::move(differences)},
          {"network",
           {{"num_edges", n.num_edges},
            {"num_isolated", n.num_isolated},
            {"num_components", n.num_components},
            {"largest_component", n.largest_component},
            {"max_degree", n.max_degree}}},
          {"policies", std::move(policies)},
          {"notes", report.notes}};
}

}  // namespace cone
